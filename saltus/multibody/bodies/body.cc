#include "saltus/multibody/bodies/body.h"

#include "saltus/math/so3.h"

namespace saltus {
namespace {

/// Unit quaternion from the four numbers (w, x, y, z) of a rigid body's coordinates.
Quaternion ReadQuaternion(const VectorX& q, int first) {
  return Quaternion(q[first], q[first + 1], q[first + 2], q[first + 3]);
}

void WriteQuaternion(const Quaternion& R, int first, VectorX* q) {
  (*q)[first] = R.w();
  (*q)[first + 1] = R.x();
  (*q)[first + 2] = R.y();
  (*q)[first + 3] = R.z();
}

Quaternion RotateInPlane(const Body& body, double angle) {
  return ExpQuaternion(angle * body.normal) * body.reference_orientation;
}

}  // namespace

Pose Body::CalcPose(const VectorX& q) const {
  const int i = first_coordinate;
  switch (kind) {
    case BodyKind::kRigid:
      return {q.segment<3>(i), ReadQuaternion(q, i + 3)};
    case BodyKind::kPoint:
      return {q.segment<3>(i), Quaternion::Identity()};
    case BodyKind::kPlanar:
      return {reference_position + q[i] * first_axis + q[i + 1] * second_axis,
              RotateInPlane(*this, q[i + 2])};
    case BodyKind::kPlanarPoint:
      return {reference_position + q[i] * first_axis + q[i + 1] * second_axis,
              Quaternion::Identity()};
  }
  return {};
}

Placement Body::CalcPlacement(const VectorX& q) const {
  const Pose pose = CalcPose(q);
  return {pose.p, pose.R.toRotationMatrix()};
}

Vector6 Body::CalcSpatialVelocity(const VectorX& v) const {
  if (kind == BodyKind::kRigid) return v.segment<6>(first_velocity);
  return map.leftCols(num_velocities) * v.segment(first_velocity, num_velocities);
}

void Body::WriteInitialState(VectorX* q, VectorX* v) const {
  const int i = first_coordinate;
  const int j = first_velocity;
  const Vector3 shift = initial_pose.p - reference_position;
  switch (kind) {
    case BodyKind::kRigid:
      q->segment<3>(i) = initial_pose.p;
      WriteQuaternion(initial_pose.R, i + 3, q);
      v->segment<3>(j) = initial_velocity;
      v->segment<3>(j + 3) = initial_pose.R.conjugate() * initial_angular_velocity;
      return;
    case BodyKind::kPoint:
      q->segment<3>(i) = initial_pose.p;
      v->segment<3>(j) = initial_velocity;
      return;
    case BodyKind::kPlanar:
      (*q)[i + 2] = 0;
      (*v)[j + 2] = initial_angular_velocity.dot(normal);
      [[fallthrough]];
    case BodyKind::kPlanarPoint:
      (*q)[i] = shift.dot(first_axis);
      (*q)[i + 1] = shift.dot(second_axis);
      (*v)[j] = initial_velocity.dot(first_axis);
      (*v)[j + 1] = initial_velocity.dot(second_axis);
      return;
  }
}

void Body::Retract(const VectorX& q, const VectorX& delta, VectorX* q_new) const {
  const int i = first_coordinate;
  const int j = first_velocity;
  if (flat()) {
    q_new->segment(i, num_coordinates) =
        q.segment(i, num_coordinates) + delta.segment(j, num_velocities);
    return;
  }
  const Quaternion R = RetractQuaternion(ReadQuaternion(q, i + 3), delta.segment<3>(j + 3));
  q_new->segment<3>(i) = q.segment<3>(i) + delta.segment<3>(j);
  WriteQuaternion(R, i + 3, q_new);
}

void Body::CalcDifference(const VectorX& q, const VectorX& q_other, VectorX* delta) const {
  const int i = first_coordinate;
  const int j = first_velocity;
  if (flat()) {
    delta->segment(j, num_velocities) =
        q_other.segment(i, num_coordinates) - q.segment(i, num_coordinates);
    return;
  }
  delta->segment<3>(j) = q_other.segment<3>(i) - q.segment<3>(i);
  delta->segment<3>(j + 3) =
      LogQuaternion(ReadQuaternion(q, i + 3).conjugate() * ReadQuaternion(q_other, i + 3));
}

void FinishBody(Body* body) {
  body->map.setZero();
  switch (body->kind) {
    case BodyKind::kRigid:
      body->num_coordinates = 7;
      body->num_velocities = 6;
      body->map.setIdentity();
      break;
    case BodyKind::kPoint:
      body->num_coordinates = body->num_velocities = 3;
      body->map.topLeftCorner<3, 3>().setIdentity();
      break;
    case BodyKind::kPlanar:
    case BodyKind::kPlanarPoint: {
      const bool turns = body->kind == BodyKind::kPlanar;
      body->num_coordinates = body->num_velocities = turns ? 3 : 2;
      body->reference_orientation = turns ? body->initial_pose.R : Quaternion::Identity();
      body->reference_position = body->normal.dot(body->initial_pose.p) * body->normal;
      body->map.col(0).head<3>() = body->first_axis;
      body->map.col(1).head<3>() = body->second_axis;
      if (turns) {
        body->map.col(2).tail<3>() = body->reference_orientation.conjugate() * body->normal;
      }
      break;
    }
  }
  const double scale = body->inertia.trace() / 3;
  body->gyroscopic =
      body->kind == BodyKind::kRigid && !body->inertia.isApprox(scale * Matrix3::Identity(), 1e-15);
}

}  // namespace saltus
