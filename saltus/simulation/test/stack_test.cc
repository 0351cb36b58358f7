// Resting structures: a stack of ten boxes, a wall of bricks, a redundant loop.
#include <gtest/gtest.h>

#include "saltus/simulation/test/physics.h"

namespace saltus {
namespace {

double MaxHorizontalDrift(const MultibodySystem& system, const State& state) {
  const State initial = system.MakeInitialState();
  double drift = 0;
  for (int b = 0; b < static_cast<int>(system.model().bodies.size()); ++b) {
    const Vector3 moved = system.CalcBodyMotion(b, state.q, state.v).pose.p -
                          system.CalcBodyMotion(b, initial.q, initial.v).pose.p;
    drift = std::max(drift, moved.head<2>().norm());
  }
  return drift;
}

// Ten 1 m boxes, density 1000, μ = 0.5, h = 0.005, 5 s.
TEST(Stack, TenBoxesStayWhereTheyAre) {
  ModelBuilder builder;
  builder.Add(MakeMaterial(0.5, 0)).AddGroundShape(MakeFloor());
  for (int i = 0; i < 10; ++i) {
    builder.Add(MakeBody("box" + std::to_string(i), Box{{0.5, 0.5, 0.5}}, {0, 0, 0.5 + i}));
  }
  const auto model = builder.Build();
  MoreauJeanOptions options;
  options.solver_options.max_iterations = 20000;
  const RunResult run = RunModel(model, options, 0.005, 5);
  EXPECT_EQ(run.outcome.kind, RunOutcome::Kind::kFinished) << run.outcome.message;
  EXPECT_LT(MaxHorizontalDrift(MultibodySystem(model), run.state), 1e-6);
  EXPECT_LT(run.audit.max_penetration, 1e-7);
  EXPECT_LT(run.audit.final_energy.kinetic, 1e-8);
}

// Running bond, 10 courses of 10 bricks 0.2 × 0.1 × 0.1 m (half bricks shifted by half a length).
TEST(Wall, HundredBricksStayWhereTheyAre) {
  ModelBuilder builder;
  builder.Add(MakeMaterial(0.5, 0, 1800)).AddGroundShape(MakeFloor());
  for (int course = 0; course < 10; ++course) {
    for (int i = 0; i < 10; ++i) {
      const double x = 0.2 * i + (course % 2 == 0 ? 0.0 : 0.1);
      builder.Add(MakeBody("brick_" + std::to_string(course) + "_" + std::to_string(i),
                           Box{{0.1, 0.05, 0.05}}, {x, 0, 0.05 + 0.1 * course}));
    }
  }
  const auto model = builder.Build();
  MoreauJeanOptions options;
  options.solver_options.tolerance = 1e-6;
  const RunResult run = RunModel(model, options, 0.005, 2);
  EXPECT_EQ(run.outcome.kind, RunOutcome::Kind::kFinished) << run.outcome.message;
  EXPECT_LT(MaxHorizontalDrift(MultibodySystem(model), run.state), 1e-5);
}

// A ball that leaves the ground is hit from above: the impact presses it down again, and held to
// u⁺ ≥ 0 the ground would do work on it.
TEST(Impact, SeveralContactsGainNoEnergy) {
  for (const double e : {0.0, 0.4, 0.75, 1.0}) {
    ModelBuilder builder;
    builder.Add(MakeMaterial(0, e)).AddGroundShape(MakeFloor());
    RigidBodySpec low = MakeBody("low", Sphere{0.05}, {0, 0, 0.05});
    low.velocity = {0, 0, 1};
    RigidBodySpec high = MakeBody("high", Sphere{0.08}, {0, 0, 0.1801});
    high.velocity = {0, 0, -2};
    const auto model = builder.Add(low).Add(high).Build();
    const MultibodySystem system(model);
    const State start = system.MakeInitialState();
    const double before = system.CalcEnergy(0, start.q, start.v).total();
    const RunResult run = RunModel(model, MoreauJeanOptions{}, 1e-3, 1e-3);
    const double after = system.CalcEnergy(1e-3, run.state.q, run.state.v).total();
    EXPECT_LE(after, before * (1 + 1e-9)) << e;
    EXPECT_GT(run.state.v[8], -2) << "the balls have met";
  }
}

// The lowest point of a rim runs round it as the cap comes to lie flat; every landing keeps the cap
// above the ground and gains nothing.
TEST(Landing, CylindersComeToLieFlat) {
  for (int k = 0; k < 12; ++k) {
    ModelBuilder builder;
    builder.Add(MakeMaterial(0.3, 0)).AddGroundShape(MakeFloor());
    RigidBodySpec coin = MakeBody("coin", Cylinder{0.04, 0.015}, {0, 0, 0.03});
    const double azimuth = 0.41 * k;
    coin.orientation = Eigen::AngleAxisd(0.02 + 0.02 * k, Vector3(cos(azimuth), sin(azimuth), 0));
    coin.angular_velocity = {0.5, -0.3 * k, 2};
    const auto model = builder.Add(coin).Build();
    const MultibodySystem system(model);
    const State start = system.MakeInitialState();
    const double before = system.CalcEnergy(0, start.q, start.v).total();
    const RunResult run = RunModel(model, MoreauJeanOptions{}, 2e-3, 1.0);
    EXPECT_EQ(run.outcome.kind, RunOutcome::Kind::kFinished) << k << run.outcome.message;
    EXPECT_LT(run.audit.max_penetration, 1e-9) << k;
    EXPECT_NEAR(run.state.q[2], 0.015, 1e-9) << k;
    EXPECT_LE(system.CalcEnergy(1, run.state.q, run.state.v).total(), before) << k;
  }
}

/// Three bars between two fixed pivots, four revolute joints about y: the loop is closed in space,
/// so 24 − … rows hold 18 coordinates with 3 redundant rows.
std::shared_ptr<const Model> BuildFourBar() {
  const Vector3 A(0, 0, 0), B(0, 0, 0.3), C(0.6, 0, 0.5), D(0.7, 0, 0);
  ModelBuilder builder;
  const auto add_bar = [&](const std::string& name, const Vector3& from, const Vector3& to) {
    RigidBodySpec bar;
    bar.name = name;
    const double length = (to - from).norm();
    bar.mass = length;
    const double transverse = length * length * length / 12;
    bar.inertia = Vector3(0.01 * transverse, transverse, transverse).asDiagonal();
    bar.position = 0.5 * (from + to);
    bar.orientation = Quaternion::FromTwoVectors(Vector3::UnitX(), to - from);
    builder.Add(bar);
  };
  add_bar("crank", A, B);
  add_bar("coupler", B, C);
  add_bar("rocker", C, D);
  const auto add_hinge = [&](const std::string& name, const std::string& a, const std::string& b,
                             const Vector3& at) {
    builder.Add(JointSpec{.name = name,
                          .type = JointType::kRevolute,
                          .body_a = a,
                          .body_b = b,
                          .at = at,
                          .axis = Vector3::UnitY()});
  };
  add_hinge("a", "ground", "crank", A);
  add_hinge("b", "crank", "coupler", B);
  add_hinge("c", "coupler", "rocker", C);
  add_hinge("d", "rocker", "ground", D);
  return builder.Build();
}

TEST(FourBarInSpace, RedundantLoopStaysClosed) {
  const auto model = BuildFourBar();
  EXPECT_EQ(model->num_constraints, 20);
  const Notices notices = MultibodySystem(model).MakeNotices();
  bool named = false;
  for (const Notice& n : notices) named = named || n.message.find("redundant") != std::string::npos;
  EXPECT_TRUE(named);
  const RunResult run = RunModel(model, {}, 0.005, 20);
  EXPECT_EQ(run.outcome.kind, RunOutcome::Kind::kFinished) << run.outcome.message;
  EXPECT_LT(run.audit.max_constraint, 1e-10);
  EXPECT_LT(run.audit.max_constraint_rate, 1e-8);
}

}  // namespace
}  // namespace saltus
