#include "saltus/cones/solvers/auto_solver.h"

#include <algorithm>

namespace saltus {
namespace {

constexpr int kFirstSweeps = 100;
constexpr int kTurnShare = 5;   // max_iterations over what the turns may use …
constexpr int kMinTurns = 200;  // … but at least this

NsgsOptions FirstSweeps(const ConicSolverOptions& options) {
  NsgsOptions sweeps{options};
  sweeps.max_iterations = std::min(options.max_iterations, kFirstSweeps);
  return sweeps;
}

ConicSolverOptions Turns(const ConicSolverOptions& options) {
  ConicSolverOptions turns = options;
  turns.max_iterations =
      std::min(options.max_iterations, std::max(kMinTurns, options.max_iterations / kTurnShare));
  return turns;
}

/// The report of the last method, with the work of those before it.
SolveReport WithIterations(SolveReport report, const SolveReport& before) {
  report.iterations += before.iterations;
  return report;
}

bool IsFinal(const SolveReport& report) {
  return report.ok() || report.status == SolveStatus::kInfeasible ||
         report.status == SolveStatus::kNotFinite;
}

}  // namespace

AutoSolver::AutoSolver(const ConicSolverOptions& options)
    : options_(options),
      lemke_(options),
      first_sweeps_(FirstSweeps(options)),
      nsgs_(NsgsOptions{options}),
      hybrid_(Turns(options)) {}

SolveReport AutoSolver::SolveWithFriction(const ConicProblem& problem, VectorX* r) {
  if (problem.size() > kMaxNewtonRows) return nsgs_.Solve(problem, r);
  const SolveReport sweeps = first_sweeps_.Solve(problem, r);
  if (IsFinal(sweeps) || sweeps.iterations >= options_.max_iterations) return sweeps;
  const SolveReport turns = hybrid_.Solve(problem, r);
  if (IsFinal(turns)) return WithIterations(turns, sweeps);
  // Newton did not help (dry friction whose bound depends on the load, for one): patience may.
  return WithIterations(nsgs_.Solve(problem, r), WithIterations(turns, sweeps));
}

SolveReport AutoSolver::Solve(const ConicProblem& problem, VectorX* r) {
  if (problem.size() > kMaxLemkeRows || !LemkeSolver::Accepts(problem)) {
    return SolveWithFriction(problem, r);
  }
  const SolveReport exact = lemke_.Solve(problem, r);
  if (IsFinal(exact)) return exact;
  return WithIterations(SolveWithFriction(problem, r), exact);
}

}  // namespace saltus
