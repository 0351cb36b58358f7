// The energy ledger: closes to rounding where the scheme is exact, at the scheme's order elsewhere.
#include <gtest/gtest.h>

#include "saltus/simulation/test/physics.h"

namespace saltus {
namespace {

MoreauJeanOptions MakeTight() {
  MoreauJeanOptions options;
  options.projection = false;
  options.solver_options.tolerance = 1e-13;
  options.solver_options.max_iterations = 20000;
  return options;
}

// Constant forces, θ = ½, no projection: a spinning ball that bounces, slides and rolls.
TEST(Ledger, ClosesToRoundingForConstantForces) {
  RigidBodySpec ball = MakeBody("ball", Sphere{0.1}, {0, 0, 0.5});
  ball.velocity = {1, 0.5, 0};
  ball.angular_velocity = {0, 20, 5};
  const auto model =
      ModelBuilder().Add(MakeMaterial(0.3, 0.7)).AddGroundShape(MakeFloor()).Add(ball).Build();
  const RunResult run = RunModel(model, MakeTight(), 0.002, 3);
  EXPECT_GT(run.audit.work.impact_loss, 1);
  EXPECT_GT(run.audit.work.friction_loss, 0.1);
  EXPECT_NEAR(run.audit.work.projection, 0, 1e-4);  // work of lasting contact
  EXPECT_LT(run.audit.RelativeClosure(), 1e-9);
  EXPECT_LT(run.audit.max_closure / run.audit.turnover, 1e-9);
}

// A spring-loaded oscillator: the closure error is that of the trapezoidal rule on the potential.
TEST(Ledger, ClosureConvergesAtTheOrderOfTheScheme) {
  const auto model = ModelBuilder()
                         .Add(PointMassSpec{"mass", 1, {0.7, 0, 0}, {0, 1, 0}, {}})
                         .Add(SpringSpec{.name = "spring",
                                         .body_a = "ground",
                                         .body_b = "mass",
                                         .stiffness = 50,
                                         .damping = 0.5,
                                         .rest_length = 0.4})
                         .Build();
  for (const double theta : {0.5, 0.75}) {
    MoreauJeanOptions options = MakeTight();
    options.theta = theta;
    std::vector<double> steps, closures;
    for (int n = 200; n <= 3200; n *= 2) {
      const RunResult run = RunModel(model, options, 1.0 / n, 1);
      steps.push_back(1.0 / n);
      closures.push_back(std::abs(run.audit.Closure()));
    }
    EXPECT_GT(FitOrder(steps, closures), (theta == 0.5 ? 2 : 1) - 0.1);
  }
}

// A driven crank: the motor's work is what the energy gains.
TEST(Ledger, CountsTheWorkOfDrives) {
  RigidBodySpec arm = MakeBody("arm", Box{{0.5, 0.05, 0.05}}, {0.5, 0, 0});
  const auto jet = [](double t) {
    return TimeJet{1 - std::cos(2 * t), 2 * std::sin(2 * t), 4 * std::cos(2 * t)};
  };
  const auto model = ModelBuilder()
                         .Add(MakeMaterial(0, 0))
                         .Add(arm)
                         .Add(JointSpec{.name = "motor",
                                        .type = JointType::kRevolute,
                                        .body_a = "ground",
                                        .body_b = "arm",
                                        .at = Vector3::Zero(),
                                        .axis = Vector3::UnitY(),
                                        .drive_angle = TimeFunction(jet)})
                         .Build();
  std::vector<double> steps, closures;
  for (int n = 100; n <= 800; n *= 2) {
    const RunResult run = RunModel(model, MakeTight(), 1.0 / n, 1);
    ASSERT_EQ(run.outcome.kind, RunOutcome::Kind::kFinished) << run.outcome.message;
    EXPECT_GT(std::abs(run.audit.work.drives), 1);
    steps.push_back(1.0 / n);
    closures.push_back(std::abs(run.audit.Closure()));
  }
  EXPECT_GT(FitOrder(steps, closures), 1.8);
}

// A landing moves the ball to the floor inside the step: part of the impact, and the ledger closes.
TEST(Ledger, ClosesThroughALanding) {
  RigidBodySpec ball = MakeBody("ball", Sphere{0.1}, {0, 0, 0.3});
  const auto model =
      ModelBuilder().Add(MakeMaterial(0.3, 0)).AddGroundShape(MakeFloor()).Add(ball).Build();
  MoreauJeanOptions options = MakeTight();
  options.projection = true;
  const RunResult run = RunModel(model, options, 0.01, 1);
  EXPECT_NEAR(run.audit.work.projection, 0, 1e-9);
  EXPECT_NEAR(run.audit.work.impact_loss, 9.81 * 0.2 * model->bodies[0].mass, 1e-9);
  EXPECT_LT(run.audit.RelativeClosure(), 1e-9);
}

// Two runs give the same bits; a run continued from a checkpoint too.
TEST(Restart, RepeatsTheUninterruptedRunBitForBit) {
  ModelBuilder builder;
  builder.Add(MakeMaterial(0.4, 0.3)).AddGroundShape(MakeFloor());
  for (int i = 0; i < 6; ++i) {
    RigidBodySpec body = MakeBody("box" + std::to_string(i), Box{{0.2, 0.15, 0.1}},
                                  {0.05 * i, 0.03 * i, 0.4 + 0.5 * i});
    body.angular_velocity = {1, 0.3 * i, -0.5};
    builder.Add(body);
  }
  for (int i = 0; i < 5; ++i) {
    builder.Add(JointSpec{.name = "ball" + std::to_string(i),
                          .type = JointType::kSpherical,
                          .body_a = "box" + std::to_string(i),
                          .body_b = "box" + std::to_string(i + 1),
                          .at = Vector3(0.05 * i + 0.025, 0.03 * i + 0.015, 0.65 + 0.5 * i)});
  }
  const auto model = builder.Build();
  SimulationOptions options;
  options.step = 0.004;
  options.until = 1.2;
  options.on_failure = FailurePolicy::kFlag;
  const auto make = [&](double until) {
    SimulationOptions o = options;
    o.until = until;
    return Simulation(std::make_unique<MultibodySystem>(model),
                      std::make_unique<MoreauJean>(MoreauJeanOptions{}), o);
  };
  Simulation whole = make(1.2), again = make(1.2), half = make(0.6), rest = make(1.2);
  whole.Run();
  again.Run();
  half.Run();
  rest.Restore(half.checkpoint());
  rest.Run();
  EXPECT_TRUE(whole.state().q == again.state().q && whole.state().v == again.state().v);
  EXPECT_TRUE(whole.state().q == rest.state().q && whole.state().v == rest.state().v);
  EXPECT_EQ(whole.audit().Closure(), rest.audit().Closure());
  EXPECT_EQ(whole.audit().steps, rest.audit().steps);
}

}  // namespace
}  // namespace saltus
