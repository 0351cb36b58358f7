#include "saltus/cones/solvers/prox_solver.h"

#include <algorithm>
#include <cmath>

#include "saltus/cones/solvers/block_projections.h"
#include "saltus/cones/solvers/judge.h"
#include "saltus/cones/solvers/moment_scaling.h"

namespace saltus {
namespace {

constexpr double kUpper = 0.9, kLower = 0.3;  // of e, eq. (2)
constexpr int kMaxReductions = 60;
constexpr int kCheckPeriod = 10;

}  // namespace

SolveReport ProxSolver::SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                                     VectorX* r) {
  if (NeedsMomentScaling(problem)) return SolveWithScaledMoments(problem, target, this, r);
  const int n = problem.size();
  if (r->size() != n || !r->allFinite()) r->setZero(n);
  VectorX D(n);
  CalcDiagonal(problem, &D);
  if (!problem.b.allFinite() || !D.allFinite()) return Judge::FinishNotFinite(n, r);
  Judge judge(problem, target, options_.stop);
  if (judge.Evaluate(*r)) return judge.Finish(SolveStatus::kConverged, 0, r);
  const std::vector<double> scales = CalcBlockScales(problem);
  for (std::size_t c = 0; c < scales.size(); ++c) {
    D.segment(problem.cones[c].offset, problem.cones[c].dimension).setConstant(scales[c]);
  }
  const VectorX root = D.cwiseSqrt();
  const auto calc_velocity = [&](const VectorX& x, VectorX* u) {
    CalcVelocity(problem, x, u);
    AddDeSaxceShift(problem, u);
  };
  VectorX x = *r, trial, u, u_trial;
  ProjectBlocks(problem, x, &x);
  double tau = 1;
  for (int k = 1; k <= target.budget.max_iterations; ++k) {
    calc_velocity(x, &u);
    double e = 0;
    for (int j = 0; j < kMaxReductions; ++j) {
      trial = x - tau * u.cwiseQuotient(D);
      ProjectBlocks(problem, x, &trial);
      calc_velocity(trial, &u_trial);
      const double change = (trial - x).cwiseProduct(root).norm();
      e = change > 0 ? tau * (u_trial - u).cwiseQuotient(root).norm() / change : 0.0;
      if (!(e > kUpper)) break;
      tau *= 2.0 / 3.0 / std::max(1.0, e);  // (2)
    }
    trial = x - tau * u_trial.cwiseQuotient(D);
    ProjectBlocks(problem, x, &trial);
    x += options_.relaxation * (trial - x);  // (1)
    if (e < kLower) tau *= 1.5;
    if (!x.allFinite()) return judge.Finish(SolveStatus::kNotFinite, k, r);
    if ((k % kCheckPeriod == 0 || k == target.budget.max_iterations) && judge.Evaluate(x)) {
      return judge.Finish(SolveStatus::kConverged, k, r);
    }
  }
  return judge.Finish(SolveStatus::kMaxIterations, target.budget.max_iterations, r);
}

}  // namespace saltus
