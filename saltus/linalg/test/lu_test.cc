#include "saltus/linalg/lu.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "saltus/linalg/test/kkt_test_problems.h"

namespace saltus {
namespace {

TEST(InvertSmallMatrixTest, EverySize) {
  RandomNumbers random(1);
  for (int n = 1; n <= 12; ++n) {
    for (int trial = 0; trial < 20; ++trial) {
      const MatrixX A = random.Matrix(n, n);
      MatrixX inverse(n, n);
      ASSERT_TRUE(InvertSmallMatrix(n, A.data(), inverse.data()));
      // Backward stable up to the condition number.
      const double condition = A.norm() * inverse.norm();
      EXPECT_LT((A * inverse - MatrixX::Identity(n, n)).norm(), 1e-15 * n * condition);
      EXPECT_LT((inverse - A.fullPivLu().inverse()).norm(), 1e-15 * n * condition * inverse.norm());
    }
  }
}

TEST(InvertSmallMatrixTest, PivotsAndScales) {
  Matrix3 swap;
  swap << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  Matrix3 inverse;
  ASSERT_TRUE(InvertSmallMatrix(3, swap.data(), inverse.data()));
  EXPECT_EQ(inverse, swap.transpose());
  // Mass and inertia of a grain of dust: tiny, but regular.
  Matrix6 M = Matrix6::Zero();
  M.diagonal() << 1e-9, 1e-9, 1e-9, 1e-24, 2e-24, 3e-24;
  Matrix6 M_inverse;
  ASSERT_TRUE(InvertSmallMatrix(6, M.data(), M_inverse.data()));
  EXPECT_DOUBLE_EQ(M_inverse(3, 3), 1e24);
}

TEST(InvertSmallMatrixTest, SingularAndNotFinite) {
  Matrix3 A = Matrix3::Ones();
  Matrix3 inverse;
  EXPECT_FALSE(InvertSmallMatrix(3, A.data(), inverse.data()));
  A << 1, 2, 3, 4, 5, 6, 7, 8, 9;
  EXPECT_FALSE(InvertSmallMatrix(3, A.data(), inverse.data()));
  A.setZero();
  EXPECT_FALSE(InvertSmallMatrix(3, A.data(), inverse.data()));
  for (int k = 0; k < 9; ++k) {
    A.setIdentity();
    A.data()[k] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(InvertSmallMatrix(3, A.data(), inverse.data()) && inverse.allFinite());
  }
}

/// A sparse matrix with its own storage.
struct Columns {
  std::vector<int> begin{0};
  std::vector<int> index;
  std::vector<double> values;
  explicit Columns(const MatrixX& A) {
    for (int j = 0; j < A.cols(); ++j) {
      for (int i = 0; i < A.rows(); ++i) {
        if (A(i, j) == 0) continue;
        index.push_back(i);
        values.push_back(A(i, j));
      }
      begin.push_back(static_cast<int>(index.size()));
    }
  }
  operator CompressedColumns() const { return {begin, index, values}; }
};

TEST(LuTest, DenseAndSparseSolve) {
  RandomNumbers random(2);
  const int n = 30;
  MatrixX A = random.Matrix(n, n);
  for (double& a : A.reshaped()) {
    if (random.Uniform(0, 1) < 0.8) a = 0;
  }
  A.diagonal().array() += 2;
  const Columns columns(A);
  std::vector<int> order(n);
  std::iota(order.rbegin(), order.rend(), 0);
  DenseLu dense(n);
  SparseLu sparse(columns, order);
  ASSERT_TRUE(dense.Factor(columns));
  ASSERT_TRUE(sparse.Factor(columns));
  EXPECT_TRUE(sparse.has_fresh_pivots());
  const VectorX x = random.Vector(n);
  VectorX z = A * x;
  dense.SolveInPlace(&z);
  EXPECT_LT((z - x).norm(), 1e-12);
  z = A * x;
  sparse.SolveInPlace(&z);
  EXPECT_LT((z - x).norm(), 1e-12);
}

TEST(LuTest, SparseChoosesNewPivotsWhenTheOldOnesDegrade) {
  MatrixX A(3, 3);
  A << 4, 1, 2, 1, 5, 1, 2, 1, 6;
  Columns columns(A);
  SparseLu lu(columns, {0, 1, 2});
  ASSERT_TRUE(lu.Factor(columns));
  columns.values[4] = 5.5;
  ASSERT_TRUE(lu.Factor(columns));
  EXPECT_FALSE(lu.has_fresh_pivots());
  columns.values[0] = 1e-14;  // The old first pivot would spoil everything.
  A(0, 0) = 1e-14;
  A(1, 1) = 5.5;
  ASSERT_TRUE(lu.Factor(columns));
  EXPECT_TRUE(lu.has_fresh_pivots());
  const VectorX x = Vector3(1, 2, 3);
  VectorX z = A * x;
  lu.SolveInPlace(&z);
  EXPECT_LT((z - x).norm(), 1e-14);
}

TEST(LuTest, SingularIsReportedAndForgotten) {
  MatrixX A(2, 2);
  A << 1, 2, 2, 4;
  Columns columns(A);
  DenseLu dense(2);
  SparseLu sparse(columns, {0, 1});
  EXPECT_FALSE(dense.Factor(columns));
  EXPECT_FALSE(sparse.Factor(columns));
  columns.values[3] = 5;
  EXPECT_TRUE(dense.Factor(columns));
  EXPECT_TRUE(sparse.Factor(columns));
  VectorX z = Vector2(3, 7);  // A (1, 1)
  sparse.SolveInPlace(&z);
  EXPECT_LT((z - Vector2(1, 1)).norm(), 1e-15);
}

}  // namespace
}  // namespace saltus
