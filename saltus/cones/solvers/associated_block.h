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
// Newton's method on the angle, from the last direction. Where it does not end in an admissible
// root, newton_block.h takes over. Where W = diag(w_n, w_t, w_t), d opposes q_T at once:
//
//   a = (μ|q_T| − q_N)/(w_n + μ² w_t),   r = a (1, −μ q_T/|q_T|)                                (5)
#pragma once

#include <cmath>

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
  int fallback_ = 0;
};

/// W = diag(w_n, w_t, w_t), as for spheres on each other and on planes.
class IsotropicAssociatedBlock3 {
 public:
  void Factor(const Matrix3& W, double friction) {
    mu_ = friction;
    w_n_ = W(0, 0);
    w_t_ = 0.5 * (W(1, 1) + W(2, 2));
  }

  /// Solves (1) from u° and r°.
  [[gnu::always_inline]] Vector3 Solve(const Vector3& u, const Vector3& r) const {
    const double q_n = u[0] - w_n_ * r[0];
    const double q_1 = u[1] - w_t_ * r[1], q_2 = u[2] - w_t_ * r[2];
    const double q_t = std::sqrt(q_1 * q_1 + q_2 * q_2);
    if (q_n >= mu_ * q_t) return Vector3::Zero();  // (2)
    if (w_n_ * q_t <= -mu_ * w_t_ * q_n) {         // (3)
      return {-q_n / w_n_, -q_1 / w_t_, -q_2 / w_t_};
    }
    const double a = (mu_ * q_t - q_n) / (w_n_ + mu_ * mu_ * w_t_);  // (5)
    const double side = -mu_ * a / q_t;
    return {a, side * q_1, side * q_2};
  }

 private:
  double mu_ = 0, w_n_ = 1, w_t_ = 1;
};

}  // namespace saltus
