#include "saltus/cones/block_sparse_delassus.h"

#include <algorithm>

#include "saltus/base/error.h"

namespace saltus {

void BlockSparseDelassus::SetPattern(const std::vector<int>& dimensions,
                                     const std::vector<int>& row_begin,
                                     const std::vector<int>& columns) {
  const int num_blocks = static_cast<int>(dimensions.size());
  SALTUS_CHECK(row_begin.size() == dimensions.size() + 1 &&
                   row_begin.back() == static_cast<int>(columns.size()),
               "the row pointers do not fit the blocks and slots");
  offsets_.resize(dimensions.size() + 1);
  offsets_[0] = 0;
  block_of_row_.clear();
  for (int i = 0; i < num_blocks; ++i) {
    offsets_[i + 1] = offsets_[i] + dimensions[i];
    block_of_row_.insert(block_of_row_.end(), static_cast<std::size_t>(dimensions[i]), i);
  }
  row_begin_ = row_begin;
  columns_ = columns;
  value_offsets_.resize(columns.size());
  diagonal_slots_.resize(dimensions.size());
  std::ptrdiff_t num_values = 0;
  for (int i = 0; i < num_blocks; ++i) {
    for (int slot = row_begin_[i]; slot < row_begin_[i + 1]; ++slot) {
      SALTUS_CHECK(slot == row_begin_[i] || columns_[slot - 1] < columns_[slot],
                   "the columns of a block row must ascend");
      value_offsets_[slot] = num_values;
      num_values += dimensions[i] * dimensions[columns_[slot]];
    }
    diagonal_slots_[i] = FindSlot(i, i);
    SALTUS_CHECK(diagonal_slots_[i] >= 0, "a diagonal block is missing in the pattern");
  }
  values_.assign(static_cast<std::size_t>(num_values), 0.0);
}

int BlockSparseDelassus::FindSlot(int i, int j) const {
  const auto begin = columns_.begin() + row_begin_[i];
  const auto end = columns_.begin() + row_begin_[i + 1];
  const auto found = std::lower_bound(begin, end, j);
  return found != end && *found == j ? static_cast<int>(found - columns_.begin()) : -1;
}

void BlockSparseDelassus::AddRowProduct(int i, const double* x, double* y) const {
  const int d = dimension(i);
  if (d == 3) {
    Vector3 sum = Vector3::Zero();
    for (int slot = row_begin_[i]; slot < row_begin_[i + 1]; ++slot) {
      const double* value = values_.data() + value_offsets_[slot];
      const double* x_j = x + offsets_[columns_[slot]];
      const int columns = dimension(columns_[slot]);
      for (int k = 0; k < columns; ++k) sum += Eigen::Map<const Vector3>(value + 3 * k) * x_j[k];
    }
    Eigen::Map<Vector3>(y) += sum;
    return;
  }
  for (int slot = row_begin_[i]; slot < row_begin_[i + 1]; ++slot) {
    const double* value = values_.data() + value_offsets_[slot];
    const double* x_j = x + offsets_[columns_[slot]];
    const int columns = dimension(columns_[slot]);
    for (int k = 0; k < columns; ++k) {
      for (int row = 0; row < d; ++row) y[row] += value[k * d + row] * x_j[k];
    }
  }
}

void BlockSparseDelassus::Apply(const double* x, double* y) const {
  std::fill(y, y + size(), 0.0);
  for (int i = 0; i < num_blocks(); ++i) AddRowProduct(i, x, y + offsets_[i]);
}

void BlockSparseDelassus::CalcDiagonalBlock(int offset, int dimension,
                                            Eigen::Ref<MatrixX> block) const {
  const int i = block_of_row_[offset];
  const int first = offset - offsets_[i];
  SALTUS_CHECK(first + dimension <= this->dimension(i), "the rows are not in one block");
  block = this->block(i, diagonal_slots_[i]).block(first, first, dimension, dimension);
}

Delassus::Graph BlockSparseDelassus::MakeGraph() const {
  Graph graph;
  for (int i = 0; i < num_blocks(); ++i) {
    graph.sizes.push_back(dimension(i));
    for (int slot = row_begin_[i]; slot < row_begin_[i + 1]; ++slot) {
      if (columns_[slot] < i) graph.couplings.push_back({columns_[slot], i});
    }
  }
  return graph;
}

void BlockSparseDelassus::CalcDiagonalEntries(double* diagonal) const {
  for (int i = 0; i < num_blocks(); ++i) {
    Eigen::Map<VectorX>(diagonal + offsets_[i], dimension(i)) =
        block(i, diagonal_slots_[i]).diagonal();
  }
}

}  // namespace saltus
