// Triangle meshes and height fields, above all their inner edges.
#include <gtest/gtest.h>

#include "saltus/collision/test/reference.h"

namespace saltus::test {
namespace {

// A flat floor of n × n squares of side `cell` around the origin, at z = 0, cut into triangles.
TriangleMesh MakeFloor(int n, double cell) {
  MeshData data;
  for (int j = 0; j <= n; ++j) {
    for (int i = 0; i <= n; ++i)
      data.vertices.emplace_back((i - 0.5 * n) * cell, (j - 0.5 * n) * cell, 0);
  }
  const auto at = [n](int i, int j) { return i + (n + 1) * j; };
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      if ((i + j) % 2 == 0) {
        data.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
        data.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
      } else {
        data.triangles.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
        data.triangles.push_back({at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
      }
    }
  }
  return {std::make_shared<const MeshData>(data)};
}

HeightField MakeField(int n, double cell, double (*height)(double, double)) {
  HeightFieldData data;
  data.nx = data.ny = n;
  data.dx = data.dy = cell;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) data.heights.push_back(height(i * cell, j * cell));
  }
  return {std::make_shared<const HeightFieldData>(data)};
}

// A closed surface of a hull, as a mesh.
TriangleMesh MakeSurface(const ConvexHull& hull) {
  MeshData data;
  data.vertices = hull.polyhedron->vertices;
  for (const std::vector<int>& face : hull.polyhedron->faces) {
    for (std::size_t k = 1; k + 1 < face.size(); ++k) {
      data.triangles.push_back({face[0], face[k], face[k + 1]});
    }
  }
  return {std::make_shared<const MeshData>(data)};
}

std::vector<Witness> FindOnMesh(const Shape& mesh, const Pose& mesh_pose, const Shape& shape,
                                const Pose& pose, double margin) {
  CollisionWorld world;
  world.Add({mesh, mesh_pose, -1, 0});
  world.Add({shape, {}, 0, 0});
  std::vector<Witness> witnesses;
  world.Find({pose}, margin, &witnesses);
  return witnesses;
}

TEST(MeshTest, RollingBallFeelsOnlyTheFaceNormal) {
  const TriangleMesh floor = MakeFloor(8, 0.25);
  for (const double height : {0.1 - 1e-6, 0.1, 0.1 + 1e-6}) {
    for (int i = 0; i <= 2000; ++i) {  // over edges, along edges and through vertices
      const double s = -0.9 + 1.8 * i / 2000;
      for (const Vector3& at : {Vector3(s, s, height), Vector3(s, 0.0, height),
                                Vector3(s, 0.37 * s, height), Vector3(s, 1e-9, height)}) {
        const std::vector<Witness> w =
            FindOnMesh(floor, {}, Sphere{0.1}, {at, Quaternion::Identity()}, 0.02);
        ASSERT_EQ(w.size(), 1u) << at.transpose();
        EXPECT_LT((w[0].normal - Vector3::UnitZ()).norm(), 1e-12) << at.transpose();
        EXPECT_NEAR(w[0].gap, height - 0.1, 1e-14);
      }
    }
  }
}

TEST(MeshTest, SlidingShapesFeelOnlyTheFaceNormal) {
  const TriangleMesh floor = MakeFloor(8, 0.25);
  const std::vector<Shape> shapes = {
      Box{Vector3(0.2, 0.15, 0.1)}, Capsule{0.1, 0.2}, Cylinder{0.15, 0.1},
      MakeConvexHull({{0.2, 0.1, -0.1}, {-0.2, 0.1, -0.1}, {0, -0.2, -0.1}, {0, 0, 0.2}})};
  const Quaternion lying(Eigen::AngleAxisd(M_PI / 2, Vector3::UnitY()));
  for (const Shape& shape : shapes) {
    const bool is_capsule = std::holds_alternative<Capsule>(shape);
    const std::size_t count = std::holds_alternative<Cylinder>(shape)     ? 8
                              : is_capsule                                ? 2
                              : std::holds_alternative<ConvexHull>(shape) ? 3
                                                                          : 4;
    for (const double gap : {-1e-4, -1e-8, 0.0, 1e-8, 1e-4}) {
      for (int i = 0; i <= 200; ++i) {
        const double s = -0.5 + i / 200.0;
        const Pose pose{Vector3(s, 0.37 * s, 0.1 + gap),
                        Quaternion(Eigen::AngleAxisd(0.01 * (i % 50), Vector3::UnitZ())) *
                            (is_capsule ? lying : Quaternion::Identity())};
        const std::vector<Witness> w = FindOnMesh(floor, {}, shape, pose, 0.02);
        SCOPED_TRACE(testing::Message() << ShapeName(shape) << " gap " << gap << " i " << i);
        EXPECT_EQ(w.size(), count);
        for (const Witness& c : w) {
          EXPECT_LT((c.normal - Vector3::UnitZ()).norm(), 1e-12);
          EXPECT_NEAR(c.gap, gap, 1e-14);
        }
        if (HasFailure()) return;
      }
    }
  }
}

