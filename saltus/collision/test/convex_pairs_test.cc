// Every pair of convex shapes in random positions against the definition of the signed distance.
#include <gtest/gtest.h>

#include "saltus/collision/test/reference.h"

namespace saltus::test {
namespace {

std::vector<Shape> MakeShapes(Random* random) {
  return {Sphere{0.4},         Capsule{0.25, 0.5},         Box{Vector3(0.5, 0.3, 0.4)},
          Cylinder{0.4, 0.35}, MakeRandomHull(random, 12), MakeRandomHull(random, 90)};
}

// Moves b along d until the signed distance is `wanted`.
void MoveTo(double wanted, const Vector3& d, const PlacedTestShape& a, PlacedTestShape* b) {
  double low = 0.0, high = 4.0;
  const auto value = [&](double t) {
    b->pose.p = a.pose.p + t * d;
    return CalcSignedDistance(a, *b) - wanted;
  };
  for (int i = 0; i < 18; ++i) {
    const double middle = 0.5 * (low + high);
    (value(middle) < 0 ? low : high) = middle;
  }
  b->pose.p = a.pose.p + high * d;
}

void CheckWitnesses(const PlacedTestShape& a, const PlacedTestShape& b,
                    const std::vector<Witness>& witnesses) {
  for (const Witness& w : witnesses) {
    ASSERT_TRUE(w.normal.allFinite() && w.point_A.allFinite() && w.point_B.allFinite());
    EXPECT_LT(w.collider_A, w.collider_B);
    EXPECT_NEAR(w.normal.norm(), 1.0, 1e-14);
    EXPECT_NEAR(w.gap, w.normal.dot(w.point_B - w.point_A), 1e-13);
    // A vertex may be beside the reference face by the clipping tolerance, 1e-7 of the size. Those
    // beyond the nearest have normals of their own, and may miss it by part of the gap.
    const bool is_least = w.gap <= CalcLeastGap(witnesses);
    const double beside = 2e-7 + (is_least ? std::max(0.0, -0.05 * w.gap) : 0.5 * std::abs(w.gap));
    EXPECT_LT(CalcOutside(a, w.point_A), beside);
    EXPECT_LT(CalcOutside(b, w.point_B), beside);
  }
  for (std::size_t i = 1; i < witnesses.size(); ++i) {
    EXPECT_LT(witnesses[i - 1].feature, witnesses[i].feature);
  }
}

class ConvexPairs : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(ConvexPairs, LeastGapIsSignedDistance) {
  const auto [i, j] = GetParam();
  Random random(static_cast<unsigned>(100 + 10 * i + j));
  const std::vector<Shape> shapes = MakeShapes(&random);
  for (int trial = 0; trial < 3; ++trial) {
    PlacedTestShape a{shapes[static_cast<std::size_t>(i)], {}};
    PlacedTestShape b{shapes[static_cast<std::size_t>(j)], {}};
    a.pose = {Vector3(1, 2, 3), random.Rotation()};
    b.pose.R = random.Rotation();
    const Vector3 d = random.Direction();
    for (const double wanted : {-0.15, -0.01, -1e-4, 1e-4, 0.01, 0.08}) {
      MoveTo(wanted, d, a, &b);
      const double distance = CalcSignedDistance(a, b);
      const std::vector<Witness> witnesses = FindWitnesses(a, b, 0.1);
      SCOPED_TRACE(testing::Message() << ShapeName(a.shape) << ' ' << ShapeName(b.shape)
                                      << " trial " << trial << " distance " << distance);
      ASSERT_FALSE(witnesses.empty());
      // The normal's separation is a lower bound of the signed distance, and the search finds no
      // better one. 5e-8: axes within the bias of 1e-8 of the size count as equal.
      const double gap = CalcLeastGap(witnesses);
      EXPECT_NEAR(CalcSeparationValue(a, b, FindLeast(witnesses).normal), gap, 5e-8);
      EXPECT_GT(gap, distance - 5e-8);
      CheckWitnesses(a, b, witnesses);
      EXPECT_TRUE(gap < 1e-6 || FindWitnesses(a, b, gap - 1e-6).empty());
    }
  }
}

TEST_P(ConvexPairs, MovesWithTheFrame) {
  const auto [i, j] = GetParam();
  Random random(static_cast<unsigned>(500 + 10 * i + j));
  const std::vector<Shape> shapes = MakeShapes(&random);
  for (int trial = 0; trial < 20; ++trial) {
    PlacedTestShape a{shapes[static_cast<std::size_t>(i)], {Vector3::Zero(), random.Rotation()}};
    PlacedTestShape b{shapes[static_cast<std::size_t>(j)], {}};
    b.pose = {random.Uniform(0.5, 0.9) * random.Direction(), random.Rotation()};
    const Pose frame{10 * random.Direction(), random.Rotation()};
    const PlacedTestShape a2{a.shape, frame * a.pose}, b2{b.shape, frame * b.pose};
    const std::vector<Witness> first = FindWitnesses(a, b, 0.05),
                               second = FindWitnesses(a2, b2, 0.05);
    if (std::abs(CalcLeastGap(first) - 0.05) < 1e-6) continue;
    // 1e-8: the bias between equal axes; EPA on curved rims is as good.
    if (!first.empty() || !second.empty()) {
      EXPECT_NEAR(CalcLeastGap(first), CalcLeastGap(second), 1e-8);
    }
    // Exchanged roles: the same gap, the opposite direction.
    const std::vector<Witness> swapped = FindWitnesses(b, a, 0.05);
    if (!first.empty() || !swapped.empty()) {
      EXPECT_NEAR(CalcLeastGap(first), CalcLeastGap(swapped), 3e-8);
    }
  }
}

std::vector<std::pair<int, int>> MakePairs() {
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < 6; ++i) {
    for (int j = i; j < 6; ++j) pairs.emplace_back(i, j);
  }
  return pairs;
}
INSTANTIATE_TEST_SUITE_P(All, ConvexPairs, ::testing::ValuesIn(MakePairs()));

}  // namespace
}  // namespace saltus::test
