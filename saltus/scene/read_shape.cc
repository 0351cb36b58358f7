#include "saltus/scene/read_shape.h"

#include <cmath>
#include <memory>
#include <utility>

#include "saltus/scene/obj_file.h"
#include "saltus/scene/text_file.h"

namespace saltus {
namespace {

constexpr std::size_t kMaxHullPoints = 10'000;

/// Unit to rounding: what was written with all digits stays as it is, to the last bit.
bool IsUnit(double norm) { return std::abs(norm - 1) < 1e-14; }

Shape ReadConvex(const Field& points) {
  std::vector<Vector3> corners = points.ReadPoints(4);
  if (corners.size() > kMaxHullPoints) {
    points.Fail("a convex shape of " + std::to_string(corners.size()) + " points",
                "at most " + std::to_string(kMaxHullPoints) + " are allowed");
  }
  try {
    return MakeConvexHull(corners);
  } catch (const InputError& error) {
    points.Fail(error.message(), error.suggestion().empty()
                                     ? "give at least four points that do not lie in one plane"
                                     : error.suggestion());
  }
}

Shape ReadMesh(const MapField& map, const std::string& base_dir, const SceneLimits& limits) {
  auto mesh = std::make_shared<MeshData>();
  if (map.RequireOneOf({"vertices", "file"}) == "file") {
    const Field file = *map.Find("file");
    if (map.Has("triangles"))
      map.Find("triangles")->Fail("a mesh file has its own triangles", "remove the key");
    const std::string path = FindFile(file, base_dir);
    *mesh = ParseObj(ReadTextFile(path, file, limits), path);
  } else {
    mesh->vertices = map.Find("vertices")->ReadPoints(3);
    const Field triangles = map.Require("triangles", "a list of three vertex numbers each, from 0");
    const long last = static_cast<long>(mesh->vertices.size()) - 1;
    for (const Field& triangle : triangles.ReadList(1, triangles.value().items.max_size())) {
      std::array<int, 3> corners{};
      const std::vector<Field> numbers = triangle.ReadList(3, 3);
      for (std::size_t i = 0; i < 3; ++i)
        corners[i] = static_cast<int>(numbers[i].ReadInteger(0, last));
      mesh->triangles.push_back(corners);
    }
  }
  const double scale = map.ReadNumber("scale", 1, kPositive);
  for (Vector3& vertex : mesh->vertices) vertex *= scale;
  return TriangleMesh{std::move(mesh)};
}

Shape ReadHeightField(const MapField& map) {
  auto data = std::make_shared<HeightFieldData>();
  const std::vector<double> spacing =
      map.Require("spacing", "two lengths > 0 [m]").ReadNumbers(2, kPositive);
  data->dx = spacing[0];
  data->dy = spacing[1];
  const Field heights = map.Require("heights", "a list of rows, each with the heights along x [m]");
  const std::vector<Field> rows = heights.ReadList(2, heights.value().items.max_size());
  data->ny = static_cast<int>(rows.size());
  for (const Field& row : rows) {
    const std::vector<Field> columns = row.ReadList(2, row.value().items.max_size());
    if (data->nx == 0) data->nx = static_cast<int>(columns.size());
    if (static_cast<int>(columns.size()) != data->nx) {
      row.Fail("this row has " + std::to_string(columns.size()) + " heights",
               "all rows must have " + std::to_string(data->nx));
    }
    for (const Field& height : columns) data->heights.push_back(height.ReadNumber());
  }
  return HeightField{std::move(data)};
}

Shape ReadKind(const std::string& kind, const Field& field, const std::string& base_dir,
               const SceneLimits& limits) {
  const MapField map(field, kind);
  const auto radius = [&] {
    return map.Require("radius", "a number > 0 [m]").ReadNumber(kPositive);
  };
  const auto half_length = [&] {
    return 0.5 * map.Require("length", "a number > 0 [m]").ReadNumber(kPositive);
  };
  if (kind == "sphere") return Sphere{radius()};
  if (kind == "box") {
    return Box{0.5 * map.Require("size", "three lengths > 0 [m]").ReadVector3(kPositive)};
  }
  if (kind == "capsule") return Capsule{radius(), half_length()};
  if (kind == "cylinder") return Cylinder{radius(), half_length()};
  if (kind == "convex") return ReadConvex(map.Require("points", "at least four points [m]"));
  if (kind == "mesh") return ReadMesh(map, base_dir, limits);
  if (kind == "height_field") return ReadHeightField(map);
  Vector3 normal = Vector3::UnitZ();
  if (const auto key = map.Find("normal")) normal = key->ReadDirection();
  if (!IsUnit(normal.stableNorm())) normal.stableNormalize();
  return HalfSpace{normal, map.ReadNumber("offset", 0)};
}

}  // namespace

Quaternion ReadOrientation(const Field& field) {
  const MapField map(field, "orientation");
  const std::string form = map.RequireOneOf({"angle", "quaternion", "rpy"});
  if (form != "angle" && map.Has("axis")) {
    map.Find("axis")->Fail("an axis goes with an angle, not with '" + form + "'",
                           "give either {axis, angle} or {" + form + "}");
  }
  if (form == "angle") {
    const Vector3 axis = map.Require("axis", "the direction of the rotation axis").ReadDirection();
    const double angle = map.Find("angle")->ReadNumber();
    return Quaternion(Eigen::AngleAxisd(angle, axis.stableNormalized()));
  }
  if (form == "quaternion") {
    const std::vector<double> q = map.Find("quaternion")->ReadNumbers(4);
    const Vector4 parts(q[0], q[1], q[2], q[3]);
    const double norm = parts.stableNorm();
    constexpr double kUnitTolerance = 1e-3;  // of numbers written with few digits
    if (std::abs(norm - 1) > kUnitTolerance) {
      map.Find("quaternion")
          ->Fail("the quaternion [w, x, y, z] has length " + MakeNumber(norm).text,
                 "it must be 1 within 0.001");
    }
    const double scale = IsUnit(norm) ? 1 : 1 / norm;
    return Quaternion(scale * q[0], scale * q[1], scale * q[2], scale * q[3]);
  }
  const Vector3 rpy = map.Find("rpy")->ReadVector3();
  return Eigen::AngleAxisd(rpy.z(), Vector3::UnitZ()) *
         Eigen::AngleAxisd(rpy.y(), Vector3::UnitY()) *
         Eigen::AngleAxisd(rpy.x(), Vector3::UnitX());
}

ShapeSpec ReadShape(const Field& field, const std::string& base_dir, const SceneLimits& limits) {
  const MapField map(field, "shape");
  std::vector<std::string> kinds;
  for (const Kind& kind : ListShapeKinds()) kinds.push_back(kind.name);
  const std::string kind = map.RequireOneOf(kinds);

  ShapeSpec shape;
  shape.shape = ReadKind(kind, *map.Find(kind), base_dir, limits);
  shape.pose.p = map.ReadVector3("at", Vector3::Zero());
  if (const auto key = map.Find("orientation")) shape.pose.R = ReadOrientation(*key);
  if (const auto key = map.Find("material")) shape.material = key->ReadText();
  if (const auto key = map.Find("group")) {
    shape.group = static_cast<int>(key->ReadInteger(0, 1'000'000'000));
  }
  return shape;
}

}  // namespace saltus
