// Find takes no memory from the heap once sizes have settled.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "saltus/collision/test/reference.h"

namespace {
std::atomic<long> allocations{0};
}  // namespace

// Not inlined: the compiler would complain about free() on memory from new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace saltus::test {
namespace {

TEST(AllocationTest, SteadyFindDoesNotAllocate) {
  Random random(9);
  const ConvexHull hull = MakeRandomHull(&random, 20), large = MakeRandomHull(&random, 120);
  const std::vector<Shape> shapes = {
      Sphere{0.4}, Capsule{0.2, 0.3}, Box{Vector3(0.3, 0.4, 0.5)}, Cylinder{0.3, 0.3}, hull, large};
  CollisionWorld world;
  std::vector<Pose> poses;
  world.Add({HalfSpace{}, {}, -1, 0});
  HeightFieldData field;
  field.nx = field.ny = 20;
  field.dx = field.dy = 0.3;
  field.heights.assign(400, 0.0);
  world.Add({HeightField{std::make_shared<const HeightFieldData>(field)}, {}, -1, 0});
  for (std::size_t i = 0; i < 120; ++i) {
    world.Add({shapes[i % shapes.size()], {}, static_cast<int>(i), 0});
    poses.push_back({Vector3(random.Uniform(0, 4), random.Uniform(0, 4), random.Uniform(0, 3)),
                     random.Rotation()});
  }
  std::vector<Witness> witnesses;
  world.Find(poses, 0.06, &witnesses);  // a little more than below
  const long before = allocations;
  for (int i = 0; i < 5; ++i) {
    for (Pose& pose : poses) pose.p.x() += 1e-5;
    world.Find(poses, 0.05, &witnesses);
  }
  EXPECT_EQ(allocations - before, 0);
  EXPECT_GT(witnesses.size(), 500u);
}

}  // namespace
}  // namespace saltus::test
