// Moreau–Jean on the bouncing ball: digits of an independent code, the exact solution, the table of
// the reference tables, the energy of the scheme.
#include "saltus/integrators/moreau_jean.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/integrators/test/ball_system.h"

namespace saltus {
namespace {

struct BallRun {
  State state;
  double first_impulse = 0;
  double min_gap = 0;
};

BallRun RunBall(const BallSystem::Data& data, const MoreauJeanOptions& options, double h,
                int steps) {
  BallSystem ball(data);
  MoreauJean integrator(options);
  BallRun run;
  run.state = ball.MakeInitialState();
  for (int n = 0; n < steps; ++n) {
    const StepReport& report = integrator.Step(ball, h, &run.state);
    EXPECT_TRUE(report.ok());
    for (const ContactResult& c : report.contacts) {
      if (c.impact && run.first_impulse == 0) run.first_impulse = c.impulse[0];
    }
    run.min_gap = std::min(run.min_gap, run.state.q[0]);
  }
  return run;
}

// R1: Siconos 4.4 (Moreau–Jean, θ = ½, h = 0.005) prints these digits.
TEST(MoreauJean, BouncingBallGivesTheDigitsOfAnIndependentCode) {
  const BallRun run = RunBall({}, {}, 0.005, 200);
  EXPECT_NEAR(run.state.q[0], 0.7140385, 0.5e-7);
  EXPECT_NEAR(run.state.v[0], -1.3734, 0.5e-4);
  EXPECT_NEAR(run.first_impulse, 8.4366, 0.5e-4);
}

// Exact: t = 1 lies between the first and the second impact.
TEST(MoreauJean, BouncingBallConvergesAtOrderOne) {
  const double q_exact = 0.7109491443330, v_exact = -1.3940508556670;
  std::vector<double> log_h, log_error;
  // Errors depend on where the impact falls inside a step, so a fit over many steps is taken.
  for (int n = 100; n <= 12800; n = n * 4 / 3 + 1) {
    const BallRun run = RunBall({}, {}, 1.0 / n, n);
    const double error = std::abs(run.state.q[0] - q_exact) + std::abs(run.state.v[0] - v_exact);
    // The impact comes at most a step late: |Δv| ≤ (1+e) g h, |Δq| ≤ (1+e) |v| h: 27 h in all.
    EXPECT_LT(error, 30.0 / n);
    log_h.push_back(std::log(1.0 / n));
    log_error.push_back(std::log(error));
  }
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const double k = static_cast<double>(log_h.size());
  for (std::size_t i = 0; i < log_h.size(); ++i) {
    sx += log_h[i];
    sy += log_error[i];
    sxx += log_h[i] * log_h[i];
    sxy += log_h[i] * log_error[i];
  }
  const double order = (k * sxy - sx * sy) / (k * sxx - sx * sx);
  EXPECT_NEAR(order, 1.0, 0.25);  // the scatter of the impact position; 17 points
}

// The reference's table (a): m = 1, g = 10, e = 0.8, gap 0.801, h = 2e-3, θ = 5/9, "half".
TEST(MoreauJean, BouncingBallMatchesTheTableOfTheReference) {
  BallSystem::Data data{1, 10, 0.8, 0.801, 0};
  MoreauJeanOptions options;
  options.theta = 5.0 / 9.0;
  options.projection = false;
  const struct {
    int n;
    double gap, v, energy;  // energy 0: not printed
  } rows[] = {{150, 0.35066667, -3.0, 8.00666667},
              {250, 0.26602667, 2.22, 5.12446667},
              {500, 0.12547111, -2.78, 5.11891111},
              {1000, 0.04271467, 1.3416, 1.32709195},
              {1500, 0.02193930, 0.04510336, 0}};
  for (const auto& row : rows) {
    const BallRun run = RunBall(data, options, 2e-3, row.n);
    const double q = run.state.q[0], v = run.state.v[0];
    EXPECT_NEAR(q, row.gap, 0.6e-8) << row.n;
    EXPECT_NEAR(v, row.v, 0.6e-8) << row.n;
    if (row.energy > 0) {
      EXPECT_NEAR(0.5 * v * v + 10 * q, row.energy, 0.6e-8) << row.n;
    }
  }
  const BallRun at_rest = RunBall(data, options, 2e-3, 2000);
  EXPECT_NEAR(at_rest.state.q[0], -2.16e-6, 0.5e-8);
  EXPECT_NEAR(at_rest.min_gap, -2.0e-3, 0.5e-4);
}

// The reference: the prediction changes the largest penetration by orders of magnitude.
TEST(MoreauJean, PredictionFactorDecidesThePenetration) {
  BallSystem::Data data{1, 10, 0.8, 0.801, 0};
  MoreauJeanOptions options;
  options.theta = 5.0 / 9.0;
  options.projection = false;
  options.gamma = 0;
  EXPECT_NEAR(RunBall(data, options, 2e-3, 2000).min_gap, -7.5e-3, 0.5e-4);
  options.gamma = 1;
  EXPECT_NEAR(RunBall(data, options, 2e-3, 2000).min_gap, -1.67e-5, 0.5e-7);
}

// θ = ½, e = 1: the energy is kept exactly, for ever.
TEST(MoreauJean, ElasticBallKeepsItsEnergy) {
  BallSystem::Data data{1, 10, 1.0, 0.801, 0};
  MoreauJeanOptions options;
  options.projection = false;
  const BallRun run = RunBall(data, options, 2e-3, 5000);
  const double energy = 0.5 * run.state.v[0] * run.state.v[0] + 10 * run.state.q[0];
  EXPECT_NEAR(energy, 8.01, 1e-11);  // rounding of 5000 steps
}

// Free flight of the θ-scheme loses m g² h² (θ − ½) per step.
TEST(MoreauJean, FreeFlightLosesTheEnergyThatTheorySays) {
  BallSystem::Data data{2, 10, 0, 100, 0};
  MoreauJeanOptions options;
  options.theta = 0.8;
  const double h = 1e-2;
  const BallRun run = RunBall(data, options, h, 100);
  const double energy = run.state.v[0] * run.state.v[0] + 20 * run.state.q[0];
  EXPECT_NEAR(energy - 2000, -2 * 100 * h * h * 0.3 * 100, 1e-10);
}

// Projection leaves a resting ball exactly on the floor, whatever rule closed the contact.
TEST(MoreauJean, ProjectionRemovesTheRestOffset) {
  BallSystem::Data data{1, 10, 0.5, 0.801, 0};
  MoreauJeanOptions options;
  const BallRun run = RunBall(data, options, 2e-3, 2000);
  EXPECT_EQ(run.state.v[0], 0.0);
  EXPECT_NEAR(run.state.q[0], 0, 1e-9);  // projection_tolerance
}

// Linearised activation with e = 0: lands at the end of a step on the floor, no penetration.
TEST(MoreauJean, LinearizedActivationLandsWithoutPenetration) {
  BallSystem::Data data{1, 10, 0, 0.801, 0};
  MoreauJeanOptions options;
  options.activation = MoreauJeanOptions::Activation::kLinearized;
  options.theta = 1;
  options.projection = false;
  const BallRun run = RunBall(data, options, 2e-3, 300);
  EXPECT_NEAR(run.min_gap, 0, 1e-16);
  EXPECT_NEAR(run.state.q[0], 0, 1e-16);
}

TEST(MoreauJean, RejectsOptionsOutsideTheirRange) {
  MoreauJeanOptions options;
  options.theta = 1.1;
  EXPECT_THROW(MoreauJean{options}, InputError);
  options.theta = 0.5;
  options.gamma = -1;
  EXPECT_THROW(MoreauJean{options}, InputError);
}

}  // namespace
}  // namespace saltus
