#include "saltus/collision/convex.h"

#include <cmath>
#include <map>
#include <numbers>
#include <utility>

namespace saltus {
namespace {

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

void AddNeighbors(Topology* t) {
  std::vector<std::vector<int>> lists(Index(t->num_vertices));
  for (const Topology::Edge& e : t->edges) {
    lists[Index(e.vertex[0])].push_back(e.vertex[1]);
    lists[Index(e.vertex[1])].push_back(e.vertex[0]);
  }
  for (const std::vector<int>& list : lists) {
    t->neighbors.insert(t->neighbors.end(), list.begin(), list.end());
    t->neighbor_begin.push_back(static_cast<int>(t->neighbors.size()));
  }
}

// Numbers the edges and groups the parallel ones: angle below 1e-9.
void AddEdges(const std::vector<Vector3>& vertices, Topology* t) {
  std::map<std::pair<int, int>, int> number;
  t->face_edges.resize(t->face_vertices.size());
  for (int f = 0; f < t->num_faces(); ++f) {
    const int begin = t->face_begin[Index(f)], end = t->face_begin[Index(f) + 1];
    for (int k = begin; k < end; ++k) {
      const int a = t->face_vertices[Index(k)];
      const int b = t->face_vertices[Index(k + 1 < end ? k + 1 : begin)];
      const auto [it, is_new] =
          number.emplace(std::minmax(a, b), static_cast<int>(t->edges.size()));
      if (is_new) t->edges.push_back({{a, b}, -1});
      t->face_edges[Index(k)] = it->second;
      t->edges[Index(it->second)].face[is_new ? 0 : 1] = f;
    }
  }
  const auto along = [&](const Topology::Edge& e) -> Vector3 {
    return (vertices[Index(e.vertex[1])] - vertices[Index(e.vertex[0])]).normalized();
  };
  for (std::size_t i = 0; i < t->edges.size(); ++i) {
    const Vector3 d = along(t->edges[i]);
    for (std::size_t k = 0; k < t->directions.size() && t->edges[i].direction < 0; ++k) {
      const Topology::Edge& other = t->edges[Index(t->directions[k])];
      if (d.cross(along(other)).norm() < 1e-9) t->edges[i].direction = static_cast<int>(k);
    }
    if (t->edges[i].direction >= 0) continue;
    t->edges[i].direction = static_cast<int>(t->directions.size());
    t->directions.push_back(static_cast<int>(i));
  }
  AddNeighbors(t);
}

void AddFaces(const std::vector<std::vector<int>>& faces, Topology* t) {
  for (const std::vector<int>& face : faces) {
    t->face_vertices.insert(t->face_vertices.end(), face.begin(), face.end());
    t->face_begin.push_back(static_cast<int>(t->face_vertices.size()));
  }
}

Topology MakeTriangleTopology() {
  Topology t;
  t.num_vertices = 3;
  AddFaces({{0, 1, 2}, {0, 2, 1}}, &t);
  AddEdges({Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(0, 1, 0)}, &t);
  return t;
}

Support FindSupport(const Convex& core, const Vector3& d) {
  constexpr int kScanLimit = 40;  // below it a scan beats walking along the edges
  const Topology& t = *core.topology;
  int best = 0;
  double height = d.dot(core.vertices[0]);
  if (t.num_vertices <= kScanLimit) {
    for (int i = 1; i < t.num_vertices; ++i) {
      const double h = d.dot(core.vertices[i]);
      if (h > height) height = h, best = i;
    }
    return {core.vertices[best], best};
  }
  for (bool climbs = true; climbs;) {
    climbs = false;
    const int from = best;
    for (int k = t.neighbor_begin[Index(from)]; k < t.neighbor_begin[Index(from) + 1]; ++k) {
      const int i = t.neighbors[Index(k)];
      const double h = d.dot(core.vertices[i]);
      if (h > height) height = h, best = i, climbs = true;
    }
  }
  return {core.vertices[best], best};
}

Support FindCylinderSupport(const Convex& core, const Vector3& d) {
  const double along = d.dot(core.axis());
  Vector3 across = d - along * core.axis();
  across -= across.dot(core.axis()) * core.axis();  // near a cap the first difference is rounding
  const double length = across.norm();
  Vector3 x = std::copysign(core.half_size.z(), along) * core.axis();
  // Within rounding of the axis the whole cap is farthest: take a fixed rim point.
  if (length > 1e-14 * std::abs(along)) {
    x += core.half_size.x() / length * across;
  } else {
    x += core.half_size.x() * core.R.col(0);
  }
  return {x, -1};
}

}  // namespace

// Vertex i has the sign of bit k of i along axis k; faces −x, +x, −y, +y, −z, +z.
ConvexGeometry MakeBoxGeometry(const Vector3& half_size) {
  ConvexGeometry g;
  for (int i = 0; i < 8; ++i) {
    g.vertices.emplace_back((i & 1) ? half_size.x() : -half_size.x(),
                            (i & 2) ? half_size.y() : -half_size.y(),
                            (i & 4) ? half_size.z() : -half_size.z());
  }
  g.topology.num_vertices = 8;
  AddFaces({{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}},
           &g.topology);
  for (int k = 0; k < 3; ++k) {
    g.normals.push_back(-Vector3::Unit(k));
    g.normals.push_back(Vector3::Unit(k));
  }
  AddEdges(g.vertices, &g.topology);
  return g;
}

ConvexGeometry MakeSegmentGeometry(double half_length) {
  ConvexGeometry g;
  g.vertices = {Vector3(0, 0, -half_length), Vector3(0, 0, half_length)};
  g.topology.num_vertices = 2;
  g.topology.edges.push_back({{0, 1}, 0});
  g.topology.directions.push_back(0);
  AddNeighbors(&g.topology);
  return g;
}

ConvexGeometry MakeHullGeometry(const Polyhedron& polyhedron) {
  ConvexGeometry g;
  g.vertices = polyhedron.vertices;
  g.normals = polyhedron.face_normals;
  g.topology.num_vertices = static_cast<int>(g.vertices.size());
  AddFaces(polyhedron.faces, &g.topology);
  AddEdges(g.vertices, &g.topology);
  for (const Vector3& v : g.vertices) g.bounds.Extend(v);
  return g;
}

const Topology& TriangleTopology() {
  static const Topology topology = MakeTriangleTopology();
  return topology;
}

Support CalcSupport(const Convex& core, const Vector3& d) {
  switch (core.kind) {
    case ConvexKind::kBox: {
      const int id = (d.dot(core.R.col(0)) > 0 ? 1 : 0) + (d.dot(core.R.col(1)) > 0 ? 2 : 0) +
                     (d.dot(core.R.col(2)) > 0 ? 4 : 0);
      return {core.vertices[id], id};
    }
    case ConvexKind::kCylinder:
      return FindCylinderSupport(core, d);
    default:
      return FindSupport(core, d);
  }
}

int FindFace(const Convex& core, const Vector3& d) {
  int best = -1;
  double largest = 0.0;
  for (int f = 0; f < core.num_faces(); ++f) {
    const double cosine = d.dot(core.normals[f]);
    if (best < 0 || cosine > largest) largest = cosine, best = f;
  }
  return best;
}

namespace {

PlacedElement PlaceCylinderElement(const Convex& core, Element element) {
  PlacedElement placed;
  placed.kind = element.kind;
  placed.d = core.axis();
  const bool is_point = element.kind == ElementKind::kPoint;
  const int cap = is_point ? element.index / 8 : element.index;
  const Vector3 center = (cap == 0 ? -1.0 : 1.0) * core.half_size.z() * core.axis();
  if (element.kind == ElementKind::kLine) {
    placed.radius = core.half_size.x();
    return placed;
  }
  placed.x = center;
  if (element.kind == ElementKind::kRim) placed.rim = core.half_size.x();
  if (element.kind == ElementKind::kFace && cap == 0) placed.d = -core.axis();
  if (is_point) {
    const double angle = 0.25 * std::numbers::pi * (element.index % 8);
    placed.x +=
        core.half_size.x() * (std::cos(angle) * core.R.col(0) + std::sin(angle) * core.R.col(1));
  }
  return placed;
}

}  // namespace

PlacedElement PlaceElement(const Convex& core, Element element) {
  if (!core.is_polyhedron()) return PlaceCylinderElement(core, element);
  PlacedElement placed;
  placed.kind = element.kind;
  placed.radius = core.radius;
  const Topology& t = *core.topology;
  if (element.kind == ElementKind::kFace) {
    const int first = t.face_begin[Index(element.index)];
    placed.x = core.vertices[t.face_vertices[Index(first)]];
    placed.d = core.normals[element.index];
  } else if (element.kind == ElementKind::kLine) {
    const Topology::Edge& edge = t.edges[Index(element.index)];
    placed.x = core.vertices[edge.vertex[0]];
    placed.d = (core.vertices[edge.vertex[1]] - placed.x).normalized();
  } else {
    placed.x = core.vertices[element.index];
  }
  return placed;
}

Element FindSupportElement(const Convex& core, const Vector3& d) {
  if (core.is_polyhedron()) return {ElementKind::kPoint, CalcSupport(core, d).id};
  return {ElementKind::kRim, d.dot(core.axis()) > 0 ? 1 : 0};
}

}  // namespace saltus
