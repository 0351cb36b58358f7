// A cylinder against capsule, box, cylinder or convex hull.
//
// GJK and EPA find the direction by iteration; it is then replaced by the exact one it stands for:
// a face normal, a cap, or what curved_axis.h makes of it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/collision/curved_axis.h"
#include "saltus/collision/pair.h"
#include "saltus/collision/pair_core.h"

namespace saltus {
namespace {

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

Axis FindIteratedAxis(const Convex& A, const Convex& B, const Vector3& n, double s,
                      const Vector3& point_A, const Vector3& point_B) {
  Axis axis = FindExactAxis(A, B, n, s, point_A, point_B);
  if (axis.kind == Axis::Kind::kGeneral) PolishAxis(A, B, &axis);
  return axis;
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

// Directions square to a cylinder's axis that may be better than `axis`: the starts of (1).
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
//   n ← normal of (A, B + δ n),   δ = 0.05 size − s(n).                                        (1)
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
    const double radii = A.radius + B.radius;
    for (const ManifoldPoint& p : scratch->manifold.Build(A, B, *axis, shallow - radii)) {
      if (p.gap + radii <= axis->separation + CalcBias(A, B)) return true;
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
  const double margin = sink->margin(), max_gap = margin + A.radius + B.radius;
  const GjkResult gjk = CalcGjk(A, B, max_gap);
  if (gjk.status == GjkResult::Status::kFar) return;
  Axis axis;
  const bool is_separated = gjk.status == GjkResult::Status::kSeparated;
  if (is_separated) {  // by its own separation: on curved surfaces GJK's distance has noise of 1e-8
    axis = FindIteratedAxis(A, B, gjk.normal, CalcSeparation(A, B, gjk.normal), gjk.point_A,
                            gjk.point_B);
  }
  if (!is_separated || gjk.distance < 1e-6 * std::min(A.size, B.size)) {
    Axis touching;
    const bool found = FindTouchingAxis(A, B, gjk, scratch, &touching);
    if (!found && !is_separated) return;
    if (found && (!is_separated || touching.separation > axis.separation - CalcBias(A, B))) {
      axis = touching;
    }
  }
  const std::vector<ManifoldPoint>& points = scratch->manifold.Build(A, B, axis, margin);
  if (points.empty() && axis.separation < max_gap) return AddDeepest(A, B, axis, sink);
  AddManifold(A, points, sink);
}

}  // namespace saltus
