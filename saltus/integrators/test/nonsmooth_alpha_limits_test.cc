// Nonsmooth generalized-α at the edges of its equations: singular mass with a regular saddle point,
// redundant joints, mass that depends on the configuration, steps that do not converge.
#include <cmath>

#include <gtest/gtest.h>

#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/integrators/test/run_problem.h"
#include "saltus/integrators/test/small_system.h"

namespace saltus {
namespace {

// A massless foot on a rigid leg under the ball: M = diag(m, 0), [M Gᵀ; G 0] regular. The foot
// hits the floor, and the ball moves as in table (a) of the reference tables.
TEST(NonsmoothAlphaLimits, MasslessFootGivesTheTableOfTheBall) {
  Equations e = MakeBouncingBall({1, 10, 0.8, 0.801, 0});
  e.block_sizes = {2};
  e.q0 = Vector2(1.801, 0.801);
  e.v0 = Vector2::Zero();
  e.mass = [](const VectorX&, BlockMatrix* M) { M->block(0)(0, 0) = 1; };
  e.force = [](double, const VectorX&, const VectorX&, VectorX* f) { *f = Vector2(-10, 0); };
  e.constraint_names = {"leg"};
  e.constraint = [](double, const VectorX& q, VectorX* g) { (*g)[0] = q[0] - q[1] - 1; };
  e.jacobian = [](double, const VectorX&, MatrixX* G) { *G << 1, -1; };
  e.bias = [](double, const VectorX&, const VectorX&, VectorX* gamma) { gamma->setZero(); };
  e.geometric_stiffness = [](const VectorX&, const VectorX&, BlockMatrix*) {};
  e.contacts[0].gap = [](const VectorX& q, double* rows) {
    rows[0] = 0;
    rows[1] = 1;
    return q[1];
  };
  EquationSystem system(e);
  NonsmoothAlpha integrator{NonsmoothAlphaOptions{}};
  RunProblem(&system, &integrator, 2e-3, 2000, [](int n, const StepReport& report, const State& s) {
    EXPECT_LE(report.max_penetration, 1e-12);
    EXPECT_LE(report.max_constraint, 1e-14);
    const double table[][3] = {{150, 0.351, -3.0},
                               {250, 0.26558, 2.22},
                               {1000, 0.05875632, 1.18896},
                               {1500, 0.01430702, -0.34400998},
                               {2000, 0, 0}};
    for (const auto& [step, gap, v] : table) {
      if (n != static_cast<int>(step)) continue;
      EXPECT_NEAR(s.q[1], gap, 0.6e-8);
      EXPECT_NEAR(s.v[0], v, 0.6e-8);
      if (n == 2000) {
        EXPECT_NEAR(report.contacts[0].impulse[0], 0.02, 1e-12);
      }
    }
  });
}

// Every joint of the pendulum twice: the motion of table (b) stays, multipliers share the load.
TEST(NonsmoothAlphaLimits, RedundantJointsDoNotChangeThePendulum) {
  Equations e = MakeBouncingPendulum({});
  const Equations once = e;
  e.constraint_names = {"x", "y", "x again", "y again"};
  e.constraint = [once](double t, const VectorX& q, VectorX* g) {
    VectorX half(2);
    once.constraint(t, q, &half);
    *g << half, half;
  };
  e.jacobian = [once](double t, const VectorX& q, MatrixX* G) {
    MatrixX half(2, 3);
    once.jacobian(t, q, &half);
    *G << half, half;
  };
  e.bias = [once](double t, const VectorX& q, const VectorX& v, VectorX* gamma) {
    VectorX half(2);
    once.bias(t, q, v, &half);
    *gamma << half, half;
  };
  e.geometric_stiffness = [once](const VectorX& q, const VectorX& lambda, BlockMatrix* K) {
    once.geometric_stiffness(q, lambda.head<2>() + lambda.tail<2>(), K);
  };
  EquationSystem system(e);
  NonsmoothAlpha integrator{NonsmoothAlphaOptions{}};
  RunProblem(&system, &integrator, 1e-3, 6000,
             [&](int n, const StepReport& report, const State& s) {
               EXPECT_LE(report.max_constraint, 1e-13);
               EXPECT_LE(report.max_penetration, 1e-12);
               if (n == 1000) {
                 EXPECT_NEAR(s.q[2], -0.15031271, 0.6e-8);
               }
               if (n == 3000) {
                 EXPECT_NEAR(s.v[2], 1.22411132, 0.6e-8);
               }
               if (n == 6000) {
                 EXPECT_NEAR(report.constraint_impulse[0] / 1e-3, -5, 1e-6);  // half of −10
                 EXPECT_NEAR(report.contacts[0].impulse[0] / 1e-3, 10, 1e-6);
               }
             });
}

/// A bead on the curve y = x², in the single coordinate x: M = m (1 + 4x²),
/// f = −2 m g x − 4 m x ẋ²: the mass depends on the configuration.
class Bead final : public SmallSystem {
 public:
  static Data MakeData() {
    Data d;
    d.q = VectorX::Constant(1, 1);
    d.v = VectorX::Zero(1);
    d.mass = VectorX::Ones(1);
    d.force = [](const VectorX& q, const VectorX& v) -> VectorX {
      return VectorX::Constant(1, -2 * 9.81 * q[0] - 4 * q[0] * v[0] * v[0]);
    };
    d.stiffness = [](const VectorX&, const VectorX& v) -> MatrixX {
      return MatrixX::Constant(1, 1, 2 * 9.81 + 4 * v[0] * v[0]);
    };
    d.damping = [](const VectorX& q, const VectorX& v) -> MatrixX {
      return MatrixX::Constant(1, 1, 8 * q[0] * v[0]);
    };
    return d;
  }
  Bead() : SmallSystem(MakeData()) { traits_.constant_mass = false; }
  void CalcMass(const VectorX& q, BlockMatrix* M) const override {
    M->block(0)(0, 0) = 1 + 4 * q[0] * q[0];
  }
};

// With ∂(Mv̇)/∂q in its matrix Newton's method is quadratic; energy ½M ẋ² + g x² is an invariant.
TEST(NonsmoothAlphaLimits, VaryingMassKeepsQuadraticConvergenceAndOrderTwo) {
  std::vector<double> drifts;
  for (const double h : {2e-2, 1e-2, 5e-3}) {
    Bead bead;
    NonsmoothAlpha integrator{NonsmoothAlphaOptions{}};
    State state = bead.MakeInitialState();
    double drift = 0;
    long iterations = 0;
    const int steps = static_cast<int>(std::lround(1 / h));
    for (int n = 0; n < steps; ++n) {
      const StepReport& report = integrator.Step(bead, h, &state);
      ASSERT_TRUE(report.ok());
      iterations += report.newton_iterations;
      const double x = state.q[0], v = state.v[0];
      const double energy = 0.5 * (1 + 4 * x * x) * v * v + 9.81 * x * x;
      drift = std::max(drift, std::abs(energy - 9.81));
    }
    EXPECT_LE(iterations, 2 * steps) << h;  // without the term: 3.2 a step at the largest step
    drifts.push_back(drift);
  }
  EXPECT_NEAR(drifts[0] / drifts[1], 4, 0.6);
  EXPECT_NEAR(drifts[1] / drifts[2], 4, 0.3);
}

/// 100 coordinates in blocks of 1 and 2, each coupled to the next by a mass that depends on both:
/// more than a dense difference quotient would pay for.
class MassChain final : public SmallSystem {
 public:
  static constexpr int kBlocks = 67;
  static Data MakeData() {
    Data d;
    d.q = VectorX::LinSpaced(kBlocks + kBlocks / 2, 0.5, 1.5);
    d.v = VectorX::Zero(d.q.size());
    d.mass = VectorX::Ones(d.q.size());
    d.force = [](const VectorX& q, const VectorX&) -> VectorX { return -200 * q; };
    return d;
  }
  MassChain() : SmallSystem(MakeData()) {
    std::vector<int> sizes;
    std::vector<std::array<int, 2>> couplings;
    for (int b = 0; b < kBlocks; ++b) {
      sizes.push_back(1 + b % 2);
      if (b > 0) couplings.push_back({b - 1, b});
    }
    pattern_ = std::make_shared<BlockPattern>(sizes, couplings);
    traits_.constant_mass = false;
    traits_.has_tangents = true;
  }
  void CalcMass(const VectorX& q, BlockMatrix* M) const override {
    for (int s = 0; s < pattern_->num_slots(); ++s) {
      const auto [i, j] = pattern_->slot(s);
      const double x = q[pattern_->offset(i)], y = q[pattern_->offset(j)];
      M->block(s).setConstant(i == j ? 0 : 0.3 * std::sin(x + y));
      if (i == j) M->block(s).diagonal().setConstant(1 + 4 * x * x);
    }
  }
  void CalcTangents(double, const VectorX&, const VectorX&, TangentKind, BlockMatrix* K,
                    BlockMatrix* D) const override {
    K->SetZero();
    D->SetZero();
    for (int b = 0; b < kBlocks; ++b)
      K->block(pattern_->FindSlot(b, b)).diagonal().setConstant(200);
  }
};

TEST(NonsmoothAlphaLimits, VaryingMassOfManyBlocksKeepsQuadraticConvergence) {
  MassChain chain;
  NonsmoothAlpha integrator{NonsmoothAlphaOptions{}};
  State state = chain.MakeInitialState();
  int iterations = 0;
  for (int n = 0; n < 20; ++n) {
    const StepReport& report = integrator.Step(chain, 5e-2, &state);
    ASSERT_TRUE(report.ok());
    iterations += report.newton_iterations;
  }
  EXPECT_LE(iterations,
            140);  // of matrices that are kept for some iterations; without the term 168
}

// A step that does not converge says so, whatever else.
TEST(NonsmoothAlphaLimits, StepsThatDoNotConvergeAreReported) {
  NonsmoothAlphaOptions options;
  options.variant = NonsmoothAlphaOptions::Variant::kDecoupled;
  options.max_newton_iterations = 3;
  NonsmoothAlpha integrator(options);
  EquationSystem oscillator(MakeTwoBallOscillator({1, 1e8, 1, 10, 0.8, 1, 2}));
  State state = oscillator.MakeInitialState();
  int reported = 0;
  for (int n = 0; n < 400; ++n) {
    const StepReport& report = integrator.Step(oscillator, 2e-3, &state);
    if (report.ok()) {
      EXPECT_LE(report.max_penetration, 1e-12);
      continue;
    }
    EXPECT_EQ(report.status, StepStatus::kNewtonNotConverged);
    EXPECT_FALSE(report.culprit.empty());
    ++reported;
  }
  EXPECT_GT(reported, 0);
}

}  // namespace
}  // namespace saltus
