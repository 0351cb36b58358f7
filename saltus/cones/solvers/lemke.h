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

/// Solves (1); z is set whenever the outcome is kSolved, and zero otherwise. `stop`, if not null,
/// is asked at every pivot.
LemkeReport SolveLemke(const MatrixX& M, const VectorX& q, int max_pivots, VectorX* z,
                       const StopRequest* stop = nullptr);

/// Lemke's method for conic problems of linear cones: free, nonnegative, constant boxes of one row,
/// planar and polyhedral friction (linear_cones.h). Other cones are not linear: kUnsupported, r
/// untouched. Without friction a ray is a proof (kInfeasible), with friction it is not (kRay).
/// SolveReport::iterations counts pivots; max_iterations bounds them only from below, since a
/// pivoting method that is stopped half-way has no iterate to give back. Starts cold.
class LemkeSolver final : public ConicSolver {
 public:
  explicit LemkeSolver(const ConicSolverOptions& options) : options_(options) {}

  std::string name() const override { return "lemke"; }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<LemkeSolver>(options_);
  }
  /// True if all blocks are of the kinds above.
  static bool Accepts(const ConicProblem& problem);

 private:
  SolveReport SolveReduced(const ConicProblem& problem, VectorX* r) override;
  ConicSolverOptions options_;
};

}  // namespace saltus
