#include "saltus/cones/solvers/nsgs.h"

#include <cmath>

#include "saltus/cones/solvers/sweep.h"

namespace saltus {

template <class Form>
SolveReport NsgsSolver::Iterate(const ConicProblem& problem, Form* form, VectorX* r) {
  SolveReport report;
  log.clear();
  const int n = problem.size();
  anderson_.Reset(n, std::max(1, options_.memory));
  weights_.resize(n);
  for (int c = 0; c < blocks_.size(); ++c) {
    const auto& b = blocks_.block(c);
    weights_.segment(b.offset, b.dimension).setConstant(blocks_.mean_diagonal(c));
  }
  double best_f = 1e300;
  double last = 0;
  p_.setZero(n);
  form->Start(r->data());
  checks = 0;
  for (int k = 1; k <= options_.max_iterations; ++k) {
    input_ = *r;
    Sweep(blocks_, options_.symmetric_sweeps && k % 2 == 0, form, r->data());
    if (options_.symmetric_sweeps && options_.mode == 3) Sweep(blocks_, true, form, r->data());
    report.iterations = k;
    report.residual = CalcNaturalMapResidual(problem, *r, &scratch_);
    log.push_back(report.residual.relative);
    if (report.residual.relative <= options_.tolerance) return report;
    const double f = std::sqrt((weights_.array() * (*r - input_).array().square()).sum());
    if (options_.mode == 0) continue;
    if (options_.mode == 2) {  // NNCG
      const VectorX grad = input_ - *r;  // −step
      const double fn = f * f;
      const double beta = last > 0 ? fn / last : 0;
      if (k == 1) { p_ = -grad; }
      else if (beta > 1) { p_.setZero(); }
      else { *r += beta * p_; p_ = beta * p_ - grad; form->Start(r->data()); }
      last = fn;
      continue;
    }
    if (f > options_.growth * best_f) { anderson_.Restart(); best_f = 1e300; ++checks; form->Start(r->data()); continue; }
    best_f = std::min(best_f, f);
    if (k % options_.period == 0) {
      anderson_.Extrapolate(input_, weights_, r);
      form->Start(r->data());
    }
  }
  report.status = SolveStatus::kMaxIterations;
  return report;
}

SolveReport NsgsSolver::Solve(const ConicProblem& problem, VectorX* r) {
  blocks_.Factor(problem);
  if (auto* body = dynamic_cast<const BodyDelassus*>(problem.A)) {
    BodySweep form(*body, problem.b, &velocities_);
    return Iterate(problem, &form, r);
  }
  if (auto* sparse = dynamic_cast<const BlockSparseDelassus*>(problem.A)) {
    BlockSparseSweep form(*sparse, problem.b);
    return Iterate(problem, &form, r);
  }
  auto* dense = dynamic_cast<const DenseDelassus*>(problem.A);
  DenseSweep form(dense->matrix(), problem.b);
  return Iterate(problem, &form, r);
}
}
