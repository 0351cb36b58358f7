#include "saltus/collision/manifold.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace saltus {
namespace {

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

// How far beside a face a vertex may be to count as on its border, m.
double CalcClipTolerance(const Convex& A, const Convex& B) {
  return 1e-7 * std::min(A.size, B.size) + 1e-14 * (A.size + B.size);
}

struct Stretch {
  Vector3 start, end;  // relative to the core's p
  int id = -1;
};

// The edge of the core that is farthest along n and perpendicular to it within tolerance.
bool FindSupportEdge(const Convex& core, const Vector3& n, double tolerance, Stretch* edge) {
  if (core.kind == ConvexKind::kCylinder) {
    const Vector3 half = core.half_size.z() * core.axis();
    if (std::abs(n.dot(half)) > tolerance) return false;
    const Vector3 across = (n - n.dot(core.axis()) * core.axis()).normalized();
    const Vector3 middle = core.half_size.x() * across;
    *edge = {middle - half, middle + half, 0};
    return true;
  }
  const double height = CalcExtent(core, n) - tolerance;
  for (int e = 0; e < static_cast<int>(core.topology->edges.size()); ++e) {
    const Topology::Edge& edge_e = core.topology->edges[Index(e)];
    const Vector3 &a = core.vertices[edge_e.vertex[0]], &b = core.vertices[edge_e.vertex[1]];
    if (n.dot(a) < height || n.dot(b) < height) continue;
    *edge = {a, b, e};
    return true;
  }
  return false;
}

// The edge of direction number `direction` that is farthest along n.
int FindEdge(const Convex& core, int direction, const Vector3& n) {
  int best = -1;
  double largest = 0;
  for (int e = 0; e < static_cast<int>(core.topology->edges.size()); ++e) {
    const Topology::Edge& edge = core.topology->edges[Index(e)];
    if (edge.direction != direction) continue;
    const double h = n.dot(core.vertices[edge.vertex[0]] + core.vertices[edge.vertex[1]]);
    if (best < 0 || h > largest) largest = h, best = e;
  }
  return best;
}

}  // namespace

std::uint32_t MakeFeature(int a, int b, int c, int d) {
  std::uint64_t h = 0x9E3779B97F4A7C15ull;
  for (const int part : {a, b, c, d}) {
    h ^= static_cast<std::uint32_t>(part);
    h *= 0xBF58476D1CE4E5B9ull;
    h ^= h >> 31;
  }
  return static_cast<std::uint32_t>(h >> 16);
}

const std::vector<ManifoldPoint>& ManifoldBuilder::Build(const Convex& A, const Convex& B,
                                                         const Axis& axis, double max_gap) {
  points_.clear();
  switch (axis.kind) {
    case Axis::Kind::kFaceA:
      if (A.is_polyhedron()) {
        BuildFromFace(A, B, axis.index_A, false, max_gap);
      } else {
        BuildFromCap(A, B, axis.normal, false, max_gap);
      }
      break;
    case Axis::Kind::kFaceB:
      if (B.is_polyhedron()) {
        BuildFromFace(B, A, axis.index_B, true, max_gap);
      } else {
        BuildFromCap(B, A, -axis.normal, true, max_gap);
      }
      break;
    case Axis::Kind::kEdges:
      BuildFromEdges(A, B, axis, max_gap);
      break;
    case Axis::Kind::kGeneral:
      BuildGeneral(A, B, axis, max_gap);
      break;
  }
  if (points_.size() > 8) Reduce(axis.normal);
  return points_;
}

const std::vector<ManifoldPoint>& ManifoldBuilder::BuildOnPlane(const Vector3& n, double offset,
                                                                const Convex& B, double max_gap) {
  points_.clear();
  for (int i = 0; i < B.num_vertices(); ++i) {
    const Vector3& x = B.vertices[i];
    const double gap = n.dot(x) - offset;
    if (gap < max_gap) points_.push_back({x - gap * n, x, gap, static_cast<std::uint32_t>(i)});
  }
  if (points_.size() > 8) Reduce(n);
  return points_;
}

