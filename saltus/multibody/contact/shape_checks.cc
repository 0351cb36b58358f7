// Ranges of the parameters of collision shapes.
#include <cmath>

#include "saltus/multibody/assembly.h"

namespace saltus {
namespace {

void CheckMesh(const std::string& item, const TriangleMesh& shape) {
  if (!shape.mesh || shape.mesh->triangles.empty()) {
    throw InputError(item + ".mesh", "has no triangles", "give at least one");
  }
  const int n = static_cast<int>(shape.mesh->vertices.size());
  for (const Vector3& x : shape.mesh->vertices) CheckFinite(item + ".mesh.vertices", x);
  for (const auto& triangle : shape.mesh->triangles) {
    for (const int i : triangle) {
      if (i < 0 || i >= n) {
        throw InputError(item + ".mesh.triangles", "refers to vertex " + std::to_string(i),
                         "must be in [0, " + std::to_string(n - 1) + "]");
      }
    }
  }
}

void CheckHeightField(const std::string& item, const HeightField& shape) {
  const std::string key = item + ".height_field";
  if (!shape.field || shape.field->nx < 2 || shape.field->ny < 2) {
    throw InputError(key, "has fewer than 2 x 2 heights", "give at least 2 in each direction");
  }
  const HeightFieldData& field = *shape.field;
  CheckPositive(key + ".dx", field.dx, "m");
  CheckPositive(key + ".dy", field.dy, "m");
  const auto count = static_cast<std::size_t>(field.nx) * static_cast<std::size_t>(field.ny);
  if (field.heights.size() != count) {
    throw InputError(key + ".heights", "has " + std::to_string(field.heights.size()) + " numbers",
                     "needs nx * ny = " + std::to_string(count));
  }
  for (const double height : field.heights) CheckFinite(key + ".heights", height);
}

}  // namespace

void CheckShape(const std::string& item, const ShapeSpec& spec, bool moving) {
  CheckFinite(item + ".at", spec.pose.p);
  const double norm = spec.pose.R.norm();
  if (!(norm > 0) || !std::isfinite(norm)) {
    throw InputError(item + ".orientation", "its quaternion has length " + FormatNumber(norm),
                     "must be finite and > 0");
  }
  const Shape& shape = spec.shape;
  const bool for_ground = std::holds_alternative<HalfSpace>(shape) ||
                          std::holds_alternative<TriangleMesh>(shape) ||
                          std::holds_alternative<HeightField>(shape);
  if (moving && for_ground) {
    throw InputError(item, std::string("a ") + ShapeName(shape) + " cannot move with a body",
                     "use it on the ground, or a box or convex here");
  }
  if (const auto* half_space = std::get_if<HalfSpace>(&shape)) {
    CheckDirection(item + ".half_space.normal", half_space->normal);
    CheckFinite(item + ".half_space.offset", half_space->offset);
  } else if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    CheckPositive(item + ".sphere.radius", sphere->radius, "m");
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    CheckPositive(item + ".capsule.radius", capsule->radius, "m");
    CheckNonnegative(item + ".capsule.length", 2 * capsule->half_length, "m");
  } else if (const auto* box = std::get_if<Box>(&shape)) {
    for (const int i : {0, 1, 2}) CheckPositive(item + ".box.size", 2 * box->half_size[i], "m");
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    CheckPositive(item + ".cylinder.radius", cylinder->radius, "m");
    CheckPositive(item + ".cylinder.length", 2 * cylinder->half_length, "m");
  } else if (const auto* hull = std::get_if<ConvexHull>(&shape)) {
    if (!hull->polyhedron) throw InputError(item + ".convex", "has no points", "give at least 4");
  } else if (const auto* mesh = std::get_if<TriangleMesh>(&shape)) {
    CheckMesh(item, *mesh);
  } else if (const auto* field = std::get_if<HeightField>(&shape)) {
    CheckHeightField(item, *field);
  }
}

}  // namespace saltus
