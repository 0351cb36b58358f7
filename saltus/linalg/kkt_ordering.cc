#include "saltus/linalg/kkt_ordering.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <amd.h>

#include "saltus/base/error.h"

namespace saltus {
namespace {

/// The state of a maximum matching by breadth-first augmenting paths.
class RowMatching {
 public:
  RowMatching(const std::vector<std::vector<int>>& blocks_of_row, const std::vector<int>& capacity)
      : blocks_of_row_(blocks_of_row),
        free_(capacity),
        block_of_row_(blocks_of_row.size(), -1),
        rows_of_block_(capacity.size()),
        reached_from_(capacity.size()),
        visited_(capacity.size(), -1) {}

  std::vector<int> Run() {
    const int num_rows = static_cast<int>(blocks_of_row_.size());
    for (int row = 0; row < num_rows; ++row) {
      // The block with most room first: most rows find their place at once.
      const auto& blocks = blocks_of_row_[row];
      const auto roomiest = std::max_element(blocks.begin(), blocks.end(),
                                             [&](int a, int b) { return free_[a] < free_[b]; });
      if (roomiest == blocks.end()) continue;
      if (free_[*roomiest] > 0) {
        --free_[*roomiest];
        Attach(row, *roomiest);
      } else {
        Augment(row);
      }
    }
    return block_of_row_;
  }

 private:
  void Attach(int row, int block) {
    block_of_row_[row] = block;
    rows_of_block_[block].push_back(row);
  }

  void Detach(int row) {
    auto& rows = rows_of_block_[block_of_row_[row]];
    rows.erase(std::find(rows.begin(), rows.end(), row));
  }

  /// Finds a block with room by moving rows that are already attached.
  void Augment(int row) {
    queue_.clear();
    const auto visit = [&](int from_row) {
      for (int block : blocks_of_row_[from_row]) {
        if (visited_[block] == row) continue;
        visited_[block] = row;
        reached_from_[block] = from_row;
        queue_.push_back(block);
      }
    };
    visit(row);
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      int block = queue_[head];
      if (free_[block] > 0) {
        --free_[block];
        while (true) {  // Shift every row on the path by one block.
          const int moved = reached_from_[block];
          const int old_block = block_of_row_[moved];
          if (old_block >= 0) Detach(moved);
          Attach(moved, block);
          if (moved == row) return;
          block = old_block;
        }
      }
      for (int other : rows_of_block_[block]) visit(other);
    }
  }

  const std::vector<std::vector<int>>& blocks_of_row_;
  std::vector<int> free_;  // room left in each block
  std::vector<int> block_of_row_;
  std::vector<std::vector<int>> rows_of_block_;
  std::vector<int> reached_from_;  // row over which the search came to a block
  std::vector<int> visited_;       // last search that saw a block
  std::vector<int> queue_;
};

/// Minimum-degree order of `num_units` units; edges may repeat.
std::vector<int> OrderUnits(int num_units, std::vector<std::pair<int, int>> edges) {
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::vector<int> begin(num_units + 1, 0);
  std::vector<int> index;
  index.reserve(edges.size());
  for (const auto& [i, j] : edges) {
    ++begin[i + 1];
    index.push_back(j);
  }
  for (int i = 0; i < num_units; ++i) begin[i + 1] += begin[i];
  std::vector<int> order(num_units);
  std::iota(order.begin(), order.end(), 0);
  if (index.empty()) return order;
  const int status =
      amd_order(num_units, begin.data(), index.data(), order.data(), nullptr, nullptr);
  SALTUS_CHECK(status == AMD_OK, "minimum-degree ordering failed");
  return order;
}

}  // namespace

std::vector<int> MatchRowsToBlocks(const std::vector<std::vector<int>>& blocks_of_row,
                                   const std::vector<int>& capacity) {
  return RowMatching(blocks_of_row, capacity).Run();
}

std::vector<int> OrderSaddlePoint(const std::vector<int>& block_of_dof, int num_rows,
                                  const std::vector<int>& column_begin,
                                  const std::vector<int>& row_index) {
  const int n = static_cast<int>(block_of_dof.size());
  int num_blocks = 0;
  for (int block : block_of_dof) num_blocks = std::max(num_blocks, block + 1);
  std::vector<int> capacity(num_blocks, 0);
  for (int block : block_of_dof) ++capacity[block];

  std::vector<std::vector<int>> blocks_of_row(num_rows);
  for (int i = 0; i < num_rows; ++i) {
    auto& blocks = blocks_of_row[i];
    for (int k = column_begin[n + i]; k < column_begin[n + i + 1]; ++k) {
      if (row_index[k] < n) blocks.push_back(block_of_dof[row_index[k]]);
    }
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  }
  const std::vector<int> block_of_row = MatchRowsToBlocks(blocks_of_row, capacity);

  // A unit is a block with its rows; dofs stand before rows in it.
  std::vector<std::vector<int>> members(num_blocks);
  std::vector<int> unit_of(n + num_rows);
  std::vector<int> last;
  for (int j = 0; j < n + num_rows; ++j) {
    unit_of[j] = j < n ? block_of_dof[j] : block_of_row[j - n];
    (unit_of[j] < 0 ? last : members[unit_of[j]]).push_back(j);
  }
  std::vector<std::pair<int, int>> edges;
  for (int j = 0; j < n + num_rows; ++j) {
    for (int k = column_begin[j]; k < column_begin[j + 1]; ++k) {
      const int a = unit_of[row_index[k]];
      const int b = unit_of[j];
      if (a >= 0 && b >= 0 && a != b) edges.emplace_back(a, b);
    }
  }
  std::vector<int> order;
  order.reserve(n + num_rows);
  for (int unit : OrderUnits(num_blocks, std::move(edges))) {
    order.insert(order.end(), members[unit].begin(), members[unit].end());
  }
  order.insert(order.end(), last.begin(), last.end());
  return order;
}

}  // namespace saltus
