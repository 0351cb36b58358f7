// Names and mass properties of the collision shapes.
#include "saltus/collision/shape.h"

#include <cmath>
#include <numbers>
#include <string>

#include "saltus/base/error.h"

namespace saltus {
namespace {

constexpr double kPi = std::numbers::pi;

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;  // clang 14, which builds the fuzzers, needs it spelled out

MassProperties CalcMass(const Sphere& s) {
  MassProperties m;
  const double r2 = s.radius * s.radius;
  m.mass = 4.0 / 3.0 * kPi * r2 * s.radius;
  m.inertia = 0.4 * m.mass * r2 * Matrix3::Identity();
  return m;
}

MassProperties CalcMass(const Box& b) {
  MassProperties m;
  m.mass = 8.0 * b.half_size.prod();
  const Vector3 s = b.half_size.cwiseAbs2();
  m.inertia.diagonal() = m.mass / 3.0 * Vector3(s.y() + s.z(), s.z() + s.x(), s.x() + s.y());
  return m;
}

MassProperties CalcMass(const Cylinder& c) {
  MassProperties m;
  const double r2 = c.radius * c.radius;
  m.mass = 2.0 * kPi * r2 * c.half_length;
  const double across = m.mass * (r2 / 4.0 + c.half_length * c.half_length / 3.0);
  m.inertia.diagonal() << across, across, 0.5 * m.mass * r2;
  return m;
}

// A cylinder and two half balls; the centre of a half ball is 3r/8 from its flat side.
MassProperties CalcMass(const Capsule& c) {
  const double r = c.radius, L = c.half_length;
  const MassProperties tube = CalcMass(Cylinder{r, L});
  const double ball = CalcMass(Sphere{r}).mass;
  MassProperties m;
  m.mass = tube.mass + ball;
  const double shift = L * L + 0.75 * L * r;
  const double across = tube.inertia(0, 0) + ball * (0.4 * r * r + shift);
  m.inertia.diagonal() << across, across, tube.inertia(2, 2) + 0.4 * ball * r * r;
  return m;
}

// Divergence theorem: the sum over tetrahedra (o, a, b, c) of a fan of each face, with o inside.
//   ∫ dV = Σ det/6,   ∫ x dV = Σ det/24 (a+b+c),
//   ∫ x xᵀ dV = Σ det/120 (aaᵀ+bbᵀ+ccᵀ+ssᵀ),   s = a+b+c
MassProperties CalcMass(const ConvexHull& hull) {
  const Polyhedron& poly = *hull.polyhedron;
  Vector3 origin = Vector3::Zero();
  for (const Vector3& v : poly.vertices) origin += v;
  origin /= static_cast<double>(poly.vertices.size());

  MassProperties m;
  Vector3 first = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();
  for (const std::vector<int>& face : poly.faces) {
    const auto vertex = [&](std::size_t k) -> Vector3 {
      return poly.vertices[static_cast<std::size_t>(face[k])] - origin;
    };
    const Vector3 a = vertex(0);
    for (std::size_t k = 1; k + 1 < face.size(); ++k) {
      const Vector3 b = vertex(k), c = vertex(k + 1), s = a + b + c;
      const double det = a.dot(b.cross(c));
      m.mass += det / 6.0;
      first += det / 24.0 * s;
      second += det / 120.0 *
                (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
    }
  }
  const Vector3 center = first / m.mass;
  second -= m.mass * center * center.transpose();
  m.center = origin + center;
  m.inertia = second.trace() * Matrix3::Identity() - second;
  return m;
}

template <class NoVolume>
MassProperties CalcMass(const NoVolume& shape) {
  throw InputError(ShapeName(Shape(shape)), "has no volume, so no mass follows from its density",
                   "give mass and inertia");
}

}  // namespace

const char* ShapeName(const Shape& shape) {
  return std::visit(
      Overloaded{[](const HalfSpace&) { return "half_space"; },
                 [](const Sphere&) { return "sphere"; }, [](const Capsule&) { return "capsule"; },
                 [](const Box&) { return "box"; }, [](const Cylinder&) { return "cylinder"; },
                 [](const ConvexHull&) { return "convex"; },
                 [](const TriangleMesh&) { return "mesh"; },
                 [](const HeightField&) { return "height_field"; }},
      shape);
}

MassProperties CalcUnitDensityMass(const Shape& shape) {
  return std::visit([](const auto& s) { return CalcMass(s); }, shape);
}

}  // namespace saltus
