// Schatzman–Paoli: digits of the reference tables and of an independent code, orders, friction,
// joints.
#include "saltus/integrators/schatzman_paoli.h"

#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/integrators/test/run_problem.h"

namespace saltus {
namespace {

const BouncingBallData kBall{1, 10, 0.8, 0.801, 0};  // example (a) of the reference tables

// y_200 … y_204 and later gaps, h = 2e-3.
TEST(SchatzmanPaoli, BallGivesTheDigitsOfTheReference) {
  EquationSystem ball(MakeBouncingBall(kBall));
  SchatzmanPaoli integrator{SchatzmanPaoliOptions{}};
  std::vector<double> y = {kBall.height};
  double rest_force = 0;
  RunProblem(&ball, &integrator, 2e-3, 2000, [&](int, const StepReport& report, const State& s) {
    y.push_back(s.q[0]);
    rest_force = report.contacts.empty() ? 0 : report.contacts[0].impulse[0] / 2e-3;
  });
  EXPECT_NEAR(y[200], 0.001, 1e-9);
  EXPECT_NEAR(y[201], -0.00702, 1e-9);
  EXPECT_NEAR(y[202], -0.0008, 1e-9);
  EXPECT_NEAR(y[203], 0.005616, 1e-9);
  EXPECT_NEAR(y[204], 0.011992, 1e-9);
  EXPECT_NEAR(y[250], 0.26204800, 0.5e-8);
  EXPECT_NEAR(y[500], 0.14104800, 0.5e-8);
  EXPECT_NEAR(y[1000], 0.02415002, 0.5e-8);
  EXPECT_NEAR(*std::min_element(y.begin(), y.end()), -7.02e-3, 1e-9);
  EXPECT_NEAR(rest_force, 10.0, 1e-6);
}

TEST(SchatzmanPaoli, BallWithASmallStep) {
  EquationSystem ball(MakeBouncingBall(kBall));
  SchatzmanPaoli integrator{SchatzmanPaoliOptions{}};
  double min_gap = 1;
  const State state = RunProblem(
      &ball, &integrator, 2e-4, 2500,
      [&](int, const StepReport&, const State& s) { min_gap = std::min(min_gap, s.q[0]); });
  EXPECT_NEAR(state.q[0], 0.26885632, 0.5e-8);
  EXPECT_NEAR(min_gap, -6.01e-4, 0.5e-6);
}

// R1: Siconos prints q(1) = 0.7057743749998 at h = 0.005; it starts with q_{−1} = q_0 − h v_0.
TEST(SchatzmanPaoli, BallGivesTheDigitsOfAnIndependentCode) {
  EquationSystem ball(MakeBouncingBall({}));
  SchatzmanPaoliOptions options;
  options.parabolic_start = false;
  SchatzmanPaoli integrator(options);
  EXPECT_NEAR(RunProblem(&ball, &integrator, 0.005, 200).q[0], 0.7057743749998, 1e-12);
}

// Table (a): mean |gap error| on [0, 4].
TEST(SchatzmanPaoli, MeanErrorsOfTheBall) {
  const double expected[] = {1.48e-2, 7.0e-3, 9.8e-3, 4.3e-3, 2.0e-3};
  const int steps[] = {500, 1000, 2000, 4000, 8000};
  for (int i = 0; i < 5; ++i) {
    EquationSystem ball(MakeBouncingBall(kBall));
    SchatzmanPaoli integrator{SchatzmanPaoliOptions{}};
    const double h = 4.0 / steps[i];
    double sum = 0;
    RunProblem(&ball, &integrator, h, steps[i], [&](int n, const StepReport&, const State& s) {
      sum += std::abs(s.q[0] - CalcBouncingBall(kBall, n * h).height) / steps[i];
    });
    EXPECT_NEAR(sum, expected[i], 0.03 * expected[i]);  // printed with two or three digits
  }
}

// Pendulum before the impact (t = 0.4): order 2 with joints; exact angle −0.450878091.
TEST(SchatzmanPaoli, JointsKeepOrderTwo) {
  std::vector<double> steps, errors;
  for (const int n : {20, 40, 80, 160}) {
    EquationSystem pendulum(MakeBouncingPendulum({}));
    SchatzmanPaoli integrator{SchatzmanPaoliOptions{}};
    const State state = RunProblem(&pendulum, &integrator, 0.4 / n, n,
                                   [](int, const StepReport& report, const State&) {
                                     EXPECT_LT(report.max_constraint, 1e-12);
                                   });
    steps.push_back(0.4 / n);
    errors.push_back(std::abs(state.q[2] + 0.450878091));
  }
  EXPECT_NEAR(FitSlope(steps, errors), 2.0, 0.1);
}

// After the first impact: order 1; exact θ(1) = −0.150239108.
TEST(SchatzmanPaoli, PendulumWithImpactConverges) {
  std::vector<double> steps, errors;
  for (const int n : {200, 300, 450, 670, 1000, 1500, 2250, 3400, 5000, 7500, 11000, 16000}) {
    EquationSystem pendulum(MakeBouncingPendulum({}));
    SchatzmanPaoli integrator{SchatzmanPaoliOptions{}};
    const State state = RunProblem(&pendulum, &integrator, 1.0 / n, n);
    steps.push_back(1.0 / n);
    errors.push_back(std::abs(state.q[2] + 0.150239108));
    EXPECT_LT(errors.back(),
              12.0 / n);  // 4.2 rad/s, restitution takes two steps, as does its onset
  }
  EXPECT_GT(FitSlope(steps, errors), 0.8);
}

// Both corners of the block have e = 0.5; energy after the first impact 8.9575 (exact).
TEST(SchatzmanPaoli, BlockLosesTheRightEnergyAtItsFirstImpact) {
  EquationSystem block(MakeRockingBlock({}));
  SchatzmanPaoli integrator{SchatzmanPaoliOptions{}};
  const State state = RunProblem(&block, &integrator, 2e-5, 12500);  // t = 0.25
  EXPECT_NEAR(EnergyOf(block, state), 8.95754804, 2e-3);  // O(h), with a constant ~ 30 J/s
}

// Sliding to rest: exact stop at t = v/(μg) = 0.33978933, x = v²/(2μg) = 0.16989467.
TEST(SchatzmanPaoli, FrictionStopsASlidingParticle) {
  for (const double h : {1e-2, 1e-3, 1e-4}) {
    EquationSystem particle(MakeSlidingParticle({}));
    SchatzmanPaoli integrator{SchatzmanPaoliOptions{}};
    const int steps = static_cast<int>(std::lround(0.5 / h));
    const State state = RunProblem(&particle, &integrator, h, steps);
    // Friction acts at the nodes, the first one for a whole step instead of half: −h v₀/2.
    EXPECT_NEAR(state.q[0], 0.16989467, 0.6 * h);
    EXPECT_NEAR(state.v[0], 0, 1e-12);
    EXPECT_NEAR(state.q[1], 0, 1e-12);
  }
}

// Oblique drop from 1 m, v_T = 2, e = 0.5: v_N⁺ = 2.214723, v_T⁺ = max(0, 2 − 1.5 μ v_N⁻).
TEST(SchatzmanPaoli, ObliqueImpactHasCoulombsImpulse) {
  const double h = 1e-5;
  for (const auto& [friction, expected] :
       {std::pair{0.1, 1.335583}, std::pair{0.3, 0.006749}, std::pair{2.0, 0.0}}) {
    EquationSystem particle(MakeSlidingParticle({1, 9.81, friction, 0.5, 1, 2, 0}));
    SchatzmanPaoli integrator{SchatzmanPaoliOptions{}};
    const State state = RunProblem(&particle, &integrator, h, 46000);  // t = 0.46, impact at 0.4515
    EXPECT_NEAR(state.v[0], expected, 3e-4);  // O(h) times the impact speed and the forces
    EXPECT_NEAR(state.v[1], 2.214723 - 9.81 * (0.46 - 0.45152364), 3e-4);
  }
}

// A change of the step restarts the two-step formula: free fall stays exact.
TEST(SchatzmanPaoli, ChangesOfTheStepKeepTheParabola) {
  EquationSystem ball(MakeBouncingBall({1, 10, 0.5, 100, 0}));
  SchatzmanPaoli integrator{SchatzmanPaoliOptions{}};
  State state = ball.MakeInitialState();
  for (const double h : {0.1, 0.1, 0.05, 0.05, 0.2, 0.1}) {
    EXPECT_TRUE(integrator.Step(ball, h, &state).ok());
  }
  EXPECT_NEAR(state.q[0], 100 - 5 * 0.6 * 0.6, 1e-12);
  EXPECT_NEAR(state.v[0], -6, 1e-12);
}

TEST(SchatzmanPaoli, RejectsOptionsOutsideTheirRange) {
  SchatzmanPaoliOptions options;
  options.beta = 0.6;
  EXPECT_THROW(SchatzmanPaoli{options}, InputError);
}

}  // namespace
}  // namespace saltus
