// Gauss–Seidel and Newton in turns: the robust default for problems with friction.
//
// Gauss–Seidel sweeps (nsgs.h) are cheap and find the states of the contacts; methods with a
// factorisation are exact where they crawl: hyperstatic supports, packings, W and q of very
// different magnitude. Rounds k = 0, 1, … are
//
//   k = 0, 3, …   kFirstSweeps·2ᵏ sweeps, then kFirstSteps·2ᵏ steps of Newton on Alart–Curnier's
//                 function (semismooth_newton.h): quick where the sweeps came close
//   k = 1         the interior point method (interior_point.h) from a start of its own; the
//                 proximal-point method for problems with boxes
//   k = 4, 7, …   sweeps and the proximal-point method (proximal_point.h)
//   k = 2, 5, …   sweeps and Newton on Fischer–Burmeister's function
//
// each from the best iterate so far, until the judge is content, max_iterations (sweeps + steps)
// are used up, or a whole cycle of three has brought no progress (stagnation). All scaling is
// inside: each block has its own ρ and regularisation. A proof of infeasibility by Gauss–Seidel
// ends the rounds. What is returned is the best iterate of all, with its residual.
#pragma once

#include <memory>
#include <string>

#include "saltus/cones/solvers/nsgs.h"
#include "saltus/cones/solvers/semismooth_newton.h"

namespace saltus {

class HybridSolver final : public ConicSolver {
 public:
  /// Iterations that allow round 0 and the interior point method.
  static constexpr int kFirstRound = 220;

  explicit HybridSolver(const ConicSolverOptions& options)
      : ConicSolver(options), options_(options) {}

  std::string name() const override { return "hybrid"; }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<HybridSolver>(options_);
  }

 private:
  SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                           VectorX* r) override;
  ConicSolverOptions options_;
  SemismoothNewton newton_;
};

}  // namespace saltus
