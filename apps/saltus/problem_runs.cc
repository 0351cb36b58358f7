#include "apps/saltus/problem_runs.h"

#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "saltus/base/error.h"

#include "problems/catalog.h"

namespace saltus {
namespace {

constexpr std::string_view kPrefix = "problem:";
// The lines of a problem's run in its result.
constexpr std::string_view kRunLine = "# saltus run ";
constexpr std::string_view kSetLine = "# --set ";

std::string NameOf(const std::string& scene) { return scene.substr(kPrefix.size()); }

}  // namespace

bool IsProblem(const std::string& scene) { return scene.starts_with(kPrefix); }

ProblemRun ReadProblemRun(const std::string& result_text) {
  ProblemRun run;
  std::istringstream lines(result_text);
  for (std::string line; std::getline(lines, line);) {
    if (run.scene.empty()) {
      if (!line.starts_with(kRunLine) || !IsProblem(line.substr(kRunLine.size()))) return run;
      run.scene = line.substr(kRunLine.size());
    } else if (line.starts_with(kSetLine)) {
      run.overrides.push_back(line.substr(kSetLine.size()));
    }
  }
  return run;
}

Scene ReadProblem(const std::string& scene, const std::vector<std::string>& overrides) {
  const ProblemInfo& info = FindProblem(NameOf(scene));
  for (const std::string& text : overrides) {
    if (text.starts_with("simulation.") || text.starts_with("output.")) continue;
    throw InputError("--set " + text, "a problem has no such key",
                     "set simulation.KEY or output.KEY");
  }
  // A scene is not complete without a body; its model is not used.
  const std::string settings = fmt::format(
      "saltus: 1\nname: {}\nbodies: {{point: {{point_mass: 1}}}}\n"
      "simulation: {{integrator: {}, step: {}, until: {}}}\n",
      info.name, info.integrator, info.step, info.until);
  Scene result = ReadSceneText(settings, scene, overrides);
  result.model = {};
  result.model.name = info.name;
  result.origin = nullptr;
  result.source = std::string(kRunLine) + scene + "\n";
  for (const std::string& text : overrides) result.source += std::string(kSetLine) + text + "\n";
  return result;
}

Simulation MakeProblemSimulation(const std::string& name, const Scene& scene) {
  return Simulation(std::make_unique<EquationSystem>(FindProblem(NameOf(name)).make()),
                    MakeIntegrator(scene), scene.simulation);
}

}  // namespace saltus
