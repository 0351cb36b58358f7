// Boxed mixed linear complementarity problems, for pivoting methods.
//
//   u = A r + b,   lo ≤ r ≤ hi,
//   r_i = lo: u_i ≥ 0,   lo < r_i < hi: u_i = 0,   r_i = hi: u_i ≤ 0                           (1)
//
// free rows have lo = −∞, hi = ∞, nonnegative rows lo = 0, hi = ∞, boxes lo = −s, hi = s.
#pragma once

#include <vector>

#include "saltus/cones/conic_problem.h"

namespace saltus {

struct BoxedLcp {
  MatrixX A;
  VectorX b, lo, hi;

  /// True if all blocks are free, nonnegative, or boxes of one row.
  static bool Accepts(const ConicProblem& problem);
  /// Bounds that depend on the load are taken at the impulses r.
  BoxedLcp(const ConicProblem& problem, const VectorX& r);
  /// The plain problem w = M z + q, 0 ≤ w ⟂ z ≥ 0.
  BoxedLcp(const MatrixX& M, const VectorX& q);
};

/// x = (A_FF + εI)⁻¹ rhs with a few refinements: singular A_FF (redundant supports) gets a solution
/// of moderate size. ε: a 1e-12th of the mean diagonal entry.
VectorX SolveFreeRows(const MatrixX& A, const std::vector<int>& free, const VectorX& rhs);

}  // namespace saltus
