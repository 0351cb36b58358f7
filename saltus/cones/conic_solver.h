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
  kConverged,      // the aim of the target is met
  kAccepted,       // the aim is not met, but no law is broken by more than the velocity limit
  kMaxIterations,  // the budget is used; best iterate returned
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
  double error = 0;             // residual.velocity: what the worst block breaks of its law, m/s
  int worst_block = -1;         // that block
  const char* reason = "";      // of a failure, where the method knows more than its status
  bool associated = false;      // an associated cone was solved, not Coulomb's law
  bool ok() const { return status == SolveStatus::kConverged; }
  /// Good enough to step on with: converged, or within the velocity limit.
  bool accepted() const { return ok() || status == SolveStatus::kAccepted; }
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

/// How much a solve may cost where sweeps do not converge.
///   kLow     sweeps only: nothing is factorised
///   kNormal  a factorisation counts as the sweeps that take as long
///   kHigh    a factorisation counts as one iteration: up to the strongest method
enum class Effort { kLow, kNormal, kHigh };

struct Budget {
  int max_iterations = 1000;  // sweeps and steps of all methods together: a maximum
  Effort effort = Effort::kNormal;
  /// Sweeps end where their rate predicts more than these to the aim: another method is cheaper.
  int patience = std::numeric_limits<int>::max();
};

/// What a solve aims at and what it may cost. The aim is met where
///
///   relative ≤ `relative` and absolute ≤ `absolute`,   or   velocity ≤ velocity_aim            (1)
///
/// (eqs. (4), (5) and (7) of conic_problem.h). Where it is out of reach, an iterate with
///
///   velocity ≤ velocity_limit                                                                 (2)
///
/// is accepted and its error reported; beyond the limit the solve has failed. Blocks with
/// Cone::sticks are held to velocity_aim as long as the iteration contracts.
struct SolveTarget {
  double relative = 1e-9;
  double velocity_aim = 0;    // m/s; 0: only the relative measure counts
  double velocity_limit = 0;  // m/s; 0: nothing but the aim is accepted
  Budget budget;
  /// Eq. (5) depends on the units of the problem, so it is asked for only where problems of other
  /// codes are compared (`saltus solve`, benchmarks).
  double absolute = std::numeric_limits<double>::infinity();
};

struct ConicSolverOptions {
  // The target of calls that name none: SolveTarget's relative, max_iterations, absolute,
  // velocity_aim and effort.
  double tolerance = 1e-9;
  int max_iterations = 1000;
  double absolute_tolerance = std::numeric_limits<double>::infinity();
  double velocity_tolerance = 0;
  Effort effort = Effort::kNormal;
  std::shared_ptr<const ProblemDump> dump;  // null: none is stored
  /// Of auto and of methods that split a problem into islands; results do not depend on it. ≥ 1
  int threads = 1;
  const StopRequest* stop = nullptr;  // asked once a sweep or step; outlives the solver
  LocalMethod local_method = LocalMethod::kAngle;       // nsgs
  ConeFunction function = ConeFunction::kAlartCurnier;  // semismooth-newton
};

SolveTarget MakeTarget(const ConicSolverOptions& options);

/// (1) of SolveTarget.
inline bool MeetsAim(const NaturalMapResidual& residual, const SolveTarget& target) {
  return (target.velocity_aim > 0 && residual.velocity <= target.velocity_aim) ||
         (residual.relative <= target.relative && residual.absolute <= target.absolute);
}

class ConicSolver {
 public:
  /// @param target  of calls that name none
  explicit ConicSolver(const SolveTarget& target) : target_(target) {}
  explicit ConicSolver(const ConicSolverOptions& options) : target_(MakeTarget(options)) {}
  virtual ~ConicSolver() = default;
  virtual std::string name() const = 0;
  /// Warm-starts from *r and leaves the best iterate there. Never returns NaN in r; throws nothing
  /// but what options.stop throws, and *r is lost then.
  /// Cohesion is removed here, x = r + c n, b − (A + C) c n in place of b: no method sees it.
  [[nodiscard]] SolveReport Solve(const ConicProblem& problem, const SolveTarget& target,
                                  VectorX* r);
  /// The same. Methods that keep their memory do not touch the heap for a problem that is no larger
  /// than those before (NSGS).
  [[nodiscard]] SolveReport Solve(const ConicProblem& problem, const SolveTarget& target,
                                  GrowingVector* r);
  /// The same with the target of the options.
  template <class Vector>
  [[nodiscard]] SolveReport Solve(const ConicProblem& problem, Vector* r) {
    return Solve(problem, target_, r);
  }
  virtual std::unique_ptr<ConicSolver> Clone() const = 0;
  const SolveTarget& default_target() const { return target_; }

 protected:
  /// Solve for a problem without cohesion. Reports whether the aim is met; Solve adds the rest.
  virtual SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                                   VectorX* r) = 0;
  virtual SolveReport SolveGrowing(const ConicProblem& problem, const SolveTarget& target,
                                   GrowingVector* r);

 private:
  SolveTarget target_;
};

/// By name, see ListConicSolvers. Throws InputError with the nearest name otherwise.
std::unique_ptr<ConicSolver> MakeConicSolver(const std::string& name,
                                             const ConicSolverOptions& options);

/// Names and one-line descriptions for `saltus list solvers`.
struct ConicSolverInfo {
  std::string name;
  std::string summary;
  bool is_public = true;  // else for comparisons and research: `saltus list solvers --all`
};
const std::vector<ConicSolverInfo>& ListConicSolvers();

}  // namespace saltus
