// Separating axes of two polyhedra: the direction of least penetration.
//
// For a unit vector n from A to B the separation is s(n) = min n·b − max n·a. The signed distance
// of A and B is the largest s(n). For overlapping polyhedra the maximum is at a face normal of A or
// B or at the cross product of an edge of each. Where two candidates are equal to rounding
// (CalcBias) the order faces of A, faces of B, edges decides. @cite GottschalkLinManocha1996
//
// Of two edges only those make a face of B ⊖ A, and thereby a maximum, whose arcs cross on the unit
// sphere: the arc from n₁ to n₂, normals of the two faces at an edge of A, and that from −m₁ to −m₂
// of B. With the edge vectors e ∥ n₂ × n₁ and f ∥ m₂ × m₁ this is
//   (e·m₁)(e·m₂) < 0,   (f·n₁)(f·n₂) < 0,   and both arcs in one half of the sphere.           (1)
#pragma once

#include "saltus/collision/convex.h"

namespace saltus {

struct Axis {
  enum class Kind { kFaceA, kFaceB, kEdges, kGeneral };
  Kind kind = Kind::kGeneral;
  int index_A = -1, index_B = -1;     // kFaceA, kFaceB: the face; kEdges: the edge directions
  Vector3 normal = Vector3::UnitZ();  // from A to B
  double separation = 0;
  Vector3 point_A = Vector3::Zero(), point_B = Vector3::Zero();  // kGeneral: relative to A.p
  /// kGeneral: the elements that touch; not known if A's is a tangent plane.
  Element element_A{ElementKind::kTangent, 0}, element_B{ElementKind::kMaterial, 0};
};

/// Best axis of two boxes: 6 face normals and 9 edge products. Stops at an axis beyond `limit`.
Axis FindBoxAxis(const Convex& A, const Convex& B, double limit);

/// Best axis of two polyhedra by trying all, of two solid ones those edges that fulfil (1). Cost of
/// the others: directions_A · directions_B · (V_A + V_B).
Axis FindPolyhedronAxis(const Convex& A, const Convex& B);
double CalcPolyhedronAxisCost(const Convex& A, const Convex& B);

}  // namespace saltus
