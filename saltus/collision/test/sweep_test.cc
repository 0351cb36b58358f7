// Fast shapes and thin ones: what passes through is found, what passes by is not.
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

}  // namespace
}  // namespace saltus::test
