// The nonsmooth generalized-α scheme on rigid bodies in space: the planar tables as bodies, stacks,
// loops, limits, joint friction, the long chain, restarts.
#include "saltus/integrators/nonsmooth_alpha.h"

#include <gtest/gtest.h>

#include "saltus/simulation/test/integrators.h"

namespace saltus {
namespace {

Simulation MakeRun(const std::shared_ptr<const Model>& model, double h, double until,
                   const NonsmoothAlphaOptions& options = {}) {
  SimulationOptions simulation_options;
  simulation_options.step = h;
  simulation_options.until = until;
  return Simulation(std::make_unique<MultibodySystem>(model),
                    std::make_unique<NonsmoothAlpha>(options), simulation_options);
}

void ExpectExact(const Audit& audit) {
  EXPECT_LT(audit.max_penetration, 1e-11);
  EXPECT_LT(audit.max_constraint, 1e-11);
  EXPECT_LT(audit.max_constraint_rate, 1e-11);
  EXPECT_LE(static_cast<double>(audit.newton_iterations), 4.0 * static_cast<double>(audit.steps));
}

/// The block of the reference table (d): 1 m wide, 1.5 m high, e = ½, without friction.
std::shared_ptr<const Model> BuildRockingBlock() {
  ModelBuilder builder;
  builder.Add(MakeMaterial(0, 0.5)).AddGroundShape(MakeFloor());
  RigidBodySpec block = MakeBody("block", Box{{0.5, 0.25, 0.75}}, {0, 0, 1});
  block.mass = 1;
  block.orientation = Quaternion(Eigen::AngleAxisd(-0.2, Vector3::UnitY()));
  builder.Add(block);
  return builder.Build();
}

// Four corners of a body in space give the numbers of two corners in the plane.
TEST(NonsmoothAlphaBodies, RockingBlockInSpaceGivesThePlanarTable) {
  const auto model = BuildRockingBlock();
  const struct {
    double t, y, y_rate, rate, E;
  } rows[] = {{0.2, 0.83065248, -0.06913821, -2.44298960, 8.95928443},
              {0.3, 0.78184112, 0.77543770, 0.58070667, 8.01617848},
              {0.5, 0.76399565, -0.17827425, -1.19054547, 7.70262761}};
  for (const auto& row : rows) {
    Simulation run = MakeRun(model, 1e-2, row.t);
    EXPECT_TRUE(run.Run().good());
    EXPECT_NEAR(run.state().q[2], row.y, 1e-8);
    EXPECT_NEAR(run.state().v[2], row.y_rate, 1e-8);
    EXPECT_NEAR(run.state().v[4], -row.rate, 1e-8);
    EXPECT_NEAR(run.audit().final_energy.total() * 1.0, row.E, 1e-8);
    ExpectExact(run.audit());
  }
}

TEST(NonsmoothAlphaBodies, StackOfTenStaysWhereItIs) {
  ModelBuilder builder;
  builder.Add(MakeMaterial(0.5, 0)).AddGroundShape(MakeFloor());
  for (int i = 0; i < 10; ++i) {
    builder.Add(MakeBody("box" + std::to_string(i), Box{{0.5, 0.5, 0.5}}, {0, 0, 0.5 + i}));
  }
  NonsmoothAlphaOptions options;
  options.solver_options.max_iterations = 20000;
  Simulation run = MakeRun(builder.Build(), 0.005, 1, options);
  const RunOutcome outcome = run.Run();
  EXPECT_EQ(outcome.kind, RunOutcome::Kind::kFinished) << outcome.message;
  ExpectExact(run.audit());
  for (int i = 0; i < 10; ++i) {
    EXPECT_NEAR(run.state().q[7 * i], 0, 1e-6);
    EXPECT_NEAR(run.state().q[7 * i + 2], 0.5 + i, 1e-9);
  }
  EXPECT_LT(run.audit().final_energy.kinetic, 1e-8);
}

/// Rods of 0.1 m and 0.1 kg with spherical joints, the first end fixed, horizontal at the start.
std::shared_ptr<const Model> BuildChain(int count) {
  ModelBuilder builder;
  const double l = 0.1, m = 0.1;
  for (int i = 0; i < count; ++i) {
    RigidBodySpec rod;
    rod.name = "rod" + std::to_string(i);
    rod.mass = m;
    // Thin rods: the moment about the axis does not matter and must only be positive.
    rod.inertia = Vector3(1e-6, m * l * l / 12, m * l * l / 12).asDiagonal();
    rod.position = Vector3((i + 0.5) * l, 0, 0);
    builder.Add(rod);
    JointSpec joint;
    joint.name = "joint" + std::to_string(i);
    joint.body_a = i == 0 ? "ground" : "rod" + std::to_string(i - 1);
    joint.body_b = rod.name;
    joint.at = Vector3(i * l, 0, 0);
    builder.Add(joint);
  }
  return builder.Build();
}

// Tips at t = 0.5 and 1 of an independent adaptive solution to 1e-8.
TEST(NonsmoothAlphaBodies, ChainOfFiftyRods) {
  const auto model = BuildChain(50);
  const auto tip = [&](const State& state) -> Vector3 {
    const MultibodySystem system(model);
    const BodyMotion motion = system.CalcBodyMotion(49, state.q, state.v);
    return motion.pose.p + motion.pose.R * Vector3(0.05, 0, 0);
  };
  Simulation run = MakeRun(model, 1e-3, 1);
  Vector3 half = Vector3::Zero();
  Runner runner([&](const StepView& view) {
    if (view.step_index == 500) half = tip(view.state);
  });
  run.AddObserver(&runner);
  ASSERT_EQ(run.Run().kind, RunOutcome::Kind::kFinished);
  EXPECT_LT((half - Vector3(4.554737, 0, -1.226250)).norm(), 1e-3);
  EXPECT_LT((tip(run.state()) - Vector3(0.678299, 0, -4.945804)).norm(), 1e-3);
  EXPECT_LT(run.audit().max_constraint, 1e-12);
  EXPECT_LT(run.audit().max_constraint_rate, 1e-12);
  EXPECT_LT(run.audit().initial_energy.total() - run.audit().final_energy.total(), 0.3);
  EXPECT_LE(run.audit().newton_iterations, 4 * run.audit().steps);
}

// A run continued from a checkpoint repeats the uninterrupted one bit for bit.
TEST(NonsmoothAlphaBodies, RestartsBitForBit) {
  ModelBuilder builder;
  builder.Add(MakeMaterial(0.3, 0.4)).AddGroundShape(MakeFloor());
  RigidBodySpec box = MakeBody("box", Box{{0.1, 0.2, 0.3}}, {0, 0, 0.6});
  box.orientation = Quaternion(Eigen::AngleAxisd(0.5, Vector3(1, 2, 0.3).normalized()));
  box.angular_velocity = Vector3(1, 2, 3);
  builder.Add(box).Add(MakeBody("bob", Sphere{0.1}, {1, 0, 0.15}));
  JointSpec joint;
  joint.name = "arm";
  joint.type = JointType::kDistance;
  joint.body_a = "ground";
  joint.body_b = "bob";
  joint.points = {Vector3(0, 0, 0.15), Vector3::Zero()};
  builder.Add(joint);
  const auto model = builder.Build();
  Simulation whole = MakeRun(model, 2e-3, 1);
  ASSERT_TRUE(whole.Run().good());
  Simulation half = MakeRun(model, 2e-3, 0.4);
  ASSERT_TRUE(half.Run().good());
  Simulation rest = MakeRun(model, 2e-3, 1);
  rest.Restore(half.checkpoint());
  ASSERT_TRUE(rest.Run().good());
  EXPECT_EQ(whole.state().q, rest.state().q);
  EXPECT_EQ(whole.state().v, rest.state().v);
  ExpectExact(whole.audit());
}

// A body of three spheres comes at a plate of 20 mm with 50 mm a step, turning. Accepted steps do
// not end inside of the plate, by the positions themselves, and the audit says the same.
TEST(NonsmoothAlpha, FastBodiesDoNotEndInsideOfAPlate) {
  const double half = 0.01;
  const std::pair<Vector3, double> spheres[] = {
      {{-0.03, 0, 0}, 0.02}, {{0.03, 0, 0}, 0.012}, {{0, 0.04, 0}, 0.006}};
  int finished = 0;
  for (double start = 0.11; start < 0.14; start += 1e-4) {
    RigidBodySpec body{.name = "body", .mass = 0.04, .position = {start, 0, 0}};
    body.inertia = Vector3(1e-5, 4e-5, 4e-5).asDiagonal();
    body.velocity = {-25, -13, 9};
    body.angular_velocity = {20.44, -23.6, 10.51};
    for (const auto& [at, radius] : spheres) {
      body.shapes.push_back({Sphere{radius}, {at, Quaternion::Identity()}, "stuff", 0});
    }
    ModelBuilder builder;
    builder.SetGravity(Vector3::Zero()).Add(MakeMaterial(0.3, 0)).Add(body);
    builder.AddGroundShape({Box{{half, 1.5, 1.5}}, Pose{}, "stuff", 0});
    double deepest = 0;
    const auto see = [&](const StepView& view) {
      const VectorX& q = view.state.q;
      const Quaternion R(q[3], q[4], q[5], q[6]);
      for (const auto& [at, radius] : spheres) {
        const double x = q[0] + (R * at).x();
        deepest = std::max(deepest, radius + half - std::abs(x));
      }
    };
    const RunResult run =
        RunWith(builder.Build(), std::make_unique<NonsmoothAlpha>(NonsmoothAlphaOptions{}), 0.002,
                0.02, see);
    if (!run.outcome.good()) continue;  // stopped: nothing is claimed
    EXPECT_NEAR(run.audit.max_penetration, deepest, 1e-9) << start;
    EXPECT_LE(deepest, 1e-11) << start;
    ++finished;
  }
  EXPECT_GT(finished, 90);  // of 300; the other runs stop
}

}  // namespace
}  // namespace saltus
