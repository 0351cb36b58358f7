// Separating axes of two polyhedra: the direction of least penetration.
//
// For a unit vector n from A to B the separation is s(n) = min n·b − max n·a. The signed distance
// of A and B is the largest s(n). For overlapping polyhedra the maximum is at a face normal of A or
// B or at the cross product of an edge of each. Where two candidates are equal to rounding
// (CalcBias) the order faces of A, faces of B, edges decides. @cite GottschalkLinManocha1996
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

/// Best axis of two polyhedra by trying all. Cost: directions_A · directions_B · (V_A + V_B).
Axis FindPolyhedronAxis(const Convex& A, const Convex& B);
double CalcPolyhedronAxisCost(const Convex& A, const Convex& B);

}  // namespace saltus
