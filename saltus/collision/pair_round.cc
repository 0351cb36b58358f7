// Spheres and capsules against each other and spheres against solids: nearest points in closed
// form.
//
// The gap is the distance of a centre (or of two axes) minus the radii. Where a centre lies inside
// a solid the nearest way out decides; where a distance vanishes a fixed direction is taken.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/collision/pair.h"

namespace saltus {
namespace {

// x_A, x_B: the nearest points of the two cores relative to the origin.
void AddRound(const Vector3& origin, const Vector3& x_A, double r_A, const Vector3& x_B, double r_B,
              const Vector3& fallback, std::uint32_t feature, WitnessSink* sink) {
  const Vector3 d = x_B - x_A;
  const double distance = d.norm();
  if (distance - r_A - r_B >= sink->margin()) return;
  const Vector3 n = distance > 1e-14 * (r_A + r_B) ? Vector3(d / distance) : fallback;
  sink->Add(origin + x_A + r_A * n, origin + x_B - r_B * n, n, distance - r_A - r_B, feature);
}

// A sphere (A) and a solid whose surface is at distance `height` (< 0: the centre is inside) along
// the outward normal n of the solid.
void AddSphereSolid(const PlacedShape& a, double radius, const Vector3& n, double height,
                    WitnessSink* sink) {
  sink->Add(a.p - radius * n, a.p - height * n, -n, height - radius, 0);
}

}  // namespace

void AddSphereSphere(const PlacedShape& a, const PlacedShape& b, PairScratch*, WitnessSink* sink) {
  AddRound(a.p, Vector3::Zero(), a.radius, b.p - a.p, b.radius, Vector3::UnitZ(), 0, sink);
}

void AddSphereCapsule(const PlacedShape& a, const PlacedShape& b, PairScratch*, WitnessSink* sink) {
  const Capsule& capsule = *std::get_if<Capsule>(b.shape);
  const Vector3 c = b.p - a.p, axis = b.R.col(2);
  const double t = std::clamp(-c.dot(axis), -capsule.half_length, capsule.half_length);
  AddRound(a.p, Vector3::Zero(), a.radius, c + t * axis, capsule.radius, b.R.col(0), 0, sink);
}

void AddSphereBox(const PlacedShape& a, const PlacedShape& b, PairScratch*, WitnessSink* sink) {
  const double radius = a.radius;
  const Vector3& h = std::get_if<Box>(b.shape)->half_size;
  const Vector3 c = b.R.transpose() * (a.p - b.p);
  const Vector3 out = c - c.cwiseMax(-h).cwiseMin(h);
  const double distance = out.norm();
  if (distance > 1e-12 * h.maxCoeff()) {
    return AddSphereSolid(a, radius, b.R * (out / distance), distance, sink);
  }
  int k = 0;
  (c.cwiseAbs() - h).maxCoeff(&k);
  const Vector3 n = c[k] < 0 ? Vector3(-b.R.col(k)) : Vector3(b.R.col(k));
  AddSphereSolid(a, radius, n, std::abs(c[k]) - h[k], sink);
}

void AddSphereCylinder(const PlacedShape& a, const PlacedShape& b, PairScratch*,
                       WitnessSink* sink) {
  const double radius = a.radius;
  const Cylinder& cylinder = *std::get_if<Cylinder>(b.shape);
  const Vector3 axis = b.R.col(2), c = a.p - b.p;
  const double z = c.dot(axis);
  const Vector3 flat = c - z * axis;
  const double rho = flat.norm();
  const Vector3 radial = rho > 1e-14 * cylinder.radius ? Vector3(flat / rho) : b.R.col(0);
  const Vector3 cap = z < 0 ? Vector3(-axis) : axis;
  const double out_r = rho - cylinder.radius, out_z = std::abs(z) - cylinder.half_length;
  if (out_r > 0 && out_z > 0) {
    const double distance = std::hypot(out_r, out_z);
    return AddSphereSolid(a, radius, (out_r * radial + out_z * cap) / distance, distance, sink);
  }
  if (out_z >= out_r) return AddSphereSolid(a, radius, cap, out_z, sink);
  AddSphereSolid(a, radius, radial, out_r, sink);
}

void AddSphereHull(const PlacedShape& a, const PlacedShape& b, PairScratch*, WitnessSink* sink) {
  const double radius = a.radius;
  const Convex& hull = b.core;
  const Topology& t = *hull.topology;
  const Vector3 c = a.p - b.p;
  int face = 0;
  double height = -std::numeric_limits<double>::infinity();
  for (int f = 0; f < hull.num_faces(); ++f) {
    const double h = hull.normals[f].dot(c) - hull.face_offset(f);
    if (h > height) height = h, face = f;
    if (height - radius >= sink->margin()) return;
  }
  if (height <= 0) return AddSphereSolid(a, radius, hull.normals[face], height, sink);
  // Outside: the nearest point of the faces that the centre sees.
  double best = std::numeric_limits<double>::infinity();
  Vector3 normal = hull.normals[face];
  for (int f = 0; f < hull.num_faces(); ++f) {
    const Vector3& n = hull.normals[f];
    const double h = n.dot(c) - hull.face_offset(f);
    if (h <= 0 || h >= best) continue;
    bool is_over = true;
    const int begin = t.face_begin[static_cast<std::size_t>(f)];
    const int end = t.face_begin[static_cast<std::size_t>(f) + 1];
    for (int k = begin; k < end; ++k) {
      const Vector3& u = hull.vertices[t.face_vertices[static_cast<std::size_t>(k)]];
      const Vector3& v =
          hull.vertices[t.face_vertices[static_cast<std::size_t>(k + 1 < end ? k + 1 : begin)]];
      const Vector3 along = v - u;
      if (along.cross(n).dot(c - u) <= 0) continue;
      is_over = false;
      const double s = std::clamp((c - u).dot(along) / along.squaredNorm(), 0.0, 1.0);
      const Vector3 out = c - (u + s * along);
      const double distance = out.norm();
      if (distance >= best) continue;
      best = distance;
      normal = distance > 1e-12 * hull.size ? Vector3(out / distance) : n;
    }
    if (is_over) best = h, normal = n;
  }
  AddSphereSolid(a, radius, normal, best, sink);
}

// Axes x_A = s u, x_B = c + t v. Nearly parallel capsules touch along a line: the ends of the
// common stretch are witnesses, each with its own nearest point, besides the nearest point of all.
void AddCapsuleCapsule(const PlacedShape& a, const PlacedShape& b, PairScratch*,
                       WitnessSink* sink) {
  constexpr double kNearlyParallel = 0.05;  // sine of the angle
  constexpr double kParallel = 1e-6;
  const Capsule &A = *std::get_if<Capsule>(a.shape), &B = *std::get_if<Capsule>(b.shape);
  const Vector3 u = a.R.col(2), v = b.R.col(2), c = b.p - a.p;
  const double L = A.half_length, M = B.half_length;
  const double uv = u.dot(v), uc = u.dot(c), vc = v.dot(c);
  const Vector3 cross = u.cross(v);
  const double sine2 = cross.squaredNorm();
  const Vector3 fallback =
      sine2 > kParallel * kParallel ? Vector3(cross.normalized()) : Vector3(a.R.col(0));
  const auto add = [&](double s, std::uint32_t feature) {
    const double t = std::clamp(s * uv - vc, -M, M);
    AddRound(a.p, s * u, A.radius, c + t * v, B.radius, fallback, feature, sink);
  };
  // The stretch of A's axis that is beside B's axis.
  const double low = std::max(-L, uc - M * std::abs(uv)), high = std::min(L, uc + M * std::abs(uv));
  const bool is_line = sine2 < kNearlyParallel * kNearlyParallel && high > low;
  if (is_line) {
    add(low, 1);
    add(high, 2);
    if (sine2 < kParallel * kParallel) return;
  }
  double s = sine2 > kParallel * kParallel ? std::clamp((uc - vc * uv) / sine2, -L, L)
                                           : std::clamp(uc, -L, L);
  const double t = std::clamp(s * uv - vc, -M, M);
  s = std::clamp(uc + t * uv, -L, L);
  const double border = 1e-3 * (high - low);
  if (is_line && (s < low + border || s > high - border)) return;
  add(s, 0);
}

}  // namespace saltus
