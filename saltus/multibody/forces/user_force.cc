#include "saltus/multibody/forces/user_force.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

/// The part of f that belongs to the velocity coordinates of the body.
VectorX CalcBodyForce(const UserForce& force, const Body& body, double t, const VectorX& q,
                      const VectorX& v) {
  const BodyMotion motion = CalcMotion(body, q, v);
  const Wrench wrench = force.function(t, motion);
  Vector6 F;
  F << wrench.force, motion.pose.R.conjugate() * wrench.torque;
  return body.map.leftCols(body.num_velocities).transpose() * F;
}

}  // namespace

BodyMotion CalcMotion(const Body& body, const VectorX& q, const VectorX& v) {
  const Vector6 V = body.CalcSpatialVelocity(v);
  BodyMotion motion;
  motion.pose = body.CalcPose(q);
  motion.velocity = V.head<3>();
  motion.angular_velocity = motion.pose.R * V.tail<3>();
  return motion;
}

void AddUserForces(const std::vector<UserForce>& forces, const std::vector<Body>& bodies, double t,
                   const VectorX& q, const VectorX& v, VectorX* f) {
  for (const UserForce& force : forces) {
    const Body& body = bodies[static_cast<std::size_t>(force.body)];
    f->segment(body.first_velocity, body.num_velocities) += CalcBodyForce(force, body, t, q, v);
  }
}

void AddUserForceTangents(const std::vector<UserForce>& forces, const std::vector<Body>& bodies,
                          double t, const VectorX& q, const VectorX& v, BlockMatrix* K,
                          BlockMatrix* D) {
  if (forces.empty()) return;  // no scratch either
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  VectorX delta = VectorX::Zero(v.size()), q_shifted = q, v_shifted = v;
  for (const UserForce& force : forces) {
    const Body& body = bodies[static_cast<std::size_t>(force.body)];
    const int slot = K->pattern().FindSlot(force.body, force.body);
    const VectorX here = CalcBodyForce(force, body, t, q, v);
    for (int i = 0; i < body.num_velocities; ++i) {
      const int row = body.first_velocity + i;
      delta[row] = root;
      body.Retract(q, delta, &q_shifted);
      K->block(slot).col(i) += (here - CalcBodyForce(force, body, t, q_shifted, v)) / root;
      delta[row] = 0;
      body.Retract(q, delta, &q_shifted);
      const double step = root * std::max(1.0, std::abs(v[row]));
      v_shifted[row] = v[row] + step;
      D->block(slot).col(i) += (here - CalcBodyForce(force, body, t, q, v_shifted)) / step;
      v_shifted[row] = v[row];
    }
  }
}

}  // namespace saltus
