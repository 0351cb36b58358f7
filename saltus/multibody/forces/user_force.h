// Forces on a body that depend on its motion in any way: controllers, drag, magnets. Given as a
// function, and counted as work of loads.
//
//   f += Tᵀ (F, Rᵀτ)          F at the centre of mass, τ about it, both in world axes          (1)
//   K = −∂f/∂q, D = −∂f/∂v    by forward differences in the block of the body                  (2)
#pragma once

#include <functional>
#include <vector>

#include "saltus/linalg/block_matrix.h"
#include "saltus/multibody/bodies/body.h"

namespace saltus {

/// Motion of a body in world axes.
struct BodyMotion {
  Pose pose;                                   // centre of mass and axes
  Vector3 velocity = Vector3::Zero();          // of the centre of mass, m/s
  Vector3 angular_velocity = Vector3::Zero();  // world axes, rad/s
};

/// Force [N] at the centre of mass and torque [N m] about it, world axes.
struct Wrench {
  Vector3 force = Vector3::Zero();
  Vector3 torque = Vector3::Zero();
};

struct UserForce {
  int body = 0;
  std::function<Wrench(double t, const BodyMotion& motion)> function;
};

BodyMotion CalcMotion(const Body& body, const VectorX& q, const VectorX& v);
/// (1)
void AddUserForces(const std::vector<UserForce>& forces, const std::vector<Body>& bodies, double t,
                   const VectorX& q, const VectorX& v, VectorX* f);
/// (2); K and D are added to.
void AddUserForceTangents(const std::vector<UserForce>& forces, const std::vector<Body>& bodies,
                          double t, const VectorX& q, const VectorX& v, BlockMatrix* K,
                          BlockMatrix* D);

}  // namespace saltus
