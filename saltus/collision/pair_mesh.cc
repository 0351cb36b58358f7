// A mesh or height field against sphere, capsule, box, cylinder and convex hull.
//
// Each triangle near the other shape is a pair of its own; a contact counts only if its normal is
// one that the surface has there (mesh.h (1)). The witnesses of triangles that lie in one plane are
// then thinned out to the corners of their common outline.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/collision/curved_axis.h"
#include "saltus/collision/pair.h"
#include "saltus/collision/pair_core.h"

namespace saltus {
namespace {

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

Aabb CalcLocalBox(const PlacedShape& mesh, const Vector3& center, const Vector3& half) {
  const Vector3 c = mesh.R.transpose() * (center - mesh.p);
  Aabb box;
  box.low = c - half;
  box.high = c + half;
  return box;
}

struct NearPoint {
  Vector3 x;   // on the triangle
  int corner;  // kVertex: the corner; kEdge: the edge from this corner
  enum { kFace, kEdge, kVertex } kind;
};

NearPoint FindNearest(const Mesh& mesh, int t, const Vector3& c) {
  const Vector3& n = mesh.normal(t);
  double best = std::numeric_limits<double>::infinity();
  NearPoint nearest{c - n.dot(c - mesh.vertex(t, 0)) * n, -1, NearPoint::kFace};
  for (int k = 0; k < 3; ++k) {
    const Vector3 &u = mesh.vertex(t, k), &v = mesh.vertex(t, (k + 1) % 3);
    const Vector3 along = v - u;
    if (along.cross(n).dot(c - u) < 0) continue;  // inside this side
    const double s = (c - u).dot(along) / along.squaredNorm();
    const Vector3 x = s <= 0 ? u : s >= 1 ? v : Vector3(u + s * along);
    const double distance = (c - x).squaredNorm();
    if (distance >= best) continue;
    best = distance;
    if (s <= 0 || s >= 1) {
      nearest = {x, s <= 0 ? k : (k + 1) % 3, NearPoint::kVertex};
    } else {
      nearest = {x, k, NearPoint::kEdge};
    }
  }
  return nearest;
}

// Drops points that repeat an earlier one: same place and same normal.
void DropRepeated(double size, std::vector<MeshScratch::Point>* points) {
  for (std::size_t i = 0; i < points->size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const MeshScratch::Point &p = (*points)[i], &q = (*points)[j];
      if (q.dropped || (p.point_B - q.point_B).norm() > 1e-6 * size) continue;
      if ((p.normal - q.normal).norm() < 1e-5) {
        (*points)[i].dropped = true;
        break;
      }
    }
  }
}

// Keeps of the points in one plane with one normal only the corners of their outline.
void KeepOutline(const Vector3& n, double size, MeshScratch* scratch) {
  std::vector<int>& group = scratch->group;
  std::vector<int>& outline = scratch->outline;
  const Vector3 ex = n.unitOrthogonal(), ey = n.cross(ex);
  const auto x = [&](int i) { return ex.dot(scratch->points[Index(i)].point_B); };
  const auto y = [&](int i) { return ey.dot(scratch->points[Index(i)].point_B); };
  std::sort(group.begin(), group.end(),
            [&](int i, int j) { return x(i) != x(j) ? x(i) < x(j) : y(i) < y(j); });
  outline.clear();
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = outline.size();
    for (const int i : group) {
      while (outline.size() >= start + 2) {
        const int a = outline[outline.size() - 2], b = outline.back();
        const double ux = x(b) - x(a), uy = y(b) - y(a), vx = x(i) - x(a), vy = y(i) - y(a);
        if (ux * vy - uy * vx > 1e-7 * size * std::hypot(vx, vy)) break;
        outline.pop_back();
      }
      outline.push_back(i);
    }
    outline.pop_back();
    std::reverse(group.begin(), group.end());
  }
  for (const int i : group) scratch->points[Index(i)].dropped = true;
  for (const int i : outline) scratch->points[Index(i)].dropped = false;
}

