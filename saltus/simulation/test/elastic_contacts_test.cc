// Friction of finite stiffness, eq. (10) of moreau_jean.h: deflections, hyperstatic forces, slip,
// steps of changing length, rest, and piles that rigid friction leaves unsolved.
#include <cmath>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/simulation/test/physics.h"

namespace saltus {
namespace {

constexpr double kStep = 0.005, kGravity = 9.81, kMass = 0.2;

MoreauJeanOptions MakeElastic(double stiffness) {
  MoreauJeanOptions options;
  options.theta = 1;
  options.tangential_stiffness = stiffness;
  options.solver_options.tolerance = 1e-13;
  return options;
}

ModelBuilder MakeGround() {
  ModelBuilder builder;
  builder.SetGravity({0, 0, -kGravity});
  builder.Add(MakeMaterial(0.5, 0));
  builder.AddGroundShape(MakeFloor());
  return builder;
}

/// A mass of 0.2 kg on the floor, μ = 0.5, that does not turn, pulled along x by this part of its
/// weight.
std::shared_ptr<const Model> BuildPulledMass(double part) {
  ModelBuilder builder = MakeGround();
  PointMassSpec mass{.name = "mass", .mass = kMass, .position = {0, 0, 0.1}};
  mass.shapes.push_back({Sphere{0.1}, Pose{}, "stuff", 0});
  builder.Add(mass);
  ForceLoadSpec load{.name = "pull", .body = "mass"};
  load.force = {TimeFunction(part * kMass * kGravity), TimeFunction(0.0), TimeFunction(0.0)};
  return builder.Add(load).Build();
}

/// A slab of 1 m × 2 m × 0.1 m on the floor, its centre of mass `x` in front of its middle, pulled
/// along x at the height of the floor.
std::shared_ptr<const Model> BuildSlab(double x, double pull) {
  RigidBodySpec slab = MakeBody("slab", Box{{0.5, 1, 0.05}}, {0, 0, 0.05});
  slab.shapes[0].pose.p = {-x, 0, 0};
  slab.mass = kMass;
  slab.inertia = Vector3(0.07, 0.02, 0.08).asDiagonal();
  ForceLoadSpec load{.name = "pull", .body = "slab", .at = {0, 0, -0.05}};
  load.force = {TimeFunction(pull), TimeFunction(0.0), TimeFunction(0.0)};
  return MakeGround().Add(slab).Add(load).Build();
}

// The spring carries the load that pulls: x = F/k. Nothing creeps afterwards, and nothing moves if
// steps of another length follow.
TEST(ElasticFriction, PulledMassYieldsAndRests) {
  const double k = 1e6;
  MultibodySystem system(BuildPulledMass(0.3));
  MoreauJean integrator(MakeElastic(k));
  State state = system.MakeInitialState();
  const double expected = 0.3 * kMass * kGravity / k;  // 0.6 µm
  for (const double h : {kStep, 0.3 * kStep, 2 * kStep}) {
    for (int i = 0; i < 400; ++i) {
      const StepReport& report = integrator.Step(system, h, &state);
      ASSERT_TRUE(report.ok());
      EXPECT_LT(report.max_penetration, 1e-9);
      EXPECT_LT(report.max_complementarity, 1e-12);
      if (h == kStep && i < 300) continue;
      EXPECT_NEAR(state.q[0], expected, 1e-7 * expected) << h << " " << i;
      EXPECT_LT(state.v.norm(), 1e-12) << h << " " << i;
    }
  }
}

// Beyond friction the mass slides as on a rigid floor: the spring is full, and all of its speed is
// slip.
TEST(ElasticFriction, SlidesWithCoulombsForce) {
  MultibodySystem system(BuildPulledMass(0.6));
  MoreauJean integrator(MakeElastic(1e6));
  State state = system.MakeInitialState();
  double last = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(integrator.Step(system, kStep, &state).ok());
    if (i > 50) {
      EXPECT_NEAR((state.v[0] - last) / kStep, 0.1 * kGravity, 1e-8);
    }
    last = state.v[0];
  }
}

// A slab on four corners is hyperstatic. Equal springs share a pull through their middle equally,
// although the corners bear different parts of the weight, and yield by F/(4k).
TEST(ElasticFriction, FourCornersShareThePull) {
  const double k = 1e4, pull = 0.1 * kMass * kGravity;
  MultibodySystem system(BuildSlab(0.15, pull));
  MoreauJean integrator(MakeElastic(k));
  State state = system.MakeInitialState();
  for (int i = 0; i < 800; ++i) ASSERT_TRUE(integrator.Step(system, kStep, &state).ok());
  const StepReport& report = integrator.Step(system, kStep, &state);
  ASSERT_EQ(report.contacts.size(), 4u);
  EXPECT_LT(state.v.norm(), 1e-12);
  EXPECT_NEAR(state.q[0], pull / (4 * k), 1e-9 * pull / k);
  for (const ContactResult& c : report.contacts) {
    const Vector3 force = c.frame * c.impulse / kStep;
    EXPECT_NEAR(std::abs(force.x()), 0.25 * pull, 1e-9 * pull);
    EXPECT_NEAR(force.y(), 0, 1e-9 * pull);
  }
}

// An impact in a very short step is a large force. The spring has had no time to yield to it, and
// returns no more in the long steps that follow than it has taken.
TEST(ElasticFriction, ImpactInAShortStepGainsNothing) {
  ModelBuilder builder = MakeGround();
  PointMassSpec mass{
      .name = "mass", .mass = kMass, .position = {0, 0, 0.100001}, .velocity = {1, 0, -1}};
  mass.shapes.push_back({Sphere{0.1}, Pose{}, "stuff", 0});
  MultibodySystem system(builder.Add(mass).Build());
  for (const double k : {1e2, 1e5, 1e8}) {
    MoreauJean integrator(MakeElastic(k));
    State state = system.MakeInitialState();
    const auto energy = [&] { return system.CalcEnergy(state.time, state.q, state.v).total(); };
    const double start = energy();
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(integrator.Step(system, i == 0 ? 1e-5 : 0.01, &state).ok());
      EXPECT_LE(energy(), start) << k << " " << i;
    }
  }
}

