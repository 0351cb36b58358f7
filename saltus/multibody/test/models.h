// Small models that several tests share.
#pragma once

#include <memory>
#include <string>

#include "saltus/multibody/model.h"
#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"

namespace saltus {

/// A full inertia tensor: symmetric positive definite, not aligned with the body axes.
inline Matrix3 MakeFullInertia() {
  Matrix3 J;
  J << 0.30, 0.02, -0.03, 0.02, 0.40, 0.05, -0.03, 0.05, 0.50;
  return J;
}

/// A rigid body with a full inertia tensor, any orientation, moving.
inline RigidBodySpec MakeBodySpec(const std::string& name, const Vector3& position) {
  RigidBodySpec body;
  body.name = name;
  body.mass = 2;
  body.inertia = MakeFullInertia();
  body.position = position;
  body.orientation = Quaternion(0.8, 0.1, -0.4, 0.3).normalized();
  return body;
}

/// Two bodies in space with the joint `joint` between them (names "a" and "b").
inline ModelBuilder MakePairBuilder(JointSpec joint) {
  joint.name = "joint";
  joint.body_a = "a";
  joint.body_b = "b";
  return ModelBuilder()
      .Add(MakeBodySpec("a", {0.2, -0.1, 0.3}))
      .Add(MakeBodySpec("b", {0.9, 0.4, -0.2}))
      .Add(joint);
}

/// A joint of the given type at a point between the bodies of MakePairBuilder.
inline JointSpec MakeJointSpec(JointType type) {
  JointSpec joint;
  joint.type = type;
  if (type == JointType::kDistance) {
    joint.points = {{Vector3(0.1, 0.2, 0), Vector3(-0.2, 0.1, 0.3)}};
  } else {
    joint.at = Vector3(0.5, 0.3, 0.1);
    joint.axis = Vector3(1, 2, -0.5);
  }
  return joint;
}

/// A planar body: any mass, inertia about the normal 0.3.
inline RigidBodySpec MakePlanarBodySpec(const std::string& name, const Vector3& position) {
  RigidBodySpec body;
  body.name = name;
  body.mass = 2;
  body.inertia = Matrix3(0.3 * Matrix3::Identity());
  body.position = position;
  body.orientation = Quaternion(0.8, 0.1, -0.4, 0.3).normalized();
  return body;
}

}  // namespace saltus
