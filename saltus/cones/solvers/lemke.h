// Lemke's pivoting method for the linear complementarity problem [@cite CottlePangStone1992, §4.4]
//
//   w = M z + q,   0 ≤ w ⟂ z ≥ 0                                                               (1)
//
// with lexicographic ratios, so that degenerate problems cannot cycle. If M is copositive-plus (any
// positive semidefinite M, a Delassus matrix above all), the method ends with a solution, or on a
// ray that proves that there is none.
//
// Warm start: the principal pivot transform [@cite CottlePangStone1992, §2.3] on the rows a that
// are guessed to have z > 0, b being the others,
//
//   [z_a]   [ M_aa⁻¹          −M_aa⁻¹M_ab          ] [w_a]   [ −M_aa⁻¹q_a           ]
//   [w_b] = [ M_ba M_aa⁻¹   M_bb − M_ba M_aa⁻¹M_ab ] [z_b] + [ q_b − M_ba M_aa⁻¹q_a ]          (2)
//
// is again a problem (1), whose solution is zero if the guess is right.
#pragma once

#include <memory>
#include <string>
#include <vector>

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

/// The same from a guess a of the rows with z > 0: the method is run on the problem (2), in which
/// the rows of a have exchanged w and z. No pivot is needed if the guess is right. Rows that make
/// M_aa singular are left out; if the outcome is no solution, the method starts cold.
LemkeReport SolveLemkeFrom(const std::vector<int>& guess, const MatrixX& M, const VectorX& q,
                           int max_pivots, VectorX* z, const StopRequest* stop = nullptr);

/// Lemke's method for conic problems of linear cones: free, nonnegative, constant boxes of one row,
/// planar and polyhedral friction (linear_cones.h). Other cones are not linear: kUnsupported, r
/// untouched. Without friction a ray is a proof (kInfeasible), with friction it is not (kRay).
/// SolveReport::iterations counts pivots; max_iterations bounds them only from below, since a
/// pivoting method that is stopped half-way has no iterate to give back. Starts from the rows that
/// are loaded in r.
class LemkeSolver final : public ConicSolver {
 public:
  explicit LemkeSolver(const ConicSolverOptions& options)
      : ConicSolver(options), options_(options) {}

  std::string name() const override { return "lemke"; }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<LemkeSolver>(options_);
  }
  /// True if all blocks are of the kinds above.
  static bool Accepts(const ConicProblem& problem);

 private:
  SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                           VectorX* r) override;
  ConicSolverOptions options_;
};

}  // namespace saltus
