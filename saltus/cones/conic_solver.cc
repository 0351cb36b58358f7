#include "saltus/cones/conic_solver.h"

#include <algorithm>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/cones/solvers/admm.h"
#include "saltus/cones/solvers/block_pivoting.h"
#include "saltus/cones/solvers/cascade.h"
#include "saltus/cones/solvers/de_saxce.h"
#include "saltus/cones/solvers/interior_point.h"
#include "saltus/cones/solvers/islands.h"
#include "saltus/cones/solvers/keller.h"
#include "saltus/cones/solvers/lemke.h"
#include "saltus/cones/solvers/nsgs.h"
#include "saltus/cones/solvers/pgs.h"
#include "saltus/cones/solvers/problem_dump.h"
#include "saltus/cones/solvers/projected_cg.h"
#include "saltus/cones/solvers/prox_solver.h"
#include "saltus/cones/solvers/proximal_point.h"
#include "saltus/cones/solvers/semismooth_newton.h"

namespace saltus {

const char* StatusName(SolveStatus status) {
  switch (status) {
    case SolveStatus::kConverged:
      return "converged";
    case SolveStatus::kAccepted:
      return "accepted";
    case SolveStatus::kMaxIterations:
      return "iteration limit reached";
    case SolveStatus::kStagnated:
      return "stagnated";
    case SolveStatus::kInfeasible:
      return "infeasible";
    case SolveStatus::kRay:
      return "ray";
    case SolveStatus::kNotFinite:
      return "not finite";
    case SolveStatus::kUnsupported:
      return "unsupported cone";
  }
  return "unknown";
}

const std::vector<ConicSolverInfo>& ListConicSolvers() {
  static const std::vector<ConicSolverInfo> kSolvers = {
      {"auto", "sweeps, then second-order methods where they are cheaper or needed: take this one"},
      {"nsgs", "nonsmooth Gauss-Seidel with exact local Coulomb solutions, accelerated"},
      {"semismooth-newton", "Newton's method on the laws (Alart-Curnier), sparse LU, line search"},
      {"interior-point", "central path of Coulomb's law: hard problems from a cold start"},
      {"projected-cg", "conjugate gradients within bounds: large problems without friction"},
      {"lemke", "Lemke's pivoting method, exact: no friction, planar or polyhedral friction"},
      {"proximal-point",
       "regularised problems solved by Newton's method: singular and stiff problems", false},
      {"admm", "alternating directions, one factorisation, many cheap passes", false},
      {"de-saxce", "convex problems by interior points, the shift of friction held in each", false},
      {"prox", "projections with all contacts at once, no factorisation", false},
      {"pgs", "projected Gauss-Seidel, row by row: rough answers", false},
      {"block-pivoting", "Judice-Pires pivoting, exact, for large problems without friction",
       false},
      {"principal-pivoting", "Murty's pivoting by least index, exact, without friction", false},
      {"keller", "Keller's principal pivoting: drives one row at a time, exact, without friction",
       false},
  };
  return kSolvers;
}

namespace {

std::unique_ptr<ConicSolver> MakeByName(const std::string& name,
                                        const ConicSolverOptions& options) {
  if (name == "auto" || name == "hybrid") {
    return std::make_unique<IslandSolver>(
        std::make_unique<Cascade>("auto", options, ListAutoStages), options);
  }
  if (name == "nsgs") return std::make_unique<NsgsSolver>(NsgsOptions{options});
  if (name == "lemke") return std::make_unique<LemkeSolver>(options);
  if (name == "newton" || name == "semismooth-newton") {
    return std::make_unique<SemismoothNewtonSolver>(options);
  }
  if (name == "proximal-point") return std::make_unique<ProximalPointSolver>(options);
  if (name == "admm") return std::make_unique<AdmmSolver>(options);
  if (name == "interior-point") return std::make_unique<InteriorPointSolver>(options);
  if (name == "de-saxce") return std::make_unique<DeSaxceSolver>(options);
  if (name == "projected-cg") return std::make_unique<ProjectedCgSolver>(options);
  if (name == "prox") return std::make_unique<ProxSolver>(ProxOptions{options});
  if (name == "pgs") return std::make_unique<PgsSolver>(PgsOptions{options});
  if (name == "keller") return std::make_unique<KellerSolver>(options);
  if (name == "block-pivoting") {
    return std::make_unique<PivotingSolver>(options, PivotRule::kBlock);
  }
  if (name == "principal-pivoting") {
    return std::make_unique<PivotingSolver>(options, PivotRule::kLeastIndex);
  }
  std::vector<std::string> names;
  for (const ConicSolverInfo& info : ListConicSolvers()) names.push_back(info.name);
  throw InputError("solver", "there is no contact solver '" + name + "'", SuggestName(name, names));
}

bool HasCohesion(const ConicProblem& problem) {
  return std::any_of(problem.cones.begin(), problem.cones.end(),
                     [](const Cone& cone) { return cone.cohesion > 0; });
}

bool HasAssociated(const ConicProblem& problem) {
  return std::any_of(problem.cones.begin(), problem.cones.end(),
                     [](const Cone& cone) { return cone.associated; });
}

/// What all methods report alike: (2) of SolveTarget, the error and the law.
SolveReport Complete(const ConicProblem& problem, const SolveTarget& target, SolveReport report) {
  report.error = report.residual.velocity;
  report.worst_block = report.residual.velocity_block;
  report.associated = HasAssociated(problem);
  const bool missed =
      report.status == SolveStatus::kMaxIterations || report.status == SolveStatus::kStagnated;
  if (missed && report.error <= target.velocity_limit) report.status = SolveStatus::kAccepted;
  return report;
}

}  // namespace

SolveTarget MakeTarget(const ConicSolverOptions& options) {
  SolveTarget target;
  target.relative = options.tolerance;
  target.absolute = options.absolute_tolerance;
  target.velocity_aim = options.velocity_tolerance;
  target.budget = {options.max_iterations, options.effort};
  return target;
}

SolveReport ConicSolver::Solve(const ConicProblem& problem, const SolveTarget& target,
                               GrowingVector* r) {
  if (HasCohesion(problem)) {
    VectorX copy(*r);
    const SolveReport report = Solve(problem, target, &copy);
    *r = copy;
    return report;
  }
  return Complete(problem, target, SolveGrowing(problem, target, r));
}

SolveReport ConicSolver::SolveGrowing(const ConicProblem& problem, const SolveTarget& target,
                                      GrowingVector* r) {
  VectorX copy(*r);
  const SolveReport report = SolveReduced(problem, target, &copy);
  *r = copy;
  return report;
}

SolveReport ConicSolver::Solve(const ConicProblem& problem, const SolveTarget& target, VectorX* r) {
  if (!HasCohesion(problem)) return Complete(problem, target, SolveReduced(problem, target, r));
  VectorX bond = VectorX::Zero(problem.size());
  ConicProblem reduced = problem;
  for (Cone& cone : reduced.cones) {
    bond[cone.offset] = cone.cohesion;
    cone.cohesion = 0;
  }
  CalcVelocity(problem, -bond, &reduced.b);
  for (ConeLoad& load : reduced.loads) load.constant -= load.rows * bond;
  if (r->size() != problem.size() || !r->allFinite()) r->setZero(problem.size());
  *r += bond;
  SolveReport report = SolveReduced(reduced, target, r);
  *r -= bond;
  report.residual = CalcNaturalMapResidual(problem, *r);
  return Complete(problem, target, report);
}

std::unique_ptr<ConicSolver> MakeConicSolver(const std::string& name,
                                             const ConicSolverOptions& options) {
  std::unique_ptr<ConicSolver> solver = MakeByName(name, options);
  if (options.dump == nullptr) return solver;
  return std::make_unique<DumpingSolver>(std::move(solver), options.dump);
}

}  // namespace saltus
