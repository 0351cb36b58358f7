// Random boxes under nonsmooth-alpha: no accepted step may penetrate, and few may fail. What is
// found is written down in verification/alpha_stress.md.
//   build/release/bin/alpha_stress [count] [first seed]      default 500 scenes from seed 1
//   build/release/bin/alpha_stress --seed N                  one scene, step by step where it fails
// 200 steps of each scene of saltus/simulation/test/random_boxes.h. Penetration is judged by a test
// of separating axes of its own. A step that fails is repeated in two halves, up to six times.
// Exits with 1 if an accepted step penetrates by more than 1e-11 m, if a step fails for good, or if
// more than one step in 10 000 fails at first.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "saltus/simulation/test/random_boxes.h"

namespace saltus {
namespace {

struct Outcome {
  BoxSteps count;
  // Largest energy above its start, relative to its size: all of it, and without what the position
  // corrections lifted.
  double gain = 0, gain_at_contacts = 0;
};

constexpr int kSteps = 200, kHalvings = 6;
constexpr double kDeep = 1e-11;  // m

Outcome Run(const RandomBoxes& scene, bool loud) {
  MultibodySystem system(scene.model);
  NonsmoothAlpha integrator(scene.options);
  State state = system.MakeInitialState();
  const double start = system.CalcEnergy(0, state.q, state.v).total();
  const double scale = system.CalcEnergy(0, state.q, state.v).kinetic + std::abs(start);
  Outcome outcome;
  for (int n = 0; n < kSteps; ++n) {
    const long failures = outcome.count.failures;
    StepBoxes(scene, &integrator, &system, scene.h, kHalvings, &state, &outcome.count);
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

int RunMany(int count, unsigned first) {
  int lost = 0, deep = 0, max_iterations = 0;
  long steps = 0, failures = 0, iterations = 0;
  double overlap = 0, gain = 0, gain_at_contacts = 0;
  unsigned worst_gain = 0, worst_at_contacts = 0;
  for (int k = 0; k < count; ++k) {
    const unsigned seed = first + static_cast<unsigned>(k);
    const RandomBoxes scene = MakeRandomBoxes(seed);
    const Outcome outcome = Run(scene, false);
    steps += outcome.count.steps;
    failures += outcome.count.failures;
    iterations += outcome.count.iterations;
    lost += outcome.count.lost > 0 ? 1 : 0;
    max_iterations = std::max(max_iterations, outcome.count.max_iterations);
    overlap = std::max(overlap, outcome.count.overlap);
    deep += outcome.count.overlap > kDeep ? 1 : 0;
    if (outcome.gain > gain) {
      gain = outcome.gain;
      worst_gain = seed;
    }
    if (outcome.gain_at_contacts > gain_at_contacts) {
      gain_at_contacts = outcome.gain_at_contacts;
      worst_at_contacts = seed;
    }
    if (outcome.count.failures == 0 && outcome.count.overlap <= kDeep) continue;
    std::printf(
        "seed %u (%s, %d boxes, e %.3f, mu %.3f, h %.2e, rho %.2f): %ld failed steps, %d for good, "
        "overlap %.1e m\n",
        seed, scene.planar ? "planar" : "spatial", scene.boxes, scene.e, scene.mu, scene.h,
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
  return lost == 0 && deep == 0 && 10000 * failures <= steps ? 0 : 1;
}

}  // namespace
}  // namespace saltus

int main(int argc, char** argv) {
  using namespace saltus;
  if (argc == 3 && std::strcmp(argv[1], "--seed") == 0) {
    const auto seed = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
    const RandomBoxes scene = MakeRandomBoxes(seed);
    const Outcome outcome = Run(scene, true), smooth = Run(MakeRandomBoxes(seed, false), false);
    std::printf(
        "%s, %d boxes, e %.3f, mu %.3f, h %.2e, rho %.2f: energy gain %.1e, %.1e without what "
        "position "
        "corrections lifted; %.1e without friction\n",
        scene.planar ? "planar" : "spatial", scene.boxes, scene.e, scene.mu, scene.h, scene.rho,
        outcome.gain, outcome.gain_at_contacts, smooth.gain_at_contacts);
    return outcome.count.lost == 0 ? 0 : 1;
  }
  const int count = argc > 1 ? std::atoi(argv[1]) : 500;
  const unsigned first = argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 1u;
  return RunMany(count, first);
}
