// Iterations of Newton's method against those that the method page counts (§1.5, §1.10, §4.2).
#include <gtest/gtest.h>

#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/integrators/test/run_problem.h"

namespace saltus {
namespace {

using Variant = NonsmoothAlphaOptions::Variant;

struct Count {
  double mean = 0;
  int most = 0;
};

Count CountIterations(const Equations& equations, Variant variant, double h, double until) {
  EquationSystem system(equations);
  NonsmoothAlphaOptions options;
  options.variant = variant;
  NonsmoothAlpha integrator(options);
  const int steps = static_cast<int>(std::lround(until / h));
  Count count;
  RunProblem(&system, &integrator, h, steps, [&](int, const StepReport& report, const State&) {
    count.mean += static_cast<double>(report.newton_iterations) / steps;
    count.most = std::max(count.most, report.newton_iterations);
  });
  return count;
}

// Mean and most of the page: ball 2.00 / 3, pendulum 3.0 / 4, block 2.11 / 4, which count the check
// of the last iterate too; 7 at most on everything tried there.
TEST(NonsmoothAlphaIterations, AreNoMoreThanThoseOfThePage) {
  const Equations ball = MakeBouncingBall({1, 10, 0.8, 0.801, 0});
  for (const Variant variant : {Variant::kMonolithic, Variant::kDecoupled}) {
    const Count of_ball = CountIterations(ball, variant, 2e-3, 4);
    EXPECT_LE(of_ball.mean, 2.0);
    EXPECT_LE(of_ball.most, 3);
    const Count of_pendulum = CountIterations(MakeBouncingPendulum({}), variant, 1e-3, 6);
    EXPECT_LE(of_pendulum.mean, 3.0);
    EXPECT_LE(of_pendulum.most, 4);
    const Count of_block = CountIterations(MakeRockingBlock({}), variant, 1e-2, 3);
    EXPECT_LE(of_block.mean, 2.1);
    EXPECT_LE(of_block.most, 7);
  }
  const Count mono = CountIterations(MakeTwoBallOscillator({}), Variant::kMonolithic, 2e-3, 4);
  EXPECT_LE(mono.mean, 3.1);
  EXPECT_LE(mono.most, 7);
}

// Sums over the problems S, P and V: 3 + 2.2 + 1.3 for the pendulum, 2 + 1 to 2 + 1 to 2 for the
// oscillator.
TEST(NonsmoothAlphaIterations, OfTheRobustVariantAreNoMoreThanThoseOfThePage) {
  EXPECT_LE(CountIterations(MakeBouncingPendulum({}), Variant::kRobust, 1e-3, 6).mean, 6.5);
  EXPECT_LE(CountIterations(MakeTwoBallOscillator({}), Variant::kRobust, 2e-3, 4).mean, 6.0);
}

}  // namespace
}  // namespace saltus
