#include "saltus/math/interpolation.h"

#include <cmath>

#include <gtest/gtest.h>

#include "saltus/base/types.h"

namespace saltus {
namespace {

TEST(InterpolationTest, ReproducesPolynomials) {
  // Linear functions by (1), cubics by (2), on an interval away from zero.
  const auto line = [](double t) { return 3 - 2 * t; };
  const auto cubic = [](double t) { return 1 + t * (2 + t * (-3 + t)); };
  const auto slope = [](double t) { return 2 + t * (-6 + 3 * t); };
  const double t0 = 1.5, t1 = 2.25;
  for (const double t : {1.5, 1.6, 2.0, 2.25, 2.5}) {
    EXPECT_NEAR(InterpolateLinear(t0, line(t0), t1, line(t1), t), line(t), 1e-15);
    EXPECT_NEAR(InterpolateHermite(t0, cubic(t0), slope(t0), t1, cubic(t1), slope(t1), t), cubic(t),
                1e-14);
    EXPECT_NEAR(InterpolateHermiteRate(t0, cubic(t0), slope(t0), t1, cubic(t1), slope(t1), t),
                slope(t), 1e-13);
  }
}

TEST(InterpolationTest, EndsAreExact) {
  EXPECT_EQ(InterpolateLinear(0.1, 0.7, 0.3, -0.2, 0.1), 0.7);
  EXPECT_EQ(InterpolateLinear(0.1, 0.7, 0.3, -0.2, 0.3), -0.2);
  EXPECT_EQ(InterpolateHermite(0.1, 0.7, 5.0, 0.3, -0.2, 9.0, 0.1), 0.7);
  EXPECT_EQ(InterpolateHermite(0.1, 0.7, 5.0, 0.3, -0.2, 9.0, 0.3), -0.2);
  EXPECT_EQ(InterpolateHermiteRate(0.1, 0.7, 5.0, 0.3, -0.2, 9.0, 0.1), 5);
  EXPECT_EQ(InterpolateHermiteRate(0.1, 0.7, 5.0, 0.3, -0.2, 9.0, 0.3), 9);
}

TEST(InterpolationTest, HermiteIsFourthOrder) {
  const auto error = [](double h) {
    const double middle = InterpolateHermite(1.0, std::sin(1.0), std::cos(1.0), 1 + h,
                                             std::sin(1 + h), std::cos(1 + h), 1 + h / 2);
    return std::abs(middle - std::sin(1 + h / 2));
  };
  EXPECT_NEAR(std::log2(error(0.1) / error(0.05)), 4, 0.05);
}

TEST(InterpolationTest, VectorsToo) {
  const Vector3 y0(1, 2, 3), y1(4, 5, 6), d = Vector3::Constant(3);
  EXPECT_LT((InterpolateLinear(0, y0, 1, y1, 0.5) - Vector3(2.5, 3.5, 4.5)).norm(), 1e-15);
  EXPECT_LT((InterpolateHermite(0, y0, d, 1, y1, d, 0.5) - Vector3(2.5, 3.5, 4.5)).norm(), 1e-15);
  EXPECT_LT((InterpolateHermiteRate(0, y0, d, 1, y1, d, 0.3) - d).norm(), 1e-14);
}

}  // namespace
}  // namespace saltus
