#include "saltus/integrators/position_law.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace saltus {
namespace {

/// Of the tolerance on gaps: what the linear problem aims at, so that curvature has the rest.
constexpr double kAim = 0.1;

}  // namespace

PositionLaw::PositionLaw(const std::string& solver, const ConicSolverOptions& options,
                         double tolerance) {
  ConicSolverOptions own = options;
  own.dump = nullptr;
  solver_ = MakeConicSolver(solver, own);
  target_.relative = options.tolerance;
  target_.velocity_aim = kAim * tolerance;  // the unknown is a displacement: metres
  target_.velocity_limit = tolerance;
}

void PositionLaw::Reorder(const std::vector<int>& before) {
  old_ = nu_;
  nu_.setZero(static_cast<Eigen::Index>(before.size()));
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] >= 0) nu_[static_cast<Eigen::Index>(i)] = old_[before[i]];
  }
}

double PositionLaw::CalcViolation(const ContactSet& end, const GrowingVector& a) const {
  double worst = 0;
  for (Eigen::Index i = 0; i < nu_.size(); ++i) {
    const double gap = end.contacts[static_cast<std::size_t>(i)].gap;
    if (std::isnan(gap)) return gap;
    worst = std::max(worst, a[i] + nu_[i] > 0 ? std::abs(gap) : -gap);
  }
  return worst;
}

bool PositionLaw::Correct(const ContactSet& end, const ContactSet& push, const GrowingVector& a,
                          const KktSolver& kkt, VectorX* displacement) {
  const int n = static_cast<int>(end.contacts.size());
  all_.resize(static_cast<std::size_t>(n));
  std::iota(all_.begin(), all_.end(), 0);
  end_rows_.SetRows(end, all_, ContactProblem::Rows::kNormalOnly);
  push_rows_.SetRows(push, all_, ContactProblem::Rows::kNormalOnly);
  end_rows_.FormDelassus(kkt);
  ConicProblem& problem = end_rows_.problem();
  y_ = (a + nu_).cwiseMax(0);
  problem.b.setZero(n);
  CalcVelocity(problem, y_, &change_);  // W y
  for (int i = 0; i < n; ++i) {
    problem.b[i] = end.contacts[static_cast<std::size_t>(i)].gap - change_[i];
  }
  const SolveReport report = solver_->Solve(problem, target_, &y_);
  if (report.status == SolveStatus::kNotFinite || report.status == SolveStatus::kInfeasible) {
    return false;
  }
  change_ = y_ - a - nu_;
  nu_ += change_;
  force_.setZero(kkt.num_dofs());
  push_rows_.AddForce(change_, &force_);
  none_.setZero(kkt.num_rows());
  return kkt.Solve(force_, none_, displacement, nullptr);
}

}  // namespace saltus