/// The forces that the springs remember, world axes, 3 for each contact of state.contacts.
VectorX Springs(const State& state) { return state.integrator.at("moreau-jean.springs"); }

// A spring remembers what stretches it, the force along the surface. The weight is twice as large
// as the pull: remembered with it, it would pull sideways as soon as the contact turns.
TEST(ElasticFriction, RemembersNoNormalForce) {
  MultibodySystem system(BuildPulledMass(0.4));
  MoreauJean integrator(MakeElastic(1e6));
  State state = system.MakeInitialState();
  for (int i = 0; i < 400; ++i) ASSERT_TRUE(integrator.Step(system, kStep, &state).ok());
  ASSERT_EQ(state.contacts.size(), 1u);
  const double weight = kMass * kGravity;
  EXPECT_NEAR(state.contacts[0].impulse.z(), weight * kStep, 1e-9 * weight * kStep);
  ASSERT_EQ(Springs(state).size(), 3);
  EXPECT_LT((Springs(state) - Vector3(-0.4 * weight, 0, 0)).norm(), 1e-7 * weight);
}

// The impulse of an impact by Poisson's law acts at once. The mass leaves the floor with the speed
// of eqs. (4) and (9), v_N⁺ = e, v_T⁺ = 1 − μ(1 + e) > 0, and takes no stretched spring with it.
TEST(ElasticFriction, PoissonsImpactStretchesNoSpring) {
  const double e = 0.5;
  ModelBuilder builder;
  MaterialSpec stuff = MakeMaterial(0.5, e);
  stuff.restitution_law = RestitutionLaw::kPoisson;
  builder.SetGravity(Vector3::Zero());
  builder.Add(stuff);
  builder.AddGroundShape(MakeFloor());
  PointMassSpec mass{
      .name = "mass", .mass = kMass, .position = {0, 0, 0.1}, .velocity = {1, 0, -1}};
  mass.shapes.push_back({Sphere{0.1}, Pose{}, "stuff", 0});
  MultibodySystem system(builder.Add(mass).Build());
  MoreauJean integrator(MakeElastic(1e4));
  State state = system.MakeInitialState();
  ASSERT_TRUE(integrator.Step(system, kStep, &state).ok());
  EXPECT_LT((state.v - Vector3(1 - 0.5 * (1 + e), 0, e)).norm(), 1e-12);
  ASSERT_EQ(state.contacts.size(), 1u);
  EXPECT_NEAR(state.contacts[0].impulse.x(), -0.5 * (1 + e) * kMass, 1e-12);
  EXPECT_EQ(Springs(state).norm(), 0);
}

