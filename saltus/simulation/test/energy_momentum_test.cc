// energy-momentum with bodies, rotations, joints, springs and loads.
#include "saltus/integrators/energy_momentum.h"

#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/simulation/test/integrators.h"

namespace saltus {
namespace {

std::unique_ptr<Integrator> MakeEnergyMomentum() {
  return std::make_unique<EnergyMomentum>(EnergyMomentumOptions{});
}

/// Runs, and returns the largest change of the energy at the end of any step as well.
RunResult RunAndWatch(const std::shared_ptr<const Model>& model, double h, double until,
                      double* drift) {
  *drift = 0;
  double start = 0;
  bool first = true;
  const RunResult run = RunWith(model, MakeEnergyMomentum(), h, until, [&](const StepView& view) {
    const double total = view.energy.total();
    if (first) start = total;
    first = false;
    *drift = std::max(*drift, std::abs(total - start));
  });
  EXPECT_EQ(run.outcome.kind, RunOutcome::Kind::kFinished) << run.outcome.message;
  return run;
}

// Independent solution: Ω(2) of a torque-free body.
TEST(EnergyMomentumBodies, TorqueFreeBodyKeepsItsEnergyAndConvergesAtOrderTwo) {
  RigidBodySpec body;
  body.name = "body";
  body.mass = 1;
  body.inertia = Vector3(1, 2, 3).asDiagonal();
  body.angular_velocity = {0.1, 5, 0.1};
  const auto model = ModelBuilder().SetGravity(Vector3::Zero()).Add(body).Build();
  const Vector3 exact(-4.93364773, -0.81799762, 2.84961283);
  std::vector<double> steps, errors;
  for (int n = 200; n <= 1600; n *= 2) {
    double drift = 0;
    const RunResult run = RunAndWatch(model, 2.0 / n, 2, &drift);
    EXPECT_LT(drift, 1e-10);  // of 25 J
    steps.push_back(2.0 / n);
    errors.push_back((run.state.v.tail<3>() - exact).norm());
  }
  EXPECT_NEAR(FitOrder(steps, errors), 2, 0.05);
}

// Corners of a box hit the floor at all angles; no impact costs energy.
TEST(EnergyMomentumBodies, BoxBouncesForEver) {
  RigidBodySpec box = MakeBody("box", Box{Vector3(0.3, 0.2, 0.1)}, {0, 0, 1});
  box.orientation = Quaternion(Eigen::AngleAxisd(0.7, Vector3(1, 2, 3).normalized()));
  box.angular_velocity = {3, -2, 4};
  const auto model =
      ModelBuilder().Add(MakeMaterial(0, 1)).AddGroundShape(MakeFloor()).Add(box).Build();
  double drift = 0;
  const RunResult run = RunAndWatch(model, 2e-3, 10, &drift);
  EXPECT_GT(run.audit.events, 10);
  EXPECT_LT(drift, 1e-9);  // of 480 J
  EXPECT_LE(run.audit.max_penetration, 0);
  EXPECT_LT(run.audit.RelativeClosure(), 1e-12);
}

/// An arm that a motor turns about a horizontal axis.
std::shared_ptr<const Model> MakeMotor(const std::function<TimeJet(double)>& angle) {
  RigidBodySpec arm;
  arm.name = "arm";
  arm.mass = 1;
  arm.inertia = Matrix3::Identity() * 0.1;
  arm.position = {0.5, 0, 0};
  return ModelBuilder()
      .Add(arm)
      .Add(JointSpec{.name = "motor",
                     .type = JointType::kRevolute,
                     .body_a = "ground",
                     .body_b = "arm",
                     .at = Vector3::Zero(),
                     .axis = Vector3::UnitY(),
                     .drive_angle = TimeFunction(angle)})
      .Build();
}

/// A rod on a spherical joint, with a spring that stretches far: neither V nor g is quadratic.
ModelBuilder MakeSpringPendulum(double damping) {
  RigidBodySpec rod;
  rod.name = "rod";
  rod.mass = 2;
  rod.inertia = Vector3(0.01, 0.2, 0.2).asDiagonal();
  rod.position = {0.5, 0, 0};
  ModelBuilder builder;
  builder.Add(rod)
      .Add(JointSpec{.name = "pivot",
                     .type = JointType::kSpherical,
                     .body_a = "ground",
                     .body_b = "rod",
                     .at = Vector3(0, 0, 0)})
      .Add(SpringSpec{.name = "spring",
                      .body_a = "ground",
                      .body_b = "rod",
                      .points = {Vector3(0, 0.7, 0.6), Vector3(0.5, 0, 0)},
                      .stiffness = 300,
                      .damping = damping,
                      .rest_length = 0.3});
  return builder;
}

TEST(EnergyMomentumBodies, SpringPendulumKeepsItsEnergyAtAnyStep) {
  const auto model = MakeSpringPendulum(0).Build();
  for (const double h : {2e-2, 5e-3}) {
    double drift = 0;
    const RunResult run = RunAndWatch(model, h, 10, &drift);
    EXPECT_LT(drift, 1e-10) << h;
    EXPECT_LT(run.audit.max_constraint, 1e-12) << h;
  }
}

// What the damper takes is the work of loads, exactly.
TEST(EnergyMomentumBodies, LedgerClosesWithADamperAndADrive) {
  double drift = 0;
  const RunResult damped = RunAndWatch(MakeSpringPendulum(0.5).Build(), 1e-2, 5, &drift);
  EXPECT_LT(damped.audit.work.loads, -1);
  EXPECT_LT(damped.audit.RelativeClosure(), 1e-12);

  const auto model = MakeMotor([](double t) { return TimeJet{t * t, 2 * t, 2}; });
  const RunResult driven = RunAndWatch(model, 1e-2, 2, &drift);
  EXPECT_GT(driven.audit.work.drives, 1);
  EXPECT_LT(driven.audit.RelativeClosure(), 1e-11);
}

// Elastic contact as a force: its energy is a part of V.
TEST(EnergyMomentumBodies, CompliantContactReturnsWhatItTook) {
  RigidBodySpec ball = MakeBody("ball", Sphere{0.1}, {0, 0, 0.5});
  MaterialPairSpec pair;
  pair.materials = {"stuff", "stuff"};
  pair.compliance = ComplianceSpec{.law = ComplianceLaw::kHertz, .stiffness = 1e6};
  const auto model = ModelBuilder()
                         .Add(MakeMaterial(0, 0))
                         .Add(pair)
                         .AddGroundShape(MakeFloor())
                         .Add(ball)
                         .Build();
  double drift = 0;
  RunAndWatch(model, 1e-3, 5, &drift);
  EXPECT_LT(drift, 1e-10);  // of 20 J
}

// Near equilibrium differences of energies are rounding: Newton's method must not follow them.
TEST(EnergyMomentumBodies, SpringAtRestStaysAtRest) {
  for (const double amplitude : {0.0, 1e-12, 1e-6, 1e-3}) {
    PointMassSpec mass{.name = "mass", .mass = 1, .position = {0, 0, -9.81e-3 + amplitude}};
    const auto model = ModelBuilder()
                           .Add(mass)
                           .Add(SpringSpec{.name = "spring",
                                           .body_a = "mass",
                                           .body_b = "ground",
                                           .points = {Vector3(0, 0, 0), Vector3(0, 0, 1)},
                                           .stiffness = 1000,
                                           .rest_length = 1})
                           .Build();
    for (const double h : {1e-3, 1e-4}) {
      double drift = 0;
      const RunResult run = RunAndWatch(model, h, 0.5, &drift);
      EXPECT_LT(drift, 3e-13) << amplitude;  // of 0.1 J, 5000 steps
      EXPECT_LE(std::abs(run.state.q[2] + 9.81e-3), 1.01 * amplitude + 1e-14);
    }
  }
}

// Features of boxes that meet at the end of a step need not meet in its middle.
TEST(EnergyMomentumBodies, TumblingBoxesDoNotPenetrate) {
  for (const double s : {12.0, 14.0}) {
    const Vector3 half(0.075, 0.06, 0.05);
    RigidBodySpec a =
        MakeBody("a", Box{half}, {0.03 * std::sin(7 * s), 0.02 * std::cos(5 * s), 0.5});
    a.orientation = Quaternion(Eigen::AngleAxisd(
        0.3 * s, Vector3(std::sin(s), std::cos(s), std::sin(3 * s)).normalized()));
    a.velocity = {0, 0, -2};
    a.angular_velocity = {0.3, 3 * std::sin(s), 0.7};
    RigidBodySpec b = MakeBody("b", Box{half}, {0, 0, 0.2});
    b.angular_velocity = {3 * std::cos(s), 0.4, 0.2};
    const auto model =
        ModelBuilder().Add(MakeMaterial(0, 1)).AddGroundShape(MakeFloor()).Add(a).Add(b).Build();
    SimulationOptions options;
    options.step = 0.005;
    options.until = 0.6;
    options.on_failure = FailurePolicy::kHalve;
    Simulation simulation(std::make_unique<MultibodySystem>(model), MakeEnergyMomentum(), options);
    EXPECT_EQ(simulation.Run().kind, RunOutcome::Kind::kFinished) << s;
    EXPECT_LT(simulation.audit().max_penetration, 1e-14) << s;
    EXPECT_LT(simulation.audit().RelativeClosure(), 1e-12) << s;
  }
}

// A drive that sets in at once: without consistent velocities the joint force would alternate.
TEST(EnergyMomentumBodies, DriveThatSetsInDoesNotRing) {
  const auto model = MakeMotor([](double t) { return TimeJet{3 * t, 3, 0}; });
  const RunResult run = RunWith(model, MakeEnergyMomentum(), 1e-3, 1, [](const StepView& view) {
    if (view.state.time > 0) {
      EXPECT_NEAR(view.state.v[4], 3, 1e-4);
    }
  });
  EXPECT_LT(run.audit.RelativeClosure(), 1e-11);
}

TEST(EnergyMomentumBodies, RefusesWhatWouldCostEnergy) {
  for (const auto& [friction, restitution] : {std::pair(0.3, 1.0), std::pair(0.0, 0.9)}) {
    const auto model = ModelBuilder()
                           .Add(MakeMaterial(friction, restitution))
                           .AddGroundShape(MakeFloor())
                           .Add(MakeBody("ball", Sphere{0.1}, {0, 0, 0.101}))
                           .Build();
    MultibodySystem system(model);
    State state = system.MakeInitialState();
    EXPECT_THROW((void)MakeEnergyMomentum()->Step(system, 1e-2, &state), InputError);
  }
}

}  // namespace
}  // namespace saltus
