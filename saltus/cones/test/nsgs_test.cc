#include "saltus/cones/solvers/nsgs.h"

#include <limits>

#include <gtest/gtest.h>

#include "saltus/cones/test/box_stack.h"
#include "saltus/cones/test/random_problems.h"

namespace saltus {
namespace {

using test::ContactState;
using test::Mechanism;
using test::MechanismOptions;
using test::Random;

NsgsSolver MakeSolver(double tolerance, int max_iterations = 20000, int memory = 5) {
  NsgsOptions options;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.memory = memory;
  return NsgsSolver(options);
}

Cone MakeCone(ConeKind kind, int offset, int dimension) {
  Cone cone;
  cone.kind = kind;
  cone.offset = offset;
  cone.dimension = dimension;
  return cone;
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
  options.dimensions.assign(static_cast<std::size_t>(num_contacts), dimension);
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

  // The largest ones condition badly and have no Newton steps to help.
  const double tolerance = problem.size() > FaceNewton::kMaxRows ? 1e-7 : 1e-11;
  NsgsSolver solver = MakeSolver(tolerance);
  VectorX r = VectorX::Zero(problem.size());
  const SolveReport report = solver.Solve(problem, &r);
  ASSERT_TRUE(report.ok()) << StatusName(report.status) << " " << report.residual.relative
                           << " after " << report.iterations;
  VectorX u;
  mechanism.body.Multiply(r, &u);
  u += problem.b;
  // |r| is below 20; a residual of `tolerance` of it becomes a product of impulse and velocity,
  // both of order one.
  for (const Cone& cone : problem.cones) {
    EXPECT_LT(test::CalcCoulombViolation(cone, r, u), 100 * tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(States, KnownSolutionTest,
                         testing::Combine(testing::Values(1, 3, 10, 40, 300), testing::Values(2, 3),
                                          testing::Values(0, 1, 2, 3)));

TEST(NsgsTest, BoxStackCarriesItsWeight) {
  test::BoxStack stack;
  BodyDelassus A;
  ConicProblem problem;
  MakeBoxStack(stack, &A, &problem);
  NsgsSolver solver = MakeSolver(1e-9, 1000);
  VectorX r = VectorX::Zero(problem.size());
  const SolveReport report = solver.Solve(problem, &r);
  ASSERT_TRUE(report.ok()) << report.residual.relative;
  EXPECT_LT(report.iterations, 300);
  for (int k = 0; k < stack.num_boxes; ++k) {
    double normal = 0;
    for (int i = 0; i < 4; ++i) normal += r[12 * k + 3 * i];
    const double weight = (stack.num_boxes - k) * stack.mass * 9.81 * stack.step;
    EXPECT_NEAR(normal, weight, 1e-7 * weight);  // 1e-9 of |r|, which sums over all interfaces.
  }
}

TEST(NsgsTest, PushedStackSlidesAsAPointMass) {
  // The top box is pushed sideways beyond the friction of its interface: it loses μ g h.
  test::BoxStack stack;
  stack.num_boxes = 3;
  stack.push = Vector3(0.6, 0.8, 0);  // Far more than μ g h = 0.025 m/s, but it must not tip:
  stack.size = 100;                   // wide boxes, so that all corners stay loaded.
  BodyDelassus A;
  ConicProblem problem;
  MakeBoxStack(stack, &A, &problem);
  NsgsSolver solver = MakeSolver(1e-12, 5000);
  VectorX r = VectorX::Zero(problem.size());
  const SolveReport report = solver.Solve(problem, &r);
  ASSERT_TRUE(report.ok()) << report.residual.relative;
  Vector3 top = Vector3::Zero();
  for (int i = 0; i < 4; ++i) top += r.segment<3>(24 + 3 * i);
  const double weight = stack.mass * 9.81 * stack.step;
  EXPECT_NEAR(top[0], weight, 1e-9 * weight);
  EXPECT_NEAR(top[1], -0.6 * stack.friction * weight, 1e-9 * weight);
  EXPECT_NEAR(top[2], -0.8 * stack.friction * weight, 1e-9 * weight);
}

TEST(NsgsTest, AcceleratedSweepsAndPlainSweepsAgree) {
  test::BoxStack stack;
  stack.num_boxes = 2;
  BodyDelassus A;
  ConicProblem problem;
  MakeBoxStack(stack, &A, &problem);
  NsgsSolver accelerated = MakeSolver(1e-10);
  NsgsSolver plain = MakeSolver(1e-10, 20000, 0);
  VectorX r1 = VectorX::Zero(problem.size()), r2 = r1, u1, u2;
  ASSERT_TRUE(accelerated.Solve(problem, &r1).ok());
  ASSERT_TRUE(plain.Solve(problem, &r2).ok());
  A.Multiply(r1, &u1);
  A.Multiply(r2, &u2);
  EXPECT_LT((u1 - u2).norm(), 1e-9);
}

// A slider of mass 1 pushed by v against dry friction whose bound follows the load of a guide: the
// guide row is free and carries N. r_slider = −min(v, μ N) with s = μ|r_guide|.
TEST(NsgsTest, LoadDependentFriction) {
  const DenseDelassus A(MatrixX::Identity(2, 2));
  ConicProblem problem;
  problem.A = &A;
  problem.cones = {MakeCone(ConeKind::kBox, 0, 1), MakeCone(ConeKind::kFree, 1, 1)};
  problem.cones[0].load = 0;
  ConeLoad load;
  load.coefficient = 0.25;
  load.constant = VectorX::Zero(1);
  load.rows = (MatrixX(1, 2) << 0, 1).finished();
  problem.loads = {load};
  NsgsSolver solver = MakeSolver(1e-14, 100);
  for (const double v : {0.1, 3.0}) {
    problem.b = Vector2(v, -2);
    VectorX r = VectorX::Zero(2);
    ASSERT_TRUE(solver.Solve(problem, &r).ok());
    EXPECT_NEAR(r[1], 2, 1e-15);
    EXPECT_NEAR(r[0], -std::min(v, 0.25 * 2), 1e-15);
  }
}

// The load depends on the friction itself: s = c |ℓ₀ + r|, the wedge. Slip with r < 0 needs
// −r = c (ℓ₀ + r), that is r = −c ℓ₀/(1 + c).
TEST(NsgsTest, FrictionThatLoadsItself) {
  const DenseDelassus A(MatrixX::Identity(1, 1));
  ConicProblem problem;
  problem.A = &A;
  problem.cones = {MakeCone(ConeKind::kBox, 0, 1)};
  problem.cones[0].load = 0;
  ConeLoad load;
  load.coefficient = 0.5;
  load.constant = VectorX::Constant(1, 3.0);
  load.rows = MatrixX::Identity(1, 1);
  problem.loads = {load};
  problem.b = VectorX::Constant(1, 10.0);
  VectorX r = VectorX::Zero(1);
  NsgsSolver solver = MakeSolver(1e-14, 1000);
  ASSERT_TRUE(solver.Solve(problem, &r).ok());
  EXPECT_NEAR(r[0], -0.5 * 3 / 1.5, 1e-13);
}

// A disc of radius s: W = diag(1, 4), r = −(W + σI)⁻¹q with |r| = s. For q = −(2σ', …) the numbers
// below are exact: σ = 1, r = (0.6, 0.8), q = −(W + I) r.
TEST(NsgsTest, DiscSlipsAgainstItsVelocity) {
  const DenseDelassus A((MatrixX(2, 2) << 1, 0, 0, 4).finished());
  ConicProblem problem;
  problem.A = &A;
  problem.cones = {MakeCone(ConeKind::kBox, 0, 2)};
  problem.cones[0].bound = 1;
  problem.b = Vector2(-2 * 0.6, -5 * 0.8);
  VectorX r = VectorX::Zero(2);
  NsgsSolver solver = MakeSolver(1e-15, 10);
  ASSERT_TRUE(solver.Solve(problem, &r).ok());
  EXPECT_LT((r - Vector2(0.6, 0.8)).norm(), 1e-15);
  problem.cones[0].bound = 10;  // Sticks: u = 0.
  ASSERT_TRUE(solver.Solve(problem, &r).ok());
  EXPECT_LT((r - Vector2(1.2, 1.0)).norm(), 1e-15);
}

TEST(NsgsTest, FreeBlocksAreSolvedExactly) {
  Random random(9);
  const DenseDelassus A(random.PositiveDefinite(5, 100));
  ConicProblem problem;
  problem.A = &A;
  problem.cones = {MakeCone(ConeKind::kFree, 0, 5)};
  problem.b = random.Matrix(5, 1);
  VectorX r = VectorX::Zero(5);
  NsgsSolver solver = MakeSolver(1e-14, 10);
  const SolveReport report = solver.Solve(problem, &r);
  ASSERT_TRUE(report.ok());
  EXPECT_LE(report.iterations, 2);
  EXPECT_LT((A.matrix() * r + problem.b).norm(), 1e-14);
}

TEST(NsgsTest, WarmStartAtTheSolutionTakesNoSweep) {
  test::BoxStack stack;
  BodyDelassus A;
  ConicProblem problem;
  MakeBoxStack(stack, &A, &problem);
  NsgsSolver solver = MakeSolver(1e-9);
  VectorX r = VectorX::Zero(problem.size());
  ASSERT_TRUE(solver.Solve(problem, &r).ok());
  const VectorX first = r;
  const SolveReport report = solver.Solve(problem, &r);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(r, first);
}

TEST(NsgsTest, ReportsTheIterationLimit) {
  test::BoxStack stack;
  BodyDelassus A;
  ConicProblem problem;
  MakeBoxStack(stack, &A, &problem);
  VectorX r = VectorX::Zero(problem.size());
  const SolveReport report = MakeSolver(1e-14, 3).Solve(problem, &r);
  EXPECT_EQ(report.status, SolveStatus::kMaxIterations);
  EXPECT_EQ(report.iterations, 3);
  EXPECT_EQ(report.residual.relative, CalcNaturalMapResidual(problem, r).relative);
  EXPECT_LT(report.residual.relative, 1);
}

TEST(NsgsTest, ReportsStagnation) {
  // A body squeezed between two walls that approach each other: no solution, r grows for ever.
  MatrixX W(2, 2);
  W << 1, -1, -1, 1;
  const DenseDelassus A(W);
  ConicProblem problem;
  problem.A = &A;
  problem.b = Vector2(-1, -1);
  problem.cones = {MakeCone(ConeKind::kNonnegative, 0, 1), MakeCone(ConeKind::kNonnegative, 1, 1)};
  VectorX r = VectorX::Zero(2);
  const SolveReport report = MakeSolver(1e-12, 100000, 0).Solve(problem, &r);
  EXPECT_EQ(report.status, SolveStatus::kStagnated);
  EXPECT_TRUE(r.allFinite());
}

TEST(NsgsTest, ReportsImmovableContacts) {
  MatrixX W = MatrixX::Zero(4, 4);
  W(3, 3) = 1;
  const DenseDelassus A(W);
  ConicProblem problem;
  problem.A = &A;
  problem.cones = {MakeCone(ConeKind::kFriction, 0, 3), MakeCone(ConeKind::kNonnegative, 3, 1)};
  problem.cones[0].friction = 0.5;
  problem.b = Vector4(0.5, 1, 0, -2);  // The immovable contact opens: nothing wrong with it.
  VectorX r = VectorX::Ones(4);
  NsgsSolver solver = MakeSolver(1e-12, 100);
  EXPECT_TRUE(solver.Solve(problem, &r).ok());
  EXPECT_EQ(r, Vector4(0, 0, 0, 2));
  problem.b = Vector4(-0.5, 1, 0, -2);  // It closes, and nothing can stop it.
  EXPECT_EQ(solver.Solve(problem, &r).status, SolveStatus::kInfeasible);
  EXPECT_EQ(r, Vector4(0, 0, 0, 2));
}

TEST(NsgsTest, NeverReturnsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  DenseDelassus A(MatrixX::Identity(3, 3));
  ConicProblem problem;
  problem.A = &A;
  problem.cones = {MakeCone(ConeKind::kFriction, 0, 3)};
  problem.cones[0].friction = 0.5;
  NsgsSolver solver = MakeSolver(1e-12, 100);
  problem.b = Vector3(-1, nan, 0);
  VectorX r = VectorX::Ones(3);
  EXPECT_EQ(solver.Solve(problem, &r).status, SolveStatus::kNotFinite);
  EXPECT_TRUE(r.allFinite());
  problem.b = Vector3(-1, 0, 0);
  A.matrix()(1, 1) = nan;
  EXPECT_EQ(solver.Solve(problem, &r).status, SolveStatus::kNotFinite);
  EXPECT_TRUE(r.allFinite());
  A.matrix().setIdentity();
  A.matrix()(0, 1) = nan;  // Off the diagonal.
  EXPECT_EQ(solver.Solve(problem, &r).status, SolveStatus::kNotFinite);
  EXPECT_TRUE(r.allFinite());
  A.matrix().setIdentity();
  r[0] = nan;  // A bad warm start is forgotten.
  EXPECT_TRUE(solver.Solve(problem, &r).ok());
}

TEST(NsgsTest, EmptyProblem) {
  const DenseDelassus A((MatrixX(0, 0)));
  ConicProblem problem;
  problem.A = &A;
  VectorX r;
  const SolveReport report = MakeSolver(1e-12, 100).Solve(problem, &r);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.iterations, 0);
}

// A velocity tolerance ends the iteration when no law is broken by more, and the report says so.
TEST(NsgsTest, StopsAtTheVelocityTolerance) {
  test::BoxStack stack;
  stack.num_boxes = 30;
  BodyDelassus A;
  ConicProblem problem;
  MakeBoxStack(stack, &A, &problem);
  NsgsOptions options;
  options.tolerance = 1e-12;
  options.max_iterations = 5000;
  int last = 0;
  for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
    options.velocity_tolerance = tolerance;
    GrowingVector r;
    const SolveReport report = NsgsSolver(options).Solve(problem, &r);
    EXPECT_TRUE(report.ok());
    EXPECT_LE(report.residual.velocity, tolerance);
    EXPECT_EQ(CalcNaturalMapResidual(problem, r).velocity, report.residual.velocity);
    EXPECT_GT(report.iterations, last);
    last = report.iterations;
  }
}

// An operator of a form that the solver does not know.
class Wrapped final : public Delassus {
 public:
  explicit Wrapped(const Delassus& A) : A_(A) {}
  int size() const override { return A_.size(); }
  void Apply(const double* x, double* y) const override { A_.Apply(x, y); }
  void CalcDiagonalBlock(int offset, int d, Eigen::Ref<MatrixX> block) const override {
    A_.CalcDiagonalBlock(offset, d, block);
  }

 private:
  const Delassus& A_;
};

TEST(NsgsTest, AcceptsAnyOperator) {
  test::BoxStack stack;
  stack.num_boxes = 2;
  BodyDelassus A;
  ConicProblem problem;
  MakeBoxStack(stack, &A, &problem);
  const Wrapped wrapped(A);
  problem.A = &wrapped;
  VectorX r = VectorX::Zero(problem.size());
  EXPECT_TRUE(MakeSolver(1e-9).Solve(problem, &r).ok());
}

// Beyond 40 000 rows two sweeps make one iteration of the acceleration, which must still help.
TEST(NsgsTest, AcceleratesHugeProblems) {
  test::BodyRow row{.num_contacts = 14000, .contacts_per_body = 2, .state = ContactState::kStick};
  Random random(1);
  BodyDelassus A;
  ConicProblem problem;
  test::MakeBodyRow(row, &random, &A, &problem);
  ASSERT_GT(problem.size(), 40000);
  VectorX accelerated = VectorX::Zero(problem.size()), plain = accelerated;
  const SolveReport with = MakeSolver(1e-5, 2000).Solve(problem, &accelerated);
  const SolveReport without = MakeSolver(1e-5, 2000, 0).Solve(problem, &plain);
  EXPECT_TRUE(with.ok());
  EXPECT_LT(CalcNaturalMapResidual(problem, accelerated).relative, 1e-5);
  EXPECT_LT(with.iterations, 0.7 * without.iterations);
}

}  // namespace
}  // namespace saltus
