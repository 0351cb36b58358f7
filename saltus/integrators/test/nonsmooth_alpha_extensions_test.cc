// Beyond the source: friction, the robust variant and rotations.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/integrators/test/small_system.h"
#include "saltus/math/so3.h"

#include "problems/impact_problems.h"

namespace saltus {
namespace {

using Variant = NonsmoothAlphaOptions::Variant;

// --- Friction ------------------------------------------------------------------------------------

/// A particle on a plane, q = (x, y, z); the contact has normal z.
SmallSystem::Data MakeParticle(double mu, double e, double gravity, const Vector3& velocity) {
  SmallSystem::Data d;
  d.q = Vector3::Zero();
  d.v = velocity;
  d.mass = Vector3::Ones();
  d.force = [=](const VectorX&, const VectorX&) -> VectorX { return Vector3(0, 0, -gravity); };
  d.potential = [=](const VectorX& q) { return gravity * q[2]; };
  SmallSystem::ContactData floor;
  floor.gap = [](const VectorX& q) { return q[2]; };
  floor.rows = [](const VectorX&) -> MatrixX {
    MatrixX rows(3, 3);
    rows << 0, 0, 1, 1, 0, 0, 0, 1, 0;
    return rows;
  };
  floor.friction = mu;
  floor.restitution = e;
  d.contacts = {floor};
  return d;
}

State StepMany(const SmallSystem::Data& data, const NonsmoothAlphaOptions& options, double h,
               int steps) {
  SmallSystem system(data);
  NonsmoothAlpha integrator(options);
  State state = system.MakeInitialState();
  for (int n = 0; n < steps; ++n) {
    const StepReport& report = integrator.Step(system, h, &state);
    EXPECT_TRUE(report.ok()) << report.culprit;
    EXPECT_LE(report.max_penetration, 1e-12);
  }
  return state;
}

// Exact: v = v₀ − μgt, stop at t = 0.33978933, x = 0.16989467. The velocity is exact per step; the
// position is explicit in the friction: + h v₀/2. With friction at position level that is gone.
TEST(NonsmoothAlphaFriction, SlidingParticleStopsWhereItShould) {
  const SmallSystem::Data data = MakeParticle(0.3, 0, 9.81, {0.6, 0.8, 0});
  for (const double h : {1e-2, 1e-3, 1e-4}) {
    const State early = StepMany(data, {}, h, static_cast<int>(std::lround(0.2 / h)));
    EXPECT_NEAR(early.v.norm(), 0.4114, 1e-9);
    EXPECT_NEAR(early.q.norm(), 0.2 - 0.5 * 0.3 * 9.81 * 0.04, 1e-12);  // exact while it slides
    const State end = StepMany(data, {}, h, static_cast<int>(std::lround(0.4 / h)));
    EXPECT_NEAR(end.q.norm(), 0.16989467, 0.5 * 0.3 * 9.81 * h * h + 1e-8);
    EXPECT_NEAR(end.v.norm(), 0, 1e-12);
  }
}

// An oblique impact at 4.429447 m/s with 2 m/s along the plane, e = ½: v_N⁺ = 2.214723,
// v_T⁺ = max(0, 2 − 1.5 μ v_N⁻).
TEST(NonsmoothAlphaFriction, ObliqueImpact) {
  const double v_n = std::sqrt(2 * 9.81);
  const double table[][2] = {{0.1, 1.335583}, {0.3, 0.006749}, {2, 0}};
  for (const auto& [mu, v_t] : table) {
    const State state = StepMany(MakeParticle(mu, 0.5, 0, {1.2, 1.6, -v_n}), {}, 1e-3, 1);
    EXPECT_NEAR(state.v[2], 2.214723, 0.6e-6);
    EXPECT_NEAR(state.v.head<2>().norm(), v_t, 0.6e-6);
    EXPECT_NEAR(state.v[0] * 1.6 - state.v[1] * 1.2, 0, 1e-12);  // slides straight on
  }
}

// A block on an incline below the friction angle sticks, also at the positions.
TEST(NonsmoothAlphaFriction, StickingParticleDoesNotCreep) {
  SmallSystem::Data data = MakeParticle(0.5, 0, 9.81, Vector3::Zero());
  data.force = [](const VectorX&, const VectorX&) -> VectorX { return Vector3(2, 0, -9.81); };
  const State stuck = StepMany(data, {}, 1e-2, 100);
  EXPECT_NEAR(stuck.q.norm(), 0, 1e-14);
  EXPECT_NEAR(stuck.v.norm(), 0, 1e-14);
}

// --- The robust variant --------------------------------------------------------------------------

struct RobustRun {
  State state;
  double max_energy = 0, max_gain = 0;
  StepReport report;
};

RobustRun RunRobust(const Equations& equations, double h, double until,
                    const NonsmoothAlphaOptions::RobustTerms& terms = {}) {
  EquationSystem system(equations);
  NonsmoothAlphaOptions options;
  options.robust_terms = terms;
  options.variant = Variant::kRobust;
  NonsmoothAlpha integrator(options);
  RobustRun run;
  run.state = system.MakeInitialState();
  double energy = system.CalcEnergy(0, run.state.q, run.state.v).total();
  run.max_energy = energy;
  for (int n = 0; n < static_cast<int>(std::lround(until / h)); ++n) {
    run.report = integrator.Step(system, h, &run.state);
    EXPECT_TRUE(run.report.ok()) << run.report.culprit;
    const double next = system.CalcEnergy(0, run.state.q, run.state.v).total();
    run.max_gain = std::max(run.max_gain, next - energy);
    run.max_energy = std::max(run.max_energy, next);
    energy = next;
  }
  return run;
}

TEST(NonsmoothAlphaRobust, StiffOscillatorsNeverGainEnergyOverall) {
  for (const double k : {1e3, 1e5, 1e6, 1e8}) {
    const RobustRun run = RunRobust(MakeTwoBallOscillator({1, k, 1, 10, 0.8, 1, 2}), 2e-3, 4);
    EXPECT_LE(run.max_energy, 30 + 1e-9) << k;  // the energy at the start is 30 J
    if (k == 1e5) {
      EXPECT_LT(run.max_gain, 0.091);
    }
  }
}

// The reference corrects ṽ̇ alone and looks at the first second, with its impacts at 0.45 s; a
// later one (1.17 s) gains 0.195 J. That a follows by (7) makes the gain smaller at every time.
TEST(NonsmoothAlphaRobust, LargestGainOfAStepIsThatOfTheReference) {
  const auto run = [](double until, const NonsmoothAlphaOptions::RobustTerms& terms) {
    return RunRobust(MakeTwoBallOscillator({1, 1e5, 1, 10, 0.8, 1, 2}), 2e-3, until, terms);
  };
  EXPECT_NEAR(run(1, {true, true, false, false}).max_gain, 1.33, 0.006);
  EXPECT_NEAR(run(1, {true, true, true, false}).max_gain, 0.091, 0.0006);
  EXPECT_LT(run(1, {}).max_gain, 0.091 / 5);
}

// What the force differences are for: the energies of the reference without them, from 30 J.
TEST(NonsmoothAlphaRobust, WithoutItsTermsItHasTheEnergiesOfTheReference) {
  const auto run = [](double k, const NonsmoothAlphaOptions::RobustTerms& terms) {
    return RunRobust(MakeTwoBallOscillator({1, k, 1, 10, 0.8, 1, 2}), 2e-3, 4, terms);
  };
  const NonsmoothAlphaOptions::RobustTerms none{false, false, false};
  EXPECT_NEAR(run(1e6, none).max_energy, 37.05, 0.006);
  EXPECT_NEAR(run(1e8, none).max_energy, 646, 0.6);
  EXPECT_NEAR(run(1e8, {false, true, false}).max_energy, 2.5e5, 0.06e5);
  for (const double k : {1e5, 1e6, 1e8}) {
    EXPECT_LE(run(k, {true, true, false}).max_energy, 30 + 1e-9) << k;
  }
  EXPECT_NEAR(run(1e5, {true, true, false}).max_gain, 1.33, 0.006);
}

TEST(NonsmoothAlphaRobust, PendulumGivesTheTable) {
  EXPECT_NEAR(RunRobust(MakeBouncingPendulum({}), 1e-3, 1).state.q[2], -0.15028242, 0.6e-8);
  const RobustRun rest = RunRobust(MakeBouncingPendulum({}), 1e-3, 6);
  ASSERT_EQ(rest.report.contacts.size(), 1u);
  EXPECT_NEAR(rest.report.contacts[0].impulse[0] / 1e-3, 10, 0.6e-4);
}

// --- Rotations -----------------------------------------------------------------------------------

/// The heavy top about its fixed point: q a unit quaternion (w, x, y, z), v = Ω in body axes.
class HeavyTop final : public SmallSystem {
 public:
  static constexpr double kMass = 15;
  static Quaternion Rotation(const VectorX& q) { return {q[0], q[1], q[2], q[3]}; }
  static Data MakeData() {
    Data d;
    const Vector3 X(0, 1, 0);
    const Vector3 J(15.234375, 0.46875, 15.234375);  // J_c + m (|X|² I − X Xᵀ)
    const Vector3 weight(0, 0, -9.81 * kMass);
    d.q = Vector4(1, 0, 0, 0);
    d.v = Vector3(0, 150, -4.61538);
    d.mass = J;
    d.force = [=](const VectorX& q, const VectorX& v) -> VectorX {
      const Vector3 omega = v;
      const Vector3 w = Rotation(q).conjugate() * weight;
      return X.cross(w) - omega.cross(J.cwiseProduct(omega));
    };
    d.stiffness = [=](const VectorX& q, const VectorX&) -> MatrixX {
      return -Hat(X) * Hat(Rotation(q).conjugate() * weight);
    };
    d.damping = [=](const VectorX&, const VectorX& v) -> MatrixX {
      const Vector3 omega = v;
      return Hat(omega) * J.asDiagonal() - Hat(J.cwiseProduct(omega));
    };
    return d;
  }
  HeavyTop() : SmallSystem(MakeData()) { traits_.flat = false; }
  void Retract(const VectorX& q, const VectorX& delta, VectorX* q_new) const override {
    const Quaternion R = RetractQuaternion(Rotation(q), delta);
    *q_new = Vector4(R.w(), R.x(), R.y(), R.z());
  }
  void CalcDifference(const VectorX& q, const VectorX& other, VectorX* delta) const override {
    *delta = LogQuaternion(Rotation(q).conjugate() * Rotation(other));
  }
  void CalcRetractTangent(const VectorX& delta, BlockMatrix* T) const override {
    T->block(0) = TangentSO3(delta);
  }
};

TEST(NonsmoothAlphaRotations, HeavyTopHasTheErrorsOfTheTable) {
  const Vector3 exact(-0.7024683, -0.02116518, -0.71140026);
  const double table[][2] = {{2e-3, 0.2589}, {1e-3, 6.61e-2}, {5e-4, 1.66e-2}, {2.5e-4, 4.15e-3}};
  NonsmoothAlphaOptions options;
  options.coefficients = AlphaCoefficients::FromSpectralRadius(0.9);
  for (const auto& [h, error] : table) {
    HeavyTop top;
    NonsmoothAlpha integrator(options);
    State state = top.MakeInitialState();
    long iterations = 0;
    const int steps = static_cast<int>(std::lround(0.5 / h));
    for (int n = 0; n < steps; ++n) {
      const StepReport& report = integrator.Step(top, h, &state);
      ASSERT_TRUE(report.ok());
      iterations += report.newton_iterations;
    }
    const Vector3 x = HeavyTop::Rotation(state.q) * Vector3(0, 1, 0);
    EXPECT_NEAR((x - exact).norm(), error, 0.006 * error) << h;
    EXPECT_LE(iterations, 3 * steps) << h;  // h|Ω| is up to 0.3 here
  }
}

// Converged physics at t = 0.1, 0.5 and 1; errors fall with h², and grow with time.
TEST(NonsmoothAlphaRotations, HeavyTopApproachesThePhysicsAtOrderTwo) {
  const struct {
    double t;
    Vector3 x;
  } rows[] = {{0.1, {0.42129666, 0.89457197, -0.14916470}},
              {0.5, {-0.7024683, -0.02116518, -0.71140026}},
              {1.0, {0.17334396, 0.64008859, -0.74849079}}};
  const Vector3 omega_half(-0.4710531, 150, 5.90108305);
  NonsmoothAlphaOptions options;
  options.coefficients = AlphaCoefficients::FromSpectralRadius(0.9);
  std::vector<std::vector<double>> errors;
  for (const double h : {1e-4, 5e-5}) {
    HeavyTop top;
    NonsmoothAlpha integrator(options);
    State state = top.MakeInitialState();
    std::vector<double> found;
    long n = 0;
    for (const auto& row : rows) {
      for (; n < std::lround(row.t / h); ++n) {
        ASSERT_TRUE(integrator.Step(top, h, &state).ok());
      }
      found.push_back((HeavyTop::Rotation(state.q) * Vector3(0, 1, 0) - row.x).norm());
      if (row.t == 0.5) found.push_back((state.v - omega_half).norm());
    }
    errors.push_back(found);
  }
  for (std::size_t i = 0; i < errors[0].size(); ++i) {
    EXPECT_LT(errors[1][i], 3e-3) << i;
    EXPECT_NEAR(errors[0][i] / errors[1][i], 4, 0.1) << i;
  }
}

TEST(NonsmoothAlphaOptions, RejectsWhatIsNoScheme) {
  EXPECT_THROW(AlphaCoefficients::FromSpectralRadius(1.2), InputError);
  EXPECT_THROW(AlphaCoefficients::Hht(0.5), InputError);
  NonsmoothAlphaOptions options;
  options.coefficients.alpha_f = 1;
  EXPECT_THROW(NonsmoothAlpha{options}, InputError);
  options.coefficients = AlphaCoefficients::Newmark(0.5, 0);
  EXPECT_THROW(NonsmoothAlpha{options}, InputError);
}

}  // namespace
}  // namespace saltus
