// Random bodies on a floor: no accepted step may overlap, and few may fail. What is found is
// written down in verification/alpha_stress.md.
//   build/release/bin/alpha_stress [count] [first seed]      default 500 scenes from seed 1
//   build/release/bin/alpha_stress --seed N                  one scene, step by step where it fails
// with  --mixed        spheres, capsules, boxes, cylinders and hulls in place of boxes
//       --moreau-jean  that integrator, with projection, in place of nonsmooth-alpha
// 200 steps of each scene of saltus/simulation/test/random_bodies.h. Overlap is judged by tests
// that share nothing with the library: separating axes of boxes, or a direction along which the
// shapes are apart (separation_certificate.h). A step that fails is repeated in two halves, up to
// six times. Exits with 1 if an accepted step overlaps by more than 1e-11 m (curved shapes 1e-10,
// Moreau–Jean 1e-8), if a step fails for good, or if more than one step in 10 000 (mixed shapes:
// 20) fails at first.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/simulation/test/random_bodies.h"

#include "verification/separation_certificate.h"

namespace saltus {
namespace {

struct Study {
  bool mixed = false, moreau_jean = false;

  RandomBodies Make(unsigned seed, bool with_friction = true) const {
    return MakeRandomBodies(seed, mixed ? BodyChoice::kMixed : BodyChoice::kBoxes, with_friction);
  }
  std::unique_ptr<Integrator> MakeIntegrator(const RandomBodies& scene) const {
    if (!moreau_jean) return std::make_unique<NonsmoothAlpha>(scene.options);
    MoreauJeanOptions options;
    options.solver_options = scene.options.solver_options;
    return std::make_unique<MoreauJean>(options);
  }
  double deepest_allowed() const { return moreau_jean ? 1e-8 : mixed ? 1e-10 : 1e-11; }  // m
  /// Of steps that fail at first. Rims of cylinders that land nearly flat need halved steps.
  double failures_allowed() const { return mixed ? 2e-3 : 1e-4; }
};

/// By a direction along which each pair is apart.
double CalcMixedOverlap(const RandomBodies& scene, const VectorX& q) {
  std::vector<CertifiedShape> shapes = {{HalfSpace{}, Pose{}}};
  for (int i = 0; i < scene.size(); ++i) {
    shapes.push_back({scene.shapes[i], scene.model->bodies[i].CalcPose(q)});
  }
  double overlap = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      overlap = std::max(overlap, -FindSeparation(shapes[j], shapes[i], 0).separation);
    }
  }
  return overlap;
}

struct Outcome {
  BodySteps count;
  // Largest energy above its start, relative to its size: all of it, and without what the position
  // corrections lifted.
  double gain = 0, gain_at_contacts = 0;
};

constexpr int kSteps = 200, kHalvings = 6;

Outcome Run(const Study& study, const RandomBodies& scene, bool loud) {
  MultibodySystem system(scene.model);
  const std::unique_ptr<Integrator> integrator = study.MakeIntegrator(scene);
  const OverlapTest overlap = study.mixed ? CalcMixedOverlap : CalcBoxOverlap;
  State state = system.MakeInitialState();
  const double start = system.CalcEnergy(0, state.q, state.v).total();
  const double scale = system.CalcEnergy(0, state.q, state.v).kinetic + std::abs(start);
  Outcome outcome;
  for (int n = 0; n < kSteps; ++n) {
    const long failures = outcome.count.failures;
    StepBodies(scene, overlap, integrator.get(), &system, scene.h, kHalvings, &state,
               &outcome.count);
    const double energy = system.CalcEnergy(0, state.q, state.v).total();
    outcome.gain = std::max(outcome.gain, (energy - start) / scale);
    outcome.gain_at_contacts =
        std::max(outcome.gain_at_contacts, (energy - start - outcome.count.lifted) / scale);
    if (loud && outcome.count.failures > failures) {
      std::printf("  step %d, t = %.5f: %ld failures, the last: %s\n", n + 1, state.time,
                  outcome.count.failures - failures, outcome.count.culprit.c_str());
    }
  }
  return outcome;
}

