// Lasting contact under Moreau–Jean: order, energy and creep against independent solutions.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/integrators/test/run_problem.h"
#include "saltus/integrators/test/small_system.h"

namespace saltus {
namespace {

constexpr double kGravity = 9.81;

/// A mass of 1 kg inside a circle of radius 1 m, at (0.8, −0.6), without velocity.
SmallSystem MakeBowl(double mu) {
  SmallSystem::Data data;
  data.q = Eigen::Vector2d(0.8, -0.6);
  data.v = VectorX::Zero(2);
  data.mass = VectorX::Ones(2);
  data.force = [](const VectorX&, const VectorX&) -> VectorX {
    return Eigen::Vector2d(0, -kGravity);
  };
  data.potential = [](const VectorX& q) { return kGravity * q[1]; };
  SmallSystem::ContactData contact;
  contact.gap = [](const VectorX& q) { return 1 - q.norm(); };
  contact.friction = mu;
  contact.rows = [mu](const VectorX& q) {
    const VectorX n = -q / q.norm();
    MatrixX rows(mu > 0 ? 2 : 1, 2);
    rows.row(0) = n.transpose();
    if (mu > 0) rows.row(1) << -n[1], n[0];
    return rows;
  };
  data.contacts = {contact};
  return SmallSystem(data);
}

/// The same motion in its angle from the bottom, by Runge–Kutta of order 4 with small steps:
/// φ̈ = −g sin φ − μ sgn(φ̇)(φ̇² + g cos φ).
Eigen::Vector2d SolveBowl(double mu, double until) {
  double phi = std::atan2(0.8, 0.6), omega = 0;
  const int n = 200000;
  const double h = until / n;
  const auto slope = [mu](double p, double w) {
    const double load = w * w + kGravity * std::cos(p);
    const double sign = w == 0 ? -1 : w / std::abs(w);  // it starts downwards
    return -kGravity * std::sin(p) - mu * sign * load;
  };
  for (int i = 0; i < n; ++i) {
    const double k1 = omega, l1 = slope(phi, omega);
    const double k2 = omega + 0.5 * h * l1, l2 = slope(phi + 0.5 * h * k1, k2);
    const double k3 = omega + 0.5 * h * l2, l3 = slope(phi + 0.5 * h * k2, k3);
    const double k4 = omega + h * l3, l4 = slope(phi + h * k3, k4);
    phi += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    omega += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  return {std::sin(phi), -std::cos(phi)};
}

class LastingContact : public testing::TestWithParam<double> {};

TEST_P(LastingContact, BowlHasOrderTwo) {
  const double mu = GetParam();
  const double until = mu > 0 ? 0.6 : 2.0;
  const Eigen::Vector2d exact = SolveBowl(mu, until);
  std::vector<double> steps, errors;
  for (int n = 0; n < 5; ++n) {
    const double h = 0.02 / (1 << n);
    SmallSystem bowl = MakeBowl(mu);
    MoreauJean integrator{MoreauJeanOptions{}};
    double impact = 0;
    const State end = RunProblem(&bowl, &integrator, h, static_cast<int>(std::lround(until / h)),
                                 [&](int, const StepReport& report, const State& state) {
                                   impact += report.work.impact_loss;
                                   EXPECT_NEAR(state.q.norm(), 1, 1e-9);
                                 });
    EXPECT_EQ(impact, 0) << "nothing hits";
    steps.push_back(h);
    errors.push_back((end.q - exact).lpNorm<Eigen::Infinity>());
  }
  EXPECT_GT(FitSlope(steps, errors), 1.9);
  EXPECT_LT(errors[2], mu > 0 ? 2.2e-5 : 2.9e-5);
}
INSTANTIATE_TEST_SUITE_P(Friction, LastingContact, testing::Values(0.0, 0.2));

TEST(LastingContactEnergy, BowlKeepsItAtEveryTime) {
  SmallSystem bowl = MakeBowl(0);
  MoreauJean integrator{MoreauJeanOptions{}};
  const double start = -0.6 * kGravity, above = 0.4 * kGravity;
  double first = 0, last = 0, lasting = 0;
  const int steps = 15000;
  RunProblem(&bowl, &integrator, 4e-3, steps, [&](int n, const StepReport& report, const State& s) {
    const double error = (EnergyOf(bowl, s) - start) / above;
    EXPECT_LT(std::abs(error), 2e-5);
    if (n <= 750) first += error / 750;
    if (n > steps - 750) last += error / 750;
    lasting = std::max(lasting, std::abs(report.work.lasting));
    EXPECT_EQ(report.work.projection, 0);
  });
  EXPECT_LT(std::abs(last - first), 1e-6) << "drift";
  EXPECT_LT(lasting, 1e-5);
}

/// A point of 1 kg on a plane that falls off by `tilt` along x, thrown across the slope: the
/// direction of slip turns. q = (x, y, height above the plane).
SmallSystem MakeSlope(double tilt, double mu, double across) {
  SmallSystem::Data data;
  data.q = VectorX::Zero(3);
  data.v = Eigen::Vector3d(0, across, 0);
  data.mass = VectorX::Ones(3);
  data.force = [tilt](const VectorX&, const VectorX&) -> VectorX {
    return Eigen::Vector3d(kGravity * std::sin(tilt), 0, -kGravity * std::cos(tilt));
  };
  SmallSystem::ContactData contact;
  contact.gap = [](const VectorX& q) { return q[2]; };
  contact.friction = mu;
  contact.rows = [](const VectorX&) {
    MatrixX rows(3, 3);
    rows << 0, 0, 1, 1, 0, 0, 0, 1, 0;
    return rows;
  };
  data.contacts = {contact};
  return SmallSystem(data);
}

Eigen::Vector2d SolveSlope(double tilt, double mu, double across, double until) {
  Eigen::Vector2d x = Eigen::Vector2d::Zero(), v(0, across);
  const int n = 200000;
  const double h = until / n;
  const auto slope = [&](const Eigen::Vector2d& u) -> Eigen::Vector2d {
    return Eigen::Vector2d(kGravity * std::sin(tilt), 0) -
           mu * kGravity * std::cos(tilt) * u.normalized();
  };
  for (int i = 0; i < n; ++i) {
    const Eigen::Vector2d l1 = slope(v), l2 = slope(v + 0.5 * h * l1), l3 = slope(v + 0.5 * h * l2),
                          l4 = slope(v + h * l3);
    x += h * v + h * h / 6 * (l1 + l2 + l3);
    v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  return x;
}

TEST(LastingContactFriction, TurningSlipHasOrderTwo) {
  const double tilt = 0.4, mu = 0.5;
  const Eigen::Vector2d exact = SolveSlope(tilt, mu, 2, 1);
  std::vector<double> steps, errors;
  for (int n = 0; n < 5; ++n) {
    const double h = 0.02 / (1 << n);
    SmallSystem slope = MakeSlope(tilt, mu, 2);
    MoreauJean integrator{MoreauJeanOptions{}};
    const State end = RunProblem(&slope, &integrator, h, static_cast<int>(std::lround(1 / h)));
    steps.push_back(h);
    errors.push_back((end.q.head<2>() - exact).norm());
  }
  EXPECT_GT(FitSlope(steps, errors), 1.9);
  EXPECT_LT(errors[2], 7e-6);
}

TEST(LastingContactFriction, StickingContactDoesNotCreep) {
  SmallSystem slope = MakeSlope(0.4, 0.5, 0);  // tan 0.4 = 0.42 < 0.5
  MoreauJean integrator{MoreauJeanOptions{}};
  const State end = RunProblem(&slope, &integrator, 5e-3, 400);
  EXPECT_LT(end.q.head<2>().norm(), 1e-10);
}

}  // namespace
}  // namespace saltus
