#include "saltus/collision/mesh.h"

#include <algorithm>
#include <map>
#include <utility>

namespace saltus {
namespace {

constexpr double kAngle = 1e-6;  // rad, tolerance of (1): far above rounding, far below any crease
constexpr double kSharp = 1e-3;  // rad, a crease that a shape can reach over

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Mesh::Mesh(const MeshData& data) {
  // Vertices at the same place are one vertex: triangle soups have neighbours too.
  std::map<std::array<double, 3>, int> seen;
  std::vector<Vector3> vertices;
  std::vector<int> number;
  for (const Vector3& v : data.vertices) {
    const auto [it, is_new] =
        seen.emplace(std::array{v.x(), v.y(), v.z()}, static_cast<int>(vertices.size()));
    if (is_new) vertices.push_back(v);
    number.push_back(it->second);
  }
  std::vector<std::array<int, 3>> triangles;
  for (const std::array<int, 3>& t : data.triangles) {
    triangles.push_back({number[Index(t[0])], number[Index(t[1])], number[Index(t[2])]});
  }
  Build(vertices, triangles);
}

// Each cell is cut along the diagonal from (i, j) to (i+1, j+1).
Mesh::Mesh(const HeightFieldData& data) {
  std::vector<Vector3> vertices;
  const auto at = [&](int i, int j) { return i + data.nx * j; };
  for (int j = 0; j < data.ny; ++j) {
    for (int i = 0; i < data.nx; ++i) {
      vertices.emplace_back(i * data.dx, j * data.dy, data.heights[Index(at(i, j))]);
    }
  }
  std::vector<std::array<int, 3>> triangles;
  for (int j = 0; j + 1 < data.ny; ++j) {
    for (int i = 0; i + 1 < data.nx; ++i) {
      triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  Build(vertices, triangles);
}

void Mesh::Build(const std::vector<Vector3>& vertices,
                 const std::vector<std::array<int, 3>>& triangles) {
  vertices_ = vertices;
  vertex_edges_.resize(vertices.size());
  std::map<std::pair<int, int>, int> number;
  std::vector<Aabb> boxes;
  for (const std::array<int, 3>& t : triangles) {
    const Vector3 &a = vertices[Index(t[0])], &b = vertices[Index(t[1])],
                  &c = vertices[Index(t[2])];
    const Vector3 area = (b - a).cross(c - a);
    if (area.norm() <= 1e-14 * (b - a).norm() * (c - a).norm() || area.norm() == 0) continue;
    const int index = static_cast<int>(triangles_.size());
    Triangle triangle{t, {}, area.normalized()};
    for (std::size_t k = 0; k < 3; ++k) {
      const int u = t[k], v = t[(k + 1) % 3];
      const auto [it, is_new] = number.emplace(std::minmax(u, v), static_cast<int>(edges_.size()));
      if (is_new) {
        edges_.push_back({{u, v}, {}});
        vertex_edges_[Index(u)].push_back(it->second);
        vertex_edges_[Index(v)].push_back(it->second);
      }
      edges_[Index(it->second)].triangles.push_back(index);
      triangle.edge[k] = it->second;
    }
    triangles_.push_back(triangle);
    Aabb box;
    for (const Vector3* x : {&a, &b, &c}) box.Extend(*x);
    boxes.push_back(box);
    bounds_.Extend(box);
  }
  bvh_.Build(boxes);
}

Vector3 Mesh::CalcInward(const Edge& edge, int triangle) const {
  const Triangle& t = triangles_[Index(triangle)];
  const Vector3& start = vertices_[Index(edge.vertex[0])];
  const Vector3 along = vertices_[Index(edge.vertex[1])] - start;
  const Vector3 across = t.normal.cross(along).normalized();
  const Vector3 center = (vertex(triangle, 0) + vertex(triangle, 1) + vertex(triangle, 2)) / 3.0;
  return across.dot(center - start) > 0 ? across : Vector3(-across);
}

bool Mesh::IsNormalAtEdge(int edge, const Vector3& n) const {
  const Edge& e = edges_[Index(edge)];
  bool is_outside = false;
  for (const int t : e.triangles) {
    if (n.dot(CalcInward(e, t)) > kAngle) return false;
    is_outside |= n.dot(triangles_[Index(t)].normal) > 0;
  }
  return is_outside;
}

bool Mesh::IsNormalAtVertex(int vertex, const Vector3& n) const {
  bool is_outside = false;
  for (const int e : vertex_edges_[Index(vertex)]) {
    const Edge& edge = edges_[Index(e)];
    const int other = edge.vertex[0] == vertex ? edge.vertex[1] : edge.vertex[0];
    const Vector3 along = (vertices_[Index(other)] - vertices_[Index(vertex)]).normalized();
    if (n.dot(along) > kAngle) return false;
    for (const int t : edge.triangles) is_outside |= n.dot(triangles_[Index(t)].normal) > 0;
  }
  return is_outside;
}

bool Mesh::FallsAwayAtEdge(int edge, const Vector3& n) const {
  const Edge& e = edges_[Index(edge)];
  return std::any_of(e.triangles.begin(), e.triangles.end(),
                     [&](int t) { return n.dot(CalcInward(e, t)) < -kSharp; });
}

bool Mesh::FallsAwayAtVertex(int vertex, const Vector3& n) const {
  for (const int e : vertex_edges_[Index(vertex)]) {
    const Edge& edge = edges_[Index(e)];
    const int other = edge.vertex[0] == vertex ? edge.vertex[1] : edge.vertex[0];
    const Vector3 along = vertices_[Index(other)] - vertices_[Index(vertex)];
    if (n.dot(along) < -kSharp * along.norm()) return true;
  }
  return false;
}

}  // namespace saltus
