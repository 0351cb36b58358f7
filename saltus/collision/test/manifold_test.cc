// Contact manifolds of boxes, hulls, capsules and cylinders: numbers, places and names of points.
#include <set>

#include <gtest/gtest.h>

#include "saltus/collision/test/reference.h"

namespace saltus::test {
namespace {

Quaternion Turn(double angle, const Vector3& axis) {
  return Quaternion(Eigen::AngleAxisd(angle, axis.normalized()));
}

ConvexHull MakeBoxHull(const Vector3& h) {
  std::vector<Vector3> points;
  for (int i = 0; i < 8; ++i) {
    points.emplace_back(i & 1 ? h.x() : -h.x(), i & 2 ? h.y() : -h.y(), i & 4 ? h.z() : -h.z());
  }
  return MakeConvexHull(points);
}

// For shapes like boxes: as box and as hull.
std::vector<std::pair<Shape, Shape>> MakeBoxPairs(const Vector3& a, const Vector3& b) {
  return {{Box{a}, Box{b}},
          {MakeBoxHull(a), MakeBoxHull(b)},
          {Box{a}, MakeBoxHull(b)},
          {MakeBoxHull(a), Box{b}}};
}

bool HasPoint(const std::vector<Witness>& witnesses, const Vector3& x, double tolerance) {
  return std::any_of(witnesses.begin(), witnesses.end(), [&](const Witness& w) {
    return (0.5 * (w.point_A + w.point_B) - x).norm() < tolerance;
  });
}

TEST(ManifoldTest, StackedBoxesTouchInFourCorners) {
  const Vector3 h(0.5, 0.5, 0.5);
  for (const auto& [shape_a, shape_b] : MakeBoxPairs(h, h)) {
    for (const double gap : {-1e-3, -1e-9, 0.0, 1e-9, 1e-3}) {
      const std::vector<Witness> w =
          FindWitnesses({shape_a, {{0, 0, 0.5}, Quaternion::Identity()}},
                        {shape_b, {{0, 0, 1.5 + gap}, Quaternion::Identity()}}, 0.01);
      ASSERT_EQ(w.size(), 4u) << ShapeName(shape_a) << ShapeName(shape_b) << gap;
      for (const Witness& c : w) {
        EXPECT_EQ(c.normal, Vector3::UnitZ());
        EXPECT_NEAR(c.gap, gap, 4e-16);
        EXPECT_NEAR(std::abs(c.point_A.x()), 0.5, 1e-15);
        EXPECT_NEAR(std::abs(c.point_A.y()), 0.5, 1e-15);
      }
    }
  }
}

TEST(ManifoldTest, NormalIsExactlyTheFaceNormal) {
  const Quaternion R = Turn(0.7, Vector3(1, 2, 3));
  const Vector3 n = R.toRotationMatrix().col(2);
  const PlacedTestShape a{Box{Vector3(1, 1, 0.5)}, {Vector3(1, 2, 3), R}};
  for (const double yaw : {0.0, 1e-12, 1e-7, 1e-3, 0.4}) {
    for (const double gap : {-1e-6, 1e-6}) {
      const Quaternion R_b = R * Turn(yaw, Vector3::UnitZ());
      const PlacedTestShape b{Box{Vector3(0.4, 0.4, 0.5)},
                              {a.pose.p + (1 + gap) * n + 0.1 * R.toRotationMatrix().col(0), R_b}};
      const std::vector<Witness> w = FindWitnesses(a, b, 0.01);
      ASSERT_EQ(w.size(), 4u);
      for (const Witness& c : w) {
        EXPECT_EQ(c.normal, n);
        EXPECT_NEAR(c.gap, gap, 1e-14);
      }
    }
  }
}

TEST(ManifoldTest, RunningBondGivesClippedCorners) {
  const Vector3 h(0.5, 0.25, 0.25);
  for (const auto& [shape_a, shape_b] : MakeBoxPairs(h, h)) {
    const std::vector<Witness> w =
        FindWitnesses({shape_a, {}}, {shape_b, {{0.5, 0, 0.5}, Quaternion::Identity()}}, 0.01);
    ASSERT_EQ(w.size(), 4u);
    for (const double x : {0.0, 0.5}) {
      for (const double y : {-0.25, 0.25}) {
        EXPECT_TRUE(HasPoint(w, Vector3(x, y, 0.25), 1e-15)) << x << ' ' << y;
      }
    }
    for (const Witness& c : w) EXPECT_EQ(c.normal, Vector3::UnitZ());
  }
}

TEST(ManifoldTest, TurnedSquareGivesOctagon) {
  const Vector3 h(0.5, 0.5, 0.5);
  for (const auto& [shape_a, shape_b] : MakeBoxPairs(h, h)) {
    const Pose b{{0, 0, 1}, Turn(M_PI / 4, Vector3::UnitZ())};
    const std::vector<Witness> w = FindWitnesses({shape_a, {}}, {shape_b, b}, 0.01);
    ASSERT_EQ(w.size(), 8u);
    for (const Witness& c : w) {  // each corner is on one border of each square
      EXPECT_NEAR(c.point_A.cwiseAbs().maxCoeff(), 0.5, 1e-14);
      EXPECT_NEAR(c.point_A.head<2>().norm(), std::hypot(0.5, 0.5 * std::tan(M_PI / 8)), 1e-14);
    }
  }
}

TEST(ManifoldTest, BoxOnEdgeAndOnCorner) {
  const Vector3 floor(2, 2, 0.5), h(0.5, 0.5, 0.5);
  for (const auto& [shape_a, shape_b] : MakeBoxPairs(floor, h)) {
    const Pose on_edge{{0, 0, 0.5 + std::sqrt(0.5) + 1e-4}, Turn(M_PI / 4, Vector3::UnitX())};
    const std::vector<Witness> edge = FindWitnesses({shape_a, {}}, {shape_b, on_edge}, 0.01);
    ASSERT_EQ(edge.size(), 2u);
    for (const Witness& c : edge) EXPECT_NEAR(c.gap, 1e-4, 1e-14);
    const Quaternion R = Quaternion::FromTwoVectors(Vector3(1, 1, 1), -Vector3::UnitZ());
    const std::vector<Witness> corner =
        FindWitnesses({shape_a, {}}, {shape_b, {{0, 0, 0.5 + std::sqrt(0.75) - 1e-4}, R}}, 0.01);
    ASSERT_EQ(corner.size(), 1u);
    EXPECT_NEAR(corner[0].gap, -1e-4, 1e-14);
    EXPECT_LT((corner[0].normal - Vector3::UnitZ()).norm(), 1e-15);
  }
}

TEST(ManifoldTest, CrossedEdges) {
  const Vector3 h(0.5, 0.5, 0.5);
  const double s = std::sqrt(0.5);
  for (const auto& [shape_a, shape_b] : MakeBoxPairs(h, h)) {
    for (const double gap : {-1e-5, 1e-5}) {
      const std::vector<Witness> w = FindWitnesses(
          {shape_a, {Vector3::Zero(), Turn(M_PI / 4, Vector3::UnitX())}},
          {shape_b, {{0.1, 0.05, 2 * s + gap}, Turn(M_PI / 4, Vector3::UnitY())}}, 0.01);
      ASSERT_EQ(w.size(), 1u);
      EXPECT_LT((w[0].normal - Vector3::UnitZ()).norm(), 1e-14);
      EXPECT_NEAR(w[0].gap, gap, 1e-14);
      EXPECT_LT((w[0].point_A - Vector3(0.1, 0, s)).norm(), 2e-5);
    }
  }
}

TEST(ManifoldTest, SeparatedParallelEdgesGiveTwoPoints) {
  const Vector3 h(0.5, 0.5, 0.5);
  for (const auto& [shape_a, shape_b] : MakeBoxPairs(h, h)) {  // diagonal neighbours
    const std::vector<Witness> w = FindWitnesses(
        {shape_a, {}}, {shape_b, {{1.003, 0.2, 1.004}, Quaternion::Identity()}}, 0.01);
    ASSERT_EQ(w.size(), 2u);
    for (const Witness& c : w) {
      EXPECT_NEAR(c.gap, 0.005, 1e-14);
      EXPECT_LT((c.normal - Vector3(0.6, 0, 0.8)).norm(), 1e-12);
    }
    EXPECT_NEAR(std::abs(w[0].point_A.y() - w[1].point_A.y()), 0.8, 1e-12);
  }
}

TEST(ManifoldTest, LyingCapsuleTouchesTwice) {
  const Capsule capsule{0.1, 0.5};
  const Quaternion lying = Turn(M_PI / 2, Vector3::UnitY());
  const std::vector<PlacedTestShape> floors = {{HalfSpace{}, {{0, 0, 0.5}, Quaternion::Identity()}},
                                               {Box{Vector3(2, 2, 0.5)}, {}},
                                               {MakeBoxHull(Vector3(2, 2, 0.5)), {}},
                                               {Capsule{0.5, 2}, {Vector3::Zero(), lying}},
                                               {Cylinder{0.5, 2}, {Vector3::Zero(), lying}},
                                               {Cylinder{3, 0.5}, {}}};
  for (const PlacedTestShape& floor : floors) {
    for (const double gap : {-1e-7, 1e-7, 1e-3}) {
      SCOPED_TRACE(testing::Message() << ShapeName(floor.shape) << ' ' << gap);
      const std::vector<Witness> w =
          FindWitnesses(floor, {capsule, {{0.2, 0, 0.6 + gap}, lying}}, 0.01);
      ASSERT_EQ(w.size(), 2u);
      for (const Witness& c : w) {
        EXPECT_NEAR(c.gap, gap, 1e-14);
        EXPECT_LT((c.normal - Vector3::UnitZ()).norm(), 1e-14);
      }
      EXPECT_NEAR(std::abs(w[0].point_B.x() - w[1].point_B.x()), 1.0, 1e-13);
    }
  }
}

TEST(ManifoldTest, CylinderStandsAndLies) {
  const Cylinder cylinder{0.3, 0.4};
  const std::vector<PlacedTestShape> floors = {{HalfSpace{}, {{0, 0, 0.5}, Quaternion::Identity()}},
                                               {Box{Vector3(2, 2, 0.5)}, {}},
                                               {MakeBoxHull(Vector3(2, 2, 0.5)), {}},
                                               {Cylinder{3, 0.5}, {}}};
  for (const PlacedTestShape& floor : floors) {
    for (const double gap : {-1e-4, -1e-9, 1e-9, 1e-4}) {
      SCOPED_TRACE(testing::Message() << ShapeName(floor.shape) << ' ' << gap);
      const std::vector<Witness> standing =
          FindWitnesses(floor, {cylinder, {{0.2, 0.1, 0.9 + gap}, Quaternion::Identity()}}, 0.01);
      EXPECT_EQ(standing.size(), std::holds_alternative<HalfSpace>(floor.shape) ? 4u : 8u);
      for (const Witness& c : standing) {
        EXPECT_EQ(c.normal, Vector3::UnitZ());
        EXPECT_NEAR(c.gap, gap, 1e-14);
        EXPECT_NEAR((c.point_B - Vector3(0.2, 0.1, 0)).head<2>().norm(), 0.3, 1e-14);
      }
      const std::vector<Witness> lying = FindWitnesses(
          floor, {cylinder, {{0.2, 0.1, 0.8 + gap}, Turn(M_PI / 2, Vector3(1, 1, 0))}}, 0.01);
      ASSERT_EQ(lying.size(), 2u);
      for (const Witness& c : lying) {
        EXPECT_LT((c.normal - Vector3::UnitZ()).norm(), 1e-15);
        EXPECT_NEAR(c.gap, gap, 1e-14);
      }
      EXPECT_NEAR((lying[0].point_B - lying[1].point_B).norm(), 0.8, 1e-13);
    }
  }
}

TEST(ManifoldTest, ParallelCylindersTouchAlongALine) {
  const Quaternion R = Turn(M_PI / 2, Vector3::UnitY());
  for (const double gap : {-1e-3, -1e-6, 1e-6, 1e-3}) {
    const std::vector<Witness> w = FindWitnesses(
        {Cylinder{0.3, 0.5}, {Vector3::Zero(), R}},
        {Cylinder{0.2, 0.5}, {{0.2, 0.3 + 0.3 * gap / 0.5, 0.4 + 0.4 * gap / 0.5}, R}}, 0.01);
    ASSERT_EQ(w.size(), 2u) << gap;
    for (const Witness& c : w) {
      EXPECT_NEAR(c.gap, gap, 1e-13);
      EXPECT_LT((c.normal - Vector3(0, 0.6, 0.8)).norm(), 1e-12);
    }
    EXPECT_NEAR(std::abs(w[0].point_A.x() - w[1].point_A.x()), 0.8, 1e-12);
  }
}

TEST(ManifoldTest, DrumCarriesASmallBox) {
  const std::vector<Witness> w =
      FindWitnesses({Cylinder{1, 0.5}, {}},
                    {Box{Vector3(0.2, 0.2, 0.2)}, {{0.3, 0, 0.7}, Turn(0.3, {0, 0, 1})}}, 0.01);
  ASSERT_EQ(w.size(), 4u);
  for (const Witness& c : w) {
    EXPECT_EQ(c.normal, Vector3::UnitZ());
    EXPECT_NEAR(c.gap, 0, 1e-15);
    EXPECT_NEAR((c.point_B - Vector3(0.3, 0, 0)).head<2>().norm(), std::hypot(0.2, 0.2), 1e-14);
  }
}

// Small motions, also through gap = 0, keep names, normals and places.
TEST(ManifoldTest, FeaturesPersistThroughContact) {
  const Vector3 h(0.5, 0.4, 0.3);
  std::vector<std::pair<Shape, Shape>> pairs = MakeBoxPairs(Vector3(1, 1, 0.5), h);
  pairs.emplace_back(Box{Vector3(1, 1, 0.5)}, Cylinder{0.4, 0.3});
  pairs.emplace_back(HalfSpace{Vector3::UnitZ(), 0.5}, Box{h});
  pairs.emplace_back(HalfSpace{Vector3::UnitZ(), 0.5}, Cylinder{0.4, 0.3});
  Random random(3);
  for (const auto& [shape_a, shape_b] : pairs) {
    std::set<Feature> names;
    for (int trial = 0; trial < 50; ++trial) {
      const Pose b{Vector3(0.1, 0.2, 0.8) + 1e-7 * random.Direction(),
                   Turn(1e-10, random.Direction())};
      const std::vector<Witness> w = FindWitnesses({shape_a, {}}, {shape_b, b}, 0.01);
      std::set<Feature> now;
      for (const Witness& c : w) {
        now.insert(c.feature);
        EXPECT_LT((c.normal - Vector3::UnitZ()).norm(), 1.01e-10);  // B's face is turned by 1e-10
        EXPECT_LT(std::abs(c.gap), 2e-7);
      }
      if (trial == 0) names = now;
      EXPECT_EQ(names, now) << ShapeName(shape_a) << ShapeName(shape_b);
      EXPECT_GE(now.size(), 4u);
    }
  }
}

// The reference face of equal boxes does not flip under rounding.
TEST(ManifoldTest, ReferenceFaceIsSteady) {
  Random random(8);
  const Vector3 h(0.5, 0.5, 0.5);
  for (const auto& [shape_a, shape_b] : MakeBoxPairs(h, h)) {
    for (int trial = 0; trial < 50; ++trial) {
      const Pose a{1e-9 * random.Direction(), Turn(1e-10, random.Direction())};
      const Pose b{Vector3(0, 0, 1) + 1e-9 * random.Direction(), Turn(1e-10, random.Direction())};
      const std::vector<Witness> w = FindWitnesses({shape_a, a}, {shape_b, b}, 0.01);
      ASSERT_EQ(w.size(), 4u);
      const bool a_is_box = std::holds_alternative<Box>(shape_a);
      const bool b_is_box = std::holds_alternative<Box>(shape_b);
      const Matrix3 R = (!a_is_box && b_is_box ? b : a).R.toRotationMatrix();
      for (const Witness& c : w) {
        EXPECT_LT((c.normal - R.col(2)).norm(), 1e-15);
        EXPECT_LT(std::abs(c.gap), 1e-8);
      }
    }
  }
}

// Degenerate positions: never anything but numbers.
TEST(ManifoldTest, DegeneratePositionsStayFinite) {
  Random random(4);
  const std::vector<Shape> shapes = {Sphere{0.4},
                                     Capsule{0.2, 0.4},
                                     Capsule{0.2, 0},
                                     Box{Vector3(0.5, 0.5, 0.5)},
                                     Cylinder{0.4, 0.4},
                                     MakeBoxHull(Vector3(0.5, 0.5, 0.5)),
                                     MakeRandomHull(&random, 100)};
  const std::vector<Vector3> places = {{0, 0, 0},   {1, 0, 0},     {0, 0, 1},      {1, 1, 1},
                                       {0.8, 0, 0}, {0.5, 0.5, 0}, {0, 0, 1e-300}, {0, 1e-16, 0.9}};
  const std::vector<Quaternion> turns = {
      Quaternion::Identity(), Turn(M_PI / 2, Vector3::UnitX()), Turn(M_PI / 4, Vector3::UnitY()),
      Turn(1e-9, Vector3::UnitX()), Turn(M_PI, Vector3::UnitZ())};
  int count = 0;
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      for (const Vector3& p : places) {
        for (const Quaternion& R : turns) {
          const PlacedTestShape A{a, {}}, B{b, {p, R}};
          const std::vector<Witness> witnesses = FindWitnesses(A, B, 0.1);
          SCOPED_TRACE(testing::Message() << ShapeName(a) << ' ' << ShapeName(b) << " at "
                                          << p.transpose() << " turned " << R.coeffs().transpose());
          for (const Witness& w : witnesses) {
            ASSERT_TRUE(w.normal.allFinite() && w.point_A.allFinite() && w.point_B.allFinite());
            ASSERT_NEAR(w.normal.norm(), 1, 1e-14);
          }
          if (++count % 4 != 0) continue;  // the search takes its time
          const double distance = CalcSignedDistance(A, B);
          if (distance < 0.099) {
            ASSERT_FALSE(witnesses.empty());
            EXPECT_GT(CalcLeastGap(witnesses), distance - 1e-7);
            EXPECT_NEAR(CalcSeparationValue(A, B, FindLeast(witnesses).normal),
                        CalcLeastGap(witnesses), 1e-7);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace saltus::test
