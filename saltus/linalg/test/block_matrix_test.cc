#include "saltus/linalg/block_matrix.h"

#include <array>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace saltus {
namespace {

TEST(BlockPatternTest, HoldsDiagonalAndBothTriangles) {
  const BlockPattern pattern({6, 3, 2}, {{2, 0}, {0, 2}, {2, 0}});
  EXPECT_EQ(pattern.num_blocks(), 3);
  EXPECT_EQ(pattern.num_dofs(), 11);
  EXPECT_EQ(pattern.num_slots(), 5);
  EXPECT_FALSE(pattern.is_diagonal());
  EXPECT_EQ(pattern.num_values(), 36 + 9 + 4 + 12 + 12);
  EXPECT_EQ(pattern.FindSlot(0, 1), -1);
  for (int s = 0; s < pattern.num_slots(); ++s) {
    const auto [i, j] = pattern.slot(s);
    EXPECT_EQ(pattern.FindSlot(i, j), s);
    EXPECT_GE(pattern.FindSlot(j, i), 0);
    if (s == 0) continue;
    EXPECT_LT(pattern.slot(s - 1), pattern.slot(s));
  }
}

TEST(BlockPatternTest, EmptyPatternIsUsable) {
  const BlockPattern none;
  EXPECT_EQ(none.num_blocks(), 0);
  EXPECT_EQ(none.num_dofs(), 0);
  const BlockMatrix A(
      std::make_shared<const BlockPattern>(std::vector<int>{}, std::vector<std::array<int, 2>>{}));
  VectorX x(0), y;
  A.Multiply(x, &y);
  EXPECT_EQ(y.size(), 0);
}

TEST(BlockMatrixTest, MultipliesLikeItsDenseForm) {
  // Sizes with and without a fixed-size kernel, a rectangular coupling, and an isolated block.
  const auto pattern = std::make_shared<const BlockPattern>(
      std::vector<int>{6, 3, 6, 2, 3}, std::vector<std::array<int, 2>>{{0, 2}, {1, 3}, {1, 4}});
  BlockMatrix A(pattern);
  A.values().setRandom();
  const VectorX x = VectorX::Random(pattern->num_dofs());
  const MatrixX dense = A.ToDense();
  VectorX y;
  A.Multiply(x, &y);
  // Sums of at most 12 products of numbers below one.
  EXPECT_LT((y - dense * x).lpNorm<Eigen::Infinity>(), 1e-14);
  const VectorX z = y;
  A.AddMultiply(-2, x, &y);
  EXPECT_LT((y + z).lpNorm<Eigen::Infinity>(), 1e-14);

  A.SetZero();
  A.block(pattern->FindSlot(1, 3))(2, 1) = 5;
  EXPECT_EQ(A.ToDense()(pattern->offset(1) + 2, pattern->offset(3) + 1), 5);
  EXPECT_EQ(A.ToDense().sum(), 5);
}

}  // namespace
}  // namespace saltus
