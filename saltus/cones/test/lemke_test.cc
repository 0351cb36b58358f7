#include "saltus/cones/solvers/lemke.h"

#include <limits>

#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/cones/test/random_problems.h"

namespace saltus {
namespace {

using test::Random;

double CalcLcpViolation(const MatrixX& M, const VectorX& q, const VectorX& z) {
  const VectorX w = M * z + q;
  return std::max({-z.minCoeff(), -w.minCoeff(), z.cwiseProduct(w).cwiseAbs().maxCoeff()});
}

Cone MakeCone(ConeKind kind, int offset, int dimension) {
  Cone cone;
  cone.kind = kind;
  cone.offset = offset;
  cone.dimension = dimension;
  return cone;
}

TEST(LemkeTest, SolvesATextbookProblem) {
  // w = (z₁ + 3, …): M = [2 1; 1 2], q = (−5, −6) has z = (4/3, 7/3), w = 0.
  const MatrixX M = (MatrixX(2, 2) << 2, 1, 1, 2).finished();
  VectorX z;
  EXPECT_EQ(SolveLemke(M, Vector2(-5, -6), 100, &z).outcome, LemkeOutcome::kSolved);
  EXPECT_LT((z - Vector2(4.0 / 3, 7.0 / 3)).norm(), 1e-15);
}

TEST(LemkeTest, NeedsNoPivotWhereNothingIsPushed) {
  VectorX z;
  const LemkeReport report = SolveLemke(MatrixX::Identity(2, 2), Vector2(0, 3), 100, &z);
  EXPECT_EQ(report.outcome, LemkeOutcome::kSolved);
  EXPECT_EQ(report.pivots, 0);
  EXPECT_EQ(z, Vector2(0, 0));
}

TEST(LemkeTest, SolvesRandomProblems) {
  Random random(1);
  int unsolved = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = random.Integer(1, 30);
    // Every other matrix is unsymmetric positive definite, every third semidefinite of low rank
    // with a solution by construction.
    MatrixX M = random.PositiveDefinite(n, 1e3);
    if (trial % 2 == 0) {
      const MatrixX skew = random.Matrix(n, n);
      M += 0.5 * (skew - skew.transpose());
    }
    VectorX q = random.Matrix(n, 1);
    if (trial % 3 == 0) {
      const MatrixX H = random.Matrix(n, std::max(1, n / 2));
      M = H * H.transpose();
      VectorX z0 = VectorX(random.Matrix(n, 1)).cwiseMax(0), w0(n);
      for (int i = 0; i < n; ++i) w0[i] = z0[i] > 0 ? 0.0 : random.Uniform(0, 1);
      q = w0 - M * z0;
    }
    VectorX z;
    const LemkeOutcome outcome = SolveLemke(M, q, 10000, &z).outcome;
    if (trial % 3 == 0 && outcome != LemkeOutcome::kSolved) {
      ++unsolved;  // rounding may turn a singular basis into a ray; it is reported as one
      continue;
    }
    ASSERT_EQ(outcome, LemkeOutcome::kSolved) << trial;
    // Rounding of a direct solve with condition up to 1e3, of impulses up to 1e3.
    EXPECT_LT(CalcLcpViolation(M, q, z), 1e-9) << trial;
  }
  EXPECT_LE(unsolved, 2);  // of 100 singular problems
}

TEST(LemkeTest, DoesNotCycleWhereDegenerate) {
  // Many identical contacts: ties in every ratio test.
  const int n = 24;
  const MatrixX H = VectorX::Ones(n);
  const MatrixX M = H * H.transpose();
  VectorX z;
  EXPECT_EQ(SolveLemke(M, -VectorX::Ones(n), 1000, &z).outcome, LemkeOutcome::kSolved);
  EXPECT_NEAR(z.sum(), 1, 1e-14);
  EXPECT_GE(z.minCoeff(), 0);
}

TEST(LemkeTest, EndsOnARayWhereInfeasible) {
  const MatrixX M = (MatrixX(2, 2) << 1, -1, -1, 1).finished();
  VectorX z;
  EXPECT_EQ(SolveLemke(M, Vector2(-1, -1), 100, &z).outcome, LemkeOutcome::kRay);
}

TEST(LemkeSolverTest, MixesFreeNonnegativeAndBoxRows) {
  Random random(2);
  for (int trial = 0; trial < 100; ++trial) {
    const DenseDelassus A(random.PositiveDefinite(7, 100));
    ConicProblem problem;
    problem.A = &A;
    problem.b = random.Matrix(7, 1);
    problem.cones = {MakeCone(ConeKind::kNonnegative, 0, 1), MakeCone(ConeKind::kFree, 1, 3),
                     MakeCone(ConeKind::kBox, 4, 1), MakeCone(ConeKind::kNonnegative, 5, 1),
                     MakeCone(ConeKind::kBox, 6, 1)};
    problem.cones[2].bound = 0.2;
    problem.cones[4].bound = 5;
    VectorX r = VectorX::Zero(7);
    ConicSolverOptions options;
    options.tolerance = 1e-12;
    LemkeSolver solver(options);
    const SolveReport report = solver.Solve(problem, &r);
    ASSERT_TRUE(report.ok()) << trial << " " << report.residual.relative;
    const VectorX u = A.matrix() * r + problem.b;
    EXPECT_LT(u.segment(1, 3).norm(), 1e-12);
    for (const int i : {0, 5}) {
      EXPECT_LT(std::abs(std::min(u[i], r[i])), 1e-12);
    }
    EXPECT_LE(std::abs(r[4]), 0.2 + 1e-15);
    if (std::abs(r[4]) < 0.2 - 1e-12) {
      EXPECT_LT(std::abs(u[4]), 1e-12);
    } else {
      EXPECT_LE(u[4] * r[4], 1e-12);
    }
  }
}

TEST(LemkeSolverTest, RedundantFreeRows) {
  // Two equal bilateral rows share their load; contradicting ones are infeasible.
  const DenseDelassus A(MatrixX::Ones(2, 2));
  ConicProblem problem;
  problem.A = &A;
  problem.b = Vector2(-2, -2);
  problem.cones = {MakeCone(ConeKind::kFree, 0, 2)};
  VectorX r = VectorX::Zero(2);
  LemkeSolver solver{ConicSolverOptions{}};
  ASSERT_TRUE(solver.Solve(problem, &r).ok());
  EXPECT_LT((r - Vector2(1, 1)).norm(), 1e-14);
  problem.b = Vector2(-2, -3);
  EXPECT_EQ(solver.Solve(problem, &r).status, SolveStatus::kInfeasible);
}

TEST(LemkeSolverTest, SaysWhatItCannotDo) {
  const DenseDelassus A(MatrixX::Identity(3, 3));
  ConicProblem problem;
  problem.A = &A;
  problem.b = Vector3(-1, 0, 0);
  problem.cones = {MakeCone(ConeKind::kFriction, 0, 3)};
  VectorX r = Vector3(1, 2, 3);
  LemkeSolver solver{ConicSolverOptions{}};
  EXPECT_EQ(solver.Solve(problem, &r).status, SolveStatus::kUnsupported);
  EXPECT_EQ(r, Vector3(1, 2, 3));
}

TEST(LemkeSolverTest, NotFinite) {
  const DenseDelassus A(MatrixX::Identity(1, 1));
  ConicProblem problem;
  problem.A = &A;
  problem.b = VectorX::Constant(1, std::numeric_limits<double>::quiet_NaN());
  problem.cones = {MakeCone(ConeKind::kNonnegative, 0, 1)};
  VectorX r = VectorX::Ones(1);
  LemkeSolver solver{ConicSolverOptions{}};
  EXPECT_EQ(solver.Solve(problem, &r).status, SolveStatus::kNotFinite);
  EXPECT_TRUE(r.allFinite());
}

TEST(MakeConicSolverTest, KnowsItsNames) {
  for (const ConicSolverInfo& info : ListConicSolvers()) {
    const auto solver = MakeConicSolver(info.name, {});
    EXPECT_EQ(solver->name(), info.name);
    EXPECT_EQ(solver->Clone()->name(), info.name);
    EXPECT_FALSE(info.summary.empty());
  }
  try {
    MakeConicSolver("nsgd", {});
    FAIL() << "an unknown name must throw";
  } catch (const InputError& error) {
    EXPECT_NE(error.suggestion().find("nsgs"), std::string::npos) << error.suggestion();
  }
}

TEST(AutoSolverTest, ChoosesByTheProblem) {
  const DenseDelassus A((MatrixX(2, 2) << 2, 1, 1, 2).finished());
  ConicProblem problem;
  problem.A = &A;
  problem.b = Vector2(-5, -6);
  problem.cones = {MakeCone(ConeKind::kNonnegative, 0, 1), MakeCone(ConeKind::kNonnegative, 1, 1)};
  VectorX r = VectorX::Zero(2);
  const auto solver = MakeConicSolver("auto", {});
  const SolveReport report = solver->Solve(problem, &r);
  EXPECT_TRUE(report.ok());
  EXPECT_LE(report.iterations, 3);  // Pivots: exact, where sweeps would need dozens.
  EXPECT_LT((r - Vector2(4.0 / 3, 7.0 / 3)).norm(), 1e-15);
  problem.cones = {MakeCone(ConeKind::kFriction, 0, 2)};
  problem.cones[0].friction = 0.3;
  EXPECT_TRUE(solver->Solve(problem, &r).ok());
}

}  // namespace
}  // namespace saltus
