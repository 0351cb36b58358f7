// The cascade: a maximum is a maximum, effort decides what is factorised, and the best is returned.
#include "saltus/cones/solvers/cascade.h"

#include <gtest/gtest.h>

#include "saltus/cones/solvers/nsgs.h"
#include "saltus/cones/solvers/semismooth_newton.h"
#include "saltus/cones/test/box_stack.h"
#include "saltus/cones/test/brick_wall.h"
#include "saltus/cones/test/random_problems.h"

namespace saltus {
namespace {

using test::Random;

// A row of bodies with more contacts than they need, of which the impulses are not unique.
void MakeHyperstatic(int num_contacts, unsigned seed, BodyDelassus* A, ConicProblem* problem) {
  Random random(seed);
  test::MakeBodyRow({.num_contacts = num_contacts, .contacts_per_body = 3, .friction = 1}, &random,
                    A, problem);
}

SolveTarget MakeHardTarget(int max_iterations, Effort effort) {
  SolveTarget target;
  target.relative = 1e-14;  // out of reach: all of the budget is used
  target.budget = {max_iterations, effort};
  return target;
}

class MaximumTest : public testing::TestWithParam<ConicSolverInfo> {};

TEST_P(MaximumTest, IsNeverExceeded) {
  const auto solver = MakeConicSolver(GetParam().name, {});
  const auto expect_maximum = [&](const ConicProblem& problem) {
    for (const Effort effort : {Effort::kLow, Effort::kNormal, Effort::kHigh}) {
      for (const int maximum : {0, 1, 2, 7, 30, 120}) {
        VectorX r;
        const SolveReport report = solver->Solve(problem, MakeHardTarget(maximum, effort), &r);
        EXPECT_LE(report.iterations, maximum);
        EXPECT_TRUE(r.allFinite());
      }
    }
  };
  BodyDelassus A;
  ConicProblem problem;
  test::MakeBoxStack({.num_boxes = 4, .push = {0.3, 0.1, 0}}, &A, &problem);
  expect_maximum(problem);
  MakeHyperstatic(90, 3, &A, &problem);
  expect_maximum(problem);
  Random random(4);  // without friction: pivots
  test::Mechanism mechanism;
  test::MechanismOptions options;
  options.dimensions.assign(30, 1);
  test::MakeMechanism(options, &random, &mechanism);
  problem.A = &mechanism.sparse;
  problem.cones = test::MakeCones(options.dimensions, 0);
  problem.b = random.Matrix(30, 1);
  expect_maximum(problem);
}

INSTANTIATE_TEST_SUITE_P(Solvers, MaximumTest, testing::ValuesIn(ListConicSolvers()),
                         [](const auto& tested) {
                           std::string name = tested.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Hundreds of contacts with μ = 1 whose impulses are not unique: what Newton's method alone solves,
// the cascade solves too.
TEST(CascadeTest, HighEffortSolvesWhatNewtonSolves) {
  int solved = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    BodyDelassus A;
    ConicProblem problem;
    MakeHyperstatic(100 + 50 * static_cast<int>(seed), seed, &A, &problem);
    ConicSolverOptions options;
    options.effort = Effort::kHigh;
    VectorX r;
    if (!SemismoothNewtonSolver(options).Solve(problem, &r).ok()) continue;
    ++solved;
    r.setZero();
    const SolveReport report = MakeConicSolver("auto", options)->Solve(problem, &r);
    EXPECT_TRUE(report.ok()) << seed << ": " << StatusName(report.status) << " "
                             << report.residual.relative << " after " << report.iterations;
    EXPECT_LE(CalcNaturalMapResidual(problem, r).relative, 1e-9);
  }
  EXPECT_GE(solved, 3);  // or the problems are no test
}

// With low effort nothing but sweeps is tried: the outcome is theirs.
TEST(CascadeTest, LowEffortSweepsOnly) {
  BodyDelassus A;
  ConicProblem problem;
  test::MakeBrickWall({.num_columns = 8, .num_courses = 8}, &A, &problem);
  SolveTarget target;
  target.relative = 1e-10;
  target.budget = {300, Effort::kLow};
  VectorX r;
  const auto solver = MakeConicSolver("auto", {});
  const SolveReport low = solver->Solve(problem, target, &r);
  EXPECT_FALSE(low.ok());
  target.budget.effort = Effort::kHigh;
  r.setZero();
  const SolveReport high = solver->Solve(problem, target, &r);
  EXPECT_TRUE(high.ok()) << high.residual.relative;
  EXPECT_LE(high.iterations, 300);
}

// Once the limit holds and no block sticks, the cascade does not work on towards an aim that sweeps
// reach slowly; blocks that stick are held to it as long as sweeps contract.
TEST(CascadeTest, WorksOnForBlocksThatStick) {
  BodyDelassus A;
  ConicProblem problem;
  const test::BrickWall wall{.num_columns = 8, .num_courses = 8};
  test::MakeBrickWall(wall, &A, &problem);
  const double gh = 9.81 * wall.step;
  SolveTarget target;
  target.velocity_aim = 1e-6 * gh;
  target.velocity_limit = 1e-2 * gh;
  const auto solver = MakeConicSolver("auto", {});
  VectorX r;
  const SolveReport rough = solver->Solve(problem, target, &r);
  EXPECT_TRUE(rough.accepted());
  EXPECT_LE(rough.error, target.velocity_limit);
  for (Cone& cone : problem.cones) cone.sticks = true;
  r.setZero();
  const SolveReport held = solver->Solve(problem, target, &r);
  EXPECT_TRUE(held.accepted());
  EXPECT_LE(held.residual.sticking_velocity, target.velocity_aim);
  EXPECT_GE(held.iterations, rough.iterations);
}

}  // namespace
}  // namespace saltus
