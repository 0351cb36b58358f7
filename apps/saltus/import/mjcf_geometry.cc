#include "apps/saltus/import/mjcf_geometry.h"

#include <cmath>
#include <filesystem>
#include <numbers>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "saltus/base/error.h"

#include "apps/saltus/import/mesh_file.h"

namespace saltus {
namespace {

constexpr double kDefaultDensity = 1000;  // kg/m³, of MJCF

Vector3 Axis(char letter) {
  return letter == 'x' ? Vector3::UnitX() : letter == 'y' ? Vector3::UnitY() : Vector3::UnitZ();
}

std::vector<double> ReadExactly(const MjcfElement& element, const std::string& key,
                                std::size_t count) {
  std::vector<double> numbers = element.Numbers(key);
  if (numbers.size() != count) {
    element.Fail(fmt::format("'{}' has {} numbers instead of {}", key, numbers.size(), count));
  }
  return numbers;
}

Quaternion ReadOrientation(const MjcfElement& element, const MjcfCompiler& compiler) {
  if (element.Has("quat")) {
    const std::vector<double> q = ReadExactly(element, "quat", 4);
    return Quaternion(q[0], q[1], q[2], q[3]).normalized();
  }
  if (element.Has("axisangle")) {
    const std::vector<double> a = ReadExactly(element, "axisangle", 4);
    return Quaternion(
        Eigen::AngleAxisd(ToRadians(compiler, a[3]), Vector3(a[0], a[1], a[2]).normalized()));
  }
  if (element.Has("euler")) {
    const std::vector<double> angles = ReadExactly(element, "euler", 3);
    Quaternion turn = Quaternion::Identity();
    for (std::size_t k = 0; k < 3; ++k) {
      const char letter = compiler.euler[k];
      const bool moving = std::islower(static_cast<unsigned char>(letter)) != 0;
      const Quaternion step(Eigen::AngleAxisd(
          ToRadians(compiler, angles[k]),
          Axis(static_cast<char>(std::tolower(static_cast<unsigned char>(letter))))));
      turn = moving ? turn * step : step * turn;  // Lower case: axes that turn along.
    }
    return turn;
  }
  if (element.Has("xyaxes")) {
    const std::vector<double> a = ReadExactly(element, "xyaxes", 6);
    const Vector3 x = Vector3(a[0], a[1], a[2]).normalized();
    Vector3 y(a[3], a[4], a[5]);
    y = (y - x.dot(y) * x).normalized();
    Matrix3 R;
    R << x, y, x.cross(y);
    return Quaternion(R);
  }
  if (element.Has("zaxis")) {
    return Quaternion::FromTwoVectors(Vector3::UnitZ(), element.Vector("zaxis", Vector3::UnitZ()));
  }
  return Quaternion::Identity();
}

}  // namespace

double ToRadians(const MjcfCompiler& compiler, double angle) {
  return compiler.degrees ? angle * std::numbers::pi / 180 : angle;
}

Pose ReadMjcfPose(const MjcfElement& element, const MjcfCompiler& compiler) {
  return {element.Vector("pos", Vector3::Zero()), ReadOrientation(element, compiler)};
}

MjcfGeometry::MjcfGeometry(const MjcfDocument& document, const MjcfCompiler& compiler, Notes* notes)
    : document_(document), compiler_(compiler), notes_(*notes) {
  for (const tinyxml2::XMLElement* asset : document.Sections("asset")) {
    for (auto* e = asset->FirstChildElement("mesh"); e != nullptr;
         e = e->NextSiblingElement("mesh")) {
      const MjcfElement mesh = document.Resolve(*e, "");
      const std::string file = mesh.Text("file");
      const std::string name = mesh.Text("name", std::filesystem::path(file).stem().string());
      mesh_elements_.emplace(name, mesh);
    }
  }
}

const MjcfGeometry::Mesh& MjcfGeometry::FindMesh(const MjcfElement& geom) {
  const std::string name = geom.Text("mesh");
  const auto known = meshes_.find(name);
  if (known != meshes_.end()) return known->second;
  const auto element = mesh_elements_.find(name);
  if (element == mesh_elements_.end()) geom.Fail("there is no mesh '" + name + "'");
  if (!element->second.Has("file")) geom.Fail("the mesh '" + name + "' has no file");
  const auto folder = std::filesystem::path(document_.path()).parent_path();
  Mesh mesh;
  mesh.data =
      ReadMeshFile((folder / compiler_.mesh_folder / element->second.Text("file")).string());
  const Vector3 scale = element->second.Vector("scale", Vector3::Ones());
  for (Vector3& p : mesh.data.vertices) p = p.cwiseProduct(scale);
  mesh.mass = CalcMeshMass(mesh.data);
  mesh.hull = MakeMeshHull(mesh.data, name, &notes_);
  for (const char* key : {"refpos", "refquat"}) {
    if (element->second.Has(key)) notes_.Add(std::string("'") + key + "' of <mesh> is not read");
  }
  return meshes_.emplace(name, std::move(mesh)).first->second;
}

Shape MjcfGeometry::MakeEllipsoid(const Vector3& radii) {
  // Corners of a fine polyhedron inside it: rings of equal latitude.
  constexpr int kAround = 16, kDown = 9;
  std::vector<Vector3> points = {{0, 0, radii.z()}, {0, 0, -radii.z()}};
  for (int i = 1; i < kDown; ++i) {
    const double down = std::numbers::pi * i / kDown;
    for (int k = 0; k < kAround; ++k) {
      const double around = 2 * std::numbers::pi * k / kAround;
      points.emplace_back(radii.x() * std::sin(down) * std::cos(around),
                          radii.y() * std::sin(down) * std::sin(around),
                          radii.z() * std::cos(down));
    }
  }
  notes_.Add(fmt::format("ellipsoids touch as polyhedra with {} corners", points.size()));
  return MakeConvexHull(points);
}

/// `length`: between the ends of 'fromto'; sizes along z then come from it.
std::optional<Shape> MjcfGeometry::ReadShape(const MjcfElement& geom, const std::string& type,
                                             std::optional<double> length) {
  const std::vector<double> size = geom.Numbers("size");
  const auto at = [&](std::size_t k) {
    if (k >= size.size()) geom.Fail("'size' has too few numbers for a " + type);
    return size[k];
  };
  if (type == "plane") return HalfSpace{};
  if (type == "sphere") return Sphere{at(0)};
  if (type == "capsule") return Capsule{at(0), length ? *length / 2 : at(1)};
  if (type == "cylinder") return Cylinder{at(0), length ? *length / 2 : at(1)};
  if (type == "box" || type == "ellipsoid") {
    const Vector3 half(at(0), length ? at(0) : at(1), length ? *length / 2 : at(2));
    if (type == "box") return Box{half};
    return MakeEllipsoid(half);
  }
  if (type == "mesh") return FindMesh(geom).hull;
  return std::nullopt;
}

std::optional<MjcfGeom> MjcfGeometry::ReadGeom(const MjcfElement& geom) {
  const std::string type = geom.Text("type", geom.Has("mesh") ? "mesh" : "sphere");
  MjcfGeom result;
  result.pose = ReadMjcfPose(geom, compiler_);
  std::optional<double> length;
  const bool along =
      type == "capsule" || type == "cylinder" || type == "box" || type == "ellipsoid";
  if (along && geom.Has("fromto")) {
    const std::vector<double> p = ReadExactly(geom, "fromto", 6);
    const Vector3 from(p[0], p[1], p[2]), to(p[3], p[4], p[5]);
    length = (to - from).norm();
    result.pose = {0.5 * (from + to), Quaternion::FromTwoVectors(Vector3::UnitZ(), from - to)};
  }
  const std::optional<Shape> shape = ReadShape(geom, type, length);
  if (!shape) {
    notes_.Add("geoms of type '" + type + "' are not read");
    return std::nullopt;
  }
  result.shape = *shape;
  result.touches = geom.Number("contype", 1) != 0 || geom.Number("conaffinity", 1) != 0;
  if (type == "plane") return result;  // It has no mass.
  MassProperties unit = type == "mesh" ? FindMesh(geom).mass : CalcUnitDensityMass(result.shape);
  if (type == "ellipsoid") {  // Of the ellipsoid itself: V = 4π/3 abc, J_x = (b² + c²)/5.
    const double b = length ? geom.Numbers("size")[0] : geom.Numbers("size")[1];
    const Vector3 r(geom.Numbers("size")[0], b, length ? *length / 2 : geom.Numbers("size")[2]);
    unit.mass = 4 * std::numbers::pi / 3 * r.prod();
    const Vector3 squares = r.cwiseAbs2();
    unit.inertia = unit.mass / 5 * (squares.sum() * Vector3::Ones() - squares).asDiagonal();
    unit.center.setZero();
  }
  if (type == "mesh" && !compiler_.exact_meshes) {
    notes_.Add(
        "the mass of a mesh is that of its inside; MuJoCo counts hollows of it, too, without "
        "exactmeshinertia");
  }
  const double density = geom.Has("mass") && unit.mass > 0
                             ? geom.Number("mass", 0) / unit.mass
                             : geom.Number("density", kDefaultDensity);
  AddMass({density * unit.mass, unit.center, density * unit.inertia}, result.pose, &result.mass);
  return result;
}

}  // namespace saltus
