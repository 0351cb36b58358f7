// From witness points to contacts: frames and rows of H.
//
// Witness of bodies A and B: points p_A, p_B, normal n from A to B, gap = n·(p_B − p_A), and
// p_B − p_A ∥ n. With x midway between them, r_i = x − p_i the levers and t₁, t₂ ⟂ n:
//   u = (n, t₁, t₂)ᵀ (v_B(x) − v_A(x)),   u_N = d gap/dt exactly, because p_B − p_A ∥ n      (1)
//   rows of H:   B: [d, R_Bᵀ(r_B × d)],   A: −[d, R_Aᵀ(r_A × d)],   d ∈ {n, t₁, t₂}          (2)
// One common point x makes action and reaction collinear: friction keeps the angular momentum.
#pragma once

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

/// Appends the blocks (2) of one body to the contact added last. sign: −1 for A, +1 for B.
void AddContactBlock(int index, const Body& body, const Placement& placement,
                     const Contact& contact, double sign, ContactSet* contacts);

}  // namespace saltus
