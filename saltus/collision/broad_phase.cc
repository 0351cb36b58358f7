#include "saltus/collision/broad_phase.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace saltus {
namespace {

constexpr int kMaxLevels = 24;
constexpr int kBits = 19;  // per coordinate of a cell number
constexpr std::uint64_t kCoordinate = (std::uint64_t{1} << kBits) - 1;

// Coordinates wrap around: a false neighbour costs one box test, never a pair.
std::uint64_t MakeCell(int level, std::int64_t i, std::int64_t j, std::int64_t k) {
  return (static_cast<std::uint64_t>(level) << (3 * kBits)) |
         ((static_cast<std::uint64_t>(i) & kCoordinate) << (2 * kBits)) |
         ((static_cast<std::uint64_t>(j) & kCoordinate) << kBits) |
         (static_cast<std::uint64_t>(k) & kCoordinate);
}

// The slots of a row of cells along z follow each other: slot = start of the row + k.
std::uint64_t HashRow(std::uint64_t row) {
  row *= 0x9E3779B97F4A7C15ull;
  return row ^ (row >> 29);
}

std::int64_t CellCoordinate(double x, double inverse) {
  const double cell = std::floor(x * inverse);
  return std::abs(cell) < 1e15 ? static_cast<std::int64_t>(cell) : 0;  // also if not a number
}

double LargestSide(const Aabb& box) { return (box.high - box.low).maxCoeff(); }

}  // namespace

void BroadPhase::AssignLevels(const std::vector<Aabb>& boxes) {
  double largest = 0;
  for (const Aabb& box : boxes) largest = std::max(largest, LargestSide(box));
  if (largest <= 0) largest = 1;
  levels_.resize(kMaxLevels);
  double side = largest * (1 + 1e-12);
  for (Level& level : levels_) {
    level = {side, 1 / side, 0};
    side *= 0.5;
  }
  level_of_.resize(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const double e = LargestSide(boxes[i]);
    int level = 0;
    while (level + 1 < kMaxLevels && e <= levels_[static_cast<std::size_t>(level) + 1].side) {
      ++level;
    }
    level_of_[i] = level;
    ++levels_[static_cast<std::size_t>(level)].count;
  }
}

void BroadPhase::FillTable(const std::vector<Aabb>& boxes) {
  std::uint64_t size = 64;
  while (size < 2 * boxes.size()) size *= 2;
  mask_ = size - 1;
  start_.assign(size + 1, 0);
  cell_of_.resize(boxes.size());
  slot_of_.resize(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Vector3 c = boxes[i].center();
    const double inverse = levels_[static_cast<std::size_t>(level_of_[i])].inverse;
    const std::int64_t k = CellCoordinate(c.z(), inverse);
    cell_of_[i] =
        MakeCell(level_of_[i], CellCoordinate(c.x(), inverse), CellCoordinate(c.y(), inverse), k);
    slot_of_[i] = (HashRow(cell_of_[i] >> kBits) + static_cast<std::uint64_t>(k)) & mask_;
    ++start_[slot_of_[i] + 1];
  }
  for (std::size_t s = 1; s < start_.size(); ++s) start_[s] += start_[s - 1];
  entries_.resize(boxes.size());
  for (std::size_t i = boxes.size(); i-- > 0;) {  // start_[s + 1] runs down to the start of s
    const int at = --start_[slot_of_[i] + 1];
    entries_[static_cast<std::size_t>(at)] = {cell_of_[i], static_cast<int>(i), boxes[i]};
  }
}

void BroadPhase::VisitSlots(const Entry& mine, std::uint64_t row, std::uint64_t first,
                            std::uint64_t last, bool own_level, std::vector<Pair>* pairs) const {
  // After filling, start_[s + 1] is the start of slot s and that of the next slot its end.
  const int end = last == mask_ ? static_cast<int>(entries_.size()) : start_[last + 2];
  for (int e = start_[first + 1]; e < end; ++e) {
    const Entry& entry = entries_[static_cast<std::size_t>(e)];
    if ((entry.cell >> kBits) != row || !mine.bounds.Overlaps(entry.bounds)) continue;
    if (own_level && std::pair(entry.cell, entry.box) <= std::pair(mine.cell, mine.box)) continue;
    pairs->push_back({std::min(mine.box, entry.box), std::max(mine.box, entry.box)});
  }
}

void BroadPhase::Visit(const Entry& mine, int level, bool own_level,
                       std::vector<Pair>* pairs) const {
  const Level& grid = levels_[static_cast<std::size_t>(level)];
  std::int64_t low[3], high[3];
  for (int k = 0; k < 3; ++k) {  // (1)
    low[k] = CellCoordinate(mine.bounds.low[k] - 0.5 * grid.side, grid.inverse);
    high[k] = CellCoordinate(mine.bounds.high[k] + 0.5 * grid.side, grid.inverse);
  }
  for (std::int64_t i = low[0]; i <= high[0]; ++i) {
    for (std::int64_t j = low[1]; j <= high[1]; ++j) {
      const std::uint64_t row = MakeCell(level, i, j, 0) >> kBits;
      if (own_level && row < (mine.cell >> kBits)) continue;
      const std::uint64_t first = (HashRow(row) + static_cast<std::uint64_t>(low[2])) & mask_;
      const std::uint64_t last = (HashRow(row) + static_cast<std::uint64_t>(high[2])) & mask_;
      if (first <= last) {
        VisitSlots(mine, row, first, last, own_level, pairs);
      } else {  // around the end of the table
        VisitSlots(mine, row, first, mask_, own_level, pairs);
        VisitSlots(mine, row, 0, last, own_level, pairs);
      }
    }
  }
}

void BroadPhase::Find(const std::vector<Aabb>& boxes, std::vector<Pair>* pairs) {
  pairs->clear();
  if (boxes.size() < 2) return;
  AssignLevels(boxes);
  FillTable(boxes);
  for (const Entry& mine : entries_) {
    const int own = level_of_[static_cast<std::size_t>(mine.box)];
    for (int level = own; level >= 0; --level) {
      if (levels_[static_cast<std::size_t>(level)].count > 0) {
        Visit(mine, level, level == own, pairs);
      }
    }
  }
}

}  // namespace saltus
