#include "saltus/collision/broad_phase.h"

#include <algorithm>
#include <cmath>

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

std::uint64_t Hash(std::uint64_t cell) {
  cell *= 0x9E3779B97F4A7C15ull;
  return cell ^ (cell >> 29);
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
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Vector3 c = boxes[i].center();
    const double inverse = levels_[static_cast<std::size_t>(level_of_[i])].inverse;
    cell_of_[i] = MakeCell(level_of_[i], CellCoordinate(c.x(), inverse),
                           CellCoordinate(c.y(), inverse), CellCoordinate(c.z(), inverse));
    ++start_[(Hash(cell_of_[i]) & mask_) + 1];
  }
  for (std::size_t s = 1; s < start_.size(); ++s) start_[s] += start_[s - 1];
  entries_.resize(boxes.size());
  for (std::size_t i = boxes.size(); i-- > 0;) {  // start_[s + 1] runs down to the start of s
    const int at = --start_[(Hash(cell_of_[i]) & mask_) + 1];
    entries_[static_cast<std::size_t>(at)] = {cell_of_[i], static_cast<int>(i)};
  }
}

void BroadPhase::Visit(const std::vector<Aabb>& boxes, int box, int level,
                       std::vector<Pair>* pairs) const {
  const Aabb& mine = boxes[static_cast<std::size_t>(box)];
  const bool own_level = level_of_[static_cast<std::size_t>(box)] == level;
  const Level& grid = levels_[static_cast<std::size_t>(level)];
  std::int64_t low[3], high[3];
  for (int k = 0; k < 3; ++k) {  // (1)
    low[k] = CellCoordinate(mine.low[k] - 0.5 * grid.side, grid.inverse);
    high[k] = CellCoordinate(mine.high[k] + 0.5 * grid.side, grid.inverse);
  }
  for (std::int64_t i = low[0]; i <= high[0]; ++i) {
    for (std::int64_t j = low[1]; j <= high[1]; ++j) {
      for (std::int64_t k = low[2]; k <= high[2]; ++k) {
        const std::uint64_t cell = MakeCell(level, i, j, k);
        const std::uint64_t slot = Hash(cell) & mask_;
        // After filling, start_[s + 1] is the start of slot s; the next one's start is its end.
        const int begin = start_[slot + 1];
        const int end = slot == mask_ ? static_cast<int>(entries_.size()) : start_[slot + 2];
        for (int e = begin; e < end; ++e) {
          const Entry& entry = entries_[static_cast<std::size_t>(e)];
          if (entry.cell != cell || (own_level && entry.box <= box)) continue;
          if (!mine.Overlaps(boxes[static_cast<std::size_t>(entry.box)])) continue;
          pairs->push_back({std::min(box, entry.box), std::max(box, entry.box)});
        }
      }
    }
  }
}

void BroadPhase::Find(const std::vector<Aabb>& boxes, std::vector<Pair>* pairs) {
  pairs->clear();
  if (boxes.size() < 2) return;
  AssignLevels(boxes);
  FillTable(boxes);
  for (int box = 0; box < static_cast<int>(boxes.size()); ++box) {
    for (int level = level_of_[static_cast<std::size_t>(box)]; level >= 0; --level) {
      if (levels_[static_cast<std::size_t>(level)].count > 0) Visit(boxes, box, level, pairs);
    }
  }
}

}  // namespace saltus
