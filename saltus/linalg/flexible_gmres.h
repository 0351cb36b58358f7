// The combination of given corrections that leaves the least residual (flexible GMRES).
//
// For A y = b with residual r = b − A y: every correction z_k comes from the caller, with its image
// A z_k; the images are orthonormalised against v_0 = r/|r| (Arnoldi), and
//   y ← y + Σ s_k z_k,   s = argmin | r − Σ s_k A z_k |₂                                       (1)
// follows from a small Hessenberg problem solved by Givens rotations. The next correction should be
// made from direction(): z_k ≈ A⁻¹ v_k. @cite Saad1993
#pragma once

#include <cmath>

#include "saltus/base/types.h"

namespace saltus {

class FlexibleGmres {
 public:
  /// Memory for 2 · max_corrections vectors of `size` numbers.
  FlexibleGmres(int size, int max_corrections);

  void Start(const VectorX& r);
  int num_corrections() const { return count_; }
  bool is_full() const { return count_ == static_cast<int>(z_.cols()); }
  /// v_k: where the next correction is needed.
  auto direction() const { return v_.col(count_); }
  /// Takes z_k and A z_k (which is overwritten). Returns |A z_k|, of which |v_k| = 1: a tiny value
  /// says that A cannot reach v_k.
  double Add(const VectorX& z, VectorX* A_z);
  /// |r − Σ s_k A z_k| so far.
  double residual_norm() const { return std::abs(g_[count_]); }
  /// (1). Directions that contribute nothing are left out.
  void AddSolution(VectorX* y);

 private:
  MatrixX v_, z_;      // orthonormal images and corrections, one per column
  MatrixX R_;          // triangular factor of the Hessenberg matrix
  VectorX g_, c_, s_;  // rotated right-hand side; rotations
  VectorX h_;
  int count_ = 0;
};

}  // namespace saltus
