// Poisson's restitution, rolling and spinning friction. References are derived by hand.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "saltus/simulation/frame.h"
#include "saltus/simulation/test/integrators.h"

namespace saltus {
namespace {

double CalcKinetic(const Model& model, const VectorX& v) {
  VectorX Mv;
  model.mass.Multiply(v, &Mv);
  return 0.5 * v.dot(Mv);
}

// --- Poisson's restitution -----------------------------------------------------------------------

/// A ball falls onto the floor.
std::shared_ptr<const Model> MakeBouncingBall(RestitutionLaw law) {
  MaterialSpec material = MakeMaterial(0, 0.7);
  material.restitution_law = law;
  return ModelBuilder()
      .Add(material)
      .Add(MakeBody("ball", Sphere{0.1}, {0, 0, 0.6}))
      .AddGroundShape(MakeFloor())
      .Build();
}

TEST(Poisson, SingleBallBouncesAsByNewtonsLaw) {
  for (const MakeIntegrator& make : ListContactIntegrators()) {
    const RunResult newton = RunWith(MakeBouncingBall(RestitutionLaw::kNewton), make(), 1e-3, 3);
    const RunResult poisson = RunWith(MakeBouncingBall(RestitutionLaw::kPoisson), make(), 1e-3, 3);
    ASSERT_TRUE(poisson.outcome.good()) << poisson.outcome.message;
    EXPECT_LT((newton.state.q - poisson.state.q).norm(), 1e-9);
    EXPECT_LT((newton.state.v - poisson.state.v).norm(), 1e-9);  // both at rest by now
    EXPECT_EQ(newton.audit.events, poisson.audit.events);
  }
}

// A point mass that slides at v on a plane, one step of the convex relaxation: with q = (−g h, v)
// and W = I/m, P_N = m (μ v + g h)/(1 + μ²) along the edge of the cone (associated_block.h, eq. 4),
// so that the mass leaves the plane. Coulomb's law keeps it there.
TEST(AssociatedFriction, SlidingOpensTheContact) {
  const double mu = 0.3, v = 2, h = 1e-3, g = 9.81;
  for (const FrictionLaw law : {FrictionLaw::kCoulomb, FrictionLaw::kAssociated}) {
    PointMassSpec mass;
    mass.name = "mass";
    mass.mass = 2.5;
    mass.velocity = {v, 0, 0};
    ContactSpec contact;
    contact.name = "plane";
    contact.body = "mass";
    contact.surface = PlaneSurface{};
    contact.friction = mu;
    contact.friction_law = law;
    const auto model = ModelBuilder().SetGravity({0, 0, -g}).Add(mass).Add(contact).Build();
    const bool associated = law == FrictionLaw::kAssociated;
    EXPECT_EQ(MultibodySystem(model).MakeNotices().size(), associated ? 1u : 0u);
    const RunResult run = RunModel(model, {}, h, h);
    EXPECT_TRUE(run.outcome.good()) << run.outcome.message;
    const double a = associated ? (mu * v + g * h) / (1 + mu * mu) : g * h;
    EXPECT_NEAR(run.state.v[0], v - mu * a, 1e-13);
    EXPECT_NEAR(run.state.v[2], a - g * h, 1e-13);
  }
}

/// A rod of mass 1 kg and length 2 m under 45°, whose lower end hits the ground with friction 1.
/// Planar: with the lever r = (−1, −1)/√2 and J = 1/3,
///   A = [1 + r_x²/J, −r_x r_z/J; ·, 1 + r_z²/J] = [2.5, −1.5; −1.5, 2.5].
std::shared_ptr<const Model> MakeRod(RestitutionLaw law, double e, double mu, const Vector3& v,
                                     double angle = 0.785398163397448) {
  RigidBodySpec rod;
  rod.name = "rod";
  rod.mass = 1;
  rod.inertia = Matrix3(Matrix3::Identity() / 3);
  rod.position = {0, 0, std::sin(angle)};
  rod.velocity = v;
  ContactSpec tip{.name = "tip", .body = "rod"};
  tip.at = {-std::cos(angle), 0, -std::sin(angle)};
  tip.surface = PlaneSurface{};
  tip.friction = mu;
  tip.restitution = e;
  tip.restitution_law = law;
  return ModelBuilder()
      .SetPlanar(MakePlane("xz"))
      .SetGravity(Vector3::Zero())
      .Add(rod)
      .Add(tip)
      .Build();
}

// One end of a rod hits, u_N⁻ = −5, the other is so near that a late iterate of the step (a spring
// makes it nonlinear) may still close it. However late it is admitted, the end that hits leaves
// with at least e·5.
TEST(Poisson, ContactsThatCloseLateTakeNoBounceAway) {
  MoreauJeanOptions options;
  options.activation = MoreauJeanOptions::Activation::kLinearized;
  int late = 0;
  for (double gap = 0.05; gap < 0.2; gap += 5e-4) {
    RigidBodySpec rod{.name = "rod", .mass = 1, .velocity = {0, 0, -5}};
    rod.inertia = Matrix3(0.08 * Matrix3::Identity());
    ModelBuilder builder;
    builder.SetPlanar(MakePlane("xz")).SetGravity(Vector3::Zero()).Add(rod);
    for (const bool hits : {true, false}) {
      ContactSpec end{.name = hits ? "hits" : "near", .body = "rod"};
      end.at = {hits ? -0.5 : 0.5, 0, 0};
      end.surface = PlaneSurface{.offset = hits ? -0.001 : -gap};
      end.friction = 0.3;
      end.restitution = 0.8;
      end.restitution_law = RestitutionLaw::kPoisson;
      builder.Add(end);
    }
    SpringSpec spring{.name = "spring", .body_a = "ground", .body_b = "rod"};
    spring.points = {Vector3(0.6, 0, 0.2), Vector3(0.5, 0, 0)};
    spring.stiffness = 60;
    spring.rest_length = 0.05;
    builder.Add(spring);
    RunModel(builder.Build(), options, 0.02, 0.02, [&](const StepView& view) {
      ASSERT_FALSE(view.report.contacts.empty());
      EXPECT_GT(view.report.contacts[0].velocity[0], 0.8 * 5 - 1e-9) << gap;
      late += view.report.newton_iterations > 1 && view.report.contacts.size() == 2;
    });
  }
  EXPECT_GT(late, 10);
}

// u⁻ = (−1, 0.6), e = 0.95, μ = 1.
//   Newton:  the tip sticks, P = A⁻¹ (1.95, −0.6) = (0.99375, 0.35625); ΔT = ½ P·(u⁻ + u⁺)
//            = ½ (0.99375·(−0.05) + 0.35625·0.6) = +0.08203125 J: energy out of nothing.
//   Poisson: compression A P_C = (1, −0.6) gives P_C = (0.4, 0); expansion P_EN = 0.38, and the tip
//            sticks with P_ET = 1.5·0.38/2.5 = 0.228; u_N⁺ = 2.5·0.38 − 1.5·0.228 = 0.608;
//            ΔT = ½ (0.78·(−1 + 0.608) + 0.228·0.6) = −0.08448 J.
TEST(Poisson, KeepsTheEnergyBoundWhereNewtonsLawGains) {
  const Vector3 start(0.6, 0, -1);
  for (const bool exact_rows : {true, false}) {
    const auto hit = [&](RestitutionLaw law) {
      // Moreau–Jean takes the rows of the start; the other scheme those of the end, O(h) away.
      const double h = exact_rows ? 1e-3 : 1e-6;
      return RunWith(MakeRod(law, 0.95, 1, start), ListContactIntegrators()[exact_rows ? 0 : 1](),
                     h, h);
    };
    const double tolerance = exact_rows ? 1e-9 : 1e-5;
    const RunResult newton = hit(RestitutionLaw::kNewton);
    ASSERT_TRUE(newton.outcome.good()) << newton.outcome.message;
    EXPECT_NEAR(newton.state.v[0], 0.6 + 0.35625, tolerance);
    EXPECT_NEAR(newton.state.v[1], -1 + 0.99375, tolerance);
    EXPECT_NEAR(newton.audit.final_energy.kinetic - newton.audit.initial_energy.kinetic, 0.08203125,
                tolerance);
    const RunResult poisson = hit(RestitutionLaw::kPoisson);
    ASSERT_TRUE(poisson.outcome.good()) << poisson.outcome.message;
    EXPECT_NEAR(poisson.state.v[0], 0.6 + 0.228, tolerance);
    EXPECT_NEAR(poisson.state.v[1], -1 + 0.78, tolerance);
    EXPECT_NEAR(std::abs(poisson.state.v[2]), 3 * std::sqrt(0.5) * (0.78 - 0.228), tolerance);
    EXPECT_NEAR(poisson.audit.final_energy.kinetic - poisson.audit.initial_energy.kinetic, -0.08448,
                tolerance);
    EXPECT_LT(std::abs(poisson.audit.Closure()), tolerance);
  }
}

TEST(Poisson, NeverGainsEnergyInRandomRodImpacts) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  int newton_gains = 0;
  for (int i = 0; i < 300; ++i) {
    const double angle = 0.1 + 1.3 * uniform(random), e = uniform(random);
    const double mu = 1.5 * uniform(random);
    const Vector3 v(6 * uniform(random) - 3, 0, -1);
    for (const RestitutionLaw law : {RestitutionLaw::kNewton, RestitutionLaw::kPoisson}) {
      const auto model = MakeRod(law, e, mu, v, angle);
      MultibodySystem system(model);
      MoreauJean integrator{MoreauJeanOptions{}};
      State state = system.MakeInitialState();
      ASSERT_TRUE(integrator.Step(system, 1e-4, &state).ok());
      const double gain = CalcKinetic(*model, state.v) - CalcKinetic(*model, model->initial_v);
      if (law == RestitutionLaw::kPoisson) {
        EXPECT_LE(gain, 1e-9) << "angle " << angle << " e " << e << " mu " << mu;
      } else if (gain > 1e-9) {
        ++newton_gains;
      }
    }
  }
  EXPECT_GT(newton_gains, 0);  // the test has teeth
}

// One ball hits two that touch, e = 1. All contacts at once: after compression all move with 1/3,
// the impulses (2/3, 1/3) double in the expansion: velocities (−1/3, 2/3, 2/3), not (0, 0, 1). The
// same as by Newton's law; a wave through the row would need the contacts one after the other.
TEST(Poisson, RowOfBallsTakesTheImpactAtOnce) {
  MaterialSpec material = MakeMaterial(0, 1);
  material.restitution_law = RestitutionLaw::kPoisson;
  ModelBuilder builder;
  builder.SetGravity(Vector3::Zero()).Add(material);
  for (int i = 0; i < 3; ++i) {
    RigidBodySpec ball = MakeBody("ball" + std::to_string(i), Sphere{0.1}, {0.2 * i, 0, 0});
    if (i == 0) ball.velocity = {1, 0, 0};
    builder.Add(ball);
  }
  for (const MakeIntegrator& make : ListContactIntegrators()) {
    const RunResult run = RunWith(builder.Build(), make(), 1e-3, 1e-3);
    ASSERT_TRUE(run.outcome.good()) << run.outcome.message;
    EXPECT_NEAR(run.state.v[0], -1.0 / 3, 1e-8);
    EXPECT_NEAR(run.state.v[6], 2.0 / 3, 1e-8);
    EXPECT_NEAR(run.state.v[12], 2.0 / 3, 1e-8);
  }
}

// A block lands flat on the floor and stays: contacts at rest must not be thrown up by the impulse
// of the weight, which is a compression in every step.
TEST(Poisson, ComesToRest) {
  MaterialSpec material = MakeMaterial(0.4, 0.5);
  material.restitution_law = RestitutionLaw::kPoisson;
  const auto model = ModelBuilder()
                         .Add(material)
                         .Add(MakeBody("block", Box{{0.2, 0.2, 0.1}}, {0, 0, 0.3}))
                         .AddGroundShape(MakeFloor())
                         .Build();
  for (const MakeIntegrator& make : ListContactIntegrators()) {
    const RunResult run = RunWith(model, make(), 1e-3, 2);
    ASSERT_TRUE(run.outcome.good()) << run.outcome.message;
    EXPECT_NEAR(run.state.q[2], 0.1, 1e-6);
    EXPECT_LT(run.state.v.norm(), 1e-6);
  }
}

// --- Rolling and spinning friction ---------------------------------------------------------------

constexpr double kRadius = 0.2, kGravity = 9.81;

std::shared_ptr<const Model> MakeRollingBall(double rolling, double spinning, double slope,
                                             const Vector3& velocity, const Vector3& omega,
                                             bool planar = false) {
  MaterialSpec material = MakeMaterial(0.8, 0);
  material.rolling_friction = rolling;
  material.spinning_friction = spinning;
  const Vector3 n(std::sin(slope), 0, std::cos(slope));
  RigidBodySpec ball = MakeBody("ball", Sphere{kRadius}, kRadius * n);
  ball.velocity = velocity;
  ball.angular_velocity = omega;
  ModelBuilder builder;
  if (planar) builder.SetPlanar(MakePlane("xz"));
  return builder.Add(material).Add(ball).AddGroundShape(MakeFloor(n)).Build();
}

// The moment μ_r N holds m g R sin α as long as tan α < μ_r/R; above it,
//   a (1 + 2/5) = g sin α − (μ_r/R) g cos α.
TEST(RollingFriction, HoldsABallOnASlopeUpToItsAngle) {
  const double rolling = 0.02;  // tan α = 0.1
  for (const MakeIntegrator& make : ListContactIntegrators()) {
    for (const bool planar : {false, true}) {
      double slope = std::atan(0.099);
      RunResult run = RunWith(MakeRollingBall(rolling, 0, slope, {0, 0, 0}, {0, 0, 0}, planar),
                              make(), 1e-3, 0.5);
      ASSERT_TRUE(run.outcome.good()) << run.outcome.message;
      EXPECT_LT(run.state.v.norm(), 1e-7);
      slope = std::atan(0.15);
      run = RunWith(MakeRollingBall(rolling, 0, slope, {0, 0, 0}, {0, 0, 0}, planar), make(), 1e-3,
                    0.5);
      ASSERT_TRUE(run.outcome.good()) << run.outcome.message;
      const double a = kGravity * (std::sin(slope) - 0.1 * std::cos(slope)) / 1.4;
      EXPECT_NEAR(run.state.v.head(planar ? 2 : 3).norm() / (0.5 * a), 1, 1e-6);
    }
  }
}

// On the level: a = −(μ_r g/R)/(1 + 2/5) until the ball stops, v₀/a later.
TEST(RollingFriction, SlowsARollingBallAtTheExactRate) {
  const double rolling = 0.01, v0 = 0.6;
  const double a = rolling * kGravity / kRadius / 1.4;
  for (const MakeIntegrator& make : ListContactIntegrators()) {
    const auto model = MakeRollingBall(rolling, 0, 0, {v0 * 0.6, v0 * 0.8, 0},
                                       Vector3(-v0 * 0.8, v0 * 0.6, 0) / kRadius);
    RunResult run = RunWith(model, make(), 1e-3, 1);
    ASSERT_TRUE(run.outcome.good()) << run.outcome.message;
    EXPECT_NEAR(run.state.v.head<2>().norm(), v0 - a, 1e-6);
    const double loss = run.audit.initial_energy.kinetic - run.audit.final_energy.kinetic;
    EXPECT_NEAR(run.audit.work.friction_loss, loss, 1e-6);
    run = RunWith(model, make(), 1e-3, v0 / a + 0.1);
    EXPECT_LT(run.state.v.norm(), 1e-6);
  }
}

// What results record of it: μ_s N about n and μ_r N about the axis of rolling, against the motion.
TEST(RollingFriction, MomentsAreInTheFrames) {
  const double rolling = 0.01, spinning = 0.004, v0 = 0.6;
  for (const MakeIntegrator& make : ListContactIntegrators()) {
    const auto model =
        MakeRollingBall(rolling, spinning, 0, {v0, 0, 0}, Vector3(0, v0 / kRadius, 5));
    int steps = 0;
    const RunResult run = RunWith(model, make(), 1e-3, 0.1, [&](const StepView& view) {
      Frame frame;
      CalcFrame(view, &frame);
      if (view.state.time < 0.01) return;
      ASSERT_EQ(frame.contacts.size(), 1u);
      const Frame::Contact& contact = frame.contacts[0];
      const double N = contact.force[0];
      const Vector3 t2 = contact.normal.cross(contact.tangent);
      const Vector3 moment = contact.moment[0] * contact.normal +
                             contact.moment[1] * contact.tangent + contact.moment[2] * t2;
      // On the second body; the normal tells which one the ball is.
      const double sign = contact.normal[2] > 0 ? 1 : -1;
      EXPECT_NEAR((sign * moment - Vector3(0, -rolling * N, -spinning * N)).norm(), 0, 1e-6 * N);
      ++steps;
    });
    ASSERT_TRUE(run.outcome.good()) << run.outcome.message;
    EXPECT_GT(steps, 50);
  }
}

// A ball that spins about the vertical: (2/5) m R² ω̇ = −μ_s m g.
TEST(SpinningFriction, StopsASpinningBallAtTheExactTime) {
  const double spinning = 0.004, omega = 5;
  const double rate = spinning * kGravity / (0.4 * kRadius * kRadius);
  for (const MakeIntegrator& make : ListContactIntegrators()) {
    for (const double rolling : {0.0, 0.01}) {
      const auto model = MakeRollingBall(rolling, spinning, 0, {0, 0, 0}, {0, 0, omega});
      RunResult run = RunWith(model, make(), 1e-3, 1);
      ASSERT_TRUE(run.outcome.good()) << run.outcome.message;
      EXPECT_NEAR(run.state.v[5], omega - rate, 1e-6);
      run = RunWith(model, make(), 1e-3, omega / rate + 0.01);
      EXPECT_LT(run.state.v.norm(), 1e-6);
    }
  }
}

}  // namespace
}  // namespace saltus
