// The nonsmooth generalized-α scheme against the reference tables: the
// digits of independent prototypes at the stated step, the properties P1-P3, order 2 before
// impacts.
#include "saltus/integrators/nonsmooth_alpha.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "problems/impact_problems.h"

namespace saltus {
namespace {

using Variant = NonsmoothAlphaOptions::Variant;

NonsmoothAlphaOptions Options(double rho_inf = 0.8, Variant variant = Variant::kMonolithic) {
  NonsmoothAlphaOptions options;
  options.coefficients = AlphaCoefficients::FromSpectralRadius(rho_inf);
  options.variant = variant;
  return options;
}

/// A run with everything that the tables ask for.
class TableRun {
 public:
  TableRun(const Equations& equations, const NonsmoothAlphaOptions& options, double h)
      : system_(equations), integrator_(options), h_(h), state(system_.MakeInitialState()) {}

  /// Steps to the time t (a whole number of steps).
  TableRun& To(double t) {
    const long target = std::lround(t / h_);
    for (; n_ < target; ++n_) {
      const double before = energy();
      report = &integrator_.Step(system_, h_, &state);
      state.time = h_ * static_cast<double>(n_ + 1);
      EXPECT_TRUE(report->ok()) << "t = " << state.time << ": " << report->culprit;
      if (!report->ok()) return *this;
      iterations += report->newton_iterations;
      impacts += report->impacts;
      max_iterations = std::max(max_iterations, report->newton_iterations);
      max_penetration = std::max(max_penetration, report->max_penetration);
      max_constraint = std::max(max_constraint, report->max_constraint);
      max_constraint_rate = std::max(max_constraint_rate, report->max_constraint_rate);
      max_gain = std::max(max_gain, energy() - before);
      max_energy = std::max(max_energy, energy());
    }
    return *this;
  }
  double energy() const { return system_.CalcEnergy(state.time, state.q, state.v).total(); }
  double mean_iterations() const {
    return static_cast<double>(iterations) / static_cast<double>(n_);
  }
  const NonsmoothAlpha& integrator() const { return integrator_; }

 private:
  EquationSystem system_;
  NonsmoothAlpha integrator_;
  double h_;
  long n_ = 0;

