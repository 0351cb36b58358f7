// The exact solution of one dry-friction block of a joint while all others rest.
//
//   u(r) = u° + W (r − r°),      −u ∈ N_D(r),   D = {|r| ≤ s}                                  (1)
//
// W: symmetric part of the diagonal block, d ≤ 3 (plus εI where singular: as in coulomb_block.h the
// fixed points of the sweep do not depend on it). Stick, r = r° − W⁻¹u°, if it lies in D; otherwise
// |r| = s and u = −σ r, σ > 0, which is the secular equation
//
//   |(W + σI)⁻¹ q| = s,    q = u° − W r°                                                       (2)
//
// Its left side is written in the eigenvectors of W; 1/|r(σ)| is concave and increases, so Newton's
// method on it rises monotonically to the root from σ = 0 [@cite MoreSorensen1983].
#pragma once

#include "saltus/base/types.h"

namespace saltus {

class DiscBlock {
 public:
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 3, 1>;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 3, 3>;

  /// @param W  1 × 1 to 3 × 3, positive trace
  void Factor(const Matrix& W);
  /// Solves (1) with the radius s ≥ 0.
  Vector Solve(const Vector& u, const Vector& r, double radius) const;

 private:
  Matrix basis_;        // columns: eigenvectors of W
  Vector eigenvalues_;  // > 0
};

}  // namespace saltus
