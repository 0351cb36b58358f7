// Laws of contact as forces: their derivatives, the contract of their systems, and bonds.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/dynamics/test/system_contract.h"
#include "saltus/multibody/contact/compliance.h"
#include "saltus/multibody/test/models.h"

namespace saltus {
namespace {

constexpr ComplianceLaw kLaws[] = {ComplianceLaw::kSpringDamper, ComplianceLaw::kHertz,
                                   ComplianceLaw::kHuntCrossley};

ComplianceSpec MakeLaw(ComplianceLaw law) {
  ComplianceSpec spec;
  spec.law = law;
  spec.stiffness = 800;
  if (law == ComplianceLaw::kSpringDamper) spec.damping = 6;
  if (law == ComplianceLaw::kHuntCrossley) spec.damping = 0.1;
  spec.slip_speed = 0.5;
  return spec;
}

TEST(Compliance, ForceHasExactDerivatives) {
  std::mt19937 random(3);
  for (const ComplianceLaw kind : kLaws) {
    const Compliance law{kind, 800, kind == ComplianceLaw::kSpringDamper ? 6 : 0.1, 0.5};
    const double gap = -0.2, mu = 0.4;
    const Vector3 n = MakeRandomVector(3, &random).normalized();
    const Vector3 w = MakeRandomVector(3, &random);
    const CompliantForce F = CalcCompliantForce(law, mu, gap, n, w);
    const auto value = [&](double g, const Vector3& m, const Vector3& u) {
      return VectorX(CalcCompliantForce(law, mu, g, m, u).value);
    };
    contract::ExpectNear(
        F.by_gap, contract::Differentiate([&](double s) { return value(gap + s, n, w); }, 1e-3),
        1e-8, "by gap");
    for (int i = 0; i < 3; ++i) {
      const Vector3 d = Vector3::Unit(i);
      contract::ExpectNear(
          F.by_velocity.col(i),
          contract::Differentiate([&](double s) { return value(gap, n, w + s * d); }, 1e-3), 1e-8,
          "by velocity");
      contract::ExpectNear(
          F.by_normal.col(i),
          contract::Differentiate([&](double s) { return value(gap, n + s * d, w); }, 1e-3), 1e-8,
          "by normal");
    }
  }
}

TEST(Compliance, NothingPullsAndTheDamperNeverExceedsTheSpring) {
  for (const ComplianceLaw kind : kLaws) {
    const Compliance law{kind, 800, 6, 0.5};
    for (const double rate : {-100.0, -1.0, 0.0, 1.0, 100.0}) {
      EXPECT_EQ(CalcNormalForce(law, 0, rate).value, 0);
      EXPECT_EQ(CalcNormalForce(law, -0.1, rate).value, 0);
      EXPECT_GE(CalcNormalForce(law, 1e-3, rate).value, 0);
    }
  }
  const Compliance linear{ComplianceLaw::kSpringDamper, 800, 6, 0.5};
  EXPECT_DOUBLE_EQ(CalcNormalForce(linear, 0.01, 0.5).value, 8 + 3);
  EXPECT_DOUBLE_EQ(CalcNormalForce(linear, 0.01, 50).value, 16);
}

// Eq. (6) of compliance.h: the two sides agree, and χ → (3/2)(1 − e)/v for e → 1.
TEST(Compliance, HuntCrossleyDampingFollowsFromRestitution) {
  for (const double e : {0.1, 0.2, 0.5, 0.9, 0.999}) {
    const double v = 0.7;
    const double a = CalcHuntCrossleyDamping(e, v) * v;
    EXPECT_NEAR(a - std::log1p(a), -e * a - std::log1p(-e * a), 1e-12 * (1 + a)) << e;
  }
  EXPECT_EQ(CalcHuntCrossleyDamping(1, 2), 0);
  EXPECT_NEAR(CalcHuntCrossleyDamping(0.01, 2) * 2, 100, 1e-12);      // 1/e up to exp(−95)
  EXPECT_NEAR(CalcHuntCrossleyDamping(0.9999, 2) * 2, 1.5e-4, 3e-8);  // next term: 1.5 (1 − e)²
}

ShapeSpec MakeShape(const Shape& shape, const char* material = "soft") {
  ShapeSpec spec;
  spec.shape = shape;
  spec.material = material;
  return spec;
}

ModelBuilder MakeSoftWorld(ComplianceLaw law) {
  MaterialPairSpec pair;
  pair.materials = {"soft", "soft"};
  pair.friction = 0.4;
  pair.compliance = MakeLaw(law);
  return ModelBuilder().Add(MaterialSpec{.name = "soft"}).Add(pair);
}

/// The law is smooth only inside the contact: differences must stay there.
void CheckContract(const ModelBuilder& builder) {
  MultibodySystem system(builder.Build());
  ContractOptions options;
  options.step = 1e-4;
  options.tolerance = 1e-7;  // dn and dx are differences with a step of 1e-6: errors of 1e-10/1e-3
  for (unsigned seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CheckSystemContract(&system, MakeContractPoint(system, seed, 0.02), options);
  }
}

TEST(Compliance, KeepsTheContract) {
  for (const ComplianceLaw law : kLaws) {
    SCOPED_TRACE(ComplianceLawName(law));
    RigidBodySpec ball = MakeBodySpec("ball", {0, 0, 0.4});
    ball.shapes = {MakeShape(Sphere{0.5})};
    CheckContract(MakeSoftWorld(law).Add(ball).AddGroundShape(MakeShape(HalfSpace{})));
    RigidBodySpec other = MakeBodySpec("other", {0.6, 0.3, 0.3});
    other.shapes = {MakeShape(Sphere{0.4})};
    CheckContract(MakeSoftWorld(law).Add(ball).Add(other));
    RigidBodySpec box = MakeBodySpec("box", {0, 0, 0.3});
    box.orientation = Quaternion::Identity();
    box.shapes = {MakeShape(Box{{0.5, 0.4, 0.35}})};
    CheckContract(MakeSoftWorld(law).Add(box).AddGroundShape(MakeShape(HalfSpace{})));
  }
}

TEST(Compliance, NamedContactsKeepTheContract) {
  for (const ComplianceLaw law : kLaws) {
    SCOPED_TRACE(ComplianceLawName(law));
    ContactSpec contact;
    contact.name = "stop";
    contact.body = "a";
    contact.at = {0.1, 0.2, -0.1};
    contact.friction = 0.3;
    contact.compliance = MakeLaw(law);
    contact.surface = PlaneSurface{"b", {0.2, 0.3, 1}, 0.9};
    const ModelBuilder pair = ModelBuilder()
                                  .Add(MakeBodySpec("a", {0.2, -0.1, 0.3}))
                                  .Add(MakeBodySpec("b", {0.3, 0.1, -0.2}));
    CheckContract(ModelBuilder(pair).Add(contact));
    contact.surface = CircleSurface{.body = "b", .radius = 1.5, .up = Vector3(0, 1, 0)};
    CheckContract(ModelBuilder(pair).Add(contact));
  }
}

TEST(Compliance, PlanarModelsKeepTheContract) {
  RigidBodySpec box = MakePlanarBodySpec("box", {0, 0, 0.3});
  box.orientation = Quaternion::Identity();
  box.shapes = {MakeShape(Box{{0.5, 0.4, 0.35}})};
  ModelBuilder builder = MakeSoftWorld(ComplianceLaw::kHuntCrossley);
  builder.SetPlanar(MakePlane("xz")).Add(box).AddGroundShape(MakeShape(HalfSpace{}));
  CheckContract(builder);
  // Four corners, two in the plane: the force of each counts once.
  MultibodySystem system(builder.Build());
  const State state = system.MakeInitialState();
  EXPECT_EQ(system.ListContactForces(state.q, state.v).size(), 2u);
}

TEST(Compliance, CompliantPairsAreForcesAndNoContacts) {
  RigidBodySpec ball = MakeBodySpec("ball", {0, 0, 0.4});
  ball.shapes = {MakeShape(Sphere{0.5})};
  MultibodySystem system(MakeSoftWorld(ComplianceLaw::kHertz)
                             .Add(ball)
                             .AddGroundShape(MakeShape(HalfSpace{}))
                             .Build());
  const State state = system.MakeInitialState();
  ContactSet contacts;
  system.FindContacts(0, state.q, 1, &contacts);
  EXPECT_TRUE(contacts.contacts.empty());
  const auto forces = system.ListContactForces(state.q, state.v);
  ASSERT_EQ(forces.size(), 1u);
  EXPECT_NEAR(forces[0].force[0], 800 * std::pow(0.1, 1.5), 1e-9);
  EXPECT_NEAR(system.CalcEnergy(0, state.q, state.v).elastic, 0.4 * 800 * std::pow(0.1, 2.5), 1e-9);
}

TEST(Compliance, WrongParametersAreNamed) {
  const auto build = [](const ComplianceSpec& spec) {
    MaterialPairSpec pair;
    pair.materials = {"soft", "soft"};
    pair.compliance = spec;
    return ModelBuilder().Add(MaterialSpec{.name = "soft"}).Add(pair).Build();
  };
  ComplianceSpec none;
  EXPECT_THROW(build(none), InputError);
  ComplianceSpec both = MakeLaw(ComplianceLaw::kHertz);
  both.modulus = 1e9;
  EXPECT_THROW(build(both), InputError);
  ComplianceSpec damped = MakeLaw(ComplianceLaw::kHertz);
  damped.damping = 1;
  EXPECT_THROW(build(damped), InputError);
  ComplianceSpec twice = MakeLaw(ComplianceLaw::kHuntCrossley);
  twice.restitution = 0.5;
  EXPECT_THROW(build(twice), InputError);
  ComplianceSpec hertz;
  hertz.law = ComplianceLaw::kHertz;
  hertz.modulus = 3e6;
  hertz.radius = 0.25;
  const auto model = build(hertz);
  EXPECT_DOUBLE_EQ(model->contact.laws.back().compliance->stiffness, 4.0 / 3 * 3e6 * 0.5);
}

// --- Bonds ---------------------------------------------------------------------------------------

constexpr double kNormal = 1e8, kTangential = 4e7, kEnergy = 2, kArea = 0.01;

/// A block under a ceiling, glued at four points.
ModelBuilder MakeGlued(double viscosity = 0) {
  MaterialPairSpec glue;
  glue.materials = {"soft", "soft"};
  glue.friction = 0;
  glue.cohesion = CohesionSpec{kNormal, kTangential, kEnergy, viscosity, kArea, 1e-6};
  RigidBodySpec block = MakeBodySpec("block", {0, 0, -0.1});
  block.orientation = Quaternion::Identity();
  block.shapes = {MakeShape(Box{{0.05, 0.05, 0.1}})};
  return ModelBuilder()
      .SetGravity(Vector3::Zero())
      .Add(MaterialSpec{.name = "soft"})
      .Add(glue)
      .Add(block)
      .AddGroundShape(MakeShape(HalfSpace{-Vector3::UnitZ(), 0}));
}

TEST(Bond, KeepsTheContractWholeAndWhileItBreaks) {
  MultibodySystem system(MakeGlued().Build());
  ASSERT_EQ(system.model().bonds.size(), 4u);
  ContractOptions options;
  options.step = 1e-6;  // u₀ = 1.4e-4 m: the law is smooth on one side of it
  options.tolerance = 1e-6;
  ContractPoint point = MakeContractPoint(system, 5, 2e-5);
  point.t = 0;
  point.q[2] -= 0.3 * std::sqrt(kEnergy / kNormal);
  CheckSystemContract(&system, point, options);
  // Breaking uses up energy, which is no power of a force: only the tangents are checked.
  point.q[2] -= 3 * std::sqrt(kEnergy / kNormal);
  contract::CheckTangents(system, point, options);
  MultibodySystem viscous(MakeGlued(0.1).Build());
  point.t = 0.05;
  contract::CheckTangents(viscous, point, options);
}

struct Pull {
  MultibodySystem system;
  State state;
  double spent = 0;  // J
  explicit Pull(const ModelBuilder& builder) : system(builder.Build()) {
    state = system.MakeInitialState();
  }
  /// Moves the block down and along x; returns the pull on it.
  Vector3 MoveTo(double down, double along, double elapsed = 1) {
    system.BeginStep(state);
    state.time += elapsed;
    state.q[0] = along;
    state.q[2] = -0.1 - down;
    VectorX f;
    system.CalcForce(state.time, state.q, state.v, &f);
    spent += system.EndStep(&state);
    return f.head<3>();
  }
  double stored() const { return system.CalcEnergy(state.time, state.q, state.v).elastic; }
};

// Onset u₀ = √(w/c_N), peak traction √(w c_N), then w²/(c_N u³); the whole energy is w per area.
TEST(Bond, SlowOpeningFollowsTheLaw) {
  Pull pull(MakeGlued());
  const double u0 = std::sqrt(kEnergy / kNormal);
  double work = 0, last = 0, peak = 0;
  const int n = 1000;
  for (int i = 1; i <= 40 * n; ++i) {
    const double u = u0 * i / n;
    const double traction = pull.MoveTo(u, 0).z() / kArea;
    const double exact = u <= u0 ? kNormal * u : kEnergy * kEnergy / (kNormal * u * u * u);
    ASSERT_NEAR(traction, exact, 1e-9 * std::sqrt(kEnergy * kNormal)) << u / u0;
    work += 0.5 * (last + traction) * u0 / n * kArea;
    last = traction;
    peak = std::max(peak, traction);
    if (i == n) {
      EXPECT_NEAR(work, 0.5 * kEnergy * kArea, 1e-12);  // half before u₀, all of it stored
      EXPECT_EQ(pull.spent, 0);
    }
  }
  EXPECT_NEAR(peak, std::sqrt(kEnergy * kNormal), 1e-3 * peak);
  // At 40 u₀ the work is w (1 − 1/(2·40²)); the sum over trapezoids errs by 1/n².
  EXPECT_NEAR(work / (kEnergy * kArea), 1 - 0.5 / 1600, 3e-6);
  EXPECT_NEAR(pull.spent + pull.stored(), work, 3e-6 * kEnergy * kArea);
  EXPECT_NEAR(pull.spent, kEnergy * kArea * (1 - 1.0 / 1600), 1e-9);
}

TEST(Bond, UnloadsAlongTheSecantWithoutLoss) {
  Pull pull(MakeGlued());
  const double u0 = std::sqrt(kEnergy / kNormal);
  const double largest = pull.MoveTo(2 * u0, 0).z();
  const double spent = pull.spent;
  for (const double part : {0.75, 0.5, 0.0, 0.3, 1.0}) {
    EXPECT_NEAR(pull.MoveTo(2 * u0 * part, 0).z(), part * largest, 1e-9 * largest);
  }
  EXPECT_EQ(pull.spent, spent);
  EXPECT_NEAR(pull.state.internal[0], 0.25, 1e-12);  // β = w/(c_N u²)
  EXPECT_EQ(pull.MoveTo(-1e-5, 0).z(), 0);           // in compression the bond does not act
}

TEST(Bond, MixedModeSharesOneAdhesion) {
  Pull pull(MakeGlued());
  const double un = 1e-4, ut = 2.5e-4;
  const double e = kNormal * un * un + kTangential * ut * ut;
  ASSERT_GT(e, kEnergy);
  const double beta = kEnergy / e;
  const Vector3 F = pull.MoveTo(un, ut);
  EXPECT_NEAR(pull.state.internal[0], beta, 1e-12);
  EXPECT_NEAR(F.z(), kArea * beta * beta * kNormal * un, 1e-9);
  EXPECT_NEAR(F.x(), -kArea * beta * beta * kTangential * ut, 1e-9);
  EXPECT_NEAR(F.y(), 0, 1e-12);
}

constexpr double kPeak = 5e3;  // σ, N/m²; u₀ = 5e-5 m, u_f = 8e-4 m

ModelBuilder MakeTriangular() {
  ModelBuilder builder = MakeGlued();
  MaterialPairSpec glue;
  glue.materials = {"soft", "soft"};
  glue.friction = 0;
  glue.cohesion =
      CohesionSpec{kNormal, kTangential, kEnergy, 0, kArea, 1e-6, CohesionLaw::kTriangular, kPeak};
  return builder.Add(glue);
}

// Traction c_N u up to σ at u₀ = σ/c_N, then a straight line to 0 at u_f = 2w/σ; the area is w.
TEST(TriangularBond, SlowOpeningFollowsTheLaw) {
  Pull pull(MakeTriangular());
  const double onset = kPeak / kNormal, end = 2 * kEnergy / kPeak;
  double work = 0, last = 0;
  const int n = 16000;  // u₀ is a point of this grid: trapezoids are exact
  for (int i = 1; i <= n; ++i) {
    const double u = end * i / n;
    const double traction = pull.MoveTo(u, 0).z() / kArea;
    const double exact = u <= onset ? kNormal * u : kPeak * (end - u) / (end - onset);
    ASSERT_NEAR(traction, exact, 1e-9 * kPeak) << u / onset;
    work += 0.5 * (last + traction) * end / n * kArea;
    last = traction;
    if (i % 1000 == 0) {  // The ledger closes at every opening.
      EXPECT_NEAR(pull.spent + pull.stored(), work, 1e-9 * kEnergy * kArea);
    }
  }
  EXPECT_NEAR(work, kEnergy * kArea, 1e-9 * kEnergy * kArea);
  EXPECT_NEAR(pull.spent, kEnergy * kArea, 1e-9 * kEnergy * kArea);
  EXPECT_NEAR(pull.MoveTo(1.5 * end, 0).z(), 0, 1e-12);
  EXPECT_EQ(pull.state.internal[0], 0);
  EXPECT_NEAR(pull.MoveTo(0.5 * onset, 0).z(), 0, 1e-12);  // broken for good
}

TEST(TriangularBond, UnloadsAlongTheSecantAndMixesTheModes) {
  Pull pull(MakeTriangular());
  const double onset = kPeak / kNormal, end = 2 * kEnergy / kPeak;
  const double largest = pull.MoveTo(4 * onset, 0).z();
  EXPECT_NEAR(largest, kArea * kPeak * (end - 4 * onset) / (end - onset), 1e-9);
  const double spent = pull.spent;
  // The triangle between the loading path and the secant.
  EXPECT_NEAR(spent, kArea * kEnergy * 3 * onset / (end - onset), 1e-12);
  for (const double part : {0.75, 0.0, 0.3, 1.0}) {
    EXPECT_NEAR(pull.MoveTo(4 * onset * part, 0).z(), part * largest, 1e-9 * largest);
  }
  EXPECT_EQ(pull.spent, spent);
  const double un = 1e-4, ut = 5e-4, u = std::sqrt(un * un + kTangential / kNormal * ut * ut);
  ASSERT_GT(u, 4 * onset);
  const double beta = onset * (end - u) / (u * (end - onset));
  const Vector3 F = pull.MoveTo(un, ut);
  EXPECT_NEAR(F.z(), kArea * beta * kNormal * un, 1e-9);
  EXPECT_NEAR(F.x(), -kArea * beta * kTangential * ut, 1e-9);
}

TEST(TriangularBond, KeepsTheContractWholeAndWhileItBreaks) {
  MultibodySystem system(MakeTriangular().Build());
  ContractOptions options;
  options.step = 1e-6;
  options.tolerance = 1e-6;
  ContractPoint point = MakeContractPoint(system, 5, 5e-6);
  point.t = 0;
  point.q[2] -= 0.4 * kPeak / kNormal;
  CheckSystemContract(&system, point, options);
  point.q[2] -= 5 * kPeak / kNormal;
  contract::CheckTangents(system, point, options);
}

TEST(TriangularBond, RefusesAStrengthWithoutABranchThatFalls) {
  MaterialPairSpec glue;
  glue.materials = {"soft", "soft"};
  glue.cohesion = CohesionSpec{kNormal, 0, kEnergy, 0, {}, 1e-6, CohesionLaw::kTriangular, 2e4};
  EXPECT_THROW(MakeGlued().Add(glue).Build(), InputError);  // √(2 w c_N) = 2e4
  glue.cohesion->strength = 1.9e4;
  EXPECT_NO_THROW(MakeGlued().Add(glue).Build());
  glue.cohesion->viscosity = 1;
  EXPECT_THROW(MakeGlued().Add(glue).Build(), InputError);
  glue.cohesion = CohesionSpec{kNormal, 0, kEnergy, 0, {}, 1e-6, CohesionLaw::kFremond, 1e4};
  EXPECT_THROW(MakeGlued().Add(glue).Build(), InputError);
}

// b β̇ = −(β e − w)⁺ at a constant opening speed: order 1 against a fine solution by Runge–Kutta.
TEST(Bond, ViscosityDelaysTheBreakingAtFirstOrder) {
  const double b = 0.05, speed = 1e-3, until = 0.4;
  const auto rate = [&](double t, double beta) {
    const double u = speed * t;
    return -std::max(0.0, beta * kNormal * u * u - kEnergy) / b;
  };
  double exact = 1;
  const int fine = 400000;
  for (int i = 0; i < fine; ++i) {
    const double h = until / fine, t = h * i;
    const double k1 = rate(t, exact), k2 = rate(t + h / 2, exact + h / 2 * k1);
    const double k3 = rate(t + h / 2, exact + h / 2 * k2), k4 = rate(t + h, exact + h * k3);
    exact += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  double errors[2];
  for (const int k : {0, 1}) {
    Pull pull(MakeGlued(b));
    const int n = 400 << k;
    for (int i = 1; i <= n; ++i) pull.MoveTo(speed * until * i / n, 0, until / n);
    errors[k] = std::abs(pull.state.internal[0] - exact);
  }
  EXPECT_LT(errors[0], 1e-2 * exact);
  EXPECT_NEAR(errors[0] / errors[1], 2, 0.2);
}

TEST(Bond, FormsOnlyWhereSurfacesTouchAndTakesItsAreaFromThem) {
  ModelBuilder builder = MakeGlued();
  EXPECT_NEAR(*builder.Build()->bonds[0].law.area, kArea / 4, 1e-15);
  MaterialPairSpec glue;
  glue.materials = {"soft", "soft"};
  glue.cohesion = CohesionSpec{kNormal, 0, kEnergy, 0, {}, 1e-6};
  const auto model = ModelBuilder(builder).Add(glue).Build();  // the later pair wins
  ASSERT_EQ(model->bonds.size(), 4u);
  EXPECT_NEAR(*model->bonds[0].law.area, 0.1 * 0.1 / 4, 1e-12);
  RigidBodySpec ball = MakeBodySpec("ball", {1, 0, -0.1});
  ball.shapes = {MakeShape(Sphere{0.1})};
  EXPECT_THROW(ModelBuilder(builder).Add(glue).Add(ball).Build(), InputError);  // a point: no area
  ball.position.z() = -0.11;
  EXPECT_EQ(ModelBuilder(builder).Add(glue).Add(ball).Build()->bonds.size(), 4u);  // too far
}

}  // namespace
}  // namespace saltus