 public:
  State state;
  const StepReport* report = nullptr;
  long iterations = 0;
  int max_iterations = 0, impacts = 0;
  double max_penetration = 0, max_constraint = 0, max_constraint_rate = 0;
  double max_gain = 0, max_energy = 0;
};

Equations MakeBall(double gap, double e) { return MakeBouncingBall({1, 10, e, gap, 0}); }
Equations MakePendulum() { return MakeBouncingPendulum({}); }
Equations MakeBlock() { return MakeRockingBlock({}); }
Equations MakeOscillator(double k) { return MakeTwoBallOscillator({1, k, 1, 10, 0.8, 1, 2}); }

// --- (a) bouncing ball ---------------------------------------------------------------------------

TEST(NonsmoothAlpha, BallGivesTheTable) {
  for (const Variant variant : {Variant::kMonolithic, Variant::kDecoupled, Variant::kRobust}) {
    TableRun run(MakeBall(0.801, 0.8), Options(0.8, variant), 2e-3);
    const struct {
      double t, gap, v, E;
    } rows[] = {{0.3, 0.351, -3.0, 8.01},
                {0.402, 0, 3.2, 5.12},
                {0.5, 0.26558, 2.22, 5.12},
                {1.0, 0.12558, -2.78, 5.12},
                {2.0, 0.05875632, 1.18896, 1.29437614},
                {3.0, 0.01430702, -0.34400998, 0.20224165}};
    for (const auto& row : rows) {
      run.To(row.t);
      EXPECT_NEAR(run.state.q[0], row.gap, 0.6e-8) << row.t;  // the printed digits
      EXPECT_NEAR(run.state.v[0], row.v, 0.6e-8) << row.t;
      EXPECT_NEAR(run.energy(), row.E, 0.6e-8) << row.t;
    }
    run.To(4.0);
    EXPECT_NEAR(run.state.q[0], 0, 1e-15);
    EXPECT_NEAR(run.state.v[0], 0, 1e-14);
    ASSERT_EQ(run.report->contacts.size(), 1u);
    EXPECT_NEAR(run.report->contacts[0].impulse[0], 0.02, 1e-12);
    EXPECT_NEAR(run.integrator().contact_position_multipliers()[0], 2e-5, 1e-14);
    EXPECT_LE(run.max_penetration, 1e-15);
    EXPECT_LE(run.max_gain, 1e-14);
  }
}

TEST(NonsmoothAlpha, ModifiedLcpBouncesForEver) {
  NonsmoothAlphaOptions options = Options();
  options.position_law = NonsmoothAlphaOptions::PositionLaw::kModifiedLcp;
  TableRun run(MakeBall(0.801, 0.8), options, 2e-3);
  const struct {
    double t, gap, v;
  } rows[] = {{0.3, 0.351, -3.0},
              {0.5, 0.273, 2.22},
              {1.0, 0.133, -2.78},
              {2.0, 0.0348224, 1.49424},
              {3.0, 0.00749322, -0.84825088},
              {4.0, 0.00056533, -0.08226954}};
  for (const auto& row : rows) {
    run.To(row.t);
    EXPECT_NEAR(run.state.q[0], row.gap, 0.6e-8) << row.t;
    EXPECT_NEAR(run.state.v[0], row.v, 0.6e-8) << row.t;
  }
  run.To(4.5);
  EXPECT_NEAR(run.state.q[0], 3.2e-4, 0.06e-4);
  EXPECT_NEAR(run.energy(), 6.4e-3, 0.06e-3);
  EXPECT_NEAR(run.max_gain, 1.1e-4, 0.06e-4);
}

// P2: any height below h²g/2 at rest goes to the floor in one step, and stays there.
TEST(NonsmoothAlpha, BallComesToRestInOneStep) {
  TableRun run(MakeBall(1e-5, 0.8), Options(), 2e-3);
  run.To(2e-3);
  EXPECT_NEAR(run.state.q[0], 0, 1e-18);
  EXPECT_NEAR(run.state.v[0], 0, 1e-17);
  EXPECT_NEAR(run.report->contacts[0].impulse[0], 0.02, 1e-15);
  EXPECT_NEAR(run.integrator().contact_position_multipliers()[0], 1e-5, 1e-17);
  for (const double share : {0.0, 0.3, 0.99}) {  // ν = m (h²g/2 − q_e)
    TableRun below(MakeBall(share * 2e-5, 0.8), Options(), 2e-3);
    below.To(2e-3);
    EXPECT_NEAR(below.state.q[0], 0, 1e-18);
    EXPECT_NEAR(below.integrator().contact_position_multipliers()[0], (1 - share) * 2e-5, 1e-17);
    below.To(2e-2);  // a fixed point
    EXPECT_NEAR(below.state.q[0], 0, 1e-18);
    EXPECT_NEAR(below.state.v[0], 0, 1e-17);
  }
  TableRun above(MakeBall(2.1e-5, 0.8), Options(), 2e-3);
  above.To(2e-3);
  EXPECT_NEAR(above.state.q[0], 1e-6, 1e-17);  // free fall
  EXPECT_NEAR(above.state.v[0], -0.02, 1e-15);
}

// P3: the energy of the ball never grows, whatever e, h and ρ∞; at impacts it falls by
// m g q_n + m(1 − e²)v_n²/2.
TEST(NonsmoothAlpha, BallNeverGainsEnergy) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int k = 0; k < 300; ++k) {
    const double e = unit(random), rho = unit(random);
    const double h = std::pow(10, -1.5 - 2 * unit(random));
    EquationSystem ball(MakeBall(0.5 + unit(random), e));
    NonsmoothAlpha integrator(Options(rho));
    State state = ball.MakeInitialState();
    for (int n = 0; n < 200; ++n) {
      const double q = state.q[0], v = state.v[0];
      const double before = ball.CalcEnergy(0, state.q, state.v).total();
      const StepReport& report = integrator.Step(ball, h, &state);
      const double after = ball.CalcEnergy(0, state.q, state.v).total();
      ASSERT_TRUE(report.ok());
      ASSERT_LE(after - before, 1e-13);
      ASSERT_LE(report.max_penetration, 1e-14);
      if (!report.contacts.empty() && report.contacts[0].impulse[0] > 0) {
        ASSERT_NEAR(after - before, -10 * q - 0.5 * (1 - e * e) * v * v, 1e-12);
        ASSERT_NEAR(state.v[0], -e * v, 1e-13);
      }
    }
  }
}

