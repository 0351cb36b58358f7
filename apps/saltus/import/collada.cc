#include "apps/saltus/import/collada.h"

#include <algorithm>
#include <array>
#include <map>
#include <numbers>
#include <sstream>
#include <utility>
#include <vector>

#include <tinyxml2.h>

#include "saltus/base/error.h"

namespace saltus {
namespace {

using tinyxml2::XMLElement;
using Transform = Eigen::Affine3d;

std::vector<double> ReadNumbers(const XMLElement& element) {
  std::vector<double> numbers;
  std::istringstream words(element.GetText() == nullptr ? "" : element.GetText());
  for (double x = 0; words >> x;) numbers.push_back(x);
  return numbers;
}

std::string ReadLink(const XMLElement& element, const char* key) {  // "#name" -> "name"
  const char* value = element.Attribute(key);
  return value == nullptr ? "" : std::string(value).substr(value[0] == '#' ? 1 : 0);
}

/// The elements of one name below a parent, in order.
std::vector<const XMLElement*> ListChildren(const XMLElement* parent, const char* name) {
  std::vector<const XMLElement*> list;
  if (parent == nullptr) return list;
  for (auto* e = parent->FirstChildElement(name); e != nullptr; e = e->NextSiblingElement(name)) {
    list.push_back(e);
  }
  return list;
}

class ColladaReader {
 public:
  ColladaReader(const XMLElement& root, const std::string& path) : root_(root), path_(path) {}

  MeshData Read() {
    for (const XMLElement* library : ListChildren(&root_, "library_geometries")) {
      for (const XMLElement* geometry : ListChildren(library, "geometry")) {
        geometries_[ReadLink(*geometry, "id")] = ReadGeometry(*geometry);
      }
    }
    const Transform base = ReadAsset();
    for (const XMLElement* library : ListChildren(&root_, "library_visual_scenes")) {
      for (const XMLElement* scene : ListChildren(library, "visual_scene")) AddNodes(*scene, base);
    }
    return std::move(mesh_);
  }

 private:
  Transform ReadAsset() const {
    Transform base = Transform::Identity();
    const XMLElement* asset = root_.FirstChildElement("asset");
    if (asset == nullptr) return base;
    const XMLElement* up = asset->FirstChildElement("up_axis");
    const std::string axis = up != nullptr && up->GetText() != nullptr ? up->GetText() : "Y_UP";
    constexpr double kQuarter = std::numbers::pi / 2;
    if (axis == "Y_UP") base.rotate(Eigen::AngleAxisd(kQuarter, Vector3::UnitX()));
    if (axis == "X_UP") base.rotate(Eigen::AngleAxisd(-kQuarter, Vector3::UnitY()));
    const XMLElement* unit = asset->FirstChildElement("unit");
    if (unit != nullptr) base.scale(unit->DoubleAttribute("meter", 1));
    return base;
  }

  MeshData ReadGeometry(const XMLElement& geometry) const {
    MeshData result;
    const XMLElement* mesh = geometry.FirstChildElement("mesh");
    if (mesh == nullptr) return result;
    std::map<std::string, std::vector<double>> sources;
    for (const XMLElement* source : ListChildren(mesh, "source")) {
      if (const XMLElement* array = source->FirstChildElement("float_array")) {
        sources[ReadLink(*source, "id")] = ReadNumbers(*array);
      }
    }
    std::string positions;
    for (const XMLElement* vertices : ListChildren(mesh, "vertices")) {
      for (const XMLElement* input : ListChildren(vertices, "input")) {
        if (ReadLink(*input, "semantic") == "POSITION") positions = ReadLink(*input, "source");
      }
    }
    const std::vector<double>& numbers = sources[positions];
    for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
      result.vertices.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
    }
    for (const char* kind : {"triangles", "polylist", "polygons"}) {
      for (const XMLElement* faces : ListChildren(mesh, kind)) AddFaces(*faces, &result);
    }
    return result;
  }

