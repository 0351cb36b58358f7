#include "saltus/linalg/flexible_gmres.h"

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "saltus/linalg/test/kkt_test_problems.h"

namespace saltus {
namespace {

TEST(FlexibleGmresTest, SolvesInAsManyStepsAsUnknowns) {
  RandomNumbers random(1);
  const int n = 8;
  const MatrixX A = random.Matrix(n, n) + 2 * MatrixX::Identity(n, n);
  const VectorX b = random.Vector(n);
  VectorX y = random.Vector(n);
  FlexibleGmres gmres(n, n);
  gmres.Start(b - A * y);
  double last = (b - A * y).norm();
  while (!gmres.is_full()) {
    const VectorX z = gmres.direction();  // no preconditioner
    VectorX A_z = A * z;
    gmres.Add(z, &A_z);
    EXPECT_LE(gmres.residual_norm(), last * (1 + 1e-14));
    last = gmres.residual_norm();
  }
  gmres.AddSolution(&y);
  EXPECT_LT((b - A * y).norm(), 1e-12);
}

TEST(FlexibleGmresTest, CombinesArbitraryCorrectionsBest) {
  RandomNumbers random(2);
  const MatrixX A = random.Matrix(10, 10);
  const MatrixX Z = random.Matrix(10, 4);
  const VectorX b = random.Vector(10);
  FlexibleGmres gmres(10, 5);
  gmres.Start(b);
  for (int k = 0; k < 4; ++k) {
    VectorX A_z = A * Z.col(k);
    gmres.Add(Z.col(k), &A_z);
  }
  VectorX y = VectorX::Zero(10);
  gmres.AddSolution(&y);
  // Least squares over the span; b itself is the first basis vector, so the images are all of it.
  const MatrixX images = A * Z;
  const VectorX best = images.colPivHouseholderQr().solve(b);
  EXPECT_NEAR((b - A * y).norm(), (b - images * best).norm(), 1e-12);
  EXPECT_NEAR(gmres.residual_norm(), (b - A * y).norm(), 1e-12);
}

TEST(FlexibleGmresTest, ReportsWhatCannotBeReached) {
  MatrixX A = MatrixX::Identity(3, 3);
  A(2, 2) = 0;
  FlexibleGmres gmres(3, 3);
  gmres.Start(Vector3::UnitZ());
  const VectorX z = Vector3::UnitZ();
  VectorX A_z = A * z;
  EXPECT_EQ(gmres.Add(z, &A_z), 0);
  VectorX y = Vector3::Zero();
  gmres.AddSolution(&y);
  EXPECT_EQ(y, VectorX(Vector3::Zero()));
  EXPECT_EQ(gmres.residual_norm(), 1);
}

}  // namespace
}  // namespace saltus
