// Contact laws that are forces, in whole runs: compliant contact and bonds. References are analytic
// or integrated here by other means.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/integrators/generalized_alpha_index3.h"
#include "saltus/integrators/schatzman_paoli.h"
#include "saltus/multibody/contact/compliance.h"
#include "saltus/simulation/test/integrators.h"

namespace saltus {
namespace {

constexpr double kPi = 3.14159265358979323846;

// --- Compliant contact ---------------------------------------------------------------------------

constexpr double kMass = 2, kStiffness = 3e5;

/// A point mass on the z axis above a compliant plane z = 0.
ModelBuilder MakeDrop(const ComplianceSpec& law, double height, double speed, double gravity,
                      double friction = 0) {
  PointMassSpec mass;
  mass.name = "mass";
  mass.mass = kMass;
  mass.position = {0, 0, height};
  mass.velocity = {0, 0, -speed};
  ContactSpec contact;
  contact.name = "pad";
  contact.body = "mass";
  contact.surface = PlaneSurface{};
  contact.friction = friction;
  contact.compliance = law;
  return ModelBuilder().SetGravity({0, 0, -gravity}).Add(mass).Add(contact);
}

ComplianceSpec MakeLaw(ComplianceLaw law, std::optional<double> damping = {}) {
  ComplianceSpec spec;
  spec.law = law;
  spec.stiffness = kStiffness;
  spec.damping = damping;
  return spec;
}

struct Impact {
  double duration = 0, depth = 0, speed = 0;  // s, m, m/s
  Audit audit;
};

/// The mass hits the pad at t = 0.
Impact HitPad(const ComplianceSpec& law, double speed, double h, double until,
              std::unique_ptr<Integrator> integrator) {
  Impact impact;
  double last_z = 0, last_t = 0;
  bool left = false;
  const RunResult run =
      RunWith(MakeDrop(law, 0, speed, 0).Build(), std::move(integrator), h, until,
              [&](const StepView& view) {
                const double z = view.state.q[2];
                impact.depth = std::max(impact.depth, -z);
                if (!left && z > 0 && last_z < 0) {
                  impact.duration = last_t + (view.state.time - last_t) * -last_z / (z - last_z);
                  left = true;
                }
                last_z = z;
                last_t = view.state.time;
              });
  EXPECT_TRUE(run.outcome.good()) << run.outcome.message;
  EXPECT_TRUE(left);
  impact.speed = run.state.v[2];
  impact.audit = run.audit;
  return impact;
}

// ½ m v² = (2/5) k δ^{5/2} gives the depth, and the time is 2∫dδ/δ̇ = (2δ/v) ∫₀¹ dx/√(1 − x^{5/2})
// = (2δ/v) (2/5) √π Γ(2/5)/Γ(9/10) = 2.94319 δ/v.
TEST(Compliance, HertzImpactHasTheAnalyticDurationAndDepth) {
  const double v = 0.8;
  const double depth = std::pow(1.25 * kMass * v * v / kStiffness, 0.4);
  const double factor = 0.8 * std::sqrt(kPi) * std::tgamma(0.4) / std::tgamma(0.9);
  EXPECT_NEAR(factor, 2.9432, 1e-4);
  const double duration = factor * depth / v;
  const std::vector<MakeIntegrator> integrators = {
      [] { return std::make_unique<MoreauJean>(MoreauJeanOptions{}); },
      [] { return std::make_unique<NonsmoothAlpha>(NonsmoothAlphaOptions{}); },
      [] { return std::make_unique<SchatzmanPaoli>(SchatzmanPaoliOptions{}); },
      [] { return std::make_unique<GeneralizedAlphaIndex3>(GeneralizedAlphaIndex3Options{}); }};
  for (const MakeIntegrator& make : integrators) {
    const std::string name = make()->name();
    const double h = duration / 1000;
    const Impact impact = HitPad(MakeLaw(ComplianceLaw::kHertz), v, h, 1.2 * duration, make());
    // Second order: (2π h/duration)² ~ 4e-5.
    EXPECT_NEAR(impact.duration / duration, 1, 1e-4) << name;
    EXPECT_NEAR(impact.depth / depth, 1, 1e-4) << name;
    EXPECT_NEAR(impact.speed / v, 1, 1e-3) << name;
    EXPECT_LT(std::abs(impact.audit.Closure()), 1e-3 * 0.5 * kMass * v * v) << name;
  }
}

/// m δ̈ = −N by Runge–Kutta with tiny steps, from first touch to the end of contact.
Impact IntegrateImpact(const Compliance& law, double speed) {
  double x = 0, u = speed, t = 0;
  const double h = 1e-4 * std::sqrt(kMass / kStiffness);
  const auto a = [&](double depth, double rate) {
    return -CalcNormalForce(law, depth, rate).value / kMass;
  };
  Impact impact;
  while (x > 0 || t == 0) {
    const double x1 = u, u1 = a(x, u);
    const double x2 = u + h / 2 * u1, u2 = a(x + h / 2 * x1, u + h / 2 * u1);
    const double x3 = u + h / 2 * u2, u3 = a(x + h / 2 * x2, u + h / 2 * u2);
    const double x4 = u + h * u3, u4 = a(x + h * x3, u + h * u3);
    x += h / 6 * (x1 + 2 * x2 + 2 * x3 + x4);
    u += h / 6 * (u1 + 2 * u2 + 2 * u3 + u4);
    t += h;
    impact.depth = std::max(impact.depth, x);
  }
  impact.duration = t;
  impact.speed = -u;
  return impact;
}

TEST(Compliance, HuntCrossleyRestitutionFallsWithTheSpeed) {
  ComplianceSpec law = MakeLaw(ComplianceLaw::kHuntCrossley);
  law.restitution = 0.6;
  law.impact_speed = 1;
  const Compliance exact{ComplianceLaw::kHuntCrossley, kStiffness, CalcHuntCrossleyDamping(0.6, 1),
                         1e-3};
  double last = 1;
  for (const double v : {0.25, 1.0, 3.0}) {
    const Impact reference = IntegrateImpact(exact, v);
    const double e = reference.speed / v;
    const double a = exact.damping * v;  // eq. (6) of compliance.h
    EXPECT_NEAR(a - std::log1p(a), -e * a - std::log1p(-e * a), 1e-6) << v;
    if (v == 1) {
      EXPECT_NEAR(e, 0.6, 1e-6);
    }
    EXPECT_LT(e, last);
    last = e;
    for (const MakeIntegrator& make : ListContactIntegrators()) {
      const Impact impact =
          HitPad(law, v, reference.duration / 1000, 1.5 * reference.duration, make());
      EXPECT_NEAR(impact.speed / v, e, 1e-3) << v;
      EXPECT_NEAR(impact.depth / reference.depth, 1, 1e-3) << v;
      const double loss = 0.5 * kMass * v * v * (1 - e * e);
      EXPECT_NEAR(impact.audit.work.contact_loss / loss, 1, 5e-3) << v;
      EXPECT_EQ(impact.audit.work.loads, 0) << v;
    }
  }
}

TEST(Compliance, SpringHasItsHalfPeriodAndTheDamperItsLoss) {
  const double v = 0.5, half_period = kPi * std::sqrt(kMass / kStiffness);
  for (const MakeIntegrator& make : ListContactIntegrators()) {
    const Impact free = HitPad(MakeLaw(ComplianceLaw::kSpringDamper), v, half_period / 1000,
                               1.2 * half_period, make());
    EXPECT_NEAR(free.duration / half_period, 1, 1e-4);
    EXPECT_NEAR(free.speed / v, 1, 2e-3);
    const double damping = 0.2 * 2 * std::sqrt(kMass * kStiffness);
    const Impact reference =
        IntegrateImpact({ComplianceLaw::kSpringDamper, kStiffness, damping, 1e-3}, v);
    const Impact damped = HitPad(MakeLaw(ComplianceLaw::kSpringDamper, damping), v,
                                 half_period / 1000, 1.5 * half_period, make());
    EXPECT_NEAR(damped.speed / v, reference.speed / v, 2e-3);
    EXPECT_NEAR(damped.depth / reference.depth, 1, 2e-3);
  }
}

// A mass set down gently sinks to k δ = m g and k δ^{3/2} = m g.
TEST(Compliance, StaticIndentation) {
  const double weight = kMass * 9.81;
  for (const bool linear : {true, false}) {
    const double damping = linear ? 2 * std::sqrt(kMass * kStiffness) : 20;
    const ComplianceSpec law =
        MakeLaw(linear ? ComplianceLaw::kSpringDamper : ComplianceLaw::kHuntCrossley, damping);
    const double depth = std::pow(weight / kStiffness, linear ? 1 : 2.0 / 3);
    const double start = linear ? 0 : -1.01 * depth;
    const RunResult run = RunModel(MakeDrop(law, start, 0, 9.81).Build(), {}, 1e-3, 2);
    ASSERT_TRUE(run.outcome.good()) << run.outcome.message;
    EXPECT_NEAR(-run.state.q[2] / depth, 1, linear ? 1e-9 : 2e-3);
  }
}

// Regularised friction: sliding at 2 m/s slows down at μ g until the slip speed.
TEST(Compliance, SlidingSlowsDownByCoulombFriction) {
  const double mu = 0.3, g = 9.81, depth = kMass * g / kStiffness;
  const auto make = [&](double slip_speed) {
    ComplianceSpec law = MakeLaw(ComplianceLaw::kSpringDamper, 2 * std::sqrt(kMass * kStiffness));
    law.slip_speed = slip_speed;
    PointMassSpec mass{.name = "mass", .mass = kMass, .position = {0, 0, -depth}};
    mass.velocity = {1.2, 1.6, 0};
    ContactSpec contact{.name = "pad", .body = "mass", .surface = PlaneSurface{}};
    contact.friction = mu;
    contact.compliance = law;
    return ModelBuilder().Add(mass).Add(contact).Build();
  };
  const RunResult run = RunModel(make(1e-4), {}, 1e-3, 0.5);
  ASSERT_TRUE(run.outcome.good()) << run.outcome.message;
  // v_s²/v² of the friction is lost by the regularisation: 1e-8.
  EXPECT_NEAR(run.state.v.head<2>().norm(), 2 - mu * g * 0.5, 1e-6);
  EXPECT_NEAR(run.state.v[0] / run.state.v[1], 0.75, 1e-9);
  const double loss = 0.5 * kMass * (4 - run.state.v.head<2>().squaredNorm());
  EXPECT_NEAR(run.audit.work.contact_loss / loss, 1, 1e-6);
}

// Two soft balls exchange their velocities; a soft ball on a rigid one works as well.
TEST(Compliance, BallsOfShapesCollide) {
  MaterialPairSpec pair;
  pair.materials = {"stuff", "stuff"};
  pair.friction = 0;
  pair.compliance = MakeLaw(ComplianceLaw::kHertz);
  RigidBodySpec a = MakeBody("a", Sphere{0.1}, {-0.15, 0, 0});
  RigidBodySpec b = MakeBody("b", Sphere{0.1}, {0.15, 0, 0});
  a.velocity = {1, 0, 0};
  const auto model = ModelBuilder()
                         .SetGravity(Vector3::Zero())
                         .Add(MakeMaterial(0, 0))
                         .Add(pair)
                         .Add(a)
                         .Add(b)
                         .Build();
  const RunResult run = RunModel(model, {}, 1e-4, 0.3);
  ASSERT_TRUE(run.outcome.good()) << run.outcome.message;
  EXPECT_NEAR(run.state.v[0], 0, 1e-3);
  EXPECT_NEAR(run.state.v[6], 1, 1e-3);
}

// --- Bonds ---------------------------------------------------------------------------------------

constexpr double kBondStiffness = 1e8, kBondEnergy = 1, kBondArea = 0.01;      // N/m³, J/m², m²
const double kStrength = kBondArea * std::sqrt(kBondEnergy * kBondStiffness);  // 100 N

CohesionSpec MakeFremond() {
  return {kBondStiffness, kBondStiffness, kBondEnergy, 0, kBondArea, 1e-6};
}
/// As strong as Frémond's: u₀ = 1e-4 m, u_f = 2 u₀.
CohesionSpec MakeTriangular() {
  CohesionSpec law = MakeFremond();
  law.law = CohesionLaw::kTriangular;
  law.strength = kStrength / kBondArea;
  return law;
}

/// A point of mass `mass` glued under a ceiling, pulled down by `pull` from the start.
std::shared_ptr<const Model> MakeHanging(double mass, const TimeFunction& pull,
                                         const CohesionSpec& law = MakeFremond()) {
  PointMassSpec body{.name = "mass", .mass = mass};
  ContactSpec contact{.name = "glue", .body = "mass"};
  contact.surface = PlaneSurface{.normal = -Vector3::UnitZ()};
  contact.cohesion = law;
  ForceLoadSpec load{.name = "pull", .body = "mass"};
  load.force = {TimeFunction(0.0), TimeFunction(0.0), pull};
  return ModelBuilder().SetGravity(Vector3::Zero()).Add(body).Add(contact).Add(load).Build();
}

/// Whether the bond survives a sudden constant pull, given as a part of its strength.
bool Holds(double part, std::unique_ptr<Integrator> integrator, Audit* audit,
           const CohesionSpec& law = MakeFremond()) {
  const double omega = std::sqrt(kBondStiffness * kBondArea / 10);
  const RunResult run = RunWith(MakeHanging(10, TimeFunction(-part * kStrength), law),
                                std::move(integrator), 0.02 / omega, 40 / omega);
  EXPECT_TRUE(run.outcome.good()) << run.outcome.message;
  *audit = run.audit;
  return -run.state.q[2] < 4 * std::sqrt(kBondEnergy / kBondStiffness);
}

// A sudden pull F stretches the bond until F u equals the work under its law. With x = u/u₀ ≥ 1
// that work is A w (1 − 1/(2x²)), so the bond breaks if
// F/(A √(w c)) > max (1/x − 1/(2x³)) = (2/3)^{3/2}. Below ½ nothing is damaged at all.
TEST(Bond, SuddenPullBreaksItAtTheExactLoad) {
  const double limit = std::pow(2.0 / 3, 1.5);  // 0.54433
  for (const MakeIntegrator& make : ListContactIntegrators()) {
    Audit audit;
    EXPECT_TRUE(Holds(0.495, make(), &audit));
    EXPECT_EQ(audit.work.decohesion_loss, 0);
    EXPECT_TRUE(Holds(0.99 * limit, make(), &audit));
    EXPECT_GT(audit.work.decohesion_loss, 0.1 * kBondArea * kBondEnergy);
    EXPECT_FALSE(Holds(1.01 * limit, make(), &audit));
    EXPECT_NEAR(audit.work.decohesion_loss, kBondArea * kBondEnergy,
                1e-2 * kBondArea * kBondEnergy);
    EXPECT_LT(audit.RelativeClosure(), 1e-2);
  }
}

// With x = u/u₀ and r = u_f/u₀ = 2 the work under the triangle is
// A σ u₀ (x − ½ − ½ (x − 1)²/(r − 1)) for 1 ≤ x ≤ r, so the bond breaks if
// F/(A σ) > max (x − ½ − ½ (x − 1)²)/x = 2 − √2 at x = √2.
TEST(Bond, SuddenPullBreaksTheTriangularLawAtTheExactLoad) {
  const double limit = 2 - std::sqrt(2.0);  // 0.58579
  for (const MakeIntegrator& make : ListContactIntegrators()) {
    Audit audit;
    EXPECT_TRUE(Holds(0.495, make(), &audit, MakeTriangular()));
    EXPECT_EQ(audit.work.decohesion_loss, 0);
    EXPECT_TRUE(Holds(0.99 * limit, make(), &audit, MakeTriangular()));
    EXPECT_GT(audit.work.decohesion_loss, 0.05 * kBondArea * kBondEnergy);
    EXPECT_FALSE(Holds(1.01 * limit, make(), &audit, MakeTriangular()));
    EXPECT_NEAR(audit.work.decohesion_loss, kBondArea * kBondEnergy,
                1e-9 * kBondArea * kBondEnergy);  // gone at u_f, all of w
    EXPECT_LT(audit.RelativeClosure(), 1e-2);
  }
}

TEST(Bond, SlowPullBreaksItAtItsStrength) {
  for (const MakeIntegrator& make : ListContactIntegrators()) {
    double broken = 0;
    const RunResult run = RunWith(MakeHanging(1, TimeFunction([](double t) {
                                                return TimeJet{-50 * t, -50, 0};
                                              })),
                                  make(), 1e-3, 2.2, [&](const StepView& view) {
                                    if (broken == 0 && view.state.internal[0] < 0.5)
                                      broken = 50 * view.state.time;
                                  });
    ASSERT_TRUE(run.outcome.good()) << run.outcome.message;
    // The load rises by 50/√(cA/m) = 0.05 N in the time that the mass needs to answer.
    EXPECT_NEAR(broken, kStrength, 0.5);
  }
}

// First swing with damage, against Runge–Kutta with tiny steps; the ledger closes as h → 0.
TEST(Bond, ConvergesWithItsLedger) {
  const double mass = 10, F = 0.53 * kStrength, until = 0.012;
  double u = 0, v = 0, beta = 1;
  const int fine = 400000;
  const double dt = until / fine;
  const auto force = [&](double x) {
    const double e = kBondStiffness * x * x;
    const double b = std::min(beta, e > 0 ? kBondEnergy / e : 1.0);
    return F - kBondArea * b * b * kBondStiffness * x;
  };
  for (int i = 0; i < fine; ++i) {
    v += 0.5 * dt * force(u) / mass;
    u += dt * v;
    v += 0.5 * dt * force(u) / mass;
    beta = std::min(beta, kBondEnergy / (kBondStiffness * u * u));
  }
  ASSERT_LT(beta, 0.95);
  for (const MakeIntegrator& make : ListContactIntegrators()) {
    std::vector<double> steps, errors, closures;
    for (int n = 40; n <= 2560; n *= 2) {
      const RunResult run = RunWith(MakeHanging(mass, TimeFunction(-F)), make(), until / n, until);
      ASSERT_TRUE(run.outcome.good()) << run.outcome.message;
      steps.push_back(until / n);
      errors.push_back(std::abs(-run.state.q[2] - u));
      closures.push_back(run.audit.RelativeClosure());
    }
    EXPECT_GT(FitOrder(steps, errors), 0.9);
    EXPECT_LT(errors.back(), 1e-3 * u);
    EXPECT_LT(closures.back(), 0.1 * closures.front());
    EXPECT_LT(closures.back(), 1e-3);
  }
}

// A rejected step takes its damage back, and a run goes on from a checkpoint bit for bit.
TEST(Bond, DamageIsPartOfTheState) {
  const auto model = MakeHanging(10, TimeFunction(-0.53 * kStrength));
  MultibodySystem system(model);
  MoreauJean integrator{MoreauJeanOptions{}};
  State state = system.MakeInitialState();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(integrator.Step(system, 1e-4, &state).ok());
  const State saved = state;
  ASSERT_LT(saved.internal[0], 1);
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(integrator.Step(system, 1e-4, &state).ok());
  const State once = state;
  MultibodySystem other(model);
  MoreauJean fresh{MoreauJeanOptions{}};
  state = saved;
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(fresh.Step(other, 1e-4, &state).ok());
  EXPECT_EQ(state.q, once.q);
  EXPECT_EQ(state.v, once.v);
  EXPECT_EQ(state.internal, once.internal);
}

}  // namespace
}  // namespace saltus
