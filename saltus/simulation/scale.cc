#include "saltus/simulation/scale.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include <Eigen/Geometry>

#include "saltus/multibody/multibody_system.h"

namespace saltus {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// Width: the smallest thickness of a shape, m. Radius: of a ball about its origin that holds it.
/// Ground that is made of planes or triangles has no thickness.
struct ShapeExtent {
  double width = kUnbounded, radius = 0;
};
struct CalcExtent {
  ShapeExtent operator()(const Sphere& s) const { return {2 * s.radius, s.radius}; }
  ShapeExtent operator()(const Capsule& s) const {
    return {2 * s.radius, s.radius + s.half_length};
  }
  ShapeExtent operator()(const Box& s) const {
    return {2 * s.half_size.minCoeff(), s.half_size.norm()};
  }
  ShapeExtent operator()(const Cylinder& s) const {
    return {2 * std::min(s.radius, s.half_length), std::hypot(s.radius, s.half_length)};
  }
  /// The thickness along the normals of the faces is that of the polyhedron, or nearly so.
  ShapeExtent operator()(const ConvexHull& s) const {
    ShapeExtent extent;
    const Polyhedron& p = *s.polyhedron;
    for (const Vector3& n : p.face_normals) {
      double low = kUnbounded, high = -kUnbounded;
      for (const Vector3& x : p.vertices) {
        low = std::min(low, n.dot(x));
        high = std::max(high, n.dot(x));
      }
      extent.width = std::min(extent.width, high - low);
    }
    for (const Vector3& x : p.vertices) extent.radius = std::max(extent.radius, x.norm());
    return extent;
  }
  ShapeExtent operator()(const HalfSpace&) const { return {}; }
  ShapeExtent operator()(const TriangleMesh&) const { return {}; }
  ShapeExtent operator()(const HeightField&) const { return {}; }
};

void ExtendBall(const Vector3& center, double radius, Eigen::AlignedBox3d* box) {
  box->extend(center + Vector3::Constant(radius));
  box->extend(center - Vector3::Constant(radius));
}

}  // namespace

double CalcWidth(const Shape& shape) { return std::visit(CalcExtent{}, shape).width; }

ModelScale CalcScale(const System& system, const State& start) {
  ModelScale scale;
  const auto* multibody = dynamic_cast<const MultibodySystem*>(&system);
  if (multibody != nullptr) {
    const Model& model = multibody->model();
    Eigen::AlignedBox3d box;
    scale.smallest_shape = kUnbounded;
    for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
      box.extend(multibody->CalcBodyMotion(b, start.q, start.v).pose.p);
    }
    for (int c = 0; c < model.world.num_colliders(); ++c) {
      const Collider& collider = model.world.collider(c);
      const ShapeExtent extent = std::visit(CalcExtent{}, collider.shape);
      const int body = model.contact.collider_body[c];
      if (body == kGround) continue;
      scale.smallest_shape = std::min(scale.smallest_shape, extent.width);
      const Pose pose = multibody->CalcBodyMotion(body, start.q, start.v).pose;
      ExtendBall(pose * collider.pose_BS.p, extent.radius, &box);
    }
    for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
      box.extend(multibody->CalcJointPoint(j, start.q));
    }
    const double diagonal = box.isEmpty() ? 0 : box.diagonal().norm();
    if (diagonal > 0) scale.size = diagonal;
    if (!(scale.smallest_shape < kUnbounded)) scale.smallest_shape = scale.size;
  }
  return scale;
}

double CalcEnergyScale(const System& system, const State& state, const ModelScale& scale) {
  VectorX force;
  system.CalcForce(state.time, state.q, state.v, &force);
  return force.lpNorm<1>() * scale.size;
}

}  // namespace saltus
