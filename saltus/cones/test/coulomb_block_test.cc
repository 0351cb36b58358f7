#include "saltus/cones/solvers/coulomb_block.h"

#include <gtest/gtest.h>

#include "saltus/cones/test/random_problems.h"

namespace saltus {
namespace {

using test::Random;

// The residual of the local law at r: both sides of eq. (1) of the header, in plain terms.
double CalcViolation(const Matrix3& W, const Vector3& q, double mu, const Vector3& r) {
  Cone cone;
  cone.kind = ConeKind::kFriction;
  cone.dimension = 3;
  cone.friction = mu;
  return test::CalcCoulombViolation(cone, r, W * r + q);
}

Vector3 SolveFromRest(const Matrix3& W, const Vector3& q, double mu) {
  CoulombBlock3 block;
  block.Factor(W, mu);
  return block.Solve(q, Vector3::Zero());
}

TEST(CoulombBlock3Test, TakesOff) {
  EXPECT_EQ(SolveFromRest(Matrix3::Identity(), {0.5, 3, -2}, 0.3), Vector3::Zero());
}

TEST(CoulombBlock3Test, Sticks) {
  // W = I: r = −q lies in the cone since |(0.3, 0.2)| = 0.3606 < 0.5.
  const Vector3 r = SolveFromRest(Matrix3::Identity(), {-1, 0.3, -0.2}, 0.5);
  EXPECT_LT((r - Vector3(1, -0.3, 0.2)).norm(), 1e-15);
}

TEST(CoulombBlock3Test, SlipsIsotropically) {
  // W = I: r_N = 1, r_T = −μ q_T/|q_T| with q_T = (3, 4).
  const Vector3 r = SolveFromRest(Matrix3::Identity(), {-1, 3, 4}, 0.5);
  EXPECT_LT((r - Vector3(1, -0.3, -0.4)).norm(), 1e-15);
}

TEST(CoulombBlock3Test, SlipsWithCoupledNormal) {
  // Slip along t1 only, by symmetry in t2: r = r_N (1, −μ, 0), u_N = 0 gives
  // r_N (w_nn − μ w_nt) = −q_N = 1, that is r_N = 1/(2 − 0.5·0.6) = 1/1.7; and
  // u_T = q_T + r_N (w_nt − μ w_tt) = 5 + (0.6 − 1.5)/1.7 > 0: friction opposes the slip.
  Matrix3 W;
  W << 2, 0.6, 0, 0.6, 3, 0, 0, 0, 1;
  const Vector3 r = SolveFromRest(W, {-1, 5, 0}, 0.5);
  EXPECT_LT((r - Vector3(1, -0.5, 0) / 1.7).norm(), 1e-15);
}

TEST(CoulombBlock3Test, FrictionlessLimit) {
  Matrix3 W;
  W << 2, 0.6, 0.1, 0.6, 3, 0.2, 0.1, 0.2, 1;
  EXPECT_LT((SolveFromRest(W, {-1, 5, 1}, 0.0) - Vector3(0.5, 0, 0)).norm(), 1e-15);
}

TEST(CoulombBlock3Test, ReproducesExactSlidingContact) {
  // One contact of FCLib (FrictionContact3D_1c), with its exact solution.
  Matrix3 W;
  W << 15, -1, -2, -1, 14, 1, -2, 1, 16;
  const Vector3 r = SolveFromRest(W, {-1, 2, 3}, 0.1);
  // The reference is given to 13 decimals.
  EXPECT_LT((r - Vector3(0.0656956828977, -0.0036786149068, -0.0054430708136)).norm(), 2e-13);
}

// Any SPD block and μ ∈ [0, 10]: the law holds to rounding, amplified by the condition of W, which
// turns rounding of r into rounding of u = W r + q relative to |W||r|.
TEST(CoulombBlock3Test, SolvesRandomBlocksExactly) {
  Random random(1);
  for (int trial = 0; trial < 100000; ++trial) {
    const double condition = std::pow(10, random.Uniform(0, 6));
    const Matrix3 W = random.PositiveDefinite(3, condition);
    const Vector3 q = random.Matrix(3, 1);
    const double mu = trial % 10 == 0 ? 0.0 : random.Uniform(0, trial % 3 == 0 ? 10 : 1);
    CoulombBlock3 block;
    block.Factor(W, mu);
    // From an arbitrary present impulse, as in a sweep.
    const Vector3 r0 = trial % 2 == 0 ? Vector3(Vector3::Zero()) : Vector3(random.Matrix(3, 1));
    Vector3 r = block.Solve(W * r0 + q, r0);
    r = block.Solve(W * r + q, r);  // A second visit removes the rounding of r0 and of W⁻¹.
    const double scale = (1 + r.norm()) * std::max(1.0, r.norm());
    ASSERT_LT(CalcViolation(W, q, mu, r), 1e-14 * scale * (1 + mu))
        << "trial " << trial << "\nW =\n"
        << W << "\nq = " << q.transpose() << "\nmu = " << mu << "\nr = " << r.transpose();
  }
}

TEST(CoulombBlock3Test, HasNoPreferredDirection) {
  Matrix3 W;
  W << 2, 0.3, 0, 0.3, 3, 0, 0, 0, 1;
  const Vector3 q(-1, 2, 0.7);
  const Vector3 r = SolveFromRest(W, q, 0.4);
  for (int k = 0; k < 360; ++k) {
    const Matrix3 R = Eigen::AngleAxisd(k * M_PI / 180, Vector3::UnitX()).toRotationMatrix();
    const Vector3 turned = SolveFromRest(R * W * R.transpose(), R * q, 0.4);
    EXPECT_LT((turned - R * r).norm(), 1e-14) << k;
  }
}

// A mechanism of one degree of freedom: W = h hᵀ has rank one. Repeated visits end at a solution.
TEST(CoulombBlock3Test, HandlesRankOneBlocks) {
  Random random(2);
  for (int trial = 0; trial < 1000; ++trial) {
    Vector3 h = random.Matrix(3, 1);
    h[0] = std::abs(h[0]) + 0.1;
    const Matrix3 W = h * h.transpose();
    const Vector3 q = -random.Uniform(0.1, 1) * h;  // In the range: the mechanism moves inwards.
    const double mu = random.Uniform(0.1, 1);
    CoulombBlock3 block;
    block.Factor(W, mu);
    Vector3 r = Vector3::Zero();
    for (int visit = 0; visit < 50; ++visit) r = block.Solve(W * r + q, r);
    ASSERT_TRUE(r.allFinite());
    EXPECT_LT(CalcViolation(W, q, mu, r), 1e-9) << trial;
  }
}

TEST(CoulombBlock2Test, SolvesHandMadeCases) {
  Eigen::Matrix2d W;
  W << 2, 0.6, 0.6, 3;
  CoulombBlock2 block;
  block.Factor(W, 0.5);
  EXPECT_EQ(block.Solve({0.1, 4}, Vector2::Zero()), Vector2::Zero());
  // As SlipsWithCoupledNormal above, and its mirror image r_N = 1/(2 + 0.3).
  EXPECT_LT((block.Solve({-1, 5}, Vector2::Zero()) - Vector2(1, -0.5) / 1.7).norm(), 1e-15);
  EXPECT_LT((block.Solve({-1, -5}, Vector2::Zero()) - Vector2(1, 0.5) / 2.3).norm(), 1e-15);
  // Stick: r = (1, 0.2) from q = −W r.
  const Vector2 r(1, 0.2);
  EXPECT_LT((block.Solve(-W * r, Vector2::Zero()) - r).norm(), 1e-15);
}

TEST(CoulombBlock2Test, SolvesRandomBlocksExactly) {
  Random random(3);
  Cone cone;
  cone.kind = ConeKind::kFriction;
  cone.dimension = 2;
  for (int trial = 0; trial < 100000; ++trial) {
    const Eigen::Matrix2d W = random.PositiveDefinite(2, std::pow(10, random.Uniform(0, 6)));
    const Vector2 q = random.Matrix(2, 1);
    cone.friction = random.Uniform(0, 10);
    CoulombBlock2 block;
    block.Factor(W, cone.friction);
    Vector2 r = block.Solve(q, Vector2::Zero());
    r = block.Solve(W * r + q, r);
    const double scale = (1 + r.norm()) * std::max(1.0, r.norm());
    ASSERT_LT(test::CalcCoulombViolation(cone, r, W * r + q), 1e-14 * scale * (1 + cone.friction))
        << "trial " << trial << "\nW =\n"
        << W << "\nq = " << q.transpose();
  }
}

}  // namespace
}  // namespace saltus
