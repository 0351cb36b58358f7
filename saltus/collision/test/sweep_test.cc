// Fast shapes and thin ones: what passes through is found, what passes by is not; pairs along an
// axis that is held.
#include "saltus/collision/sweep.h"

#include <gtest/gtest.h>

#include "saltus/collision/test/reference.h"

namespace saltus::test {
namespace {

constexpr double kThickness = 0.02;

std::vector<Shape> MakeProjectiles(Random* random) {
  return {Sphere{0.03}, Box{Vector3(0.03, 0.02, 0.04)}, Capsule{0.02, 0.03}, Cylinder{0.03, 0.02},
          MakeRandomHull(random, 12)};
}

struct Shot {
  Pose from, to;
};

std::vector<PairAxis> FindPassages(const Shape& shape, const Shot& shot) {
  CollisionWorld world;
  world.Add({Box{Vector3(3, 3, 0.5 * kThickness)}, {}, -1, 0});
  world.Add({shape, {}, 0, 0});
  Sweep sweep;
  std::vector<PairAxis> axes;
  sweep.Find(&world, {shot.from}, {shot.to}, &axes);
  return axes;
}

// From above the plate to below it, without touching it at either end.
TEST(SweepTest, NothingPassesThroughAPlate) {
  Random random(5);
  const std::vector<Shape> shapes = MakeProjectiles(&random);
  for (const Shape& shape : shapes) {
    const double size = std::holds_alternative<ConvexHull>(shape) ? 0.7 : 0.06;
    for (int trial = 0; trial < 60; ++trial) {
      const double start = 0.5 * kThickness + size + random.Uniform(0, 0.2);
      const double end = 0.5 * kThickness + size + random.Uniform(0, 1);
      const Vector3 aside(random.Uniform(-1, 1), random.Uniform(-1, 1), 0);
      const Shot shot{{Vector3(0, 0, start), random.Rotation()},
                      {aside - Vector3(0, 0, end), random.Rotation()}};
      const std::vector<PairAxis> axes = FindPassages(shape, shot);
      ASSERT_EQ(axes.size(), 1u) << ShapeName(shape) << " trial " << trial;
      // Along the axis the shape is on the far side.
      CollisionWorld world;
      world.Add({Box{Vector3(3, 3, 0.5 * kThickness)}, {}, -1, 0});
      world.Add({shape, {}, 0, 0});
      std::vector<Witness> witnesses;
      world.FindAlong({shot.to}, 0.01, axes, &witnesses);
      ASSERT_FALSE(witnesses.empty());
      EXPECT_LT(CalcLeastGap(witnesses), -kThickness);
      EXPECT_GT(FindLeast(witnesses).normal.z(), 0.5);
    }
  }
}

TEST(SweepTest, WhatPassesByIsNotStopped) {
  Random random(6);
  for (const Shape& shape : MakeProjectiles(&random)) {
    const double size = std::holds_alternative<ConvexHull>(shape) ? 0.7 : 0.06;
    for (int trial = 0; trial < 60; ++trial) {
      // Beside the border of the plate by as little as a tenth of a millimetre, down all the way.
      const double x = 3 + size + random.Uniform(1e-4, 0.1), y = random.Uniform(-2, 2);
      const Quaternion R = random.Rotation();
      const Shot beside{{Vector3(x, y, 0.9), R}, {Vector3(x, y, -random.Uniform(0.9, 2)), R}};
      EXPECT_TRUE(FindPassages(shape, beside).empty()) << ShapeName(shape) << trial;
      // Over it.
      const double z = 0.5 * kThickness + size + random.Uniform(1e-4, 0.1);
      const Shot over{{Vector3(-2, 0, z), R}, {Vector3(1, 0.3, z), R}};
      EXPECT_TRUE(FindPassages(shape, over).empty()) << ShapeName(shape) << trial;
    }
  }
}

TEST(SweepTest, TwoSpheresThatChangePlaces) {
  CollisionWorld world;
  world.Add({Sphere{0.1}, {}, 0, 0});
  world.Add({Sphere{0.1}, {}, 1, 0});
  const Quaternion I = Quaternion::Identity();
  Sweep sweep;
  std::vector<PairAxis> axes;
  sweep.Find(&world, {{{-1, 0, 0}, I}, {{1, 0, 0}, I}}, {{{1, 0, 0}, I}, {{-1, 0, 0}, I}}, &axes);
  EXPECT_EQ(axes.size(), 1u);
  axes.clear();
  sweep.Find(&world, {{{-1, 0.11, 0}, I}, {{1, -0.11, 0}, I}},
             {{{1, 0.11, 0}, I}, {{-1, -0.11, 0}, I}}, &axes);
  EXPECT_TRUE(axes.empty());
}

/// Turning bodies: a rod that sweeps over a post, and one that stops short of it.
TEST(SweepTest, RodThatTurnsIntoAPost) {
  CollisionWorld world;
  world.Add({Capsule{0.01, 0.2}, {{1, 0, 0}, Quaternion::Identity()}, -1, 0});
  world.Add({Box{Vector3(1.2, 0.01, 0.01)}, {}, 0, 0});
  const auto turned = [](double angle) {
    return Pose{Vector3::Zero(), Quaternion(Eigen::AngleAxisd(angle, Vector3::UnitZ()))};
  };
  Sweep sweep;
  std::vector<PairAxis> axes;
  sweep.Find(&world, {turned(-0.5)}, {turned(0.5)}, &axes);
  EXPECT_EQ(axes.size(), 1u);
  axes.clear();
  sweep.Find(&world, {turned(-0.5)}, {turned(-0.03)}, &axes);
  EXPECT_TRUE(axes.empty());
}

/// Two bodies on one fast carriage do not move relatively.
TEST(SweepTest, WhatMovesTogetherDoesNotPass) {
  CollisionWorld world;
  world.Add({Box{Vector3(0.1, 0.1, 0.01)}, {}, 0, 0});
  world.Add({Box{Vector3(0.1, 0.1, 0.01)}, {}, 1, 0});
  const Quaternion I = Quaternion::Identity();
  Sweep sweep;
  std::vector<PairAxis> axes;
  sweep.Find(&world, {{{0, 0, 0}, I}, {{0, 0, 0.02}, I}}, {{{5, 0, 0}, I}, {{5, 0, 0.02}, I}},
             &axes);
  EXPECT_TRUE(axes.empty());
}

/// The least gap along the axis of another placement is the separation by definition, and every
/// witness has the derivative that its points and its normal say.
TEST(HeldAxisTest, GapIsTheSeparationAlongTheAxis) {
  Random random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const std::vector<Shape> shapes = MakeProjectiles(&random);
    for (const Shape& a : shapes) {
      for (const Shape& b : shapes) {
        CollisionWorld world;
        world.Add({a, {}, 0, 0});
        world.Add({b, {}, 1, 0});
        const Pose A{Vector3::Zero(), random.Rotation()};
        const Pose B{1.4 * random.Direction(), random.Rotation()};
        std::vector<Witness> witnesses;
        world.FindPair(0, A, 1, B, 10, &witnesses);
        ASSERT_FALSE(witnesses.empty());
        const PairAxis axis = world.MakeAxis(FindLeast(witnesses), A, B);
        world.FindPairAlong(axis, A, B, 10, &witnesses);
        ASSERT_FALSE(witnesses.empty());
        const double distance = CalcLeastGap(witnesses);
        EXPECT_GE(distance, CalcSignedDistance({a, A}, {b, B}) - 1e-9);
        // B on the other side of A, turned a little.
        const Quaternion turn(Eigen::AngleAxisd(0.2, random.Direction()));
        const Pose moved{-0.4 * B.p, turn * B.R};
        world.FindPairAlong(axis, A, moved, 10, &witnesses);
        ASSERT_FALSE(witnesses.empty());
        const Vector3 n = FindLeast(witnesses).normal;
        EXPECT_NEAR(CalcLeastGap(witnesses), CalcSeparationValue({a, A}, {b, moved}, n), 1e-7);
        for (const Witness& w : witnesses) {
          EXPECT_LT((w.normal - n).norm(), 1e-9);
          Witness again;
          ASSERT_TRUE(world.UpdateWitness(w, A, moved, A, moved, &again)) << std::hex << w.feature;
          EXPECT_NEAR(again.gap, w.gap, 1e-12) << std::hex << w.feature;
          const Pose further{moved.p + 1e-3 * random.Direction(), moved.R};
          ASSERT_TRUE(world.UpdateWitness(w, A, moved, A, further, &again));
          EXPECT_NEAR(again.gap - w.gap, n.dot(further.p - moved.p), 1e-9) << std::hex << w.feature;
        }
      }
    }
  }
}

/// A shape that has gone more than half way through another is still pushed back to where it came
/// from: the gap of the witness goes on falling.
TEST(HeldAxisTest, WitnessKeepsItsSide) {
  const Quaternion I = Quaternion::Identity();
  const std::vector<std::pair<Shape, Shape>> pairs = {
      {Sphere{0.1}, Sphere{0.1}},
      {Sphere{0.1}, Box{Vector3(1, 1, 0.01)}},
      {Box{Vector3(1, 1, 0.01)}, Sphere{0.1}},
      {Sphere{0.1}, Capsule{0.1, 0.05}},
      {Capsule{0.1, 0.05}, Capsule{0.1, 0.05}},
  };
  for (const auto& [a, b] : pairs) {
    CollisionWorld world;
    const Pose lying{Vector3::Zero(), Quaternion(Eigen::AngleAxisd(M_PI / 2, Vector3::UnitX()))};
    for (const auto& [mover, shape] : {std::pair(0, a), std::pair(1, b)}) {
      world.Add({shape, std::holds_alternative<Capsule>(shape) ? lying : Pose{}, mover, 0});
    }
    const Pose A{{0.001, 0.002, 0}, I};
    Pose B{{0, 0, 0.5}, I};
    std::vector<Witness> witnesses;
    world.FindPair(0, A, 1, B, 1, &witnesses);
    ASSERT_FALSE(witnesses.empty());
    const Witness reference = FindLeast(witnesses);
    double last = reference.gap;
    for (const double z : {0.4, 0.2, 0.1, 0.05, 0.02, -0.02, -0.05}) {
      const Pose moved{{0, 0, z}, I};
      Witness w;
      ASSERT_TRUE(world.UpdateWitness(reference, A, B, A, moved, &w));
      EXPECT_LT(w.gap, last) << ShapeName(a) << ' ' << ShapeName(b) << ' ' << z;
      EXPECT_GT(w.normal.z(), 0.8) << ShapeName(a) << ' ' << ShapeName(b) << ' ' << z;
      last = w.gap;
    }
  }
}

}  // namespace
}  // namespace saltus::test
