#include "saltus/cones/solvers/nsgs.h"

#include <gtest/gtest.h>

#include "saltus/cones/test/random_problems.h"

namespace saltus {
namespace {

using test::ContactState;
using test::Mechanism;
using test::MechanismOptions;
using test::Random;

NsgsSolver MakeSolver(double tolerance, int max_iterations = 20000) {
  NsgsOptions options;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  return NsgsSolver(options);
}

// Problems with a known solution, by state and number of contacts; hyperstatic ones included. The
// impulses are then not unique, so the laws themselves are checked.
class KnownSolutionTest : public testing::TestWithParam<std::tuple<int, int, int>> {};

TEST_P(KnownSolutionTest, ObeysTheLaws) {
  const auto [num_contacts, dimension, state] = GetParam();
  Random random(static_cast<unsigned>(100 * num_contacts + 10 * dimension + state));
  Mechanism mechanism;
  MechanismOptions options;
  options.num_bodies = std::max(2, num_contacts / 2);
  options.dimensions.assign(num_contacts, dimension);
  MakeMechanism(options, &random, &mechanism);
  ConicProblem problem;
  problem.A = &mechanism.body;
  problem.cones = test::MakeCones(options.dimensions, 0.3);
  VectorX r_exact(mechanism.body.size()), u_exact(mechanism.body.size()), Ar;
  for (const Cone& cone : problem.cones) {
    const int s = state == 3 ? random.Integer(0, 2) : state;
    test::MakeContactPair(cone, static_cast<ContactState>(s), &random, &r_exact[cone.offset],
                          &u_exact[cone.offset]);
  }
  mechanism.body.Multiply(r_exact, &Ar);
  problem.b = u_exact - Ar;

  NsgsSolver solver = MakeSolver(1e-10);
  VectorX r = VectorX::Zero(problem.size());
  const SolveReport report = solver.Solve(problem, &r);
  ASSERT_TRUE(report.ok()) << StatusName(report.status) << " " << report.residual.relative
                           << " after " << report.iterations;
  VectorX u;
  mechanism.body.Multiply(r, &u);
  u += problem.b;
  // The residual of 1e-10 of |r| ≤ 20 becomes a product of impulse and velocity, both of order 1.
  for (const Cone& cone : problem.cones) {
    EXPECT_LT(test::CalcCoulombViolation(cone, r, u), 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(States, KnownSolutionTest,
                         testing::Combine(testing::Values(1, 3, 10, 40, 300), testing::Values(2, 3),
                                          testing::Values(0, 1, 2, 3)));

}  // namespace
}  // namespace saltus
