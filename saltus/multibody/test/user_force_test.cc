// Forces given as functions: their place in f, their tangents, and a known motion.
#include "saltus/multibody/forces/user_force.h"

#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"

namespace saltus {
namespace {

MultibodySystem MakeSystem() {
  RigidBodySpec top{.name = "top", .mass = 2, .inertia = Vector3(1, 2, 2.5).asDiagonal()};
  top.orientation = Quaternion(Eigen::AngleAxisd(0.7, Vector3(1, 2, 3).normalized()));
  top.velocity = {1, -2, 0.5};
  top.angular_velocity = {0.3, 0.2, -1};
  return MultibodySystem(
      ModelBuilder().Add(PointMassSpec{.name = "bead", .position = {3, 0, 0}}).Add(top).Build());
}

Wrench Drag(double t, const BodyMotion& m) {
  return {-0.4 * m.velocity - (1 + t) * m.pose.p, -0.3 * m.angular_velocity};
}

TEST(UserForce, IsPartOfTheForceAndOfTheLoads) {
  MultibodySystem system = MakeSystem();
  const State s = system.MakeInitialState();
  VectorX before, after, loads;
  system.CalcForce(0.5, s.q, s.v, &before);
  system.AddUserForce("top", Drag);
  system.CalcForce(0.5, s.q, s.v, &after);
  system.CalcNonconservativeForce(0.5, s.q, s.v, &loads);
  EXPECT_LT((after - before - loads).norm(), 1e-14 * after.norm());
  // Its power is F·v + τ·ω in any axes.
  const int top = system.model().FindBody("top");
  const BodyMotion motion = system.CalcBodyMotion(top, s.q, s.v);
  const Wrench wrench = Drag(0.5, motion);
  EXPECT_NEAR(loads.dot(s.v),
              wrench.force.dot(motion.velocity) + wrench.torque.dot(motion.angular_velocity),
              1e-13);
  VectorX cloned;
  system.Clone()->CalcForce(0.5, s.q, s.v, &cloned);
  EXPECT_EQ(cloned, after);
  EXPECT_THROW(system.AddUserForce("tip", Drag), InputError);
}

TEST(UserForce, TangentsAreDerivatives) {
  MultibodySystem system = MakeSystem();
  system.AddUserForce("top", Drag);
  ASSERT_TRUE(system.traits().has_tangents);
  const State s = system.MakeInitialState();
  BlockMatrix K, D;
  system.CalcTangents(0.5, s.q, s.v, TangentKind::kExact, &K, &D);
  const MatrixX stiffness = K.ToDense(), damping = D.ToDense();
  const double h = 1e-6;
  for (int i = 0; i < s.v.size(); ++i) {
    VectorX q, plus, minus;
    const VectorX e = h * VectorX::Unit(s.v.size(), i);
    system.Retract(s.q, e, &q);
    system.CalcForce(0.5, q, s.v, &plus);
    system.Retract(s.q, -e, &q);
    system.CalcForce(0.5, q, s.v, &minus);
    // Forward differences in the code: 1e-8 of entries of order 1.
    EXPECT_LT((stiffness.col(i) + (plus - minus) / (2 * h)).norm(), 1e-6);
    system.CalcForce(0.5, s.q, s.v + e, &plus);
    system.CalcForce(0.5, s.q, s.v - e, &minus);
    EXPECT_LT((damping.col(i) + (plus - minus) / (2 * h)).norm(), 1e-6);
  }
}

}  // namespace
}  // namespace saltus
