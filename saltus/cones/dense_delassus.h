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
  void Apply(const double* x, double* y) const override {
    Eigen::Map<VectorX>(y, size()).noalias() = A_ * Eigen::Map<const VectorX>(x, size());
  }
  void CalcDiagonalBlock(int offset, int dimension, Eigen::Ref<MatrixX> block) const override {
    block = A_.block(offset, offset, dimension, dimension);
  }
  const DenseDelassus* dense_form() const override { return this; }
  void CalcDiagonalEntries(double* diagonal) const override {
    Eigen::Map<VectorX>(diagonal, size()) = A_.diagonal();
  }

 private:
  MatrixX A_;
};

}  // namespace saltus
