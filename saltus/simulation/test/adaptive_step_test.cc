// Adaptive steps on problems with exact solutions: errors follow the tolerance, steps grow where
// nothing happens, and the audit tells what was done.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/simulation/simulation.h"

#include "problems/impact_problems.h"

namespace saltus {
namespace {

Simulation MakeAdaptive(Equations equations, double step, double until, double tolerance,
                        double min_step) {
  SimulationOptions options;
  options.step = step;
  options.until = until;
  options.adaptive = AdaptiveOptions{tolerance, min_step};
  return Simulation(std::make_unique<EquationSystem>(std::move(equations)),
                    std::make_unique<MoreauJean>(MoreauJeanOptions{}), options);
}

TEST(AdaptiveStep, BallFollowsItsTolerance) {
  const BouncingBallData data;
  for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-5}) {
    Simulation simulation = MakeAdaptive(MakeBouncingBall(data), 0.1, 1, tolerance, 1e-9);
    ASSERT_EQ(simulation.Run().kind, RunOutcome::Kind::kFinished);
    const double error = std::abs(simulation.state().q[0] - CalcBouncingBall(data, 1).height);
    // The impact is located to a piece with an error of `tolerance`; what remains is the height
    // lost in the flight after it: at most a few times that.
    EXPECT_LT(error, 10 * tolerance);
    const Audit& audit = simulation.audit();
    EXPECT_GT(audit.rejected, 0);
    EXPECT_EQ(audit.at_min_step, 0);
    EXPECT_LT(audit.min_step, 0.05);
    EXPECT_LT(audit.steps, 200) << "free flight is exact: large steps";
  }
}

TEST(AdaptiveStep, SmallestStepIsReported) {
  Simulation simulation = MakeAdaptive(MakeBouncingBall({}), 0.1, 1, 1e-6, 1e-3);
  ASSERT_EQ(simulation.Run().kind, RunOutcome::Kind::kFinished);
  EXPECT_GT(simulation.audit().at_min_step, 0);
  EXPECT_GE(simulation.audit().min_step, 0.5e-3 * (1 - 1e-6));
}

// Pendulum without impact, exact θ(0.4) = −0.450878091: order 2.
TEST(AdaptiveStep, SmoothMotionConverges) {
  std::vector<double> errors;
  std::vector<long> steps;
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    Simulation simulation = MakeAdaptive(MakeBouncingPendulum({}), 0.4, 0.4, tolerance, 1e-9);
    ASSERT_EQ(simulation.Run().kind, RunOutcome::Kind::kFinished);
    errors.push_back(std::abs(simulation.state().q[2] + 0.450878091));
    steps.push_back(simulation.audit().steps);
    // Local errors C h³ = tolerance give h ~ tolerance^⅓ and a global error h² ~ tolerance^⅔.
    // The bound falls by 460 from the first to the last; a single error may be small by chance.
    EXPECT_LT(errors.back(), 0.05 * std::pow(tolerance, 2.0 / 3));
  }
  EXPECT_GT(steps[2], steps[0]);
}

// The step to try next is part of the state: a restarted run repeats the uninterrupted one.
TEST(AdaptiveStep, RestartRepeatsTheRun) {
  Simulation whole = MakeAdaptive(MakeBouncingBall({}), 0.1, 2, 1e-4, 1e-9);
  ASSERT_EQ(whole.Run().kind, RunOutcome::Kind::kFinished);
  Simulation first = MakeAdaptive(MakeBouncingBall({}), 0.1, 1, 1e-4, 1e-9);
  ASSERT_EQ(first.Run().kind, RunOutcome::Kind::kFinished);
  Simulation second = MakeAdaptive(MakeBouncingBall({}), 0.1, 2, 1e-4, 1e-9);
  second.Restore(first.checkpoint());
  ASSERT_EQ(second.Run().kind, RunOutcome::Kind::kFinished);
  EXPECT_EQ(second.state().q, whole.state().q);
  EXPECT_EQ(second.state().v, whole.state().v);
  EXPECT_EQ(second.audit().steps, whole.audit().steps);
}

Simulation MakeAdaptiveAlpha(Equations equations, double step, double until, double tolerance,
                             double min_step) {
  SimulationOptions options;
  options.step = step;
  options.until = until;
  options.adaptive = AdaptiveOptions{tolerance, min_step};
  return Simulation(std::make_unique<EquationSystem>(std::move(equations)),
                    std::make_unique<NonsmoothAlpha>(NonsmoothAlphaOptions{}), options);
}

// Nonsmooth generalized-α: errors follow the tolerance through impacts, nothing penetrates, steps
// are many only where something happens.
TEST(AdaptiveStep, NonsmoothAlphaFollowsItsTolerance) {
  double last = 1;
  for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
    Simulation ball = MakeAdaptiveAlpha(MakeBouncingBall({}), 0.1, 1, tolerance, 1e-9);
    ASSERT_EQ(ball.Run().kind, RunOutcome::Kind::kFinished);
    const double error = std::abs(ball.state().q[0] - CalcBouncingBall({}, 1).height);
    EXPECT_LT(error, 10 * tolerance);
    EXPECT_LT(error, last);
    last = error;
    EXPECT_LT(ball.audit().max_penetration, 1e-12);
    EXPECT_GT(ball.audit().rejected, 0);
    EXPECT_LT(ball.audit().steps, 200);
    Simulation pendulum = MakeAdaptiveAlpha(MakeBouncingPendulum({}), 0.02, 1, tolerance, 1e-9);
    ASSERT_EQ(pendulum.Run().kind, RunOutcome::Kind::kFinished);
    EXPECT_LT(std::abs(pendulum.state().q[2] + 0.150239108), 50 * tolerance);
    EXPECT_LT(pendulum.audit().max_constraint, 1e-13);
    EXPECT_LT(pendulum.audit().max_penetration, 1e-12);
  }
}

// The ledger counts only what was kept.
TEST(AdaptiveStep, LedgerCloses) {
  Simulation simulation = MakeAdaptive(MakeBouncingBall({}), 0.1, 2, 1e-4, 1e-9);
  ASSERT_EQ(simulation.Run().kind, RunOutcome::Kind::kFinished);
  EXPECT_LT(simulation.audit().RelativeClosure(), 1e-12);  // θ = ½ and constant forces: rounding
  EXPECT_NEAR(simulation.state().time, 2, 0);
}

}  // namespace
}  // namespace saltus
