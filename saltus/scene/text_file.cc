#include "saltus/scene/text_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

namespace saltus {

namespace fs = std::filesystem;

namespace {

/// True for a result of ours, named where a scene belongs.
bool IsHdf5(const std::string& path) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  std::ifstream stream(path, std::ios::binary);
  std::string start(kSignature.size(), ' ');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  return stream && start == kSignature;
}

}  // namespace

std::string FindFile(const Field& field, const std::string& base_dir) {
  const std::string name = field.ReadText();
  if (base_dir.empty()) {
    field.Fail(
        "a scene that is not read from a file cannot name the file " + Describe(field.value()),
        "write its content into the scene");
  }
  return (fs::path(base_dir) / name).lexically_normal().string();
}

std::string ReadTextFile(const std::string& path, const Field& origin, const SceneLimits& limits) {
  std::error_code error;
  if (fs::is_directory(path, error)) origin.Fail("'" + path + "' is a folder", "name a file in it");
  if (!fs::is_regular_file(path, error)) {
    origin.Fail("there is no file '" + path + "'",
                "paths are relative to the file that names them");
  }
  if (IsHdf5(path)) {
    origin.Fail("'" + path + "' is an HDF5 file, not a text",
                "name a scene; 'saltus info' and 'saltus probe' read results");
  }
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || size > limits.max_bytes) {
    origin.Fail("'" + path + "' is too large",
                "at most " + std::to_string(limits.max_bytes) + " bytes are allowed");
  }
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) origin.Fail("the file '" + path + "' cannot be read", "check its permissions");
  return std::move(text).str();
}

}  // namespace saltus
