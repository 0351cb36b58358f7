// Lasting contact of bodies in space under the two integrators that hold it: second order in
// sliding and rolling, no creep in sticking, no impact loss without impacts; and accepted steps
// that do not penetrate.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/integrators/moreau_jean.h"
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

class LastingContact : public testing::TestWithParam<const char*> {
 protected:
  static bool alpha() { return GetParam()[0] == 'n'; }
  /// What an accepted step may penetrate by, m.
  static double promise() { return alpha() ? 1e-11 : 2e-9; }

  static std::unique_ptr<Integrator> Make() {
    if (!alpha()) {
      MoreauJeanOptions options;
      options.solver_options.tolerance = 1e-12;
      return std::make_unique<MoreauJean>(options);
    }
    NonsmoothAlphaOptions options;
    options.solver_options.tolerance = 1e-12;
    return std::make_unique<NonsmoothAlpha>(options);
  }

  static BodyRun RunBodies(const std::shared_ptr<const Model>& model, double h, int steps) {
    MultibodySystem system(model);
    const std::unique_ptr<Integrator> integrator = Make();
    BodyRun run;
    run.state = system.MakeInitialState();
    for (int n = 0; n < steps && run.failures < 3; ++n) {
      const StepReport& report = integrator->Step(system, h, &run.state);
      EXPECT_TRUE(report.ok()) << "step " << n << ": " << report.culprit;
      if (!report.ok()) ++run.failures;
      if (!report.ok()) continue;
      run.work += report.work;
      run.max_penetration = std::max(run.max_penetration, report.max_penetration);
    }
    return run;
  }

  /// Order 1.9 or better over five steps (a line through log error over log h), or errors below
  /// 1e-12. `calc_error` takes the number of steps.
  template <class CalcError>
  static void ExpectSecondOrder(int coarsest, CalcError calc_error) {
    double x = 0, y = 0, xx = 0, xy = 0, largest = 0;
    std::string errors;
    for (int k = 0; k < 5; ++k) {
      const int steps = coarsest << k;
      const double error = calc_error(steps);
      largest = std::max(largest, error);
      errors += " " + std::to_string(error * 1e9) + "e-9";
      const double log_h = -std::log(steps), log_error = std::log(std::max(error, 1e-16));
      x += log_h / 5, y += log_error / 5, xx += log_h * log_h / 5, xy += log_h * log_error / 5;
    }
    if (largest < 1e-12) return;
    EXPECT_GE((xy - x * y) / (xx - x * x), 1.9) << errors;
  }
};

ModelBuilder MakeBuilder(double mu, const Vector3& normal = Vector3::UnitZ()) {
  ModelBuilder builder;
  builder.SetGravity({0, 0, -9.81}).Add(MakeMaterial(mu, 0)).AddGroundShape(MakeFloor(normal));
  return builder;
}

// A ball with side spin and a spin about the vertical slides straight, then rolls at 5/7 of the
// speed: exact while it slides, within C h² through the transition.
TEST_P(LastingContact, BallSlidesThenRolls) {
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
    EXPECT_LE(run.max_penetration, promise());
  }
}

// A ball rolls off a fixed ball: φ̈ = 5/7 g sin φ/(R + r) while it sticks.
TEST_P(LastingContact, BallRollsDownABall) {
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
  ExpectSecondOrder(25, [&](int steps) {
    const BodyRun run = RunBodies(model, until / steps, steps);
    EXPECT_EQ(run.work.impact_loss, 0);
    return (run.state.q.head<3>() - end).norm();
  });
}

// A cylinder rolls down a slope: 2/3 g sin α, exactly.
TEST_P(LastingContact, CylinderRollsDownASlope) {
  const double slope = 0.3, r = 0.1, until = 0.5;
  const Vector3 normal(std::sin(slope), 0, std::cos(slope)),
      down(std::cos(slope), 0, -std::sin(slope));
  ModelBuilder builder = MakeBuilder(0.6, normal);
  RigidBodySpec cylinder = MakeBody("cylinder", Cylinder{r, 0.2}, r * normal);
  cylinder.orientation = Quaternion(Eigen::AngleAxisd(M_PI / 2, Vector3::UnitX()));  // axis: y
  builder.Add(cylinder);
  const double a = 2.0 / 3 * 9.81 * std::sin(slope);
  const auto model = builder.Build();
  const Vector3 end = r * normal + 0.5 * a * until * until * down;
  ExpectSecondOrder(10, [&](int steps) {
    return (RunBodies(model, until / steps, steps).state.q.head<3>() - end).norm();
  });
}

// A block on a slope below the friction angle, at any azimuth: it stays where it is.
TEST_P(LastingContact, BlockOnASlopeDoesNotCreep) {
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
    EXPECT_LE(run.max_penetration, promise());
  }
}

