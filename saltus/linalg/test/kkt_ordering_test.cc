#include "saltus/linalg/kkt_ordering.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/linalg/test/kkt_test_problems.h"

namespace saltus {
namespace {

TEST(KktOrderingTest, MatchingMovesRowsToMakeRoom) {
  // Row 0 may go to block 0 or 1, rows 1 and 2 only to one of them: the matching must be complete.
  EXPECT_EQ(MatchRowsToBlocks({{0, 1}, {0}}, {1, 1}), (std::vector<int>{1, 0}));
  EXPECT_EQ(MatchRowsToBlocks({{0, 1}, {1}}, {1, 1}), (std::vector<int>{0, 1}));
  // A chain of moves: each row i touches blocks i, i + 1; the last row only the last block.
  std::vector<std::vector<int>> blocks;
  for (int i = 0; i < 9; ++i) blocks.push_back({i, i + 1});
  blocks.push_back({9});
  std::vector<int> match = MatchRowsToBlocks(blocks, std::vector<int>(10, 1));
  std::sort(match.begin(), match.end());
  std::vector<int> all(10);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(match, all);
  // More rows than room.
  EXPECT_EQ(MatchRowsToBlocks({{0}, {0}, {0}, {}}, {2}), (std::vector<int>{0, 0, -1, -1}));
}

TEST(KktOrderingTest, RowsFollowTheirBlockAndSurplusComesLast) {
  // Two blocks of one dof; rows 0, 1 act on dof 0, row 2 on both.
  // Unknowns: x₀ x₁ λ₀ λ₁ λ₂.
  const std::vector<int> begin = {0, 4, 6, 8, 10, 13};
  const std::vector<int> index = {0, 2, 3, 4, 1, 4, 0, 2, 0, 3, 0, 1, 4};
  const std::vector<int> order = OrderSaddlePoint({0, 1}, 3, begin, index);
  std::vector<int> position(5);
  for (int k = 0; k < 5; ++k) position[order[k]] = k;
  EXPECT_LT(position[0], position[2]);
  EXPECT_LT(position[1], position[4]);
  EXPECT_EQ(position[3], 4);
}

TEST(KktOrderingTest, DegenerateSizes) {
  EXPECT_TRUE(OrderSaddlePoint({}, 0, {0}, {}).empty());
  EXPECT_EQ(OrderSaddlePoint({}, 1, {0, 1}, {0}), (std::vector<int>{0}));
  EXPECT_EQ(OrderSaddlePoint({0, 0}, 0, {0, 1, 2}, {0, 1}), (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace saltus
