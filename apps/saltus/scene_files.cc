#include "apps/saltus/scene_files.h"

#include <fmt/format.h>

namespace saltus {
namespace {

constexpr double kStep = 0.001;  // s, where a file says nothing
constexpr double kUntil = 2;     // s

}  // namespace

Scene MakeScene(const Import& result) {
  Scene scene;
  scene.model = result.model;
  scene.simulation.step = result.step.value_or(kStep);
  scene.simulation.until = kUntil;
  scene.output.dt = 0.01;
  return scene;
}

Scene ReadAnyScene(const std::string& path, const std::vector<std::string>& overrides) {
  if (FindRobotFormat(path).empty()) return ReadScene(path, overrides);
  const Import result = ImportRobot(path);
  for (const std::string& note : result.notes) {
    fmt::print(stderr, "saltus: import: {}\n", note);
  }
  return ReadSceneText(WriteScene(MakeScene(result)), path, overrides);
}

}  // namespace saltus
