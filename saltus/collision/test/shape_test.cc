// Mass properties and convex hulls.
#include "saltus/collision/shape.h"

#include <map>

#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/collision/test/reference.h"

namespace saltus::test {
namespace {

// Midpoint quadrature over the bounding box: converges slowly for a curved border, so 1 %. The box
// is not a multiple of the shapes, so that borders do not fall on cells.
MassProperties Integrate(const Shape& shape, const Vector3& half, int n) {
  MassProperties m;
  Matrix3 second = Matrix3::Zero();
  Vector3 first = Vector3::Zero();
  const Vector3 cell = 2.0 * half / n;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        const Vector3 x = -half + Vector3(i + 0.5, j + 0.5, k + 0.5).cwiseProduct(cell);
        if (CalcOutside({shape, {}}, x) > 0) continue;
        m.mass += cell.prod();
        first += cell.prod() * x;
        second += cell.prod() * x * x.transpose();
      }
    }
  }
  m.center = first / m.mass;
  second -= m.mass * m.center * m.center.transpose();
  m.inertia = second.trace() * Matrix3::Identity() - second;
  return m;
}

TEST(MassPropertiesTest, AgreesWithQuadrature) {
  Random random(1);
  const std::vector<Shape> shapes = {Sphere{0.5}, Capsule{0.3, 0.4}, Cylinder{0.5, 0.6},
                                     Box{Vector3(0.3, 0.5, 0.7)}, MakeRandomHull(&random, 15)};
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(ShapeName(shape));
    const MassProperties m = CalcUnitDensityMass(shape);
    const MassProperties q = Integrate(shape, Vector3(0.7131, 0.7077, 0.7203), 80);
    // A grid of 80 cells misses half a layer of cells at a flat cap: 1/80 of the extent.
    EXPECT_NEAR(m.mass, q.mass, 0.0125 * q.mass);
    EXPECT_LT((m.center - q.center).norm(), 0.005);
    EXPECT_LT((m.inertia - q.inertia).norm(), 0.0375 * q.inertia.norm());
  }
}

TEST(MassPropertiesTest, HullOfBoxIsBoxAnywhere) {
  const Vector3 h(0.2, 0.3, 0.5), shift(3, -2, 1);
  std::vector<Vector3> points;
  for (int i = 0; i < 8; ++i) {
    points.push_back(
        shift + Vector3(i & 1 ? h.x() : -h.x(), i & 2 ? h.y() : -h.y(), i & 4 ? h.z() : -h.z()));
  }
  const MassProperties hull = CalcUnitDensityMass(MakeConvexHull(points));
  const MassProperties box = CalcUnitDensityMass(Box{h});
  EXPECT_NEAR(hull.mass, box.mass, 1e-14);
  EXPECT_LT((hull.center - shift).norm(), 1e-14);
  EXPECT_LT((hull.inertia - box.inertia).norm(), 1e-14);
}

TEST(MassPropertiesTest, SurfacesHaveNone) {
  EXPECT_THROW(CalcUnitDensityMass(HalfSpace{}), InputError);
  EXPECT_THROW(CalcUnitDensityMass(TriangleMesh{}), InputError);
}

void CheckHull(const Polyhedron& poly, const std::vector<Vector3>& points) {
  std::map<std::pair<int, int>, int> directed;
  for (std::size_t f = 0; f < poly.faces.size(); ++f) {
    const std::vector<int>& face = poly.faces[f];
    const Vector3& n = poly.face_normals[f];
    const Vector3& v = poly.vertices[static_cast<std::size_t>(face[0])];
    EXPECT_NEAR(n.norm(), 1, 1e-14);
    for (const Vector3& p : points) EXPECT_LT(n.dot(p - v), 1e-9);
    for (std::size_t k = 0; k < face.size(); ++k) {
      ++directed[{face[k], face[(k + 1) % face.size()]}];
    }
  }
  for (const auto& [edge, count] : directed) {
    EXPECT_EQ(count, 1);
    EXPECT_EQ(directed.count({edge.second, edge.first}), 1u);
  }
  EXPECT_EQ(directed.size(), 2 * poly.edges.size());
  EXPECT_EQ(poly.vertices.size() + poly.faces.size(), poly.edges.size() + 2);
}

TEST(ConvexHullTest, CubeGridHasSixSquares) {
  std::vector<Vector3> points;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      for (int k = 0; k < 5; ++k) points.emplace_back(0.1 * i, 0.1 * j, 0.1 * k);
    }
  }
  const ConvexHull hull = MakeConvexHull(points);
  EXPECT_EQ(hull.polyhedron->vertices.size(), 8u);
  EXPECT_EQ(hull.polyhedron->faces.size(), 6u);
  EXPECT_EQ(hull.polyhedron->edges.size(), 12u);
  CheckHull(*hull.polyhedron, points);
}

TEST(ConvexHullTest, TurnedPrismKeepsWholeFaces) {
  Random random(5);
  std::vector<Vector3> points;
  const Quaternion R = random.Rotation();
  for (int k = 0; k < 24; ++k) {
    for (const double z : {-1.0, 0.0, 1.0}) {
      points.push_back(R * Vector3(std::cos(k * M_PI / 12), std::sin(k * M_PI / 12), z));
    }
  }
  const ConvexHull hull = MakeConvexHull(points);
  EXPECT_EQ(hull.polyhedron->faces.size(), 26u);
  EXPECT_EQ(hull.polyhedron->vertices.size(), 48u);
  CheckHull(*hull.polyhedron, points);
}

TEST(ConvexHullTest, RandomPoints) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    std::vector<Vector3> points;
    for (int i = 0; i < 400; ++i) points.push_back(random.Uniform(0.5, 1) * random.Direction());
    CheckHull(*MakeConvexHull(points).polyhedron, points);
    points.clear();
    for (int i = 0; i < 600; ++i) points.push_back(random.Direction());
    CheckHull(*MakeConvexHull(points).polyhedron, points);
  }
}

TEST(ConvexHullTest, RejectsFlatAndBadInput) {
  EXPECT_THROW(MakeConvexHull({}), InputError);
  EXPECT_THROW(MakeConvexHull(std::vector<Vector3>(6, Vector3::Ones())), InputError);
  EXPECT_THROW(MakeConvexHull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.3, 0.2, 0}}),
               InputError);
  EXPECT_THROW(MakeConvexHull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, NAN}}), InputError);
}

}  // namespace
}  // namespace saltus::test
