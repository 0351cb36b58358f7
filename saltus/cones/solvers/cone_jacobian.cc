#include "saltus/cones/solvers/cone_jacobian.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <Eigen/OrderingMethods>

namespace saltus {
namespace {

constexpr int kMaxDenseRows = 96;
constexpr double kMaxSparseFill = 0.2;  // of A: fuller matrices are factorised as dense ones

bool IsOpen(const BlockEquation& e) { return e.B.isZero(0) && e.A.isIdentity(0); }

}  // namespace

void ConeJacobian::NumberUnknowns(const BlockSparseDelassus& A,
                                  const std::vector<BlockEquation>& equations, VectorX* step) {
  active_.clear();
  position_.assign(equations.size(), -1);
  step->resize(A.size());
  int size = 0;
  for (int c = 0; c < A.num_blocks(); ++c) {
    step->segment(A.offset(c), A.dimension(c)) = -equations[c].F;  // the step of open blocks
    if (IsOpen(equations[c])) continue;
    position_[c] = size;
    active_.push_back(c);
    size += A.dimension(c);
  }
  rhs_.resize(size);
}

// Compressed columns of (1), rows of a column in ascending order; rhs_ takes the steps of open
// blocks into account.
void ConeJacobian::Assemble(const BlockSparseDelassus& A,
                            const std::vector<BlockEquation>& equations,
                            const std::vector<double>& alpha, const VectorX& step) {
  const int size = static_cast<int>(rhs_.size());
  column_begin_.assign(static_cast<std::size_t>(size) + 1, 0);
  for (const int c : active_) {
    for (int slot = A.row_begin(c); slot < A.row_begin(c + 1); ++slot) {
      const int e = A.column(slot);
      if (position_[e] < 0) continue;
      for (int j = 0; j < A.dimension(e); ++j) {
        column_begin_[position_[e] + j + 1] += A.dimension(c);
      }
    }
  }
  for (int j = 0; j < size; ++j) column_begin_[j + 1] += column_begin_[j];
  row_index_.resize(static_cast<std::size_t>(column_begin_[size]));
  values_.resize(row_index_.size());
  count_.assign(column_begin_.begin(), column_begin_.end() - 1);
  BlockEquation::Matrix block;
  BlockEquation::Vector pull;
  for (const int c : active_) {
    const BlockEquation& equation = equations[c];
    const int d = A.dimension(c);
    pull.setZero(d);
    for (int slot = A.row_begin(c); slot < A.row_begin(c + 1); ++slot) {
      const int e = A.column(slot);
      if (position_[e] < 0) {
        pull.noalias() += A.block(c, slot) * step.segment(A.offset(e), A.dimension(e));
        continue;
      }
      block.noalias() = equation.B * A.block(c, slot);
      if (e == c) block += equation.A + alpha[c] * equation.B;
      for (int j = 0; j < A.dimension(e); ++j) {
        int& k = count_[position_[e] + j];
        for (int i = 0; i < d; ++i, ++k) {
          row_index_[k] = position_[c] + i;
          values_[k] = block(i, j);
        }
      }
    }
    rhs_.segment(position_[c], d) = -equation.F - equation.B * pull;
  }
}

bool ConeJacobian::SolveDense() {
  const int size = static_cast<int>(rhs_.size());
  dense_.setZero(size, size);
  for (int j = 0; j < size; ++j) {
    for (int k = column_begin_[j]; k < column_begin_[j + 1]; ++k) {
      dense_(row_index_[k], j) = values_[k];
    }
  }
  const Eigen::PartialPivLU<Eigen::Ref<MatrixX>> lu(dense_);
  rhs_ = lu.solve(rhs_);
  return rhs_.allFinite();
}

std::vector<int> ConeJacobian::OrderUnknowns(const BlockSparseDelassus& A) const {
  const int num_active = static_cast<int>(active_.size());
  std::vector<int> index(position_.size(), -1);
  for (int i = 0; i < num_active; ++i) index[active_[i]] = i;
  std::vector<Triplet> entries;
  for (int i = 0; i < num_active; ++i) {
    for (int slot = A.row_begin(active_[i]); slot < A.row_begin(active_[i] + 1); ++slot) {
      const int j = index[A.column(slot)];
      if (j >= 0) entries.emplace_back(i, j, 1.0);
    }
  }
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> graph(num_active, num_active);
  graph.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(graph, permutation);
  std::vector<int> order;
  for (int k = 0; k < num_active; ++k) {
    const int c = active_[permutation.indices()[k]];
    for (int i = 0; i < A.dimension(c); ++i) order.push_back(position_[c] + i);
  }
  return order;
}

bool ConeJacobian::SolveSparse(const BlockSparseDelassus& A) {
  const CompressedColumns columns{column_begin_, row_index_, values_};
  SparseLu lu(columns, OrderUnknowns(A));
  if (!lu.FactorWithFreshPivots(columns)) return false;
  lu.SolveInPlace(&rhs_);
  return rhs_.allFinite();
}

bool ConeJacobian::Solve(const BlockSparseDelassus& A, const std::vector<BlockEquation>& equations,
                         const std::vector<double>& alpha, VectorX* step) {
  NumberUnknowns(A, equations, step);
  if (active_.empty()) return step->allFinite();
  Assemble(A, equations, alpha, *step);
  const double size = static_cast<double>(rhs_.size());
  const bool dense =
      size <= kMaxDenseRows || static_cast<double>(values_.size()) > kMaxSparseFill * size * size;
  if (!(dense ? SolveDense() : SolveSparse(A))) return false;
  for (const int c : active_) {
    step->segment(A.offset(c), A.dimension(c)) = rhs_.segment(position_[c], A.dimension(c));
  }
  return step->allFinite();
}

}  // namespace saltus
