#include "saltus/math/so3.h"

#include <cmath>

#include "saltus/math/rotation_coefficients.h"

namespace saltus {

Matrix3 ExpSO3(const Vector3& theta) {
  const double phi = theta.norm();
  const Matrix3 hat = Hat(theta);
  return Matrix3::Identity() + Sinc(phi) * hat + CosineCoefficient(phi) * hat * hat;  // (1)
}

Quaternion ExpQuaternion(const Vector3& theta) {
  const double half = 0.5 * theta.norm();
  const double scale = 0.5 * Sinc(half);
  return Quaternion(std::cos(half), scale * theta.x(), scale * theta.y(), scale * theta.z());
}

Vector3 LogSO3(const Matrix3& R) { return LogQuaternion(Quaternion(R)); }

Vector3 LogQuaternion(const Quaternion& q) {
  // q and −q are one rotation: take the half angle in [0, π/2]. The arctangent of both parts is
  // well conditioned everywhere, near φ = π too, and does not ask for a unit quaternion.
  const double sign = q.w() < 0 ? -1 : 1;
  const double w = sign * q.w();
  const double s = q.vec().norm();
  if (s == 0) return (2 * sign) * q.vec();
  return (2 * sign * std::atan2(s, w) / s) * q.vec();
}

Matrix3 TangentSO3(const Vector3& theta) {
  const double phi = theta.norm();
  const Matrix3 hat = Hat(theta);
  return Matrix3::Identity() - CosineCoefficient(phi) * hat +
         SineCoefficient(phi) * hat * hat;  // (2)
}

Matrix3 TangentInverseSO3(const Vector3& theta) {
  const Matrix3 hat = Hat(theta);
  return Matrix3::Identity() + 0.5 * hat + CotangentCoefficient(theta.norm()) * hat * hat;  // (3)
}

Quaternion RetractQuaternion(const Quaternion& R, const Vector3& theta) {
  return (R * ExpQuaternion(theta)).normalized();
}

}  // namespace saltus
