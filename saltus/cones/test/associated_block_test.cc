#include "saltus/cones/solvers/associated_block.h"

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
    if (trial % 3 == 0) W = Vector3(1, 3.5, 3.5).asDiagonal();
    const Vector3 q = random.Matrix(3, 1), r = random.Matrix(3, 1);
    AssociatedBlock3 block;
    block.Factor(W, mu, 0);
    Vector3 x;
    if (!block.Solve(W * r + q, r, &x)) {
      ++failures;
      EXPECT_NE(trial % 3, 0) << "isotropic blocks are solved in closed form";
      continue;
    }
    EXPECT_LT(CalcError(W, mu, q, x), 1e-12) << trial;  // rounding times the condition of W
    if (x[0] > 0 && (W * x + q).norm() > 1e-9) ++slips;
  }
  EXPECT_GT(slips, 500);
  // From starts as bad as these Newton's method may fail; the sweep then takes newton_block.h.
  EXPECT_LT(failures, 150);
}

}  // namespace
}  // namespace saltus
