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
  /// y = A x, size() numbers each, which do not overlap. May use scratch memory of the operator:
  /// one operator per thread.
  virtual void Apply(const double* x, double* y) const = 0;
  /// The d × d diagonal block that starts at row `offset`.
  virtual void CalcDiagonalBlock(int offset, int dimension, Eigen::Ref<MatrixX> block) const = 0;
  /// The entries A_ii, size() numbers.
  virtual void CalcDiagonalEntries(double* diagonal) const;

  // The same into vectors that take the size of the operator.
  template <class Vector>
  void Multiply(const Eigen::Ref<const VectorX>& x, Vector* y) const {
    y->resize(size());
    Apply(x.data(), y->data());
  }
  template <class Vector>
  void CalcDiagonal(Vector* diagonal) const {
    diagonal->resize(size());
    CalcDiagonalEntries(diagonal->data());
  }
};

/// All of A, column by column. For small problems and tests.
MatrixX MakeDense(const Delassus& A);

}  // namespace saltus
