// What a solve aims at, what it accepts, and that a maximum is a maximum.
#include <gtest/gtest.h>

#include "saltus/cones/conic_solver.h"
#include "saltus/cones/test/box_stack.h"

namespace saltus {
namespace {

class SolveTargetTest : public testing::Test {
 protected:
  void SetUp() override {
    test::BoxStack stack;
    stack.push = {0.3, 0.1, 0};
    MakeBoxStack(stack, &A_, &problem_);
    r_.setZero(problem_.size());
  }

  BodyDelassus A_;
  ConicProblem problem_;
  VectorX r_;
};

TEST_F(SolveTargetTest, AimInVelocityEndsTheIteration) {
  const auto solver = MakeConicSolver("nsgs", {});
  SolveTarget target;
  target.velocity_aim = 1e-3;
  const SolveReport rough = solver->Solve(problem_, target, &r_);
  EXPECT_EQ(rough.status, SolveStatus::kConverged);
  EXPECT_LE(rough.error, 1e-3);
  EXPECT_EQ(rough.error, CalcNaturalMapResidual(problem_, r_).velocity);
  r_.setZero();
  const SolveReport exact = MakeConicSolver("auto", {})->Solve(problem_, &r_);
  EXPECT_TRUE(exact.ok());
  EXPECT_LT(rough.iterations, exact.iterations);
}

TEST_F(SolveTargetTest, BetweenAimAndLimitIsAcceptedBeyondFails) {
  for (const char* name : {"nsgs", "auto", "admm"}) {
    const auto solver = MakeConicSolver(name, {});
    SolveTarget target;
    target.relative = 1e-15;  // out of reach
    target.budget.max_iterations = 3;
    r_.setZero();
    const SolveReport failed = solver->Solve(problem_, target, &r_);
    EXPECT_FALSE(failed.accepted()) << name;
    EXPECT_GT(failed.error, 0) << name;
    EXPECT_GE(failed.worst_block, 0) << name;
    target.velocity_limit = 1.01 * failed.error;
    r_.setZero();
    const SolveReport accepted = solver->Solve(problem_, target, &r_);
    EXPECT_EQ(accepted.status, SolveStatus::kAccepted) << name;
    EXPECT_FALSE(accepted.ok()) << name;
    EXPECT_LE(accepted.error, target.velocity_limit) << name;
  }
}

TEST_F(SolveTargetTest, ErrorOfStickingBlocksIsSeparate) {
  r_.setZero();
  EXPECT_EQ(CalcNaturalMapResidual(problem_, r_).sticking_velocity, 0);
  for (Cone& cone : problem_.cones) cone.sticks = true;
  const NaturalMapResidual all = CalcNaturalMapResidual(problem_, r_);
  EXPECT_EQ(all.sticking_velocity, all.velocity);
  problem_.cones[static_cast<std::size_t>(all.velocity_block)].sticks = false;
  EXPECT_LE(CalcNaturalMapResidual(problem_, r_).sticking_velocity, all.velocity);
}

}  // namespace
}  // namespace saltus
