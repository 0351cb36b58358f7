// The broad phase against all pairs, and the rules of CollisionWorld.
#include "saltus/collision/broad_phase.h"

#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "saltus/collision/bvh.h"
#include "saltus/collision/test/reference.h"

namespace saltus::test {
namespace {

std::vector<Aabb> MakeBoxes(Random* random, int count, double smallest, double largest) {
  std::vector<Aabb> boxes;
  for (int i = 0; i < count; ++i) {
    const Vector3 c(random->Uniform(-5, 5), random->Uniform(-5, 5), random->Uniform(-1, 1));
    const double ratio = std::pow(largest / smallest, random->Uniform(0, 1));
    const Vector3 half =
        0.5 * smallest * ratio * Vector3(1, random->Uniform(0.1, 1), random->Uniform(0.1, 1));
    Aabb box;
    box.Extend(c - half);
    box.Extend(c + half);
    boxes.push_back(box);
  }
  return boxes;
}

TEST(BroadPhaseTest, FindsTheSamePairsAsAllAgainstAll) {
  Random random(2);
  BroadPhase broad_phase;
  for (const auto& [smallest, largest] : std::vector<std::pair<double, double>>{
           {0.5, 0.5}, {0.1, 1}, {0.001, 10}, {1e-9, 5}, {20, 20}}) {
    for (const int count : {0, 1, 2, 300}) {
      const std::vector<Aabb> boxes = MakeBoxes(&random, count, smallest, largest);
      std::vector<BroadPhase::Pair> pairs;
      broad_phase.Find(boxes, &pairs);
      std::set<std::pair<int, int>> found, expected;
      for (const BroadPhase::Pair& p : pairs) {
        EXPECT_LT(p.a, p.b);
        EXPECT_TRUE(found.emplace(p.a, p.b).second) << "a pair came twice";
      }
      for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
          if (boxes[static_cast<std::size_t>(i)].Overlaps(boxes[static_cast<std::size_t>(j)])) {
            expected.emplace(i, j);
          }
        }
      }
      EXPECT_EQ(found, expected);
    }
  }
}

TEST(BvhTest, FindsTheSameItemsAsAllAgainstAll) {
  Random random(3);
  const std::vector<Aabb> boxes = MakeBoxes(&random, 500, 0.01, 2);
  Bvh bvh;
  bvh.Build(boxes);
  for (const Aabb& query : MakeBoxes(&random, 100, 0.1, 3)) {
    std::set<int> found, expected;
    bvh.Query(query, [&](int i) { EXPECT_TRUE(found.insert(i).second); });
    for (int i = 0; i < 500; ++i) {
      if (boxes[static_cast<std::size_t>(i)].Overlaps(query)) expected.insert(i);
    }
    EXPECT_EQ(found, expected);
  }
}

/// To the last bit.
void ExpectSame(const std::vector<Witness>& first, const std::vector<Witness>& second) {
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].collider_A, second[i].collider_A);
    EXPECT_EQ(first[i].collider_B, second[i].collider_B);
    EXPECT_EQ(first[i].feature, second[i].feature);
    EXPECT_EQ(first[i].gap, second[i].gap);
    EXPECT_EQ(first[i].normal, second[i].normal);
    EXPECT_EQ(first[i].point_A, second[i].point_A);
  }
}

class CollisionWorldTest : public ::testing::Test {
 protected:
  // A heap of mixed shapes over a floor, with fixed boxes in between.
  void SetUp() override {
    Random random(6);
    const ConvexHull hull = MakeRandomHull(&random, 20);
    const std::vector<Shape> shapes = {Sphere{0.4}, Capsule{0.2, 0.3}, Box{Vector3(0.3, 0.4, 0.5)},
                                       Cylinder{0.3, 0.3}, hull};
    world_.Add({HalfSpace{}, {}, -1, 0});
    for (int i = 0; i < 150; ++i) {
      Collider c{shapes[static_cast<std::size_t>(i) % shapes.size()], {}, -1, 0};
      const Pose pose{Vector3(random.Uniform(-2, 2), random.Uniform(-2, 2), random.Uniform(0, 3)),
                      random.Rotation()};
      if (i % 7 == 0) {
        c.pose_BS = pose;
      } else {
        c.mover = static_cast<int>(poses_.size());
        c.pose_BS = {0.1 * random.Direction(), random.Rotation()};
        poses_.push_back(pose);
      }
      world_.Add(c);
    }
  }
  PlacedTestShape Placed(int i) const {
    const Collider& c = world_.collider(i);
    const Pose pose = c.mover < 0 ? Pose{} : poses_[static_cast<std::size_t>(c.mover)];
    return {c.shape, pose * c.pose_BS};
  }
  std::set<std::pair<int, int>> FindPairs(double margin) {
    std::vector<Witness> witnesses;
    world_.Find(poses_, margin, &witnesses);
    std::set<std::pair<int, int>> pairs;
    for (const Witness& w : witnesses) pairs.emplace(w.collider_A, w.collider_B);
    return pairs;
  }

  CollisionWorld world_;
  std::vector<Pose> poses_;
};

TEST_F(CollisionWorldTest, FindsThePairsThatPairwiseWorldsFind) {
  const double margin = 0.05;
  const std::set<std::pair<int, int>> found = FindPairs(margin);
  std::set<std::pair<int, int>> expected;
  for (int i = 0; i < world_.num_colliders(); ++i) {
    for (int j = i + 1; j < world_.num_colliders(); ++j) {
      if (world_.collider(i).mover == world_.collider(j).mover) continue;
      if (!FindWitnesses(Placed(i), Placed(j), margin).empty()) expected.emplace(i, j);
    }
  }
  EXPECT_EQ(found, expected);
  EXPECT_GT(found.size(), 300u);
}

