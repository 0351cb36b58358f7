#include "saltus/linalg/block_lu.h"

#include <array>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace saltus {
namespace {

using Couplings = std::vector<std::array<int, 2>>;

// Bodies on a cubic lattice, each coupled with its neighbours: fill as in a pile.
Couplings MakeLattice(int n) {
  Couplings couplings;
  const auto number = [n](int i, int j, int k) { return (i * n + j) * n + k; };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        if (i > 0) couplings.push_back({number(i, j, k), number(i - 1, j, k)});
        if (j > 0) couplings.push_back({number(i, j, k), number(i, j - 1, k)});
        if (k > 0) couplings.push_back({number(i, j, k), number(i, j, k - 1)});
      }
    }
  }
  return couplings;
}

// Unsymmetric, with a positive definite symmetric part.
BlockMatrix MakeMatrix(const std::vector<int>& sizes, const Couplings& couplings) {
  const auto pattern = std::make_shared<const BlockPattern>(sizes, couplings);
  BlockMatrix A(pattern);
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (double& value : A.values()) value = uniform(generator);
  for (int b = 0; b < pattern->num_blocks(); ++b) {
    A.block(pattern->FindSlot(b, b)).diagonal().array() += 40;
  }
  return A;
}

void ExpectSolves(const BlockMatrix& A) {
  BlockLu lu;
  lu.Analyze(A.shared_pattern());
  ASSERT_TRUE(lu.Factor(A));
  const VectorX exact = VectorX::LinSpaced(A.pattern().num_dofs(), -1, 2);
  VectorX x;
  A.Multiply(exact, &x);
  lu.SolveInPlace(&x);
  // The matrix is diagonally dominant: rounding alone.
  EXPECT_LT((x - exact).lpNorm<Eigen::Infinity>(), 1e-13);
}

TEST(BlockLuTest, SolvesLatticesOfBodies) {
  for (const int n : {1, 2, 5, 8}) {
    ExpectSolves(
        MakeMatrix(std::vector<int>(static_cast<std::size_t>(n * n * n), 6), MakeLattice(n)));
  }
}

TEST(BlockLuTest, SolvesBlocksOfDifferentSizeAndSeparateParts) {
  ExpectSolves(MakeMatrix({6, 3, 1, 6, 2, 5}, {{0, 1}, {1, 2}, {2, 0}, {4, 5}}));
}

TEST(BlockLuTest, SolvesADenseMatrix) {
  Couplings couplings;
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < i; ++j) couplings.push_back({i, j});
  }
  ExpectSolves(MakeMatrix(std::vector<int>(12, 6), couplings));
}

TEST(BlockLuTest, FactorsAgainAfterNewValues) {
  BlockMatrix A = MakeMatrix(std::vector<int>(27, 6), MakeLattice(3));
  BlockLu lu;
  lu.Analyze(A.shared_pattern());
  ASSERT_TRUE(lu.Factor(A));
  A.values() *= 2;
  ASSERT_TRUE(lu.Factor(A));
  VectorX x, exact = VectorX::Ones(A.pattern().num_dofs());
  A.Multiply(exact, &x);
  lu.SolveInPlace(&x);
  EXPECT_LT((x - exact).lpNorm<Eigen::Infinity>(), 1e-13);
}

TEST(BlockLuTest, ReportsALostPivot) {
  BlockMatrix A = MakeMatrix({2, 2}, {{0, 1}});
  A.SetZero();
  BlockLu lu;
  lu.Analyze(A.shared_pattern());
  EXPECT_FALSE(lu.Factor(A));
}

TEST(BlockLuTest, FillOfAChainIsLinear) {
  const auto count = [](int n) {
    Couplings couplings;
    for (int i = 1; i < n; ++i) couplings.push_back({i - 1, i});
    BlockLu lu;
    lu.Analyze(std::make_shared<const BlockPattern>(
        std::vector<int>(static_cast<std::size_t>(n), 6), couplings));
    return lu.flops();
  };
  EXPECT_LT(count(2000), 2.2 * count(1000));  // twice, and what the ends of fronts differ by
}

}  // namespace
}  // namespace saltus