TEST(NonsmoothAlpha, ElasticBallLosesOnlyTheHeightOfTheStep) {
  TableRun run(MakeBall(0.801, 1), Options(), 2e-3);
  EXPECT_NEAR(run.To(10).energy(), 7.0688, 0.6e-4);
  EXPECT_EQ(run.impacts, 13);
}

// --- (b) bouncing pendulum -----------------------------------------------------------------------

TEST(NonsmoothAlpha, PendulumGivesTheTable) {
  for (const Variant variant : {Variant::kMonolithic, Variant::kDecoupled}) {
    TableRun run(MakePendulum(), Options(0.8, variant), 1e-3);
    const struct {
      double t, angle, rate, E;
    } rows[] = {{0.4, -0.45087690, -3.55367113, 2.58816853},
                {0.6, -0.45226826, 2.51286898, -0.89708783},
                {1.0, -0.15031271, -1.04480596, -0.89708251},
                {2.0, -0.68738205, 1.78930035, -4.58428157},
                {3.0, -0.76096082, 1.22411132, -6.07202892}};
    for (const auto& row : rows) {
      run.To(row.t);
      EXPECT_NEAR(run.state.q[2], row.angle, 0.6e-8) << row.t;
      EXPECT_NEAR(run.state.v[2], row.rate, 0.6e-8) << row.t;
      EXPECT_NEAR(run.energy(), row.E, 0.6e-8) << row.t;
      if (row.t == 0.4) {
        EXPECT_NEAR(run.integrator().smooth_joint_forces()[0], -14.932072, 0.6e-6);
      }
    }
    EXPECT_LE(run.max_constraint, 1e-14);
    EXPECT_LE(run.max_constraint_rate, 1e-13);
    EXPECT_LE(run.max_penetration, 1e-12);
    EXPECT_LE(run.mean_iterations(), 4.0);
  }
}

TEST(NonsmoothAlpha, PendulumImpactStepAndItsOscillation) {
  const std::vector<std::pair<double, std::vector<double>>> sequences = {
      {0.8, {-16.97, 4.71, -28.50, 1.81, -24.83, -1.96}},
      {0.5, {-16.97, 2.89, -22.83, -6.75, -15.44, -10.95}},
      {0.0, {-16.97, -2.31, -13.45, -12.80, -12.58, -12.50}}};
  for (const auto& [rho, lambda] : sequences) {
    TableRun run(MakePendulum(), Options(rho), 1e-3);
    for (std::size_t k = 0; k < lambda.size(); ++k) {
      run.To(0.486 + 1e-3 * static_cast<double>(k));
      EXPECT_NEAR(run.integrator().smooth_joint_forces()[0], lambda[k], 0.006) << rho << " " << k;
      if (k == 1 && rho == 0.8) {
        const VectorX impulse =
            run.report->constraint_impulse - 1e-3 * run.integrator().smooth_joint_forces();
        EXPECT_NEAR(impulse[0], -6.403757, 0.6e-6);
        EXPECT_NEAR(impulse[1], 5.336464, 0.6e-6);
        EXPECT_NEAR(run.report->contacts[0].impulse[0], 11.74022, 0.6e-5);
        EXPECT_NEAR(run.integrator().contact_position_multipliers()[0], 5.799024e-3, 0.6e-9);
        EXPECT_NEAR(run.integrator().joint_position_multipliers()[0], -3.163773e-3, 0.6e-9);
        EXPECT_EQ(run.report->impacts, 1);
      }
    }
  }
}

