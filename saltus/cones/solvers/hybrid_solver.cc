#include "saltus/cones/solvers/hybrid_solver.h"

#include <algorithm>

#include "saltus/cones/solvers/interior_point.h"
#include "saltus/cones/solvers/moment_scaling.h"
#include "saltus/cones/solvers/proximal_point.h"

namespace saltus {
namespace {

constexpr int kFirstSweeps = 100;
constexpr int kFirstSteps = 20;
constexpr int kInteriorSteps = 100;
static_assert(HybridSolver::kFirstRound >= kFirstSweeps + kFirstSteps + kInteriorSteps);
constexpr int kMaxRounds = 9;
constexpr double kProgress = 0.5;  // factor of the score that counts as progress of a cycle
constexpr int kCycle = 3;          // rounds after which the second method is the same again

/// The second method of a round.
enum class Second { kAlartCurnier, kInteriorPoint, kProximalPoint, kFischerBurmeister };

Second FindSecond(int round, const ConicProblem& problem) {
  // The interior point method starts from a point of its own: once is enough.
  if (round == 1 && InteriorPointSolver::Accepts(problem)) return Second::kInteriorPoint;
  if (round % kCycle == 1) return Second::kProximalPoint;
  return round % kCycle == 0 ? Second::kAlartCurnier : Second::kFischerBurmeister;
}

}  // namespace

SolveReport HybridSolver::SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                                       VectorX* r) {
  if (NeedsMomentScaling(problem)) return SolveWithScaledMoments(problem, target, this, r);
  const int n = problem.size();
  if (r->size() != n || !r->allFinite()) r->setZero(n);
  Judge judge(problem, target, options_.stop);
  int iterations = 0;
  SolveStatus failure = SolveStatus::kMaxIterations;
  const char* reason = "";
  double level = 0;  // score at the beginning of the cycle
  for (int round = 0; round < kMaxRounds && iterations < target.budget.max_iterations; ++round) {
    const Second second = FindSecond(round, problem);
    SolveTarget limited = target;
    limited.velocity_limit = 0;
    if (second != Second::kInteriorPoint) {
      limited.budget.max_iterations =
          std::min(target.budget.max_iterations - iterations, kFirstSweeps << round);
      const SolveReport report = NsgsSolver(NsgsOptions{options_}).Solve(problem, limited, r);
      iterations += report.iterations;
      if (report.status == SolveStatus::kNotFinite) return Judge::FinishNotFinite(n, r);
      const bool solved = judge.Evaluate(*r);
      if (report.status == SolveStatus::kInfeasible) {
        failure = SolveStatus::kInfeasible;
        reason = report.reason;
      }
      if (solved || failure == SolveStatus::kInfeasible) break;
    }
    if (round % kCycle == 0) {
      if (round > 0 && judge.best_score() > kProgress * level) {
        failure = SolveStatus::kStagnated;
        break;
      }
      level = judge.best_score();
    }
    *r = judge.best();
    const int steps = second == Second::kInteriorPoint ? kInteriorSteps : kFirstSteps << round;
    limited.budget.max_iterations = std::min(target.budget.max_iterations - iterations, steps);
    if (second == Second::kInteriorPoint) {
      iterations += InteriorPointSolver(options_).Solve(problem, limited, r).iterations;
    } else if (second == Second::kProximalPoint) {
      iterations += ProximalPointSolver(options_).Solve(problem, limited, r).iterations;
    } else {
      newton_.Prepare(problem, second == Second::kAlartCurnier ? ConeFunction::kAlartCurnier
                                                               : ConeFunction::kFischerBurmeister);
      iterations += newton_.Iterate(problem, limited.budget.max_iterations, &judge, r).iterations;
    }
    if (judge.Evaluate(*r)) break;
    *r = judge.best();
  }
  SolveReport report = judge.Finish(failure, iterations, r);
  if (!report.ok()) report.reason = reason;
  return report;
}

}  // namespace saltus
