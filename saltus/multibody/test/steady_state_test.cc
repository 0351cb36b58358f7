// Evaluation in a loop touches the heap no more once sizes have settled.
#include <atomic>
#include <cstdlib>

#include <gtest/gtest.h>

#include "saltus/multibody/test/models.h"

// Eigen allocates with malloc, the standard library with operator new, which calls malloc: counting
// calls of malloc catches both. The sanitizers bring a malloc of their own; there we do not count.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define SALTUS_COUNTS_MALLOC 1
namespace {
std::atomic<long> num_allocations{0};
}  // namespace
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++num_allocations;
  return __libc_malloc(size);
}
#else
#define SALTUS_COUNTS_MALLOC 0
namespace {
long num_allocations = 0;
}  // namespace
#endif

namespace saltus {
namespace {

/// A chain of four hinged links with limits, friction and a spring, over a floor with some balls.
ModelBuilder MakeMixedModel() {
  ModelBuilder builder;
  builder.AddGroundShape({.shape = HalfSpace{}});
  for (int i = 0; i < 4; ++i) {
    const std::string name = "link" + std::to_string(i);
    RigidBodySpec link = MakeBodySpec(name, {i + 0.5, 0, 0.1});
    link.shapes.push_back({.shape = Sphere{0.1}});
    builder.Add(link);
    JointSpec hinge{.name = "hinge" + std::to_string(i), .type = JointType::kRevolute};
    hinge.body_a = i == 0 ? "ground" : "link" + std::to_string(i - 1);
    hinge.body_b = name;
    hinge.at = Vector3(i, 0, 0.1);
    hinge.axis = Vector3::UnitY();
    hinge.limits = JointLimits{-1, 1, 0};
    hinge.friction = 0.1;
    builder.Add(hinge);
  }
  for (int i = 0; i < 30; ++i) {
    RigidBodySpec ball = MakeBodySpec("ball" + std::to_string(i), {0.19 * i, 1, 0.1});
    ball.shapes.push_back({.shape = Sphere{0.1}});
    builder.Add(ball);
  }
  SpringSpec spring{.name = "spring", .body_a = "link0", .body_b = "link3", .stiffness = 10};
  ForceLoadSpec push{.name = "push", .body = "link2"};
  ContactSpec stop{.name = "stop", .body = "link3", .surface = PlaneSurface{}};
  return builder.Add(spring).Add(push).Add(stop);
}

TEST(SteadyState, NoHeapTraffic) {
  if (!SALTUS_COUNTS_MALLOC) GTEST_SKIP() << "malloc cannot be counted under the sanitizers";
  MultibodySystem system(MakeMixedModel().Build());
  const State state = system.MakeInitialState();
  const VectorX& q = state.q;
  const VectorX& v = state.v;
  BlockMatrix M, K, D;
  SparseRows G;
  ContactSet contacts;
  VectorX f, f_loads, g, g_t, gamma, q_new, delta = v;
  const VectorX lambda = VectorX::Ones(system.traits().num_constraints);
  const auto evaluate = [&] {
    system.CalcMass(q, &M);
    system.CalcForce(0, q, v, &f);
    system.CalcNonconservativeForce(0, q, v, &f_loads);
    system.CalcTangents(0, q, v, TangentKind::kExact, &K, &D);
    system.CalcConstraint(0, q, &g);
    system.CalcConstraintJacobian(0, q, &G);
    system.CalcConstraintRate(0, q, &g_t);
    system.CalcConstraintBias(0, q, v, &gamma);
    system.AddGeometricStiffness(0, q, lambda, &K);
    system.FindContacts(0, q, 0.05, &contacts);
    system.Retract(q, v, &q_new);
    system.CalcDifference(q, q_new, &delta);
    system.CalcEnergy(0, q, v);
    system.CalcSpeedBound(q, v);
  };
  for (int i = 0; i < 3; ++i) evaluate();
  EXPECT_GT(contacts.contacts.size(), 60u);
  EXPECT_EQ(contacts.frictions.size(), 4u);
  const long before = num_allocations;
  for (int i = 0; i < 10; ++i) evaluate();
  EXPECT_GT(before, 0) << "the counter works";
  EXPECT_EQ(num_allocations - before, 0);
}

}  // namespace
}  // namespace saltus
