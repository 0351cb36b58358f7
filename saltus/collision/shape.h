// Collision shapes: plain values, gathered in one variant. Lengths in m.
#pragma once

#include <array>
#include <memory>
#include <variant>
#include <vector>

#include "saltus/base/types.h"

namespace saltus {

/// {x : n·x ≤ offset} is solid, n is the outward unit normal. Static bodies only.
struct HalfSpace {
  Vector3 normal = Vector3::UnitZ();
  double offset = 0;
};
struct Sphere {
  double radius = 0;
};
/// Segment from −half_length e_z to +half_length e_z, inflated by radius.
struct Capsule {
  double radius = 0;
  double half_length = 0;
};
struct Box {
  Vector3 half_size = Vector3::Zero();
};
/// Axis e_z, from −half_length to +half_length.
struct Cylinder {
  double radius = 0;
  double half_length = 0;
};

/// Vertices, outward faces (counter-clockwise vertex loops) and edges of a convex polyhedron.
struct Polyhedron {
  std::vector<Vector3> vertices;
  std::vector<std::vector<int>> faces;
  std::vector<Vector3> face_normals;      // unit, outward, one per face
  std::vector<std::array<int, 2>> edges;  // vertex pairs, each once
};
/// Convex hull; the polyhedron is shared between copies and never changes.
struct ConvexHull {
  std::shared_ptr<const Polyhedron> polyhedron;
};

/// Triangle mesh, static; outward by the right-hand rule. Shared, never changes.
struct MeshData {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
};
struct TriangleMesh {
  std::shared_ptr<const MeshData> mesh;
};
/// z = heights(i, j) at x = i·dx, y = j·dy (local frame), static; solid below.
struct HeightFieldData {
  int nx = 0, ny = 0;
  double dx = 1, dy = 1;
  std::vector<double> heights;  // nx × ny, index i + nx·j
};
struct HeightField {
  std::shared_ptr<const HeightFieldData> field;
};

using Shape =
    std::variant<HalfSpace, Sphere, Capsule, Box, Cylinder, ConvexHull, TriangleMesh, HeightField>;

const char* ShapeName(const Shape& shape);

/// The convex hull of points. Throws InputError (item "convex") if they are fewer than four, not
/// finite or coplanar.
ConvexHull MakeConvexHull(const std::vector<Vector3>& points);

/// Volume, centre of mass (shape frame) and inertia about it (shape axes) for unit density.
/// Throws InputError for shapes without volume (half-space, mesh, height field).
struct MassProperties {
  double mass = 0;
  Vector3 center = Vector3::Zero();
  Matrix3 inertia = Matrix3::Zero();
};
MassProperties CalcUnitDensityMass(const Shape& shape);

}  // namespace saltus
