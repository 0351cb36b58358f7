// libFuzzer target of the mesh reader: any text gives triangles whose vertices exist, or an
// InputError.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "saltus/base/error.h"
#include "saltus/scene/obj_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const saltus::MeshData mesh =
        saltus::ParseObj(std::string(reinterpret_cast<const char*>(data), size), "fuzz.obj");
    const auto count = static_cast<int>(mesh.vertices.size());
    for (const auto& triangle : mesh.triangles) {
      for (const int vertex : triangle) {
        if (vertex < 0 || vertex >= count) std::abort();
      }
    }
    for (const saltus::Vector3& vertex : mesh.vertices) {
      if (!vertex.allFinite()) std::abort();
    }
  } catch (const saltus::InputError& error) {
    if (std::string(error.what()).empty()) std::abort();
  }
  return 0;
}
