// Convex cores: what the general narrow phase (GJK, EPA, separating axes, clipping) works on.
//
// A core is a segment, a triangle, a polyhedron (boxes included) or a cylinder, placed in the world
// and inflated by a radius: a capsule is a segment with a radius. World axes are used throughout,
// so that a face normal in a witness is the rotated face normal itself and not a recomputed one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "saltus/base/types.h"
#include "saltus/collision/aabb.h"
#include "saltus/collision/feature.h"
#include "saltus/collision/shape.h"

namespace saltus {

/// Faces, edges and neighbours of a polyhedron in flat arrays.
struct Topology {
  struct Edge {
    int vertex[2];
    int direction;           // edges that are parallel share a number
    int face[2] = {-1, -1};  // on its two sides; a segment has none
  };
  int num_vertices = 0;
  std::vector<int> face_begin{0};  // face f owns loop positions [face_begin[f], face_begin[f + 1])
  std::vector<int> face_vertices;  // counter-clockwise from outside
  std::vector<int> face_edges;     // edge from the vertex at this position to the next
  std::vector<Edge> edges;
  std::vector<int> directions;                    // one edge of each direction
  std::vector<int> neighbor_begin{0}, neighbors;  // vertices joined to each vertex by an edge

  int num_faces() const { return static_cast<int>(face_begin.size()) - 1; }
};

/// A polyhedron in its own frame. Segments have no face, triangles have two opposite ones.
struct ConvexGeometry {
  Topology topology;
  std::vector<Vector3> vertices;
  std::vector<Vector3> normals;  // one per face
  Aabb bounds;
};

ConvexGeometry MakeBoxGeometry(const Vector3& half_size);
ConvexGeometry MakeSegmentGeometry(double half_length);
ConvexGeometry MakeHullGeometry(const Polyhedron& polyhedron);
const Topology& TriangleTopology();

enum class ConvexKind { kSegment, kTriangle, kBox, kHull, kCylinder };

/// A placed core: a view, valid while the arrays it points to live.
struct Convex {
  ConvexKind kind = ConvexKind::kSegment;
  Vector3 p = Vector3::Zero();          // origin, world
  Matrix3 R = Matrix3::Identity();      // axes, world; of box and cylinder
  const Topology* topology = nullptr;   // polyhedra
  const Vector3* vertices = nullptr;    // relative to p, world axes
  const Vector3* normals = nullptr;     // world axes
  Vector3 half_size = Vector3::Zero();  // box; cylinder: (radius, radius, half length)
  double radius = 0;                    // inflation, m
  double size = 0;                      // largest distance of a vertex from p, m

  bool is_polyhedron() const { return kind != ConvexKind::kCylinder; }
  Vector3 axis() const { return R.col(2); }
  int num_vertices() const { return topology->num_vertices; }
  int num_faces() const { return topology->num_faces(); }
  /// n·x on the plane of face f.
  double face_offset(int f) const {
    const int first = topology->face_begin[static_cast<std::size_t>(f)];
    return normals[f].dot(vertices[topology->face_vertices[static_cast<std::size_t>(first)]]);
  }
};

struct Support {
  Vector3 x;    // relative to p, world axes
  int id = -1;  // vertex number; −1 on a curved surface
};

/// A point of the core that is farthest in the direction d (any length, not zero).
Support CalcSupport(const Convex& core, const Vector3& d);

/// Largest d·x over the core.
inline double CalcExtent(const Convex& core, const Vector3& d) {
  return d.dot(CalcSupport(core, d).x);
}

/// Separation of A and B along the unit vector n from A to B: min n·b − max n·a. It is at most the
/// signed distance, and equal to it for the best n. Radii are not counted.
inline double CalcSeparation(const Convex& A, const Convex& B, const Vector3& n) {
  return n.dot(B.p - A.p) - CalcExtent(B, -n) - CalcExtent(A, n);
}

/// The face whose normal is nearest to d; −1 for a segment.
int FindFace(const Convex& core, const Vector3& d);

/// An element of the core, relative to p. Indices of a cylinder: its axis is line 0; caps and rims
/// are 0 (at −z) and 1; points 8 c + k are fixed to rim c at multiples of 45° about the axis.
PlacedElement PlaceElement(const Convex& core, Element element);
/// The single element of the core that is farthest along d: a vertex or a rim.
Element FindSupportElement(const Convex& core, const Vector3& d);

/// Two separations nearer than this are equal: a fixed order of the features then decides, so that
/// a resting contact keeps its reference face under rounding.
inline double CalcBias(const Convex& A, const Convex& B) {
  return 1e-8 * std::min(A.size, B.size) + 1e-14 * (A.size + B.size);
}

}  // namespace saltus
