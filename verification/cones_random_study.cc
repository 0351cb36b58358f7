// 1000 random problems of each class for every solver: no crash, no NaN, no false "converged".
//   cones_random_study [COUNT] [SOLVER…]
// Classes: contacts that stick, slip, open, or are mixed; regular W, W of condition 1e10, singular
// W; and problems with random data, which need not have a solution. Exit code 1 if any rule is
// broken.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "saltus/cones/conic_solver.h"
#include "saltus/cones/dense_delassus.h"
#include "saltus/cones/test/random_problems.h"

namespace {

using namespace saltus;
using test::ContactState;
using test::Random;

constexpr int kMaxIterations = 1000;       // of one method
constexpr int kMaxIterationsOfAll = 5000;  // of all methods that auto tries, together

enum class Matrix { kRegular, kStiff, kSingular };

struct ProblemClass {
  std::string name;
  Matrix matrix;
  int state;  // 0 open, 1 stick, 2 slip, 3 mixed, −1: random data, perhaps without solution
};

std::vector<ProblemClass> ListClasses() {
  std::vector<ProblemClass> classes;
  const char* states[] = {"open", "stick", "slip", "mixed"};
  const char* matrices[] = {"regular", "stiff", "singular"};
  for (int m = 0; m < 3; ++m) {
    for (int s = 0; s < 4; ++s) {
      classes.push_back({std::string(matrices[m]) + " " + states[s], static_cast<Matrix>(m), s});
    }
    classes.push_back({std::string(matrices[m]) + " random", static_cast<Matrix>(m), -1});
  }
  return classes;
}

MatrixX MakeMatrix(Matrix kind, int n, Random* random) {
  switch (kind) {
    case Matrix::kRegular:
      return random->PositiveDefinite(n, 10);
    case Matrix::kStiff:
      return random->PositiveDefinite(n, 1e10);
    case Matrix::kSingular: {
      const MatrixX H = random->Matrix(n, std::max(1, 2 * n / 3));
      return H * H.transpose();
    }
  }
  return {};
}

void MakeProblem(const ProblemClass& kind, Random* random, DenseDelassus* A,
                 ConicProblem* problem) {
  const int contacts = random->Integer(1, 8), d = random->Integer(2, 3), n = contacts * d;
  A->matrix() = MakeMatrix(kind.matrix, n, random);
  problem->A = A;
  problem->cones = test::MakeCones(std::vector<int>(static_cast<std::size_t>(contacts), d),
                                   random->Uniform(0.05, 1));
  if (kind.state < 0) {
    problem->b = random->Matrix(n, 1);
    return;
  }
  VectorX r(n), u(n);
  for (const Cone& cone : problem->cones) {
    const int s = kind.state == 3 ? random->Integer(0, 2) : kind.state;
    MakeContactPair(cone, static_cast<ContactState>(s), random, &r[cone.offset], &u[cone.offset]);
  }
  problem->b = u - A->matrix() * r;
}

struct Tally {
  int solved = 0, false_claims = 0, not_finite = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<std::string> solvers(argv + std::min(argc, 2), argv + argc);
  if (solvers.empty()) {
    for (const ConicSolverInfo& info : ListConicSolvers()) solvers.push_back(info.name);
  }
  const double tolerance = 1e-8;
  bool good = true;
  fmt::print(
      "{} problems of each class; share solved to {:g} within {} iterations, auto within {}\n",
      count, tolerance, kMaxIterations, kMaxIterationsOfAll);
  for (const std::string& name : solvers) {
    ConicSolverOptions options;
    options.tolerance = tolerance;
    options.max_iterations = name == "auto" ? kMaxIterationsOfAll : kMaxIterations;
    const auto solver = MakeConicSolver(name, options);
    for (const ProblemClass& kind : ListClasses()) {
      Random random(11);
      Tally tally;
      for (int k = 0; k < count; ++k) {
        DenseDelassus A{MatrixX()};
        ConicProblem problem;
        MakeProblem(kind, &random, &A, &problem);
        VectorX r;
        const SolveReport report = solver->Solve(problem, &r);
        if (!r.allFinite()) ++tally.not_finite;
        const double relative = CalcNaturalMapResidual(problem, r).relative;
        if (report.ok() && !(relative <= tolerance)) ++tally.false_claims;
        if (report.ok()) ++tally.solved;
      }
      good = good && tally.false_claims == 0 && tally.not_finite == 0;
      fmt::print("{:<20} {:<16} solved {:6.1f} %   false {}   not finite {}\n", name, kind.name,
                 100.0 * tally.solved / std::max(count, 1), tally.false_claims, tally.not_finite);
      std::fflush(stdout);
    }
  }
  return good ? 0 : 1;
}
