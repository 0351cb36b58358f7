#include "saltus/scene/obj_file.h"

#include <cmath>
#include <sstream>

#include "saltus/base/error.h"

namespace saltus {
namespace {

class ObjParser {
 public:
  explicit ObjParser(const std::string& file) : file_(file) {}

  void ParseLine(const std::string& line) {
    ++number_;
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "v") AddVertex(&words);
    if (kind == "f") AddFace(&words);
  }

  MeshData Finish() {
    if (mesh_.triangles.empty()) Fail("the file has no faces", "an .obj mesh needs 'f' lines");
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void Fail(const std::string& message, const std::string& suggestion) const {
    throw InputError("mesh", message, suggestion, {file_, number_, 1});
  }

  void AddVertex(std::istringstream* words) {
    Vector3 vertex;
    if (!(*words >> vertex.x() >> vertex.y() >> vertex.z()) || !vertex.allFinite()) {
      Fail("a vertex needs three finite numbers", "write 'v X Y Z'");
    }
    mesh_.vertices.push_back(vertex);
  }

  void AddFace(std::istringstream* words) {
    std::vector<int> corners;
    std::string word;
    while (*words >> word) corners.push_back(ReadCorner(word));
    if (corners.size() < 3) Fail("a face needs at least three corners", "write 'f A B C'");
    for (std::size_t i = 2; i < corners.size(); ++i) {
      mesh_.triangles.push_back({corners[0], corners[i - 1], corners[i]});
    }
  }

  /// "7", "7/1" or "7/1/3", counted from 1; negative numbers count from the last vertex.
  int ReadCorner(const std::string& word) const {
    const long count = static_cast<long>(mesh_.vertices.size());
    long index = 0;
    std::istringstream stream(word.substr(0, word.find('/')));
    if (!(stream >> index) || index == 0 || index > count || index < -count) {
      Fail("corner '" + word.substr(0, 40) + "' is no vertex",
           "vertices so far are 1 to " + std::to_string(count));
    }
    return static_cast<int>(index > 0 ? index - 1 : count + index);
  }

  std::string file_;
  int number_ = 0;
  MeshData mesh_;
};

}  // namespace

MeshData ParseObj(const std::string& text, const std::string& file) {
  ObjParser parser(file);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) parser.ParseLine(line);
  return parser.Finish();
}

}  // namespace saltus