void ManifoldBuilder::BuildFromFace(const Convex& ref, const Convex& inc, int face, bool swapped,
                                    double max_gap) {
  const Vector3& n = ref.normals[face];
  const int ref_id = 2 * face + (swapped ? 1 : 0);
  const int inc_id = AddIncident(inc, inc.p - ref.p, n, ref_id);
  ClipByFace(ref, face, CalcClipTolerance(ref, inc), ref_id, inc_id);
  AddPoints(ref, inc, n, ref.face_offset(face), swapped, max_gap);
  if (!KeepDeepest(inc, inc.p - ref.p, n, inc_id, ref_id)) return;
  ClipByFace(ref, face, CalcClipTolerance(ref, inc), ref_id, inc_id);
  AddPoints(ref, inc, n, ref.face_offset(face), swapped, max_gap);
}

void ManifoldBuilder::ClipByFace(const Convex& ref, int face, double tolerance, int ref_id,
                                 int inc_id) {
  const Topology& t = *ref.topology;
  const int begin = t.face_begin[Index(face)], end = t.face_begin[Index(face) + 1];
  for (int k = begin; k < end && !polygon_.empty(); ++k) {
    const Vector3& a = ref.vertices[t.face_vertices[Index(k)]];
    const Vector3& b = ref.vertices[t.face_vertices[Index(k + 1 < end ? k + 1 : begin)]];
    const Vector3 side = (b - a).cross(ref.normals[face]).normalized();
    ClipBySide(side, side.dot(a), tolerance, k - begin, ref_id, inc_id);
  }
}

// The face of a hull that is nearest to parallel need not hold the deepest vertex: then that vertex
// alone becomes the polygon.
bool ManifoldBuilder::KeepDeepest(const Convex& inc, const Vector3& offset, const Vector3& n,
                                  int inc_face, int ref_id) {
  if (inc.kind != ConvexKind::kHull) return false;
  const Support deepest = CalcSupport(inc, -n);
  const Topology& t = *inc.topology;
  for (int k = t.face_begin[Index(inc_face)]; k < t.face_begin[Index(inc_face) + 1]; ++k) {
    if (t.face_vertices[Index(k)] == deepest.id) return false;
  }
  polygon_.assign(1, {offset + deepest.x, MakeFeature(1, ref_id, deepest.id, 0), -1});
  return true;
}

void ManifoldBuilder::BuildFromCap(const Convex& ref, const Convex& inc, const Vector3& n,
                                   bool swapped, double max_gap) {
  const int ref_id = (n.dot(ref.axis()) > 0 ? 2 : 0) + (swapped ? 1 : 0);
  const int inc_id = AddIncident(inc, inc.p - ref.p, n, ref_id);
  ClipByDisc(ref, CalcClipTolerance(ref, inc), ref_id);
  AddPoints(ref, inc, n, ref.half_size.z(), swapped, max_gap);
  if (!KeepDeepest(inc, inc.p - ref.p, n, inc_id, ref_id)) return;
  ClipByDisc(ref, CalcClipTolerance(ref, inc), ref_id);
  AddPoints(ref, inc, n, ref.half_size.z(), swapped, max_gap);
}

// Puts the part of `inc` that faces the normal n into polygon_: two vertices mean a segment.
// Returns a number of that part.
int ManifoldBuilder::AddIncident(const Convex& inc, const Vector3& offset, const Vector3& n,
                                 int ref_id) {
  polygon_.clear();
  const auto add = [&](const Vector3& x, int vertex, int edge) {
    polygon_.push_back({offset + x, MakeFeature(1, ref_id, vertex, 0), edge});
  };
  if (inc.kind == ConvexKind::kCylinder) {
    const double cosine = n.dot(inc.axis());
    const Vector3 near = -std::copysign(inc.half_size.z(), cosine) * inc.axis();
    const Vector3 slope = cosine * inc.axis() - n;  // down the cap, towards the reference face
    const Vector3 ex = slope.norm() > 1e-8 ? slope.normalized() : inc.R.col(0);
    const double r = inc.half_size.x();
    if (std::abs(cosine) < 0.7) {
      add(near + r * ex, 0, 0);
      add(-near + r * ex, 8, 0);
      return 0;
    }
    const Vector3 ey = inc.axis().cross(ex);
    for (int k = 0; k < 8; ++k) {
      const double angle = 0.25 * std::numbers::pi * k;
      add(near + r * (std::cos(angle) * ex + std::sin(angle) * ey), k, k);
    }
    return 1;
  }
  const int face = FindFace(inc, -n);
  if (face < 0) {  // a segment
    add(inc.vertices[0], 0, 0);
    add(inc.vertices[1], 1, 0);
    return 0;
  }
  const Topology& t = *inc.topology;
  for (int k = t.face_begin[Index(face)]; k < t.face_begin[Index(face) + 1]; ++k) {
    const int vertex = t.face_vertices[Index(k)];
    add(inc.vertices[vertex], vertex, t.face_edges[Index(k)]);
  }
  return face;
}

