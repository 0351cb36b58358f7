// A Delassus operator given by all of its entries: small problems and tests.
#pragma once

#include <utility>

#include "saltus/cones/delassus.h"

namespace saltus {

class DenseDelassus final : public Delassus {
 public:
  /// @param A  square
  explicit DenseDelassus(MatrixX A) : A_(std::move(A)) {}

  const MatrixX& matrix() const { return A_; }
  MatrixX& matrix() { return A_; }

  int size() const override { return static_cast<int>(A_.rows()); }
  void Multiply(const VectorX& x, VectorX* y) const override { y->noalias() = A_ * x; }
  void CalcDiagonalBlock(int offset, int dimension, Eigen::Ref<MatrixX> block) const override {
    block = A_.block(offset, offset, dimension, dimension);
  }
  void CalcDiagonal(VectorX* diagonal) const override { *diagonal = A_.diagonal(); }

 private:
  MatrixX A_;
};

}  // namespace saltus
