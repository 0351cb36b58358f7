#include "saltus/multibody/contact/reach.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace saltus {
namespace {

/// Radius of a ball about the shape's origin that holds the shape, or what is left of a round one
/// without its radius r: spin moves its surface along itself, n·(ω × r n) = 0. Static-only shapes
/// give 0.
struct ShapeRadius {
  double operator()(const Sphere&) const { return 0; }
  double operator()(const Capsule& s) const { return s.half_length; }
  double operator()(const Box& s) const { return s.half_size.norm(); }
  double operator()(const Cylinder& s) const { return std::hypot(s.radius, s.half_length); }
  double operator()(const ConvexHull& s) const {
    double radius = 0;
    for (const Vector3& x : s.polyhedron->vertices) radius = std::max(radius, x.norm());
    return radius;
  }
  double operator()(const HalfSpace&) const { return 0; }
  double operator()(const TriangleMesh&) const { return 0; }
  double operator()(const HeightField&) const { return 0; }
};

}  // namespace

std::vector<double> CalcReaches(const Model& model) {
  std::vector<double> reaches(model.bodies.size(), 0.0);
  const auto extend = [&](int body, double distance) {
    if (body != kGround) reaches[body] = std::max(reaches[body], distance);
  };
  for (int c = 0; c < model.world.num_colliders(); ++c) {
    const Collider& collider = model.world.collider(c);
    extend(model.contact.collider_body[c],
           collider.pose_BS.p.norm() + std::visit(ShapeRadius{}, collider.shape));
  }
  for (const NamedContact& contact : model.contact.named) {
    extend(contact.point_body, contact.point.norm());
  }
  return reaches;
}

}  // namespace saltus
