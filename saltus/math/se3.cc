#include "saltus/math/se3.h"

#include "saltus/math/rotation_coefficients.h"
#include "saltus/math/so3.h"

namespace saltus {

Pose ExpSE3(const Vector6& delta) {
  const Vector3 u = delta.head<3>();
  const Vector3 a = delta.tail<3>();
  return {TangentSO3(a).transpose() * u, ExpQuaternion(a)};  // (1)
}

Vector6 LogSE3(const Pose& H) {
  const Vector3 a = LogQuaternion(H.R);
  Vector6 delta;
  delta << TangentInverseSO3(a).transpose() * H.p, a;
  return delta;
}

Matrix6 TangentSE3(const Vector6& delta) {
  const Vector3 u = delta.head<3>();
  const Vector3 a = delta.tail<3>();
  const double phi = a.norm();
  const Matrix3 hat_u = Hat(u);
  const Matrix3 hat_a = Hat(a);
  const double b = CosineCoefficient(phi);
  const double c = SineCoefficient(phi);
  const double a_dot_u = a.dot(u);

  Matrix6 T = Matrix6::Zero();
  T.topLeftCorner<3, 3>() = TangentSO3(a);
  T.bottomRightCorner<3, 3>() = T.topLeftCorner<3, 3>();
  T.topRightCorner<3, 3>() = -b * hat_u + c * (hat_a * hat_u + hat_u * hat_a) -
                             (a_dot_u * CosineCoefficientSlope(phi)) * hat_a +
                             (a_dot_u * SineCoefficientSlope(phi)) * hat_a * hat_a;  // (3)
  return T;
}

Matrix6 TangentInverseSE3(const Vector6& delta) {
  // [A E; 0 A]⁻¹ = [A⁻¹  −A⁻¹ E A⁻¹; 0  A⁻¹].
  const Matrix3 E = TangentSE3(delta).topRightCorner<3, 3>();
  const Matrix3 A_inverse = TangentInverseSO3(delta.tail<3>());
  Matrix6 T_inverse = Matrix6::Zero();
  T_inverse.topLeftCorner<3, 3>() = A_inverse;
  T_inverse.bottomRightCorner<3, 3>() = A_inverse;
  T_inverse.topRightCorner<3, 3>() = -A_inverse * E * A_inverse;
  return T_inverse;
}

Matrix6 AdjointSE3(const Pose& H) {
  const Matrix3 R = H.R.toRotationMatrix();
  Matrix6 Ad = Matrix6::Zero();
  Ad.topLeftCorner<3, 3>() = R;
  Ad.bottomRightCorner<3, 3>() = R;
  Ad.topRightCorner<3, 3>() = Hat(H.p) * R;
  return Ad;
}

Pose RetractPose(const Pose& H, const Vector6& delta) {
  Pose result = H * ExpSE3(delta);
  result.R.normalize();
  return result;
}

}  // namespace saltus