  void AddFaces(const XMLElement& faces, MeshData* mesh) const {
    std::size_t stride = 1, offset = 0;
    for (const XMLElement* input : ListChildren(&faces, "input")) {
      const auto place = static_cast<std::size_t>(input->UnsignedAttribute("offset", 0));
      stride = std::max(stride, place + 1);
      if (ReadLink(*input, "semantic") == "VERTEX") offset = place;
    }
    const XMLElement* counts = faces.FirstChildElement("vcount");
    const std::vector<double> sizes = counts ? ReadNumbers(*counts) : std::vector<double>();
    for (const XMLElement* p : ListChildren(&faces, "p")) {
      const std::vector<double> numbers = ReadNumbers(*p);
      const std::size_t corners = numbers.size() / stride;
      const bool polygon = std::string(faces.Name()) == "polygons";
      std::size_t at = 0;
      for (std::size_t face = 0; at < corners; ++face) {
        const std::size_t size = polygon               ? corners
                                 : face < sizes.size() ? static_cast<std::size_t>(sizes[face])
                                                       : 3;
        if (size < 1 || at + size > corners) Fail("a face is cut short");
        const auto corner = [&](std::size_t k) {
          const double index = numbers[(at + k) * stride + offset];
          if (!(index >= 0 && index < static_cast<double>(mesh->vertices.size()))) {
            Fail("a face names a vertex that is not there");
          }
          return static_cast<int>(index);
        };
        for (std::size_t k = 2; k < size; ++k) {
          mesh->triangles.push_back({corner(0), corner(k - 1), corner(k)});
        }
        at += size;
      }
    }
  }

  /// The instances below a node (or a scene), placed.
  void AddNodes(const XMLElement& parent, const Transform& place) {
    for (const XMLElement* instance : ListChildren(&parent, "instance_geometry")) {
      const auto found = geometries_.find(ReadLink(*instance, "url"));
      if (found == geometries_.end()) Fail("an instance names a geometry that is not there");
      const int first = static_cast<int>(mesh_.vertices.size());
      for (const Vector3& p : found->second.vertices) mesh_.vertices.push_back(place * p);
      for (std::array<int, 3> triangle : found->second.triangles) {
        for (int& corner : triangle) corner += first;
        mesh_.triangles.push_back(triangle);
      }
    }
    for (const XMLElement* node : ListChildren(&parent, "node")) {
      AddNodes(*node, place * ReadPlacement(*node));
    }
  }

  Transform ReadPlacement(const XMLElement& node) const {
    Transform place = Transform::Identity();
    for (auto* e = node.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      const std::string kind = e->Name();
      const std::vector<double> x = ReadNumbers(*e);
      if (kind == "matrix" && x.size() == 16) {
        Transform matrix;
        for (int i = 0; i < 16; ++i) matrix.matrix()(i / 4, i % 4) = x[static_cast<std::size_t>(i)];
        place = place * matrix;
      } else if (kind == "translate" && x.size() == 3) {
        place.translate(Vector3(x[0], x[1], x[2]));
      } else if (kind == "scale" && x.size() == 3) {
        place.scale(Vector3(x[0], x[1], x[2]));
      } else if (kind == "rotate" && x.size() == 4) {
        const Vector3 axis(x[0], x[1], x[2]);
        if (axis.norm() > 0) {
          place.rotate(Eigen::AngleAxisd(x[3] * std::numbers::pi / 180, axis.normalized()));
        }
      }
    }
    return place;
  }

  [[noreturn]] void Fail(const std::string& message) const {
    throw InputError("mesh", message, "", {path_});
  }

  const XMLElement& root_;
  const std::string& path_;
  std::map<std::string, MeshData> geometries_;
  MeshData mesh_;
};

}  // namespace

MeshData ReadCollada(const std::string& text, const std::string& path) {
  tinyxml2::XMLDocument document;
  document.Parse(text.data(), text.size());
  const XMLElement* root = document.RootElement();
  if (document.Error() || root == nullptr || std::string(root->Name()) != "COLLADA") {
    throw InputError("mesh", "it is not COLLADA", "", {path});
  }
  return ColladaReader(*root, path).Read();
}

}  // namespace saltus
