// The smooth solvers by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saltus/dae/alpha_methods.h"
#include "saltus/dae/dae_solver.h"

namespace saltus {

struct DaeSolverOptions {
  double rho_inf = 0.8;             // alpha-index2, -index3: ∈ [0, 1]
  double alpha = -0.1;              // hht-i3: ∈ [−⅓, 0]
  double error_weight = 0.3;        // hem5: c of its error estimate, ≥ 0
  double newton_tolerance = 1e-10;  // of the α family
};

struct DaeSolverInfo {
  std::string name;
  std::string summary;  // one line
  std::unique_ptr<DaeSolver> (*make)(const DaeSolverOptions& options);
};

const std::vector<DaeSolverInfo>& ListDaeSolvers();
/// Throws InputError with the nearest name if there is none.
std::unique_ptr<DaeSolver> MakeDaeSolver(const std::string& name,
                                         const DaeSolverOptions& options = {});

}  // namespace saltus
