#include "saltus/cones/solvers/judge.h"

#include <algorithm>
#include <limits>

namespace saltus {
namespace {

constexpr double kMaxVelocityShare = 0.1;  // of |b|, eq. (2)
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

StopRule::StopRule(const ConicProblem& problem, const SolveTarget& target, double mean_diagonal)
    : target_(target),
      impulse_bound_(mean_diagonal > 0 ? kMaxVelocityShare * problem.b.norm() / mean_diagonal
                                       : kInfinity) {}

double StopRule::CalcScore(const NaturalMapResidual& residual, double impulse) const {
  // A target of 0 asks for an exact answer: a residual of 0, not 0/0.
  const auto share = [](double x, double limit) { return x > 0 ? x / limit : 0.0; };
  double score = std::max(share(residual.relative, target_.relative),
                          share(residual.absolute, target_.absolute));
  if (!(residual.relative * impulse <= impulse_bound_)) score = std::max(score, 2.0);  // (2)
  if (target_.velocity_aim > 0) score = std::min(score, residual.velocity / target_.velocity_aim);
  return score;
}

double Judge::CalcMeanDiagonal(const ConicProblem& problem, NaturalMapScratch* scratch) {
  CalcDiagonal(problem, &scratch->diagonal);
  return problem.size() > 0 ? scratch->diagonal.mean() : 0.0;
}

Judge::Judge(const ConicProblem& problem, const SolveTarget& target, const StopRequest* stop)
    : problem_(problem),
      stop_(stop),
      rule_(problem, target, CalcMeanDiagonal(problem, &scratch_)) {}

bool Judge::PrepareStart(const ConicProblem& problem, VectorX* r) {
  if (r->size() != problem.size() || !r->allFinite()) r->setZero(problem.size());
  VectorX diagonal;
  CalcDiagonal(problem, &diagonal);
  return problem.b.allFinite() && diagonal.allFinite();
}

bool Judge::Evaluate(const VectorX& r) {
  CheckStop(stop_);
  const NaturalMapResidual residual = CalcNaturalMapResidual(problem_, r, &scratch_);
  score_ = rule_.CalcScore(residual, r.norm());
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
  report.residual.relative = report.residual.absolute = report.residual.velocity = kInfinity;
  r->setZero(size);
  return report;
}

}  // namespace saltus
