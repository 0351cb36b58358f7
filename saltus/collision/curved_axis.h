// The exact direction behind an iterated one, where a cylinder is involved.
//
// Along the contact normal a cylinder shows its cap, a line of its side or a point of its rim; a
// polyhedron shows a face, an edge or a vertex. A line is a kink of the support function: the
// normal is square to it. So the best direction is a face or cap, or
//   line and line:    n ∝ e_A × e_B,                                                           (4)
//   line and vertex:  n ∝ x − (x·u) u,  x from the axis to the vertex,                         (5)
//   line and rim:     a stationary point of h_A(n) + h_B(−n) − n·c on the circle n ⟂ e,        (6)
//   rim and rim or vertex:  one on the sphere |n| = 1.                                         (7)
// (6) and (7) are found by Newton's method (best_normal.h (1)–(3)). c = B.p − A.p.
#pragma once

#include "saltus/collision/separating_axis.h"

namespace saltus {

/// Replaces the direction of a kGeneral axis by the best one of (4)–(7) near it if that separates
/// at least as well (CalcBias), and sets separation, elements and points to fit. At least one core
/// is a cylinder.
void PolishAxis(const Convex& A, const Convex& B, Axis* axis);

}  // namespace saltus
