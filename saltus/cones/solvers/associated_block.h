// The exact solution of one contact with associated friction while all others rest: the kernel of
// Gauss–Seidel for the convex relaxation of Coulomb's law [@cite Anitescu2006].
//
//   u = W r + q,   K* ∋ u ⟂ r ∈ K        r minimises ½ rᵀWr + q·r over K = {|r_T| ≤ μ r_N}      (1)
//
// with q = u° − W r° from the present velocity and impulse. W symmetric positive definite: the
// solution is unique. The cases:
//
//   take-off   q ∈ K*, that is q_N ≥ μ|q_T|:   r = 0                                            (2)
//   stick      r = −W⁻¹q if it lies in K                                                        (3)
//   slip       r = a e, e = (1, μ d), |d| = 1: u·e = 0 gives a = −e·q / eᵀWe, and d is the angle
//              at which f = e'·u = 0, e' = μ (0, d⊥), with d·u_T ≤ 0                            (4)
//
// Newton's method on the angle, from the last direction; where W = diag(w_n, w_t, w_t), d opposes
// q_T at once. Where Newton does not end in an admissible root, newton_block.h takes over.
#pragma once

#include "saltus/base/types.h"

namespace saltus {

class AssociatedBlock3 {
 public:
  /// @param W  symmetric part positive definite
  /// @param fallback  index of the general block that takes over where Solve fails
  void Factor(const Matrix3& W, double friction, int fallback);

  /// Solves (1) from u° and r°. False if Newton's method of (4) did not end.
  bool Solve(const Vector3& u, const Vector3& r, Vector3* solution) const;
  int fallback() const { return fallback_; }

 private:
  bool SolveSlip(const Vector3& q, const Vector2& start, Vector3* solution) const;

  Matrix3 W_ = Matrix3::Identity();
  Matrix3 inverse_ = Matrix3::Identity();
  double mu_ = 0;
  bool isotropic_ = false;
  int fallback_ = 0;
};

}  // namespace saltus
