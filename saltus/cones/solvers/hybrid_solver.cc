#include "saltus/cones/solvers/hybrid_solver.h"

#include <algorithm>

#include "saltus/cones/block_sparse_copy.h"
#include "saltus/cones/solvers/moment_scaling.h"
#include "saltus/cones/solvers/proximal_point.h"

namespace saltus {
namespace {

constexpr int kFirstSweeps = 100;
constexpr int kFirstSteps = 40;
constexpr int kMaxRounds = 9;
constexpr double kProgress = 0.5;  // factor of the score that counts as progress of a cycle
constexpr int kCycle = 3;          // rounds after which the second method is the same again

}  // namespace

SolveReport HybridSolver::Solve(const ConicProblem& problem, VectorX* r) {
  if (NeedsMomentScaling(problem)) return SolveWithScaledMoments(problem, options_, this, r);
  const int n = problem.size();
  if (r->size() != n || !r->allFinite()) r->setZero(n);
  Judge judge(problem, options_);
  int iterations = 0;
  SolveStatus failure = SolveStatus::kMaxIterations;
  double level = 0;  // score at the beginning of the cycle
  const BlockSparseDelassus* A = nullptr;
  for (int round = 0; round < kMaxRounds && iterations < options_.max_iterations; ++round) {
    const int left = options_.max_iterations - iterations;
    NsgsOptions sweeps{options_};
    sweeps.max_iterations = std::min(left, kFirstSweeps << round);
    const SolveReport report = NsgsSolver(sweeps).Solve(problem, r);
    iterations += report.iterations;
    if (report.status == SolveStatus::kNotFinite) return Judge::FinishNotFinite(n, r);
    const bool solved = judge.Evaluate(*r);
    if (report.status == SolveStatus::kInfeasible) failure = SolveStatus::kInfeasible;
    if (solved || failure == SolveStatus::kInfeasible) break;
    if (round % kCycle == 0) {
      if (round > 0 && judge.best_score() > kProgress * level) {
        failure = SolveStatus::kStagnated;
        break;
      }
      level = judge.best_score();
    }
    if (A == nullptr) A = &MakeBlockSparse(problem, &storage_);
    *r = judge.best();
    const int steps = std::min(options_.max_iterations - iterations, kFirstSteps << round);
    if (round % kCycle == 1) {
      ConicSolverOptions proximal = options_;
      proximal.max_iterations = steps;
      iterations += ProximalPointSolver(proximal).Solve(problem, r).iterations;
      if (judge.Evaluate(*r)) break;
    } else {
      newton_.Prepare(
          problem, *A,
          round % kCycle == 0 ? ConeFunction::kAlartCurnier : ConeFunction::kFischerBurmeister);
      const SemismoothNewton::Result result = newton_.Iterate(problem, steps, &judge, r);
      iterations += result.iterations;
      if (result.outcome == SemismoothNewton::Outcome::kSolved) break;
    }
    *r = judge.best();
  }
  return judge.Finish(failure, iterations, r);
}

}  // namespace saltus
