// Witnesses of two convex shapes along a given axis instead of the best one.
//
// The separation along a direction n is s(n) = min n·b − max n·a. It is at most the signed
// distance, so that s(n) ≥ 0 proves that the shapes are apart, and its sign says on which side of A
// the shape B is: a body that has passed through a plate has a negative separation along the axis
// it came from. All witnesses have the normal of the axis; that of the least gap has the gap s(n).
#include <cmath>

#include "saltus/collision/pair.h"
#include "saltus/collision/pair_core.h"

namespace saltus {
namespace {

/// Sine of an angle below which two edges have no common normal.
constexpr double kParallel = 1e-6;
/// One minus the cosine of the angle between normals that are the same but for rounding.
constexpr double kAlong = 1e-14;

bool IsSphere(const PlacedShape& s) { return s.radius > 0; }
bool IsSolid(const PlacedShape& s) { return IsSphere(s) || s.core.size > 0; }

// The world fixes the direction: turning moves no sphere.
void AddSpheresAlong(const PlacedShape& a, const PlacedShape& b, const Vector3& n,
                     WitnessSink* sink) {
  const double gap = n.dot(b.p - a.p) - a.radius - b.radius;
  constexpr Element kCenter{ElementKind::kPoint, 0};
  sink->Add(a.p + a.radius * n, b.p - b.radius * n, n, gap,
            MakeFeature(kCenter, kCenter, kHeldDirection));
}

// n points away from the solid, which carries the plane.
void AddSphereAlong(const PlacedShape& solid, const PlacedShape& sphere, Element element,
                    const Vector3& normal, WitnessSink* sink) {
  const Convex& core = solid.core;
  const bool is_face = element.kind == ElementKind::kFace;
  const Vector3 n = is_face ? PlaceElement(core, element).d : normal;
  const double height = n.dot(sphere.p - core.p) - CalcExtent(core, n) - core.radius;
  sink->Add(
      sphere.p - height * n, sphere.p - sphere.radius * n, n, height - sphere.radius,
      MakeFeature(is_face ? element : Element{ElementKind::kTangent, 0}, {ElementKind::kPoint, 0}));
}

// The axis at the poses of A and B.
Axis PlaceAxis(const Convex& A, const Convex& B, const PairAxis& held) {
  const Element a = FeatureElementA(held.feature), b = FeatureElementB(held.feature);
  Axis axis;
  if (a.kind == ElementKind::kFace) {
    axis.kind = Axis::Kind::kFaceA;
    axis.index_A = a.index;
    axis.normal = PlaceElement(A, a).d;
  } else if (b.kind == ElementKind::kFace) {
    axis.kind = Axis::Kind::kFaceB;
    axis.index_B = b.index;
    axis.normal = -PlaceElement(B, b).d;
  } else {
    axis.normal = held.normal;
    if (a.kind == ElementKind::kLine && b.kind == ElementKind::kLine) {
      const Vector3 cross = PlaceElement(A, a).d.cross(PlaceElement(B, b).d);
      if (cross.norm() > kParallel) {
        axis.normal = (cross.dot(held.normal) < 0 ? -1.0 : 1.0) / cross.norm() * cross;
        axis.element_A = a;
        axis.element_B = b;
      }
    }
  }
  const Vector3& n = axis.normal;
  axis.separation = CalcSeparation(A, B, n);
  axis.point_B = (B.p - A.p) + CalcSupport(B, -n).x;
  axis.point_A = axis.point_B - axis.separation * n;
  return axis;
}

}  // namespace

bool AddPairWitnessesAlong(const PlacedShape& a, const PlacedShape& b, const PairAxis& held,
                           PairScratch* scratch, WitnessSink* sink) {
  if (!IsSolid(a) || !IsSolid(b)) return false;
  if (IsSphere(a) && IsSphere(b)) {
    AddSpheresAlong(a, b, held.normal, sink);
    return true;
  }
  if (IsSphere(b)) {
    AddSphereAlong(a, b, FeatureElementA(held.feature), held.normal, sink);
    return true;
  }
  if (IsSphere(a)) {
    sink->Swap();
    AddSphereAlong(b, a, FeatureElementB(held.feature), -held.normal, sink);
    sink->Swap();
    return true;
  }
  const Convex &A = a.core, &B = b.core;
  const Axis axis = PlaceAxis(A, B, held);
  const std::vector<ManifoldPoint>& points =
      scratch->manifold.Build(A, B, axis, sink->margin(), ManifoldBuilder::Normals::kAxis);
  const double least = axis.separation - A.radius - B.radius;
  bool has_least = false;
  for (const ManifoldPoint& p : points) {
    if (p.normal.dot(axis.normal) < 1 - kAlong) continue;  // of edges that are nearly parallel
    sink->Add(A.p + p.point_A, A.p + p.point_B, p.normal, p.gap, p.feature);
    has_least = has_least || p.gap <= least + CalcBias(A, B);
  }
  if (!has_least) AddDeepest(A, B, axis, sink);  // beside the face
  return true;
}

}  // namespace saltus
