// Random blocks under nonsmooth-alpha: no step may fail or penetrate. What is found is written down
// in verification/alpha_stress.md.
//   build/release/bin/alpha_stress [count] [first seed]      default 500 scenes from seed 1
//   build/release/bin/alpha_stress --seed N                  one scene, step by step where it fails
// One to four boxes above a floor, in the plane or in space; e ∈ [0, 1], μ ∈ [0, 1.2], h from 2e-4
// to 2e-2 s, ρ∞ ∈ [0, 1], 200 steps each, starting below the height that 100 steps can fall. Exits
// with 1 if a step fails, or if more than one scene in ten penetrates. None should: some tumbling
// boxes do, in steps whose set of contacts is frozen while it still changes. It is a known defect,
// seen since the audit looks at the end of such steps anew.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/simulation/test/physics.h"

namespace saltus {
namespace {

struct Scene {
  std::shared_ptr<const Model> model;
  NonsmoothAlphaOptions options;
  double h = 0, e = 0, mu = 0, rho = 0;
  bool planar = false;
  int boxes = 0;
};

Scene MakeScene(unsigned seed, bool with_friction = true) {
  std::mt19937 random(seed);
  // Not std::uniform_real_distribution: its numbers differ from library to library.
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(random()) / 4294967296.0);
  };
  Scene scene;
  scene.planar = seed % 3 == 0;
  scene.e = seed % 5 == 0 ? 0 : uniform(0, 1);
  scene.mu = seed % 7 == 0 ? 0 : uniform(0, 1.2);
  if (!with_friction) scene.mu = 0;
  scene.h = 2e-4 * std::pow(100, uniform(0, 1));
  scene.rho = uniform(0, 1);
  scene.boxes = 1 + static_cast<int>(uniform(0, 4));
  ModelBuilder builder;
  builder.Add(MakeMaterial(scene.mu, scene.e, 500)).AddGroundShape(MakeFloor());
  if (scene.planar) builder.SetPlanar({.first = Vector3::UnitX(), .second = Vector3::UnitZ()});
  const double fall = std::min(1.0, 0.5 * 9.81 * std::pow(100 * scene.h, 2));
  double height = 0;
  for (int i = 0; i < scene.boxes; ++i) {
    const Vector3 half(uniform(0.05, 0.4), uniform(0.05, 0.4), uniform(0.05, 0.4));
    height += half.norm() + fall * uniform(0, 0.3);
    RigidBodySpec box =
        MakeBody("box" + std::to_string(i), Box{half},
                 {uniform(-0.1, 0.1), scene.planar ? 0 : uniform(-0.1, 0.1), height});
    height += half.norm() + 1e-3;
    const Vector3 axis = scene.planar
                             ? Vector3(0, 1, 0)
                             : Vector3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)).normalized();
    box.orientation = Quaternion(Eigen::AngleAxisd(uniform(-3, 3), axis));
    box.angular_velocity = uniform(-5, 5) * axis;
    const double down = -std::sqrt(2 * 9.81) * uniform(0, 1.5);
    box.velocity = Vector3(uniform(-2, 2), scene.planar ? 0 : uniform(-2, 2), down);
    builder.Add(box);
  }
  scene.model = builder.Build();
  scene.options.coefficients = AlphaCoefficients::FromSpectralRadius(scene.rho);
  scene.options.solver_options.max_iterations = 20000;
  return scene;
}

struct Outcome {
  int failures = 0;
  long iterations = 0;
  int max_iterations = 0;
  double penetration = 0;
  // Largest energy above its start, relative to its size: all of it, and without what the position
  // corrections lifted.
  double gain = 0, gain_at_contacts = 0;
};

constexpr int kSteps = 200;

