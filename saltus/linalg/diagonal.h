// The diagonals of block matrices, as scales: a force divided by the masses is an acceleration.
#pragma once

#include <algorithm>
#include <cmath>

#include "saltus/linalg/block_matrix.h"

namespace saltus {

/// f_i ← f_i / M_ii where M_ii > 0.
inline void DivideByDiagonal(const BlockMatrix& M, VectorX* f) {
  const BlockPattern& pattern = M.pattern();
  for (int b = 0; b < pattern.num_blocks(); ++b) {
    const auto block = M.block(pattern.FindSlot(b, b));
    for (int i = 0; i < pattern.size(b); ++i) {
      if (block(i, i) > 0) (*f)[pattern.offset(b) + i] /= block(i, i);
    }
  }
}

/// max |K_ii| / M_ii over all M_ii > 0; K and M share their pattern.
inline double CalcLargestRatio(const BlockMatrix& K, const BlockMatrix& M) {
  const BlockPattern& pattern = M.pattern();
  double largest = 0;
  for (int b = 0; b < pattern.num_blocks(); ++b) {
    const int slot = pattern.FindSlot(b, b);
    const auto k = K.block(slot), m = M.block(slot);
    for (int i = 0; i < pattern.size(b); ++i) {
      if (m(i, i) > 0) largest = std::max(largest, std::abs(k(i, i)) / m(i, i));
    }
  }
  return largest;
}

}  // namespace saltus
