// Compliance, cohesion, associated and polyhedral friction; local methods of Gauss–Seidel.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/cones/conic_solver.h"
#include "saltus/cones/friction_groups.h"
#include "saltus/cones/solvers/cone_equations.h"
#include "saltus/cones/test/random_problems.h"

namespace saltus {
namespace {

using test::CalcCoulombViolation;
using test::ContactState;
using test::Random;

ConicSolverOptions MakeOptions(double tolerance, int max_iterations = 20000) {
  ConicSolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  return options;
}

// Random mechanism with contacts in mixed states of Coulomb's law; the solution is known.
struct KnownProblem {
  test::Mechanism mechanism;
  ConicProblem problem;
  VectorX r, u;
};

void MakeKnownProblem(int num_contacts, int dimension, Random* random, KnownProblem* known) {
  test::MechanismOptions options;
  options.num_bodies = num_contacts;
  options.dimensions.assign(static_cast<std::size_t>(num_contacts), dimension);
  MakeMechanism(options, random, &known->mechanism);
  known->problem.A = &known->mechanism.body;
  known->problem.cones = test::MakeCones(options.dimensions, 0.4);
  const int n = known->mechanism.body.size();
  known->r.setZero(n);
  known->u.setZero(n);
  for (const Cone& cone : known->problem.cones) {
    if (dimension > 1) {
      MakeContactPair(cone, static_cast<ContactState>(random->Integer(0, 2)), random,
                      &known->r[cone.offset], &known->u[cone.offset]);
    } else {
      (random->Integer(0, 1) == 0 ? known->u : known->r)[cone.offset] = random->Uniform(0.1, 1);
    }
  }
  VectorX product;
  known->problem.A->Multiply(known->r, &product);
  known->problem.b = known->u - product;
}

class LawTest : public testing::TestWithParam<const char*> {};

// C takes part in the law: the constructed solution of A + C is found in each operator form.
TEST_P(LawTest, Compliance) {
  Random random(1);
  for (int trial = 0; trial < 12; ++trial) {
    KnownProblem known;
    MakeKnownProblem(1 + trial % 5, 2 + trial % 2, &random, &known);
    ConicProblem& problem = known.problem;
    problem.compliance = random.Matrix(problem.size(), 1).cwiseAbs();
    problem.b -= problem.compliance.cwiseProduct(known.r);
    for (const Delassus* A : {static_cast<const Delassus*>(&known.mechanism.body),
                              static_cast<const Delassus*>(&known.mechanism.sparse),
                              static_cast<const Delassus*>(&known.mechanism.dense)}) {
      problem.A = A;
      VectorX r, u;
      const SolveReport report = MakeConicSolver(GetParam(), MakeOptions(1e-8))->Solve(problem, &r);
      ASSERT_TRUE(report.ok()) << trial << ": " << StatusName(report.status) << " "
                               << report.residual.relative;
      CalcVelocity(problem, r, &u);
      for (const Cone& cone : problem.cones) EXPECT_LT(CalcCoulombViolation(cone, r, u), 1e-5);
    }
  }
}

// r = x − c n with x in the cone: bonds that pull, and friction of contacts that are not pressed.
TEST_P(LawTest, Cohesion) {
  Random random(2);
  for (int trial = 0; trial < 12; ++trial) {
    KnownProblem known;
    MakeKnownProblem(1 + trial % 5, 2 + trial % 2, &random, &known);
    ConicProblem& problem = known.problem;
    VectorX bond = VectorX::Zero(problem.size());
    for (Cone& cone : problem.cones) {
      cone.cohesion = random.Uniform(0, 1);
      bond[cone.offset] = cone.cohesion;
    }
    VectorX product;
    problem.A->Multiply(bond, &product);
    problem.b += product;  // u stays, r becomes r − c n
    VectorX r, u;
    const SolveReport report = MakeConicSolver(GetParam(), MakeOptions(1e-8))->Solve(problem, &r);
    ASSERT_TRUE(report.ok()) << trial << " " << report.residual.relative;
    EXPECT_LE(CalcNaturalMapResidual(problem, r).relative, 1.0001e-8);
    CalcVelocity(problem, r, &u);
    const VectorX x = r + bond;
    for (const Cone& cone : problem.cones) EXPECT_LT(CalcCoulombViolation(cone, x, u), 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, LawTest,
                         testing::Values("auto", "nsgs", "semismooth-newton", "proximal-point",
                                         "admm", "interior-point", "pgs"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// One bonded contact by hand: W = I, μ = 1/2, c = 2.
TEST(CohesionTest, HandSolved) {
  DenseDelassus A(MatrixX::Identity(3, 3));
  ConicProblem problem;
  problem.A = &A;
  problem.cones = test::MakeCones({3}, 0.5);
  problem.cones[0].cohesion = 2;
  VectorX r;
  const auto solver = MakeConicSolver("auto", MakeOptions(1e-13));
  problem.b = Vector3(1, 0.3, 0);  // pulled apart, held: 0.3 ≤ ½ (2 − 1)
  ASSERT_TRUE(solver->Solve(problem, &r).ok());
  EXPECT_LT((r - Vector3(-1, -0.3, 0)).norm(), 1e-13);
  problem.b = Vector3(3, 1, 1);  // pulled apart, gives way
  ASSERT_TRUE(solver->Solve(problem, &r).ok());
  EXPECT_LT((r - Vector3(-2, 0, 0)).norm(), 1e-13);
  problem.b = Vector3(-1, 30, 40);  // pressed, slides: friction ½ (1 + 2)
  ASSERT_TRUE(solver->Solve(problem, &r).ok());
  EXPECT_LT((r - Vector3(1, -0.9, -1.2)).norm(), 1e-12);
}

// A compliant layer carries a weight with the velocity C r into it, in closed form.
TEST(ComplianceTest, HandSolved) {
  DenseDelassus A(MatrixX::Identity(1, 1) * 2);
  ConicProblem problem;
  problem.A = &A;
  problem.cones = test::MakeCones({1}, 0);
  problem.b = VectorX::Constant(1, -3);
  problem.compliance = VectorX::Constant(1, 4);
  for (const ConicSolverInfo& info : ListConicSolvers()) {
    VectorX r;
    ASSERT_TRUE(MakeConicSolver(info.name, MakeOptions(1e-12))->Solve(problem, &r).ok())
        << info.name;
    EXPECT_NEAR(r[0], 0.5, 1e-11) << info.name;
  }
}

// With C > 0 a hyperstatic support is determinate: equal shares.
TEST(ComplianceTest, MakesSingularProblemsDeterminate) {
  DenseDelassus A(MatrixX::Ones(4, 4));
  ConicProblem problem;
  problem.A = &A;
  problem.cones = test::MakeCones({1, 1, 1, 1}, 0);
  problem.b = VectorX::Constant(4, -1);
  problem.compliance = VectorX::Constant(4, 1e-6);
  for (const char* name : {"auto", "lemke", "block-pivoting", "keller"}) {
    VectorX r;
    ASSERT_TRUE(MakeConicSolver(name, MakeOptions(1e-12))->Solve(problem, &r).ok()) << name;
    EXPECT_LT((r - VectorX::Constant(4, 0.25)).cwiseAbs().maxCoeff(), 1e-6) << name;
  }
}

class AssociatedTest : public testing::TestWithParam<const char*> {};

// W = I: the associated law of a contact projects the free velocity, r = P_K(−b). Coulomb's law
// keeps r_N = −b_N. The report says which law it was.
TEST_P(AssociatedTest, IsTheProjection) {
  DenseDelassus A(MatrixX::Identity(3, 3));
  ConicProblem problem;
  problem.A = &A;
  problem.cones = test::MakeCones({3}, 0.5);
  problem.cones[0].associated = true;
  problem.b = Vector3(-1, 3, 4);
  const auto solver = MakeConicSolver(GetParam(), MakeOptions(1e-9));
  VectorX r;
  SolveReport report = solver->Solve(problem, &r);
  EXPECT_TRUE(report.ok()) << report.residual.relative;
  EXPECT_TRUE(report.associated);
  const double normal = (1 + 0.5 * 5) / 1.25;
  EXPECT_LT((r - Vector3(normal, -0.5 * normal * 0.6, -0.5 * normal * 0.8)).norm(), 1e-7);
  problem.cones[0].associated = false;
  r.setZero(3);
  report = solver->Solve(problem, &r);
  EXPECT_TRUE(report.ok());
  EXPECT_FALSE(report.associated);
  EXPECT_LT((r - Vector3(1, -0.3, -0.4)).norm(), 1e-7);
}

// The associated problem is convex: its minimum is unique in u, whatever the method.
TEST_P(AssociatedTest, AgreesWithInteriorPoint) {
  Random random(3);
  for (int trial = 0; trial < 8; ++trial) {
    KnownProblem known;
    MakeKnownProblem(2 + trial % 4, 2 + trial % 2, &random, &known);
    for (Cone& cone : known.problem.cones) cone.associated = true;
    VectorX r, r_exact, u, u_exact;
    ASSERT_TRUE(
        MakeConicSolver("interior-point", MakeOptions(1e-9))->Solve(known.problem, &r_exact).ok());
    const SolveReport report =
        MakeConicSolver(GetParam(), MakeOptions(1e-9, 100000))->Solve(known.problem, &r);
    ASSERT_TRUE(report.ok()) << trial << ": " << StatusName(report.status) << " "
                             << report.residual.relative;
    CalcVelocity(known.problem, r, &u);
    CalcVelocity(known.problem, r_exact, &u_exact);
    EXPECT_LT((u - u_exact).norm(), 1e-6 * (1 + u.norm()));
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, AssociatedTest,
                         testing::Values("auto", "nsgs", "semismooth-newton", "proximal-point",
                                         "admm", "interior-point", "pgs"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(PolyhedralTest, ProjectionIsTheNearestPoint) {
  Random random(4);
  for (int trial = 0; trial < 4000; ++trial) {
    const int corners = 3 + trial % 10;
    const double mu = trial % 11 == 0 ? 0.0 : random.Uniform(0.05, 2);
    const VectorX x = random.Matrix(3, 1);
    VectorX p = x;
    ProjectOntoPyramid(mu, corners, p.data());
    EXPECT_LT(std::abs((x - p).dot(p)), 1e-14);  // a cone
    for (int i = 0; i < corners; ++i) {          // x − p lies in the polar cone: all edges tell
      const double angle = 2 * std::acos(-1.0) * i / corners;
      const Vector3 edge(1, mu * std::cos(angle), mu * std::sin(angle));
      EXPECT_LT((x - p).dot(edge), 1e-14);
      // p lies in K: inside the side between corners i and i + 1.
      const double middle = 2 * std::acos(-1.0) * (i + 0.5) / corners;
      const double apothem = mu * std::cos(std::acos(-1.0) / corners);
      EXPECT_LE(std::cos(middle) * p[1] + std::sin(middle) * p[2], apothem * p[0] + 1e-14);
    }
  }
}

TEST(PolyhedralTest, DerivativeMatchesDifferences) {
  Random random(5);
  const double h = 1e-7;
  int smooth = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Cone cone;
    cone.kind = ConeKind::kPolyhedralFriction;
    cone.dimension = 3;
    cone.friction = random.Uniform(0.1, 1);
    cone.facets = 3 + trial % 8;
    const VectorX r = random.Matrix(3, 1), u = random.Matrix(3, 1);
    BlockEquation equation, plus, minus;
    CalcBlockEquation(ConeFunction::kNaturalMap, cone, 0, 0.7, r.data(), u.data(), &equation);
    double worst = 0;
    for (int j = 0; j < 6; ++j) {
      VectorX r1 = r, u1 = u, r0 = r, u0 = u;
      (j < 3 ? r1[j] : u1[j - 3]) += h;
      (j < 3 ? r0[j] : u0[j - 3]) -= h;
      CalcBlockEquation(ConeFunction::kNaturalMap, cone, 0, 0.7, r1.data(), u1.data(), &plus);
      CalcBlockEquation(ConeFunction::kNaturalMap, cone, 0, 0.7, r0.data(), u0.data(), &minus);
      const VectorX exact = j < 3 ? VectorX(equation.A.col(j)) : VectorX(equation.B.col(j - 3));
      worst = std::max(worst, ((plus.F - minus.F) / (2 * h) - exact).norm());
    }
    smooth += worst < 1e-6 ? 1 : 0;
  }
  EXPECT_GE(smooth, 299);  // Piecewise linear: exact away from kinks, which a difference may cross.
}

// W = I, corners at angles 0, 90, … : by hand. Free sliding along (3, 4) is closest to −y: the
// corner −y maximises dissipation.
TEST(PolyhedralTest, HandSolved) {
  DenseDelassus A(MatrixX::Identity(3, 3));
  ConicProblem problem;
  problem.A = &A;
  problem.cones = test::MakeCones({3}, 0.5);
  problem.cones[0].kind = ConeKind::kPolyhedralFriction;
  problem.cones[0].facets = 4;
  for (const char* name :
       {"auto", "lemke", "nsgs", "block-pivoting", "admm", "semismooth-newton"}) {
    VectorX r;
    problem.b = Vector3(-1, 3, 4);
    ASSERT_TRUE(MakeConicSolver(name, MakeOptions(1e-10))->Solve(problem, &r).ok()) << name;
    EXPECT_LT((r - Vector3(1, 0, -0.5)).norm(), 1e-8) << name;
    problem.b = Vector3(-1, 0.2, -0.1);  // sticks: |0.2| + |0.1| ≤ ½
    ASSERT_TRUE(MakeConicSolver(name, MakeOptions(1e-10))->Solve(problem, &r).ok()) << name;
    EXPECT_LT((r - Vector3(1, -0.2, 0.1)).norm(), 1e-8) << name;
    problem.b = Vector3(1, 3, 4);  // leaves
    ASSERT_TRUE(MakeConicSolver(name, MakeOptions(1e-10))->Solve(problem, &r).ok()) << name;
    EXPECT_LT(r.norm(), 1e-10) << name;
  }
}

// Lemke and the methods that project agree with the law; more facets come closer to the cone.
TEST(PolyhedralTest, SolversAgreeAndConverge) {
  Random random(6);
  for (int trial = 0; trial < 6; ++trial) {
    KnownProblem known;
    MakeKnownProblem(2 + trial % 3, 3, &random, &known);
    VectorX exact;
    ASSERT_TRUE(MakeConicSolver("auto", MakeOptions(1e-11))->Solve(known.problem, &exact).ok());
    VectorX u_exact, u;
    CalcVelocity(known.problem, exact, &u_exact);
    for (const int facets : {8, 128}) {
      ConicProblem problem = known.problem;
      for (Cone& cone : problem.cones) {
        cone.kind = ConeKind::kPolyhedralFriction;
        cone.facets = facets;
      }
      for (const char* name : {"lemke", "nsgs", "auto", "proximal-point"}) {
        if (facets > 8 && std::string(name) == "lemke") continue;
        VectorX r;
        const SolveReport report = MakeConicSolver(name, MakeOptions(1e-8))->Solve(problem, &r);
        ASSERT_TRUE(report.ok()) << name << " " << facets << ": " << StatusName(report.status)
                                 << " " << report.residual.relative;
        CalcVelocity(problem, r, &u);
        // Friction is between cos(π/k) and 1 of Coulomb's, and its direction is off by π/k at most.
        EXPECT_LT((u - u_exact).norm(), 4 * (1 + u_exact.norm()) / facets) << name << facets;
      }
    }
  }
}

// Planar Coulomb friction is polyhedral: Lemke solves it exactly where A is positive definite, and
// says that it ended on a ray where it does not.
TEST(PolyhedralTest, LemkeSolvesPlanarFriction) {
  Random random(7);
  for (int trial = 0; trial < 30; ++trial) {
    KnownProblem known;
    MakeKnownProblem(1 + trial % 8, 2, &random, &known);
    VectorX r, u;
    SolveReport report = MakeConicSolver("lemke", MakeOptions(1e-9))->Solve(known.problem, &r);
    EXPECT_TRUE(report.ok() || report.status == SolveStatus::kRay);
    known.problem.compliance = VectorX::Constant(known.problem.size(), 1e-3);
    report = MakeConicSolver("lemke", MakeOptions(1e-9))->Solve(known.problem, &r);
    ASSERT_TRUE(report.ok()) << trial << ": " << StatusName(report.status);
    CalcVelocity(known.problem, r, &u);
    for (const Cone& cone : known.problem.cones) EXPECT_LT(CalcCoulombViolation(cone, r, u), 1e-7);
  }
}

// Box friction whose bound is μ times the normal impulse of the same problem (the second friction
// model of real-time cable simulation): pivoting with renewed bounds, and Gauss–Seidel.
TEST(BoxFrictionTest, BoundsFollowTheLoad) {
  MatrixX W(3, 3);
  W << 2, 0.3, -0.2, 0.3, 1.5, 0.1, -0.2, 0.1, 1;
  DenseDelassus A(W);
  ConicProblem problem;
  problem.A = &A;
  problem.b = Vector3(-1, 2, -0.05);
  problem.cones.resize(3);
  problem.loads.push_back({0.4, VectorX::Zero(1), MatrixX::Identity(1, 3)});
  for (int i = 1; i < 3; ++i) {
    problem.cones[i].kind = ConeKind::kBox;
    problem.cones[i].offset = i;
    problem.cones[i].load = 0;
  }
  for (const char* name : {"block-pivoting", "principal-pivoting", "nsgs", "auto"}) {
    VectorX r;
    const SolveReport report = MakeConicSolver(name, MakeOptions(1e-11))->Solve(problem, &r);
    ASSERT_TRUE(report.ok()) << name << " " << StatusName(report.status);
    const Vector3 u = W * r + problem.b;
    EXPECT_NEAR(u[0], 0, 1e-9);
    EXPECT_NEAR(r[1], -0.4 * r[0], 1e-9);  // slides
    EXPECT_GT(u[1], 0);
    EXPECT_NEAR(u[2], 0, 1e-9);  // sticks
    EXPECT_LT(std::abs(r[2]), 0.4 * r[0]);
  }
}

// All local solvers of Gauss–Seidel are exact: the same answer.
TEST(LocalMethodTest, AllAgree) {
  Random random(8);
  for (int trial = 0; trial < 20; ++trial) {
    KnownProblem known;
    MakeKnownProblem(1 + trial % 6, 2 + trial % 2, &random, &known);
    std::vector<VectorX> velocities;
    for (const LocalMethod method :
         {LocalMethod::kAngle, LocalMethod::kQuartic, LocalMethod::kSemismooth}) {
      ConicSolverOptions options = MakeOptions(1e-10);
      options.local_method = method;
      VectorX r, u;
      ASSERT_TRUE(MakeConicSolver("nsgs", options)->Solve(known.problem, &r).ok());
      CalcVelocity(known.problem, r, &u);
      for (const Cone& cone : known.problem.cones) {
        EXPECT_LT(CalcCoulombViolation(cone, r, u), 1e-7);
      }
    }
  }
}

TEST(FunctionTest, AllFormsOfNewtonAgree) {
  Random random(9);
  for (int trial = 0; trial < 10; ++trial) {
    KnownProblem known;
    MakeKnownProblem(1 + trial % 4, 3, &random, &known);
    for (const ConeFunction function : {ConeFunction::kAlartCurnier, ConeFunction::kNaturalMap,
                                        ConeFunction::kFischerBurmeister}) {
      ConicSolverOptions options = MakeOptions(1e-9, 500);
      options.function = function;
      VectorX r, u;
      const SolveReport report =
          MakeConicSolver("semismooth-newton", options)->Solve(known.problem, &r);
      CalcVelocity(known.problem, r, &u);
      if (!report.ok()) continue;  // It may be caught in a local minimum, and says so.
      for (const Cone& cone : known.problem.cones) {
        EXPECT_LT(CalcCoulombViolation(cone, r, u), 1e-6);
      }
    }
  }
}

TEST(ReportTest, NamesTheReason) {
  DenseDelassus A(MatrixX::Zero(1, 1));
  ConicProblem problem;
  problem.A = &A;
  problem.cones = test::MakeCones({1}, 0);
  problem.b = VectorX::Constant(1, -1);  // closes, and nothing can stop it
  for (const char* name : {"auto", "nsgs", "lemke", "keller"}) {
    VectorX r;
    const SolveReport report = MakeConicSolver(name, MakeOptions(1e-9))->Solve(problem, &r);
    EXPECT_EQ(report.status, SolveStatus::kInfeasible) << name;
    EXPECT_NE(std::string(report.reason), "") << name;
  }
  // Rows that push against each other: a ray.
  DenseDelassus B((MatrixX(2, 2) << 1, -1, -1, 1).finished());
  problem.A = &B;
  problem.cones = test::MakeCones({1, 1}, 0);
  problem.b = Vector2(-1, -1);
  for (const char* name : {"lemke", "keller"}) {
    VectorX r;
    EXPECT_EQ(MakeConicSolver(name, MakeOptions(1e-9))->Solve(problem, &r).status,
              SolveStatus::kInfeasible)
        << name;
  }
}

TEST(ReportTest, WorstContactHasTheLargestShare) {
  DenseDelassus A(MatrixX::Identity(6, 6));
  ConicProblem problem;
  problem.A = &A;
  problem.cones = test::MakeCones({3, 3}, 0.5);
  problem.b.setZero(6);
  problem.b[0] = -1;
  problem.b[3] = -2;
  VectorX r = -problem.b;
  r[3] = 1.5;
  const NaturalMapResidual residual = CalcNaturalMapResidual(problem, r);
  EXPECT_EQ(residual.worst_block, 1);
  EXPECT_NEAR(residual.worst, residual.relative, 1e-15);  // the other is exact
}

}  // namespace
}  // namespace saltus
