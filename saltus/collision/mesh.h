// A static triangle surface prepared for contact: neighbours, hierarchy and normal cones.
//
// At a point of the surface only some contact normals make sense: on a face its own normal, on an
// edge those between the normals of its two triangles, at a vertex those between all of its
// triangles; on a flat or hollow edge none but the face normals. With m an in-plane direction that
// leaves the point along the surface, n is one of them if
//   n·m ≤ 0 for all m  (no neighbour comes nearer)   and   n·n_T ≥ 0.                        (1)
// A body that slides over an inner edge of a flat floor therefore feels the face normal alone.
#pragma once

#include <array>
#include <vector>

#include "saltus/collision/bvh.h"
#include "saltus/collision/shape.h"

namespace saltus {

class Mesh {
 public:
  explicit Mesh(const MeshData& data);
  explicit Mesh(const HeightFieldData& data);

  int num_triangles() const { return static_cast<int>(triangles_.size()); }
  const Vector3& vertex(int triangle, int corner) const {
    return vertices_[static_cast<std::size_t>(vertex_id(triangle, corner))];
  }
  int vertex_id(int triangle, int corner) const {
    return triangles_[static_cast<std::size_t>(triangle)].vertex[static_cast<std::size_t>(corner)];
  }
  /// Of the edge from `corner` to the next one.
  int edge_id(int triangle, int corner) const {
    return triangles_[static_cast<std::size_t>(triangle)].edge[static_cast<std::size_t>(corner)];
  }
  /// The two vertices of an edge.
  const Vector3& edge_vertex(int edge, int end) const {
    return vertices_[static_cast<std::size_t>(edges_[static_cast<std::size_t>(edge)].vertex[end])];
  }
  const Vector3& vertex(int id) const { return vertices_[static_cast<std::size_t>(id)]; }
  const Vector3& normal(int triangle) const {
    return triangles_[static_cast<std::size_t>(triangle)].normal;
  }
  const Bvh& bvh() const { return bvh_; }
  const Aabb& bounds() const { return bounds_; }
  int num_vertices() const { return static_cast<int>(vertices_.size()); }
  int num_edges() const { return static_cast<int>(edges_.size()); }

  /// (1) at an edge, for a unit vector n.
  bool IsNormalAtEdge(int edge, const Vector3& n) const;
  /// (1) at a vertex.
  bool IsNormalAtVertex(int vertex, const Vector3& n) const;
  /// True if the surface falls away from the plane with normal n there, by more than 1e-3 rad.
  bool FallsAwayAtEdge(int edge, const Vector3& n) const;
  bool FallsAwayAtVertex(int vertex, const Vector3& n) const;

 private:
  struct Triangle {
    std::array<int, 3> vertex;
    std::array<int, 3> edge;
    Vector3 normal;
  };
  struct Edge {
    int vertex[2];
    std::vector<int> triangles;  // two inside a surface, one at its border
  };

  void Build(const std::vector<Vector3>& vertices,
             const std::vector<std::array<int, 3>>& triangles);
  /// In-plane unit vector from the edge into the triangle.
  Vector3 CalcInward(const Edge& edge, int triangle) const;

  std::vector<Vector3> vertices_;
  std::vector<Triangle> triangles_;
  std::vector<Edge> edges_;
  std::vector<std::vector<int>> vertex_edges_;
  Bvh bvh_;
  Aabb bounds_;
};

}  // namespace saltus