// What the spring stores and returns is in the ledger.
TEST(ElasticFriction, LedgerCloses) {
  MoreauJeanOptions options = MakeElastic(1e6);
  options.theta = 0.5;
  options.projection = false;
  const RunResult result = RunModel(BuildPulledMass(0.3), options, kStep, 1);
  ASSERT_TRUE(result.outcome.good()) << result.outcome.message;
  EXPECT_LT(result.audit.RelativeClosure(), 1e-9);
}

// Spheres that collapse into a box: of rigid ones most steps are not solved to 1e-6 (decision
// 0002), with springs all are.
TEST(ElasticFriction, PileIsSolvedInEveryStep) {
  ModelBuilder builder = MakeGround();
  for (const Vector3& n :
       {Vector3(1, 0, 0), Vector3(-1, 0, 0), Vector3(0, 1, 0), Vector3(0, -1, 0)}) {
    builder.AddGroundShape(MakeFloor(n, -0.6));
  }
  for (int i = 0; i < 64; ++i) {
    const double shift = i / 16 % 2 == 0 ? 0.0 : 0.05;
    builder.Add(MakeBody(
        "sphere_" + std::to_string(i), Sphere{0.1},
        {0.21 * (i % 4 - 1.5) + shift, 0.21 * (i / 4 % 4 - 1.5) + shift, 0.15 + 0.21 * (i / 16)}));
  }
  MoreauJeanOptions options;
  options.theta = 1;
  options.activation = MoreauJeanOptions::Activation::kLinearized;
  options.projection_tolerance = 9e-7;
  options.tangential_stiffness = 3e5;
  options.solver_options.tolerance = 1e-6;
  const RunResult result = RunModel(builder.Build(), options, kStep, 1.5);
  ASSERT_TRUE(result.outcome.good()) << result.outcome.message;
  EXPECT_LT(result.audit.max_penetration, 1e-6);
  EXPECT_LT(result.audit.solver_iterations, 100 * result.audit.steps);
}

// A run that goes on with rigid friction leaves no springs behind for one after it.
TEST(ElasticFriction, RigidStepsForgetTheSprings) {
  MultibodySystem system(BuildPulledMass(0.4));
  MoreauJean elastic(MakeElastic(1e6)), rigid(MakeElastic(0));
  State state = system.MakeInitialState();
  ASSERT_TRUE(elastic.Step(system, kStep, &state).ok());
  EXPECT_GT(Springs(state).norm(), 0);
  ASSERT_TRUE(rigid.Step(system, kStep, &state).ok());
  EXPECT_FALSE(state.integrator.contains("moreau-jean.springs"));
}

// e_T u_T⁻ of (5) in every step would change the stiffness: k (1 + e_T).
TEST(ElasticFriction, RefusesTangentialRestitution) {
  ModelBuilder builder;
  MaterialSpec stuff = MakeMaterial(0.5, 0);
  stuff.restitution_tangential = -1;
  builder.Add(stuff).AddGroundShape(MakeFloor());
  builder.Add(MakeBody("ball", Sphere{0.1}, {0, 0, 0.1}));
  MultibodySystem system(builder.Build());
  State state = system.MakeInitialState();
  MoreauJean integrator(MakeElastic(1e6));
  EXPECT_THROW((void)integrator.Step(system, kStep, &state), InputError);
}

TEST(ElasticFriction, RefusesStiffnessThatIsNone) {
  for (const double k :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(MoreauJean(MakeElastic(k)), InputError);
  }
}

}  // namespace
}  // namespace saltus
