// From witness points to contacts: frames and rows of H.
//
// Witness of bodies A and B: points p_A of A and p_B of B, normal n from A to B, and
// p_B − p_A = gap n. With r_A, r_B the levers from the bodies' origins to their own witness, and
// t₁, t₂ ⟂ n:
//   u = (n, t₁, t₂)ᵀ (v_B(p_B) − v_A(p_A)),   u_N = d gap/dt exactly, because p_B − p_A ∥ n    (1)
//   rows of H:   B: [d, R_Bᵀ(r_B × d)],   A: −[d, R_Aᵀ(r_A × d)],   d ∈ {n, t₁, t₂}          (2)
//   rolling and spinning:  ω_B − ω_A along d,   B: [0, R_Bᵀd],   A: −[0, R_Aᵀd]                (3)
// The slip is that of the two surfaces: a ball that rolls has slip 0 also while its gap is open.
// Friction on an open contact makes the angular impulse gap n × P_T, which vanishes with the gap.
#pragma once

#include <optional>
#include <vector>

#include "saltus/base/types.h"
#include "saltus/dynamics/contact_set.h"
#include "saltus/multibody/bodies/body.h"
#include "saltus/multibody/contact/contact_tables.h"

namespace saltus {

/// Columns n, t₁, t₂ (right-handed): the world axes x, y carried to the tangent plane along the
/// shortest way. Continuous in n except on a small circle about −e_z.
Matrix3 MakeContactFrame(const Vector3& n);

/// Columns n, t₁ = normal × n (made unit), t₂ = n × t₁ for a planar model with this normal.
Matrix3 MakePlanarContactFrame(const Vector3& n, const Vector3& plane_normal);

/// The frame turned along the shortest way so that its first column becomes n: it does not spin
/// about the normal.
Matrix3 TurnContactFrame(const Matrix3& frame, const Vector3& n);

/// What the rows (2) need of a body, on two cache lines: a Body has ten, and a large pile misses
/// the cache for each.
struct ContactBody {
  Placement placement;
  int first_velocity = 0, num_velocities = 0;
  const Matrix6* map = nullptr;  // T of body.h; null for rigid bodies, whose T is the identity
};

/// Whether a normal is so steep against the plane of a planar model that it moves nothing in it.
bool IsAcrossPlane(const Vector3& n, const Vector3& plane_normal);
/// Whether two points of a manifold are one contact in a planar model.
bool IsSameInPlane(const Vector3& x, const Vector3& y, const Vector3& plane_normal);

/// The key of a witness of two colliders, a < b.
inline ContactKey MakeColliderKey(int a, int b, std::uint64_t feature) {
  return {(static_cast<std::uint64_t>(a) << 32) | static_cast<std::uint64_t>(b), feature};
}

/// Where the point of a named contact is against its surface: gap, normal and foot, world. Nothing
/// beyond the ends of the surface, unless it is extended (surface.h).
std::optional<SurfaceFoot> FindNamedContact(const NamedContact& named,
                                            const std::vector<Pose>& poses, bool extended = false);

}  // namespace saltus