int RunMany(const Study& study, int count, unsigned first) {
  int lost = 0, deep = 0, max_iterations = 0;
  long steps = 0, failures = 0, iterations = 0;
  double overlap = 0, gain = 0, gain_at_contacts = 0;
  unsigned worst_gain = 0, worst_at_contacts = 0;
  for (int k = 0; k < count; ++k) {
    const unsigned seed = first + static_cast<unsigned>(k);
    const RandomBodies scene = study.Make(seed);
    const Outcome outcome = Run(study, scene, false);
    steps += outcome.count.steps;
    failures += outcome.count.failures;
    iterations += outcome.count.iterations;
    lost += outcome.count.lost > 0 ? 1 : 0;
    max_iterations = std::max(max_iterations, outcome.count.max_iterations);
    overlap = std::max(overlap, outcome.count.overlap);
    deep += outcome.count.overlap > study.deepest_allowed() ? 1 : 0;
    if (outcome.gain > gain) {
      gain = outcome.gain;
      worst_gain = seed;
    }
    if (outcome.gain_at_contacts > gain_at_contacts) {
      gain_at_contacts = outcome.gain_at_contacts;
      worst_at_contacts = seed;
    }
    if (outcome.count.failures == 0 && outcome.count.overlap <= study.deepest_allowed()) continue;
    std::printf(
        "seed %u (%s, %d bodies, e %.3f, mu %.3f, h %.2e, rho %.2f): %ld failed steps, %d for "
        "good, "
        "overlap %.1e m\n",
        seed, scene.planar ? "planar" : "spatial", scene.size(), scene.e, scene.mu, scene.h,
        scene.rho, outcome.count.failures, outcome.count.lost, outcome.count.overlap);
  }
  std::printf(
      "%d scenes, %ld steps: %ld failed, in %d scenes for good; %d scenes overlap, by %.1e m at "
      "most; Newton iterations %.2f on average, at most %d; largest relative energy above the "
      "start "
      "%.1e (seed %u), %.1e (seed %u) without what position corrections lifted\n",
      count, steps, failures, lost, deep, overlap,
      static_cast<double>(iterations) / static_cast<double>(steps), max_iterations, gain,
      worst_gain, gain_at_contacts, worst_at_contacts);
  const bool few =
      static_cast<double>(failures) <= study.failures_allowed() * static_cast<double>(steps);
  return lost == 0 && deep == 0 && few ? 0 : 1;
}

}  // namespace
}  // namespace saltus

int main(int argc, char** argv) {
  using namespace saltus;
  Study study;
  std::vector<unsigned> numbers;
  bool one = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--mixed") {
      study.mixed = true;
    } else if (argument == "--moreau-jean") {
      study.moreau_jean = true;
    } else if (argument == "--seed") {
      one = true;
    } else {
      numbers.push_back(static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10)));
    }
  }
  if (one && !numbers.empty()) {
    const RandomBodies scene = study.Make(numbers[0]);
    const Outcome outcome = Run(study, scene, true),
                  smooth = Run(study, study.Make(numbers[0], false), false);
    std::printf(
        "%s, %d bodies, e %.3f, mu %.3f, h %.2e, rho %.2f: overlap %.1e m, energy gain %.1e, %.1e "
        "without what position corrections lifted; %.1e without friction\n",
        scene.planar ? "planar" : "spatial", scene.size(), scene.e, scene.mu, scene.h, scene.rho,
        outcome.count.overlap, outcome.gain, outcome.gain_at_contacts, smooth.gain_at_contacts);
    return outcome.count.lost == 0 ? 0 : 1;
  }
  const int count = numbers.empty() ? 500 : static_cast<int>(numbers[0]);
  return RunMany(study, count, numbers.size() > 1 ? numbers[1] : 1u);
}
