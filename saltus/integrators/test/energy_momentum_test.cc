// The examples of the reference tables, whose digits come from independent prototypes, and energy.
#include "saltus/integrators/energy_momentum.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/integrators/test/run_problem.h"
#include "saltus/integrators/test/small_system.h"

namespace saltus {
namespace {

constexpr double kGravity = 9.81;

/// Point masses in the plane, q = (x, y) of each, on rigid massless rods: mass i is one length away
/// from mass `from[i]`, or from the origin if that is negative. g = |d|² − 1.
SmallSystem::Data MakeRods(const VectorX& q, double mass, const std::vector<int>& from) {
  SmallSystem::Data d;
  const int n = static_cast<int>(q.size()), m = static_cast<int>(from.size());
  d.q = q;
  d.v = VectorX::Zero(n);
  d.mass = VectorX::Constant(n, mass);
  d.force = [n, mass](const VectorX&, const VectorX&) -> VectorX {
    VectorX f = VectorX::Zero(n);
    for (int i = 1; i < n; i += 2) f[i] = -mass * kGravity;
    return f;
  };
  d.potential = [n, mass](const VectorX& x) {
    double V = 0;
    for (int i = 1; i < n; i += 2) V += mass * kGravity * x[i];
    return V;
  };
  d.num_constraints = m;
  const auto rod = [from](const VectorX& x, int i) -> Vector2 {
    const Vector2 end = x.segment<2>(2 * i);
    return from[i] < 0 ? end : Vector2(end - x.segment<2>(2 * from[i]));
  };
  d.g = [m, rod](const VectorX& x) -> VectorX {
    VectorX g(m);
    for (int i = 0; i < m; ++i) g[i] = rod(x, i).squaredNorm() - 1;
    return g;
  };
  d.G = [m, n, rod, from](const VectorX& x) -> MatrixX {
    MatrixX G = MatrixX::Zero(m, n);
    for (int i = 0; i < m; ++i) {
      G.block<1, 2>(i, 2 * i) = 2 * rod(x, i).transpose();
      if (from[i] >= 0) G.block<1, 2>(i, 2 * from[i]) = -2 * rod(x, i).transpose();
    }
    return G;
  };
  d.gamma = [m, rod](const VectorX&, const VectorX& v) -> VectorX {
    VectorX gamma(m);
    for (int i = 0; i < m; ++i) gamma[i] = 2 * rod(v, i).squaredNorm();
    return gamma;
  };
  d.geometric = [m, n, from](const VectorX&, const VectorX& lambda) -> MatrixX {
    MatrixX K = MatrixX::Zero(n, n);
    for (int i = 0; i < m; ++i) {
      for (int k = 0; k < 2; ++k) {
        const int a = 2 * i + k;
        K(a, a) -= 2 * lambda[i];
        if (from[i] < 0) continue;
        const int b = 2 * from[i] + k;
        K(b, b) -= 2 * lambda[i];
        K(a, b) += 2 * lambda[i];
        K(b, a) += 2 * lambda[i];
      }
    }
    return K;
  };
  return d;
}

/// The gap of row·q, elastic.
SmallSystem::ContactData MakeStop(const Eigen::RowVectorXd& row) {
  SmallSystem::ContactData stop;
  stop.gap = [row](const VectorX& q) { return row.dot(q); };
  stop.rows = [row](const VectorX&) -> MatrixX { return row; };
  stop.restitution = 1;
  return stop;
}

struct Impact {
  double time = 0, impulse = 0, gap = 0;
};

/// Runs to `until`; returns the states at the given times, the impacts and the largest change of
/// energy and penetration.
struct Motion {
  std::vector<State> states;
  std::vector<Impact> impacts;
  double drift = 0, penetration = 0;
  int most_iterations = 0;
};
Motion RunRods(const SmallSystem::Data& data, double h, double until,
               const std::vector<double>& times) {
  SmallSystem system(data);
  EnergyMomentum integrator{EnergyMomentumOptions{}};
  State state = system.MakeInitialState();
  const auto energy = [&] { return system.CalcEnergy(state.time, state.q, state.v).total(); };
  const double start = energy();
  Motion run;
  const int steps = static_cast<int>(std::lround(until / h));
  for (int n = 1; n <= steps; ++n) {
    const StepReport& report = integrator.Step(system, h, &state);
    EXPECT_TRUE(report.ok()) << n;
    run.drift = std::max(run.drift, std::abs(energy() - start));
    run.penetration = std::max(run.penetration, report.max_penetration);
    run.most_iterations = std::max(run.most_iterations, report.newton_iterations);
    for (const ContactResult& c : report.contacts) {
      run.impacts.push_back({n * h, c.impulse[0], c.gap});
    }
    for (const double t : times) {
      if (std::lround(t / h) == n) run.states.push_back(state);
    }
  }
  return run;
}

SmallSystem::Data MakeTwoPendulums() {
  // (x₁, y₁) hangs, (x₂, y₂) is released from the right; x₂ ≥ x₁.
  SmallSystem::Data d = MakeRods(Eigen::Vector4d(0, -1, 1, 0), 1, {-1, -1});
  d.contacts = {MakeStop(Eigen::RowVector4d(-1, 0, 1, 0))};
  return d;
}

TEST(EnergyMomentum, TwoPendulumsGiveTheDigitsOfTheReference) {
  const Motion fine = RunRods(MakeTwoPendulums(), 1e-3, 3, {1, 3});
  ASSERT_EQ(fine.states.size(), 2u);
  EXPECT_NEAR(fine.states[0].q[0], -0.98642722, 0.6e-8);
  EXPECT_NEAR(fine.states[0].q[2], 5.7916e-4, 0.6e-8);
  EXPECT_NEAR(fine.states[1].q[0], -0.174501, 0.6e-6);
  EXPECT_NEAR(fine.states[1].q[2], -0.003123, 0.6e-6);
  ASSERT_EQ(fine.impacts.size(), 3u);
  const double times[] = {0.592, 1.776, 2.961};
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(fine.impacts[i].time, times[i], 1e-9);
  EXPECT_NEAR(fine.impacts[0].impulse, 4.42945, 0.6e-5);
  EXPECT_NEAR(fine.impacts[0].gap, 4.2573e-3, 0.6e-5);
  EXPECT_LT(fine.drift, 1e-10);
  EXPECT_EQ(fine.penetration, 0);
  EXPECT_LE(fine.most_iterations,
            8);  // an impact step is solved twice: 3 to 4 each in the reference
  const Motion coarse = RunRods(MakeTwoPendulums(), 1e-2, 3, {1});
  EXPECT_NEAR(coarse.states.at(0).q[0], -0.98530510, 0.6e-8);
  ASSERT_EQ(coarse.impacts.size(), 3u);
  const double coarse_times[] = {0.60, 1.79, 2.98};
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(coarse.impacts[i].time, coarse_times[i], 1e-9);
}

// Against the exact motion of the reference: order 1, since each impact happens up to h early. It
// moves the balls by h|u| = 4.43 h at most, once more with each of the three impacts.
TEST(EnergyMomentum, TwoPendulumsConvergeToTheExactMotion) {
  for (const double h : {1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2.5e-4}) {
    const Motion run = RunRods(MakeTwoPendulums(), h, 3, {1, 2, 3});
    ASSERT_EQ(run.states.size(), 3u);
    EXPECT_NEAR(run.states[0].q[0], -0.986291751, 4.43 * h) << h;
    EXPECT_NEAR(run.states[1].q[2], 0.793566195, 2 * 4.43 * h) << h;
    EXPECT_NEAR(run.states[2].q[0], -0.176651790, 3 * 4.43 * h) << h;
    EXPECT_LT(run.drift, 1e-10) << h;
  }
}

TEST(EnergyMomentum, DoublePendulumAgainstAWallGivesTheDigitsOfTheReference) {
  SmallSystem::Data d = MakeRods(Eigen::Vector4d(1, 0, 2, 0), 1, {-1, 0});
  d.contacts = {MakeStop(Eigen::RowVector4d(1, 0, 0, 0)), MakeStop(Eigen::RowVector4d(0, 0, 1, 0))};
  const Motion run = RunRods(d, 5e-4, 1, {0.8, 1});
  ASSERT_EQ(run.states.size(), 2u);
  const double at[2][4] = {{0.04806293, -0.99884431, 0.35795083, -1.94961741},
                           {0.27999800, -0.96000058, 1.27943423, -0.99357487}};
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(run.states[i].q[k], at[i][k], 0.6e-8) << i << k;
  }
  ASSERT_EQ(run.impacts.size(), 1u);
  EXPECT_NEAR(run.impacts[0].time, 0.7520, 1e-9);
  EXPECT_NEAR(run.impacts[0].impulse, 15.14057, 0.6e-5);
  EXPECT_LT(run.drift, 1e-9);  // the reference has 5e-11
  EXPECT_EQ(run.penetration, 0);
}

TEST(EnergyMomentum, PendulumOnAStopReturnsToItsHeight) {
  SmallSystem::Data d = MakeRods(Vector2(1, 0), 0.25, {-1});
  d.contacts = {MakeStop(Eigen::RowVector2d(1, 0))};
  const Motion run = RunRods(d, 1e-4, 1.1839, {1.1839});
  ASSERT_EQ(run.impacts.size(), 1u);
  EXPECT_NEAR(run.impacts[0].time, 0.5920, 1e-9);
  EXPECT_NEAR(run.impacts[0].impulse, 2.214724, 0.6e-6);
  EXPECT_LT(std::abs(run.states.at(0).q[1]), 1e-9);
  EXPECT_LT(run.drift, 1e-10);
}

}  // namespace
}  // namespace saltus
