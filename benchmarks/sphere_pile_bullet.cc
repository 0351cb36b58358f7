// The same pile in Bullet (Debian's build: double precision): sequential impulses, 50 iterations,
// two friction directions, warm starting: its defaults except for the number of iterations.
#include <algorithm>
#include <memory>
#include <vector>

#include <btBulletDynamicsCommon.h>

#include "benchmarks/sphere_pile.h"

namespace saltus::bench {

PileResult RunBulletPile(const SpherePile& pile) {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  world.setGravity(btVector3(0, 0, -9.81));
  world.getSolverInfo().m_numIterations = 50;
  world.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;

  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  const double w = pile.half_floor();
  const struct {
    btVector3 normal;
    double offset;
  } walls[] = {{btVector3(0, 0, 1), 0},
               {btVector3(1, 0, 0), -w},
               {btVector3(-1, 0, 0), -w},
               {btVector3(0, 1, 0), -w},
               {btVector3(0, -1, 0), -w}};
  for (const auto& wall : walls) {
    shapes.push_back(std::make_unique<btStaticPlaneShape>(wall.normal, wall.offset));
    btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, shapes.back().get());
    bodies.push_back(std::make_unique<btRigidBody>(info));
  }
  shapes.push_back(std::make_unique<btSphereShape>(pile.radius));
  const double mass = pile.density * 4.0 / 3.0 * SIMD_PI * std::pow(pile.radius, 3);
  btVector3 inertia;
  shapes.back()->calculateLocalInertia(mass, inertia);
  for (const SpherePile::Center& c : pile.MakeCenters()) {
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shapes.back().get(), inertia);
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin(btVector3(c.x, c.y, c.z));
    bodies.push_back(std::make_unique<btRigidBody>(info));
    bodies.back()->setActivationState(DISABLE_DEACTIVATION);
  }
  for (auto& body : bodies) {
    body->setFriction(std::sqrt(pile.friction));  // Bullet multiplies the two
    body->setRestitution(0);
    world.addRigidBody(body.get());
  }

  PileResult result;
  const int steps = static_cast<int>(pile.until / pile.step + 0.5);
  double spent = 0;
  for (int n = 0; n < steps; ++n) {
    const double start = ProcessorTime();
    world.stepSimulation(pile.step, 0);
    spent += ProcessorTime() - start;
    // Penetration by our own arithmetic on the centres, not by Bullet's contact distances.
    result.contacts = 0;
    for (int m = 0; m < dispatcher.getNumManifolds(); ++m) {
      const btPersistentManifold* manifold = dispatcher.getManifoldByIndexInternal(m);
      for (int p = 0; p < manifold->getNumContacts(); ++p) {
        const btManifoldPoint& point = manifold->getContactPoint(p);
        if (point.getDistance() > 0) continue;
        ++result.contacts;
        const auto* a = manifold->getBody0();
        const auto* b = manifold->getBody1();
        if (a->isStaticObject() || b->isStaticObject()) continue;
        const double distance =
            (a->getWorldTransform().getOrigin() - b->getWorldTransform().getOrigin()).length();
        result.max_penetration = std::max(result.max_penetration, 2 * pile.radius - distance);
      }
    }
  }
  for (auto& body : bodies) {
    if (body->isStaticObject()) continue;
    result.final_kinetic += 0.5 * mass * body->getLinearVelocity().length2();
  }
  result.seconds_per_step = spent / steps;
  for (auto& body : bodies) world.removeRigidBody(body.get());
  return result;
}

}  // namespace saltus::bench
