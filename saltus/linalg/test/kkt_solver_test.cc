#include "saltus/linalg/kkt_solver.h"

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/base/timing.h"
#include "saltus/linalg/test/kkt_test_problems.h"

namespace saltus {
namespace {

using Couplings = std::vector<std::array<int, 2>>;

double LargestEntry(const VectorX& v) { return v.size() == 0 ? 0 : v.lpNorm<Eigen::Infinity>(); }

/// Solves and compares with the dense reference. `tolerance` covers the conditioning of the
/// reference, which inverts S and forms G S⁻¹Gᵀ; the residuals of our own solution are held to
/// rounding.
void ExpectSolves(const KktProblem& problem, const VectorX& f, const VectorX& c, double tolerance,
                  int max_dense_size = KktSolver::kMaxDenseSize) {
  KktSolver solver(problem.pattern, problem.G, max_dense_size);
  ASSERT_TRUE(solver.Factor(problem.S, problem.G));
  VectorX x, lambda;
  EXPECT_TRUE(solver.Solve(f, c, &x, &lambda));
  EXPECT_EQ(solver.outcome(), KktOutcome::kSolved);

  VectorX momentum;
  problem.S.Multiply(x, &momentum);
  momentum -= f + problem.G.transpose() * lambda;
  const VectorX gap = problem.G * x - c;
  EXPECT_LT(LargestEntry(momentum), 1e-13 * (1 + LargestEntry(f) + LargestEntry(lambda)));
  EXPECT_LT(LargestEntry(gap), 1e-13 * (1 + LargestEntry(c) + LargestEntry(x)));
  const double largest_G =
      MatrixX(problem.G).size() == 0 ? 0 : MatrixX(problem.G).cwiseAbs().maxCoeff();
  EXPECT_LT(solver.constraint_residual(), 1e-13 * (1 + LargestEntry(x)) * (1 + largest_G));

  const KktReference reference = SolveDense(problem, f, c);
  EXPECT_LT(LargestEntry(x - reference.x), tolerance * (1 + LargestEntry(x)));
  const VectorX reaction = problem.G.transpose() * (lambda - reference.lambda);
  EXPECT_LT(LargestEntry(reaction), tolerance * (1 + LargestEntry(lambda)));
  // Along redundant directions rounding is divided by δ = 1e-9: seven digits fewer than ε.
  EXPECT_LT(LargestEntry(lambda - reference.lambda), 1e-6 * (1 + LargestEntry(lambda)));
}

KktProblem MakeRandomProblem(const std::vector<int>& sizes, const Couplings& couplings, double skew,
                             const MatrixX& G, RandomNumbers* random) {
  KktProblem problem;
  problem.pattern = std::make_shared<const BlockPattern>(sizes, couplings);
  problem.S = MakeRandomBlocks(problem.pattern, skew, random);
  problem.G = MakeSparse(G);
  return problem;
}

TEST(KktSolverTest, RandomProblemsMatchDenseReference) {
  RandomNumbers random(1);
  for (const double skew : {0.0, 0.5}) {
    for (const int num_rows : {0, 1, 4, 9}) {
      for (const int max_dense_size : {100, 0}) {
        const KktProblem problem = MakeRandomProblem({6, 3, 6}, {{0, 1}, {1, 2}}, skew,
                                                     random.Matrix(num_rows, 15), &random);
        ExpectSolves(problem, random.Vector(15), random.Vector(num_rows), 1e-12, max_dense_size);
      }
    }
  }
}

// Motions that decay for ever end with such numbers.
TEST(KktSolverTest, SolvesForTheSmallestNumbers) {
  RandomNumbers random(3);
  const KktProblem problem =
      MakeRandomProblem({6, 3, 6}, {{0, 1}, {1, 2}}, 0.5, random.Matrix(4, 15), &random);
  for (const double size : {1e-280, 1e-300, 1e-310, 1e-320}) {
    ExpectSolves(problem, size * random.Vector(15), size * random.Vector(4), 1e-12);
  }
}

TEST(KktSolverTest, RedundantRowsGiveConsistentMultiplier) {
  RandomNumbers random(2);
  for (const double skew : {0.0, 0.5}) {
    for (const int max_dense_size : {100, 0}) {
      MatrixX G(7, 12);
      G.topRows(4) = random.Matrix(4, 12);
      G.row(4) = G.row(1);                 // duplicated
      G.row(5) = -1e3 * G.row(2);          // duplicated in other units
      G.row(6) = G.row(0) + 2 * G.row(3);  // a combination
      const KktProblem problem = MakeRandomProblem({6, 6}, {{0, 1}}, skew, G, &random);
      ExpectSolves(problem, random.Vector(12), G * random.Vector(12), 1e-11, max_dense_size);
    }
  }
}

TEST(KktSolverTest, EqualRowsShareTheLoad) {
  // A point mass m = 2 held twice along x under the force 6: λ₁ = λ₂ = −3, x = 0.
  KktProblem problem;
  problem.pattern = std::make_shared<const BlockPattern>(std::vector<int>{3}, Couplings{});
  problem.S = BlockMatrix(problem.pattern);
  problem.S.block(0) = 2 * Matrix3::Identity();
  MatrixX G = MatrixX::Zero(2, 3);
  G.col(0).setOnes();
  problem.G = MakeSparse(G);
  KktSolver solver(problem.pattern, problem.G);
  ASSERT_TRUE(solver.Factor(problem.S, problem.G));
  VectorX x, lambda;
  ASSERT_TRUE(solver.Solve(Vector3(6, 4, 0), Vector2(0, 0), &x, &lambda));
  EXPECT_NEAR(x[0], 0, 1e-15);
  EXPECT_DOUBLE_EQ(x[1], 2);
  // Rounding over δ, as above.
  EXPECT_NEAR(lambda[0], -3, 1e-6);
  EXPECT_NEAR(lambda[1], -3, 1e-6);
  EXPECT_NEAR(lambda.sum(), -6, 1e-14);
}

TEST(KktSolverTest, PlanarLoopInSpace) {
  RandomNumbers random(3);
  for (const int num_bodies : {3, 20}) {
    const KktProblem problem = MakeHingeChain(num_bodies, /*closed=*/true, &random);
    const int n = 6 * num_bodies;
    const VectorX c = problem.G * random.Vector(n);
    // 20 rods: the reference loses the condition of G S⁻¹Gᵀ, about 1e4.
    ExpectSolves(problem, random.Vector(n), c, 1e-10);
    ExpectSolves(problem, random.Vector(n), VectorX::Zero(problem.G.rows()), 1e-10);
  }
}

TEST(KktSolverTest, InconsistentConstraintsAreReported) {
  RandomNumbers random(4);
  MatrixX G(3, 6);
  G.topRows(2) = random.Matrix(2, 6);
  G.row(2) = G.row(0);
  const KktProblem problem = MakeRandomProblem({6}, {}, 0, G, &random);
  KktSolver solver(problem.pattern, problem.G);
  ASSERT_TRUE(solver.Factor(problem.S, problem.G));
  const VectorX f = random.Vector(6);
  VectorX x, lambda;
  EXPECT_FALSE(solver.Solve(f, Vector3(1, 0, 3), &x, &lambda));
  EXPECT_EQ(solver.outcome(), KktOutcome::kInconsistent);
  // Two equal rows of equal weight: the least-squares value is the mean, and it misses each by one.
  EXPECT_NEAR(G.row(0).dot(x), 2, 1e-12);
  EXPECT_NEAR(solver.constraint_residual(), 1, 1e-12);
  const KktReference reference = SolveDense(problem, f, Vector3(2, 0, 2));
  EXPECT_LT(LargestEntry(x - reference.x), 1e-12);
  EXPECT_LT(LargestEntry(lambda - reference.lambda), 1e-6);
  // The next consistent right-hand side is not affected.
  EXPECT_TRUE(solver.Solve(f, Vector3(2, 0, 2), &x, &lambda));
  EXPECT_LT(LargestEntry(x - reference.x), 1e-12);
  // Slightly inconsistent is inconsistent too.
  EXPECT_FALSE(solver.Solve(f, Vector3(1, 0, 1 + 1e-6), &x, &lambda));
}

TEST(KktSolverTest, RowWithoutEntriesAndVanishingRow) {
  RandomNumbers random(5);
  SparseRows G(3, 6);
  G.insert(0, 1) = 1;
  G.insert(2, 2) = 0;  // on the pattern, zero at this configuration
  G.makeCompressed();
  KktProblem problem = MakeRandomProblem({6}, {}, 0, MatrixX(0, 6), &random);
  problem.G = G;
  KktSolver solver(problem.pattern, problem.G);
  EXPECT_EQ(solver.num_components(), 2);
  ASSERT_TRUE(solver.Factor(problem.S, problem.G));
  VectorX x, lambda;
  EXPECT_TRUE(solver.Solve(random.Vector(6), Vector3(1, 0, 0), &x, &lambda));
  EXPECT_NEAR(x[1], 1, 1e-15);
  EXPECT_EQ(lambda[1], 0);
  EXPECT_EQ(lambda[2], 0);
  EXPECT_FALSE(solver.Solve(random.Vector(6), Vector3(1, 2, 0), &x, &lambda));
  EXPECT_EQ(solver.outcome(), KktOutcome::kInconsistent);
  EXPECT_NEAR(x[1], 1, 1e-15);
  EXPECT_FALSE(solver.Solve(random.Vector(6), Vector3(1, 0, 2), &x, &lambda));
}

TEST(KktSolverTest, SingularMassIsFineWhereConstraintsHoldIt) {
  // S vanishes on the last dof of each block; a constraint prescribes it.
  for (const int max_dense_size : {100, 0}) {
    KktProblem problem;
    problem.pattern =
        std::make_shared<const BlockPattern>(std::vector<int>{2, 2}, Couplings{{0, 1}});
    problem.S = BlockMatrix(problem.pattern);
    problem.S.block(problem.pattern->FindSlot(0, 0))(0, 0) = 4;
    problem.S.block(problem.pattern->FindSlot(1, 1))(0, 0) = 1e-6;
    MatrixX G = MatrixX::Zero(2, 4);
    G(0, 1) = 1;
    G(1, 1) = 1;
    G(1, 3) = -2;
    problem.G = MakeSparse(G);
    KktSolver solver(problem.pattern, problem.G, max_dense_size);
    ASSERT_TRUE(solver.Factor(problem.S, problem.G));
    VectorX x, lambda;
    ASSERT_TRUE(solver.Solve(Vector4(8, 3, 2e-6, 5), Vector2(1, 0), &x, &lambda));
    EXPECT_LT(LargestEntry(x - Vector4(2, 1, 2, 0.5)), 1e-14);
    // −Gᵀλ = f: −(λ₁ + λ₂) = 3, 2 λ₂ = 5.
    EXPECT_LT(LargestEntry(lambda - Vector2(-5.5, 2.5)), 1e-14);
    // Without the hold it is singular, and said so.
    problem.G.coeffRef(1, 3) = 0;
    EXPECT_FALSE(solver.Factor(problem.S, problem.G));
    EXPECT_FALSE(solver.Solve(Vector4(8, 3, 2e-6, 5), Vector2(1, 0), &x, &lambda));
    EXPECT_EQ(solver.outcome(), KktOutcome::kSingular);
  }
}

TEST(KktSolverTest, NotFiniteIsReported) {
  RandomNumbers random(6);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  KktProblem problem = MakeRandomProblem({6, 6, 3}, {{0, 1}}, 0, MatrixX(0, 15), &random);
  KktSolver solver(problem.pattern, problem.G);
  ASSERT_TRUE(solver.Factor(problem.S, problem.G));
  VectorX x, lambda;
  for (const int dof : {0, 14}) {
    VectorX f = random.Vector(15);
    f[dof] = nan;
    EXPECT_FALSE(solver.Solve(f, VectorX(0), &x, &lambda));
    EXPECT_EQ(solver.outcome(), KktOutcome::kSingular);
  }
  for (const int slot : {0, 4}) {
    BlockMatrix S = problem.S;
    S.block(slot)(1, 1) = nan;
    EXPECT_FALSE(solver.Factor(S, problem.G));
    EXPECT_FALSE(solver.Solve(random.Vector(15), VectorX(0), &x, &lambda));
  }
  EXPECT_TRUE(solver.Factor(problem.S, problem.G));
  EXPECT_TRUE(solver.Solve(random.Vector(15), VectorX(0), &x, nullptr));
  // A singular free block.
  problem.S.block(4).setOnes();
  EXPECT_FALSE(solver.Factor(problem.S, problem.G));
}

TEST(KktSolverTest, LongChainIsSolvedExactly) {
  RandomNumbers random(7);
  const int num_bodies = 500;
  const KktProblem problem = MakeHingeChain(num_bodies, /*closed=*/false, &random);
  const int n = 6 * num_bodies;
  const int m = static_cast<int>(problem.G.rows());
  KktSolver solver(problem.pattern, problem.G);
  EXPECT_EQ(solver.num_components(), 1);
  ASSERT_TRUE(solver.Factor(problem.S, problem.G));
  VectorX x, lambda;
  ASSERT_TRUE(solver.Solve(random.Vector(n), random.Vector(m), &x, &lambda));
  // Manufactured: the solution is known, the right-hand side follows.
  const VectorX x_known = random.Vector(n);
  const VectorX lambda_known = random.Vector(m);
  VectorX f_known;
  problem.S.Multiply(x_known, &f_known);
  f_known -= problem.G.transpose() * lambda_known;
  ASSERT_TRUE(solver.Solve(f_known, problem.G * x_known, &x, &lambda));
  EXPECT_LT(LargestEntry(x - x_known), 1e-10);
  EXPECT_LT(solver.constraint_residual(), 1e-13);
  const VectorX reaction = problem.G.transpose() * (lambda - lambda_known);
  EXPECT_LT(LargestEntry(reaction), 1e-10);
  // The smallest eigenvalue of the scaled G S⁻¹Gᵀ of N such rods falls like N⁻⁴ (as for a beam) and
  // is 1e-10 for 500: λ is known to ε/1e-10 only.
  EXPECT_LT(LargestEntry(lambda - lambda_known), 1e-5);
}

TEST(KktSolverTest, ChainOfHundredSparseMatchesDense) {
  RandomNumbers random(17);
  const KktProblem problem = MakeHingeChain(100, /*closed=*/false, &random);
  KktSolver sparse(problem.pattern, problem.G);
  KktSolver dense(problem.pattern, problem.G, /*max_dense_size=*/2000);
  ASSERT_TRUE(sparse.Factor(problem.S, problem.G));
  ASSERT_TRUE(dense.Factor(problem.S, problem.G));
  const VectorX f = random.Vector(600);
  const VectorX c = random.Vector(500);
  VectorX x_sparse, lambda_sparse, x_dense, lambda_dense;
  ASSERT_TRUE(sparse.Solve(f, c, &x_sparse, &lambda_sparse));
  ASSERT_TRUE(dense.Solve(f, c, &x_dense, &lambda_dense));
  // The smallest eigenvalue is 7e-8 here; both λ are of size 1e7 and differ by rounding over it.
  const double size = LargestEntry(lambda_dense);
  EXPECT_LT(LargestEntry(x_sparse - x_dense), 1e-14 * size);
  EXPECT_LT(LargestEntry(lambda_sparse - lambda_dense), 1e-8 * size);
}

TEST(KktSolverTest, SparseFollowsChangingNumbers) {
  // Refactorisation with old pivots, through changes that make these pivots bad.
  RandomNumbers random(8);
  KktProblem problem = MakeHingeChain(30, /*closed=*/true, &random);
  KktSolver solver(problem.pattern, problem.G);
  VectorX x, lambda;
  for (int step = 0; step < 20; ++step) {
    const KktProblem changed = MakeHingeChain(30, /*closed=*/true, &random);
    problem.G = changed.G;
    problem.S = MakeRandomBlocks(problem.pattern, step % 3 == 0 ? 0.5 : 0, &random);
    if (step % 4 == 0) {  // very different masses
      for (int b = 0; b < 30; ++b) {
        problem.S.block(problem.pattern->FindSlot(b, b)) *= std::pow(10, random.Uniform(-6, 6));
      }
    }
    ASSERT_TRUE(solver.Factor(problem.S, problem.G));
    const VectorX x_known = random.Vector(180);
    VectorX f;
    problem.S.Multiply(x_known, &f);
    ASSERT_TRUE(solver.Solve(f, problem.G * x_known, &x, &lambda)) << "step " << step;
    // Mass ratios of 1e12: G x is known to rounding of √m x, that is to 1e6 ε beside unit masses.
    const bool uneven = step % 4 == 0;
    EXPECT_LT(solver.constraint_residual(), uneven ? 1e-9 : 1e-13) << "step " << step;
    if (uneven) continue;
    EXPECT_LT(LargestEntry(x - x_known), 1e-10) << "step " << step;
  }
}

TEST(KktSolverTest, MixtureOfComponents) {
  // Blocks 0, 3, 6 free; 1–4 coupled by S; 2–5 by a constraint; 7 constrained to the ground.
  RandomNumbers random(9);
  const std::vector<int> sizes = {6, 3, 6, 3, 6, 6, 2, 6};
  KktProblem problem;
  problem.pattern = std::make_shared<const BlockPattern>(sizes, Couplings{{4, 1}});
  problem.S = MakeRandomBlocks(problem.pattern, 0.3, &random);
  const int n = problem.pattern->num_dofs();
  MatrixX G = MatrixX::Zero(5, n);
  const auto fill = [&](int row, int block) {
    G.block(row, problem.pattern->offset(block), 1, sizes[block]) = random.Matrix(1, sizes[block]);
  };
  fill(0, 7);
  fill(1, 2), fill(1, 5);
  fill(2, 7);
  fill(3, 2), fill(3, 5);
  G.row(4) = 2 * G.row(0);
  problem.G = MakeSparse(G);

  const KktSolver solver(problem.pattern, problem.G);
  EXPECT_EQ(solver.num_components(), 6);
  EXPECT_EQ(solver.component_of_block(1), solver.component_of_block(4));
  EXPECT_EQ(solver.component_of_block(2), solver.component_of_block(5));
  for (const int free : {0, 3, 6}) {
    EXPECT_TRUE(solver.component_is_free_block(solver.component_of_block(free)));
  }
  for (const int bound : {1, 2, 7}) {
    EXPECT_FALSE(solver.component_is_free_block(solver.component_of_block(bound)));
  }
  const std::span<const int> rows = solver.component_rows(solver.component_of_block(7));
  EXPECT_EQ(std::vector<int>(rows.begin(), rows.end()), (std::vector<int>{0, 2, 4}));
  int num_dofs = 0;
  for (int comp = 0; comp < solver.num_components(); ++comp) {
    const std::span<const int> dofs = solver.component_dofs(comp);
    for (std::size_t k = 0; k < dofs.size(); ++k) {
      EXPECT_EQ(solver.local_dof(dofs[k]), static_cast<int>(k));
    }
    num_dofs += static_cast<int>(dofs.size());
  }
  EXPECT_EQ(num_dofs, n);
  ExpectSolves(problem, random.Vector(n), G * random.Vector(n), 1e-11);
}

TEST(KktSolverTest, SolveInComponentAgreesWithSolve) {
  RandomNumbers random(10);
  KktProblem problem = MakeHingeChain(4, /*closed=*/true, &random);
  // Two more bodies, free.
  const std::vector<int> sizes(6, 6);
  problem.pattern = std::make_shared<const BlockPattern>(sizes, Couplings{});
  problem.S = MakeRandomBlocks(problem.pattern, 0.2, &random);
  problem.G.conservativeResize(problem.G.rows(), 36);
  for (const int max_dense_size : {100, 0}) {
    KktSolver solver(problem.pattern, problem.G, max_dense_size);
    ASSERT_TRUE(solver.Factor(problem.S, problem.G));
    for (int comp = 0; comp < solver.num_components(); ++comp) {
      const std::span<const int> dofs = solver.component_dofs(comp);
      const std::span<const int> rows = solver.component_rows(comp);
      MatrixX columns = random.Matrix(static_cast<int>(dofs.size()), 7);
      const MatrixX f = columns;
      MatrixX lambda_columns;
      ASSERT_TRUE(solver.SolveInComponent(comp, &columns, &lambda_columns));
      for (int j = 0; j < columns.cols(); ++j) {
        VectorX f_global = VectorX::Zero(36), x, lambda;
        for (std::size_t i = 0; i < dofs.size(); ++i) f_global[dofs[i]] = f(i, j);
        ASSERT_TRUE(solver.Solve(f_global, VectorX::Zero(problem.G.rows()), &x, &lambda));
        for (std::size_t i = 0; i < dofs.size(); ++i) EXPECT_NEAR(columns(i, j), x[dofs[i]], 1e-14);
        for (std::size_t i = 0; i < rows.size(); ++i) {
          EXPECT_NEAR(lambda_columns(i, j), lambda[rows[i]], 1e-5);
        }
      }
    }
    const MatrixX product = solver.free_block_inverse(5) * MatrixX(problem.S.block(5));
    EXPECT_LT((product - MatrixX::Identity(6, 6)).norm(), 1e-14);
  }
}

TEST(KktSolverTest, ManyFreeBodiesAreCheap) {
  RandomNumbers random(11);
  const int num_bodies = 8000;
  KktProblem problem =
      MakeRandomProblem(std::vector<int>(num_bodies, 6), {}, 0.3, MatrixX(0, 0), &random);
  problem.G = SparseRows(0, 6 * num_bodies);
  KktSolver solver(problem.pattern, problem.G);
  const VectorX f = random.Vector(6 * num_bodies);
  VectorX x, lambda;
  const Stopwatch factor_watch;
  ASSERT_TRUE(solver.Factor(problem.S, problem.G));
  const double factor_seconds = factor_watch.seconds();
  const Stopwatch skip_watch;
  ASSERT_TRUE(solver.Factor(problem.S, problem.G));
  const double skip_seconds = skip_watch.seconds();
  const Stopwatch solve_watch;
  ASSERT_TRUE(solver.Solve(f, VectorX(0), &x, &lambda));
  const double solve_seconds = solve_watch.seconds();
  VectorX residual;
  problem.S.Multiply(x, &residual);
  EXPECT_LT(LargestEntry(residual - f), 1e-13);
  // Orders of magnitude above what is needed, so that a loaded machine or sanitizers pass, but far
  // below any global factorisation.
  EXPECT_LT(factor_seconds, 1);
  EXPECT_LT(skip_seconds, 0.1);
  EXPECT_LT(solve_seconds, 0.1);
  RecordProperty("factor_us", static_cast<int>(1e6 * factor_seconds));
  RecordProperty("skip_us", static_cast<int>(1e6 * skip_seconds));
  RecordProperty("solve_us", static_cast<int>(1e6 * solve_seconds));
}

}  // namespace
}  // namespace saltus
