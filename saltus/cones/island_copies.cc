// Parts of a Delassus operator as operators of their own, for solvers/islands.h.
#include "saltus/cones/block_sparse_delassus.h"
#include "saltus/cones/body_delassus.h"

namespace saltus {

void BodyDelassus::CopyBlocks(const BodyDelassus& source, const std::vector<int>& blocks,
                              std::vector<int>* scratch) {
  Reset();
  symmetric_ = source.symmetric_;
  std::vector<int>& number = *scratch;  // of each body of the source here, or −1
  if (number.size() < source.bodies_.size()) number.resize(source.bodies_.size(), -1);
  const auto find = [&](int body) {
    if (body >= source.num_bodies()) return -1;
    if (number[body] < 0) {
      number[body] = num_bodies();
      bodies_.push_back(source.bodies_[body]);
      bodies_.back().factors = -1;  // the tables are complete: they are needed no more
    }
    return number[body];
  };
  for (const int c : blocks) {
    for (int row = source.offsets_[c]; row < source.offsets_[c + 1]; ++row) {
      rows_.push_back(source.rows_[row]);
      if (!symmetric_) transposed_.push_back(source.transposed_[row]);
      diagonal_.push_back(source.diagonal_[row]);
      block_of_row_.push_back(num_blocks());
    }
    const int a = find(source.sides_[c].a);
    const int b = find(source.sides_[c].b);
    sides_.push_back({a, b});
    offsets_.push_back(size());
  }
  for (const int c : blocks) {  // Leaves the scratch as it was, at the cost of these blocks only.
    for (const int body : {source.sides_[c].a, source.sides_[c].b}) {
      if (body < source.num_bodies()) number[body] = -1;
    }
  }
  for (Sides& sides : sides_) {
    if (sides.a < 0) sides.a = num_bodies();
    if (sides.b < 0) sides.b = num_bodies();
  }
}

void BlockSparseDelassus::CopyBlocks(const BlockSparseDelassus& source,
                                     const std::vector<int>& blocks, std::vector<int>* scratch) {
  std::vector<int>& number = *scratch;  // of each block of the source here
  if (static_cast<int>(number.size()) < source.num_blocks()) {
    number.resize(static_cast<std::size_t>(source.num_blocks()), -1);
  }
  std::vector<int> dimensions, row_begin{0}, columns;
  for (std::size_t i = 0; i < blocks.size(); ++i) number[blocks[i]] = static_cast<int>(i);
  for (const int c : blocks) {
    dimensions.push_back(source.dimension(c));
    for (int slot = source.row_begin(c); slot < source.row_begin(c + 1); ++slot) {
      columns.push_back(number[source.column(slot)]);
    }
    row_begin.push_back(static_cast<int>(columns.size()));
  }
  SetPattern(dimensions, row_begin, columns);
  int slot_here = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const int c = blocks[i];
    for (int slot = source.row_begin(c); slot < source.row_begin(c + 1); ++slot, ++slot_here) {
      block(static_cast<int>(i), slot_here) = source.block(c, slot);
    }
  }
}

}  // namespace saltus