TEST(MeshTest, ClosedSurfaceIsItsHull) {
  Random random(11);
  int separated = 0, overlapping = 0, too_deep = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const ConvexHull hull = MakeRandomHull(&random, 14);
    const std::vector<Shape> shapes = {Sphere{0.3}, Capsule{0.2, 0.3}, Box{Vector3(0.2, 0.3, 0.4)},
                                       MakeRandomHull(&random, 10), Cylinder{0.3, 0.25}};
    const Shape& shape = shapes[static_cast<std::size_t>(trial) % shapes.size()];
    const PlacedTestShape a{hull, {Vector3(1, 1, 1), random.Rotation()}};
    PlacedTestShape b{shape, {}};
    const Vector3 d = random.Direction();
    b.pose = {a.pose.p + d * random.Uniform(0.7, 1.1), random.Rotation()};
    const double margin = 0.05;
    const std::vector<Witness> found = FindOnMesh(MakeSurface(hull), a.pose, shape, b.pose, margin);
    const double gap = CalcSignedDistance(a, b);
    if (gap < -0.02 || std::abs(gap - margin) < 1e-4) continue;  // a surface has no deep inside
    SCOPED_TRACE(testing::Message() << ShapeName(shape) << " trial " << trial << " gap " << gap);
    EXPECT_EQ(gap > margin, found.empty());
    if (found.empty()) continue;
    const Witness& least =
        *std::min_element(found.begin(), found.end(),
                          [](const Witness& x, const Witness& y) { return x.gap < y.gap; });
    if (gap > 1e-6) {  // points of both solids, and a direction that separates them as far
      ++separated;
      EXPECT_LT(CalcOutside(a, least.point_A), 1e-9);
      EXPECT_LT(CalcOutside(b, least.point_B), 1e-9);
      EXPECT_NEAR((least.point_B - least.point_A).norm(), least.gap, 1e-9);
      EXPECT_NEAR(CalcSeparationValue(a, b, least.normal), least.gap, 5e-8);  // the bias of axes
    } else {  // the deepest triangle may be deeper than the best axis of the whole
      ++overlapping;
      EXPECT_LT(least.gap, gap + 1e-4);  // the search for the gap may end early on a ridge
      if (least.gap < 4 * gap - 1e-3) ++too_deep;
    }
  }
  EXPECT_LE(too_deep, 1);  // README.md, Surfaces: a shape that reaches over two sharp edges
  EXPECT_GT(separated, 20);
  EXPECT_GT(overlapping, 10);
}

TEST(MeshTest, BallOverRidgeAndInValley) {
  const auto ridge = [](double x, double) { return 0.5 - std::abs(x - 1.0); };
  const HeightField field = MakeField(9, 0.25, ridge);
  const std::vector<Witness> top =
      FindOnMesh(field, {}, Sphere{0.2}, {{1, 1.1, 0.7}, Quaternion::Identity()}, 0.01);
  ASSERT_EQ(top.size(), 1u);
  EXPECT_LT((top[0].normal - Vector3::UnitZ()).norm(), 1e-12);
  EXPECT_NEAR(top[0].gap, 0, 1e-14);

  const auto valley = [](double x, double) { return std::abs(x - 1.0); };
  const HeightField bed = MakeField(9, 0.25, valley);
  const double z = 0.2 * std::sqrt(2.0);
  const std::vector<Witness> bottom =
      FindOnMesh(bed, {}, Sphere{0.2}, {{1, 1.1, z}, Quaternion::Identity()}, 0.01);
  ASSERT_EQ(bottom.size(), 2u);
  for (const Witness& w : bottom) {
    EXPECT_NEAR(w.gap, 0, 1e-14);
    EXPECT_NEAR(w.normal.z(), std::sqrt(0.5), 1e-14);
  }
}

TEST(MeshTest, HeightFieldIsSolidBelow) {
  const HeightField field = MakeField(11, 0.2, [](double, double) { return 0.3; });
  const std::vector<Shape> shapes = {Sphere{0.1}, Box{Vector3(0.1, 0.1, 0.1)}, Capsule{0.05, 0.05},
                                     Cylinder{0.1, 0.1}};
  for (const Shape& shape : shapes) {  // sunk by a little less than its height
    const std::vector<Witness> w =
        FindOnMesh(field, {}, shape, {{1.03, 0.93, 0.3 - 0.06}, Quaternion::Identity()}, 0.01);
    SCOPED_TRACE(ShapeName(shape));
    ASSERT_FALSE(w.empty());
    for (const Witness& c : w) EXPECT_LT((c.normal - Vector3::UnitZ()).norm(), 1e-12);
    EXPECT_NEAR(CalcLeastGap(w), -0.16, 1e-13);
  }
}

}  // namespace
}  // namespace saltus::test
