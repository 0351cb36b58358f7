#include "saltus/cones/solvers/cascade.h"
#include "saltus/cones/solvers/de_saxce.h"
#include "saltus/cones/solvers/interior_point.h"
#include "saltus/cones/solvers/lemke.h"
#include "saltus/cones/solvers/linear_cones.h"
#include "saltus/cones/solvers/nsgs.h"
#include "saltus/cones/solvers/projected_cg.h"
#include "saltus/cones/solvers/proximal_point.h"
#include "saltus/cones/solvers/semismooth_newton.h"

namespace saltus {
namespace {

constexpr int kMaxLemkeRows = 40;  // beyond, dense pivots cost more than sweeps
// What solves most problems of most runs: whoever needs more is better served by another method.
constexpr int kFirstSweeps = 100, kFirstSteps = 20;
constexpr int kLateSteps = 100;  // of what follows: more of them rarely help

bool IsTinyWithoutFriction(const ConicProblem& problem) {
  return problem.size() <= kMaxLemkeRows && LinearCones::Accepts(problem) &&
         !LinearCones::HasFriction(problem);
}

bool IsTinyLinear(const ConicProblem& problem) {
  return problem.size() <= kMaxLemkeRows && LinearCones::Accepts(problem);
}

bool CanSweep(const ConicProblem& problem) { return problem.A->can_sweep(); }

}  // namespace

std::vector<Stage> ListAutoStages(const ConicSolverOptions& options) {
  const auto lemke = std::make_shared<LemkeSolver>(options);
  const auto sweeps = std::make_shared<NsgsSolver>(NsgsOptions{options});
  const auto cg = std::make_shared<ProjectedCgSolver>(options);
  const auto newton = std::make_shared<SemismoothNewtonSolver>(options);
  ConicSolverOptions smooth = options;
  smooth.function = ConeFunction::kFischerBurmeister;
  const auto smooth_newton = std::make_shared<SemismoothNewtonSolver>(smooth);
  const auto interior = std::make_shared<InteriorPointSolver>(options);
  const auto proximal = std::make_shared<ProximalPointSolver>(options);
  const auto de_saxce = std::make_shared<DeSaxceSolver>(options);
  using enum StageStart;
  return {
      {lemke, IsTinyWithoutFriction, 1},
      {sweeps, CanSweep, 0.1, false, kBest, kFirstSweeps},
      {sweeps, CanSweep, 0.3},
      {cg, ProjectedCgSolver::Accepts, 0.4},
      {newton, nullptr, 0.05, true, kBest, kFirstSteps},
      {interior, InteriorPointSolver::Accepts, 0.1, true, kBest, kLateSteps},
      {proximal, nullptr, 0.1, true, kBest, kLateSteps},
      {smooth_newton, nullptr, 0.05, true, kBest, kLateSteps},
      {newton, nullptr, 0.05, true, kZero, kLateSteps},
      {sweeps, CanSweep, 0.05, false, kLast},
      {newton, nullptr, 0.05, true, kLast, kLateSteps},
      {proximal, nullptr, 0.1, true, kZero, kLateSteps},
      {lemke, IsTinyLinear, 0.2, false, kZero},
      {de_saxce, InteriorPointSolver::Accepts, 0.1, true, kZero, kLateSteps},
      {newton, nullptr, 0.05, true, kLast, kLateSteps},
      {sweeps, CanSweep, 0.3},
      {newton, nullptr, 0.05, true, kBest, kLateSteps},
      {sweeps, CanSweep, 1},
  };
}

}  // namespace saltus
