// The exact solution of one frictional contact while all others rest: the kernel of Gauss–Seidel.
//
//   u(r) = u° + W (r − r°) = W r + q,        K* ∋ u + μ|u_T| n ⟂ r ∈ K = {|r_T| ≤ μ r_N}       (1)
//
// from the present impulse r° and velocity u°; W is the diagonal block A_cc (2 × 2 or 3 × 3). Since
// only W (r − r°) enters, a W that is slightly off (see below) changes the path, never the answer.
// The cases exclude each other up to ties:
//
//   take-off   q_N ≥ 0:                                r = 0                                   (2)
//   stick      r = −W⁻¹q = r° − W⁻¹u° lies in K:       u = 0                                   (3)
//   slip       r = r_N (1, μ d), |d| = 1, u_N = 0, u_T = −s d with s ≥ 0                       (4)
//
// Slip in space. With W = [w_nn wᵀ; w_t W_T], u_N = 0 gives r_N = −q_N / (w_nn + μ w·d), and (4) is
//
//   a + μ B d = −σ d,   σ ≥ 0,    a = w_nn q_T − q_N w_t,   B = q_T wᵀ − q_N W_T               (5)
//
// an equation for the angle of d alone: f(d) = d⊥·(a + μ B d) = 0. Newton's method on the angle,
// from the last direction, nearly always ends in a few passes. Where it does not end in an
// admissible root, all σ with |(μB + σI)⁻¹a| = 1 are found as the roots of the quartic
//
//   (σ² + μ tr B σ + μ² det B)² = |σ a + μ adj(B) a|²                                          (6)
//
// of which at least one is admissible if W is positive definite. Where w = 0 and W_T = βI
// (two spheres, or one on a plane), d = −q_T/|q_T| at once.
//
// Singular blocks (a mechanism that cannot move along some direction): W with its smallest
// eigenvalues raised takes the place of W in (1), a proximal step whose fixed points are the
// solutions for W itself.
#pragma once

#include <cmath>

#include "saltus/base/types.h"

namespace saltus {

/// Spatial contact, order N, T1, T2.
class CoulombBlock3 {
 public:
  /// @param W  w_nn > 0
  /// @param enumerate  slip by the quartic (6) at once, without Newton's method on the angle
  void Factor(const Matrix3& W, double friction, bool enumerate = false);

  /// Solves (1) from u° and r°.
  Vector3 Solve(const Vector3& u, const Vector3& r) const {
    const double q_n = u[0] - W_.row(0).dot(r);
    if (q_n >= 0) return Vector3::Zero();    // (2)
    const Vector3 stick = r - inverse_ * u;  // (3)
    const double limit = mu_ * stick[0];
    if (limit >= 0 && stick[1] * stick[1] + stick[2] * stick[2] <= limit * limit && stick[0] > 0) {
      return stick;
    }
    return SolveSlip(u - W_ * r, stick, r, u);
  }

 private:
  Vector3 SolveSlip(const Vector3& q, const Vector3& stick, const Vector3& r,
                    const Vector3& u) const;

  Matrix3 W_ = Matrix3::Identity();
  Matrix3 inverse_ = Matrix3::Identity();
  double mu_ = 0;
  bool enumerate_ = false;
};

/// Spatial contact with W = diag(w_n, w_t, w_t): the normal impulse does not depend on the others,
/// and slip is the tangential impulse of stick, shortened. Four numbers instead of eighteen.
class IsotropicBlock3 {
 public:
  /// Whether W has this form to rounding.
  static bool Applies(const Matrix3& W);
  void Factor(const Matrix3& W, double friction) {
    mu_ = friction;
    w_n_ = W(0, 0);
    inverse_n_ = 1 / w_n_;
    inverse_t_ = 2 / (W(1, 1) + W(2, 2));
  }

  /// Solves (1) from u° and r°.
  [[gnu::always_inline]] Vector3 Solve(const Vector3& u, const Vector3& r) const {
    if (u[0] >= w_n_ * r[0]) return Vector3::Zero();                                          // (2)
    Vector3 x(r[0] - inverse_n_ * u[0], r[1] - inverse_t_ * u[1], r[2] - inverse_t_ * u[2]);  // (3)
    const double limit = mu_ * x[0];
    const double square = x[1] * x[1] + x[2] * x[2];
    if (square > limit * limit) {  // (4)
      const double scale = limit / std::sqrt(square);
      x[1] *= scale;
      x[2] *= scale;
    }
    return x;
  }

 private:
  double mu_ = 0, w_n_ = 1, inverse_n_ = 1, inverse_t_ = 1;
};

/// Planar contact, order N, T: slip has two directions only, d = ±1.
class CoulombBlock2 {
 public:
  void Factor(const Eigen::Matrix2d& W, double friction);
  Vector2 Solve(const Vector2& u, const Vector2& r) const;

 private:
  Eigen::Matrix2d W_ = Eigen::Matrix2d::Identity();
  Eigen::Matrix2d inverse_ = Eigen::Matrix2d::Identity();
  double mu_ = 0;
};

/// Eigenvalues of W below this fraction of their mean are raised to it: far enough from rounding
/// that (5) keeps half of its digits, small enough not to slow down what is well conditioned.
inline constexpr double kSingularBlock = 1e-8;

}  // namespace saltus