void ThinOut(double size, MeshScratch* scratch) {
  std::vector<MeshScratch::Point>& points = scratch->points;
  DropRepeated(size, &points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].dropped) continue;
    scratch->group.clear();
    for (std::size_t j = 0; j < points.size(); ++j) {
      const Vector3& n = points[i].normal;
      if (points[j].dropped || (points[j].normal - n).norm() > 1e-9) continue;
      if (std::abs(n.dot(points[j].point_B - points[i].point_B)) > 1e-9 * size) continue;
      if (j < i) break;  // this plane has had its turn
      scratch->group.push_back(static_cast<int>(j));
    }
    if (scratch->group.size() > 2 && scratch->group.front() == static_cast<int>(i)) {
      KeepOutline(points[i].normal, size, scratch);
    }
  }
}

void Flush(const MeshScratch& scratch, WitnessSink* sink) {
  for (const MeshScratch::Point& p : scratch.points) {
    if (!p.dropped) sink->Add(p.point_A, p.point_B, p.normal, p.gap, p.feature);
  }
}

// What of a triangle is farthest along m (mesh frame).
struct Part {
  enum { kFace, kEdge, kVertex } kind = kFace;
  int id = -1;  // of the edge or vertex in the mesh
};

Part FindPart(const Mesh& mesh, int t, const Vector3& m, double tolerance) {
  double height[3];
  for (int k = 0; k < 3; ++k) height[k] = m.dot(mesh.vertex(t, k) - mesh.vertex(t, 0));
  const double top = *std::max_element(height, height + 3) - tolerance;
  int count = 0, low = 0, high = 0;
  for (int k = 0; k < 3; ++k) {
    if (height[k] >= top) {
      ++count;
      high = k;
    } else {
      low = k;
    }
  }
  if (count == 3) return {};
  if (count == 2) return {Part::kEdge, mesh.edge_id(t, (low + 1) % 3)};
  return {Part::kVertex, mesh.vertex_id(t, high)};
}

// True if the surface has the normal m where the triangle is farthest along m.
bool IsSurfaceNormal(const Mesh& mesh, int t, const Vector3& m, const Part& part) {
  if (part.kind == Part::kFace) return m.dot(mesh.normal(t)) > 0;
  if (part.kind == Part::kEdge) return mesh.IsNormalAtEdge(part.id, m);
  return mesh.IsNormalAtVertex(part.id, m);
}

// True if the surface falls away from the triangle's plane there.
bool FallsAway(const Mesh& mesh, int t, const Part& part) {
  if (part.kind == Part::kFace) return false;
  if (part.kind == Part::kEdge) return mesh.FallsAwayAtEdge(part.id, mesh.normal(t));
  return mesh.FallsAwayAtVertex(part.id, mesh.normal(t));
}

// The pair (core X, one triangle): A = X, B = the triangle.
class TrianglePair {
 public:
  TrianglePair(const PlacedShape& mesh, int t) : mesh_(mesh), t_(t) {
    const Vector3& o = mesh.mesh->vertex(t, 0);
    core_.kind = ConvexKind::kTriangle;
    core_.topology = &TriangleTopology();
    core_.p = mesh.p + mesh.R * o;
    for (int k = 0; k < 3; ++k) {
      vertices_[k] = mesh.R * (mesh.mesh->vertex(t, k) - o);
      core_.size = std::max(core_.size, vertices_[k].norm());
    }
    normals_[0] = mesh.R * mesh.mesh->normal(t);
    normals_[1] = -normals_[0];
    core_.vertices = vertices_;
    core_.normals = normals_;
  }

