#include <limits>

#include <gtest/gtest.h>

#include "saltus/cones/conic_problem.h"
#include "saltus/cones/dense_delassus.h"

namespace saltus {
namespace {

Cone MakeCone(ConeKind kind, int offset, int dimension) {
  Cone cone;
  cone.kind = kind;
  cone.offset = offset;
  cone.dimension = dimension;
  return cone;
}

TEST(NaturalMapTest, VanishesAtAHandMadeSolution) {
  // Slip: W = I, q = (−1, 3, 4), μ = 0.5 has r = (1, −0.3, −0.4), u = (0, 2.7, 3.6).
  const DenseDelassus A(MatrixX::Identity(3, 3));
  ConicProblem problem;
  problem.A = &A;
  problem.b = Vector3(-1, 3, 4);
  problem.cones = {MakeCone(ConeKind::kFriction, 0, 3)};
  problem.cones[0].friction = 0.5;
  const NaturalMapResidual residual = CalcNaturalMapResidual(problem, Vector3(1, -0.3, -0.4));
  EXPECT_LT(residual.relative, 1e-15);
  EXPECT_LT(residual.absolute, 1e-15);
}

TEST(NaturalMapTest, HasTheValuesOfItsDefinition) {
  // Two scalar rows, A = diag(2, 4), so ρ = (1/2, 1/4).
  const DenseDelassus A((MatrixX(2, 2) << 2, 0, 0, 4).finished());
  ConicProblem problem;
  problem.A = &A;
  problem.b = Vector2(-2, 3);
  problem.cones = {MakeCone(ConeKind::kNonnegative, 0, 1), MakeCone(ConeKind::kNonnegative, 1, 1)};
  // r = (0.5, 0.25): u = (−1, 4); r − max(0, r − ρu) = (−0.5, 0.25);
  // with ρ = 1: r − max(0, r − u) = (−1, 0.25).
  const NaturalMapResidual residual = CalcNaturalMapResidual(problem, Vector2(0.5, 0.25));
  EXPECT_NEAR(residual.relative, std::hypot(0.5, 0.25) / std::hypot(0.5, 0.25), 1e-15);
  EXPECT_NEAR(residual.absolute, std::hypot(1, 0.25) / std::hypot(1, 4), 1e-15);
  EXPECT_EQ(residual.worst_block, 0);
  // r = 0: relative to ρ b = (−1, 3/4); the residual is (−1, 0).
  EXPECT_NEAR(CalcNaturalMapResidual(problem, Vector2(0, 0)).relative, 1 / std::hypot(1, 0.75),
              1e-15);
}

TEST(NaturalMapTest, FreeAndBoxBlocks) {
  const DenseDelassus A(2 * MatrixX::Identity(2, 2));
  ConicProblem problem;
  problem.A = &A;
  problem.b = Vector2(-2, -6);
  problem.cones = {MakeCone(ConeKind::kFree, 0, 1), MakeCone(ConeKind::kBox, 1, 1)};
  problem.cones[1].load = 0;
  problem.cones[1].bound = 0.5;
  ConeLoad load;
  load.coefficient = 0.5;
  load.constant = Vector2(0, 3);
  load.rows = (MatrixX(2, 2) << 4, 0, 0, 0).finished();
  problem.loads = {load};
  // The free row gives r₀ = 1, so s = 0.5 + 0.5 |(4, 3)| = 3 and the box row sticks exactly at
  // its bound: 2 r₁ = 6.
  EXPECT_EQ(CalcBoxBound(problem, problem.cones[1], Vector2(1, 3).eval().data()), 3.0);
  EXPECT_LT(CalcNaturalMapResidual(problem, Vector2(1, 3)).relative, 1e-15);
  // At r₁ = 2.5, u₁ = −1, ρ = 1/2: r₁ − min(3, 3) = −0.5.
  EXPECT_NEAR(CalcNaturalMapResidual(problem, Vector2(1, 2.5)).relative,
              0.5 / Vector2(1, 2.5).norm(), 1e-15);
}

TEST(NaturalMapTest, ImmovableBlocksCountOnlyIfTheyViolate) {
  const DenseDelassus A((MatrixX(2, 2) << 1, 0, 0, 0).finished());
  ConicProblem problem;
  problem.A = &A;
  problem.cones = {MakeCone(ConeKind::kNonnegative, 0, 1), MakeCone(ConeKind::kNonnegative, 1, 1)};
  problem.b = Vector2(-1, 2);
  EXPECT_EQ(CalcNaturalMapResidual(problem, Vector2(1, 0)).relative, 0);
  problem.b = Vector2(-1, -2);
  EXPECT_NEAR(CalcNaturalMapResidual(problem, Vector2(1, 0)).relative, 2, 1e-15);
}

TEST(NaturalMapTest, EmptyZeroAndNotFinite) {
  const DenseDelassus A(MatrixX::Identity(1, 1));
  ConicProblem problem;
  problem.A = &A;
  problem.b = VectorX::Zero(1);
  problem.cones = {MakeCone(ConeKind::kNonnegative, 0, 1)};
  EXPECT_EQ(CalcNaturalMapResidual(problem, VectorX::Zero(1)).relative, 0);
  problem.b[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(CalcNaturalMapResidual(problem, VectorX::Zero(1)).relative,
            std::numeric_limits<double>::infinity());
  const DenseDelassus none((MatrixX(0, 0)));
  ConicProblem empty;
  empty.A = &none;
  EXPECT_EQ(CalcNaturalMapResidual(empty, VectorX()).relative, 0);
}

}  // namespace
}  // namespace saltus
