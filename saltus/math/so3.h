// The rotation group SO(3): hat map, exponential, logarithm, tangent operators.
//
// Convention: R ← R exp(θ̃) with θ in BODY axes. With ω the body angular velocity, Ṙ = R ω̃.
//   exp(θ̃) = I + (sin φ/φ) θ̃ + ((1 − cos φ)/φ²) θ̃²,      φ = |θ|                      (1)
//   T(θ)   = I − ((1 − cos φ)/φ²) θ̃ + ((φ − sin φ)/φ³) θ̃²,  ω = T(θ) θ̇                 (2)
//   T⁻¹(θ) = I + ½ θ̃ + (1/φ² − (1 + cos φ)/(2 φ sin φ)) θ̃²                             (3)
// Series replace the quotients where φ is small, so every function is smooth at θ = 0.
// @cite BrulsCardonaArnold2012
#pragma once

#include "saltus/base/types.h"

namespace saltus {

/// The skew matrix ã with ã b = a × b.
inline Matrix3 Hat(const Vector3& a) {
  Matrix3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

/// The vector a of a skew matrix ã (the skew part is taken).
inline Vector3 Vee(const Matrix3& m) {
  return 0.5 * Vector3(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1));
}

Matrix3 ExpSO3(const Vector3& theta);             // (1)
Quaternion ExpQuaternion(const Vector3& theta);   // (1) as a unit quaternion
Vector3 LogSO3(const Matrix3& R);                 // |θ| ≤ π
Vector3 LogQuaternion(const Quaternion& q);       // |θ| ≤ π, either sign of q
Matrix3 TangentSO3(const Vector3& theta);         // (2)
Matrix3 TangentInverseSO3(const Vector3& theta);  // (3)

/// R ∘ exp(θ̃), renormalised: the result is unit to rounding whatever the number of steps.
Quaternion RetractQuaternion(const Quaternion& R, const Vector3& theta);

}  // namespace saltus
