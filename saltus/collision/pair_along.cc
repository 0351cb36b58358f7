// Witnesses of two convex shapes along a given axis instead of the best one.
//
// The separation along a direction n is s(n) = min n·b − max n·a. It is at most the signed distance,
// so that s(n) ≥ 0 proves that the shapes are apart, and it tells on which side of A the shape B is:
// a body that has passed through a plate has a negative separation along the axis it came from.
#include <cmath>

#include "saltus/collision/pair.h"
#include "saltus/collision/pair_core.h"

namespace saltus {
namespace {

bool IsSphere(const PlacedShape& s) { return s.radius > 0; }

// A sphere as a core: its centre, inflated.
struct CoreOf {
  explicit CoreOf(const PlacedShape& s) : core(s.core) {
    if (!IsSphere(s)) return;
    static const ConvexGeometry point = MakeSegmentGeometry(0);
    core.kind = ConvexKind::kSegment;
    core.p = s.p;
    core.topology = &point.topology;
    core.vertices = point.vertices.data();
    core.radius = core.size = s.radius;
  }
  Convex core;
};

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
      if (cross.norm() > 1e-6) {
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
  const bool convex = (IsSphere(a) || a.core.size > 0) && (IsSphere(b) || b.core.size > 0);
  if (!convex) return false;
  const CoreOf core_A(a), core_B(b);
  const Convex &A = core_A.core, &B = core_B.core;
  const Axis axis = PlaceAxis(A, B, held);
  const std::vector<ManifoldPoint>& points = scratch->manifold.Build(A, B, axis, sink->margin());
  for (const ManifoldPoint& p : points) {
    if (p.gap <= axis.separation - A.radius - B.radius + CalcBias(A, B)) {
      AddManifold(A, points, sink);
      return true;
    }
  }
  AddDeepest(A, B, axis, sink);
  return true;
}

}  // namespace saltus
