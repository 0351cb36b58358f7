// The group SE(3) of rigid placements: exponential, logarithm, tangent operator.
//
// Left-trivialised: H ← H exp(δ) with δ = (u, a), u the translational and a the rotational part,
// both in BODY axes; Ḣ = H ṽ with v = (U, Ω) the body twist.
//   exp(u, a) = ( R = exp(ã),  p = Tᵀ(a) u ),     T(a) of SO(3), see so3.h                      (1)
//   v = T(δ) δ̇,   T(u, a) = [ T(a)  T_ua ]        T = Σ (−1)^k ad^k/(k+1)!,  ad = [ ã  ũ ]
//                           [  0    T(a) ]                                        [ 0  ã ]      (2)
// A matrix function of [A E; 0 A] holds its derivative DT(A)[E] above the diagonal, hence with the
// coefficients a, b, c of rotation_coefficients.h
//   T_ua = −b ũ + c (ã ũ + ũ ã) + (a·u) ( −(b′/φ) ã + (c′/φ) ã² )                               (3)
// @cite BrulsCardonaArnold2012
#pragma once

#include "saltus/base/types.h"

namespace saltus {

Pose ExpSE3(const Vector6& delta);                // (1)
Vector6 LogSE3(const Pose& H);                    // |a| ≤ π
Matrix6 TangentSE3(const Vector6& delta);         // (2), (3)
Matrix6 TangentInverseSE3(const Vector6& delta);  // singular at |a| = 2π
/// The matrix of v ↦ H ṽ H⁻¹ on twists (u, a).
Matrix6 AdjointSE3(const Pose& H);

/// H ∘ exp(δ), with the quaternion renormalised.
Pose RetractPose(const Pose& H, const Vector6& delta);

}  // namespace saltus
