// The exact direction behind an iterated one, where a cylinder is involved.
//
// Along the contact normal a cylinder (axis u, radius r, half length L) shows its cap, a line of
// its side or a point of its rim; a polyhedron shows a face, an edge or a vertex. With P = 1 − u uᵀ
// the support function of the cylinder and its derivatives are
//   h(n)  = L |u·n| + r |P n|                                                                  (1)
//   ∇h(n) = L sign(u·n) u + r m,   m = P n / |P n|   (the rim point)                           (2)
//   ∇²h(n) = r/|P n| (u×m)(u×m)ᵀ.                                                              (3)
// A line is a kink of h: the normal is square to it. So the best direction is a face or cap, or
//   line and line:    n ∝ e_A × e_B,                                                           (4)
//   line and vertex:  n ∝ x − (x·u) u,  x from the axis to the vertex,                         (5)
//   line and rim:     a stationary point of h_A(n) + h_B(−n) − n·c on the circle n ⟂ e,        (6)
//   rim and rim or vertex:  one on the sphere |n| = 1.                                         (7)
// (6) and (7) are found by Newton's method, which ends at rounding. c = B.p − A.p.
#pragma once

#include "saltus/collision/separating_axis.h"

namespace saltus {

/// Replaces the direction of a kGeneral axis by the best one of (4)–(7) near it if that separates
/// at least as well (CalcBias), and sets separation and points to fit. At least one core is a
/// cylinder.
void PolishAxis(const Convex& A, const Convex& B, Axis* axis);

}  // namespace saltus
