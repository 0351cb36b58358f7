// Bullet: the collision algorithm that its dispatcher chooses, with an empty manifold each time.
#include <memory>

#include <btBulletCollisionCommon.h>

#include "benchmarks/collision/narrow_phase.h"

namespace saltus::bench {
namespace {

std::unique_ptr<btConvexShape> MakeShape(const Shape& shape) {
  std::unique_ptr<btConvexShape> result;
  if (const auto* box = std::get_if<Box>(&shape)) {
    const Vector3& h = box->half_size;
    result = std::make_unique<btBoxShape>(btVector3(h.x(), h.y(), h.z()));
  } else if (const auto* c = std::get_if<Cylinder>(&shape)) {
    result = std::make_unique<btCylinderShapeZ>(btVector3(c->radius, c->radius, c->half_length));
  } else {
    auto hull = std::make_unique<btConvexHullShape>();
    for (const Vector3& v : std::get<ConvexHull>(shape).polyhedron->vertices) {
      hull->addPoint(btVector3(v.x(), v.y(), v.z()), false);
    }
    hull->recalcLocalAabb();
    hull->initializePolyhedralFeatures();
    hull->setMargin(0);  // else the hull is inflated
    result = std::move(hull);
  }
  return result;
}

btTransform MakeTransform(const Pose& pose) {
  return btTransform(btQuaternion(pose.R.x(), pose.R.y(), pose.R.z(), pose.R.w()),
                     btVector3(pose.p.x(), pose.p.y(), pose.p.z()));
}

}  // namespace

Outcome RunBullet(const std::vector<Query>& queries, double margin, int rounds) {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDispatcherInfo info;
  Outcome outcome;
  double seconds = 0;
  for (const Query& q : queries) {
    const auto shape_a = MakeShape(q.a), shape_b = MakeShape(q.b);
    btCollisionObject a, b;
    a.setCollisionShape(shape_a.get());
    b.setCollisionShape(shape_b.get());
    a.setWorldTransform(MakeTransform(q.pose_a));
    b.setWorldTransform(MakeTransform(q.pose_b));
    a.setContactProcessingThreshold(margin);
    b.setContactProcessingThreshold(margin);
    const btCollisionObjectWrapper wrap_a(nullptr, shape_a.get(), &a, a.getWorldTransform(), -1,
                                          -1);
    const btCollisionObjectWrapper wrap_b(nullptr, shape_b.get(), &b, b.getWorldTransform(), -1,
                                          -1);
    btCollisionAlgorithm* algorithm =
        dispatcher.findAlgorithm(&wrap_a, &wrap_b, nullptr, BT_CONTACT_POINT_ALGORITHMS);
    Answer answer;
    const double start = CpuSeconds();
    for (int r = 0; r < rounds; ++r) {
      answer = {};
      btManifoldResult result(&wrap_a, &wrap_b);
      btManifoldArray manifolds;
      algorithm->getAllContactManifolds(manifolds);
      for (int m = 0; m < manifolds.size(); ++m) manifolds[m]->clearManifold();
      algorithm->processCollision(&wrap_a, &wrap_b, info, &result);
      manifolds.clear();
      algorithm->getAllContactManifolds(manifolds);
      for (int m = 0; m < manifolds.size(); ++m) {
        for (int k = 0; k < manifolds[m]->getNumContacts(); ++k) {
          const btManifoldPoint& point = manifolds[m]->getContactPoint(k);
          const double sign = manifolds[m]->getBody0() == &a ? -1 : 1;  // Bullet: from 1 to 0
          if (!answer.found || point.getDistance() < answer.distance) {
            answer.distance = point.getDistance();
            const btVector3& n = point.m_normalWorldOnB;
            answer.normal = sign * Vector3(n.x(), n.y(), n.z());
          }
          answer.found = true;
          ++answer.points;
        }
      }
    }
    seconds += CpuSeconds() - start;
    outcome.answers.push_back(answer);
    algorithm->~btCollisionAlgorithm();
    dispatcher.freeCollisionAlgorithm(algorithm);
  }
  outcome.seconds = seconds / (rounds * static_cast<double>(queries.size()));
  return outcome;
}

}  // namespace saltus::bench
