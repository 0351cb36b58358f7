#include "saltus/cones/solvers/quartic.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "saltus/cones/test/random_problems.h"

namespace saltus {
namespace {

std::array<double, 5> FromRoots(const std::array<double, 4>& x) {
  std::array<double, 5> p{1, 0, 0, 0, 0};
  for (int k = 0; k < 4; ++k) {
    for (int i = k + 1; i >= 0; --i) p[i] = (i > 0 ? p[i - 1] : 0.0) - x[k] * p[i];
  }
  return p;
}

TEST(QuarticTest, FindsSeparatedRoots) {
  test::Random random(1);
  for (int trial = 0; trial < 1000; ++trial) {
    std::array<double, 4> exact;
    for (double& x : exact) x = random.Uniform(-1, 2);
    std::sort(exact.begin(), exact.end());
    double gap = 3;
    for (int i = 0; i < 3; ++i) gap = std::min(gap, exact[i + 1] - exact[i]);
    if (gap < 0.05) continue;
    std::array<double, 4> roots;
    ASSERT_EQ(FindQuarticRoots(FromRoots(exact), -1, 2, &roots), 4);
    // Rounding of the coefficients over the slope at roots 0.05 apart.
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(roots[i], exact[i], 1e-11);
  }
}

TEST(QuarticTest, KeepsToTheInterval) {
  std::array<double, 4> roots;
  ASSERT_EQ(FindQuarticRoots(FromRoots({-3, 0.5, 1, 7}), 0, 2, &roots), 2);
  EXPECT_NEAR(roots[0], 0.5, 1e-13);
  EXPECT_NEAR(roots[1], 1, 1e-13);
}

TEST(QuarticTest, ComplexAndDoubleRoots) {
  std::array<double, 4> roots;
  EXPECT_EQ(FindQuarticRoots({1, 0, 1, 0, 1}, -10, 10, &roots), 0);
  // (x − 1)²(x² + 1): a double root is as accurate as the square root of rounding.
  const int count = FindQuarticRoots({1, -2, 2, -2, 1}, 0, 2, &roots);
  ASSERT_GE(count, 1);
  EXPECT_NEAR(roots[0], 1, 1e-7);
}

}  // namespace
}  // namespace saltus
