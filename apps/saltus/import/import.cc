#include "apps/saltus/import/import.h"

#include <filesystem>
#include <string>

#include <tinyxml2.h>

#include "saltus/base/error.h"

namespace saltus {

std::string FindRobotFormat(const std::string& path) {
  const std::string kind = std::filesystem::path(path).extension().string();
  if (kind != ".urdf" && kind != ".xml" && kind != ".mjcf") return "";
  tinyxml2::XMLDocument document;
  document.LoadFile(path.c_str());
  const tinyxml2::XMLElement* root = document.RootElement();
  if (root == nullptr) return kind == ".urdf" ? "urdf" : "";
  if (std::string(root->Name()) == "robot") return "urdf";
  if (std::string(root->Name()) == "mujoco") return "mjcf";
  return kind == ".urdf" ? "urdf" : "";
}

Import ImportRobot(const std::string& path, const ImportOptions& options) {
  const std::string format = FindRobotFormat(path);
  if (format == "urdf") return ImportUrdf(path, options);
  if (format == "mjcf") return ImportMjcf(path, options);
  throw InputError(
      "", "it is neither URDF nor MJCF",
      "the root element must be <robot> or <mujoco>, and the name end in .urdf or .xml", {path});
}

}  // namespace saltus
