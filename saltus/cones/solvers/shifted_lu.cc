#include "saltus/cones/solvers/shifted_lu.h"

#include <cmath>

#include <Eigen/OrderingMethods>

namespace saltus {
namespace {

constexpr int kMaxDenseRows = 96;
constexpr double kMaxSparseFill = 0.2;

std::vector<int> OrderByDegree(const BlockSparseDelassus& A) {
  std::vector<Triplet> entries;
  for (int c = 0; c < A.num_blocks(); ++c) {
    for (int slot = A.row_begin(c); slot < A.row_begin(c + 1); ++slot) {
      entries.emplace_back(c, A.column(slot), 1.0);
    }
  }
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> graph(A.num_blocks(), A.num_blocks());
  graph.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(graph, permutation);
  std::vector<int> order;
  for (int k = 0; k < A.num_blocks(); ++k) {
    const int c = permutation.indices()[k];
    for (int i = 0; i < A.dimension(c); ++i) order.push_back(A.offset(c) + i);
  }
  return order;
}

}  // namespace

void ShiftedLu::Prepare(const BlockSparseDelassus& A) {
  A_ = &A;
  const int n = A.size();
  column_begin_.assign(static_cast<std::size_t>(n) + 1, 0);
  for (int c = 0; c < A.num_blocks(); ++c) {
    for (int slot = A.row_begin(c); slot < A.row_begin(c + 1); ++slot) {
      const int e = A.column(slot);
      for (int j = 0; j < A.dimension(e); ++j) {
        column_begin_[A.offset(e) + j + 1] += A.dimension(c);
      }
    }
  }
  for (int j = 0; j < n; ++j) column_begin_[j + 1] += column_begin_[j];
  const double entries = column_begin_[n];
  is_dense_ = n <= kMaxDenseRows || entries > kMaxSparseFill * n * n;
  sparse_.reset();
  if (is_dense_) {
    dense_.resize(n, n);
    return;
  }
  row_index_.resize(static_cast<std::size_t>(column_begin_[n]));
  values_.assign(row_index_.size(), 0.0);
  std::vector<int> next(column_begin_.begin(), column_begin_.end() - 1);
  slot_begin_.resize(static_cast<std::size_t>(A.num_slots()));
  for (int c = 0; c < A.num_blocks(); ++c) {
    for (int slot = A.row_begin(c); slot < A.row_begin(c + 1); ++slot) {
      const int e = A.column(slot);
      slot_begin_[slot] = next[A.offset(e)] - column_begin_[A.offset(e)];
      for (int j = 0; j < A.dimension(e); ++j) {
        int& k = next[A.offset(e) + j];
        for (int i = 0; i < A.dimension(c); ++i) row_index_[k++] = A.offset(c) + i;
      }
    }
  }
  sparse_ = std::make_unique<SparseLu>(CompressedColumns{column_begin_, row_index_, values_},
                                       OrderByDegree(A));
}

bool ShiftedLu::Factor(const std::vector<BlockEquation::Matrix>& shift) {
  const BlockSparseDelassus& A = *A_;
  if (is_dense_) dense_.setZero();
  BlockEquation::Matrix block;
  scale_.resize(A.size());
  for (int c = 0; c < A.num_blocks(); ++c) {
    block = A.block(c, A.FindSlot(c, c)) + shift[c];
    for (int i = 0; i < A.dimension(c); ++i) {
      const double entry = std::abs(block(i, i));
      scale_[A.offset(c) + i] = entry > 0 ? 1 / std::sqrt(entry) : 1.0;
    }
  }
  for (int c = 0; c < A.num_blocks(); ++c) {
    for (int slot = A.row_begin(c); slot < A.row_begin(c + 1); ++slot) {
      const int e = A.column(slot);
      block = A.block(c, slot);
      if (e == c) block += shift[c];
      block = scale_.segment(A.offset(c), A.dimension(c)).asDiagonal() * block *
              scale_.segment(A.offset(e), A.dimension(e)).asDiagonal();
      if (is_dense_) {
        dense_.block(A.offset(c), A.offset(e), A.dimension(c), A.dimension(e)) = block;
        continue;
      }
      for (int j = 0; j < A.dimension(e); ++j) {
        double* column = values_.data() + column_begin_[A.offset(e) + j] + slot_begin_[slot];
        for (int i = 0; i < A.dimension(c); ++i) column[i] = block(i, j);
      }
    }
  }
  if (!is_dense_) {
    return sparse_->FactorWithFreshPivots({column_begin_, row_index_, values_});
  }
  dense_lu_.compute(dense_);
  return dense_lu_.matrixLU().allFinite() &&
         dense_lu_.matrixLU().diagonal().cwiseAbs().minCoeff() > 0;
}

void ShiftedLu::SolveInPlace(VectorX* x) {
  x->array() *= scale_.array();
  if (is_dense_) {
    *x = dense_lu_.solve(*x);
  } else {
    sparse_->SolveInPlace(x);
  }
  x->array() *= scale_.array();
}

}  // namespace saltus
