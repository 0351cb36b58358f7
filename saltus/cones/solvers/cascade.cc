#include "saltus/cones/solvers/cascade.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "saltus/linalg/block_lu.h"

namespace saltus {
namespace {

constexpr double kKernelSpeed = 4;     // flops a second of dense kernels over those of a sweep
constexpr double kHighEffort = 0.01;   // of w counts with Effort::kHigh
constexpr int kMinSteps = 5;           // fewer steps of Newton's method are rarely enough
constexpr int kSecondOrderSteps = 20;  // that Newton's method usually takes

bool EndsCascade(SolveStatus status) {
  return status == SolveStatus::kInfeasible || status == SolveStatus::kNotFinite;
}

}  // namespace

double CalcStepWork(const ConicProblem& problem) {
  const double sweep = problem.A->sweep_flops();
  const Delassus::Graph graph = problem.A->MakeGraph();
  double flops = 0;
  if (graph.sizes.empty()) {
    flops = std::pow(problem.size(), 3) / 3;
  } else {
    BlockLu lu;
    lu.Analyze(std::make_shared<BlockPattern>(graph.sizes, graph.couplings));
    flops = lu.flops();
  }
  return std::max(1.0, flops / (kKernelSpeed * std::max(sweep, 1.0)));
}

Cascade::Cascade(std::string name, const ConicSolverOptions& options, MakeStages make_stages)
    : ConicSolver(options),
      name_(std::move(name)),
      options_(options),
      make_stages_(make_stages),
      stages_(make_stages(options)) {}

SolveTarget Cascade::MakeStageTarget(const ConicProblem& problem, const SolveTarget& target,
                                     const Stage& stage, const NaturalMapResidual& best,
                                     Account* account) const {
  const Budget& budget = target.budget;
  // Blocks that stick are held to the aim.
  const bool accepted =
      best.velocity <= target.velocity_limit && best.sticking_velocity <= target.velocity_aim;
  SolveTarget part = target;
  if (stage.factorises) part.velocity_limit = 0;
  part.budget.max_iterations = 0;
  if ((stage.factorises && budget.effort == Effort::kLow) ||
      (stage.accepts != nullptr && !stage.accepts(problem))) {
    return part;
  }
  const double left = budget.max_iterations - account->work;
  const double share = stage.share * budget.max_iterations;
  if (account->step == 0 && (account->work > 0 || stage.factorises)) {
    account->step = budget.effort == Effort::kLow ? 1.0 : CalcStepWork(problem);
    // Where nothing but the aim is accepted, the alternative is to fail.
    const bool high = budget.effort == Effort::kHigh || !(target.velocity_limit > 0);
    if (high) account->step = std::max(1.0, kHighEffort * account->step);
  }
  double work = std::min(left, share);
  if (stage.factorises) {
    if (!accepted) work = std::min(left, std::max(share, kSecondOrderSteps * account->step));
    work /= account->step;
    if (work < kMinSteps) return part;
  } else if (account->work > 0) {
    if (accepted) return part;
    if (!account->factorised) {
      part.budget.patience = static_cast<int>(std::min(kSecondOrderSteps * account->step, work));
    }
  }
  part.budget.max_iterations =
      std::min({static_cast<int>(work), stage.most, budget.max_iterations - account->iterations});
  return part;
}

SolveReport Cascade::SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                                  VectorX* r) {
  std::optional<Judge> judge;  // of all stages, once the first has failed
  NaturalMapResidual best;
  best.velocity = std::numeric_limits<double>::infinity();
  SolveStatus failure = SolveStatus::kMaxIterations;
  const char* reason = "";
  Account account;
  VectorX x = *r;
  for (const Stage& stage : stages_) {
    const SolveTarget part = MakeStageTarget(problem, target, stage, best, &account);
    if (part.budget.max_iterations <= 0) continue;
    if (judge && stage.start == StageStart::kBest) x = judge->best();
    if (stage.start == StageStart::kZero) x.setZero(problem.size());
    const SolveReport report = stage.solver->Solve(problem, part, &x);
    account.iterations += report.iterations;
    account.factorised = account.factorised || stage.factorises;
    account.work += report.iterations * (stage.factorises ? account.step : 1.0);
    if (!judge) {
      if (report.ok() || report.status == SolveStatus::kNotFinite) {
        *r = x;
        return report;
      }
      judge.emplace(problem, target, options_.stop);
      if (r->size() == problem.size() && r->allFinite()) judge->Evaluate(*r);
    }
    if (judge->Evaluate(x)) break;
    best = judge->best_residual();
    if (report.status != SolveStatus::kUnsupported) {
      failure = report.ok() ? SolveStatus::kStagnated : report.status;
      reason = report.reason;
    }
    if (EndsCascade(report.status)) break;
  }
  if (!judge) {  // no stage was tried
    if (!Judge::PrepareStart(problem, r)) return Judge::FinishNotFinite(problem.size(), r);
    judge.emplace(problem, target, options_.stop);
    judge->Evaluate(*r);
  }
  SolveReport report = judge->Finish(failure, account.iterations, r);
  if (!report.ok()) report.reason = reason;
  return report;
}

}  // namespace saltus