TEST_F(CollisionWorldTest, OrderIsFixedAndCopiesAgree) {
  std::vector<Witness> first, second;
  world_.Find(poses_, 0.05, &first);
  CollisionWorld copy = world_;
  std::vector<Pose> elsewhere = poses_;
  for (Pose& p : elsewhere) p.p.z() += 0.3;
  copy.Find(elsewhere, 0.05, &second);  // no trace of an earlier call may remain
  copy.Find(poses_, 0.05, &second);
  ExpectSame(first, second);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (i == 0) continue;
    const Witness &v = first[i - 1], &w = first[i];
    EXPECT_LT(std::tuple(v.collider_A, v.collider_B, v.feature),
              std::tuple(w.collider_A, w.collider_B, w.feature));
  }
}

// The list of pairs outlives a search. Whatever moves, by however little or much, and whatever the
// margins were before, a world without a past finds the same.
TEST_F(CollisionWorldTest, EarlierSearchesLeaveNoTrace) {
  Random random(9);
  std::vector<Vector3> directions;
  for (const Pose& pose : poses_) directions.push_back(random.Direction() - 0.1 * pose.p);
  std::size_t total = 0;
  for (int step = 0; step < 100; ++step) {
    const double margin = step % 7 == 0 ? 1e-3 : 0.02;
    std::vector<Witness> kept, fresh;
    world_.Find(poses_, margin, &kept);
    CollisionWorld(world_).Find(poses_, margin, &fresh);
    ExpectSame(kept, fresh);
    total += kept.size();
    const double move = std::pow(10.0, random.Uniform(-5, -1.5));
    for (std::size_t i = 0; i < poses_.size(); ++i) poses_[i].p += move * directions[i];
  }
  EXPECT_GT(total, 10000u);
}

// Two bodies close a gap twice as fast as one, and a half-space comes nearer without a box.
TEST(CollisionWorldRulesTest, PairsThatComeNearAreFound) {
  const double margin = 0.1;
  for (const bool is_half_space : {false, true}) {
    CollisionWorld world;
    world.Add({Sphere{1}, {}, 0, 0});
    if (is_half_space) {
      world.Add({HalfSpace{Vector3(-1, 0, 0), 0}, {}, 1, 0});
    } else {
      world.Add({Sphere{1}, {Vector3(1, 0, 0), Quaternion::Identity()}, 1, 0});
    }
    std::vector<Pose> poses(2);
    poses[1].p.x() = 1 + 1.3 * margin;
    std::vector<Witness> witnesses;
    world.Find(poses, margin, &witnesses);
    EXPECT_TRUE(witnesses.empty());
    poses[0].p.x() += (is_half_space ? 0 : 0.2) * margin;
    poses[1].p.x() -= (is_half_space ? 0.4 : 0.2) * margin;
    world.Find(poses, margin, &witnesses);
    ASSERT_EQ(witnesses.size(), 1u);
    EXPECT_NEAR(witnesses[0].gap, 0.9 * margin, 1e-15);
  }
}

TEST_F(CollisionWorldTest, SkipsDisabledPairs) {
  const auto all = FindPairs(0.05);
  for (const auto& [a, b] : all)
    world_.DisablePair(world_.collider(a).mover, world_.collider(b).mover);
  EXPECT_TRUE(FindPairs(0.05).empty());
}

TEST(CollisionWorldRulesTest, AnInfiniteMarginTakesAllPairsOnce) {
  CollisionWorld world;
  std::vector<Pose> poses(4);
  for (int i = 0; i < 4; ++i) {
    world.Add({Sphere{0.1}, {}, i, 0});
    poses[static_cast<std::size_t>(i)].p.x() = 100.0 * i;
  }
  world.Add({Box{Vector3::Ones()}, {}, -1, 0});
  std::vector<Witness> witnesses;
  world.Find(poses, std::numeric_limits<double>::infinity(), &witnesses);
  EXPECT_EQ(witnesses.size(), 10u);
  world.Find(poses, 0.01, &witnesses);
  EXPECT_EQ(witnesses.size(), 1u) << "the ball inside the box";
}

TEST(CollisionWorldRulesTest, GroupsMoversAndGround) {
  CollisionWorld world;
  const Sphere ball{1};
  world.Add({ball, {}, 0, 7});
  world.Add({ball, {}, 1, 7});  // the group of collider 0
  world.Add({ball, {}, 1, 0});  // the mover of collider 1
  world.Add({ball, {}, -1, 0});
  world.Add({Box{Vector3::Ones()}, {}, -1, 0});  // fixed, like collider 3
  std::vector<Witness> witnesses;
  world.Find(std::vector<Pose>(2), 0.1, &witnesses);
  std::set<std::pair<int, int>> pairs;
  for (const Witness& w : witnesses) pairs.emplace(w.collider_A, w.collider_B);
  const std::set<std::pair<int, int>> expected = {{0, 2}, {0, 3}, {0, 4}, {1, 3},
                                                  {1, 4}, {2, 3}, {2, 4}};
  EXPECT_EQ(pairs, expected);
}

}  // namespace
}  // namespace saltus::test
