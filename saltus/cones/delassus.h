// Delassus operators A = H S⁻¹ Hᵀ (S: effective mass with the bilateral rows eliminated).
#pragma once

#include <vector>

#include "saltus/base/types.h"

namespace saltus {

/// The operator that maps impulses to velocity changes. Forms: dense, block sparse, body form.
class Delassus {
 public:
  virtual ~Delassus() = default;

  virtual int size() const = 0;
  /// y = A x. May use scratch memory of the operator: one operator per thread.
  virtual void Multiply(const VectorX& x, VectorX* y) const = 0;
  /// The d × d diagonal block that starts at row `offset`.
  virtual void CalcDiagonalBlock(int offset, int dimension, Eigen::Ref<MatrixX> block) const = 0;
  /// The entries A_ii.
  virtual void CalcDiagonal(VectorX* diagonal) const;
};

/// All of A, column by column. For small problems and tests.
MatrixX MakeDense(const Delassus& A);

}  // namespace saltus
