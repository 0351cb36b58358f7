// A cylinder against capsule, box, cylinder or convex hull.
//
// GJK and EPA find the direction by iteration; it is then replaced by the exact one it stands for:
// a face normal, a cap, or a direction square to the cylinder's axis u towards an edge or a vertex
// x,
//   n ∝ u × e   (edge e across the axis),     n ∝ x − (x·u) u   (vertex, or edge along the axis).
//   (1)
// What remains (rim against edge or rim) keeps the iterated direction.
#include <cmath>
#include <limits>

#include "saltus/collision/pair.h"
#include "saltus/collision/pair_core.h"

namespace saltus {
namespace {

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

bool Offer(const Convex& A, const Convex& B, const Vector3& direction, Axis* axis) {
  const double length = direction.norm();
  if (!(length > 0)) return false;
  Vector3 n = direction / length;
  if (n.dot(axis->normal) < 0) n = -n;
  const double s = CalcSeparation(A, B, n);
  if (s < axis->separation) return false;
  axis->normal = n;
  axis->separation = s;
  return true;
}

// Tries the directions (1) of the cylinder `cyl` against the part of `other` that touches it.
void OfferSideAxes(const Convex& A, const Convex& B, const Convex& cyl, const Convex& other,
                   Axis* axis) {
  const Vector3 u = cyl.axis();
  const Vector3 n = &cyl == &A ? axis->normal : Vector3(-axis->normal);  // from cyl to other
  if (std::abs(n.dot(u)) > 1e-3) return;
  const Vector3 c = other.p - cyl.p;
  bool found = false;
  const auto offer_cross = [&](const Vector3& e) {
    const Vector3 cross = u.cross(e);
    if (cross.norm() > 1e-6) found |= Offer(A, B, cross, axis);
  };
  const auto offer_point = [&](const Vector3& x) { found |= Offer(A, B, x - x.dot(u) * u, axis); };
  if (other.is_polyhedron()) {
    const double height = CalcExtent(other, -n) - 1e-3 * other.size;
    for (const Topology::Edge& e : other.topology->edges) {
      const Vector3 &x = other.vertices[e.vertex[0]], &y = other.vertices[e.vertex[1]];
      if (-n.dot(x) >= height && -n.dot(y) >= height) offer_cross((y - x).normalized());
    }
    offer_point(c + CalcSupport(other, -n).x);
  } else if (u.cross(other.axis()).norm() > 1e-6) {
    offer_cross(other.axis());
  } else {
    offer_point(c);
  }
  if (!found) Offer(A, B, n - n.dot(u) * u, axis);
}

// Slides the witness points along the normal to the extreme planes of A and B, so that their gap is
// the separation: EPA's points are on an inner polytope, and the normal may have been replaced.
void SetPoints(const Convex& A, const Convex& B, Axis* axis) {
  const Vector3& n = axis->normal;
  const double gap = n.dot(axis->point_B - axis->point_A);
  if (std::abs(gap - axis->separation) <= 1e-14 * (A.size + B.size)) return;
  const Vector3 middle = 0.5 * (axis->point_A + axis->point_B);
  axis->point_A = middle + (CalcExtent(A, n) - n.dot(middle)) * n;
  axis->point_B = axis->point_A + axis->separation * n;
}

Axis Refine(const Convex& A, const Convex& B, Axis axis) {
  const Axis iterated = axis;
  axis.separation -= CalcBias(A, B);  // exact directions win ties
  if (!A.is_polyhedron()) OfferSideAxes(A, B, A, B, &axis);
  if (!B.is_polyhedron()) OfferSideAxes(A, B, B, A, &axis);
  if (axis.normal == iterated.normal) axis = iterated;
  SetPoints(A, B, &axis);
  return axis;
}

Axis FindIteratedAxis(const Convex& A, const Convex& B, const Vector3& n, double s,
                      const Vector3& point_A, const Vector3& point_B) {
  const Axis axis = FindExactAxis(A, B, n, s, point_A, point_B);
  return axis.kind == Axis::Kind::kGeneral ? Refine(A, B, axis) : axis;
}

// The best face or cap of either core.
Axis FindBestFace(const Convex& A, const Convex& B) {
  Axis best;
  best.separation = -std::numeric_limits<double>::infinity();
  const double bias = CalcBias(A, B);
  const auto offer = [&](bool of_A, int face, const Vector3& outward) {
    const Vector3 n = of_A ? outward : Vector3(-outward);
    const double s = CalcSeparation(A, B, n);
    if (!(s > best.separation + bias)) return;
    best.kind = of_A ? Axis::Kind::kFaceA : Axis::Kind::kFaceB;
    (of_A ? best.index_A : best.index_B) = face;
    best.normal = n;
    best.separation = s;
  };
  for (const bool polyhedra : {true, false}) {
    for (const bool of_A : {true, false}) {
      const Convex& core = of_A ? A : B;
      if (core.is_polyhedron() != polyhedra) continue;
      if (polyhedra) {
        for (int f = 0; f < core.num_faces(); ++f) offer(of_A, f, core.normals[Index(f)]);
      } else {
        offer(of_A, 0, core.axis());
        offer(of_A, 0, -core.axis());
      }
    }
  }
  return best;
}

// Directions square to a cylinder's axis that may be better than `axis`: the starts of (2).
void OfferSideStarts(const Convex& A, const Convex& B, const Convex& cyl, const Convex& other,
                     Axis* axis) {
  const Vector3 u = cyl.axis(), c = B.p - A.p;
  const auto offer = [&](const Vector3& direction) {
    const double length = direction.norm();
    if (length < 1e-6 * (A.size + B.size)) return;
    const Vector3 n = (direction.dot(c) < 0 ? -1.0 : 1.0) / length * direction;
    const double s = CalcSeparation(A, B, n);
    if (s <= axis->separation + CalcBias(A, B)) return;
    axis->kind = Axis::Kind::kGeneral;
    axis->normal = n;
    axis->separation = s;
  };
  offer(c - c.dot(u) * u);
  if (!other.is_polyhedron()) return offer(other.size * u.cross(other.axis()));
  for (const int e : other.topology->directions) {
    const Topology::Edge& edge = other.topology->edges[Index(e)];
    offer(u.cross(other.vertices[edge.vertex[1]] - other.vertices[edge.vertex[0]]));
  }
}

// Improves the direction of an overlap: B is moved out along it by a known way δ, to where GJK is
// accurate, and its normal is the next guess,
//   n ← normal of (A, B + δ n),   δ = 0.05 size − s(n).                                        (2)
// A fixed point has s(n) = distance − δ. The map contracts while the overlap is less than the
// radius of curvature of A ⊖ B. Returns false if no direction as good as the first one is found.
bool Improve(const Convex& A, const Convex& B, Axis* axis) {
  constexpr int kMaxIterations = 20;
  const double clearance = 0.05 * std::min(A.size, B.size), first = axis->separation;
  Convex moved = B;
  Axis best = *axis;
  bool found = false;
  for (int i = 0; i < kMaxIterations; ++i) {
    const Vector3 way = (clearance - axis->separation) * axis->normal;
    moved.p = B.p + way;
    const GjkResult gjk = CalcGjk(A, moved, 4 * clearance);
    if (gjk.status != GjkResult::Status::kSeparated) break;
    const double change = (gjk.normal - axis->normal).norm();
    axis->normal = gjk.normal;
    axis->separation = CalcSeparation(A, B, gjk.normal);
    axis->point_A = gjk.point_A;
    axis->point_B = gjk.point_B - way;
    if (axis->separation >= best.separation - 1e-13 * (A.size + B.size)) {
      best = *axis;
      found = true;
    }
    if (change < 1e-7) break;
  }
  *axis = best;
  return found && best.separation >= first - CalcBias(A, B);
}

}  // namespace

bool FindTouchingAxis(const Convex& A, const Convex& B, const GjkResult& gjk, PairScratch* scratch,
                      Axis* axis) {
  // A resting contact is shallow and on a face: no need to look further.
  *axis = FindBestFace(A, B);
  const double shallow = 1e-6 * std::min(A.size, B.size);
  if (std::abs(axis->separation) < shallow) {
    for (const ManifoldPoint& p : scratch->manifold.Build(A, B, *axis, shallow)) {
      if (p.gap <= axis->separation + CalcBias(A, B)) return true;
    }
  }
  Axis start = *axis;
  if (!A.is_polyhedron()) OfferSideStarts(A, B, A, B, &start);
  if (!B.is_polyhedron()) OfferSideStarts(A, B, B, A, &start);
  if (start.separation < -1e-3 * std::min(A.size, B.size) || !Improve(A, B, &start)) {
    const EpaResult epa = scratch->epa.Solve(A, B, gjk);
    if (!epa.found) return std::isfinite(axis->separation);
    start.normal = epa.normal;
    start.separation = epa.separation;
    start.point_A = epa.point_A;
    start.point_B = epa.point_B;
    Improve(A, B, &start);
  }
  *axis = FindIteratedAxis(A, B, start.normal, start.separation, start.point_A, start.point_B);
  return true;
}

void AddWithCylinder(const PlacedShape& a, const PlacedShape& b, PairScratch* scratch,
                     WitnessSink* sink) {
  const Convex &A = a.core, &B = b.core;
  const double max_gap = sink->margin() + A.radius + B.radius;
  const GjkResult gjk = CalcGjk(A, B, max_gap);
  if (gjk.status == GjkResult::Status::kFar) return;
  Axis axis;
  if (gjk.status == GjkResult::Status::kSeparated) {
    axis = FindIteratedAxis(A, B, gjk.normal, gjk.distance, gjk.point_A, gjk.point_B);
  } else if (!FindTouchingAxis(A, B, gjk, scratch, &axis)) {
    return;
  }
  const std::vector<ManifoldPoint>& points = scratch->manifold.Build(A, B, axis, max_gap);
  if (points.empty() && axis.separation < max_gap) return AddDeepest(A, B, axis, sink);
  AddManifold(A, B, axis, points, sink);
}

}  // namespace saltus
