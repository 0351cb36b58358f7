#include "saltus/cones/solvers/semismooth_newton.h"

#include <gtest/gtest.h>

#include "saltus/cones/block_sparse_copy.h"
#include "saltus/cones/fclib.h"
#include "saltus/cones/solvers/cascade.h"
#include "saltus/cones/test/box_stack.h"
#include "saltus/cones/test/random_problems.h"
#include "saltus/cones/test/reference_files.h"

namespace saltus {
namespace {

using test::Random;

Cone MakeFrictionCone(int dimension, double friction) {
  Cone cone;
  cone.kind = ConeKind::kFriction;
  cone.dimension = dimension;
  cone.friction = friction;
  return cone;
}

class ConeFunctionTest : public testing::TestWithParam<ConeFunction> {};

TEST_P(ConeFunctionTest, VanishesExactlyWhereTheLawHolds) {
  Random random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const Cone cone = MakeFrictionCone(2 + trial % 2, random.Uniform(0.05, 1.5));
    VectorX r(cone.dimension), u(cone.dimension);
    MakeContactPair(cone, static_cast<test::ContactState>(trial % 3), &random, r.data(), u.data());
    BlockEquation equation;
    CalcBlockEquation(GetParam(), cone, 0, 0.7, r.data(), u.data(), &equation);
    EXPECT_LT(equation.F.norm(), 1e-14);  // rounding
    r[0] += 0.2;                          // breaks every state but open, where r = 0 breaks instead
    if (u[0] > 0) continue;
    u[0] += 0.1;
    CalcBlockEquation(GetParam(), cone, 0, 0.7, r.data(), u.data(), &equation);
    EXPECT_GT(equation.F.norm(), 1e-3);
  }
}

TEST_P(ConeFunctionTest, DerivativeMatchesDifferences) {
  Random random(2);
  const double h = 1e-6;
  for (int trial = 0; trial < 300; ++trial) {
    Cone cone = MakeFrictionCone(2 + trial % 2, random.Uniform(0.05, 1.5));
    if (trial % 5 == 4) {
      cone.kind = ConeKind::kBox;
    }
    const int d = cone.dimension;
    const VectorX r = random.Matrix(d, 1), u = random.Matrix(d, 1);
    BlockEquation equation, plus, minus;
    CalcBlockEquation(GetParam(), cone, 0.3, 0.7, r.data(), u.data(), &equation);
    for (int j = 0; j < 2 * d; ++j) {
      VectorX dr = VectorX::Zero(d), du = VectorX::Zero(d);
      (j < d ? dr[j] : du[j - d]) = h;
      const VectorX r_plus = r + dr, u_plus = u + du, r_minus = r - dr, u_minus = u - du;
      CalcBlockEquation(GetParam(), cone, 0.3, 0.7, r_plus.data(), u_plus.data(), &plus);
      CalcBlockEquation(GetParam(), cone, 0.3, 0.7, r_minus.data(), u_minus.data(), &minus);
      const VectorX difference = (plus.F - minus.F) / (2 * h);
      const VectorX exact = j < d ? VectorX(equation.A.col(j)) : VectorX(equation.B.col(j - d));
      // h² of the central difference times third derivatives, which grow near the kinks.
      EXPECT_LT((difference - exact).norm(), 1e-4) << trial << " " << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, ConeFunctionTest,
                         testing::Values(ConeFunction::kAlartCurnier, ConeFunction::kNaturalMap,
                                         ConeFunction::kFischerBurmeister));

TEST(BlockSparseCopyTest, AllFormsGiveTheSameMatrix) {
  Random random(3);
  for (const bool unsymmetric : {false, true}) {
    test::MechanismOptions options;
    options.dimensions = {3, 2, 1, 3, 3, 1};
    options.unsymmetric = unsymmetric;
    test::Mechanism mechanism;
    MakeMechanism(options, &random, &mechanism);
    ConicProblem problem;
    problem.cones = test::MakeCones(options.dimensions, 0.3);
    problem.b = VectorX::Zero(mechanism.body.size());
    const MatrixX exact = mechanism.dense.matrix();
    for (const Delassus* A : {static_cast<const Delassus*>(&mechanism.body),
                              static_cast<const Delassus*>(&mechanism.sparse),
                              static_cast<const Delassus*>(&mechanism.dense)}) {
      problem.A = A;
      BlockSparseDelassus storage;
      const MatrixX copy = MakeDense(MakeBlockSparse(problem, &storage));
      EXPECT_LT((copy - exact).norm(), 1e-14 * exact.norm());
    }
  }
}

TEST(SemismoothNewtonTest, BoxStackCarriesItsWeight) {
  test::BoxStack stack;
  BodyDelassus A;
  ConicProblem problem;
  MakeBoxStack(stack, &A, &problem);
  for (const ConeFunction function :
       {ConeFunction::kAlartCurnier, ConeFunction::kNaturalMap, ConeFunction::kFischerBurmeister}) {
    ConicSolverOptions options;
    options.function = function;
    options.max_iterations = 200;
    VectorX r;
    const SolveReport report = SemismoothNewtonSolver(options).Solve(problem, &r);
    EXPECT_TRUE(report.ok()) << static_cast<int>(function) << ": " << report.residual.relative
                             << " after " << report.iterations;
  }
}

TEST(CascadeTest, ReportsProblemsWithoutSolution) {
  // One contact that closes although nothing can move: infeasible. NaN: not finite.
  DenseDelassus A(MatrixX::Zero(3, 3));
  ConicProblem problem;
  problem.A = &A;
  problem.cones = {MakeFrictionCone(3, 0.5)};
  problem.b = Vector3(-1, 0, 0);
  VectorX r;
  Cascade solver("auto", ConicSolverOptions{}, ListAutoStages);
  EXPECT_EQ(solver.Solve(problem, &r).status, SolveStatus::kInfeasible);
  problem.b[1] = std::nan("");
  EXPECT_EQ(solver.Solve(problem, &r).status, SolveStatus::kNotFinite);
  EXPECT_TRUE(r.allFinite());
}

// The yardstick: both measures on every file, from a cold start, computed outside the solver.
TEST(ReferenceFilesTest, AreSolvedByInteriorPointsAndAuto) {
  SALTUS_SKIP_WITHOUT_REFERENCE();
  ConicSolverOptions options;
  options.tolerance = 1e-8;
  options.absolute_tolerance = 1e-9;
  options.max_iterations = 10000;
  for (const auto& path : test::ListReferenceFiles()) {
    const FclibProblem fclib = ReadFclib(path.string());
    for (const char* name : {"interior-point", "auto"}) {
      VectorX r;
      const SolveReport report = MakeConicSolver(name, options)->Solve(fclib.problem, &r);
      EXPECT_TRUE(report.ok()) << path << " " << name;
      const NaturalMapResidual residual = CalcNaturalMapResidual(fclib.problem, r);
      EXPECT_LE(residual.relative, 1e-8) << path << " " << name;
      EXPECT_LE(residual.absolute, 1e-9) << path << " " << name;
    }
  }
}

}  // namespace
}  // namespace saltus