TEST_P(LastingContact, StackDoesNotCreep) {
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
TEST_P(LastingContact, BoxFallsOnABox) {
  for (const double h : {2e-3, 1e-3}) {
    ModelBuilder builder = MakeBuilder(0.5);
    builder.Add(MakeBody("lower", Box{{0.2, 0.2, 0.1}}, {0, 0, 0.1}));
    RigidBodySpec upper = MakeBody("upper", Box{{0.1, 0.15, 0.1}}, {0.02, 0.01, 0.55});
    upper.orientation = Quaternion(Eigen::AngleAxisd(0.3, Vector3(1, 2, 0.5).normalized()));
    builder.Add(upper);
    const BodyRun run = RunBodies(builder.Build(), h, static_cast<int>(std::lround(1 / h)));
    EXPECT_LE(run.max_penetration, promise());
    EXPECT_GE(run.state.q[9], 0.28) << "the upper box is inside of the lower one";
  }
}

// A block on a belt, held by a spring: it slides until it has the speed of the belt, then sticks
// until the spring pulls it off. x = (μg/ω²)(1 − cos ωt), then x_s + V (t − t_s).
TEST_P(LastingContact, BlockOnABelt) {
  const double mu = 0.3, V = 0.2, k = 60, m = 1, w = std::sqrt(k / m), way = mu * 9.81 * m / k;
  ModelBuilder builder;
  builder.SetGravity({0, 0, -9.81}).Add(MakeMaterial(mu, 0));
  RigidBodySpec belt = MakeBody("belt", Box{{1, 0.2, 0.05}}, {0, 0, -0.05});
  belt.velocity = Vector3(V, 0, 0);
  builder.Add(belt);
  RigidBodySpec block = MakeBody("block", Box{{0.1, 0.1, 0.1}}, {0, 0, 0.1});
  block.mass = m;
  block.inertia = Matrix3(Vector3::Constant(m * 0.04 / 6).asDiagonal());
  builder.Add(block);
  builder.Add(JointSpec{.name = "rollers",
                        .type = JointType::kPrismatic,
                        .body_a = "ground",
                        .body_b = "belt",
                        .at = Vector3(0, 0, -0.05),
                        .axis = Vector3::UnitX(),
                        .drive_displacement = TimeFunction([V](double t) {
                          return TimeJet{V * t, V, 0};
                        })});
  builder.Add(SpringSpec{.name = "spring",
                         .body_a = "ground",
                         .body_b = "block",
                         .points = {Vector3(-5, 0, 0.1), Vector3::Zero()},
                         .stiffness = k});
  const auto model = builder.Build();
  const double sticks = std::asin(V / (way * w)) / w;
  const double slides_until = 0.9 * sticks, sticks_until = 2.5 * sticks;
  ExpectSecondOrder(20, [&](int steps) {
    const BodyRun run = RunBodies(model, slides_until / steps, steps);
    EXPECT_EQ(run.work.impact_loss, 0);
    return std::abs(run.state.q[7] - way * (1 - std::cos(w * slides_until)));
  });
  const double x = way * (1 - std::cos(w * sticks)) + V * (sticks_until - sticks);
  for (const int steps : {50, 100, 200}) {
    const double h = sticks_until / steps;
    const BodyRun run = RunBodies(model, h, steps);
    EXPECT_NEAR(run.state.q[7], x, 2 * mu * 9.81 * h * h) << steps;
  }
}

// A spin about the vertical does not bend the path of a ball that slides.
TEST_P(LastingContact, SpinningBallGoesStraight) {
  const double mu = 0.1, rolls = 2 / (7 * mu * 9.81);
  ModelBuilder builder = MakeBuilder(mu);
  RigidBodySpec ball = MakeBody("ball", Sphere{0.1}, {0, 0, 0.1});
  ball.velocity = Vector3(1, 0, 0);
  ball.angular_velocity = Vector3(0, 0, 200);
  builder.Add(ball);
  const BodyRun run = RunBodies(builder.Build(), 5e-3, 200);
  EXPECT_NEAR(run.state.q[1], 0, 1e-5);
  const double way = rolls - 0.5 * mu * 9.81 * rolls * rolls + 5.0 / 7 * (1 - rolls);
  EXPECT_NEAR(run.state.q[0], way, 1e-4);
  EXPECT_NEAR(run.state.v[0], 5.0 / 7, 1e-6);
}

// A ball that drops on a rough floor with a horizontal velocity rolls at 5/7 of it, exactly.
TEST_P(LastingContact, DroppedBallRollsAtTheExactSpeed) {
  for (const double height : {0.1, 0.1003, 0.137}) {
    ModelBuilder builder = MakeBuilder(5);
    RigidBodySpec ball = MakeBody("ball", Sphere{0.1}, {0, 0, height});
    ball.velocity = Vector3(0.6, 0.8, 0);
    builder.Add(ball);
    const BodyRun run = RunBodies(builder.Build(), 5e-3, 100);
    EXPECT_NEAR(run.state.v[0], 5.0 / 7 * 0.6, 1e-12) << height;
    EXPECT_NEAR(run.state.v[1], 5.0 / 7 * 0.8, 1e-12) << height;
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, LastingContact,
                         testing::Values("moreau-jean", "nonsmooth-alpha"), [](const auto& test) {
                           return std::string(test.param[0] == 'm' ? "MoreauJean"
                                                                   : "NonsmoothAlpha");
                         });

}  // namespace
}  // namespace saltus
