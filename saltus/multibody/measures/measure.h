// Measure: one of the scalars of a pair of bodies that joints, springs, limits, motors and channels
// are made of, with exact derivatives.
//
// Each body carries a frame: origin a in A, b in B (local), axes F_A, F_B (columns, local). With
//   d = (p_B + R_B b) − (p_A + R_A a),   x_i = R_A F_A e_i,   y_j = R_B F_B e_j,
//   C_ij = x_i·y_j (the rotation of frame B relative to frame A):
//
//   kWorldOffset(i)   φ = d·w_i         gap of the origins along column i of W (fixed axes)
//   kOffset(i)        φ = d·x_i         … along axis i of A
//   kDistance         φ = |d|
//   kAlignment(i, j)  φ = C_ij          0: the axes are perpendicular
//   kSkew(i)          φ = ½(C_kj − C_jk), (i, j, k) cyclic: sin(angle) times the rotation axis
//   kAngle            φ = atan2(C_10 − C_01, C_00 + C_11): twist about axis 2
//   kTilt             φ = acos(C_22): angle between the axes 2
//   kRotation(i)      φ = i-th component of the rotation vector of C, |θ| < π
#pragma once

#include "saltus/base/types.h"
#include "saltus/multibody/measures/scalar_jet.h"

namespace saltus {

enum class MeasureKind {
  kWorldOffset,
  kOffset,
  kDistance,
  kAlignment,
  kSkew,
  kAngle,
  kTilt,
  kRotation,
};

struct Measure {
  MeasureKind kind = MeasureKind::kDistance;
  int i = 0, j = 0;

  /// Periodic with 2π: differences must be wrapped.
  bool is_angle() const { return kind == MeasureKind::kAngle; }
  /// The blocks (A, B) and (B, A) of the Hessian do not vanish identically. d·w is a sum of a term
  /// of A and one of B.
  bool couples() const { return kind != MeasureKind::kWorldOffset; }
};

/// The frames that two bodies carry for a joint or a force.
struct PairFrames {
  Vector3 a = Vector3::Zero(), b = Vector3::Zero();
  Matrix3 F_A = Matrix3::Identity(), F_B = Matrix3::Identity();
  Matrix3 W = Matrix3::Identity();  // world axes of kWorldOffset; [e₁ e₂ n] in a planar model
};

void CalcMeasure(const Measure& measure, const PairFrames& frames, const Placement& A,
                 const Placement& B, JetOrder order, ScalarJet* jet);

/// What Newton's method needs of a row: H −= λ ∂²φ and change = (∂²φ)ᵀ V.
void CalcMeasureTangents(const Measure& measure, const PairFrames& frames, const Placement& A,
                         const Placement& B, double lambda, const Vector12& V, Matrix12* H,
                         Vector12* change);

/// A measure with a zero and, for angles, a branch: what users see as the coordinate of a joint.
///   value = φ + shift                                                                         (1)
/// Angles count turns. Where both bodies are planar their own angles do, and φ is unwrapped near
/// turn_sign (angle_B − angle_A). In space φ is known modulo 2π: the value is unwrapped near the
/// one at the start of the step, which the system remembers (State::internal) at `turn_slot`; a
/// joint must turn by less than π a step.
struct Coordinate {
  Measure measure{};
  double shift = 0;
  double turn_sign = 0;          // ±1: count turns by planar angles; 0: do not
  int turn_a = -1, turn_b = -1;  // index of the planar angle in q; −1: none (ground)
  int turn_slot = -1;            // of an angle in space: its place among the remembered values
};
/// (1) from the value φ of the measure. @param turns  remembered values of the angles in space
double CalcCoordinateValue(const Coordinate& coordinate, double phi, const VectorX& q,
                           const VectorX& turns);

/// The angle equal to `angle` modulo 2π that is nearest to `reference`.
double WrapNear(double angle, double reference);

}  // namespace saltus