// Sutherland–Hodgman with a thick plane: a vertex within tolerance of it is kept as it is.
void ManifoldBuilder::ClipBySide(const Vector3& side, double offset, double tolerance, int side_id,
                                 int ref_id, int inc_id) {
  clipped_.clear();
  const std::size_t count = polygon_.size();
  const std::size_t num_edges = count == 2 ? 1 : count;
  for (std::size_t i = 0; i < count; ++i) {
    const Vertex &v = polygon_[i], &w = polygon_[(i + 1) % count];
    const double dv = side.dot(v.x) - offset, dw = side.dot(w.x) - offset;
    if (dv <= tolerance) clipped_.push_back(v);
    const bool leaves = dv < -tolerance && dw > tolerance;
    const bool enters = dv > tolerance && dw < -tolerance;
    if (i >= num_edges || !(leaves || enters)) {
      // The border runs along the side after the last kept vertex.
      if (dv <= tolerance && dw > tolerance && count > 2) clipped_.back().edge = -1 - side_id;
      continue;
    }
    const Vector3 x = v.x + dv / (dv - dw) * (w.x - v.x);
    const std::uint32_t feature = v.edge >= 0 ? MakeFeature(2, ref_id, v.edge, side_id)
                                              : MakeFeature(3 + inc_id, ref_id, v.edge, side_id);
    clipped_.push_back({x, feature, leaves && count > 2 ? -1 - side_id : v.edge});
  }
  polygon_.swap(clipped_);
}

// Keeps what is inside the infinite cylinder of ref: vertices and crossings of the edges.
void ManifoldBuilder::ClipByDisc(const Convex& ref, double tolerance, int ref_id) {
  clipped_.clear();
  const double radius = ref.half_size.x();
  const auto flat = [&](const Vector3& x) -> Vector3 { return x - x.dot(ref.axis()) * ref.axis(); };
  const std::size_t count = polygon_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Vertex &v = polygon_[i], &w = polygon_[(i + 1) % count];
    const Vector3 a = flat(v.x), d = flat(w.x) - a;
    const bool inside = a.norm() <= radius + tolerance;
    const bool next_inside = (a + d).norm() <= radius + tolerance;
    if (inside) clipped_.push_back(v);
    if ((inside && next_inside) || (count == 2 && i == 1)) continue;
    // |a + t d|² = r²
    const double dd = d.squaredNorm(), ad = a.dot(d);
    const double discriminant = ad * ad - dd * (a.squaredNorm() - radius * radius);
    if (dd == 0 || discriminant <= 0) continue;
    const double root = std::sqrt(discriminant);
    const double t[2] = {(-ad - root) / dd, (-ad + root) / dd};
    for (int k = 0; k < 2; ++k) {
      const double border = tolerance / std::sqrt(dd);
      if (t[k] <= border || t[k] >= 1 - border || (k == 0 && inside) || (k == 1 && next_inside)) {
        continue;
      }
      clipped_.push_back({v.x + t[k] * (w.x - v.x), MakeFeature(2, ref_id, v.edge, k), v.edge});
    }
  }
  polygon_.swap(clipped_);
}

// polygon_ is relative to ref.p; n is the outward normal of ref, n·x = offset its plane.
void ManifoldBuilder::AddPoints(const Convex& ref, const Convex& inc, const Vector3& n,
                                double offset, bool swapped, double max_gap) {
  const Vector3 shift = swapped ? Vector3(ref.p - inc.p) : Vector3::Zero();  // to A.p
  for (const Vertex& v : polygon_) {
    const double gap = n.dot(v.x) - offset;
    if (gap >= max_gap) continue;
    const Vector3 on_inc = v.x + shift, on_ref = on_inc - gap * n;
    points_.push_back(swapped ? ManifoldPoint{on_inc, on_ref, gap, v.feature}
                              : ManifoldPoint{on_ref, on_inc, gap, v.feature});
  }
}