TEST(NonsmoothAlpha, PendulumRestsAtTheWall) {
  TableRun run(MakePendulum(), Options(), 1e-3);
  run.To(4.932);
  for (int n = 4933; n <= 6000; ++n) {  // permanent contact from here on
    run.To(n * 1e-3);
    ASSERT_EQ(run.report->contacts.size(), 1u) << n;
    ASSERT_GT(run.report->contacts[0].impulse[0], 0) << n;
  }
  const double h = 1e-3;
  EXPECT_NEAR(run.state.q[2], -M_PI / 4, 1e-12);
  EXPECT_NEAR(run.report->contacts[0].impulse[0] / h, 10, 1e-6);
  const VectorX& lambda = run.integrator().smooth_joint_forces();
  EXPECT_NEAR(lambda[0], -50.0 / 11, 1e-6);
  EXPECT_NEAR(run.report->constraint_impulse[0] - h * lambda[0], -6e-3 / 1.1, 1e-9);
  EXPECT_NEAR(run.report->constraint_impulse[0] / h, -10, 1e-6);
  EXPECT_NEAR(run.report->constraint_impulse[1] / h, 10, 1e-6);
  EXPECT_NEAR(run.integrator().contact_position_multipliers()[0], 5.0e-6, 0.6e-9);
  EXPECT_NEAR(run.integrator().joint_position_multipliers()[0], -2.7273e-6, 0.6e-10);
}

TEST(NonsmoothAlpha, PendulumIsOfSecondOrderBeforeTheImpact) {
  const double angle = -0.450878091, rate = -3.553679492;  // physics at t = 0.4
  std::vector<double> errors;
  for (const double h : {8e-3, 4e-3, 2e-3, 1e-3}) {
    TableRun run(MakePendulum(), Options(), h);
    run.To(0.4);
    errors.push_back(std::hypot(run.state.q[2] - angle, run.state.v[2] - rate));
  }
  for (std::size_t i = 1; i < errors.size(); ++i) {
    EXPECT_GT(errors[i - 1] / errors[i], 3.9);
    EXPECT_LT(errors[i - 1] / errors[i], 4.1);
  }
}

// --- (d) rocking block ---------------------------------------------------------------------------

TEST(NonsmoothAlpha, RockingBlockGivesTheTable) {
  for (const Variant variant : {Variant::kMonolithic, Variant::kDecoupled, Variant::kRobust}) {
    TableRun run(MakeBlock(), Options(0.8, variant), 1e-2);
    const struct {
      double t, y, angle, y_rate, rate, E;
    } rows[] = {{0.2, 0.83065248, 0.16534330, -0.06913821, -2.44298960, 8.95928443},
                {0.3, 0.78184112, -0.06710906, 0.77543770, 0.58070667, 8.01617848},
                {0.5, 0.76399565, 0.00815932, -0.17827425, -1.19054547, 7.70262761}};
    for (const auto& row : rows) {
      run.To(row.t);
      EXPECT_NEAR(run.state.q[1], row.y, 0.6e-8) << row.t;
      EXPECT_NEAR(run.state.q[2], row.angle, 0.6e-8) << row.t;
      EXPECT_NEAR(run.state.v[1], row.y_rate, 0.6e-8) << row.t;
      EXPECT_NEAR(run.state.v[2], row.rate, 0.6e-8) << row.t;
      EXPECT_NEAR(run.energy(), row.E, 0.6e-8) << row.t;
    }
    run.To(3);
    EXPECT_NEAR(run.state.q[1], 0.75, 1e-12);
    EXPECT_NEAR(run.state.q[2], 0, 1e-12);
    ASSERT_EQ(run.report->contacts.size(), 2u);
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(run.report->contacts[i].impulse[0], 0.04905, 1e-9);
      EXPECT_NEAR(run.integrator().contact_position_multipliers()[i], 2.4525e-4, 1e-10);
    }
    EXPECT_LE(run.max_penetration, 1e-12);
    EXPECT_LE(run.mean_iterations(), 4.0);
  }
}

TEST(NonsmoothAlpha, RockingBlockConvergesToThePhysics) {
  const double y = 0.7649594647, angle = 0.0029142218;
  TableRun fine(MakeBlock(), Options(), 1e-3);
  fine.To(0.5);
  EXPECT_NEAR(fine.state.q[1], 0.76529774, 0.6e-8);
  EXPECT_NEAR(fine.state.q[2], 0.00399374, 0.6e-8);
  EXPECT_NEAR(fine.energy(), 7.71407176, 0.6e-8);
  const double table[][2] = {{1e-2, 5.3e-3}, {5e-3, 5.5e-3}, {2e-3, 2.7e-3},
                             {1e-3, 1.1e-3}, {5e-4, 2.9e-4}, {2e-4, 1.4e-4}};
  for (const auto& [h, error] : table) {
    TableRun run(MakeBlock(), Options(), h);
    run.To(0.5);
    const double found = std::hypot(run.state.q[1] - y, run.state.q[2] - angle);
    EXPECT_NEAR(found, error, 0.06 * error) << h;
  }
}

