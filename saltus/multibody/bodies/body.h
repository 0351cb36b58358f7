// Body: one block of coordinates and velocities, and the map between them and a placement in space.
//
// Every element works with the placement (p, R) and the spatial velocity of a body,
//   V = (ṗ world axes, ω body axes) ∈ R⁶ = T ν,                                                 (1)
// where ν are the body's own velocity coordinates and T is a constant 6 × n map:
//
//   kind          q                         ν                   T
//   rigid         (p, quaternion wxyz)  7   (ṗ, ω)          6   I₆
//   point         p                     3   ṗ               3   [I₃; 0]
//   planar        (a, b, angle)         3   (ȧ, ḃ, angle˙)  3   [e₁ e₂ 0; 0 0 R₀ᵀn]
//   planar point  (a, b)                2   (ȧ, ḃ)          2   [e₁ e₂; 0 0]
//
// with p = p₀ + a e₁ + b e₂ and R = exp(angle ñ) R₀ in a plane with axes e₁, e₂ and n = e₁ × e₂.
// The retraction p ← p + δp, R ← R exp(δθ̃) with (δp, δθ) = T δ then holds for every kind, so rows
// and Hessians in R⁶ compress exactly:
//   row ↦ row T,   H ↦ Tᵀ H T.                                                              (2)
#pragma once

#include <string>

#include "saltus/base/types.h"

namespace saltus {

enum class BodyKind { kRigid, kPoint, kPlanar, kPlanarPoint };

/// Index of the fixed world where a body index is asked for.
inline constexpr int kGround = -1;

/// Where a body is: x_W = p + R x_B. The ground is at Placement{}.
struct Placement {
  Vector3 p = Vector3::Zero();
  Matrix3 R = Matrix3::Identity();

  Vector3 operator*(const Vector3& x) const { return p + R * x; }
};

struct Body {
  std::string name;
  BodyKind kind = BodyKind::kRigid;
  int first_coordinate = 0, num_coordinates = 0;  // its part of q
  int first_velocity = 0, num_velocities = 0;     // its part of v
  double mass = 1;                                // kg
  Matrix3 inertia = Matrix3::Zero();              // about the centre of mass, body axes, kg m²
  bool gyroscopic = false;                        // −ω × Jω does not vanish identically

  Matrix6 map = Matrix6::Identity();  // T of (1) in the first num_velocities columns

  // Planar kinds: p₀, R₀ and the plane's axes.
  Vector3 reference_position = Vector3::Zero();
  Quaternion reference_orientation = Quaternion::Identity();
  Vector3 first_axis = Vector3::UnitX(), second_axis = Vector3::UnitY(), normal = Vector3::UnitZ();

  // The initial state.
  Pose initial_pose;
  Vector3 initial_velocity = Vector3::Zero();          // world axes
  Vector3 initial_angular_velocity = Vector3::Zero();  // world axes

  Placement CalcPlacement(const VectorX& q) const;
  Pose CalcPose(const VectorX& q) const;
  /// V of (1).
  Vector6 CalcSpatialVelocity(const VectorX& v) const;
  void WriteInitialState(VectorX* q, VectorX* v) const;
  void Retract(const VectorX& q, const VectorX& delta, VectorX* q_new) const;
  void CalcDifference(const VectorX& q, const VectorX& q_other, VectorX* delta) const;
  bool flat() const { return kind != BodyKind::kRigid; }
};

/// Sets the sizes, T and the reference of `body` from its kind and initial pose. For planar kinds
/// the plane's axes must be set before.
void FinishBody(Body* body);

}  // namespace saltus
