// What the tests compare with: support functions, signed distances and surfaces of the shapes,
// written from their definitions and independent of the narrow phase.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "saltus/collision/collision_world.h"

namespace saltus::test {

/// h(n) = max n·x over the shape, in its own frame.
inline double CalcSupportValue(const Shape& shape, const Vector3& n) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return s->radius * n.norm();
  if (const auto* s = std::get_if<Capsule>(&shape)) {
    return s->half_length * std::abs(n.z()) + s->radius * n.norm();
  }
  if (const auto* s = std::get_if<Box>(&shape)) return s->half_size.dot(n.cwiseAbs());
  if (const auto* s = std::get_if<Cylinder>(&shape)) {
    return s->half_length * std::abs(n.z()) + s->radius * std::hypot(n.x(), n.y());
  }
  double h = -std::numeric_limits<double>::infinity();
  for (const Vector3& v : std::get<ConvexHull>(shape).polyhedron->vertices) {
    h = std::max(h, n.dot(v));
  }
  return h;
}

struct PlacedTestShape {
  Shape shape;
  Pose pose;
};

/// s(n) = min n·b − max n·a.
inline double CalcSeparationValue(const PlacedTestShape& a, const PlacedTestShape& b,
                                  const Vector3& n) {
  return n.dot(b.pose.p - a.pose.p) - CalcSupportValue(a.shape, a.pose.R.conjugate() * n) -
         CalcSupportValue(b.shape, b.pose.R.conjugate() * (-n));
}

/// The signed distance max s(n): a dense sample of directions, then a compass search from the best.
/// Exact to about 1e-9 of the size (the last step of the search).
inline double CalcSignedDistance(const PlacedTestShape& a, const PlacedTestShape& b) {
  constexpr int kSamples = 400, kStarts = 2;
  const Matrix3 R_a = a.pose.R.toRotationMatrix().transpose();
  const Matrix3 R_b = b.pose.R.toRotationMatrix().transpose();
  const auto separation = [&](const Vector3& n) {
    return n.dot(b.pose.p - a.pose.p) - CalcSupportValue(a.shape, R_a * n) -
           CalcSupportValue(b.shape, -(R_b * n));
  };
  std::vector<std::pair<double, Vector3>> samples;
  const auto add = [&](const Vector3& n) { samples.emplace_back(separation(n), n); };
  for (int i = 0; i < kSamples; ++i) {
    const double z = 1 - (2 * i + 1.0) / kSamples, angle = 2.399963229728653 * i;
    const double r = std::sqrt(1 - z * z);
    add(Vector3(r * std::cos(angle), r * std::sin(angle), z));
  }
  if ((b.pose.p - a.pose.p).norm() > 0) add((b.pose.p - a.pose.p).normalized());
  std::partial_sort(samples.begin(), samples.begin() + kStarts, samples.end(),
                    [](const auto& x, const auto& y) { return x.first > y.first; });
  double best = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < kStarts; ++k) {
    auto [s, n] = samples[static_cast<std::size_t>(k)];
    int moves = 0;  // A search along a ridge may crawl; an early end only lowers the bound.
    for (double step = 0.1; step > 1e-10 && moves < 600; ++moves) {
      const Vector3 ex = n.unitOrthogonal(), ey = n.cross(ex);
      bool improved = false;
      for (int i = 0; i < 8; ++i) {
        const double angle = 0.25 * M_PI * i + 0.7 * moves;  // turned from round to round
        const Vector3 m = (n + step * (std::cos(angle) * ex + std::sin(angle) * ey)).normalized();
        const double value = separation(m);
        if (value > s) s = value, n = m, improved = true;
      }
      if (!improved) step *= 0.5;
    }
    best = std::max(best, s);
  }
  return best;
}

/// How far a world point is outside the shape (< 0: inside), by its defining inequalities.
inline double CalcOutside(const PlacedTestShape& placed, const Vector3& x_W) {
  const Vector3 x = placed.pose.Inverse() * x_W;
  const Shape& shape = placed.shape;
  if (const auto* s = std::get_if<HalfSpace>(&shape)) return s->normal.dot(x) - s->offset;
  if (const auto* s = std::get_if<Sphere>(&shape)) return x.norm() - s->radius;
  if (const auto* s = std::get_if<Capsule>(&shape)) {
    const Vector3 axis(0, 0, std::clamp(x.z(), -s->half_length, s->half_length));
    return (x - axis).norm() - s->radius;
  }
  if (const auto* s = std::get_if<Box>(&shape)) return (x.cwiseAbs() - s->half_size).maxCoeff();
  if (const auto* s = std::get_if<Cylinder>(&shape)) {
    return std::max(std::abs(x.z()) - s->half_length, std::hypot(x.x(), x.y()) - s->radius);
  }
  const Polyhedron& poly = *std::get<ConvexHull>(shape).polyhedron;
  double out = -std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < poly.faces.size(); ++f) {
    const Vector3& v = poly.vertices[static_cast<std::size_t>(poly.faces[f][0])];
    out = std::max(out, poly.face_normals[f].dot(x - v));
  }
  return out;
}

inline std::vector<Witness> FindWitnesses(const PlacedTestShape& a, const PlacedTestShape& b,
                                          double margin) {
  CollisionWorld world;
  world.Add({a.shape, Pose{}, 0, 0});
  world.Add({b.shape, Pose{}, 1, 0});
  std::vector<Witness> witnesses;
  world.Find({a.pose, b.pose}, margin, &witnesses);
  return witnesses;
}

inline double CalcLeastGap(const std::vector<Witness>& witnesses) {
  double gap = std::numeric_limits<double>::infinity();
  for (const Witness& w : witnesses) gap = std::min(gap, w.gap);
  return gap;
}

/// The witness of the least gap.
inline const Witness& FindLeast(const std::vector<Witness>& witnesses) {
  return *std::min_element(witnesses.begin(), witnesses.end(),
                           [](const Witness& v, const Witness& w) { return v.gap < w.gap; });
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double Uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }
  Vector3 Direction() {
    for (;;) {
      const Vector3 v(Uniform(-1, 1), Uniform(-1, 1), Uniform(-1, 1));
      if (v.norm() > 0.1 && v.norm() < 1) return v.normalized();
    }
  }
  Quaternion Rotation() { return Quaternion(Eigen::AngleAxisd(Uniform(0, 2 * M_PI), Direction())); }

 private:
  std::mt19937 engine_;
};

/// A hull without symmetry: `count` points on an ellipsoid.
inline ConvexHull MakeRandomHull(Random* random, int count) {
  std::vector<Vector3> points;
  for (int i = 0; i < count; ++i) {
    points.push_back(random->Direction().cwiseProduct(Vector3(0.5, 0.4, 0.6)));
  }
  return MakeConvexHull(points);
}

}  // namespace saltus::test
