// The same piles in Bullet (Debian's build in double precision): sequential impulses, 50
// iterations, two friction directions, no deactivation, margins of 1 mm; else its defaults.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <btBulletDynamicsCommon.h>

#include "benchmarks/piles_by_shape.h"
#include "verification/pile_overlap.h"

namespace saltus::bench {
namespace {

constexpr int kCertificateEvery = 20;
constexpr double kMargin = 1e-3;  // m; boxes and cylinders hold it inside, hulls do not

btVector3 ToBullet(const Vector3& x) { return {x.x(), x.y(), x.z()}; }

std::unique_ptr<btCollisionShape> MakeBulletShape(const Shape& shape) {
  std::unique_ptr<btCollisionShape> made;
  if (const auto* s = std::get_if<Sphere>(&shape)) {
    return std::make_unique<btSphereShape>(s->radius);
  }
  if (const auto* s = std::get_if<Capsule>(&shape)) {
    return std::make_unique<btCapsuleShapeZ>(s->radius, 2 * s->half_length);
  }
  if (const auto* s = std::get_if<Box>(&shape)) {
    made = std::make_unique<btBoxShape>(ToBullet(s->half_size));
  } else if (const auto* s = std::get_if<Cylinder>(&shape)) {
    made = std::make_unique<btCylinderShapeZ>(btVector3(s->radius, s->radius, s->half_length));
  } else {
    auto hull = std::make_unique<btConvexHullShape>();
    for (const Vector3& v : std::get<ConvexHull>(shape).polyhedron->vertices) {
      hull->addPoint(ToBullet(v), false);
    }
    hull->recalcLocalAabb();
    made = std::move(hull);
  }
  made->setMargin(kMargin);
  return made;
}

Pose FromBullet(const btTransform& t) {
  const btQuaternion q = t.getRotation();
  const btVector3& p = t.getOrigin();
  return {Vector3(p.x(), p.y(), p.z()), Quaternion(q.w(), q.x(), q.y(), q.z())};
}

class BulletWorld {
 public:
  explicit BulletWorld(const ShapePile& pile)
      : pile_(pile),
        dispatcher_(&configuration_),
        world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
    world_.setGravity(btVector3(0, 0, -9.81));
    world_.getSolverInfo().m_numIterations = 50;
    world_.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    for (const PlacedBody& wall : pile.MakeContainer()) {
      Add(wall, 0);
      overlap_.Add(wall.shape, wall.pose, -1);
    }
    first_ = bodies_.size();
    int number = 0;
    for (const PlacedBody& body : pile.MakeBodies()) {
      Add(body, pile.density * CalcUnitDensityMass(body.shape).mass);
      bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
      overlap_.Add(body.shape, Pose{}, number++);
    }
  }
  ~BulletWorld() {
    for (auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  void Step() { world_.stepSimulation(pile_.step, 0); }
  double CalcOverlap() const {
    std::vector<Pose> poses;
    for (std::size_t i = first_; i < bodies_.size(); ++i) {
      poses.push_back(FromBullet(bodies_[i]->getWorldTransform()));
    }
    return overlap_.Calc(poses);
  }
  double CalcSpeed() const {
    double speed = 0;
    for (const auto& body : bodies_) speed = std::max(speed, body->getLinearVelocity().length());
    return speed;
  }

 private:
  void Add(const PlacedBody& placed, double mass) {
    shapes_.push_back(MakeBulletShape(placed.shape));
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shapes_.back()->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shapes_.back().get(), inertia);
    const Quaternion& q = placed.pose.R;
    info.m_startWorldTransform =
        btTransform(btQuaternion(q.x(), q.y(), q.z(), q.w()), ToBullet(placed.pose.p));
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setFriction(std::sqrt(pile_.friction));  // Bullet multiplies the two
    bodies_.back()->setRestitution(std::sqrt(pile_.restitution));
    world_.addRigidBody(bodies_.back().get());
  }

  ShapePile pile_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::size_t first_ = 0;
  PileOverlap overlap_;
};

}  // namespace

PileRun RunBulletShapes(const ShapePile& pile) {
  BulletWorld world(pile);
  PileRun run;
  run.steps = std::lround(pile.until / pile.step);
  double spent = 0;
  for (long n = 1; n <= run.steps; ++n) {
    const double start = ProcessorTime();
    world.Step();
    spent += ProcessorTime() - start;
    if (n % kCertificateEvery == 0)
      run.max_overlap = std::max(run.max_overlap, world.CalcOverlap());
  }
  run.finished = true;
  run.time = pile.until;
  run.seconds_per_step = spent / static_cast<double>(run.steps);
  run.final_speed = world.CalcSpeed();
  return run;
}

}  // namespace saltus::bench
