// The certificate of separation against pairs whose distance is known.
#include "verification/separation_certificate.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace saltus {
namespace {

Quaternion Turn(double angle, const Vector3& axis) {
  return Quaternion(Eigen::AngleAxisd(angle, axis.normalized()));
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Every case in a moved and turned frame, so that nothing is aligned with the world.
void ExpectSeparation(CertifiedShape a, CertifiedShape b, double expected, double tolerance) {
  const Pose frame{Vector3(0.3, -0.7, 0.2), Turn(1.1, Vector3(1, 2, -1))};
  a.pose = frame * a.pose;
  b.pose = frame * b.pose;
  const SeparationCertificate found = FindSeparation(a, b, kInfinity);
  EXPECT_NEAR(found.separation, expected, tolerance) << ShapeName(a.shape) << ShapeName(b.shape);
  EXPECT_NEAR(found.separation, CalcCertifiedSeparation(a, b, found.normal), 1e-15);
  const SeparationCertificate swapped = FindSeparation(b, a, kInfinity);
  EXPECT_NEAR(swapped.separation, expected, tolerance) << ShapeName(b.shape) << ShapeName(a.shape);
}

constexpr double kGaps[] = {-1e-3, -1e-9, 0.0, 1e-9, 1e-3};

TEST(SeparationCertificate, Boxes) {
  const Box box{Vector3(0.3, 0.2, 0.1)};
  for (const double gap : kGaps) {
    ExpectSeparation({box, {}}, {box, {{0.1, 0.05, 0.2 + gap}, Turn(0.4, {0, 0, 1})}}, gap, 1e-15);
    // Two edges that cross.
    const Box cube{Vector3(0.5, 0.5, 0.5)};
    ExpectSeparation({cube, {Vector3::Zero(), Turn(M_PI / 4, {1, 0, 0})}},
                     {cube, {{0.1, 0.05, std::sqrt(2.0) + gap}, Turn(M_PI / 4, {0, 1, 0})}}, gap,
                     1e-15);
  }
}

TEST(SeparationCertificate, SpheresAndCapsules) {
  for (const double gap : kGaps) {
    const Vector3 n = Vector3(1, -2, 2) / 3;
    ExpectSeparation({Sphere{0.3}, {}}, {Sphere{0.2}, {(0.5 + gap) * n, Quaternion::Identity()}},
                     gap, 1e-14);
    ExpectSeparation({Capsule{0.3, 0.5}, {}},
                     {Capsule{0.2, 0.4}, {{0.5 + gap, 0.1, 0.2}, Turn(1, {1, 0, 0})}}, gap, 1e-14);
    ExpectSeparation({Capsule{0.3, 0.5}, {}},
                     {Sphere{0.2}, {{0.3 + 0.6 * gap, 0, 0.9 + 0.8 * gap}, Quaternion::Identity()}},
                     gap, 1e-14);
  }
}

TEST(SeparationCertificate, Cylinders) {
  const Cylinder cylinder{0.3, 0.4};
  for (const double gap : kGaps) {
    const Box floor{Vector3(2, 2, 0.5)};
    ExpectSeparation({floor, {}}, {cylinder, {{0.2, 0.1, 0.9 + gap}, Turn(0.2, {0, 0, 1})}}, gap,
                     1e-15);
    ExpectSeparation({floor, {}}, {cylinder, {{0.2, 0.1, 0.8 + gap}, Turn(M_PI / 2, {1, 1, 0})}},
                     gap, 1e-14);
    // On its rim: the lowest point is at L cos + R sin below the centre.
    const double low = 0.4 * std::cos(0.3) + 0.3 * std::sin(0.3);
    ExpectSeparation({floor, {}}, {cylinder, {{0.2, 0.1, 0.5 + low + gap}, Turn(0.3, {1, 0, 0})}},
                     gap, 1e-14);
    // Two rims that touch in one point, tilted alike to both sides of a plane of symmetry. If they
    // overlap, another direction is better than that of symmetry.
    if (gap >= 0) {
      ExpectSeparation({cylinder, {{0, 0, -low}, Turn(0.3, {0, 1, 0})}},
                       {cylinder, {{0, 0, low + gap}, Turn(-0.3, {0, 1, 0})}}, gap, 1e-11);
    }
    // Crossed sides.
    ExpectSeparation({cylinder, {Vector3::Zero(), Turn(M_PI / 2, {1, 0, 0})}},
                     {cylinder, {{0, 0, 0.6 + gap}, Turn(M_PI / 2, {0, 1, 0})}}, gap, 1e-14);
  }
}

// A rim and an edge: the edge touches the rim of a tilted cylinder from outside in one point.
TEST(SeparationCertificate, RimAndEdge) {
  const Cylinder cylinder{0.3, 0.4};
  for (const double gap : kGaps) {
    // The box's upper edge, along y, at the origin; its faces look along ±x and z at 45°.
    const Box box{Vector3(0.5, 0.5, 0.5)};
    const CertifiedShape wedge{box, {{0, 0, -std::sqrt(0.5)}, Turn(M_PI / 4, {0, 1, 0})}};
    // In the plane x = 0 of symmetry the cylinder shows its corner at an angle of 0.3.
    const double low = 0.4 * std::cos(0.3) + 0.3 * std::sin(0.3);
    const CertifiedShape tilted{cylinder, {{0, 0, low + gap}, Turn(0.3, {1, 0, 0})}};
    ExpectSeparation(wedge, tilted, gap, 1e-11);
  }
}

TEST(SeparationCertificate, HalfSpace) {
  for (const double gap : kGaps) {
    ExpectSeparation({HalfSpace{}, {}}, {Sphere{0.2}, {{1, 2, 0.2 + gap}, Quaternion::Identity()}},
                     gap, 1e-15);
    ExpectSeparation({HalfSpace{}, {}},
                     {Box{Vector3(0.1, 0.2, 0.3)}, {{1, 2, 0.3 + gap}, Quaternion::Identity()}},
                     gap, 1e-15);
  }
}

// An ellipsoid of points about its best direction: a hull against a sphere in space.
TEST(SeparationCertificate, HullsAndDistance) {
  std::mt19937 random(3);
  const auto uniform = [&] { return 2 * (static_cast<double>(random()) / 4294967296.0) - 1; };
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Vector3> points;
    while (points.size() < 20)
      points.push_back(Vector3(uniform(), uniform(), uniform()).normalized());
    const ConvexHull hull = MakeConvexHull(points);
    // Over the centre of a face by a known height.
    const Polyhedron& poly = *hull.polyhedron;
    const std::size_t f = static_cast<std::size_t>(trial) % poly.faces.size();
    Vector3 center = Vector3::Zero();
    for (const int v : poly.faces[f]) center += poly.vertices[static_cast<std::size_t>(v)];
    center /= static_cast<double>(poly.faces[f].size());
    for (const double gap : kGaps) {
      ExpectSeparation(
          {hull, {}},
          {Sphere{0.2}, {center + (0.2 + gap) * poly.face_normals[f], Quaternion::Identity()}}, gap,
          1e-14);
    }
  }
}

TEST(SeparationCertificate, SurfacesHaveNone) {
  const HeightField field{std::make_shared<const HeightFieldData>()};
  EXPECT_ANY_THROW(FindSeparation({field, {}}, {Sphere{0.1}, {}}, 0));
}

}  // namespace
}  // namespace saltus
