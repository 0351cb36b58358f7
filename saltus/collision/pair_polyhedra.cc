// Capsule, box and convex hull against each other: an axis, then a manifold along it.
//
// Separated cores: GJK gives the direction; it is replaced by the face normal or the edge product
// that it stands for, so that normals carry no iteration error. Touching or overlapping cores: the
// separating axes, or EPA where there are too many of them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "saltus/collision/pair.h"
#include "saltus/collision/pair_core.h"

namespace saltus {

bool SetSimplexElements(const Convex& A, const Convex& B, const GjkResult& gjk, Axis* axis) {
  int ids[2][2] = {{-1, -1}, {-1, -1}};
  for (int k = 0; k < gjk.count; ++k) {
    for (const int side : {0, 1}) {
      int(&id)[2] = ids[side];
      const int next = side == 0 ? gjk.simplex[k].id_a : gjk.simplex[k].id_b;
      if (id[0] < 0 || id[0] == next) {
        id[0] = next;
      } else if (id[1] < 0 || id[1] == next) {
        id[1] = next;
      } else {
        return false;
      }
    }
  }
  const auto find = [](const Convex& core, const int(&id)[2], Element* element) {
    *element = {ElementKind::kPoint, id[0]};
    if (id[1] < 0) return id[0] >= 0;
    const std::vector<Topology::Edge>& edges = core.topology->edges;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if ((edges[e].vertex[0] == id[0] && edges[e].vertex[1] == id[1]) ||
          (edges[e].vertex[0] == id[1] && edges[e].vertex[1] == id[0])) {
        *element = {ElementKind::kLine, static_cast<int>(e)};
        return true;
      }
    }
    return false;
  };
  Element a, b;
  if (!find(A, ids[0], &a) || !find(B, ids[1], &b)) return false;
  axis->element_A = a;
  axis->element_B = b;
  return true;
}

namespace {

constexpr double kMaxAxisCost = 20000;  // above it EPA is faster

Axis MakeGeneralAxis(const Vector3& n, double s, const Vector3& point_A, const Vector3& point_B) {
  Axis axis;
  axis.normal = n;
  axis.separation = s;
  axis.point_A = point_A;
  axis.point_B = point_B;
  return axis;
}

// The edge product behind a GJK direction: the simplex has two vertices of each polyhedron.
std::optional<Axis> FindEdgesOfSimplex(const Convex& A, const Convex& B, const GjkResult& gjk) {
  Axis axis;
  if (!SetSimplexElements(A, B, gjk, &axis)) return {};
  if (axis.element_A.kind != ElementKind::kLine || axis.element_B.kind != ElementKind::kLine) {
    return {};
  }
  axis.kind = Axis::Kind::kEdges;
  axis.index_A = A.topology->edges[static_cast<std::size_t>(axis.element_A.index)].direction;
  axis.index_B = B.topology->edges[static_cast<std::size_t>(axis.element_B.index)].direction;
  const Vector3 cross = PlaceElement(A, axis.element_A).d.cross(PlaceElement(B, axis.element_B).d);
  if (cross.norm() < 1e-6) return {};
  axis.normal = cross.normalized();
  if (axis.normal.dot(gjk.normal) < 0) axis.normal = -axis.normal;
  axis.separation = CalcSeparation(A, B, axis.normal);
  return axis;
}

}  // namespace

// A polyhedron's face or a cylinder's cap that looks along n, if it separates as well as `least`.
std::optional<Axis> FindFaceAxis(const Convex& A, const Convex& B, bool of_A, const Vector3& n,
                                 double least) {
  const Convex& ref = of_A ? A : B;
  const Vector3 outward = of_A ? n : Vector3(-n);
  Axis axis;
  axis.kind = of_A ? Axis::Kind::kFaceA : Axis::Kind::kFaceB;
  Vector3 normal;
  if (ref.is_polyhedron()) {
    const int face = FindFace(ref, outward);
    if (face < 0) return {};
    (of_A ? axis.index_A : axis.index_B) = face;
    normal = ref.normals[face];
  } else {
    normal = outward.dot(ref.axis()) < 0 ? Vector3(-ref.axis()) : ref.axis();
  }
  if (normal.dot(outward) <= 0.5) return {};
  axis.normal = of_A ? normal : Vector3(-normal);
  axis.separation = CalcSeparation(A, B, axis.normal);
  if (axis.separation < least) return {};
  return axis;
}

Axis FindExactAxis(const Convex& A, const Convex& B, const Vector3& n, double s,
                   const Vector3& point_A, const Vector3& point_B) {
  const double least = s - CalcBias(A, B);
  // A polyhedron's face before a cap: its outline is exact.
  const bool a_first = A.is_polyhedron() || !B.is_polyhedron();
  if (const auto axis = FindFaceAxis(A, B, a_first, n, least)) return *axis;
  if (const auto axis = FindFaceAxis(A, B, !a_first, n, least)) return *axis;
  return MakeGeneralAxis(n, s, point_A, point_B);
}

