#include "saltus/cones/solvers/islands.h"

#include <gtest/gtest.h>

#include "saltus/cones/solvers/cascade.h"
#include "saltus/cones/test/random_problems.h"

namespace saltus {
namespace {

using test::ContactState;
using test::Random;

// Groups of bodies that touch only within their group, in both forms, contacts in a mixed order.
struct Groups {
  BodyDelassus body;
  BlockSparseDelassus sparse;
  ConicProblem problem;
};

void MakeGroups(int num_groups, int contacts, Random* random, Groups* groups) {
  BodyDelassus& body = groups->body;
  body.Reset();
  for (int b = 0; b < 2 * num_groups; ++b) body.AddBody(random->PositiveDefinite(6, 10));
  std::vector<int> dimensions;
  for (int k = 0; k < contacts; ++k) {
    for (int g = 0; g < num_groups; ++g) {
      const int d = 1 + (k + g) % 3;
      const int a = k == 0 || random->Integer(0, 1) == 0 ? 2 * g : -1;
      body.AddBlock(d, a, random->Matrix(d, 6), 2 * g + 1, random->Matrix(d, 6));
      dimensions.push_back(d);
    }
  }
  body.Finalize();
  groups->problem.A = &body;
  groups->problem.cones = test::MakeCones(dimensions, 0.4);
  const int n = body.size();
  VectorX r = VectorX::Zero(n), u = VectorX::Zero(n), product;
  for (const Cone& cone : groups->problem.cones) {
    if (cone.dimension == 1) {
      (random->Integer(0, 1) == 0 ? r : u)[cone.offset] = random->Uniform(0.1, 1);
    } else {
      MakeContactPair(cone, static_cast<ContactState>(random->Integer(0, 2)), random,
                      &r[cone.offset], &u[cone.offset]);
    }
  }
  body.Multiply(r, &product);
  groups->problem.b = u - product;
  const MatrixX A = MakeDense(body);
  std::vector<int> row_begin{0}, columns;
  const auto& cones = groups->problem.cones;
  const auto entry = [&](const Cone& x, const Cone& y) {
    return A.block(x.offset, y.offset, x.dimension, y.dimension);
  };
  for (std::size_t c = 0; c < cones.size(); ++c) {
    for (std::size_t e = 0; e < cones.size(); ++e) {
      if (c == e || !entry(cones[c], cones[e]).isZero(0)) columns.push_back(static_cast<int>(e));
    }
    row_begin.push_back(static_cast<int>(columns.size()));
  }
  groups->sparse.SetPattern(dimensions, row_begin, columns);
  for (int c = 0; c < groups->sparse.num_blocks(); ++c) {
    for (int slot = row_begin[c]; slot < row_begin[c + 1]; ++slot) {
      groups->sparse.block(c, slot) = entry(cones[c], cones[columns[slot]]);
    }
  }
}

ConicSolverOptions MakeOptions(int threads) {
  ConicSolverOptions options;
  options.tolerance = 1e-10;
  options.threads = threads;
  return options;
}

TEST(IslandsTest, FindsThemAndSolvesThem) {
  Random random(1);
  Groups groups;
  MakeGroups(7, 4, &random, &groups);
  for (const Delassus* A :
       {static_cast<const Delassus*>(&groups.body), static_cast<const Delassus*>(&groups.sparse)}) {
    groups.problem.A = A;
    IslandSolver solver(std::make_unique<Cascade>("auto", MakeOptions(1), ListAutoStages),
                        MakeOptions(1));
    VectorX r;
    const SolveReport report = solver.Solve(groups.problem, &r);
    EXPECT_TRUE(report.ok()) << report.residual.relative;
    EXPECT_EQ(solver.num_islands(), 7);
    EXPECT_LE(CalcNaturalMapResidual(groups.problem, r).relative, 1e-10);
    // Warm: nothing to do.
    const VectorX solved = r;
    EXPECT_EQ(solver.Solve(groups.problem, &r).iterations, 0);
    EXPECT_EQ(r, solved);
  }
}

TEST(IslandsTest, ResultDoesNotDependOnTheNumberOfThreads) {
  Random random(2);
  Groups groups;
  MakeGroups(40, 9, &random, &groups);
  ASSERT_GE(groups.problem.size(), IslandSolver::kMinThreadedRows);
  VectorX reference;
  const SolveReport first =
      MakeConicSolver("auto", MakeOptions(1))->Solve(groups.problem, &reference);
  EXPECT_TRUE(first.ok());
  for (const int threads : {2, 3, 8}) {
    const auto solver = MakeConicSolver("auto", MakeOptions(threads));
    for (int repeat = 0; repeat < 3; ++repeat) {  // Scratch memory of earlier calls is no input.
      VectorX r;
      const SolveReport report = solver->Solve(groups.problem, &r);
      EXPECT_EQ(r, reference);
      EXPECT_EQ(report.iterations, first.iterations);
      EXPECT_EQ(report.residual.relative, first.residual.relative);
    }
  }
}

TEST(IslandsTest, LoadsCompliancesAndOneInfeasibleIsland) {
  // Two frictionless supports with joints' dry friction whose load is in the other block: joined.
  BlockSparseDelassus A;
  A.SetPattern({1, 1, 1, 1}, {0, 1, 2, 3, 4}, {0, 1, 2, 3});
  for (int c = 0; c < 4; ++c) A.block(c, c)(0, 0) = c == 3 ? 0.0 : 1.0;
  ConicProblem problem;
  problem.A = &A;
  problem.cones = test::MakeCones({1, 1, 1, 1}, 0);
  problem.cones[1].kind = ConeKind::kBox;
  problem.cones[1].load = 0;
  MatrixX rows = MatrixX::Zero(1, 4);
  rows(0, 0) = 1;
  problem.loads.push_back({0.5, VectorX::Zero(1), rows});
  problem.b = Eigen::Vector4d(-2, 3, -1, 1);
  problem.compliance = Eigen::Vector4d(0, 0, 1, 0);
  IslandSolver solver(std::make_unique<Cascade>("auto", MakeOptions(1), ListAutoStages),
                      MakeOptions(1));
  VectorX r;
  EXPECT_TRUE(solver.Solve(problem, &r).ok());
  EXPECT_EQ(solver.num_islands(), 3);
  EXPECT_LT((r - Eigen::Vector4d(2, -1, 0.5, 0)).norm(), 1e-9);
  problem.b[3] = -1;  // The last closes, and nothing can stop it.
  const SolveReport report = solver.Solve(problem, &r);
  EXPECT_EQ(report.status, SolveStatus::kInfeasible);
  EXPECT_LT((r.head(3) - Vector3(2, -1, 0.5)).norm(), 1e-9);  // The others are solved all the same.
}

}  // namespace
}  // namespace saltus
