#include "saltus/linalg/rank.h"

#include <vector>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "saltus/linalg/test/kkt_test_problems.h"

namespace saltus {
namespace {

TEST(RankTest, NamesTheLaterOfDependentRows) {
  RandomNumbers random(1);
  MatrixX G = random.Matrix(6, 10);
  EXPECT_TRUE(FindRedundantRows(G).empty());
  G.row(2) = 1e6 * G.row(0);
  G.row(4) = G.row(1) - 3 * G.row(3);
  G.row(5).setZero();
  EXPECT_EQ(FindRedundantRows(G), (std::vector<int>{2, 4, 5}));
  // Column scales of very different bodies do not matter.
  VectorX s(10);
  for (int j = 0; j < 10; ++j) s[j] = std::pow(10, random.Uniform(-4, 4));
  EXPECT_EQ(FindRedundantRows(G, s), (std::vector<int>{2, 4, 5}));
  // A row that is nearly dependent is not redundant.
  G.row(2) = G.row(0) + 1e-5 * random.Matrix(1, 10);
  EXPECT_EQ(FindRedundantRows(G), (std::vector<int>{4, 5}));
}

TEST(RankTest, MoreRowsThanColumns) {
  RandomNumbers random(2);
  EXPECT_EQ(FindRedundantRows(random.Matrix(5, 3)), (std::vector<int>{3, 4}));
  EXPECT_TRUE(FindRedundantRows(MatrixX(0, 3)).empty());
}

TEST(RankTest, PlanarLoopInSpaceHasThreeRedundantRows) {
  // A planar loop closed by revolute joints in space: two rotations and one translation out of the
  // plane are constrained twice (Grübler in space counts three too few degrees of freedom).
  RandomNumbers random(3);
  for (const int num_bodies : {3, 10}) {
    const KktProblem problem = MakeHingeChain(num_bodies, /*closed=*/true, &random);
    const std::vector<int> redundant = FindRedundantRows(problem.G);
    EXPECT_EQ(redundant.size(), 3u);
    for (int row : redundant) EXPECT_GE(row, 5 * num_bodies);  // rows of the closing hinge
    const Eigen::ColPivHouseholderQR<MatrixX> qr(MatrixX(problem.G).transpose());
    EXPECT_EQ(qr.rank(), problem.G.rows() - 3);
  }
}

TEST(RankTest, LongOpenChainHasNone) {
  RandomNumbers random(4);
  EXPECT_TRUE(FindRedundantRows(MakeHingeChain(300, /*closed=*/false, &random).G).empty());
}

}  // namespace
}  // namespace saltus
