// Broad phase: which of many boxes overlap, in time linear in their number.
//
// A hierarchy of grids: a box of largest side e is filed under the one cell that holds its centre,
// in the level whose cell side c = c₀ 2^−level is the smallest with e ≤ c; c₀ is the largest e. Two
// boxes of one level, or of different ones, overlap only if their cells are within reach
//   |x − y| ≤ (e + c)/2 per axis,                                                            (1)
// so a box visits at most three cells per axis of its own level and of each coarser one. The cells
// of a row along z are neighbours in the hash table, and a pair of one level is met only from the
// box with the lower (cell, number). @cite Ericson2005
#pragma once

#include <cstdint>
#include <vector>

#include "saltus/collision/aabb.h"

namespace saltus {

class BroadPhase {
 public:
  struct Pair {
    int a, b;  // a < b
  };

  /// Overlapping pairs of `boxes`, in no particular order but always the same. Keeps its memory.
  void Find(const std::vector<Aabb>& boxes, std::vector<Pair>* pairs);

 private:
  struct Entry {  // one cache line
    std::uint64_t cell;
    int box;
    Aabb bounds;
  };
  struct Level {
    double side = 0, inverse = 0;
    int count = 0;
  };

  void AssignLevels(const std::vector<Aabb>& boxes);
  void FillTable(const std::vector<Aabb>& boxes);
  void Visit(const Entry& mine, int level, bool own_level, std::vector<Pair>* pairs) const;
  void VisitSlots(const Entry& mine, std::uint64_t row, std::uint64_t first, std::uint64_t last,
                  bool own_level, std::vector<Pair>* pairs) const;

  std::vector<Level> levels_;
  std::vector<int> level_of_;
  std::vector<std::uint64_t> cell_of_, slot_of_;
  std::vector<int> start_;
  std::vector<Entry> entries_;
  std::uint64_t mask_ = 0;
};

}  // namespace saltus
