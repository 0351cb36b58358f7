// Runs of the smooth solvers for the tests.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/dae/dae_solvers.h"
#include "saltus/dae/step_control.h"

#include "problems/mechanisms.h"

namespace saltus {

/// The end of `steps` fixed steps to t_end.
inline DaePoint RunFixed(System* system, const std::string& solver_name, double t_end, int steps,
                         const DaeSolverOptions& options = {}) {
  DaeTerms terms(system);
  const std::unique_ptr<DaeSolver> solver = MakeDaeSolver(solver_name, options);
  const State state = system->MakeInitialState();
  solver->Start(&terms, {state.time, state.q, state.v});
  for (int k = 0; k < steps; ++k) {
    const DaeTrial trial = solver->TryStep(t_end / steps);
    EXPECT_TRUE(trial.ok()) << solver_name << " " << StatusName(trial.status);
    if (!trial.ok()) break;
    solver->Accept();
  }
  return solver->point();
}

/// Slope of log error over log step by least squares.
inline double FitOrder(const std::vector<double>& steps, const std::vector<double>& errors) {
  const std::size_t n = steps.size();
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = std::log(steps[i]), y = std::log(errors[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double count = static_cast<double>(n);
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

/// A run with error control.
struct ControlledRun {
  DaePoint end;
  DaeStatistics statistics;
  VectorX lambda;
};
inline ControlledRun RunControlled(System* system, const std::string& solver_name, double t_end,
                                   const StepControlOptions& control,
                                   const DaeSolverOptions& options = {},
                                   const Baumgarte& baumgarte = {},
                                   Formulation formulation = Formulation::kKkt) {
  DaeTerms terms(system, baumgarte, formulation);
  DaeRun run(MakeDaeSolver(solver_name, options), control);
  const State state = system->MakeInitialState();
  run.Start(&terms, {state.time, state.q, state.v});
  std::string failure;
  while (run.solver().point().t < t_end) {
    if (!run.Advance(t_end, &failure)) {
      ADD_FAILURE() << solver_name << ": " << failure;
      break;
    }
  }
  ControlledRun result{run.solver().point(), run.statistics(), {}};
  VectorX a;
  EXPECT_TRUE(run.solver().CalcDenseForces(1, &a, &result.lambda));
  return result;
}

}  // namespace saltus
