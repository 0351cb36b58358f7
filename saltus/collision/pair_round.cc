// Spheres and capsules against each other and spheres against solids: nearest points in closed
// form.
//
// The gap is the distance of a centre (or of two axes) minus the radii. Where a centre lies inside
// a solid the nearest way out decides; where a distance vanishes a fixed direction is taken. A
// sphere and a convex solid touch in one point, which keeps its name wherever it is on the solid.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/collision/pair.h"

namespace saltus {
namespace {

// x_A, x_B: the nearest points of the two cores relative to the origin.
void AddRound(const Vector3& origin, const Vector3& x_A, double r_A, const Vector3& x_B, double r_B,
              const Vector3& fallback, Feature feature, WitnessSink* sink) {
  const Vector3 d = x_B - x_A;
  const double distance = d.norm();
  if (distance - r_A - r_B >= sink->margin()) return;
  const Vector3 n = distance > 1e-14 * (r_A + r_B) ? Vector3(d / distance) : fallback;
  sink->Add(origin + x_A + r_A * n, origin + x_B - r_B * n, n, distance - r_A - r_B, feature);
}

SolidFoot FindFoot(const Capsule& capsule, const Vector3& c) {
  const Vector3 out =
      c - Vector3(0, 0, std::clamp(c.z(), -capsule.half_length, capsule.half_length));
  const double distance = out.norm();
  if (!(distance > 1e-14 * capsule.radius)) return {Vector3::UnitX(), -capsule.radius};
  return {out / distance, distance - capsule.radius};
}

SolidFoot FindFoot(const Box& box, const Vector3& c) {
  const Vector3& h = box.half_size;
  const Vector3 out = c - c.cwiseMax(-h).cwiseMin(h);
  const double distance = out.norm();
  if (distance > 1e-12 * h.maxCoeff()) return {out / distance, distance};
  int k = 0;
  (c.cwiseAbs() - h).maxCoeff(&k);
  return {(c[k] < 0 ? -1.0 : 1.0) * Vector3::Unit(k), std::abs(c[k]) - h[k]};
}

SolidFoot FindFoot(const Cylinder& cylinder, const Vector3& c) {
  const double rho = c.head<2>().norm();
  const Vector3 radial = rho > 1e-14 * cylinder.radius ? Vector3(c.x() / rho, c.y() / rho, 0)
                                                       : Vector3(Vector3::UnitX());
  const Vector3 cap = c.z() < 0 ? -Vector3::UnitZ() : Vector3(Vector3::UnitZ());
  const double out_r = rho - cylinder.radius, out_z = std::abs(c.z()) - cylinder.half_length;
  if (out_r > 0 && out_z > 0) {
    const double distance = std::hypot(out_r, out_z);
    return {(out_r * radial + out_z * cap) / distance, distance};
  }
  if (out_z >= out_r) return {cap, out_z};
  return {radial, out_r};
}

SolidFoot FindHullFoot(const ConvexGeometry& hull, const Vector3& c, double limit) {
  const Topology& t = hull.topology;
  const auto vertex = [&](int k) -> const Vector3& {
    return hull.vertices[static_cast<std::size_t>(t.face_vertices[static_cast<std::size_t>(k)])];
  };
  const auto begin = [&](int f) { return t.face_begin[static_cast<std::size_t>(f)]; };
  const auto height_over = [&](int f) {
    return hull.normals[static_cast<std::size_t>(f)].dot(c - vertex(begin(f)));
  };
  int face = 0;
  double height = -std::numeric_limits<double>::infinity();
  for (int f = 0; f < t.num_faces(); ++f) {
    const double h = height_over(f);
    if (h > height) height = h, face = f;
    if (height >= limit) break;
  }
  SolidFoot foot{hull.normals[static_cast<std::size_t>(face)], height};
  if (height <= 0 || height >= limit) return foot;
  // Outside: the nearest point of the faces that the centre sees.
  foot.height = std::numeric_limits<double>::infinity();
  for (int f = 0; f < t.num_faces(); ++f) {
    const Vector3& n = hull.normals[static_cast<std::size_t>(f)];
    const double h = height_over(f);
    if (h <= 0 || h >= foot.height) continue;
    bool is_over = true;
    for (int k = begin(f); k < begin(f + 1); ++k) {
      const Vector3 &u = vertex(k), &v = vertex(k + 1 < begin(f + 1) ? k + 1 : begin(f));
      const Vector3 along = v - u;
      if (along.cross(n).dot(c - u) <= 0) continue;
      is_over = false;
      const double s = std::clamp((c - u).dot(along) / along.squaredNorm(), 0.0, 1.0);
      const Vector3 out = c - (u + s * along);
      const double distance = out.norm();
      if (distance >= foot.height) continue;
      foot = {distance > 1e-12 * along.norm() ? Vector3(out / distance) : n, distance};
    }
    if (is_over) foot = {n, h};
  }
  return foot;
}

}  // namespace

SolidFoot FindSolidFoot(const Shape& shape, const ConvexGeometry* geometry, const Vector3& c,
                        double limit) {
  if (const auto* capsule = std::get_if<Capsule>(&shape)) return FindFoot(*capsule, c);
  if (const auto* box = std::get_if<Box>(&shape)) return FindFoot(*box, c);
  if (const auto* cylinder = std::get_if<Cylinder>(&shape)) return FindFoot(*cylinder, c);
  return FindHullFoot(*geometry, c, limit);
}

void AddSphereSolid(const PlacedShape& a, const PlacedShape& b, PairScratch*, WitnessSink* sink) {
  const Vector3 c = b.R.transpose() * (a.p - b.p);
  const SolidFoot foot = FindSolidFoot(*b.shape, b.geometry, c, sink->margin() + a.radius);
  if (foot.height - a.radius >= sink->margin()) return;
  const Vector3 n = b.R * foot.normal;
  sink->Add(a.p - a.radius * n, a.p - foot.height * n, -n, foot.height - a.radius,
            MakeFeature({ElementKind::kPoint, 0}, {ElementKind::kSolid, 0}));
}

void AddSphereSphere(const PlacedShape& a, const PlacedShape& b, PairScratch*, WitnessSink* sink) {
  AddRound(a.p, Vector3::Zero(), a.radius, b.p - a.p, b.radius, Vector3::UnitZ(),
           MakeFeature({ElementKind::kPoint, 0}, {ElementKind::kPoint, 0}), sink);
}

// Axes x_A = s u, x_B = c + t v. Nearly parallel capsules touch along a line: every end of one that
// is beside the other is a witness, besides the nearest point of all.
void AddCapsuleCapsule(const PlacedShape& a, const PlacedShape& b, PairScratch*,
                       WitnessSink* sink) {
  constexpr double kNearlyParallel = 0.1;  // sine of the angle
  constexpr double kParallel = 1e-6;
  constexpr Element kAxis{ElementKind::kLine, 0};
  const Capsule &A = *std::get_if<Capsule>(a.shape), &B = *std::get_if<Capsule>(b.shape);
  const Vector3 u = a.R.col(2), v = b.R.col(2), c = b.p - a.p;
  const double L = A.half_length, M = B.half_length;
  const double uv = u.dot(v), uc = u.dot(c), vc = v.dot(c);
  const Vector3 cross = u.cross(v);
  const double sine2 = cross.squaredNorm();
  const Vector3 fallback =
      sine2 > kParallel * kParallel ? Vector3(cross.normalized()) : Vector3(a.R.col(0));
  const auto add = [&](double s, double t, Element element_A, Element element_B) {
    AddRound(a.p, s * u, A.radius, c + t * v, B.radius, fallback, MakeFeature(element_A, element_B),
             sink);
  };
  const auto end = [](double sign) { return Element{ElementKind::kPoint, sign < 0 ? 0 : 1}; };
  bool is_line = false;
  if (sine2 < kNearlyParallel * kNearlyParallel) {
    for (const double sign : {-1.0, 1.0}) {
      const double on_B = sign * L * uv - vc, on_A = uc + sign * M * uv;
      if (std::abs(on_B) <= M && L > 0) add(sign * L, on_B, end(sign), kAxis), is_line = true;
      if (std::abs(on_A) < L) add(on_A, sign * M, kAxis, end(sign)), is_line = true;
    }
    if (is_line && sine2 < kParallel * kParallel) return;
  }
  double s = sine2 > kParallel * kParallel ? std::clamp((uc - vc * uv) / sine2, -L, L)
                                           : std::clamp(uc, -L, L);
  const double t = std::clamp(s * uv - vc, -M, M);
  s = std::clamp(uc + t * uv, -L, L);
  const bool s_ends = std::abs(s) >= L, t_ends = std::abs(t) >= M;
  if (is_line) {  // has it been added as an end, or as good as?
    constexpr double kBorder = 1e-5;
    const bool near_end = std::abs(s) > (1 - kBorder) * L || std::abs(t) > (1 - kBorder) * M;
    if (s_ends != t_ends || (near_end && !s_ends)) return;
  }
  add(s, t, s_ends ? end(s) : kAxis, t_ends ? end(t) : kAxis);
}

}  // namespace saltus
