#include "saltus/cones/solvers/face_cholesky.h"

#include <cmath>

#include "saltus/cones/block_sparse_copy.h"

namespace saltus {
namespace {

constexpr double kShift = 1e-10;       // ε, beside a unit diagonal
constexpr double kMaxEntries = 100e6;  // of L: 1.2 GB

}  // namespace

void FaceCholesky::Prepare(const ConicProblem& problem) {
  A_ = &MakeBlockSparse(problem, &storage_);
}

bool FaceCholesky::Factor(const VectorX& scale, const std::vector<bool>& free) {
  rows_.clear();
  place_.assign(free.size(), -1);
  for (int i = 0; i < static_cast<int>(free.size()); ++i) {
    if (!free[i] || !(scale[i] > 0)) continue;
    place_[i] = static_cast<int>(rows_.size());
    rows_.push_back(i);
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (int b = 0; b < A_->num_blocks(); ++b) {
    for (int s = A_->row_begin(b); s < A_->row_begin(b + 1); ++s) {
      const BlockSparseDelassus::ConstBlock block = A_->block(b, s);
      const int first = A_->offset(b), second = A_->offset(A_->column(s));
      for (int i = 0; i < block.rows(); ++i) {
        for (int j = 0; j < block.cols(); ++j) {
          const int row = place_[first + i], column = place_[second + j];
          if (row < column || column < 0) continue;
          const double value = scale[first + i] * block(i, j) * scale[second + j];
          entries.emplace_back(row, column, row == column ? value + kShift : value);
        }
      }
    }
  }
  const auto n = static_cast<Eigen::Index>(rows_.size());
  matrix_.resize(n, n);
  matrix_.setFromTriplets(entries.begin(), entries.end());
  if (n == 0) return true;
  factors_.analyzePattern(matrix_);
  if (factors_.CountEntries() > kMaxEntries) return false;
  factors_.factorize(matrix_);
  return factors_.info() == Eigen::Success && factors_.vectorD().allFinite() &&
         factors_.vectorD().minCoeff() > 0;
}

void FaceCholesky::Solve(const VectorX& phi, VectorX* z) {
  *z = phi;
  if (rows_.empty()) return;
  packed_.resize(static_cast<Eigen::Index>(rows_.size()));
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    packed_[static_cast<Eigen::Index>(k)] = phi[rows_[k]];
  }
  packed_ = factors_.solve(packed_).eval();
  // Rows that have joined the face since take the diagonal, which is 1.
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    (*z)[rows_[k]] = packed_[static_cast<Eigen::Index>(k)];
  }
}

}  // namespace saltus
