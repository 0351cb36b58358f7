#include "saltus/cones/projections.h"

#include <gtest/gtest.h>

#include "saltus/cones/test/random_problems.h"

namespace saltus {
namespace {

TEST(ProjectionsTest, MoreauDecomposition) {
  test::Random random(1);
  for (const int d : {2, 3}) {
    for (int trial = 0; trial < 10000; ++trial) {
      const VectorX x = random.Matrix(d, 1);
      const double mu = trial % 7 == 0 ? 0.0 : random.Uniform(0, 3);
      VectorX inside = x, polar = -x;
      ProjectOntoFrictionCone(mu, d, inside.data());
      ProjectOntoDualFrictionCone(mu, d, polar.data());
      // A few roundings of numbers of order one.
      EXPECT_LT((x - (inside - polar)).norm(), 1e-15);
      EXPECT_LT(std::abs(inside.dot(polar)), 1e-15);
      EXPECT_LE(CalcNorm(&inside[1], d - 1), mu * inside[0] + 1e-15);
      EXPECT_LE(mu * CalcNorm(&polar[1], d - 1), polar[0] + 1e-15);
    }
  }
}

TEST(ProjectionsTest, ConeWithoutFrictionIsARay) {
  double below[] = {-1, 0, 0}, beside[] = {-1, 2, 0}, above[] = {1, 2, 0};
  for (double* x : {below, beside, above}) ProjectOntoFrictionCone(0, 3, x);
  EXPECT_EQ(below[0], 0);
  EXPECT_EQ(beside[0], 0);
  EXPECT_EQ(beside[1], 0);
  EXPECT_EQ(above[0], 1);
  EXPECT_EQ(above[1], 0);
}

TEST(ProjectionsTest, IsTheNearestPoint) {
  // The obtuse angle criterion: (x − Px)·(y − Px) ≤ 0 for all y in the set.
  test::Random random(2);
  for (int trial = 0; trial < 2000; ++trial) {
    const double mu = random.Uniform(0, 2), s = random.Uniform(0, 1);
    const VectorX x = random.Matrix(3, 1);
    VectorX cone = x, disc = x;
    ProjectOntoFrictionCone(mu, 3, cone.data());
    ProjectOntoDisc(s, 3, disc.data());
    VectorX y = random.Matrix(3, 1);
    y[0] = std::abs(y[0]);
    y.tail(2) *= mu * y[0] / std::max(1.0, y.tail(2).norm());
    EXPECT_LT((x - cone).dot(y - cone), 1e-15);
    y = random.Matrix(3, 1);
    y *= s / std::max(1.0, y.norm());
    EXPECT_LT((x - disc).dot(y - disc), 1e-15);
  }
}

TEST(ProjectionsTest, Limits) {
  double x[3] = {-1, 0.5, 0};
  ProjectOntoFrictionCone(0.0, 3, x);
  EXPECT_EQ(x[0], 0);
  EXPECT_EQ(x[1], 0);
  double y[3] = {2, 1, 0};
  ProjectOntoFrictionCone(0.0, 3, y);  // The half line.
  EXPECT_EQ(y[0], 2);
  EXPECT_EQ(y[1], 0);
  double z[3] = {-1, 1, 2};
  ProjectOntoDualFrictionCone(0.0, 3, z);  // The half space.
  EXPECT_EQ(z[0], 0);
  EXPECT_EQ(z[1], 1);
  EXPECT_EQ(z[2], 2);
  double w = -3;
  ProjectOntoDisc(2, 1, &w);
  EXPECT_EQ(w, -2);
  EXPECT_EQ(ProjectOntoNonnegative(-1), 0);
}

}  // namespace
}  // namespace saltus
