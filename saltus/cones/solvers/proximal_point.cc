#include "saltus/cones/solvers/proximal_point.h"

#include <algorithm>

#include "saltus/cones/solvers/block_projections.h"
#include "saltus/cones/solvers/moment_scaling.h"

namespace saltus {
namespace {

constexpr double kMinAlpha = 1e-9, kMaxAlpha = 1e3;
constexpr int kMaxInnerSteps = 60;
constexpr int kMaxFailures = 8;  // of the inner method in a row

}  // namespace

SolveReport ProximalPointSolver::SolveReduced(const ConicProblem& problem,
                                              const SolveTarget& target, VectorX* r) {
  if (NeedsMomentScaling(problem)) return SolveWithScaledMoments(problem, target, this, r);
  const int n = problem.size();
  if (!Judge::PrepareStart(problem, r)) return Judge::FinishNotFinite(problem.size(), r);
  Judge judge(problem, target, options_.stop);
  if (judge.Evaluate(*r)) return judge.Finish(SolveStatus::kConverged, 0, r);
  const std::vector<double> scales = CalcBlockScales(problem);
  ConicProblem inner = problem;
  VectorX center = *r, x, shift;
  double alpha = options_.first_alpha;
  int iterations = 0, failures = 0;
  while (iterations < target.budget.max_iterations && failures < kMaxFailures) {
    shift.resize(n);
    for (std::size_t c = 0; c < scales.size(); ++c) {
      shift.segment(problem.cones[c].offset, problem.cones[c].dimension)
          .setConstant(alpha * scales[c]);
    }
    inner.b = problem.b - shift.cwiseProduct(center);
    inner.compliance = shift;
    if (problem.compliance.size() > 0) inner.compliance += problem.compliance;
    SolveTarget inner_target;
    inner_target.relative = std::clamp(0.1 * judge.best_residual().relative, 1e-15, 1e-2);
    Judge inner_judge(inner, inner_target, options_.stop);
    newton_.Prepare(inner, ConeFunction::kAlartCurnier);
    x = center;
    const int steps = std::min(kMaxInnerSteps, target.budget.max_iterations - iterations);
    const SemismoothNewton::Result result = newton_.Iterate(inner, steps, &inner_judge, &x);
    iterations += std::max(result.iterations, 1);
    if (judge.Evaluate(inner_judge.best())) break;
    if (result.outcome == SemismoothNewton::Outcome::kSolved) {
      center = inner_judge.best();
      alpha = std::max(kMinAlpha, 0.1 * alpha);
      failures = 0;
    } else {
      center = judge.best();
      alpha = std::min(kMaxAlpha, 100 * alpha);
      ++failures;
    }
  }
  return judge.Finish(
      failures >= kMaxFailures ? SolveStatus::kStagnated : SolveStatus::kMaxIterations, iterations,
      r);
}

}  // namespace saltus
