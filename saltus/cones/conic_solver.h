// The interface of all solvers of ConicProblem, and what they report.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "saltus/base/stop_request.h"
#include "saltus/cones/conic_problem.h"

namespace saltus {

enum class SolveStatus {
  kConverged,      // the natural-map residual is within tolerance
  kMaxIterations,  // best iterate returned, residual above tolerance
  kStagnated,      // no more progress possible; best iterate returned
  kInfeasible,     // it is proved that there is no solution; SolveReport::reason says how
  kRay,            // a pivoting method ended on a ray that proves nothing; reason says more
  kNotFinite,      // data or iterates are NaN or infinite
  kUnsupported,    // the method does not handle a cone of this problem; r is left as it was
};
const char* StatusName(SolveStatus status);

struct SolveReport {
  SolveStatus status = SolveStatus::kConverged;
  int iterations = 0;
  NaturalMapResidual residual;  // computed by CalcNaturalMapResidual
  const char* reason = "";      // of a failure, where the method knows more than its status
  bool associated = false;      // an associated cone was solved, not Coulomb's law
  bool ok() const { return status == SolveStatus::kConverged; }
};

/// Which problems of a run are stored as FCLib files (solvers/problem_dump.h).
enum class DumpWhen { kAll, kSlow, kFailed };
struct ProblemDump {
  DumpWhen when = DumpWhen::kFailed;
  std::string prefix;         // of the files
  int slow_iterations = 200;  // a solved problem that took at least these is slow
};

/// How Gauss–Seidel solves a block of Coulomb friction in space; all are exact.
enum class LocalMethod {
  kAngle,       // Newton on the slip angle, the quartic where that fails (coulomb_block.h)
  kQuartic,     // all slip directions by the roots of the quartic, the best of them
  kSemismooth,  // Newton on Alart–Curnier's equations (newton_block.h)
};

/// The laws as equations (solvers/cone_equations.h), for methods of Newton's kind.
enum class ConeFunction { kAlartCurnier, kNaturalMap, kFischerBurmeister };

struct ConicSolverOptions {
  double tolerance = 1e-9;  // on NaturalMapResidual::relative, eq. (4) of conic_problem.h
  int max_iterations = 1000;
  /// On NaturalMapResidual::absolute, eq. (5). That measure depends on the units of the problem, so
  /// it is asked for only where problems of other codes are compared (`saltus solve`, benchmarks).
  double absolute_tolerance = std::numeric_limits<double>::infinity();
  /// On NaturalMapResidual::velocity, eq. (7), in the unit of u: an iterate within it is accepted
  /// whatever the other two measures say. 0: not asked for.
  double velocity_tolerance = 0;
  std::shared_ptr<const ProblemDump> dump;  // null: none is stored
  /// Of auto and of methods that split a problem into islands; results do not depend on it. ≥ 1
  int threads = 1;
  const StopRequest* stop = nullptr;  // asked once a sweep or step; outlives the solver
  LocalMethod local_method = LocalMethod::kAngle;       // nsgs
  ConeFunction function = ConeFunction::kAlartCurnier;  // semismooth-newton
};

/// True if relative and absolute measure, or the velocity, are within the tolerances.
inline bool IsWithinTolerance(const NaturalMapResidual& residual,
                              const ConicSolverOptions& options) {
  return (options.velocity_tolerance > 0 && residual.velocity <= options.velocity_tolerance) ||
         (residual.relative <= options.tolerance &&
          residual.absolute <= options.absolute_tolerance);
}

class ConicSolver {
 public:
  virtual ~ConicSolver() = default;
  virtual std::string name() const = 0;
  /// Warm-starts from *r and leaves the best iterate there. Never returns NaN in r; throws nothing
  /// but what options.stop throws, and *r is lost then.
  /// Cohesion is removed here, x = r + c n, b − (A + C) c n in place of b: no method sees it.
  [[nodiscard]] SolveReport Solve(const ConicProblem& problem, VectorX* r);
  /// The same. Methods that keep their memory do not touch the heap for a problem that is no larger
  /// than those before (NSGS).
  [[nodiscard]] SolveReport Solve(const ConicProblem& problem, GrowingVector* r);
  virtual std::unique_ptr<ConicSolver> Clone() const = 0;

 protected:
  /// Solve for a problem without cohesion.
  virtual SolveReport SolveReduced(const ConicProblem& problem, VectorX* r) = 0;
  virtual SolveReport SolveGrowing(const ConicProblem& problem, GrowingVector* r);
};

/// By name, see ListConicSolvers. Throws InputError with the nearest name otherwise.
std::unique_ptr<ConicSolver> MakeConicSolver(const std::string& name,
                                             const ConicSolverOptions& options);

/// Names and one-line descriptions for `saltus list solvers`.
struct ConicSolverInfo {
  std::string name;
  std::string summary;
};
const std::vector<ConicSolverInfo>& ListConicSolvers();

}  // namespace saltus
