#include "saltus/cones/solvers/associated_block.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "saltus/cones/projections.h"
#include "saltus/cones/test/random_problems.h"

namespace saltus {
namespace {

using test::Random;

// r = P_K(r − ρ u) is the law of associated_block.h, eq. (1).
double CalcError(const Matrix3& W, double mu, const Vector3& q, const Vector3& r) {
  const double rho = 3 / W.trace();
  Vector3 x = r - rho * (W * r + q);
  ProjectOntoFrictionCone(mu, 3, x.data());
  return (x - r).norm() / (r.norm() + rho * q.norm());
}

TEST(AssociatedBlockTest, ObeysTheLawFromAnyStart) {
  Random random(1);
  int slips = 0, failures = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const double mu = random.Uniform(0.05, 1.5);
    Matrix3 W = random.PositiveDefinite(3, trial % 2 == 0 ? 1.0 : 100.0);
    const Vector3 q = random.Matrix(3, 1), r = random.Matrix(3, 1);
    AssociatedBlock3 block;
    block.Factor(W, mu, 0);
    Vector3 x;
    if (!block.Solve(W * r + q, r, &x)) {
      ++failures;
      continue;
    }
    EXPECT_LT(CalcError(W, mu, q, x), 1e-12) << trial;  // rounding times the condition of W
    if (x[0] > 0 && (W * x + q).norm() > 1e-9) ++slips;
  }
  EXPECT_GT(slips, 500);
  // From starts as bad as these Newton's method may fail; the sweep then takes newton_block.h.
  EXPECT_LT(failures, 150);
}

TEST(AssociatedBlockTest, IsotropicOnesAreSolvedInClosedForm) {
  Random random(2);
  int opens = 0, sticks = 0, slips = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const double mu = trial % 10 == 0 ? 0.0 : random.Uniform(0.05, 1.5);
    const double w_t = random.Uniform(0.3, 4);
    const Matrix3 W = Vector3(1, w_t, w_t).asDiagonal();
    Vector3 q = random.Matrix(3, 1);
    if (trial % 11 == 0) q.tail<2>().setZero();
    const Vector3 r = random.Matrix(3, 1);
    IsotropicAssociatedBlock3 block;
    block.Factor(W, mu);
    const Vector3 x = block.Solve(W * r + q, r);
    EXPECT_LT(CalcError(W, mu, q, x), 1e-14) << trial;
    const bool moves = (W * x + q).norm() > 1e-9;
    ++(x.isZero(0) ? opens : moves ? slips : sticks);
  }
  EXPECT_GT(std::min({opens, sticks, slips}), 300);
}

}  // namespace
}  // namespace saltus
