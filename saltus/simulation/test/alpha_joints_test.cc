// Joints beside contacts, and joints in singular positions, under nonsmooth-alpha.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/simulation/test/physics.h"

namespace saltus {
namespace {

// A mass is lowered at constant speed by a drive while a box rests on the floor far away: the work
// of the drive is −m g times the way, and the ledger closes.
TEST(AlphaJoints, WorkOfADriveBesideAContact) {
  ModelBuilder builder;
  builder.SetGravity({0, 0, -9.81}).Add(MakeMaterial(0.3, 0)).AddGroundShape(MakeFloor());
  RigidBodySpec ram{.name = "ram", .mass = 5, .position = {0, 0, 0.5}};
  ram.inertia = Vector3(1, 1, 1).asDiagonal();
  ram.velocity = Vector3(0, 0, -0.2);
  builder.Add(ram).Add(MakeBody("box", Box{{0.1, 0.1, 0.1}}, {5, 0, 0.1}));
  const TimeFunction down([](double t) { return TimeJet{-0.2 * t, -0.2, 0}; });
  builder.Add(JointSpec{.name = "slide",
                        .type = JointType::kPrismatic,
                        .body_a = "ground",
                        .body_b = "ram",
                        .at = Vector3(0, 0, 0.5),
                        .axis = Vector3::UnitZ(),
                        .drive_displacement = down});
  MultibodySystem system(builder.Build());
  NonsmoothAlpha integrator{NonsmoothAlphaOptions{}};
  State state = system.MakeInitialState();
  const double start = system.CalcEnergy(0, state.q, state.v).total();
  StepWork work;
  for (int n = 0; n < 500; ++n) {
    const StepReport& report = integrator.Step(system, 1e-3, &state);
    ASSERT_TRUE(report.ok()) << report.culprit;
    work += report.work;
  }
  const double change = system.CalcEnergy(state.time, state.q, state.v).total() - start;
  EXPECT_NEAR(work.drives, -5 * 9.81 * 0.1, 1e-9);
  EXPECT_NEAR(change, work.drives, 1e-9);
  EXPECT_NEAR(work.impact_loss, 0, 1e-12);
}

// A prismatic guide with stiction on a slope does not creep.
TEST(AlphaJoints, GuideWithStictionDoesNotCreep) {
  ModelBuilder builder;
  builder.SetGravity({3, 0, -9.81}).Add(MakeMaterial(0.3, 0));
  RigidBodySpec slider{.name = "slider", .mass = 2, .position = {0, 0, 0}};
  slider.inertia = Vector3(1, 1, 1).asDiagonal();
  builder.Add(slider);
  builder.Add(JointSpec{.name = "guide",
                        .type = JointType::kPrismatic,
                        .body_a = "ground",
                        .body_b = "slider",
                        .at = Vector3(0, 0, 0),
                        .axis = Vector3::UnitX(),
                        .friction_force = 10});
  MultibodySystem system(builder.Build());
  NonsmoothAlpha integrator{NonsmoothAlphaOptions{}};
  State state = system.MakeInitialState();
  for (int n = 0; n < 100; ++n) {
    const StepReport& report = integrator.Step(system, 1e-2, &state);
    ASSERT_TRUE(report.ok()) << report.culprit;
  }
  EXPECT_LE(state.q.head<3>().norm(), 1e-12);
}

// Two coupled parallelograms pass their singular position, or the step fails and says so; no
// accepted step has open joints or energy from nowhere.
TEST(AlphaJoints, SingularPositionIsPassedOrNamed) {
  ModelBuilder builder;
  builder.SetGravity({0, 0, -9.81});
  builder.SetPlanar({.first = Vector3::UnitX(), .second = Vector3::UnitZ()});
  const Matrix3 inertia = Vector3::Constant(1.0 / 12).asDiagonal();
  const auto add_body = [&](const std::string& name, const Vector3& at, const Vector3& v,
                            double rate) {
    RigidBodySpec body{.name = name, .mass = 1, .position = at};
    body.inertia = inertia;
    body.velocity = v;
    body.angular_velocity = rate * Vector3::UnitY();
    builder.Add(body);
  };
  const auto add_joint = [&](const std::string& name, const std::string& a, const std::string& b,
                             const Vector3& at) {
    builder.Add(JointSpec{.name = name,
                          .type = JointType::kRevolute,
                          .body_a = a,
                          .body_b = b,
                          .at = at,
                          .axis = Vector3::UnitY()});
  };
  for (int i = 0; i < 3; ++i) {
    add_body("c" + std::to_string(i), {1.0 * i, 0, 0.5}, {0.5, 0, 0}, 1);
  }
  for (int i = 0; i < 2; ++i) {
    add_body("h" + std::to_string(i), {i + 0.5, 0, 1}, {1, 0, 0}, 0);
  }
  for (int i = 0; i < 3; ++i) {
    const std::string crank = "c" + std::to_string(i);
    add_joint("A" + std::to_string(i), "ground", crank, {1.0 * i, 0, 0});
    if (i < 2) add_joint("L" + std::to_string(i), crank, "h" + std::to_string(i), {1.0 * i, 0, 1});
    if (i > 0) {
      add_joint("R" + std::to_string(i - 1), "h" + std::to_string(i - 1), crank, {1.0 * i, 0, 1});
    }
  }
  MultibodySystem system(builder.Build());
  NonsmoothAlpha integrator{NonsmoothAlphaOptions{}};
  State state = system.MakeInitialState();
  const double start = system.CalcEnergy(0, state.q, state.v).total();
  for (int n = 0; n < 2000; ++n) {
    const StepReport& report = integrator.Step(system, 5e-3, &state);
    if (!report.ok()) {
      EXPECT_NE(report.culprit.find("singular position of joints"), std::string::npos)
          << StatusName(report.status) << "; " << report.culprit;
      return;
    }
    ASSERT_LE(report.max_constraint, 1e-9) << n;
    ASSERT_NEAR(system.CalcEnergy(0, state.q, state.v).total(), start, 0.05 * std::abs(start)) << n;
  }
}

}  // namespace
}  // namespace saltus
