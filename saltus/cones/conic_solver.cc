#include "saltus/cones/conic_solver.h"

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/cones/solvers/auto_solver.h"
#include "saltus/cones/solvers/hybrid_solver.h"
#include "saltus/cones/solvers/lemke.h"
#include "saltus/cones/solvers/nsgs.h"
#include "saltus/cones/solvers/semismooth_newton.h"

namespace saltus {

const char* StatusName(SolveStatus status) {
  switch (status) {
    case SolveStatus::kConverged:
      return "converged";
    case SolveStatus::kMaxIterations:
      return "iteration limit reached";
    case SolveStatus::kStagnated:
      return "stagnated";
    case SolveStatus::kInfeasible:
      return "infeasible";
    case SolveStatus::kNotFinite:
      return "not finite";
    case SolveStatus::kUnsupported:
      return "unsupported cone";
  }
  return "unknown";
}

const std::vector<ConicSolverInfo>& ListConicSolvers() {
  static const std::vector<ConicSolverInfo> kSolvers = {
      {"auto", "Lemke for small problems without friction, NSGS for all others"},
      {"nsgs", "nonsmooth Gauss-Seidel with exact local Coulomb solutions, accelerated"},
      {"hybrid", "NSGS and semismooth Newton in turns: hard problems with friction"},
      {"semismooth-newton", "Newton's method on the laws (Alart-Curnier), sparse LU, line search"},
      {"lemke", "Lemke's pivoting method, exact, for problems without friction"},
  };
  return kSolvers;
}

std::unique_ptr<ConicSolver> MakeConicSolver(const std::string& name,
                                             const ConicSolverOptions& options) {
  if (name == "auto") return std::make_unique<AutoSolver>(options);
  if (name == "nsgs") return std::make_unique<NsgsSolver>(NsgsOptions{options});
  if (name == "lemke") return std::make_unique<LemkeSolver>(options);
  if (name == "hybrid") return std::make_unique<HybridSolver>(options);
  if (name == "semismooth-newton") {
    return std::make_unique<SemismoothNewtonSolver>(SemismoothNewtonOptions{options});
  }
  std::vector<std::string> names;
  for (const ConicSolverInfo& info : ListConicSolvers()) names.push_back(info.name);
  throw InputError("solver", "there is no contact solver '" + name + "'", SuggestName(name, names));
}

}  // namespace saltus
