#include "saltus/cones/solvers/auto_solver.h"

namespace saltus {

SolveReport AutoSolver::Solve(const ConicProblem& problem, VectorX* r) {
  if (problem.size() > kMaxLemkeRows || !LemkeSolver::Accepts(problem)) {
    return nsgs_.Solve(problem, r);
  }
  const SolveReport exact = lemke_.Solve(problem, r);
  const bool final = exact.ok() || exact.status == SolveStatus::kInfeasible ||
                     exact.status == SolveStatus::kNotFinite;
  if (final) return exact;
  SolveReport report = nsgs_.Solve(problem, r);
  report.iterations += exact.iterations;
  return report;
}

}  // namespace saltus
