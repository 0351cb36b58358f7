// Problems written as equations (folder problems/) in place of a scene file: problem:NAME.
#pragma once

#include <string>
#include <vector>

#include "saltus/scene/scene.h"

namespace saltus {

bool IsProblem(const std::string& scene);
/// The problem whose run left this text in its result, with the settings of that run.
struct ProblemRun {
  std::string scene;  // problem:NAME, or empty: it was a scene
  std::vector<std::string> overrides;
};
ProblemRun ReadProblemRun(const std::string& result_text);
/// The simulation, integrator and output of a problem's run; `overrides` as for a scene, of the
/// section `simulation` and `output` only. The model stays empty.
Scene ReadProblem(const std::string& scene, const std::vector<std::string>& overrides);
Simulation MakeProblemSimulation(const std::string& name, const Scene& scene);

}  // namespace saltus