Outcome Run(const Scene& scene, bool loud) {
  MultibodySystem system(scene.model);
  NonsmoothAlpha integrator(scene.options);
  State state = system.MakeInitialState();
  const double start = system.CalcEnergy(0, state.q, state.v).total();
  const double scale = system.CalcEnergy(0, state.q, state.v).kinetic + std::abs(start);
  Outcome outcome;
  double lifted = 0;
  for (int n = 0; n < kSteps; ++n) {
    const StepReport& report = integrator.Step(system, scene.h, &state);
    outcome.iterations += report.newton_iterations;
    outcome.max_iterations = std::max(outcome.max_iterations, report.newton_iterations);
    outcome.penetration = std::max(outcome.penetration, report.max_penetration);
    const double energy = system.CalcEnergy(0, state.q, state.v).total();
    lifted += report.work.projection;
    outcome.gain = std::max(outcome.gain, (energy - start) / scale);
    outcome.gain_at_contacts =
        std::max(outcome.gain_at_contacts, (energy - start - lifted) / scale);
    if (report.ok()) continue;
    ++outcome.failures;
    if (loud) {
      std::printf("  step %d, t = %.5f: %s; %s\n", n + 1, state.time, StatusName(report.status),
                  report.culprit.c_str());
    }
  }
  return outcome;
}

int RunMany(int count, unsigned first) {
  int failed = 0, deep = 0;
  long steps = 0, iterations = 0;
  int max_iterations = 0;
  double penetration = 0, gain = 0, gain_at_contacts = 0;
  unsigned worst_gain = 0, worst_at_contacts = 0;
  for (int k = 0; k < count; ++k) {
    const unsigned seed = first + static_cast<unsigned>(k);
    const Scene scene = MakeScene(seed);
    const Outcome outcome = Run(scene, false);
    steps += kSteps;
    iterations += outcome.iterations;
    max_iterations = std::max(max_iterations, outcome.max_iterations);
    penetration = std::max(penetration, outcome.penetration);
    if (outcome.gain > gain) {
      gain = outcome.gain;
      worst_gain = seed;
    }
    if (outcome.gain_at_contacts > gain_at_contacts) {
      gain_at_contacts = outcome.gain_at_contacts;
      worst_at_contacts = seed;
    }
    const bool penetrates = outcome.penetration > 1e-11;
    failed += outcome.failures > 0 ? 1 : 0;
    deep += penetrates ? 1 : 0;
    if (outcome.failures > 0 || penetrates) {
      std::printf(
          "seed %u (%s, %d boxes, e %.3f, mu %.3f, h %.2e, rho %.2f): %d failed steps, "
          "penetration %.1e m, iterations up to %d\n",
          seed, scene.planar ? "planar" : "spatial", scene.boxes, scene.e, scene.mu, scene.h,
          scene.rho, outcome.failures, outcome.penetration, outcome.max_iterations);
    }
  }
  std::printf(
      "%d scenes, %ld steps: %d scenes failed, %d penetrated; Newton iterations %.2f on average, "
      "at most "
      "%d; penetration %.1e m; largest relative energy above the start %.1e (seed %u), %.1e "
      "(seed %u) without what position corrections lifted\n",
      count, steps, failed, deep, static_cast<double>(iterations) / static_cast<double>(steps),
      max_iterations, penetration, gain, worst_gain, gain_at_contacts, worst_at_contacts);
  return failed == 0 && 10 * deep <= count ? 0 : 1;
}

}  // namespace
}  // namespace saltus

int main(int argc, char** argv) {
  using namespace saltus;
  if (argc == 3 && std::strcmp(argv[1], "--seed") == 0) {
    const auto seed = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
    const Scene scene = MakeScene(seed);
    const Outcome outcome = Run(scene, true), smooth = Run(MakeScene(seed, false), false);
    std::printf(
        "%s, %d boxes, e %.3f, mu %.3f, h %.2e, rho %.2f: energy gain %.1e, %.1e without what "
        "position "
        "corrections lifted; %.1e without friction\n",
        scene.planar ? "planar" : "spatial", scene.boxes, scene.e, scene.mu, scene.h, scene.rho,
        outcome.gain, outcome.gain_at_contacts, smooth.gain_at_contacts);
    return outcome.failures == 0 ? 0 : 1;
  }
  const int count = argc > 1 ? std::atoi(argv[1]) : 500;
  const unsigned first = argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 1u;
  return RunMany(count, first);
}
