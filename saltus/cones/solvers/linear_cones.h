// Conic problems of linear cones as linear complementarity problems.
//
//   w = M z + q,   0 ≤ w ⟂ z ≥ 0                                                               (1)
//
//   free          eliminated exactly beforehand: r_f = −A_ff⁺(b_f + A_fn r_n). Redundant but
//                 consistent rows get the smallest multipliers; inconsistent ones are found     (2)
//   nonnegative   rows of (1)
//   box           of one row with a constant bound s: z = r + s with 0 ≤ u + y ⟂ z ≥ 0,
//                 0 ≤ 2s − z ⟂ y ≥ 0: two rows                                                  (3)
//   planar or polyhedral friction   r_T = Σ_i β_i d_i with the k directions of the polygon (two in
//                 the plane): k + 2 rows [@cite StewartTrinkle1996, @cite AnitescuPotra1997]
//                   0 ≤ r_N ⟂ u_N ≥ 0
//                   0 ≤ β_i ⟂ d_i·u_T + α ≥ 0
//                   0 ≤ α   ⟂ μ r_N − Σ_i β_i ≥ 0                                               (4)
//
// Without friction M is positive semidefinite, so that a ray of Lemke's method proves that there is
// no solution; with (4) it is only copositive, and a ray proves nothing.
#pragma once

#include <vector>

#include "saltus/cones/conic_problem.h"

namespace saltus {

class LinearCones {
 public:
  /// True if all blocks are of the kinds above.
  static bool Accepts(const ConicProblem& problem);
  static bool HasFriction(const ConicProblem& problem);

  explicit LinearCones(const ConicProblem& problem);

  const MatrixX& M() const { return M_; }
  const VectorX& q() const { return q_; }
  /// The last rows of (1): y of (3) and α of (4).
  int num_slacks() const { return static_cast<int>(slack_constant_.size()); }
  /// False if bilateral rows contradict each other, eq. (2).
  bool consistent() const { return consistent_; }
  bool finite() const { return M_.allFinite() && q_.allFinite() && recover_.allFinite(); }
  /// The rows of (1) that have w = 0 where the impulses are r, in ascending order. Those of an open
  /// contact are α = −d_i·u_T and β_i = 0 of the direction that opposes its slip.
  std::vector<int> ListActive(const ConicProblem& problem, const VectorX& r) const;
  /// r from a solution z of (1).
  void RecoverImpulses(const VectorX& z, VectorX* r) const;

 private:
  void EliminateFreeRows(const ConicProblem& problem);
  void ListVariables(const ConicProblem& problem);

  std::vector<int> free_rows_, other_rows_;
  MatrixX A_;  // of the other rows, without the free ones
  VectorX b_;
  MatrixX recover_;  // r_f = constant − recover r_n
  VectorX constant_;
  bool consistent_ = true;
  MatrixX directions_;  // r_n = directions z − shift, over the variables that are not slacks
  VectorX shift_;
  MatrixX to_slack_, from_slack_;  // of (3) and (4)
  VectorX slack_constant_;
  VectorX bounds_;  // of the other rows; infinity: none
  MatrixX M_;
  VectorX q_;
};

}  // namespace saltus
