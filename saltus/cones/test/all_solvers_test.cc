// Every solver on problems made from a known solution, against the laws and against each other.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/cones/conic_solver.h"
#include "saltus/cones/test/random_problems.h"

namespace saltus {
namespace {

using test::ContactState;
using test::Random;

struct KnownProblem {
  test::Mechanism mechanism;
  ConicProblem problem;
  VectorX r;  // a solution
};

// state: 0 open, 1 stick, 2 slip, 3 mixed.
void MakeKnownProblem(int num_contacts, int dimension, int state, Random* random,
                      KnownProblem* known) {
  test::MechanismOptions options;
  options.num_bodies = std::max(2, num_contacts / 2);
  options.dimensions.assign(static_cast<std::size_t>(num_contacts), dimension);
  MakeMechanism(options, random, &known->mechanism);
  ConicProblem& problem = known->problem;
  problem.A = &known->mechanism.sparse;
  problem.cones = test::MakeCones(options.dimensions, 0.3);
  const int n = known->mechanism.sparse.size();
  VectorX u = VectorX::Zero(n), product;
  known->r.setZero(n);
  for (const Cone& cone : problem.cones) {
    const int s = state == 3 ? random->Integer(0, 2) : state;
    if (dimension > 1) {
      MakeContactPair(cone, static_cast<ContactState>(s), random, &known->r[cone.offset],
                      &u[cone.offset]);
    } else {
      (s == 0 ? u : known->r)[cone.offset] = random->Uniform(0.1, 1);
    }
  }
  problem.A->Multiply(known->r, &product);
  problem.b = u - product;
}

ConicSolverOptions MakeOptions(double tolerance, int max_iterations) {
  ConicSolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  return options;
}

class FrictionSolverTest : public testing::TestWithParam<const char*> {};

// None may claim more than the judge finds, and all must solve the small ones but prox, which
// converges linearly and crawls on some.
TEST_P(FrictionSolverTest, SolvesSmallProblemsAndNeverLies) {
  Random random(5);
  for (int trial = 0; trial < 24; ++trial) {
    KnownProblem known;
    const int num_contacts = trial % 6 + 1;
    MakeKnownProblem(num_contacts, 2 + trial % 2, trial % 4, &random, &known);
    const double tolerance = 1e-8;
    VectorX r;
    const SolveReport report =
        MakeConicSolver(GetParam(), MakeOptions(tolerance, 20000))->Solve(known.problem, &r);
    const NaturalMapResidual residual = CalcNaturalMapResidual(known.problem, r);
    EXPECT_EQ(report.residual.relative, residual.relative);
    EXPECT_EQ(report.ok(), residual.relative <= tolerance);
    const bool crawls = std::string(GetParam()) == "prox";
    EXPECT_TRUE(report.ok() || (crawls && residual.relative < 1e-4))
        << trial << ": " << StatusName(report.status) << ", " << residual.relative << " after "
        << report.iterations;
  }
}

TEST_P(FrictionSolverTest, WarmStartFromTheSolutionCostsNothing) {
  Random random(6);
  KnownProblem known;
  MakeKnownProblem(5, 3, 3, &random, &known);
  VectorX r = known.r;
  const SolveReport report =
      MakeConicSolver(GetParam(), MakeOptions(1e-9, 1000))->Solve(known.problem, &r);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(r, known.r);
}

TEST_P(FrictionSolverTest, StatusesAreTruthful) {
  Random random(7);
  KnownProblem known;
  MakeKnownProblem(6, 3, 3, &random, &known);
  VectorX r;
  auto solver = MakeConicSolver(GetParam(), MakeOptions(1e-300, 3));
  const SolveReport report = solver->Solve(known.problem, &r);
  EXPECT_FALSE(report.ok());
  EXPECT_TRUE(r.allFinite());
  known.problem.b[2] = std::nan("");
  EXPECT_EQ(solver->Solve(known.problem, &r).status, SolveStatus::kNotFinite);
  EXPECT_TRUE(r.allFinite());
}

INSTANTIATE_TEST_SUITE_P(Solvers, FrictionSolverTest,
                         testing::Values("auto", "nsgs", "semismooth-newton", "proximal-point",
                                         "admm", "interior-point", "de-saxce", "prox", "pgs"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class LinearSolverTest : public testing::TestWithParam<const char*> {};

// Boxed mixed problems with a constructed solution: free, nonnegative and box rows, some at their
// bounds.
TEST_P(LinearSolverTest, BoxedMixedProblems) {
  Random random(8);
  for (int trial = 0; trial < 40; ++trial) {
    const int n = 3 + trial % 20;
    DenseDelassus A(random.PositiveDefinite(n, 1e3));
    ConicProblem problem;
    problem.A = &A;
    VectorX r(n), u = VectorX::Zero(n);
    for (int i = 0; i < n; ++i) {
      Cone cone;
      cone.offset = i;
      const int kind = random.Integer(0, 2);
      cone.kind = kind == 0 ? ConeKind::kFree : kind == 1 ? ConeKind::kNonnegative : ConeKind::kBox;
      cone.bound = random.Uniform(0.1, 1);
      const int place = random.Integer(0, 2);  // inside, lower, upper
      r[i] = random.Uniform(0.01, 0.09);
      if (kind == 1 && place == 1) r[i] = 0;
      if (kind == 2 && place > 0) r[i] = place == 1 ? -cone.bound : cone.bound;
      if (kind == 1 && place == 1) u[i] = random.Uniform(0.1, 1);
      if (kind == 2 && place > 0) u[i] = (place == 1 ? 1 : -1) * random.Uniform(0.1, 1);
      problem.cones.push_back(cone);
    }
    problem.b = u - A.matrix() * r;
    VectorX x;
    const SolveReport report =
        MakeConicSolver(GetParam(), MakeOptions(1e-9, 100000))->Solve(problem, &x);
    ASSERT_TRUE(report.ok()) << trial << ": " << StatusName(report.status) << " "
                             << report.residual.relative;
    // Unique, since A is positive definite; the condition of A times the tolerance.
    EXPECT_LT((x - r).norm(), 1e-5);
  }
}

TEST_P(LinearSolverTest, NonnegativeProblemsOfMechanisms) {
  Random random(9);
  for (int trial = 0; trial < 12; ++trial) {
    KnownProblem known;
    MakeKnownProblem(4 * (trial + 1), 1, 3, &random, &known);
    VectorX r;
    const SolveReport report =
        MakeConicSolver(GetParam(), MakeOptions(1e-8, 100000))->Solve(known.problem, &r);
    EXPECT_TRUE(report.ok()) << trial << ": " << StatusName(report.status) << " "
                             << report.residual.relative;
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, LinearSolverTest,
                         testing::Values("lemke", "block-pivoting", "principal-pivoting", "keller",
                                         "pgs", "semismooth-newton", "nsgs"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A thousand contacts with a known solution between bodies that touch near ones at random: a few
// large islands.
struct LargeProblem {
  BodyDelassus A;
  ConicProblem problem;
};

// @param condition  ratio of the largest to the smallest mass
// @param state  of all contacts (ContactState), 3: mixed
void MakeLargeProblem(double condition, int state, Random* random, LargeProblem* large) {
  const int num_bodies = 500, num_contacts = 1000;
  BodyDelassus& A = large->A;
  for (int b = 0; b < num_bodies; ++b) {
    const double scale = std::pow(condition, random->Uniform(0, 1));
    A.AddBody(scale * random->PositiveDefinite(6, 10));
  }
  for (int c = 0; c < num_contacts; ++c) {
    const int b = random->Integer(0, num_bodies - 1);
    const int a = random->Integer(std::max(-1, b - 8), b - 1);
    A.AddBlock(3, a, random->Matrix(3, 6), b, random->Matrix(3, 6));
  }
  A.Finalize();
  ConicProblem& problem = large->problem;
  problem.A = &A;
  problem.cones = test::MakeCones(std::vector<int>(num_contacts, 3), 0.3);
  VectorX r(A.size()), u(A.size()), product;
  for (const Cone& cone : problem.cones) {
    const int s = state == 3 ? random->Integer(0, 2) : state;
    MakeContactPair(cone, static_cast<ContactState>(s), random, &r[cone.offset], &u[cone.offset]);
  }
  A.Multiply(r, &product);
  problem.b = u - product;
}

// All states with equal masses, mixed ones with masses from 1 to 1e8. Methods of first order crawl.
TEST_P(FrictionSolverTest, SolvesAThousandContactsOrSaysThatItDoesNot) {
  const std::string name = GetParam();
  const bool crawls =
      name == "nsgs" || name == "admm" || name == "prox" || name == "pgs" || name == "de-saxce";
  Random random(12);
  for (const int state : {0, 1, 2, 3, 4}) {
    const bool stiff = state == 4;
    LargeProblem large;
    MakeLargeProblem(stiff ? 1e8 : 1.0, stiff ? 3 : state, &random, &large);
    VectorX x;
    const SolveReport report =
        MakeConicSolver(name, MakeOptions(1e-8, 300))->Solve(large.problem, &x);
    const NaturalMapResidual residual = CalcNaturalMapResidual(large.problem, x);
    EXPECT_EQ(report.residual.relative, residual.relative);
    EXPECT_EQ(report.ok(), residual.relative <= 1e-8);
    EXPECT_TRUE(report.ok() || crawls || stiff)
        << state << ": " << StatusName(report.status) << ", " << residual.relative << " after "
        << report.iterations;
  }
}

// A warm start that is better than the first interior points must not end the path early.
TEST(InteriorPointTest, WarmStartsDoNotStopThePath) {
  Random random(12);
  LargeProblem large;
  MakeLargeProblem(1e8, 1, &random, &large);
  VectorX r;
  EXPECT_FALSE(MakeConicSolver("nsgs", MakeOptions(1e-8, 100))->Solve(large.problem, &r).ok());
  const SolveReport report =
      MakeConicSolver("interior-point", MakeOptions(1e-8, 100))->Solve(large.problem, &r);
  EXPECT_TRUE(report.ok()) << report.residual.relative << " after " << report.iterations;
}

// The impulses of a problem are the start of another one nearby, as from step to step: fewer
// iterations than from nothing.
void ExpectWarmStartHelps(const char* name, const KnownProblem& known, double change) {
  const auto solver = MakeConicSolver(name, MakeOptions(1e-9, 2000));
  ConicProblem next = known.problem;
  next.b = (1 + change) * VectorX(known.problem.b);
  next.b[0] -= change;
  VectorX warm = known.r, cold;
  const SolveReport from_start = solver->Solve(next, &warm);
  const SolveReport from_zero = solver->Solve(next, &cold);
  EXPECT_TRUE(from_start.ok() && from_zero.ok()) << name;
  EXPECT_LT(from_start.iterations, std::max(from_zero.iterations, 2)) << name;
}

TEST_P(FrictionSolverTest, WarmStartSavesIterations) {
  Random random(15);
  KnownProblem known;
  MakeKnownProblem(12, 3, 3, &random, &known);
  ExpectWarmStartHelps(GetParam(), known, 1e-3);
}

TEST_P(LinearSolverTest, WarmStartSavesIterations) {
  Random random(16);
  KnownProblem known;
  MakeKnownProblem(12, 1, 3, &random, &known);
  ExpectWarmStartHelps(GetParam(), known, 1e-3);
}

// All contacts keep their states: no pivot where they are independent, few where they are not.
TEST(LemkeSolverTest, WarmStartWithPlanarFriction) {
  Random random(17);
  for (const int num_contacts : {2, 6}) {
    KnownProblem known;
    MakeKnownProblem(num_contacts, 2, 3, &random, &known);
    known.problem.b *= 1.01;
    VectorX warm = known.r, cold;
    const auto solver = MakeConicSolver("lemke", {});
    const SolveReport from_start = solver->Solve(known.problem, &warm);
    const SolveReport from_zero = solver->Solve(known.problem, &cold);
    EXPECT_TRUE(from_start.ok() && from_zero.ok());
    EXPECT_LT(from_start.iterations, num_contacts == 2 ? 1 : from_zero.iterations);
  }
}

// Methods for friction that do not take boxes say so and leave r alone.
TEST(DeSaxceTest, BoxesAreUnsupported) {
  DenseDelassus A(MatrixX::Identity(1, 1));
  ConicProblem problem;
  problem.A = &A;
  problem.b = VectorX::Constant(1, -1.0);
  problem.cones.resize(1);
  problem.cones[0].kind = ConeKind::kBox;
  problem.cones[0].bound = 0.5;
  for (const char* name : {"de-saxce", "interior-point"}) {
    VectorX r = VectorX::Constant(1, 0.25);
    EXPECT_EQ(MakeConicSolver(name, {})->Solve(problem, &r).status, SolveStatus::kUnsupported);
    EXPECT_EQ(r[0], 0.25);
  }
}

TEST(PivotingTest, FrictionIsUnsupported) {
  Random random(10);
  KnownProblem known;
  MakeKnownProblem(2, 3, 1, &random, &known);
  for (const char* name : {"block-pivoting", "principal-pivoting", "keller", "lemke"}) {
    VectorX r = VectorX::Ones(6);
    const SolveReport report = MakeConicSolver(name, {})->Solve(known.problem, &r);
    EXPECT_EQ(report.status, SolveStatus::kUnsupported);
    EXPECT_EQ(r, VectorX::Ones(6));
  }
}

class CountedStop final : public StopRequest {
 public:
  explicit CountedStop(int limit) : limit_(limit) {}
  void Check() const override {
    if (++count_ > limit_) throw Interrupted();
  }

 private:
  int limit_;
  mutable int count_ = 0;
};

// A wish of the end is heard by every method, in the midst of its work too.
TEST(StopTest, EndsEverySolver) {
  Random random(7);
  for (const int dimension : {1, 3}) {
    KnownProblem known;
    MakeKnownProblem(40, dimension, 3, &random, &known);
    for (const ConicSolverInfo& info : ListConicSolvers()) {
      for (const int limit : {0, 2}) {
        const CountedStop stop(limit);
        ConicSolverOptions options = MakeOptions(1e-300, 100000);
        options.stop = &stop;
        VectorX r;
        const auto solver = MakeConicSolver(info.name, options);
        bool interrupted = false;
        SolveStatus status = SolveStatus::kConverged;
        try {
          status = solver->Solve(known.problem, &r).status;
        } catch (const Interrupted&) {
          interrupted = true;
        }
        // Exact methods may end by themselves before the third look.
        EXPECT_TRUE(interrupted || status == SolveStatus::kUnsupported ||
                    (limit > 0 && status == SolveStatus::kStagnated))
            << info.name << ", dimension " << dimension << ", limit " << limit;
      }
    }
  }
}

}  // namespace
}  // namespace saltus
