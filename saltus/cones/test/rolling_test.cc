// Rolling and spinning friction: projection, equations, exact local solutions, and every solver.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "saltus/cones/conic_solver.h"
#include "saltus/cones/friction_groups.h"
#include "saltus/cones/solvers/newton_block.h"
#include "saltus/cones/test/random_problems.h"

namespace saltus {
namespace {

using test::ContactState;
using test::Random;

Cone MakeRollingCone(int dimension, double mu, double rolling, double spinning) {
  Cone cone;
  cone.kind = ConeKind::kRollingFriction;
  cone.dimension = dimension;
  cone.friction = mu;
  cone.rolling = rolling;
  cone.spinning = spinning;
  return cone;
}

Cone MakeRandomCone(int dimension, Random* random) {
  return MakeRollingCone(dimension, random->Uniform(0.1, 1), random->Uniform(0.05, 1),
                         random->Uniform(0.05, 1));
}

// Impulse and velocity that obey the law: open, or each group sticks or slips.
void MakeRollingPair(const Cone& cone, bool open, Random* random, double* r, double* u) {
  std::fill(r, r + cone.dimension, 0.0);
  std::fill(u, u + cone.dimension, 0.0);
  r[0] = open ? 0.0 : random->Uniform(0.1, 1);
  u[0] = open ? random->Uniform(0.1, 1) : 0.0;
  for (const FrictionGroup& k : ListGroups(cone)) {
    VectorX d = random->Matrix(k.dimension, 1);
    d.normalize();
    const bool slip = open || random->Integer(0, 1) == 1;
    const double length = k.coefficient * r[0] * (slip ? 1 : random->Uniform(0, 0.95));
    const double speed = slip ? random->Uniform(0.1, 1) : 0.0;
    for (int i = 0; i < k.dimension; ++i) {
      r[k.first + i] = length * d[i];
      u[k.first + i] = -speed * d[i];
    }
  }
}

TEST(RollingTest, ProjectionIsTheNearestPoint) {
  Random random(1);
  for (int trial = 0; trial < 4000; ++trial) {
    const Cone cone = MakeRandomCone(3 + trial % 4, &random);
    const int d = cone.dimension;
    const VectorX x = random.Matrix(d, 1);
    VectorX p = x, again, y(d), u(d);
    ProjectOntoCone(cone, p.data());
    again = p;
    ProjectOntoCone(cone, again.data());
    EXPECT_LT((again - p).norm(), 1e-15);
    EXPECT_LT(std::abs((x - p).dot(p)), 1e-15);  // a cone: Moreau's orthogonal parts
    MakeRollingPair(cone, false, &random, y.data(), u.data());
    EXPECT_LT((x - p).dot(y - p), 1e-15);
  }
}

TEST(RollingTest, OneGroupIsTheFrictionCone) {
  Random random(2);
  for (int trial = 0; trial < 1000; ++trial) {
    const double mu = trial % 5 == 0 ? 0.0 : random.Uniform(0, 2);
    VectorX x = random.Matrix(3, 1), y = x;
    const FrictionGroup group{1, 2, mu};
    ProjectOntoGroups(&group, 1, x.data());
    ProjectOntoFrictionCone(mu, 3, y.data());
    EXPECT_LT((x - y).norm(), 1e-15);
  }
}

TEST(RollingTest, EquationsVanishAtTheLawAndMatchDifferences) {
  Random random(3);
  const double h = 1e-6;
  for (int trial = 0; trial < 400; ++trial) {
    const Cone cone = MakeRandomCone(3 + trial % 4, &random);
    const int d = cone.dimension;
    for (const ConeFunction f : {ConeFunction::kAlartCurnier, ConeFunction::kNaturalMap}) {
      VectorX r(d), u(d);
      BlockEquation equation, plus, minus;
      MakeRollingPair(cone, trial % 3 == 0, &random, r.data(), u.data());
      CalcBlockEquation(f, cone, 0, 0.7, r.data(), u.data(), &equation);
      EXPECT_LT(equation.F.norm(), 1e-14);
      r = random.Matrix(d, 1);
      r[0] += 0.5;  // mostly loaded
      u = random.Matrix(d, 1);
      CalcBlockEquation(f, cone, 0, 0.7, r.data(), u.data(), &equation);
      for (int j = 0; j < 2 * d; ++j) {
        VectorX step = VectorX::Zero(2 * d);
        step[j] = h;
        const VectorX r1 = r + step.head(d), u1 = u + step.tail(d);
        const VectorX r0 = r - step.head(d), u0 = u - step.tail(d);
        CalcBlockEquation(f, cone, 0, 0.7, r1.data(), u1.data(), &plus);
        CalcBlockEquation(f, cone, 0, 0.7, r0.data(), u0.data(), &minus);
        const VectorX exact = j < d ? VectorX(equation.A.col(j)) : VectorX(equation.B.col(j - d));
        // h² of the central difference times third derivatives, which grow near the kinks.
        EXPECT_LT(((plus.F - minus.F) / (2 * h) - exact).norm(), 1e-4) << trial << " " << j;
      }
    }
  }
}

// A sphere that rolls without slip on a plane: rolling resistance slows it by 5/7 μ_r g h / R, and
// friction does what keeps it from slipping (hand calculation with I = 2/5 m R²).
TEST(RollingTest, SphereRollsToRest) {
  const double m = 2, R = 0.1, g = 9.81, h = 1e-3, v = 1, mu_r = 1e-3, I = 0.4 * m * R * R;
  MatrixX W = MatrixX::Zero(6, 6);
  W.diagonal() << 1 / m, 1 / m + R * R / I, 1 / m + R * R / I, 1 / I, 1 / I, 1 / I;
  W(1, 3) = W(3, 1) = -R / I;
  W(2, 4) = W(4, 2) = R / I;
  for (const int d : {5, 6}) {
    DenseDelassus A(W.topLeftCorner(d, d));
    ConicProblem problem;
    problem.A = &A;
    problem.cones = {MakeRollingCone(d, 0.5, mu_r, 1e-4)};
    problem.b.setZero(d);
    problem.b[0] = -g * h;
    problem.b[3] = v / R;
    ConicSolverOptions options;
    options.tolerance = 1e-13;
    for (const char* name : {"auto", "nsgs"}) {
      VectorX r;
      ASSERT_TRUE(MakeConicSolver(name, options)->Solve(problem, &r).ok()) << name << d;
      const double normal = m * g * h;
      EXPECT_NEAR(r[0], normal, 1e-12 * normal);
      EXPECT_NEAR(r[3], -mu_r * normal, 1e-12 * normal);
      EXPECT_NEAR(r[1] / m, -5.0 / 7.0 * mu_r * g * h / R, 1e-12 * g * h);
      EXPECT_NEAR(r[2], 0, 1e-15);
    }
  }
}

// A block that spins about the normal is held by the spinning moment; planar rolling likewise.
TEST(RollingTest, HandSolvedBlocks) {
  ConicSolverOptions options;
  options.tolerance = 1e-13;
  DenseDelassus A(MatrixX::Identity(4, 4));
  ConicProblem problem;
  problem.A = &A;
  problem.cones = {MakeRollingCone(4, 0.5, 0, 0.2)};
  problem.b = Eigen::Vector4d(-1, 0.3, 0.4, 0.1);  // sticks on the boundary, spin held
  VectorX r;
  ASSERT_TRUE(MakeConicSolver("nsgs", options)->Solve(problem, &r).ok());
  EXPECT_LT((r - Eigen::Vector4d(1, -0.3, -0.4, -0.1)).norm(), 1e-12);
  problem.b = Eigen::Vector4d(-1, 3, 4, -1);  // slides and spins
  ASSERT_TRUE(MakeConicSolver("nsgs", options)->Solve(problem, &r).ok());
  EXPECT_LT((r - Eigen::Vector4d(1, -0.3, -0.4, 0.2)).norm(), 1e-12);
  DenseDelassus B(MatrixX::Identity(3, 3));
  problem.A = &B;
  problem.cones = {MakeRollingCone(3, 0.5, 0.1, 0)};
  problem.b = Vector3(-2, 0.7, 3);  // sticks, rolls
  r.resize(0);
  ASSERT_TRUE(MakeConicSolver("nsgs", options)->Solve(problem, &r).ok());
  EXPECT_LT((r - Vector3(2, -0.7, -0.2)).norm(), 1e-12);
  problem.b = Vector3(0.1, 3, 3);  // leaves
  ASSERT_TRUE(MakeConicSolver("nsgs", options)->Solve(problem, &r).ok());
  EXPECT_EQ(r, VectorX::Zero(3));
}

TEST(RollingTest, LocalSolutionsObeyTheLaw) {
  Random random(4);
  int solved = 0;
  const int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    const Cone cone = MakeRandomCone(3 + trial % 4, &random);
    const int d = cone.dimension;
    NewtonBlock::Matrix W = random.PositiveDefinite(d, trial % 2 == 0 ? 10 : 1e4);
    VectorX r0(d), u0(d);
    MakeRollingPair(cone, false, &random, r0.data(), u0.data());
    const NewtonBlock::Vector q = u0 - W * r0;
    NewtonBlock block;
    block.Factor(W, cone);
    const NewtonBlock::Vector r = block.Solve(q, NewtonBlock::Vector::Zero(d));
    const NewtonBlock::Vector u = W * r + q;
    BlockEquation equation;
    CalcBlockEquation(ConeFunction::kNaturalMap, cone, 0, d / W.trace(), r.data(), u.data(),
                      &equation);
    if (equation.F.norm() <= 1e-9 * r.norm()) ++solved;
  }
  // Large friction with strong coupling can have several solutions, or none nearby; sweeps go on.
  EXPECT_GE(solved, trials * 99 / 100);
}

// Levers make the measure independent of the unit of length.
TEST(RollingTest, ResidualDoesNotDependOnTheUnitOfLength) {
  Random random(5);
  const MatrixX W = random.PositiveDefinite(6, 10);
  Cone cone = MakeRollingCone(6, 0.4, 0.3, 0.2);
  const VectorX r = random.Matrix(6, 1).cwiseAbs(), b = random.Matrix(6, 1);
  DenseDelassus A(W);
  const double metres = CalcNaturalMapResidual({&A, b, {cone}, {}}, r).relative;
  VectorX unit = VectorX::Ones(6);
  unit.tail(3).setConstant(1e3);  // moments in N mm, angles stay, so w in 1/s, levers in mm
  DenseDelassus B(unit.cwiseInverse().asDiagonal() * W * unit.cwiseInverse().asDiagonal());
  cone.rolling *= 1e3;
  cone.spinning *= 1e3;
  const double millimetres =
      CalcNaturalMapResidual({&B, b.cwiseQuotient(unit), {cone}, {}}, r.cwiseProduct(unit))
          .relative;
  EXPECT_NEAR(metres, millimetres, 1e-13 * metres);
}

struct RollingProblem {
  test::Mechanism mechanism;
  ConicProblem problem;
};

void MakeRollingProblem(int num_contacts, int dimension, double lever, Random* random,
                        RollingProblem* known) {
  test::MechanismOptions options;
  options.num_bodies = num_contacts;
  options.dimensions.assign(static_cast<std::size_t>(num_contacts), dimension);
  MakeMechanism(options, random, &known->mechanism);
  const int n = num_contacts * dimension;
  VectorX scale = VectorX::Ones(n);
  VectorX r(n), u(n);
  known->problem.cones.clear();
  for (int c = 0; c < num_contacts; ++c) {
    Cone cone = MakeRandomCone(dimension, random);
    cone.offset = c * dimension;
    MakeRollingPair(cone, c % 3 == 2, random, &r[cone.offset], &u[cone.offset]);
    for (int i = CountForceRows(cone); i < dimension; ++i) scale[cone.offset + i] = lever;
    cone.rolling *= lever;
    cone.spinning *= lever;
    known->problem.cones.push_back(cone);
  }
  MatrixX& W = known->mechanism.dense.matrix();
  W = scale.cwiseInverse().asDiagonal() * W * scale.cwiseInverse().asDiagonal();
  r = r.cwiseProduct(scale);
  u = u.cwiseQuotient(scale);
  known->problem.A = &known->mechanism.dense;
  known->problem.b = u - W * r;
}

class RollingSolverTest : public testing::TestWithParam<const char*> {};

// lever 1e-3: rolling coefficients of millimetres beside friction of order one.
TEST_P(RollingSolverTest, SolvesProblemsMadeFromASolution) {
  for (const double lever : {1.0, 1e-3}) {
    Random random(6);
    for (int trial = 0; trial < 24; ++trial) {
      RollingProblem known;
      MakeRollingProblem(1 + trial % 6, 3 + trial % 4, lever, &random, &known);
      ConicSolverOptions options;
      options.tolerance = 1e-8;
      options.max_iterations = 20000;
      VectorX r;
      const SolveReport report = MakeConicSolver(GetParam(), options)->Solve(known.problem, &r);
      const NaturalMapResidual residual = CalcNaturalMapResidual(known.problem, r);
      EXPECT_EQ(report.ok(), residual.relative <= 1e-8);
      EXPECT_TRUE(report.ok()) << lever << " " << trial << ": " << StatusName(report.status) << " "
                               << residual.relative << " after " << report.iterations;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, RollingSolverTest,
                         testing::Values("auto", "nsgs", "semismooth-newton", "proximal-point",
                                         "admm", "pgs"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(RollingTest, OtherSolversSayThatTheyDoNotSupportIt) {
  Random random(7);
  RollingProblem known;
  MakeRollingProblem(2, 5, 1, &random, &known);
  for (const char* name :
       {"interior-point", "lemke", "block-pivoting", "principal-pivoting", "keller"}) {
    VectorX r;
    EXPECT_EQ(MakeConicSolver(name, {})->Solve(known.problem, &r).status,
              SolveStatus::kUnsupported);
  }
}

}  // namespace
}  // namespace saltus
