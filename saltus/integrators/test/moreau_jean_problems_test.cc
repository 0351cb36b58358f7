// Moreau–Jean on the problems of the literature: bar on a wall, pendulum, block, oscillator,
// against the tables (b), (c), (d) of verification/reference_tables.md and exact
// solutions.
#include <gtest/gtest.h>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/integrators/test/run_problem.h"

namespace saltus {
namespace {

/// The scheme as the literature compares it.
MoreauJean MakePlain(double theta) {
  MoreauJeanOptions options;
  options.theta = theta;
  options.projection = false;
  return MoreauJean(options);
}

// Column "MJ half cons." of table (c); digits as printed there.
TEST(MoreauJeanBar, MatchesTheTableOfTheReference) {
  MoreauJean integrator = MakePlain(5.0 / 9);
  const BarRun run = RunBar(&integrator, false);
  EXPECT_NEAR(run.first_active, 0.502, 1e-9);
  EXPECT_NEAR(run.last_active, 1.168, 1e-9);
  EXPECT_NEAR(run.energy_first, 498.183792, 0.6e-6);
  EXPECT_NEAR(run.energy_06, 491.94811093, 1e-7);
  EXPECT_NEAR(run.energy_10, 482.12655768, 1e-7);
  EXPECT_NEAR(run.energy_16, 476.53010300, 1e-7);
  EXPECT_NEAR(run.gap_16, 4.22261431, 1e-8);
  EXPECT_NEAR(run.mean, 300.0000, 1e-4);
  EXPECT_NEAR(run.deviation, 0.0003, 1e-4);
  EXPECT_NEAR(run.largest, 300.003, 1e-3);
  EXPECT_NEAR(run.min_gap, -3.8889e-3, 1e-7);
  EXPECT_NEAR(run.mean_velocity_16, 9.706176, 1e-6);
}

// R3: exact force S √(Eρ) |v| = 1270.8275 N for 3.81595e-4 s; an independent code (θ = ½, h = 2e-6)
// prints a plateau of 1271.7 … 1270.9 N from 5.04e-4 s to 8.86e-4 s.
TEST(MoreauJeanBar, SteelBarGivesThePlateauOfTheWave) {
  ElasticBarData data{99, 210e9, 7800, 0.000314, 0.99, 5e-5, 0.1, 0, false};
  EquationSystem bar(MakeElasticBar(data));
  MoreauJean integrator = MakePlain(0.5);
  const double h = 2e-6;
  double first = 0, last = 0, sum = 0;
  int count = 0;
  RunProblem(&bar, &integrator, h, 500, [&](int n, const StepReport& report, const State&) {
    for (const ContactResult& c : report.contacts) {
      if (!(c.impulse[0] > 0)) continue;
      if (first == 0) first = n * h;
      last = n * h;
      if (n * h > 6e-4 && n * h < 8e-4) {
        sum += c.impulse[0] / h;
        ++count;
      }
    }
  });
  EXPECT_NEAR(sum / count, 1270.8275, 1.0);  // within the scatter that the other code prints
  EXPECT_NEAR(first, 5.04e-4, 4e-6);         // two steps: activation rules differ by one
  EXPECT_NEAR(last, 8.86e-4, 6e-6);
}

// Table (b), column "MJ half": the published scheme writes G at the intermediate configuration and
// drifts; ours keeps the joints exact, so only the physics agrees, at order 1.
TEST(MoreauJeanPendulum, FollowsTheExactMotion) {
  const double theta_04 = -0.450878091, theta_06 = -0.449792981, theta_10 = -0.150239108;
  std::vector<double> steps, errors;
  for (const int n : {200, 300, 450, 670, 1000, 1500, 2250, 3400, 5000, 7500, 11000, 16000}) {
    EquationSystem pendulum(MakeBouncingPendulum({}));
    MoreauJean integrator{MoreauJeanOptions{}};
    const State state = RunProblem(&pendulum, &integrator, 1.0 / n, n);
    steps.push_back(1.0 / n);
    errors.push_back(std::abs(state.q[2] - theta_10));
    EXPECT_LT(errors.back(), 6.0 / n);  // impact speed 4.2 rad/s, impact at most a step late
  }
  // log(error) scatters by about ±1 with the place of the impact, over a range of 4.4 in log(h).
  EXPECT_GT(FitSlope(steps, errors), 0.7);
  EquationSystem pendulum(MakeBouncingPendulum({}));
  MoreauJean integrator{MoreauJeanOptions{}};
  RunProblem(&pendulum, &integrator, 1e-4, 6000, [&](int n, const StepReport& r, const State& s) {
    if (n == 4000) {  // order 2 before the impact: ~ h²
      EXPECT_NEAR(s.q[2], theta_04, 1e-8);
    }
    if (n == 6000) {
      EXPECT_NEAR(s.q[2], theta_06, 6e-4);
    }
    EXPECT_LT(r.max_constraint, 1e-13);
  });
}

// Table (d): state at t = 0.5 after three impacts. The scheme of the table takes the rows of H at
// the new configuration, ours at the old one, so only the exact motion is common to both.
TEST(MoreauJeanBlock, ConvergesToTheExactMotion) {
  std::vector<double> steps, errors;
  for (const int n : {50, 70, 100, 140, 200, 280, 400, 560, 800, 1100, 1600, 2500}) {
    EquationSystem block(MakeRockingBlock({}));
    MoreauJean integrator = MakePlain(0.5);
    const State state = RunProblem(&block, &integrator, 0.5 / n, n);
    steps.push_back(0.5 / n);
    errors.push_back(std::hypot(state.q[1] - 0.7649594647, state.q[2] - 0.0029142218));
    EXPECT_LT(errors.back(), 6 * steps.back());  // three impacts, each at most a step late
  }
  EXPECT_GT(FitSlope(steps, errors), 0.7);  // scatter as for the pendulum
}

// The two-ball oscillator, h = 2e-3.
TEST(MoreauJeanOscillator, MatchesTheTableOfTheReference) {
  struct Row {
    double theta, q1, v1, e05, e08, e10, e20, min_q1;
  };
  for (const Row& row :
       {Row{1, 0.01745, -3.65608, 23.347177, 17.941792, 17.214400, 10.119222, -8.0e-4},
        Row{5.0 / 9, 0.02388, -3.56890, 26.013445, 22.012727, 21.657727, 14.484869, -4.0e-3},
        Row{0.5, 0.02498, -3.58399, 26.374750, 22.853443, 22.853443, 15.496775, -4.4e-3}}) {
    EquationSystem system(MakeTwoBallOscillator({}));
    MoreauJean integrator = MakePlain(row.theta);
    double min_q1 = 1;
    RunProblem(&system, &integrator, 2e-3, 1000, [&](int n, const StepReport&, const State& s) {
      const double energy = EnergyOf(system, s);
      min_q1 = std::min(min_q1, s.q[0]);
      if (n == 250) {
        EXPECT_NEAR(s.q[0], row.q1, 0.6e-5);
        EXPECT_NEAR(s.v[0], row.v1, 0.6e-5);
        EXPECT_NEAR(energy, row.e05, 0.6e-6);
      }
      if (n == 400) {
        EXPECT_NEAR(energy, row.e08, 0.6e-6);
      }
      if (n == 500) {
        EXPECT_NEAR(energy, row.e10, 0.6e-6);
      }
      if (n == 1000) {
        EXPECT_NEAR(energy, row.e20, 0.6e-6);
      }
    });
    EXPECT_NEAR(min_q1, row.min_q1, 0.06 * std::abs(row.min_q1));
  }
}

// A step of the bar costs O(n): 16 times the elements, at most 40 times the time (16 plus caches).
TEST(MoreauJeanBar, CostGrowsLinearly) {
  const auto seconds = [](int elements) {
    ElasticBarData data;
    data.elements = elements;
    data.gap = 0.001;
    EquationSystem bar(MakeElasticBar(data));
    MoreauJean integrator = MakePlain(0.5);
    double best = 1e300;
    State state = bar.MakeInitialState();
    for (int k = 0; k < 8; ++k) {
      const double start = ProcessorTime();
      EXPECT_TRUE(integrator.Step(bar, 1e-5, &state).ok());
      const double time = ProcessorTime() - start;
      if (k > 0) best = std::min(best, time);
    }
    return best;
  };
  const double small = seconds(625), large = seconds(10000);
  EXPECT_LT(large, 40 * small);
}

}  // namespace
}  // namespace saltus
