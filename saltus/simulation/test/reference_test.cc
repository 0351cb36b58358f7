// Reference problems with exact or independently published answers: R2 spinning ball, R5 pendulum,
// blocks and spheres on inclines.
#include <gtest/gtest.h>

#include "saltus/simulation/test/physics.h"

namespace saltus {
namespace {

constexpr double kGravity = 9.81;

// R2, exact: impact at t = 0.42835293688, P_N = 4.20214231077, sticks with P_T = −2/7.
// The impulse P_N depends on where in the step the ball lands (v = g t at the impact step), so the
// step is chosen to divide the impact time: 2000 steps reach the floor exactly.
TEST(SpinningBall, OneFrictionalImpactIsExact) {
  const double radius = 0.1, t_impact = std::sqrt(2 * 0.9 / kGravity);
  RigidBodySpec ball = MakeBody("ball", Sphere{radius}, {0, 1, 0});
  ball.mass = 1;
  ball.inertia = 0.4 * radius * radius * Matrix3::Identity();
  ball.angular_velocity = {0, 0, 10};
  const auto model = ModelBuilder()
                         .SetGravity({0, -kGravity, 0})
                         .Add(MakeMaterial(0.2, 0))
                         .AddGroundShape(MakeFloor(Vector3::UnitY()))
                         .Add(ball)
                         .Build();
  MoreauJeanOptions options;
  options.solver_options.tolerance = 1e-13;
  const int n = 2000;
  const double h = t_impact / n;
  Vector3 impulse = Vector3::Zero();
  Vector3 frame_t1, frame_t2;
  Vector3 velocity_after = Vector3::Zero(), spin_after = Vector3::Zero();
  const auto see = [&](const StepView& view) {
    for (const ContactResult& c : view.report.contacts) {
      if (!c.impact || impulse[0] != 0) continue;
      impulse = c.frame * c.impulse;  // on the ball or on the ground: the sign is settled below
      const auto& system = dynamic_cast<const MultibodySystem&>(view.system);
      const BodyMotion motion = system.CalcBodyMotion(0, view.state.q, view.state.v);
      velocity_after = motion.velocity;
      spin_after = motion.angular_velocity;
    }
  };
  // Half of a step of slack: the impact step is the one whose predictor touches the floor, at a
  // speed g h (n ± 1); P_N is compared with m times that speed below and to theory as h → 0.
  RunModel(model, options, h, t_impact + 5 * h, see);
  ASSERT_NE(impulse.norm(), 0);
  EXPECT_NEAR(std::abs(impulse.y()), 4.20214231077, 1.5 * kGravity * h);
  EXPECT_NEAR(std::abs(impulse.x()), 2.0 / 7.0, 1e-9);
  EXPECT_NEAR(velocity_after.x(), -0.285714286, 1e-9);
  EXPECT_NEAR(spin_after.z(), 2.857142857, 1e-9);
  EXPECT_NEAR(velocity_after.y(), 0, 1e-12);
}

// R2 with the impact isolated: the ball starts its only step on the floor at the exact speed, so
// every number of the reference must come out.
TEST(SpinningBall, ImpactNumbersHoldToNineDigits) {
  const double radius = 0.1, speed = std::sqrt(2 * kGravity * 0.9);
  for (const double spin : {10.0, -10.0}) {
    RigidBodySpec ball = MakeBody("ball", Sphere{radius}, {0, radius, 0});
    ball.mass = 1;
    ball.inertia = 0.4 * radius * radius * Matrix3::Identity();
    ball.angular_velocity = {0, 0, spin};
    ball.velocity = {0, -speed, 0};
    const auto model = ModelBuilder()
                           .SetGravity(Vector3::Zero())  // an impulse in no time: no force acts
                           .Add(MakeMaterial(0.2, 0))
                           .AddGroundShape(MakeFloor(Vector3::UnitY()))
                           .Add(ball)
                           .Build();
    MoreauJeanOptions options;
    options.solver_options.tolerance = 1e-13;
    RunModel(model, options, 1e-3, 1e-3, [&](const StepView& view) {
      ASSERT_EQ(view.report.contacts.size(), 1u);
      const ContactResult& c = view.report.contacts[0];
      EXPECT_TRUE(c.impact);
      EXPECT_NEAR(c.impulse[0], 4.20214231077, 1e-9);
      EXPECT_NEAR(c.impulse.tail<2>().norm(), 2.0 / 7.0, 1e-9);
      const auto& system = dynamic_cast<const MultibodySystem&>(view.system);
      const BodyMotion motion = system.CalcBodyMotion(0, view.state.q, view.state.v);
      EXPECT_NEAR(motion.velocity.x(), -spin * 0.0285714286, 1e-9);
      EXPECT_NEAR(motion.angular_velocity.z(), spin * 0.2857142857, 1e-9);
    });
  }
}

// R5 (IFToMM A01): L = 1, start (−1, 0) at rest; t = 10: (−0.275087462576, −0.961419205099).
TEST(Pendulum, PointMassOnADistanceJointConvergesAtOrderTwo) {
  const auto model = ModelBuilder()
                         .SetGravity({0, 0, -kGravity})
                         .Add(PointMassSpec{"bob", 1, {-1, 0, 0}, {0, 0, 0}, {}})
                         .Add(JointSpec{.name = "rod",
                                        .type = JointType::kDistance,
                                        .body_a = "ground",
                                        .body_b = "bob",
                                        .points = {{Vector3::Zero(), Vector3::Zero()}}})
                         .Build();
  for (const bool projection : {false, true}) {
    MoreauJeanOptions options;
    options.projection = projection;
    std::vector<double> steps, errors;
    for (int n = 1000; n <= 16000; n *= 2) {
      const double h = 10.0 / n;
      const RunResult run = RunModel(model, options, h, 10);
      ASSERT_EQ(run.outcome.kind, RunOutcome::Kind::kFinished) << run.outcome.message;
      const double error =
          std::hypot(run.state.q[0] + 0.275087462576, run.state.q[2] + 0.961419205099);
      steps.push_back(h);
      errors.push_back(error);
      if (projection) {
        EXPECT_LT(run.audit.max_constraint, 1e-13);
      }
      EXPECT_LT(run.audit.max_constraint_rate, 1e-10);
    }
    EXPECT_NEAR(FitOrder(steps, errors), 2.0, 0.05);
    EXPECT_LT(errors.back(), 1e-5);
  }
}

// --- Incline -------------------------------------------------------------------------------------

struct Slope {
  Vector3 normal, downhill;
};
Slope MakeSlope(double angle, double azimuth) {
  const Vector3 horizontal(std::cos(azimuth), std::sin(azimuth), 0);
  return {std::sin(angle) * horizontal + std::cos(angle) * Vector3::UnitZ(),
          std::cos(angle) * horizontal - std::sin(angle) * Vector3::UnitZ()};
}

/// The rotation that takes e_z to the normal and e_x to the downhill direction.
Quaternion AlignWith(const Slope& slope) {
  Matrix3 R;
  R << slope.downhill, slope.normal.cross(slope.downhill), slope.normal;
  return Quaternion(R);
}

RunResult RunOnSlope(const Shape& shape, double radius, double mu, double angle, double azimuth,
                     double until, double twist = 0) {
  const Slope slope = MakeSlope(angle, azimuth);
  RigidBodySpec body = MakeBody("body", shape, radius * slope.normal);
  body.orientation = AlignWith(slope) * Quaternion(Eigen::AngleAxisd(twist, Vector3::UnitZ()));
  const auto model = ModelBuilder()
                         .SetGravity({0, 0, -kGravity})
                         .Add(MakeMaterial(mu, 0))
                         .AddGroundShape(MakeFloor(slope.normal))
                         .Add(body)
                         .Build();
  MoreauJeanOptions options;
  options.solver_options.tolerance = 3e-12;  // near the rounding of the natural map
  options.solver_options.max_iterations = 20000;
  return RunModel(model, options, 0.005, until);
}

TEST(Incline, BoxSticksBelowItsLimit) {
  const double mu = 0.4, angle = std::atan(0.999 * mu);
  for (int k = 0; k < 8; ++k) {
    const RunResult run = RunOnSlope(Box{{0.5, 0.4, 0.1}}, 0.1, mu, angle, 0.7 * k, 1.0, 0.3 * k);
    EXPECT_EQ(run.outcome.kind, RunOutcome::Kind::kFinished) << run.outcome.message;
    EXPECT_LT(run.state.v.head<3>().norm(), 1e-12);
  }
}

TEST(Incline, BoxSlidesAboveItsLimitWithTheExactAcceleration) {
  const double mu = 0.4, angle = std::atan(1.001 * mu), until = 1.0;
  const double a = kGravity * (std::sin(angle) - mu * std::cos(angle));
  for (int k = 0; k < 8; ++k) {
    const double azimuth = 0.7 * k;
    const Slope slope = MakeSlope(angle, azimuth);
    const RunResult run = RunOnSlope(Box{{0.5, 0.4, 0.1}}, 0.1, mu, angle, azimuth, until, 0.3 * k);
    EXPECT_EQ(run.outcome.kind, RunOutcome::Kind::kFinished) << run.outcome.message;
    const Vector3 v = run.state.v.head<3>();
    EXPECT_NEAR(v.dot(slope.downhill) / until, a, 1e-8);
    EXPECT_NEAR((v - v.dot(slope.downhill) * slope.downhill).norm(), 0, 1e-9);  // no sideways drift
  }
}

// A sphere rolls without slip for tan α < (7/2) μ: a = (5/7) g sin α; beyond, it slips with
// a = g (sin α − μ cos α) and turns with α̇ = (5/2) μ g cos α / R.
TEST(Incline, SphereRollsBelowItsLimitAndSlipsAbove) {
  const double mu = 0.2, radius = 0.1, until = 1.0;
  for (const double factor : {0.999, 1.001}) {
    const double angle = std::atan(factor * 3.5 * mu);
    const double a = factor < 1 ? 5.0 / 7.0 * kGravity * std::sin(angle)
                                : kGravity * (std::sin(angle) - mu * std::cos(angle));
    const double spin = factor < 1 ? a / radius : 2.5 * mu * kGravity * std::cos(angle) / radius;
    for (int k = 0; k < 8; ++k) {
      const Slope slope = MakeSlope(angle, 0.7 * k);
      const RunResult run = RunOnSlope(Sphere{radius}, radius, mu, angle, 0.7 * k, until);
      const Vector3 v = run.state.v.head<3>();
      EXPECT_NEAR(v.dot(slope.downhill) / until, a, 1e-8);
      EXPECT_NEAR(run.state.v.tail<3>().norm() / until, spin, 1e-7 * spin);
      EXPECT_NEAR((v - v.dot(slope.downhill) * slope.downhill).norm(), 0, 1e-9);
    }
  }
}

}  // namespace
}  // namespace saltus
