#include "apps/saltus/import/mesh_file.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <numbers>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "saltus/base/error.h"

#include "apps/saltus/import/collada.h"

namespace saltus {
namespace {

[[noreturn]] void Fail(const std::string& path, const std::string& message) {
  throw InputError("mesh", message, "", {path});
}

std::string ReadBytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream || !std::filesystem::is_regular_file(path)) Fail(path, "there is no such file");
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Corners at one place become one.
class CornerTable {
 public:
  explicit CornerTable(MeshData* mesh) : mesh_(*mesh) {}
  int Find(const Vector3& p) {
    const auto [entry, added] = index_.emplace(std::array<double, 3>{p.x(), p.y(), p.z()},
                                               static_cast<int>(mesh_.vertices.size()));
    if (added) mesh_.vertices.push_back(p);
    return entry->second;
  }

 private:
  MeshData& mesh_;
  std::map<std::array<double, 3>, int> index_;
};

constexpr std::size_t kStlHeader = 80, kStlTriangle = 50;  // bytes

MeshData ReadBinaryStl(const std::string& bytes) {
  MeshData mesh;
  CornerTable corners(&mesh);
  for (std::size_t at = kStlHeader + 4; at + kStlTriangle <= bytes.size(); at += kStlTriangle) {
    float numbers[12];
    std::memcpy(numbers, bytes.data() + at, sizeof numbers);
    std::array<int, 3> triangle{};
    for (std::size_t k = 0; k < 3; ++k) {
      const float* p = numbers + 3 * (k + 1);  // The first three are the normal.
      triangle[k] = corners.Find(Vector3(p[0], p[1], p[2]));
    }
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

MeshData ReadTextStl(const std::string& text, const std::string& path) {
  MeshData mesh;
  CornerTable corners(&mesh);
  std::istringstream words(text);
  std::vector<int> open;
  for (std::string word; words >> word;) {
    if (word != "vertex") continue;
    Vector3 p;
    if (!(words >> p[0] >> p[1] >> p[2])) Fail(path, "a vertex without three numbers");
    open.push_back(corners.Find(p));
    if (open.size() < 3) continue;
    mesh.triangles.push_back({open[0], open[1], open[2]});
    open.clear();
  }
  return mesh;
}

MeshData ReadStl(const std::string& bytes, const std::string& path) {
  if (bytes.size() >= kStlHeader + 4) {
    std::uint32_t count = 0;
    std::memcpy(&count, bytes.data() + kStlHeader, 4);
    // Files that begin with "solid" may be binary all the same: their length says so.
    if (bytes.size() == kStlHeader + 4 + kStlTriangle * count) return ReadBinaryStl(bytes);
  }
  return ReadTextStl(bytes, path);
}

MeshData ReadObj(const std::string& text, const std::string& path) {
  MeshData mesh;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "v") {
      Vector3 p;
      if (!(words >> p[0] >> p[1] >> p[2])) Fail(path, "a vertex without three numbers");
      mesh.vertices.push_back(p);
    } else if (kind == "f") {
      std::vector<int> loop;
      for (std::string corner; words >> corner;) {
        const int number = std::atoi(corner.c_str());  // Up to the first slash.
        const int size = static_cast<int>(mesh.vertices.size());
        const int index = number < 0 ? size + number : number - 1;
        if (index < 0 || index >= size) Fail(path, "a face names a vertex that is not there");
        loop.push_back(index);
      }
      for (std::size_t k = 2; k < loop.size(); ++k) {
        mesh.triangles.push_back({loop[0], loop[k - 1], loop[k]});
      }
    }
  }
  return mesh;
}

/// Directions that cover the sphere evenly (a spiral).
std::vector<Vector3> MakeDirections(int count) {
  std::vector<Vector3> directions;
  for (int i = 0; i < count; ++i) {
    const double z = 1 - (2 * i + 1.0) / count;
    const double angle = std::numbers::pi * (3 - std::sqrt(5.0)) * i;
    const double r = std::sqrt(1 - z * z);
    directions.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
  }
  return directions;
}

std::vector<Vector3> TakeFarthest(const std::vector<Vector3>& points) {
  std::vector<std::size_t> taken;
  for (const Vector3& direction : MakeDirections(kHullPoints)) {
    const auto farthest = std::max_element(
        points.begin(), points.end(),
        [&](const Vector3& a, const Vector3& b) { return direction.dot(a) < direction.dot(b); });
    taken.push_back(static_cast<std::size_t>(farthest - points.begin()));
  }
  std::sort(taken.begin(), taken.end());
  taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
  std::vector<Vector3> result;
  for (const std::size_t i : taken) result.push_back(points[i]);
  return result;
}

/// How far the farthest of the points lies outside of the hull.
double CalcDefect(const std::vector<Vector3>& points, const Polyhedron& hull) {
  double defect = 0;
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const Vector3& corner = hull.vertices[static_cast<std::size_t>(hull.faces[f][0])];
    for (const Vector3& p : points) {
      defect = std::max(defect, hull.face_normals[f].dot(p - corner));
    }
  }
  return defect;
}

}  // namespace

MeshData ReadMeshFile(const std::string& path) {
  std::string kind = std::filesystem::path(path).extension().string();
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  MeshData mesh;
  if (kind == ".stl") {
    mesh = ReadStl(ReadBytes(path), path);
  } else if (kind == ".obj") {
    mesh = ReadObj(ReadBytes(path), path);
  } else if (kind == ".dae") {
    mesh = ReadCollada(ReadBytes(path), path);
  } else {
    Fail(path, "meshes are read from .stl, .obj and .dae files");
  }
  if (mesh.triangles.empty()) Fail(path, "there is no triangle in it");
  for (const Vector3& p : mesh.vertices) {
    if (!p.allFinite()) Fail(path, "a corner is not finite");
  }
  return mesh;
}

MassProperties CalcMeshMass(const MeshData& mesh) {
  double volume = 0;
  Vector3 first = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();  // ∫ x xᵀ dV
  for (const auto& triangle : mesh.triangles) {
    Matrix3 corners;
    for (int k = 0; k < 3; ++k) {
      corners.col(k) =
          mesh.vertices[static_cast<std::size_t>(triangle[static_cast<std::size_t>(k)])];
    }
    const double part = corners.determinant() / 6;
    const Vector3 sum = corners.rowwise().sum();
    volume += part;
    first += part / 4 * sum;
    second += part / 20 * (corners * corners.transpose() + sum * sum.transpose());
  }
  MassProperties result;
  result.mass = volume;
  if (!(volume > 0)) return result;
  result.center = first / volume;
  second -= volume * result.center * result.center.transpose();
  result.inertia = second.trace() * Matrix3::Identity() - second;
  return result;
}

ConvexHull MakeMeshHull(const MeshData& mesh, const std::string& name, Notes* notes) {
  if (mesh.vertices.size() <= static_cast<std::size_t>(kHullPoints)) {
    return MakeConvexHull(mesh.vertices);
  }
  const ConvexHull hull = MakeConvexHull(TakeFarthest(mesh.vertices));
  const double defect = CalcDefect(mesh.vertices, *hull.polyhedron);
  if (defect > 0) {
    notes->Add(
        fmt::format("the hull of mesh '{}' has {} of its {} corners and is up to {:.1g} m "
                    "too small",
                    name, hull.polyhedron->vertices.size(), mesh.vertices.size(), defect));
  }
  return hull;
}

}  // namespace saltus
