// projected-cg on problems made from a known solution.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "saltus/cones/conic_solver.h"
#include "saltus/cones/test/random_problems.h"

namespace saltus {
namespace {

using test::Random;

struct KnownProblem {
  DenseDelassus A{MatrixX()};
  ConicProblem problem;
  VectorX r;
};

/// u ≥ 0, r ≥ 0, and one of them positive; every seventh row is free.
void MakeKnownProblem(const MatrixX& A, Random* random, KnownProblem* known) {
  const auto n = static_cast<int>(A.rows());
  known->A = DenseDelassus(A);
  known->problem.A = &known->A;
  known->r.setZero(n);
  VectorX u = VectorX::Zero(n);
  for (int i = 0; i < n; ++i) {
    Cone cone;
    cone.offset = i;
    cone.kind = i % 7 == 0 ? ConeKind::kFree : ConeKind::kNonnegative;
    known->problem.cones.push_back(cone);
    const bool closed = cone.kind == ConeKind::kFree || random->Integer(0, 2) > 0;
    (closed ? known->r : u)[i] = random->Uniform(0.1, 1);
  }
  known->problem.b = u - A * known->r;
}

SolveReport Solve(const ConicProblem& problem, double tolerance, int max_iterations, VectorX* r) {
  ConicSolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  return MakeConicSolver("projected-cg", options)->Solve(problem, r);
}

// Condition numbers at which Gauss–Seidel needs 1e6 sweeps and more.
TEST(ProjectedCgTest, FindsKnownSolutionsOfIllConditionedProblems) {
  Random random(3);
  for (int trial = 0; trial < 12; ++trial) {
    KnownProblem known;
    MakeKnownProblem(random.PositiveDefinite(20 + 20 * trial, trial % 2 == 0 ? 1e3 : 1e7), &random,
                     &known);
    VectorX r;
    const SolveReport report = Solve(known.problem, 1e-12, 3000, &r);
    EXPECT_TRUE(report.ok()) << trial << ": " << report.residual.relative;
    EXPECT_EQ(report.residual.relative, CalcNaturalMapResidual(known.problem, r).relative);
    EXPECT_LT((r - known.r).norm(), 1e-4 * known.r.norm()) << trial;
  }
}

// Twice the same rows: impulses are not unique, velocities are.
TEST(ProjectedCgTest, RedundantRowsAreNoObstacle) {
  Random random(4);
  const MatrixX half = random.PositiveDefinite(40, 1e5);
  MatrixX A(80, 80);
  A << half, half, half, half;
  KnownProblem known;
  MakeKnownProblem(A, &random, &known);
  // Both copies of a row see the same velocity, so they are open only together.
  for (int i = 0; i < 40; ++i) {
    if (known.r[i] > 0 || known.r[i + 40] > 0) continue;
    known.r[i] = 0.5;
  }
  known.problem.b = -A * known.r;
  VectorX r;
  EXPECT_TRUE(Solve(known.problem, 1e-11, 5000, &r).ok());
  EXPECT_LT((A * (r - known.r)).norm(), 1e-9);
}

TEST(ProjectedCgTest, StatusesAreTruthful) {
  Random random(5);
  KnownProblem known;
  MakeKnownProblem(random.PositiveDefinite(30, 1e4), &random, &known);
  VectorX r;
  EXPECT_EQ(Solve(known.problem, 1e-300, 7, &r).status, SolveStatus::kMaxIterations);
  EXPECT_TRUE(r.allFinite());
  r = known.r;
  EXPECT_EQ(Solve(known.problem, 1e-9, 7, &r).iterations, 0);
  EXPECT_EQ(r, known.r);
  known.problem.b[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Solve(known.problem, 1e-9, 7, &r).status, SolveStatus::kNotFinite);

  // No impulse opens a gap of −1 along a direction in which nothing moves: r = 0 is as good as any.
  KnownProblem stuck;
  MakeKnownProblem(MatrixX::Zero(2, 2), &random, &stuck);
  stuck.problem.b.setConstant(-1);
  EXPECT_FALSE(Solve(stuck.problem, 1e-9, 100, &r).ok());
  EXPECT_TRUE(r.allFinite());
}

TEST(ProjectedCgTest, FrictionIsRefusedAndTheStartIsKept) {
  DenseDelassus A(MatrixX::Identity(3, 3));
  ConicProblem problem;
  problem.A = &A;
  problem.b = Vector3(-1, 0.5, 0);
  problem.cones = test::MakeCones({3}, 0.3);
  VectorX r = Vector3(2, 0.1, 0);
  EXPECT_EQ(Solve(problem, 1e-9, 100, &r).status, SolveStatus::kUnsupported);
  EXPECT_EQ(r, VectorX(Vector3(2, 0.1, 0)));
}

}  // namespace
}  // namespace saltus
