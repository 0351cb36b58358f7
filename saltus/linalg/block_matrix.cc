#include "saltus/linalg/block_matrix.h"

#include <algorithm>
#include <utility>

#include "saltus/base/error.h"

namespace saltus {
namespace {

/// y += factor B x for one column-major block of fixed size, without Eigen's run-time dispatch.
template <int N>
void AddBlockProduct(const double* B, double factor, const double* x, double* y) {
  using Block = Eigen::Map<const Eigen::Matrix<double, N, N>>;
  using Segment = Eigen::Map<const Eigen::Matrix<double, N, 1>>;
  Eigen::Map<Eigen::Matrix<double, N, 1>>(y).noalias() += factor * (Block(B) * Segment(x));
}

void AddBlockProduct(const double* B, int rows, int columns, double factor, const double* x,
                     double* y) {
  for (int j = 0; j < columns; ++j) {
    const double scaled = factor * x[j];
    for (int i = 0; i < rows; ++i) y[i] += scaled * B[j * rows + i];
  }
}

}  // namespace

BlockPattern::BlockPattern(const std::vector<int>& sizes,
                           const std::vector<std::array<int, 2>>& couplings) {
  const int n = static_cast<int>(sizes.size());
  offsets_.reserve(sizes.size() + 1);
  slots_.reserve(sizes.size() + 2 * couplings.size());
  for (int b = 0; b < n; ++b) {
    SALTUS_CHECK(sizes[b] >= 0, "a block has a negative size");
    offsets_.push_back(offsets_.back() + sizes[b]);
    slots_.push_back({b, b});
  }
  for (const auto& [i, j] : couplings) {
    SALTUS_CHECK(i >= 0 && i < n && j >= 0 && j < n, "a coupling names a block that is not there");
    slots_.push_back({i, j});
    slots_.push_back({j, i});
  }
  std::sort(slots_.begin(), slots_.end());
  slots_.erase(std::unique(slots_.begin(), slots_.end()), slots_.end());

  row_begin_.assign(sizes.size() + 1, 0);
  value_offsets_.reserve(slots_.size() + 1);
  for (const auto& [i, j] : slots_) {
    ++row_begin_[i + 1];
    value_offsets_.push_back(value_offsets_.back() + size(i) * size(j));
  }
  for (int b = 0; b < n; ++b) row_begin_[b + 1] += row_begin_[b];
}

std::vector<int> BlockPattern::FindNeighbours(int i) const {
  std::vector<int> neighbours;
  for (int s = row_begin_[i]; s < row_begin_[i + 1]; ++s) neighbours.push_back(slots_[s][1]);
  return neighbours;
}

int BlockPattern::FindSlot(int i, int j) const {
  const auto begin = slots_.begin() + row_begin_[i];
  const auto end = slots_.begin() + row_begin_[i + 1];
  const auto found = std::lower_bound(begin, end, std::array<int, 2>{i, j});
  if (found == end || (*found)[1] != j) return -1;
  return static_cast<int>(found - slots_.begin());
}

BlockMatrix::BlockMatrix(std::shared_ptr<const BlockPattern> pattern)
    : pattern_(std::move(pattern)), values_(VectorX::Zero(pattern_->num_values())) {}

BlockMatrix::Block BlockMatrix::block(int slot) {
  const auto [i, j] = pattern_->slot(slot);
  return {values_.data() + pattern_->value_offset(slot), pattern_->size(i), pattern_->size(j)};
}

BlockMatrix::ConstBlock BlockMatrix::block(int slot) const {
  const auto [i, j] = pattern_->slot(slot);
  return {values_.data() + pattern_->value_offset(slot), pattern_->size(i), pattern_->size(j)};
}

void BlockMatrix::Multiply(const VectorX& x, VectorX* y) const {
  y->setZero(pattern_->num_dofs());
  AddMultiply(1, x, y);
}

void BlockMatrix::AddMultiply(double factor, const VectorX& x, VectorX* y) const {
  SALTUS_CHECK(x.size() == pattern_->num_dofs() && y->size() == x.size() && y != &x,
               "block matrix and vector do not fit");
  for (int s = 0; s < pattern_->num_slots(); ++s) {
    const auto [i, j] = pattern_->slot(s);
    const double* values = values_.data() + pattern_->value_offset(s);
    const double* x_j = x.data() + pattern_->offset(j);
    double* y_i = y->data() + pattern_->offset(i);
    const int rows = pattern_->size(i);
    const int columns = pattern_->size(j);
    if (rows == 6 && columns == 6) {
      AddBlockProduct<6>(values, factor, x_j, y_i);
    } else if (rows == 3 && columns == 3) {
      AddBlockProduct<3>(values, factor, x_j, y_i);
    } else {
      AddBlockProduct(values, rows, columns, factor, x_j, y_i);
    }
  }
}

MatrixX BlockMatrix::ToDense() const {
  MatrixX dense = MatrixX::Zero(pattern_->num_dofs(), pattern_->num_dofs());
  for (int s = 0; s < pattern_->num_slots(); ++s) {
    const auto [i, j] = pattern_->slot(s);
    dense.block(pattern_->offset(i), pattern_->offset(j), pattern_->size(i), pattern_->size(j)) =
        block(s);
  }
  return dense;
}

}  // namespace saltus