void AddDeepest(const Convex& A, const Convex& B, const Axis& axis, WitnessSink* sink) {
  const Vector3& n = axis.normal;
  const double s = axis.separation;
  const bool ref_is_A = axis.kind == Axis::Kind::kFaceA;
  const bool ref_is_face = ref_is_A || axis.kind == Axis::Kind::kFaceB;
  const Vector3 deepest =
      ref_is_A ? Vector3(B.p - A.p + CalcSupport(B, -n).x) : CalcSupport(A, n).x;
  const Vector3 x_A = ref_is_A ? Vector3(deepest - s * n) : deepest;
  const Vector3 x_B = ref_is_A ? deepest : Vector3(deepest + s * n);
  Element a{ElementKind::kTangent, 0}, b{ElementKind::kMaterial, 0};
  const Convex& ref = ref_is_A ? A : B;
  if (ref_is_face) {
    const int index = ref_is_A ? axis.index_A : axis.index_B;
    const Vector3 out = ref_is_A ? n : Vector3(-n);
    const int face = ref.is_polyhedron() ? index : (out.dot(ref.axis()) > 0 ? 1 : 0);
    (ref_is_A ? a : b) = {ElementKind::kFace, face};
    (ref_is_A ? b : a) = FindSupportElement(ref_is_A ? B : A, -out);
  }
  sink->Add(A.p + (x_A + A.radius * n), A.p + (x_B - B.radius * n), n, s - A.radius - B.radius,
            MakeFeature(a, b));
}

void AddManifold(const Convex& A, const std::vector<ManifoldPoint>& points, WitnessSink* sink) {
  for (const ManifoldPoint& p : points) {
    sink->Add(A.p + p.point_A, A.p + p.point_B, p.normal, p.gap, p.feature);
  }
}

namespace {

// The axis of two polyhedra that GJK found separated, touching or overlapping.
Axis FindAxis(const Convex& A, const Convex& B, const GjkResult& gjk, PairScratch* scratch) {
  if (gjk.status == GjkResult::Status::kSeparated) {
    Axis axis = FindExactAxis(A, B, gjk.normal, gjk.distance, gjk.point_A, gjk.point_B);
    if (axis.kind != Axis::Kind::kGeneral) return axis;
    SetSimplexElements(A, B, gjk, &axis);
    const auto edges = FindEdgesOfSimplex(A, B, gjk);
    return edges && edges->separation >= gjk.distance - CalcBias(A, B) ? *edges : axis;
  }
  if (CalcPolyhedronAxisCost(A, B) > kMaxAxisCost) {
    const EpaResult epa = scratch->epa.Solve(A, B, gjk);
    if (epa.found) {
      return FindExactAxis(A, B, epa.normal, epa.separation, epa.point_A, epa.point_B);
    }
  }
  return FindPolyhedronAxis(A, B);
}

// Of the points that both shapes have: a tangent plane reaches beyond the edge that it stands for.
double CalcLeastGap(const std::vector<ManifoldPoint>& points) {
  double least = std::numeric_limits<double>::infinity();
  for (const ManifoldPoint& p : points) {
    if (FeatureElementA(p.feature).kind != ElementKind::kTangent) least = std::min(least, p.gap);
  }
  return least;
}

}  // namespace

void AddPolyhedra(const PlacedShape& a, const PlacedShape& b, PairScratch* scratch,
                  WitnessSink* sink) {
  const Convex &A = a.core, &B = b.core;
  const double margin = sink->margin(), max_gap = margin + A.radius + B.radius;
  Axis axis;
  if (A.kind == ConvexKind::kBox && B.kind == ConvexKind::kBox) {
    axis = FindBoxAxis(A, B, max_gap);
    if (axis.separation >= max_gap) return;
    const std::vector<ManifoldPoint>& points = scratch->manifold.Build(A, B, axis, margin);
    // A point with the gap of the axis proves that it is the distance.
    if (axis.separation <= 0 || CalcLeastGap(points) <= axis.separation + CalcBias(A, B)) {
      if (points.empty()) return AddDeepest(A, B, axis, sink);
      return AddManifold(A, points, sink);
    }
    const GjkResult gjk = CalcGjk(A, B, max_gap);
    if (gjk.status == GjkResult::Status::kFar) return;
    if (gjk.status == GjkResult::Status::kSeparated &&
        gjk.distance > axis.separation + CalcBias(A, B)) {
      axis = MakeGeneralAxis(gjk.normal, gjk.distance, gjk.point_A, gjk.point_B);
      SetSimplexElements(A, B, gjk, &axis);
    }
  } else {
    const GjkResult gjk = CalcGjk(A, B, max_gap);
    if (gjk.status == GjkResult::Status::kFar) return;
    axis = FindAxis(A, B, gjk, scratch);
  }
  const std::vector<ManifoldPoint>& points = scratch->manifold.Build(A, B, axis, margin);
  if (points.empty() && axis.separation < max_gap) return AddDeepest(A, B, axis, sink);
  AddManifold(A, points, sink);
}

}  // namespace saltus
