// The problems by name: `saltus list problems`, `saltus run problem:NAME`.
#pragma once

#include <string>
#include <vector>

#include "problems/equations.h"

namespace saltus {

struct ProblemInfo {
  std::string name;
  std::string summary;  // one line
  Equations (*make)();
  std::string integrator;  // that suits it
  double step;             // of the output, or of the integrator, s
  double until;            // s
};

const std::vector<ProblemInfo>& ListProblems();
/// Throws InputError with the nearest name if there is none.
const ProblemInfo& FindProblem(const std::string& name);

}  // namespace saltus
