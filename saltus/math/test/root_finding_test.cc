#include "saltus/math/root_finding.h"

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

namespace saltus {
namespace {

struct Case {
  std::function<double(double)> f;
  std::function<double(double)> slope;
  double a;
  double b;
  double root;
};

std::vector<Case> MakeCases() {
  return {
      {[](double x) { return std::cos(x) - x; }, [](double x) { return -std::sin(x) - 1; }, 0, 1,
       0.7390851332151607},
      {[](double x) { return x * x - 2; }, [](double x) { return 2 * x; }, 0, 2,
       std::numbers::sqrt2},
      {[](double x) { return 2 - x * x; }, [](double x) { return -2 * x; }, 2, 0,  // reversed
       std::numbers::sqrt2},
      {[](double x) { return std::exp(x) - 1e6; }, [](double x) { return std::exp(x); }, -10, 30,
       std::log(1e6)},
      // Flat away from the root: Newton alone diverges.
      {[](double x) { return std::atan(x - 3); },
       [](double x) { return 1 / (1 + (x - 3) * (x - 3)); }, -50, 20, 3},
      {[](double x) { return x; }, [](double) { return 1.0; }, 0, 5, 0},  // root at an end
      {[](double x) { return x; }, [](double) { return 1.0; }, -5, 0, 0},
      // A jump.
      {[](double x) { return x < 0.3 ? -1.0 : 1.0; }, [](double) { return 0.0; }, 0, 1, 0.3},
  };
}

TEST(RootFindingTest, BrentFindsAnalyticRoots) {
  for (const Case& c : MakeCases()) {
    const Root root = FindRootBrent(c.f, c.a, c.b);
    EXPECT_TRUE(root.converged);
    // A few roundings of x.
    EXPECT_NEAR(root.x, c.root, 2e-15 * (1 + std::abs(c.root)));
    EXPECT_EQ(root.f, c.f(root.x));
    EXPECT_LT(root.num_evaluations, 80);
  }
  const Root smooth = FindRootBrent([](double x) { return std::cos(x) - x; }, 0, 1);
  EXPECT_LE(smooth.num_evaluations, 10);  // superlinear
}

TEST(RootFindingTest, NewtonFindsAnalyticRoots) {
  for (const Case& c : MakeCases()) {
    const auto f = [&](double x) { return ValueAndSlope{c.f(x), c.slope(x)}; };
    const Root root = FindRootNewton(f, c.a, c.b);
    EXPECT_TRUE(root.converged);
    EXPECT_NEAR(root.x, c.root, 2e-15 * (1 + std::abs(c.root)));
    EXPECT_LT(root.num_evaluations, 80);
  }
}

TEST(RootFindingTest, ToleranceSavesEvaluations) {
  int count = 0;
  const auto f = [&](double x) { return ++count, std::exp(x) - 2; };
  const Root root = FindRootBrent(f, 0, 5, {.tolerance = 1e-3});
  EXPECT_TRUE(root.converged);
  EXPECT_NEAR(root.x, std::log(2), 1e-3);
  EXPECT_EQ(root.num_evaluations, count);
  EXPECT_LT(count, 12);
}

TEST(RootFindingTest, FailuresAreReported) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(FindRootBrent([](double x) { return x * x + 1; }, -1, 1).converged);
  EXPECT_FALSE(FindRootBrent([&](double) { return nan; }, -1, 1).converged);
  EXPECT_FALSE(
      FindRootBrent([&](double x) { return std::abs(x) == 1 ? x : nan; }, -1, 1).converged);
  EXPECT_FALSE(FindRootBrent([](double x) { return std::cos(x) - x; }, 0, 1, {.max_evaluations = 4})
                   .converged);
  const auto square = [](double x) { return ValueAndSlope{x * x + 1, 2 * x}; };
  EXPECT_FALSE(FindRootNewton(square, -1, 1).converged);
  const auto not_a_number = [&](double x) { return ValueAndSlope{std::abs(x) == 1 ? x : nan, 1}; };
  EXPECT_FALSE(FindRootNewton(not_a_number, -1, 1).converged);
}

}  // namespace
}  // namespace saltus
