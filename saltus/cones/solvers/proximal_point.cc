#include "saltus/cones/solvers/proximal_point.h"

#include <algorithm>

#include "saltus/cones/block_sparse_copy.h"
#include "saltus/cones/solvers/block_projections.h"
#include "saltus/cones/solvers/moment_scaling.h"

namespace saltus {
namespace {

constexpr double kMinAlpha = 1e-9, kMaxAlpha = 1e3;
constexpr int kMaxInnerSteps = 60;
constexpr int kMaxFailures = 8;  // of the inner method in a row

}  // namespace

SolveReport ProximalPointSolver::Solve(const ConicProblem& problem, VectorX* r) {
  if (NeedsMomentScaling(problem)) return SolveWithScaledMoments(problem, options_, this, r);
  const int n = problem.size();
  if (r->size() != n || !r->allFinite()) r->setZero(n);
  VectorX diagonal;
  problem.A->CalcDiagonal(&diagonal);
  if (!problem.b.allFinite() || !diagonal.allFinite()) return Judge::FinishNotFinite(n, r);
  Judge judge(problem, options_);
  if (judge.Evaluate(*r)) return judge.Finish(SolveStatus::kConverged, 0, r);
  BlockSparseDelassus storage;
  const BlockSparseDelassus& A = MakeBlockSparse(problem, &storage);
  BlockSparseDelassus shifted = A;
  const std::vector<double> scales = CalcBlockScales(problem);
  ConicProblem inner = problem;
  inner.A = &shifted;
  VectorX center = *r, x;
  double alpha = options_.first_alpha;
  int iterations = 0, failures = 0;
  while (iterations < options_.max_iterations && failures < kMaxFailures) {
    inner.b = problem.b;
    for (int c = 0; c < A.num_blocks(); ++c) {
      const int slot = A.FindSlot(c, c), d = A.dimension(c);
      const double shift = alpha * scales[c];
      shifted.block(c, slot) = A.block(c, slot) + shift * MatrixX::Identity(d, d);
      inner.b.segment(A.offset(c), d) -= shift * center.segment(A.offset(c), d);
    }
    ConicSolverOptions inner_options;
    inner_options.tolerance = std::clamp(0.1 * judge.best_residual().relative, 1e-15, 1e-2);
    Judge inner_judge(inner, inner_options);
    newton_.Prepare(inner, shifted, ConeFunction::kAlartCurnier);
    x = center;
    const int steps = std::min(kMaxInnerSteps, options_.max_iterations - iterations);
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
