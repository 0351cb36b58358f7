// saltus check: read and build scenes without running them.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/scene/scene.h"
#include "saltus/simulation/run_notices.h"

#include "apps/saltus/commands.h"
#include "apps/saltus/report.h"
#include "apps/saltus/scene_files.h"

namespace saltus {
namespace {

constexpr char kExamples[] = R"(
Examples:
  saltus check ball.yaml
  saltus check scenes/*.yaml
Every mistake is told with file, line, key and a suggestion. Exit codes: 0 all good, 2 bad input.)";

struct CheckArguments {
  std::vector<std::string> scenes, settings;
};

int CheckScenes(const CheckArguments& arguments) {
  int exit_code = kExitGood;
  for (const std::string& path : arguments.scenes) {
    try {
      const Scene scene = ReadAnyScene(path, arguments.settings);
      Simulation simulation = MakeSimulation(scene);
      PrintNotices(MakeRunNotices(simulation));
      PrintHyperstatic(simulation.system(), simulation.state());
      const ModelSpec& model = scene.model;
      fmt::print(
          "{}: good: {}, {}, {}\n", path,
          FormatNumberOf(model.rigid_bodies.size() + model.point_masses.size(), "body", "bodies"),
          FormatNumberOf(model.joints.size(), "joint", "joints"),
          FormatMobility(simulation.system()));
    } catch (const InputError& error) {
      fmt::print(stderr, "saltus: error: {}\n", error.what());
      exit_code = kExitBadInput;
    }
  }
  return exit_code;
}

}  // namespace

void AddCheckCommand(CLI::App* app, int* exit_code) {
  const auto arguments = std::make_shared<CheckArguments>();
  CLI::App* check = app->add_subcommand("check", "Validate scenes without running them");
  check->footer(kExamples);
  check->add_option("SCENE", arguments->scenes, "scene files (YAML)")->required();
  check->add_option("--set", arguments->settings, "KEY=VALUE, as for 'saltus run'")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  check->callback([arguments, exit_code] { *exit_code = CheckScenes(*arguments); });
}

}  // namespace saltus