TEST(NonsmoothAlpha, ModifiedLcpKeepsTheBlockChattering) {
  NonsmoothAlphaOptions options = Options();
  options.position_law = NonsmoothAlphaOptions::PositionLaw::kModifiedLcp;
  TableRun run(MakeBlock(), options, 1e-2);
  run.To(3);
  double highest = 0;
  for (int n = 0; n < 50; ++n) {
    run.To(3 + 0.01 * (n + 1));
    highest = std::max(highest, run.state.q[1] - 0.75);
  }
  EXPECT_GT(highest, 3e-4);  // the reference: gaps of 1e-3 to 3e-3
  EXPECT_LT(highest, 5e-3);
}

// --- two-ball oscillator (2.5) -------------------------------------------------------------------

TEST(NonsmoothAlpha, TwoBallOscillatorGivesTheTable) {
  AlphaCoefficients hht = AlphaCoefficients::Newmark(1, 0.5);
  hht.alpha_f = 0.1;
  const struct {
    AlphaCoefficients k;
    double h, q, v, E05, E08, E10, E20;
  } rows[] = {{AlphaCoefficients::FromSpectralRadius(0.8), 2e-3, 0.02552, -3.78223, 26.354591,
               22.647063, 22.647026, 14.600609},
              {AlphaCoefficients::FromSpectralRadius(0.8), 2e-4, 0.02578, -3.82300, 26.399577,
               22.639183, 22.639183, 14.356332},
              {AlphaCoefficients::Newmark(1, 0.5), 2e-3, 0.02240, -3.69840, 25.092300, 19.354115,
               18.548644, 10.788975},
              {hht, 2e-3, 0.02300, -3.71540, 25.336238, 19.794924, 19.037628, 11.273064},
              {AlphaCoefficients::Newmark(0.5, 0.25), 2e-3, 0.02551, -3.78262, 26.355782, 22.648244,
               22.648244, 14.542067},
              {AlphaCoefficients::Hht(0.1), 2e-3, 0.02553, -3.78056, 26.348533, 22.639947,
               22.639395, 13.896335}};
  for (const auto& row : rows) {
    NonsmoothAlphaOptions options;
    options.coefficients = row.k;
    TableRun run(MakeOscillator(1e3), options, row.h);
    run.To(0.5);
    EXPECT_NEAR(run.state.q[0], row.q, 0.6e-5);
    EXPECT_NEAR(run.state.v[0], row.v, 0.6e-5);
    EXPECT_NEAR(run.energy(), row.E05, 0.6e-6);
    EXPECT_NEAR(run.To(0.8).energy(), row.E08, 0.6e-6);
    EXPECT_NEAR(run.To(1.0).energy(), row.E10, 0.6e-6);
    EXPECT_NEAR(run.To(2.0).energy(), row.E20, 0.6e-6);
    EXPECT_LE(run.max_penetration, 1e-12);
  }
}

// The largest gain of one step, and the stiff limit: Newton's method does not feel the stiffness.
TEST(NonsmoothAlpha, TwoBallOscillatorStaysSafeWhenStiff) {
  TableRun soft(MakeOscillator(1e3), Options(), 2e-3);
  soft.To(4);
  EXPECT_NEAR(soft.max_gain, 6.0e-3, 0.06e-3);
  for (const double k : {1e8, 1e10}) {
    TableRun stiff(MakeOscillator(k), Options(), 2e-3);
    stiff.To(2);
    EXPECT_LE(stiff.max_energy, 40);
    EXPECT_LE(stiff.mean_iterations(), 3.0);
    TableRun decoupled(
        MakeOscillator(k),
        [] {
          NonsmoothAlphaOptions o = Options(0.8, Variant::kDecoupled);
          o.max_newton_iterations = 100;
          return o;
        }(),
        2e-3);
    decoupled.To(2);
    EXPECT_GE(decoupled.max_iterations, 10);  // the reference: up to 42
    EXPECT_LE(decoupled.max_iterations, 60);
  }
}

}  // namespace
}  // namespace saltus
