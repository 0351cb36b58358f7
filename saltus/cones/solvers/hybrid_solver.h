// Gauss–Seidel and Newton in turns: the robust default for problems with friction.
//
// Gauss–Seidel sweeps (nsgs.h) are cheap and find the states of the contacts; semismooth Newton
// (semismooth_newton.h) is exact where they crawl: hyperstatic supports, packings, W and q of very
// different magnitude. Rounds k = 0, 1, … alternate
//
//   kFirstSweeps·2ᵏ sweeps from the best iterate so far, then at most kFirstSteps·2ᵏ steps of (1)
//   k = 0, 3, …: Newton on Alart–Curnier's function;   k = 1, 4, …: the proximal-point method;
//   k = 2, 5, …: Newton on Fischer–Burmeister's function
//
// until the judge is content, max_iterations (sweeps + steps) are used up, or a whole cycle of
// three has brought no progress (stagnation). All scaling is inside: each block has its own ρ and
// regularisation. A proof of infeasibility by Gauss–Seidel ends the rounds. What is returned is the
// best iterate of all, with its residual.
#pragma once

#include <memory>
#include <string>

#include "saltus/cones/solvers/nsgs.h"
#include "saltus/cones/solvers/semismooth_newton.h"

namespace saltus {

class HybridSolver final : public ConicSolver {
 public:
  explicit HybridSolver(const ConicSolverOptions& options) : options_(options) {}

  std::string name() const override { return "hybrid"; }
  [[nodiscard]] SolveReport Solve(const ConicProblem& problem, VectorX* r) override;
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<HybridSolver>(options_);
  }

 private:
  ConicSolverOptions options_;
  SemismoothNewton newton_;
  BlockSparseDelassus storage_;
};

}  // namespace saltus
