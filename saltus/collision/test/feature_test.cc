// Features: a witness at other poses, and the derivative of its gap.
#include <gtest/gtest.h>

#include "saltus/collision/test/reference.h"

namespace saltus::test {
namespace {

TriangleMesh MakeRoof() {
  MeshData data;
  data.vertices = {{-2, -2, -0.6}, {2, -2, -0.6}, {2, 0, 0},
                   {-2, 0, 0},     {2, 2, -0.4},  {-2, 2, -0.4}};
  data.triangles = {{0, 1, 2}, {0, 2, 3}, {3, 2, 4}, {3, 4, 5}};
  return {std::make_shared<const MeshData>(data)};
}

std::vector<Shape> MakeShapes(Random* random) {
  return {HalfSpace{Vector3(0, 0.6, 0.8), 0.1},
          MakeRoof(),
          Sphere{0.4},
          Capsule{0.25, 0.5},
          Box{Vector3(0.5, 0.3, 0.4)},
          Cylinder{0.4, 0.35},
          MakeRandomHull(random, 12)};
}
constexpr int kNumShapes = 7, kNumOpen = 2;  // the open ones never meet each other

// What happens to a pose in the time t at the velocity v and angular velocity w (world axes).
struct Motion {
  Vector3 v, w;
  Pose At(const Pose& pose, double t) const {
    const Quaternion turn(Eigen::AngleAxisd(t * w.norm(), w.normalized()));
    return {pose.p + t * v, turn * pose.R};
  }
  Vector3 VelocityOf(const Vector3& x, const Pose& pose) const { return v + w.cross(x - pose.p); }
};

struct Placed {
  CollisionWorld world;
  Pose a, b;
  std::vector<Witness> witnesses;
};

// Random poses with a gap between −depth and margin.
bool Place(const Shape& a, const Shape& b, double depth, double margin, Random* random,
           Placed* placed) {
  placed->world = CollisionWorld();
  placed->world.Add({a, {}, 0, 0});
  placed->world.Add({b, {}, 1, 0});
  for (int trial = 0; trial < 5000; ++trial) {
    placed->a = {Vector3(0.2, -0.1, 0.3), random->Rotation()};
    placed->b = {placed->a.p + random->Uniform(0.2, 1.4) * random->Direction(), random->Rotation()};
    placed->world.Find({placed->a, placed->b}, margin, &placed->witnesses);
    if (!placed->witnesses.empty() && CalcLeastGap(placed->witnesses) > -depth) return true;
  }
  return false;
}

class FeaturePairs : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(FeaturePairs, AreTheWitnessesWhereTheyWereFound) {
  const auto [i, j] = GetParam();
  Random random(static_cast<unsigned>(1000 + 10 * i + j));
  const std::vector<Shape> shapes = MakeShapes(&random);
  Placed placed;
  for (int trial = 0; trial < 30; ++trial) {
    ASSERT_TRUE(Place(shapes[i], shapes[j], 0.02, 0.05, &random, &placed));
    for (const Witness& w : placed.witnesses) {
      Witness again;
      ASSERT_TRUE(placed.world.UpdateWitness(w, placed.a, placed.b, placed.a, placed.b, &again))
          << std::hex << w.feature;
      EXPECT_NEAR(again.gap, w.gap, 1e-12) << std::hex << w.feature;
      EXPECT_LT((again.normal - w.normal).norm(), 1e-9) << std::hex << w.feature;
      EXPECT_LT((w.point_B - w.point_A - w.gap * w.normal).norm(), 1e-13) << std::hex << w.feature;
      // Along a face or an edge the point of an iterated witness is not unique.
      EXPECT_LT((again.point_A - w.point_A).norm(), 1e-6) << std::hex << w.feature;
      EXPECT_LT((again.point_B - w.point_B).norm(), 1e-6) << std::hex << w.feature;
    }
  }
}

TEST_P(FeaturePairs, NormalRowIsTheDerivativeOfTheGap) {
  const auto [i, j] = GetParam();
  Random random(static_cast<unsigned>(2000 + 10 * i + j));
  const std::vector<Shape> shapes = MakeShapes(&random);
  Placed placed;
  for (int trial = 0; trial < 30; ++trial) {
    ASSERT_TRUE(Place(shapes[i], shapes[j], 0.02, 0.05, &random, &placed));
    const Motion A{random.Direction(), random.Direction()},
        B{random.Direction(), random.Direction()};
    for (const Witness& w : placed.witnesses) {
      // At another place: the function is differentiable there too, whatever the gap.
      for (const double at : {0.0, 0.01}) {
        const auto gap = [&](double t, Witness* moved) {
          return placed.world.UpdateWitness(w, placed.a, placed.b, A.At(placed.a, at + t),
                                            B.At(placed.b, at + t), moved);
        };
        constexpr double kStep = 1e-5;
        Witness before, now, after;
        if (!gap(0, &now) || !gap(-kStep, &before) || !gap(kStep, &after)) {
          ADD_FAILURE() << "lost " << std::hex << w.feature;
          continue;
        }
        const double rate = now.normal.dot(B.VelocityOf(now.point_B, B.At(placed.b, at)) -
                                           A.VelocityOf(now.point_A, A.At(placed.a, at)));
        EXPECT_NEAR((after.gap - before.gap) / (2 * kStep), rate, 2e-7)
            << std::hex << w.feature << ' ' << w.gap << " at " << at;
      }
    }
  }
}

std::vector<std::pair<int, int>> MakePairs() {
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < kNumShapes; ++i) {
    for (int j = i; j < kNumShapes; ++j) {
      if (j >= kNumOpen) pairs.emplace_back(i, j);
      if (j >= kNumOpen && i != j) pairs.emplace_back(j, i);
    }
  }
  return pairs;
}
INSTANTIATE_TEST_SUITE_P(All, FeaturePairs, ::testing::ValuesIn(MakePairs()));

TEST(FeatureTest, EdgesThatBecomeParallelAreLost) {
  const Vector3 h(0.5, 0.5, 0.5);
  const auto turn = [](double angle, const Vector3& axis) {
    return Quaternion(Eigen::AngleAxisd(angle, axis));
  };
  CollisionWorld world;
  world.Add({Box{h}, {}, 0, 0});
  world.Add({Box{h}, {}, 1, 0});
  const Pose a{Vector3::Zero(), turn(M_PI / 4, Vector3::UnitX())};
  Pose b{{0.1, 0.05, std::sqrt(2.0) + 1e-3}, turn(M_PI / 4, Vector3::UnitY())};
  std::vector<Witness> witnesses;
  world.Find({a, b}, 0.01, &witnesses);
  ASSERT_EQ(witnesses.size(), 1u);
  const Pose from = b;
  b.R = turn(M_PI / 2, Vector3::UnitZ()) * b.R;  // now its edge is along that of A
  Witness moved;
  EXPECT_FALSE(world.UpdateWitness(witnesses[0], a, from, a, b, &moved));
}

}  // namespace
}  // namespace saltus::test