  void AddPoints(const Convex& X, double max_gap, PairScratch* scratch) const {
    const GjkResult gjk = CalcGjk(X, core_, max_gap);
    if (gjk.status == GjkResult::Status::kFar) return;
    const Axis face = MakeFaceAxis(X);
    Axis axis = face;
    if (gjk.status == GjkResult::Status::kSeparated) {
      axis = FindExactAxis(X, core_, gjk.normal, gjk.distance, gjk.point_A, gjk.point_B);
      if (axis.kind == Axis::Kind::kGeneral) {
        if (X.is_polyhedron()) {
          SetSimplexElements(X, core_, gjk, &axis);
        } else {
          PolishAxis(X, core_, &axis);
        }
      }
    } else if (face.separation < -1e-6 * std::min(X.size, core_.size)) {
      if (X.is_polyhedron()) {
        axis = FindPolyhedronAxis(X, core_);
      } else if (!FindTouchingAxis(X, core_, gjk, scratch, &axis)) {
        return;
      }
    }
    double least_gap = -std::numeric_limits<double>::infinity();
    if (axis.separation <= face.separation + CalcBias(X, core_) || !IsAllowed(X, axis)) {
      // The face itself, unless X is behind it altogether.
      if (face.separation <= -CalcThickness(X)) return;
      if (gjk.status != GjkResult::Status::kSeparated) {
        axis = face;
        OfferAllowed(X, &axis);
      } else {
        if (gjk.distance > X.radius && FallsAway(*mesh_.mesh, t_, FindTouchedPart(X, axis))) {
          least_gap = -1e-7 * std::min(X.size, core_.size);  // what is behind is beyond that edge
        }
        axis = face;
      }
    }
    for (const ManifoldPoint& p : scratch->manifold.Build(X, core_, axis, max_gap - X.radius,
                                                          ManifoldBuilder::Normals::kAxis)) {
      if (p.gap + X.radius < least_gap) continue;
      scratch->mesh.points.push_back(
          {X.p + p.point_A, X.p + p.point_B, p.normal, p.gap, NameOnMesh(p.feature), false});
    }
  }

 private:
  // From the numbers of the triangle's own elements to those of the mesh.
  Feature NameOnMesh(Feature feature) const {
    const Mesh& mesh = *mesh_.mesh;
    const Element a = FeatureElementA(feature);
    Element b = FeatureElementB(feature);
    switch (b.kind) {
      case ElementKind::kPoint:
        b.index = mesh.vertex_id(t_, b.index);
        break;
      case ElementKind::kLine:
        b.index = mesh.edge_id(t_, FindCorner(b.index));
        break;
      case ElementKind::kFace:
        b.index = t_;
        break;
      default:
        b.index = MixIndex(b.index, t_, 0);
    }
    return MakeFeature(a, b, static_cast<unsigned>(feature & 15));
  }
  // The corner of the triangle that its edge starts from.
  int FindCorner(int edge) const {
    const Topology& t = *core_.topology;
    for (int k = 0; k < 2; ++k) {
      if (t.face_edges[Index(k)] == edge) return k;
    }
    return 2;
  }
  Axis MakeFaceAxis(const Convex& X) const {
    Axis axis;
    axis.kind = Axis::Kind::kFaceB;
    axis.index_B = 0;
    axis.normal = -normals_[0];
    axis.separation = CalcSeparation(X, core_, axis.normal);
    return axis;
  }
  // Replaces the face by a face or cap of X or an edge product that the surface has as its normal,
  // if it separates better: where X reaches over a sharp edge, the face alone would be far too
  // deep.
  void OfferAllowed(const Convex& X, Axis* best) const {
    const double bias = CalcBias(X, core_);
    const auto offer = [&](Axis::Kind kind, int a, int b, const Vector3& n) {
      if (-n.dot(normals_[0]) > 1 - 1e-8) return;  // the face itself
      Axis axis;
      axis.kind = kind;
      axis.index_A = a;
      axis.index_B = b;
      axis.normal = n;
      axis.separation = CalcSeparation(X, core_, n);
      if (axis.separation > best->separation + bias && IsAllowed(X, axis)) *best = axis;
    };
    const auto offer_edges = [&](int a, const Vector3& direction) {
      for (int k = 0; k < 3; ++k) {
        const Vector3 cross = direction.cross(vertices_[(k + 1) % 3] - vertices_[k]);
        if (cross.norm() < 1e-6 * direction.norm() * core_.size) continue;
        const int b = core_.topology->edges[Index(core_.topology->face_edges[Index(k)])].direction;
        for (const double sign : {1.0, -1.0})
          offer(Axis::Kind::kEdges, a, b, sign * cross.normalized());
      }
    };
    if (!X.is_polyhedron()) {
      offer(Axis::Kind::kFaceA, 0, -1, X.axis());
      offer(Axis::Kind::kFaceA, 0, -1, -X.axis());
      return;
    }
    for (int f = 0; f < X.num_faces(); ++f) offer(Axis::Kind::kFaceA, f, -1, X.normals[f]);
    for (int d = 0; d < static_cast<int>(X.topology->directions.size()); ++d) {
      const Topology::Edge& e = X.topology->edges[Index(X.topology->directions[Index(d)])];
      offer_edges(d, X.vertices[e.vertex[1]] - X.vertices[e.vertex[0]]);
    }
  }
  // Extent of X along the face normal, with its radius.
  double CalcThickness(const Convex& X) const {
    return CalcExtent(X, normals_[0]) + CalcExtent(X, normals_[1]) + X.radius;
  }
  Vector3 CalcSurfaceDirection(const Axis& axis) const {
    return -(mesh_.R.transpose() * axis.normal);
  }
  Part FindTouchedPart(const Convex& X, const Axis& axis) const {
    const double tolerance = 1e-7 * std::min(X.size, core_.size);
    return FindPart(*mesh_.mesh, t_, CalcSurfaceDirection(axis), tolerance);
  }
  bool IsAllowed(const Convex& X, const Axis& axis) const {
    return IsSurfaceNormal(*mesh_.mesh, t_, CalcSurfaceDirection(axis), FindTouchedPart(X, axis));
  }

