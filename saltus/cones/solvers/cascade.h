// A cascade: solvers one after the other, each from what those before have found, until the aim is
// met or the budget is used.
//
// Work is counted in sweeps of Gauss–Seidel; the budget is max_iterations of them. A step of a
// method that factorises counts as the sweeps that take as long,
//
//   w = flops of a factorisation / (kKernelSpeed · flops of a sweep), at least 1               (1)
//
// (Effort::kHigh, or no limit of acceptance: a hundredth of it; Effort::kLow: such methods are left
// out). A stage gets its share of the budget, as far as that much is left; as long as no iterate is
// acceptable (eq. (2) of SolveTarget, the aim where blocks stick), kSecondOrderSteps steps at
// least. It is skipped if kMinSteps are too many.
//
// The first stage answers most problems, and w is not looked at before it has failed. Sweeps that
// follow the first ones end early where their rate predicts that a second-order method is cheaper:
// more than kSecondOrderSteps · w of them to the aim (nsgs.h), unless such a method was tried. They
// are skipped where the best iterate is acceptable.
//
// What is returned is the best iterate of all stages, as the judge sees it. A stage that proves
// infeasibility, or meets data that are not finite, ends the cascade.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "saltus/cones/conic_solver.h"
#include "saltus/cones/solvers/judge.h"

namespace saltus {

/// Where a stage starts.
enum class StageStart {
  kBest,  // from the best iterate
  kLast,  // from the outcome of the stage before
  kZero,  // from r = 0: other methods are caught in other places
};

struct Stage {
  std::shared_ptr<ConicSolver> solver;
  bool (*accepts)(const ConicProblem& problem) = nullptr;  // null: all problems
  double share = 1;                                        // of the budget
  bool factorises = false;
  StageStart start = StageStart::kBest;
  int most = std::numeric_limits<int>::max();  // iterations, whatever the budget
};

class Cascade final : public ConicSolver {
 public:
  /// @param make_stages  of the solvers' options; called again by Clone
  using MakeStages = std::vector<Stage> (*)(const ConicSolverOptions& options);
  Cascade(std::string name, const ConicSolverOptions& options, MakeStages make_stages);

  std::string name() const override { return name_; }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<Cascade>(name_, options_, make_stages_);
  }

 private:
  /// What is left of the budget.
  struct Account {
    int iterations = 0;       // of all stages
    double work = 0;          // in sweeps
    double step = 0;          // (1), 0: not known yet
    bool factorised = false;  // a stage that factorises was tried
  };

  SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                           VectorX* r) override;
  /// The target of a stage; without iterations if it is to be skipped. `best` is what the stages
  /// before have reached.
  SolveTarget MakeStageTarget(const ConicProblem& problem, const SolveTarget& target,
                              const Stage& stage, const NaturalMapResidual& best,
                              Account* account) const;

  std::string name_;
  ConicSolverOptions options_;
  MakeStages make_stages_;
  std::vector<Stage> stages_;
};

/// The default: Lemke's method for tiny problems without friction; sweeps; conjugate gradients
/// where there is no friction; Newton's method and interior points where a factorisation fits the
/// budget, then other methods from r = 0.
std::vector<Stage> ListAutoStages(const ConicSolverOptions& options);

/// w of eq. (1).
double CalcStepWork(const ConicProblem& problem);

}  // namespace saltus
