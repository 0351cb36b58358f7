// Lemke's pivoting method for the linear complementarity problem [@cite CottlePangStone1992, §4.4]
//
//   w = M z + q,   0 ≤ w ⟂ z ≥ 0 (1)
//
// with lexicographic ratios, so that degenerate problems cannot cycle. If M is copositive-plus (any
// positive semidefinite M, a Delassus matrix above all), the method ends with a solution, or on a
// ray that proves that there is none.
#pragma once

#include <memory>
#include <string>

#include "saltus/cones/conic_solver.h"

namespace saltus {

enum class LemkeOutcome {
  kSolved,
  kRay,  // for copositive-plus M: (1) has no solution
  kMaxPivots,
};

struct LemkeReport {
  LemkeOutcome outcome = LemkeOutcome::kSolved;
  int pivots = 0;
};

/// Solves (1); z is set whenever the outcome is kSolved, and zero otherwise.
LemkeReport SolveLemke(const MatrixX& M, const VectorX& q, int max_pivots, VectorX* z);

/// Lemke's method for conic problems of these blocks:
///   nonnegative   rows of (1)
///   free          eliminated exactly beforehand: r_f = −A_ff⁻¹(b_f + A_fn r_n). Redundant but
///                 consistent rows get the smallest multipliers; inconsistent ones are infeasible
///   box           with one row and a constant bound s: r = z − s with 0 ≤ u + y ⟂ z ≥ 0,
///                 0 ≤ 2s − z ⟂ y ≥ 0: two rows of (1)
/// Friction cones and load-dependent or disc-shaped boxes are not linear: kUnsupported, r
/// untouched. SolveReport::iterations counts pivots; max_iterations bounds them only from below,
/// since a pivoting method that is stopped half-way has no iterate to give back.
class LemkeSolver final : public ConicSolver {
 public:
  explicit LemkeSolver(const ConicSolverOptions& options) : options_(options) {}

  std::string name() const override { return "lemke"; }
  [[nodiscard]] SolveReport Solve(const ConicProblem& problem, VectorX* r) override;
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<LemkeSolver>(options_);
  }
  /// True if all blocks are of the kinds above.
  static bool Accepts(const ConicProblem& problem);

 private:
  ConicSolverOptions options_;
};

}  // namespace saltus
