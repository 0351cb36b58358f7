// GJK and EPA against the separating axes, on the same polyhedra.
#include "saltus/collision/epa.h"

#include <gtest/gtest.h>

#include "saltus/collision/separating_axis.h"
#include "saltus/collision/test/reference.h"

namespace saltus::test {
namespace {

// A polyhedron with its rotated vertices and normals.
struct Placed {
  ConvexGeometry geometry;
  std::vector<Vector3> vertices, normals;
  Convex core;

  Placed(const ConvexHull& hull, const Pose& pose) : geometry(MakeHullGeometry(*hull.polyhedron)) {
    for (const Vector3& v : geometry.vertices) vertices.push_back(pose.R * v);
    for (const Vector3& n : geometry.normals) normals.push_back(pose.R * n);
    core.kind = ConvexKind::kHull;
    core.p = pose.p;
    core.topology = &geometry.topology;
    core.vertices = vertices.data();
    core.normals = normals.data();
    for (const Vector3& v : vertices) core.size = std::max(core.size, v.norm());
  }
};

TEST(EpaTest, FindsTheBestSeparatingAxis) {
  Random random(21);
  Epa epa;
  int overlaps = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const ConvexHull a = MakeRandomHull(&random, 8 + trial % 20);
    const ConvexHull b = MakeRandomHull(&random, 8 + trial % 13);
    const Placed A(a, {Vector3::Zero(), random.Rotation()});
    const Placed B(b, {random.Uniform(0, 1.1) * random.Direction(), random.Rotation()});
    const GjkResult gjk = CalcGjk(A.core, B.core, 10);
    const Axis axis = FindPolyhedronAxis(A.core, B.core);
    SCOPED_TRACE(trial);
    if (gjk.status == GjkResult::Status::kSeparated) {
      // Face normals and edge products are lower bounds; GJK's own direction proves its distance.
      EXPECT_GE(gjk.distance, axis.separation - 1e-12);
      EXPECT_NEAR(CalcSeparation(A.core, B.core, gjk.normal), gjk.distance, 1e-12);
      continue;
    }
    ++overlaps;
    const EpaResult result = epa.Solve(A.core, B.core, gjk);
    ASSERT_TRUE(result.found);
    EXPECT_NEAR(result.separation, axis.separation, 3e-8);  // the bias between equal axes
    EXPECT_NEAR(result.normal.dot(result.point_B - result.point_A), result.separation, 1e-9);
  }
  EXPECT_GT(overlaps, 100);
}

TEST(EpaTest, AlignedFacesThatJustTouch) {
  std::vector<Vector3> points;
  for (int i = 0; i < 8; ++i) points.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  const ConvexHull cube = MakeConvexHull(points);
  Epa epa;
  for (const double overlap : {0.0, 1e-15, 1e-12, 1e-9, 1e-6, 0.1}) {
    for (const Vector3& offset : {Vector3(0, 0, 0), Vector3(0.5, 0, 0), Vector3(0.3, 0.7, 0)}) {
      const Placed A(cube, {}), B(cube, {offset + Vector3(0, 0, 2 - overlap), {1, 0, 0, 0}});
      const GjkResult gjk = CalcGjk(A.core, B.core, 10);
      ASSERT_EQ(gjk.status, GjkResult::Status::kTouching);
      const EpaResult result = epa.Solve(A.core, B.core, gjk);
      ASSERT_TRUE(result.found);
      EXPECT_NEAR(result.separation, -overlap, 1e-9);
      EXPECT_LT((result.normal - Vector3::UnitZ()).norm(), 1e-9);
    }
  }
}

}  // namespace
}  // namespace saltus::test
