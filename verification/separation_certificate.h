// A certificate that two convex shapes do not overlap, independent of saltus/collision.
//
// For a unit vector n the separation of A and B is
//   s(n) = min_{b∈B} n·b − max_{a∈A} n·a = n·(p_B − p_A) − h_A(n) − h_B(−n),                    (1)
// h the support functions, written here from the definitions of the shapes. Any n with s(n) ≥ −ε
// proves that the shapes overlap by no more than ε, however n was found. The search offers
//   - the face normals, caps and products of edge directions of both: complete for polyhedra
//     (two boxes: the 15 axes);
//   - the normal of the point of (B + δ n₀) ⊖ A nearest to the origin, n₀ ← n: shapes that touch
//     are moved apart by δ along the last guess, so that the direction is well defined;
//   - the best direction on the circle square to an edge or an axis that is nearly square to n.
// Polyhedra are judged to rounding, curved shapes to about 1e-11 of their size.
#pragma once

#include <vector>

#include "saltus/base/types.h"
#include "saltus/collision/shape.h"

namespace saltus {

/// A shape of collision/shape.h where it is: data only, none of the algorithms there.
struct CertifiedShape {
  Shape shape;
  Pose pose;
};

struct SeparationCertificate {
  double separation = 0;  // s(normal), m
  Vector3 normal = Vector3::UnitZ();
};

/// s(n) of (1). A half-space may be A or B: its support is finite along its own normal alone.
double CalcCertifiedSeparation(const CertifiedShape& A, const CertifiedShape& B, const Vector3& n);

/// The best direction found; the search ends as soon as one separates by `enough`. Half-space,
/// sphere, capsule, box, cylinder and convex hull; throws InputError for surfaces.
SeparationCertificate FindSeparation(const CertifiedShape& A, const CertifiedShape& B,
                                     double enough);

}  // namespace saltus
