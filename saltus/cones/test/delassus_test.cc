#include <gtest/gtest.h>

#include "saltus/cones/solvers/nsgs.h"
#include "saltus/cones/test/random_problems.h"

namespace saltus {
namespace {

using test::Mechanism;
using test::MechanismOptions;
using test::Random;

class FormsTest : public testing::TestWithParam<bool> {};

TEST_P(FormsTest, AgreeOnProductsAndDiagonals) {
  Random random(4);
  MechanismOptions options;
  options.num_bodies = 9;
  options.dimensions = {3, 1, 2, 3, 6, 3, 1, 3, 2, 3, 3, 4};
  options.unsymmetric = GetParam();
  Mechanism m;
  MakeMechanism(options, &random, &m);
  ASSERT_EQ(m.body.symmetric(), !options.unsymmetric);
  const VectorX x = random.Matrix(m.body.size(), 1);
  VectorX body, sparse, dense;
  m.body.Multiply(x, &body);
  m.sparse.Multiply(x, &sparse);
  m.dense.Multiply(x, &dense);
  // Sums of some hundred products of numbers of order one.
  EXPECT_LT((body - dense).norm(), 1e-13 * dense.norm());
  EXPECT_LT((sparse - dense).norm(), 1e-14 * dense.norm());
  EXPECT_LT((MakeDense(m.body) - m.dense.matrix()).norm(), 1e-13 * dense.norm());
  int offset = 0;
  for (const int d : options.dimensions) {
    MatrixX a(d, d), b(d, d), c(d, d);
    m.body.CalcDiagonalBlock(offset, d, a);
    m.sparse.CalcDiagonalBlock(offset, d, b);
    m.dense.CalcDiagonalBlock(offset, d, c);
    EXPECT_LT((a - c).norm(), 1e-14 * c.norm() * d);
    EXPECT_LT((b - c).norm(), 1e-15 * c.norm() * d);
    offset += d;
  }
  m.body.CalcDiagonal(&body);
  m.sparse.CalcDiagonal(&sparse);
  m.dense.CalcDiagonal(&dense);
  VectorX by_rows;
  by_rows.resize(m.dense.size());
  m.dense.Delassus::CalcDiagonalEntries(by_rows.data());
  EXPECT_LT((body - dense).norm(), 1e-14 * dense.norm());
  EXPECT_EQ(sparse, dense);
  EXPECT_EQ(by_rows, dense);
}

TEST_P(FormsTest, AgreeOnSolutions) {
  Random random(5);
  MechanismOptions options;
  options.num_bodies = 8;
  options.dimensions = {3, 1, 2, 3, 3, 1, 3};  // Fewer rows than freedoms: one solution.
  options.unsymmetric = GetParam();
  Mechanism m;
  MakeMechanism(options, &random, &m);
  ConicProblem problem;
  problem.cones = test::MakeCones(options.dimensions, 0.4);
  problem.b = random.Matrix(m.body.size(), 1);
  NsgsOptions solver_options;
  solver_options.tolerance = 1e-13;
  solver_options.max_iterations = 5000;
  NsgsSolver solver(solver_options);
  std::vector<VectorX> solutions;
  for (const Delassus* A :
       {static_cast<const Delassus*>(&m.body), static_cast<const Delassus*>(&m.sparse),
        static_cast<const Delassus*>(&m.dense)}) {
    problem.A = A;
    VectorX r = VectorX::Zero(problem.size());
    ASSERT_TRUE(solver.Solve(problem, &r).ok());
    solutions.push_back(r);
  }
  // The residual of 1e-13 times the condition of the contacts in these mechanisms.
  EXPECT_LT((solutions[0] - solutions[2]).norm(), 1e-10);
  EXPECT_LT((solutions[1] - solutions[2]).norm(), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Symmetry, FormsTest, testing::Bool());

TEST(BodyDelassusTest, BothSidesOnOneBody) {
  BodyDelassus A;
  A.AddBody(2 * MatrixX::Identity(3, 3));
  const Eigen::Matrix<double, 1, 3, Eigen::RowMajor> Ha(1, 0, 0), Hb(0, 1, 0);
  A.AddBlock(1, 0, Ha, 0, Hb);
  A.Finalize();
  EXPECT_NEAR(MakeDense(A)(0, 0), 4.0, 1e-15);  // (1, 1, 0) 2 (1, 1, 0)ᵀ
}

TEST(BodyDelassusTest, ResetForgetsAndReuses) {
  Random random(6);
  MechanismOptions options;
  options.dimensions = {3, 3};
  Mechanism m;
  MakeMechanism(options, &random, &m);
  options.dimensions = {2, 3, 1};
  options.unsymmetric = true;
  MakeMechanism(options, &random, &m);
  EXPECT_EQ(m.body.size(), 6);
  EXPECT_LT((MakeDense(m.body) - m.dense.matrix()).norm(), 1e-13);
  options.unsymmetric = false;
  MakeMechanism(options, &random, &m);
  EXPECT_TRUE(m.body.symmetric());
  EXPECT_LT((MakeDense(m.body) - m.dense.matrix()).norm(), 1e-13);
}

TEST(BlockSparseDelassusTest, FindsSlots) {
  BlockSparseDelassus A;
  A.SetPattern({1, 2, 3}, {0, 2, 3, 5}, {0, 2, 1, 0, 2});
  EXPECT_EQ(A.size(), 6);
  EXPECT_EQ(A.FindSlot(0, 2), 1);
  EXPECT_EQ(A.FindSlot(0, 1), -1);
  EXPECT_EQ(A.FindSlot(2, 2), 4);
  EXPECT_EQ(A.block(2, 3).rows(), 3);
  EXPECT_EQ(A.block(2, 3).cols(), 1);
}

}  // namespace
}  // namespace saltus
