// Stores the problems of a run as FCLib files, so that a hard one can be solved again alone.
#pragma once

#include <memory>
#include <string>

#include "saltus/cones/conic_solver.h"

namespace saltus {

/// A solver that passes problems on and writes those that `dump` asks for, with their warm start as
/// the first guess and, where they were solved, their solution. Files are PREFIX_000001.h5, …,
/// numbered by calls. Problems that FCLib cannot state (boxes) and files that cannot be written are
/// skipped: a run does not fail for its records.
class DumpingSolver final : public ConicSolver {
 public:
  DumpingSolver(std::unique_ptr<ConicSolver> solver, std::shared_ptr<const ProblemDump> dump)
      : ConicSolver(solver->default_target()), solver_(std::move(solver)), dump_(std::move(dump)) {}

  std::string name() const override { return solver_->name(); }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<DumpingSolver>(solver_->Clone(), dump_);
  }

 private:
  SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                           VectorX* r) override;
  std::unique_ptr<ConicSolver> solver_;
  std::shared_ptr<const ProblemDump> dump_;
  int calls_ = 0;
};

}  // namespace saltus
