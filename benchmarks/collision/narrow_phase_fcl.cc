// FCL: collide() with contacts where shapes overlap, distance() where they do not.

#include <fcl/fcl.h>

#include "benchmarks/collision/narrow_phase.h"

namespace saltus::bench {
namespace {

std::shared_ptr<fcl::CollisionGeometryd> MakeGeometry(const Shape& shape) {
  if (const auto* box = std::get_if<Box>(&shape)) {
    return std::make_shared<fcl::Boxd>(2 * box->half_size);
  }
  if (const auto* c = std::get_if<Cylinder>(&shape)) {
    return std::make_shared<fcl::Cylinderd>(c->radius, 2 * c->half_length);
  }
  const Polyhedron& poly = *std::get<ConvexHull>(shape).polyhedron;
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>(poly.vertices);
  auto faces = std::make_shared<std::vector<int>>();
  for (const std::vector<int>& face : poly.faces) {
    faces->push_back(static_cast<int>(face.size()));
    faces->insert(faces->end(), face.begin(), face.end());
  }
  return std::make_shared<fcl::Convexd>(vertices, static_cast<int>(poly.faces.size()), faces);
}

fcl::Transform3d MakeTransform(const Pose& pose) {
  fcl::Transform3d X = fcl::Transform3d::Identity();
  X.linear() = pose.R.toRotationMatrix();
  X.translation() = pose.p;
  return X;
}

}  // namespace

Outcome RunFcl(const std::vector<Query>& queries, int rounds) {
  Outcome outcome;
  double seconds = 0;
  for (const Query& q : queries) {
    const fcl::CollisionObjectd a(MakeGeometry(q.a), MakeTransform(q.pose_a));
    const fcl::CollisionObjectd b(MakeGeometry(q.b), MakeTransform(q.pose_b));
    Answer answer;
    const double start = CpuSeconds();
    for (int r = 0; r < rounds; ++r) {
      answer = {};
      fcl::CollisionRequestd request(8, true);
      fcl::CollisionResultd result;
      fcl::collide(&a, &b, request, result);
      if (result.isCollision()) {
        answer.found = true;
        answer.points = static_cast<int>(result.numContacts());
        for (std::size_t i = 0; i < result.numContacts(); ++i) {
          const fcl::Contactd& c = result.getContact(i);
          answer.distance = std::min(answer.distance, -c.penetration_depth);
          answer.normal = c.normal;
        }
        continue;
      }
      fcl::DistanceRequestd distance_request(true);
      fcl::DistanceResultd distance;
      fcl::distance(&a, &b, distance_request, distance);
      const Vector3 d = distance.nearest_points[1] - distance.nearest_points[0];
      answer.found = distance.min_distance > 0 && d.norm() > 0;
      answer.points = 1;
      answer.distance = distance.min_distance;
      if (answer.found) answer.normal = d.normalized();
    }
    seconds += CpuSeconds() - start;
    outcome.answers.push_back(answer);
  }
  outcome.seconds = seconds / (rounds * static_cast<double>(queries.size()));
  return outcome;
}

}  // namespace saltus::bench
