#include "saltus/cones/solvers/judge.h"

#include <algorithm>
#include <limits>

namespace saltus {
namespace {

constexpr double kMaxVelocityShare = 0.1;  // of |b|, eq. (1)
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Judge::Judge(const ConicProblem& problem, const ConicSolverOptions& options)
    : problem_(problem), options_(options) {
  CalcDiagonal(problem, &scratch_.diagonal);
  const double mean = problem.size() > 0 ? scratch_.diagonal.mean() : 0.0;
  velocity_bound_ = mean > 0 ? kMaxVelocityShare * problem.b.norm() / mean : kInfinity;
}

bool Judge::PrepareStart(const ConicProblem& problem, VectorX* r) {
  if (r->size() != problem.size() || !r->allFinite()) r->setZero(problem.size());
  VectorX diagonal;
  CalcDiagonal(problem, &diagonal);
  return problem.b.allFinite() && diagonal.allFinite();
}

bool Judge::Evaluate(const VectorX& r) {
  CheckStop(options_.stop);
  const NaturalMapResidual residual = CalcNaturalMapResidual(problem_, r, &scratch_);
  score_ = std::max(residual.relative / options_.tolerance,
                    residual.absolute / options_.absolute_tolerance);
  if (!(residual.relative * r.norm() <= velocity_bound_)) score_ = std::max(score_, 2.0);  // (1)
  if (!has_best_ || score_ < best_score_) {
    has_best_ = true;
    best_score_ = score_;
    best_residual_ = residual;
    best_ = r;
  }
  return score_ <= 1;
}

SolveReport Judge::Finish(SolveStatus failure, int iterations, VectorX* r) const {
  SolveReport report;
  report.status = solved() ? SolveStatus::kConverged : failure;
  report.iterations = iterations;
  report.residual = best_residual_;
  *r = best_;
  return report;
}

SolveReport Judge::FinishNotFinite(int size, VectorX* r) {
  SolveReport report;
  report.status = SolveStatus::kNotFinite;
  report.residual.relative = report.residual.absolute = kInfinity;
  r->setZero(size);
  return report;
}

}  // namespace saltus
