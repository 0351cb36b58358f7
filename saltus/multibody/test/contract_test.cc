// Every kind of joint, force and body keeps the contract of dynamics/system.h at random states.
#include <cmath>

#include <gtest/gtest.h>

#include "saltus/dynamics/test/system_contract.h"
#include "saltus/multibody/test/models.h"

namespace saltus {
namespace {

/// sin(ωt + φ) with its derivatives, scaled and shifted.
TimeFunction MakeWave(double mean, double amplitude, double omega) {
  return TimeFunction([=](double t) {
    return TimeJet{mean + amplitude * std::sin(omega * t), amplitude * omega * std::cos(omega * t),
                   -amplitude * omega * omega * std::sin(omega * t)};
  });
}

void CheckAtRandomStates(const ModelBuilder& builder, double spread = 0.5) {
  MultibodySystem system(builder.Build());
  for (unsigned seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CheckSystemContract(&system, MakeContractPoint(system, seed, spread));
  }
}

class EveryJoint : public ::testing::TestWithParam<int> {};

TEST_P(EveryJoint, BetweenTwoBodies) {
  CheckAtRandomStates(MakePairBuilder(MakeJointSpec(static_cast<JointType>(GetParam()))));
}

TEST_P(EveryJoint, WithTheGroundOnEitherSide) {
  for (const bool ground_first : {true, false}) {
    JointSpec joint = MakeJointSpec(static_cast<JointType>(GetParam()));
    joint.name = "joint";
    joint.body_a = ground_first ? "ground" : "a";
    joint.body_b = ground_first ? "a" : "ground";
    CheckAtRandomStates(ModelBuilder().Add(MakeBodySpec("a", {0.2, -0.1, 0.3})).Add(joint));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EveryJoint, ::testing::Range(0, kNumJointTypes),
                         [](const auto& test) {
                           std::string name = JointTypeName(static_cast<JointType>(test.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Contract, DrivenJoints) {
  JointSpec joint = MakeJointSpec(JointType::kRevolute);
  joint.drive_angle = MakeWave(0.1, 0.7, 3);
  CheckAtRandomStates(MakePairBuilder(joint));
  joint = MakeJointSpec(JointType::kPrismatic);
  joint.drive_displacement = MakeWave(0, 0.2, 2);
  CheckAtRandomStates(MakePairBuilder(joint));
  joint = MakeJointSpec(JointType::kPointOnLine);
  joint.drive_displacement = MakeWave(0, 0.2, 2);
  CheckAtRandomStates(MakePairBuilder(joint));
  joint = MakeJointSpec(JointType::kCylindrical);
  joint.drive_displacement = MakeWave(0, 0.2, 2);
  joint.drive_angle = MakeWave(0, 0.4, 5);
  CheckAtRandomStates(MakePairBuilder(joint));
  joint = MakeJointSpec(JointType::kDistance);
  joint.drive_length = MakeWave(0.9, 0.1, 4);
  CheckAtRandomStates(MakePairBuilder(joint));
}

TEST(Contract, LimitsAndFriction) {
  for (const JointType type : {JointType::kRevolute, JointType::kPrismatic, JointType::kCylindrical,
                               JointType::kPointOnLine, JointType::kPlanar}) {
    SCOPED_TRACE(JointTypeName(type));
    JointSpec joint = MakeJointSpec(type);
    joint.friction = 0.2;
    if (type != JointType::kPlanar) joint.limits = JointLimits{-1, 1.5, 0.5};
    if (type == JointType::kCylindrical) joint.angle_limits = JointLimits{-2, 2, 0};
    CheckAtRandomStates(MakePairBuilder(joint));
  }
  JointSpec rope = MakeJointSpec(JointType::kDistance);
  rope.limits = JointLimits{0.1, 1.2, 0.1};
  CheckAtRandomStates(MakePairBuilder(rope));
  JointSpec cone = MakeJointSpec(JointType::kSpherical);
  cone.limits = JointLimits{0, 0.4, 0};
  cone.friction = 0.1;
  CheckAtRandomStates(MakePairBuilder(cone));
}

ModelBuilder MakeFreePair() {
  return ModelBuilder()
      .Add(MakeBodySpec("a", {0.2, -0.1, 0.3}))
      .Add(MakeBodySpec("b", {0.9, 0.4, -0.2}));
}

TEST(Contract, SpringsAndDampers) {
  for (const char* other : {"b", "ground"}) {
    SpringSpec spring{.name = "spring", .body_a = "a", .body_b = other};
    spring.points = {Vector3(0.1, 0.2, -0.1), Vector3(0.3, 0, 0.2)};
    spring.stiffness = 40;
    spring.damping = 3;
    spring.rest_length = 0.4;
    CheckAtRandomStates(MakeFreePair().Add(spring));
    spring.rest_length = 0;
    CheckAtRandomStates(MakeFreePair().Add(spring));
    DamperSpec damper{.name = "damper", .body_a = other, .body_b = "a"};
    damper.points = spring.points;
    damper.damping = 5;
    CheckAtRandomStates(MakeFreePair().Add(damper));
  }
}

TEST(Contract, TorsionSpring) {
  TorsionSpringSpec spring{.name = "spring", .body_a = "a", .body_b = "b"};
  spring.axis = Vector3(0.2, -1, 0.4);
  spring.stiffness = 7;
  spring.damping = 0.6;
  spring.rest_angle = 0.3;
  CheckAtRandomStates(MakeFreePair().Add(spring));
  TorsionSpringSpec in_joint{.name = "spring", .joint = "joint"};
  in_joint.stiffness = 7;
  in_joint.damping = 0.6;
  CheckAtRandomStates(MakePairBuilder(MakeJointSpec(JointType::kRevolute)).Add(in_joint));
}

TEST(Contract, Bushing) {
  BushingSpec bushing{.name = "bushing", .body_a = "a", .body_b = "b"};
  bushing.at = {0.5, 0.2, 0};
  bushing.axes = Quaternion(0.9, 0.2, 0.1, -0.3).normalized();
  bushing.stiffness = {10, 20, 30};
  bushing.damping = {1, 2, 3};
  bushing.angular_stiffness = {4, 5, 6};
  bushing.angular_damping = {0.4, 0.5, 0.6};
  CheckAtRandomStates(MakeFreePair().Add(bushing), 0.8);
  CheckAtRandomStates(MakeFreePair().Add(bushing), 1e-3);  // the series of φ/sin φ
}

TEST(Contract, LoadsAndActuators) {
  for (const LoadAxes axes : {LoadAxes::kWorld, LoadAxes::kBody}) {
    ForceLoadSpec force{.name = "push", .body = "a", .at = {0.1, -0.3, 0.2}};
    force.force = {MakeWave(1, 2, 3), TimeFunction(4.0), MakeWave(0, 3, 1)};
    force.axes = axes;
    TorqueLoadSpec torque{.name = "twist", .body = "b"};
    torque.torque = {TimeFunction(1.0), MakeWave(0, 1, 2), TimeFunction(-2.0)};
    torque.axes = axes;
    CheckAtRandomStates(MakeFreePair().Add(force).Add(torque));
  }
  for (const JointType type : {JointType::kRevolute, JointType::kPrismatic, JointType::kDistance}) {
    ActuatorSpec motor{.name = "motor", .joint = "joint", .effort = MakeWave(1, 2, 3)};
    CheckAtRandomStates(MakePairBuilder(MakeJointSpec(type)).Add(motor));
  }
}

TEST(Contract, PointMasses) {
  ModelBuilder builder;
  builder.Add(PointMassSpec{.name = "p", .mass = 0.5, .position = {1, 0, 0}})
      .Add(PointMassSpec{.name = "r", .mass = 0.7, .position = {2, 0, 1}})
      .Add(MakeBodySpec("a", {0.2, -0.1, 0.3}));
  JointSpec rod{.name = "rod", .type = JointType::kDistance, .body_a = "p", .body_b = "r"};
  rod.points = {{Vector3::Zero(), Vector3::Zero()}};
  JointSpec line{.name = "line", .type = JointType::kPointOnLine, .body_a = "a", .body_b = "r"};
  line.at = Vector3(2, 0, 1);
  line.axis = Vector3(1, 1, 0);
  SpringSpec spring{.name = "spring", .body_a = "p", .body_b = "a", .stiffness = 20, .damping = 1};
  CheckAtRandomStates(builder.Add(rod).Add(line).Add(spring));
}

class Planar : public ::testing::TestWithParam<const char*> {
 protected:
  /// Two planar bodies and a planar point in the plane of the parameter.
  ModelBuilder MakeBuilder() const {
    const PlaneSpec plane = MakePlane(GetParam());
    return ModelBuilder()
        .SetPlanar(plane)
        .SetGravity(-9.81 * plane.second)
        .Add(MakePlanarBodySpec("a", 0.2 * plane.first - 0.1 * plane.second))
        .Add(MakePlanarBodySpec("b", 0.9 * plane.first + 0.4 * plane.second))
        .Add(PointMassSpec{.name = "p", .mass = 0.4, .position = 1.5 * plane.second});
  }
  Vector3 first() const { return MakePlane(GetParam()).first; }
  Vector3 second() const { return MakePlane(GetParam()).second; }
  Vector3 normal() const { return first().cross(second()); }
  JointSpec MakePlanarJoint(JointType type, const Vector3& axis) const {
    JointSpec joint{.name = "joint", .type = type, .body_a = "a", .body_b = "b"};
    joint.at = 0.5 * first() + 0.2 * second();
    joint.axis = axis;
    return joint;
  }
  static int CountRows(const ModelBuilder& builder) { return builder.Build()->num_constraints; }
};

TEST_P(Planar, JointsLoseTheirVoidRows) {
  struct Case {
    JointType type;
    Vector3 axis;
    int rows;
  };
  const Vector3 slide = first() + 0.3 * second();
  const std::vector<Case> cases = {
      {JointType::kRevolute, normal(), 2},  {JointType::kRevolute, -normal(), 2},
      {JointType::kSpherical, normal(), 2}, {JointType::kFixed, normal(), 3},
      {JointType::kPrismatic, slide, 2},    {JointType::kPointOnLine, slide, 1},
      {JointType::kCylindrical, slide, 2},  {JointType::kCylindrical, normal(), 2},
      {JointType::kPlanar, slide, 2}};
  for (const auto& [type, axis, rows] : cases) {
    SCOPED_TRACE(JointTypeName(type));
    const ModelBuilder builder = MakeBuilder().Add(MakePlanarJoint(type, axis));
    EXPECT_EQ(CountRows(builder), rows);
    CheckAtRandomStates(builder);
  }
}

TEST_P(Planar, DrivesLimitsFrictionAndForces) {
  JointSpec hinge = MakePlanarJoint(JointType::kRevolute, -normal());
  hinge.drive_angle = MakeWave(0, 2, 2);
  hinge.limits = JointLimits{-9, 9, 0.2};
  hinge.friction = 0.3;
  TorsionSpringSpec spring{.name = "spring", .joint = "joint", .stiffness = 3, .damping = 0.1};
  SpringSpec rope{.name = "rope", .body_a = "p", .body_b = "b", .stiffness = 8, .damping = 1};
  CheckAtRandomStates(MakeBuilder().Add(hinge).Add(spring).Add(rope), 3);
}

TEST_P(Planar, FrictionKeepsOnlySlipsInThePlane) {
  const std::vector<std::pair<JointType, Vector3>> cases = {
      {JointType::kRevolute, normal()},    {JointType::kSpherical, normal()},
      {JointType::kCylindrical, normal()}, {JointType::kCylindrical, first()},
      {JointType::kPrismatic, first()},    {JointType::kPlanar, first()}};
  for (const auto& [type, axis] : cases) {
    SCOPED_TRACE(JointTypeName(type));
    JointSpec joint = MakePlanarJoint(type, axis);
    joint.friction = 0.3;
    MultibodySystem system(MakeBuilder().Add(joint).Build());
    ContactSet contacts;
    system.FindContacts(0, system.MakeInitialState().q, 1, &contacts);
    ASSERT_EQ(contacts.frictions.size(), 1u);
    EXPECT_EQ(contacts.frictions[0].dimension, 1);
    for (const RowBlock& block : contacts.blocks) {
      EXPECT_GT(contacts.rows(block, 1).norm(), 1e-3);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Planes, Planar, ::testing::Values("xy", "xz", "zy"));

TEST(Contract, ObliquePlane) {
  const PlaneSpec plane{Vector3(1, 2, 2) / 3, Vector3(2, 1, -2) / 3};
  const Vector3 normal = plane.first.cross(plane.second);
  JointSpec joint{.name = "joint", .type = JointType::kRevolute, .body_a = "a", .body_b = "b"};
  joint.at = 0.4 * plane.first + normal;
  joint.axis = normal;
  const ModelBuilder builder = ModelBuilder()
                                   .SetPlanar(plane)
                                   .Add(MakePlanarBodySpec("a", Vector3::Zero()))
                                   .Add(MakePlanarBodySpec("b", plane.first))
                                   .Add(joint);
  EXPECT_EQ(builder.Build()->num_constraints, 2);
  CheckAtRandomStates(builder);
}

}  // namespace
}  // namespace saltus
