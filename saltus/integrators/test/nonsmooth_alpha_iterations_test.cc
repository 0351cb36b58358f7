// Iterations of Newton's method against those that the reference tables count.
#include <cmath>
#include <vector>

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

// Mean and most of the reference: ball 2.00 / 3, pendulum 3.0 / 4, block 2.11 / 4, which count the
// check of the last iterate too; 7 at most on everything tried there.
TEST(NonsmoothAlphaIterations, AreNoMoreThanThoseOfTheReference) {
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
    EXPECT_LE(of_block.most, 4);
  }
  const Count mono = CountIterations(MakeTwoBallOscillator({}), Variant::kMonolithic, 2e-3, 4);
  EXPECT_LE(mono.mean, 3.1);
  EXPECT_LE(mono.most, 7);
}

// Sums over the problems S, P and V: 3 + 2.2 + 1.3 for the pendulum, 2 + 1 to 2 + 1 to 2 for the
// oscillator.
TEST(NonsmoothAlphaIterations, OfTheRobustVariantAreNoMoreThanThoseOfTheReference) {
  EXPECT_LE(CountIterations(MakeBouncingPendulum({}), Variant::kRobust, 1e-3, 6).mean, 6.5);
  EXPECT_LE(CountIterations(MakeTwoBallOscillator({}), Variant::kRobust, 2e-3, 4).mean, 6.0);
}

/// |q_k − q*| after k = 1, 2, … iterations of the step that follows `steps` steps.
std::vector<double> ListErrors(const Equations& equations, double h, int steps, int count) {
  EquationSystem system(equations);
  NonsmoothAlpha integrator{NonsmoothAlphaOptions{}};
  State start = system.MakeInitialState();
  for (int n = 0; n < steps; ++n) EXPECT_TRUE(integrator.Step(system, h, &start).ok());
  State end = start;
  EXPECT_TRUE(integrator.Step(system, h, &end).ok());
  std::vector<double> errors;
  for (int k = 1; k <= count; ++k) {
    NonsmoothAlphaOptions options;
    options.max_newton_iterations = k;
    NonsmoothAlpha short_of(options);
    State state = start;
    (void)short_of.Step(system, h, &state);
    errors.push_back((state.q - end.q).norm());
  }
  return errors;
}

// The reference's residuals of the block's impact step 19 are 2.7, 2.6e-2, 4.2e-6, 3.0e-13:
// quadratic. So are ours with the terms (20), from a start that is closer; without them each
// iteration of the block would gain a factor of 0.015. The pendulum has a plane wall and curved
// joints.
TEST(NonsmoothAlphaIterations, ImpactsConvergeQuadratically) {
  const std::vector<double> of_pendulum = ListErrors(MakeBouncingPendulum({}), 1e-3, 486, 3);
  ASSERT_GT(of_pendulum[0], 1e-7);
  EXPECT_LT(of_pendulum[1], of_pendulum[0] * of_pendulum[0]);
  EXPECT_LT(of_pendulum[2], 1e-14);
  const std::vector<double> of_block = ListErrors(MakeRockingBlock({}), 1e-2, 18, 3);
  ASSERT_GT(of_block[0], 1e-5);
  EXPECT_LT(of_block[1], of_block[0] * of_block[0]);
  EXPECT_LT(of_block[2], 1e-14);
}

// Checklist 3: λ̃ of a step with contact is not carried to the next one.
TEST(NonsmoothAlphaIterations, JointForcesDoNotCrossAnImpact) {
  EquationSystem pendulum(MakeBouncingPendulum({}));
  NonsmoothAlpha integrator{NonsmoothAlphaOptions{}};
  State state = pendulum.MakeInitialState();
  int impacts = 0;
  for (int n = 0; n < 1000; ++n) {
    const StepReport& report = integrator.Step(pendulum, 1e-3, &state);
    ASSERT_TRUE(report.ok());
    if (report.impacts == 0) continue;
    ++impacts;
    EXPECT_GT(integrator.smooth_joint_forces().norm(), 0);
    EXPECT_EQ(state.integrator.at("nonsmooth-alpha.lambda").norm(), 0);
  }
  EXPECT_GT(impacts, 0);
}

}  // namespace
}  // namespace saltus
