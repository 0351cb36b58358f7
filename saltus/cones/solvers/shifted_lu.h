// LU factorisation of A + blockdiag(S_c), for solvers that need it for many S on one pattern: dense
// if A is small or nearly full, else sparse in an order of minimum degree. Rows and columns are
// scaled to a unit diagonal first: interior point methods have S_c of very different magnitude.
#pragma once

#include <memory>
#include <vector>

#include <Eigen/LU>

#include "saltus/cones/block_sparse_delassus.h"
#include "saltus/cones/solvers/cone_equations.h"
#include "saltus/linalg/lu.h"

namespace saltus {

class ShiftedLu {
 public:
  /// @param A  must outlive the calls of Factor
  void Prepare(const BlockSparseDelassus& A);
  /// False if singular to rounding.
  bool Factor(const std::vector<BlockEquation::Matrix>& shift);
  /// x ← (A + S)⁻¹ x.
  void SolveInPlace(VectorX* x);

 private:
  const BlockSparseDelassus* A_ = nullptr;
  std::vector<int> column_begin_, row_index_;
  std::vector<int> slot_begin_;  // first value of each slot's first column …
  std::vector<double> values_;
  std::unique_ptr<SparseLu> sparse_;
  VectorX scale_;  // D of (D (A + S) D) D⁻¹x = D b
  MatrixX dense_;
  Eigen::PartialPivLU<MatrixX> dense_lu_;
  bool is_dense_ = true;
};

}  // namespace saltus
