// A Delassus operator stored by blocks, in compressed rows: contacts that couple through joints,
// flexible bodies or stiff forces, where the body form does not exist.
//
//   A_ij = H_i S⁻¹ H_jᵀ   for the pairs (i, j) of blocks in the pattern, d_i × d_j numbers     (1)
//
// Blocks are the cone blocks of the problem, in its order. The integrator sets the pattern, then
// writes the values; both reuse the memory of the previous step.
#pragma once

#include <vector>

#include "saltus/cones/delassus.h"

namespace saltus {

class BlockSparseDelassus final : public Delassus {
 public:
  using Block = Eigen::Map<MatrixX>;
  using ConstBlock = Eigen::Map<const MatrixX>;

  /// @param dimensions  rows of each block
  /// @param row_begin  first slot of each block row, and the number of slots (num_blocks + 1)
  /// @param columns  block column of each slot, ascending in each row, with every diagonal block
  /// The values are set to zero.
  void SetPattern(const std::vector<int>& dimensions, const std::vector<int>& row_begin,
                  const std::vector<int>& columns);

  /// Becomes the operator of these blocks of another, in ascending order, which no stored block
  /// connects with the rest. @param scratch  for repeated use, empty at first
  void CopyBlocks(const BlockSparseDelassus& source, const std::vector<int>& blocks,
                  std::vector<int>* scratch);

  int num_blocks() const { return static_cast<int>(offsets_.size()) - 1; }
  int num_slots() const { return static_cast<int>(columns_.size()); }
  int offset(int block) const { return offsets_[block]; }
  int dimension(int block) const { return offsets_[block + 1] - offsets_[block]; }
  int row_begin(int block) const { return row_begin_[block]; }
  int column(int slot) const { return columns_[slot]; }
  /// The slot of block (i, j), or −1.
  int FindSlot(int i, int j) const;

  /// Values of a slot of block row i, d_i × d_j.
  Block block(int i, int slot) {
    return {values_.data() + value_offsets_[slot], dimension(i), dimension(columns_[slot])};
  }
  ConstBlock block(int i, int slot) const {
    return {values_.data() + value_offsets_[slot], dimension(i), dimension(columns_[slot])};
  }
  const double* values(int slot) const { return values_.data() + value_offsets_[slot]; }

  /// y_i += Σ_j A_ij x_j for block row i; y has d_i numbers, x is the whole vector.
  void AddRowProduct(int i, const double* x, double* y) const;

  int size() const override { return offsets_.back(); }
  void Apply(const double* x, double* y) const override;
  void CalcDiagonalBlock(int offset, int dimension, Eigen::Ref<MatrixX> block) const override;
  const BlockSparseDelassus* block_sparse_form() const override { return this; }
  void CalcDiagonalEntries(double* diagonal) const override;
  double sweep_flops() const override { return static_cast<double>(values_.size()); }
  Graph MakeGraph() const override;

 private:
  std::vector<int> offsets_{0};
  std::vector<int> row_begin_{0};
  std::vector<int> columns_;
  std::vector<int> diagonal_slots_;
  std::vector<int> block_of_row_;
  std::vector<std::ptrdiff_t> value_offsets_;
  std::vector<double> values_;
};

}  // namespace saltus