void ManifoldBuilder::BuildFromEdges(const Convex& A, const Convex& B, const Axis& axis,
                                     double max_gap) {
  const int ea = FindEdge(A, axis.index_A, axis.normal);
  const int eb = FindEdge(B, axis.index_B, -axis.normal);
  const Topology::Edge &edge_A = A.topology->edges[Index(ea)],
                       &edge_B = B.topology->edges[Index(eb)];
  const Vector3& a = A.vertices[edge_A.vertex[0]];
  const Vector3 b = (B.p - A.p) + B.vertices[edge_B.vertex[0]];
  const Vector3 u = A.vertices[edge_A.vertex[1]] - a;
  const Vector3 v = B.vertices[edge_B.vertex[1]] - B.vertices[edge_B.vertex[0]];
  // Nearest points a + s u, b + t v of the two lines, kept on the edges.
  const Vector3 w = b - a;
  const double uu = u.dot(u), uv = u.dot(v), vv = v.dot(v), uw = u.dot(w), vw = v.dot(w);
  double s = std::clamp((uw * vv - vw * uv) / (uu * vv - uv * uv), 0.0, 1.0);
  const double t = std::clamp((s * uv - vw) / vv, 0.0, 1.0);
  s = std::clamp((uw + t * uv) / uu, 0.0, 1.0);
  const Vector3 point_A = a + s * u, point_B = b + t * v;
  const double gap = axis.normal.dot(point_B - point_A);
  if (gap < max_gap) points_.push_back({point_A, point_B, gap, MakeFeature(4, ea, eb, 0)});
}

// Two parallel edges over each other: the two ends of their common stretch.
bool ManifoldBuilder::BuildParallelEdges(const Convex& A, const Convex& B, const Axis& axis,
                                         double max_gap) {
  const double tolerance = CalcClipTolerance(A, B);
  Stretch a, b;
  if (!FindSupportEdge(A, axis.normal, tolerance, &a)) return false;
  if (!FindSupportEdge(B, -axis.normal, tolerance, &b)) return false;
  const Vector3 c = B.p - A.p;
  const Vector3 along = (a.end - a.start).normalized();
  const Vector3 v = (b.end - b.start).normalized();
  if (along.cross(v).norm() > 1e-6) return false;
  const double a0 = along.dot(a.start), a1 = along.dot(a.end);
  double b0 = along.dot(c + b.start), b1 = along.dot(c + b.end);
  const bool reversed = b0 > b1;
  if (reversed) std::swap(b0, b1);
  const double low = std::max(a0, b0), high = std::min(a1, b1);
  if (high - low < tolerance) return false;
  const Vector3 b_low = c + (reversed ? b.end : b.start);
  const Vector3 b_along = reversed ? Vector3(-v) : v;
  for (int k = 0; k < 2; ++k) {
    const double at = k == 0 ? low : high;
    const Vector3 point_A = a.start + (at - a0) * along, point_B = b_low + (at - b0) * b_along;
    const double gap = axis.normal.dot(point_B - point_A);
    if (gap < max_gap) points_.push_back({point_A, point_B, gap, MakeFeature(5, a.id, b.id, k)});
  }
  return true;
}

void ManifoldBuilder::BuildGeneral(const Convex& A, const Convex& B, const Axis& axis,
                                   double max_gap) {
  if (BuildParallelEdges(A, B, axis, max_gap)) return;
  const double gap = axis.normal.dot(axis.point_B - axis.point_A);
  if (gap >= max_gap) return;
  points_.push_back({axis.point_A, axis.point_B, gap, MakeFeature(6, 0, 0, 0)});
}

// Keeps the deepest point and the farthest ones in eight directions across the normal.
void ManifoldBuilder::Reduce(const Vector3& n) {
  const Vector3 ex = n.unitOrthogonal(), ey = n.cross(ex);
  kept_.clear();
  const auto keep = [&](const ManifoldPoint& p) {
    for (const ManifoldPoint& other : kept_) {
      if (other.feature == p.feature) return;
    }
    kept_.push_back(p);
  };
  keep(*std::min_element(points_.begin(), points_.end(),
                         [](const auto& p, const auto& q) { return p.gap < q.gap; }));
  for (int k = 0; k < 8; ++k) {
    const double angle = 0.25 * std::numbers::pi * k;
    const Vector3 d = std::cos(angle) * ex + std::sin(angle) * ey;
    keep(*std::max_element(points_.begin(), points_.end(), [&](const auto& p, const auto& q) {
      return d.dot(p.point_A) < d.dot(q.point_A);
    }));
  }
  points_.swap(kept_);
}

}  // namespace saltus
