#include "apps/saltus/view_files.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/output/result_reader.h"
#include "saltus/scene/scene.h"

#include "apps/saltus/scene_files.h"

namespace saltus {
namespace {

ViewModel MakeViewModel(const Scene& scene) { return {BuildModel(scene), scene.model}; }

/// Results of systems without bodies carry no scene, and a scene of another version may not read
/// any more: the motion is shown all the same, without shapes.
ViewModel ReadModelOf(const ResultReader& reader) {
  if (reader.scene().empty() || reader.layout().bodies.empty()) return {};
  try {
    return MakeViewModel(ReadSceneText(reader.scene(), reader.path()));
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace

std::unique_ptr<ViewSource> OpenView(const std::string& path, const ViewOptions& options) {
  if (!LooksLikeResult(path)) {
    return std::make_unique<ViewSource>(MakeViewModel(ReadAnyScene(path)), path, options);
  }
  return std::make_unique<ViewSource>(path, ReadModelOf(ResultReader(path)), options);
}

std::string ReadViewerTemplate() {
  namespace fs = std::filesystem;
  const char* given = std::getenv("SALTUS_VIEWER");
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path path =
      given != nullptr ? fs::path(given)
                       : program.parent_path().parent_path() / "share" / "saltus" / "viewer.html";
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw InputError("", "the viewer is not there",
                     "build the target saltus_viewer (it needs npm), or name the file by the "
                     "environment variable SALTUS_VIEWER",
                     {path.string()});
  }
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace saltus
