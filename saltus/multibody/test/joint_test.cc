// Joint coordinates, reactions, frictions and notices against statics and hand calculation.
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "saltus/multibody/test/models.h"

namespace saltus {
namespace {

constexpr double kPi = std::numbers::pi;

/// A lever of length 1 hinged to the ground at its end, axis y, along x.
ModelBuilder MakeLever(bool planar) {
  RigidBodySpec lever{.name = "lever",
                      .mass = 2,
                      .inertia = Matrix3(0.1 * Matrix3::Identity()),
                      .position = {0.5, 0, 0}};
  JointSpec hinge{
      .name = "hinge", .type = JointType::kRevolute, .body_a = "ground", .body_b = "lever"};
  hinge.at = Vector3::Zero();
  hinge.axis = Vector3::UnitY();
  ModelBuilder builder;
  if (planar) builder.SetPlanar(MakePlane("xz"));
  return builder.Add(lever).Add(hinge);
}

/// Turns the lever of MakeLever about the hinge by `angle`.
VectorX TurnLever(const MultibodySystem& system, double angle) {
  const State state = system.MakeInitialState();
  VectorX q = state.q;
  const Quaternion R(Eigen::AngleAxisd(angle, Vector3::UnitY()));
  const Vector3 p = R * Vector3(0.5, 0, 0);
  if (system.model().plane) {
    q << p.x(), p.z(), -angle;  // the normal of xz is −y
  } else {
    q << p, R.w(), R.x(), R.y(), R.z();
  }
  return q;
}

TEST(Joint, RevoluteAngleCountsTurnsInThePlaneOnly) {
  for (const bool planar : {false, true}) {
    const MultibodySystem system(MakeLever(planar).Build());
    const VectorX v = VectorX::Zero(system.traits().num_velocities);
    for (const double angle : {-2.0, 0.5, 3.0, 7.0, -40.0}) {
      const VectorX q = TurnLever(system, angle);
      VectorX g;
      system.CalcConstraint(0, q, &g);
      EXPECT_LE(g.norm(), 1e-14);
      const double value = system.CalcJointMotion(0, q, v).value;
      EXPECT_NEAR(value, planar ? angle : WrapNear(angle, 0), 1e-13);
    }
  }
}

TEST(Joint, RevoluteRateIsTheRelativeAngularVelocity) {
  const MultibodySystem system(MakeLever(false).Build());
  VectorX v = VectorX::Zero(6);
  v[4] = 3;  // about y, body axes
  EXPECT_NEAR(system.CalcJointMotion(0, system.MakeInitialState().q, v).rate, 3, 1e-14);
}

TEST(Joint, ReactionHoldsACantileverUp) {
  // A fixed joint carries the weight m g and the moment m g l/2 about the clamp.
  ModelSpec spec = MakeLever(false).spec();
  spec.joints[0].type = JointType::kFixed;
  const MultibodySystem system(ModelBuilder(spec).Build());
  const State state = system.MakeInitialState();
  SparseRows G;
  VectorX f;
  system.CalcConstraintJacobian(0, state.q, &G);
  system.CalcForce(0, state.q, state.v, &f);
  const VectorX lambda = MatrixX(G).transpose().fullPivLu().solve(-f);
  const JointReaction reaction = system.CalcJointReaction(0, state.q, lambda);
  EXPECT_LE((reaction.force - Vector3(0, 0, 2 * 9.81)).norm(), 1e-12);
  // Equilibrium of the lever about its joint point: τ + (0.5 e_x) × (−m g e_z) = 0.
  EXPECT_LE((reaction.torque - Vector3(0, -9.81, 0)).norm(), 1e-12);
}

TEST(Joint, ReactionIsPowerConsistent) {
  // λᵀ G v = force·v_P + torque·ω for any motion of the second body (the first is the ground).
  for (int type = 0; type < kNumJointTypes; ++type) {
    SCOPED_TRACE(JointTypeName(static_cast<JointType>(type)));
    JointSpec joint = MakeJointSpec(static_cast<JointType>(type));
    joint.name = "joint";
    joint.body_a = "ground";
    joint.body_b = "b";
    const MultibodySystem system(
        ModelBuilder().Add(MakeBodySpec("b", {0.9, 0.4, -0.2})).Add(joint).Build());
    const State state = system.MakeInitialState();
    SparseRows G;
    system.CalcConstraintJacobian(0, state.q, &G);
    const VectorX lambda = VectorX::LinSpaced(system.traits().num_constraints, 1, 2);
    const VectorX v = VectorX::LinSpaced(6, -1, 1.7);
    const JointReaction reaction = system.CalcJointReaction(0, state.q, lambda);
    const BodyMotion motion = system.CalcBodyMotion(0, state.q, v);
    const Vector3 lever = system.CalcJointPoint(0, state.q) - motion.pose.p;
    const Vector3 velocity = motion.velocity + motion.angular_velocity.cross(lever);
    EXPECT_NEAR(lambda.dot(G * v),
                reaction.force.dot(velocity) + reaction.torque.dot(motion.angular_velocity), 1e-13);
  }
}

TEST(Joint, DriveResidualIsWrapped) {
  ModelSpec spec = MakeLever(false).spec();
  spec.joints[0].drive_angle = TimeFunction([](double t) { return TimeJet{t, 1, 0}; });
  const MultibodySystem system(ModelBuilder(spec).Build());
  VectorX g;
  system.CalcConstraint(50.0, TurnLever(system, 50.0), &g);
  EXPECT_LE(g.norm(), 1e-13);
  system.CalcConstraint(kPi, TurnLever(system, kPi + 1e-3), &g);
  EXPECT_NEAR(g[5], 1e-3, 1e-13);
}

TEST(Joint, LimitsAreContactsOfDimensionOne) {
  ModelSpec spec = MakeLever(false).spec();
  spec.joints[0].limits = JointLimits{-0.5, 3.5, 0.3};  // reaches beyond π
  MultibodySystem system(ModelBuilder(spec).Build());
  State state = system.MakeInitialState();
  state.q = TurnLever(system, 1.7);  // angles in space are counted on from the last step
  system.EndStep(&state);
  ContactSet contacts;
  system.FindContacts(0, TurnLever(system, 3.4), 0.1, &contacts);
  ASSERT_EQ(contacts.contacts.size(), 2u);
  EXPECT_NEAR(contacts.contacts[0].gap, 3.9, 1e-13);
  EXPECT_NEAR(contacts.contacts[1].gap, 0.1, 1e-13);
  EXPECT_EQ(contacts.contacts[1].dimension, 1);
  EXPECT_EQ(contacts.contacts[1].restitution, 0.3);
  EXPECT_EQ(system.ContactName(contacts.contacts[0].key), "hinge.limit");
}

TEST(Joint, RopeHasNoRowButALimit) {
  ModelBuilder builder;
  builder.Add(PointMassSpec{.name = "bead", .mass = 1, .position = {0, 0, 2}});
  JointSpec rope{
      .name = "rope", .type = JointType::kDistance, .body_a = "bead", .body_b = "ground"};
  rope.points = {{Vector3::Zero(), Vector3(0, 0, 3)}};
  rope.limits = JointLimits{0, 1.5, 0};
  MultibodySystem system(builder.Add(rope).Build());
  EXPECT_EQ(system.traits().num_constraints, 0);
  ContactSet contacts;
  system.FindContacts(0, system.MakeInitialState().q, 1, &contacts);
  ASSERT_EQ(contacts.contacts.size(), 1u);
  EXPECT_NEAR(contacts.contacts[0].gap, 0.5, 1e-15);
  system.FindContacts(0, system.MakeInitialState().q, 0.4, &contacts);
  EXPECT_TRUE(contacts.contacts.empty());
}

TEST(Joint, FrictionNamesItsLoadRows) {
  ModelSpec spec = MakeLever(false).spec();
  spec.joints[0].friction = 0.2;
  spec.joints[0].friction_radius = 0.05;
  spec.joints[0].friction_torque = 0.7;
  MultibodySystem system(ModelBuilder(spec).Build());
  ContactSet contacts;
  system.FindContacts(0, system.MakeInitialState().q, 0.1, &contacts);
  ASSERT_EQ(contacts.frictions.size(), 1u);
  const DryFriction& friction = contacts.frictions[0];
  EXPECT_EQ(friction.load_rows, (std::vector<int>{0, 1, 2}));
  EXPECT_DOUBLE_EQ(friction.coefficient, 0.01);
  EXPECT_DOUBLE_EQ(friction.bound, 0.7);
  ASSERT_EQ(friction.num_blocks, 1);
  const VectorX row = contacts.rows(contacts.blocks[friction.first_block], 1).transpose();
  EXPECT_LE((row - VectorX::Unit(6, 4)).norm(), 1e-14);
  EXPECT_EQ(system.ContactName(friction.key), "hinge.friction");
}

TEST(Joint, NoticesNameRedundantJointsAndInconsistentStarts) {
  // A planar four-bar with four revolute joints in space: 20 rows on 18 velocities, rank 17.
  ModelBuilder builder;
  const Vector3 corners[4] = {{0, 0, 0}, {0, 0, 1}, {2, 0, 1}, {2, 0, 0}};
  for (int i = 0; i < 3; ++i) {
    RigidBodySpec link{.name = "link" + std::to_string(i),
                       .mass = 1,
                       .inertia = Matrix3(0.1 * Matrix3::Identity()),
                       .position = 0.5 * (corners[i] + corners[i + 1])};
    builder.Add(link);
  }
  for (int i = 0; i < 4; ++i) {
    JointSpec hinge{.name = "hinge" + std::to_string(i), .type = JointType::kRevolute};
    hinge.body_a = i == 0 ? "ground" : "link" + std::to_string(i - 1);
    hinge.body_b = i == 3 ? "ground" : "link" + std::to_string(i);
    hinge.at = corners[i];
    hinge.axis = Vector3::UnitY();
    builder.Add(hinge);
  }
  const Notices notices = MultibodySystem(builder.Build()).MakeNotices();
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(notices[0].item, "joint 'hinge3'");
  EXPECT_THAT(notices[0].message, ::testing::HasSubstr("3 of its 5"));

  ModelSpec spec = MakeLever(false).spec();
  spec.rigid_bodies[0].velocity = {1, 0, 0};
  const Notices warned = MultibodySystem(ModelBuilder(spec).Build()).MakeNotices();
  ASSERT_EQ(warned.size(), 1u);
  EXPECT_EQ(warned[0].severity, Severity::kWarning);
  EXPECT_THAT(warned[0].message, ::testing::HasSubstr("initial velocity"));
}

}  // namespace
}  // namespace saltus
