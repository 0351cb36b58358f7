// The solver that chooses for you: Lemke's method where it applies and is cheap (no friction, at
// most kMaxLemkeRows rows), NSGS otherwise, and also where Lemke's answer misses the tolerance.
#pragma once

#include <memory>
#include <string>

#include "saltus/cones/solvers/lemke.h"
#include "saltus/cones/solvers/nsgs.h"

namespace saltus {

class AutoSolver final : public ConicSolver {
 public:
  static constexpr int kMaxLemkeRows = 40;

  explicit AutoSolver(const ConicSolverOptions& options)
      : options_(options), lemke_(options), nsgs_(NsgsOptions{options}) {}

  std::string name() const override { return "auto"; }
  [[nodiscard]] SolveReport Solve(const ConicProblem& problem, VectorX* r) override;
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<AutoSolver>(options_);
  }

 private:
  ConicSolverOptions options_;
  LemkeSolver lemke_;
  NsgsSolver nsgs_;
};

}  // namespace saltus