  const PlacedShape& mesh_;
  int t_;
  Convex core_;
  Vector3 vertices_[3], normals_[2];
};

}  // namespace

void AddSphereMesh(const PlacedShape& a, const PlacedShape& b, PairScratch* scratch,
                   WitnessSink* sink) {
  const Mesh& mesh = *b.mesh;
  const double r = a.radius;
  const Vector3 c = b.R.transpose() * (a.p - b.p);
  std::vector<MeshScratch::Point>& points = scratch->mesh.points;
  points.clear();
  const Aabb box = CalcLocalBox(b, a.p, Vector3::Constant(r + sink->margin()));
  mesh.bvh().Query(box, [&](int t) {
    const NearPoint nearest = FindNearest(mesh, t, c);
    const Vector3 out = c - nearest.x;
    const double distance = out.norm(), height = mesh.normal(t).dot(out);
    if (distance - r >= sink->margin() || height < -r) return;
    Vector3 n = mesh.normal(t);
    double gap = height - r;
    Element element{ElementKind::kFace, t};
    const bool is_flat = height > 0 && distance - height <= 1e-13 * r;
    if (nearest.kind != NearPoint::kFace && distance > 0 && !is_flat) {
      n = out / distance;
      gap = distance - r;
    }
    if (nearest.kind == NearPoint::kEdge) {
      const int edge = mesh.edge_id(t, nearest.corner);
      if (!mesh.IsNormalAtEdge(edge, n)) return;
      if (!is_flat) element = {ElementKind::kLine, edge};
    } else if (nearest.kind == NearPoint::kVertex) {
      const int vertex = mesh.vertex_id(t, nearest.corner);
      if (!mesh.IsNormalAtVertex(vertex, n)) return;
      if (!is_flat) element = {ElementKind::kPoint, vertex};
    }
    const Vector3 n_W = b.R * n;
    points.push_back({a.p - r * n_W, a.p - (gap + r) * n_W, -n_W, gap,
                      MakeFeature({ElementKind::kPoint, 0}, element), false});
  });
  DropRepeated(r, &points);
  Flush(scratch->mesh, sink);
}

void AddConvexMesh(const PlacedShape& a, const PlacedShape& b, PairScratch* scratch,
                   WitnessSink* sink) {
  const Convex& X = a.core;
  const double max_gap = sink->margin() + X.radius;
  Vector3 half, middle;
  for (int k = 0; k < 3; ++k) {
    const Vector3 axis = b.R.col(k);
    const double high = CalcExtent(X, axis), low = -CalcExtent(X, -axis);
    half[k] = 0.5 * (high - low) + max_gap;
    middle[k] = 0.5 * (high + low);
  }
  std::vector<int>& triangles = scratch->mesh.triangles;
  triangles.clear();
  scratch->mesh.points.clear();
  b.mesh->bvh().Query(CalcLocalBox(b, X.p + b.R * middle, half),
                      [&](int t) { triangles.push_back(t); });
  std::sort(triangles.begin(), triangles.end());
  for (const int t : triangles) TrianglePair(b, t).AddPoints(X, max_gap, scratch);
  ThinOut(X.size + X.radius, &scratch->mesh);
  Flush(scratch->mesh, sink);
}

}  // namespace saltus
