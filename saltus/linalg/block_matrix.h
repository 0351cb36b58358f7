// Square block matrices over the velocity blocks of a system (one block per body or node).
//
// M, K, D and the iteration matrix S = M + hθ D + h²θ² K share one BlockPattern, built once.
// Blocks are at most 6 × 6 for rigid bodies; the size may differ from block to block.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "saltus/base/types.h"

namespace saltus {

/// Which blocks (i, j) may be nonzero. Always holds every diagonal block; symmetric.
class BlockPattern {
 public:
  BlockPattern() = default;
  /// @param sizes  degrees of freedom of each block
  /// @param couplings  pairs i ≠ j that force elements, joints or elements couple (any order,
  ///                   repetitions allowed; (j, i) is added)
  BlockPattern(const std::vector<int>& sizes, const std::vector<std::array<int, 2>>& couplings);

  int num_blocks() const { return static_cast<int>(offsets_.size()) - 1; }
  int num_dofs() const { return offsets_.back(); }
  int offset(int block) const { return offsets_[block]; }
  int size(int block) const { return offsets_[block + 1] - offsets_[block]; }
  bool is_diagonal() const { return num_slots() == num_blocks(); }

  /// Slots are sorted by (row, column).
  int num_slots() const { return static_cast<int>(slots_.size()); }
  std::array<int, 2> slot(int s) const { return slots_[s]; }
  int value_offset(int s) const { return value_offsets_[s]; }
  int num_values() const { return value_offsets_.back(); }
  /// The slot of block (i, j), or −1.
  int FindSlot(int i, int j) const;
  /// The blocks j of the slots (i, j), i among them.
  std::vector<int> FindNeighbours(int i) const;

 private:
  std::vector<int> offsets_{0};
  std::vector<std::array<int, 2>> slots_;
  std::vector<int> row_begin_;  // first slot of each block row
  std::vector<int> value_offsets_{0};
};

/// Values on a pattern (shared, never null after construction). Each block is column major.
class BlockMatrix {
 public:
  using Block = Eigen::Map<MatrixX>;
  using ConstBlock = Eigen::Map<const MatrixX>;

  BlockMatrix() = default;
  explicit BlockMatrix(std::shared_ptr<const BlockPattern> pattern);

  const BlockPattern& pattern() const { return *pattern_; }
  const std::shared_ptr<const BlockPattern>& shared_pattern() const { return pattern_; }
  void SetZero() { values_.setZero(); }
  Block block(int slot);
  ConstBlock block(int slot) const;
  VectorX& values() { return values_; }
  const VectorX& values() const { return values_; }

  /// y = A x.
  void Multiply(const VectorX& x, VectorX* y) const;
  /// y += factor A x.
  void AddMultiply(double factor, const VectorX& x, VectorX* y) const;
  MatrixX ToDense() const;

 private:
  std::shared_ptr<const BlockPattern> pattern_;
  VectorX values_;
};

}  // namespace saltus
