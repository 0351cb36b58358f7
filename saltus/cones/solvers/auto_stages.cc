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
      {sweeps, CanSweep, 0.1},
      {sweeps, CanSweep, 0.3},
      {cg, ProjectedCgSolver::Accepts, 0.4},
      {newton, nullptr, 0.05, true},
      {interior, InteriorPointSolver::Accepts, 0.1, true},
      {proximal, nullptr, 0.1, true},
      {smooth_newton, nullptr, 0.05, true},
      {newton, nullptr, 0.05, true, kZero},
      {sweeps, CanSweep, 0.05, false, kLast},
      {newton, nullptr, 0.05, true, kLast},
      {proximal, nullptr, 0.1, true, kZero},
      {lemke, IsTinyLinear, 0.2, false, kZero},
      {de_saxce, InteriorPointSolver::Accepts, 0.1, true, kZero},
      {newton, nullptr, 0.05, true, kLast},
      {sweeps, CanSweep, 1},
  };
}

}  // namespace saltus
