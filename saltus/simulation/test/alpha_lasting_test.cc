// Lasting contact of bodies in space under nonsmooth-alpha: second order in sliding and rolling, no
// creep in sticking, no impact loss without impacts; and accepted steps that do not penetrate.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/simulation/test/physics.h"

namespace saltus {
namespace {

struct BodyRun {
  State state;
  StepWork work;
  double max_penetration = 0;
  int failures = 0;
};

BodyRun RunBodies(const std::shared_ptr<const Model>& model, double h, int steps) {
  MultibodySystem system(model);
  NonsmoothAlphaOptions options;
  options.solver_options.tolerance = 1e-12;
  NonsmoothAlpha integrator(options);
  BodyRun run;
  run.state = system.MakeInitialState();
  for (int n = 0; n < steps; ++n) {
    const StepReport& report = integrator.Step(system, h, &run.state);
    EXPECT_TRUE(report.ok()) << "step " << n << ": " << report.culprit;
    if (!report.ok()) ++run.failures;
    if (!report.ok()) continue;
    run.work += report.work;
    run.max_penetration = std::max(run.max_penetration, report.max_penetration);
    if (run.failures > 3) break;
  }
  return run;
}

ModelBuilder MakeBuilder(double mu, const Vector3& normal = Vector3::UnitZ()) {
  ModelBuilder builder;
  builder.SetGravity({0, 0, -9.81}).Add(MakeMaterial(mu, 0)).AddGroundShape(MakeFloor(normal));
  return builder;
}

// A ball with side spin and a spin about the vertical slides straight, then rolls at 5/7 of the
// speed: exact while it slides, within C h² through the transition.
TEST(AlphaLasting, BallSlidesThenRolls) {
  const double mu = 0.2, v0 = 1, a = mu * 9.81, roll = 2 * v0 / (7 * a), until = 0.4;
  ModelBuilder builder = MakeBuilder(mu);
  RigidBodySpec ball = MakeBody("ball", Sphere{0.1}, {0, 0, 0.1});
  ball.velocity = Vector3(v0, 0, 0);
  ball.angular_velocity = Vector3(0, 0, 20);
  builder.Add(ball);
  const auto model = builder.Build();
  const double way = v0 * roll - 0.5 * a * roll * roll + 5.0 / 7 * v0 * (until - roll);
  for (const int steps : {40, 80, 160}) {
    const BodyRun run = RunBodies(model, until / steps, steps);
    const double h = until / steps;
    EXPECT_NEAR(run.state.q[0], way, 2 * h * h) << steps;
    EXPECT_NEAR(run.state.q[1], 0, h * h) << steps;
    EXPECT_NEAR(run.state.v[0], 5.0 / 7 * v0, h * h) << steps;
    EXPECT_EQ(run.work.impact_loss, 0);
    EXPECT_LE(run.max_penetration, 1e-11);
  }
}

// A ball rolls off a fixed ball: φ̈ = 5/7 g sin φ/(R + r) while it sticks.
TEST(AlphaLasting, BallRollsDownABall) {
  const double R = 1, r = 0.25, start = 0.4, until = 0.5, k = 5.0 / 7 * 9.81 / (R + r);
  ModelBuilder builder;
  builder.SetGravity({0, 0, -9.81}).Add(MakeMaterial(2, 0));
  ShapeSpec dome;
  dome.shape = Sphere{R};
  dome.material = "stuff";
  builder.AddGroundShape(dome);
  builder.Add(
      MakeBody("ball", Sphere{r},
               (R + r) * Vector3(0.6 * std::sin(start), 0.8 * std::sin(start), std::cos(start))));
  const auto model = builder.Build();
  double angle = start, rate = 0;
  const int fine = 100000;
  for (int n = 0; n < fine; ++n) {  // leapfrog, far below the errors that are compared
    const double dt = until / fine;
    rate += 0.5 * dt * k * std::sin(angle);
    angle += dt * rate;
    rate += 0.5 * dt * k * std::sin(angle);
  }
  const Vector3 end =
      (R + r) * Vector3(0.6 * std::sin(angle), 0.8 * std::sin(angle), std::cos(angle));
  double last = 0;
  for (const int steps : {25, 50, 100}) {
    const BodyRun run = RunBodies(model, until / steps, steps);
    const double error = (run.state.q.head<3>() - end).norm();
    if (steps > 25) EXPECT_LT(error, last / 3.5) << steps;
    EXPECT_EQ(run.work.impact_loss, 0);
    last = error;
  }
}

// A cylinder rolls down a slope: 2/3 g sin α, exactly.
TEST(AlphaLasting, CylinderRollsDownASlope) {
  const double slope = 0.3, r = 0.1, until = 0.5;
  const Vector3 normal(std::sin(slope), 0, std::cos(slope)),
      down(std::cos(slope), 0, -std::sin(slope));
  ModelBuilder builder = MakeBuilder(0.6, normal);
  RigidBodySpec cylinder = MakeBody("cylinder", Cylinder{r, 0.2}, r * normal);
  cylinder.orientation = Quaternion(Eigen::AngleAxisd(M_PI / 2, Vector3::UnitX()));  // axis: y
  builder.Add(cylinder);
  const double a = 2.0 / 3 * 9.81 * std::sin(slope);
  const auto model = builder.Build();
  double last = 0;
  for (const int steps : {25, 50, 100}) {
    const BodyRun run = RunBodies(model, until / steps, steps);
    const Vector3 end = r * normal + 0.5 * a * until * until * down;
    const double error = (run.state.q.head<3>() - end).norm();
    if (steps > 25) EXPECT_LT(error, std::max(last / 3.5, 1e-10)) << steps;
    last = error;
  }
}

// A block on a slope below the friction angle, at any azimuth: it stays where it is.
TEST(AlphaLasting, BlockOnASlopeDoesNotCreep) {
  for (const double azimuth : {0.0, 0.7, 2.1, 4.0}) {
    const double slope = 0.35;
    const Vector3 normal(std::sin(slope) * std::cos(azimuth), std::sin(slope) * std::sin(azimuth),
                         std::cos(slope));
    ModelBuilder builder = MakeBuilder(0.6, normal);
    RigidBodySpec block = MakeBody("block", Box{{0.15, 0.1, 0.08}}, 0.08 * normal);
    block.orientation = Quaternion::FromTwoVectors(Vector3::UnitZ(), normal);
    builder.Add(block);
    const BodyRun run = RunBodies(builder.Build(), 5e-3, 400);
    EXPECT_LE((run.state.q.head<3>() - 0.08 * normal).norm(), 1e-10) << azimuth;
    EXPECT_LE(run.max_penetration, 1e-11);
  }
}

TEST(AlphaLasting, StackDoesNotCreep) {
  ModelBuilder builder = MakeBuilder(0.4);
  for (int i = 0; i < 5; ++i) {
    builder.Add(MakeBody("box" + std::to_string(i), Box{{0.1, 0.1, 0.05}},
                         {0.01 * (i % 2), 0, 0.05 + 0.1 * i}));
  }
  const BodyRun run = RunBodies(builder.Build(), 5e-3, 400);
  for (int i = 0; i < 5; ++i) {
    const Vector3 start(0.01 * (i % 2), 0, 0.05 + 0.1 * i);
    EXPECT_LE((run.state.q.segment<3>(7 * i) - start).norm(), 1e-9) << i;
  }
}

// A box falls onto another one, without restitution: they come to rest on each other.
TEST(AlphaLasting, BoxFallsOnABox) {
  for (const double h : {2e-3, 1e-3}) {
    ModelBuilder builder = MakeBuilder(0.5);
    builder.Add(MakeBody("lower", Box{{0.2, 0.2, 0.1}}, {0, 0, 0.1}));
    RigidBodySpec upper = MakeBody("upper", Box{{0.1, 0.15, 0.1}}, {0.02, 0.01, 0.55});
    upper.orientation = Quaternion(Eigen::AngleAxisd(0.3, Vector3(1, 2, 0.5).normalized()));
    builder.Add(upper);
    const BodyRun run = RunBodies(builder.Build(), h, static_cast<int>(std::lround(1 / h)));
    EXPECT_LE(run.max_penetration, 1e-11);
    EXPECT_GE(run.state.q[9], 0.28) << "the upper box is inside of the lower one";
  }
}

}  // namespace
}  // namespace saltus
