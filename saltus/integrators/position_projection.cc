#include "saltus/integrators/position_projection.h"

#include <algorithm>

namespace saltus {
namespace {

constexpr int kMaxPasses = 20;
/// A move below this changes a gap by H Δ up to its square over the size of a body: 1e-10 m.
constexpr double kLinearMove = 1e-5;
/// Of the tolerance: the error of a gap at which the linear problem counts as solved. What is left
/// of the tolerance is for the curvature of the gaps: larger shares take more passes.
constexpr double kGapShare = 0.3;

}  // namespace

PositionProjection::PositionProjection(double tolerance, const StopRequest* stop)
    : tolerance_(tolerance) {
  // Each pass removes all but a small share of the penetration or of the tolerance; later passes
  // remove the rest.
  ConicSolverOptions options;
  options.tolerance = 1e-4;
  options.max_iterations = 200;
  options.stop = stop;
  options.velocity_tolerance = kGapShare * tolerance;
  solver_ = MakeConicSolver("nsgs", options);
}

bool PositionProjection::FindPenetrated(const ContactSet& contacts, const Bounces& bounces) {
  candidates_.clear();
  const int n = static_cast<int>(contacts.contacts.size());
  double deepest = 0;  // of those to be opened
  for (const Contact& c : contacts.contacts) {
    if (-c.gap > deepest && !bounces(c)) deepest = -c.gap;
  }
  if (deepest <= tolerance_) return false;

  // Contacts that the push could close: within a few times the deepest penetration. Wider gaps
  // would also make the start, ν = 0, look like a solution beside them.
  const double reach = 4 * deepest;
  gaps_.resize(n);
  for (int i = 0; i < n; ++i) {
    const Contact& c = contacts.contacts[i];
    if (c.gap > reach) continue;
    // A contact within the tolerance is a candidate with its gap: kept where it is, the errors of
    // the others could push it beyond.
    gaps_[static_cast<Eigen::Index>(candidates_.size())] = c.gap < 0 && bounces(c) ? 0.0 : c.gap;
    candidates_.push_back(i);
  }
  return true;
}

void PositionProjection::MoveGaps(const VectorX& delta, ContactSet* contacts) {
  for (Contact& c : contacts->contacts) {
    for (int k = c.first_block; k < c.first_block + c.num_blocks; ++k) {
      const RowBlock& rb = contacts->blocks[k];
      c.gap += contacts->rows(rb, 1).row(0).dot(delta.segment(rb.dof, rb.columns));
    }
  }
}

bool PositionProjection::Project(System& system, double t, const Bounces& bounces,
                                 const KktSolver& kkt, const std::function<void()>& find,
                                 ContactSet* contacts, VectorX* q) {
  pushes_.clear();
  bool changed = false;
  bool found = true;  // *contacts belongs to *q
  const int num_rows = system.traits().num_constraints;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    if (!FindPenetrated(*contacts, bounces)) {
      if (found) break;
      find();
      found = true;
      if (!FindPenetrated(*contacts, bounces)) break;
    }
    problem_.SetRows(*contacts, candidates_, ContactProblem::Rows::kNormalOnly);
    problem_.FormDelassus(kkt);
    // Half of the tolerance is left as penetration: a gap of +rounding would open the contact in
    // the next step, and a body at rest would fall and bounce for ever.
    problem_.problem().b =
        gaps_.head(problem_.size()).array() +
        (gaps_.head(problem_.size()).array() < 0).cast<double>() * 0.5 * tolerance_;
    nu_.setZero(problem_.size());
    const SolveReport report = solver_->Solve(problem_.problem(), &nu_);  // (1)
    if (report.status == SolveStatus::kNotFinite || report.status == SolveStatus::kInfeasible)
      break;
    for (int i = 0; pass == 0 && i < problem_.size(); ++i) {
      const Contact& c = contacts->contacts[candidates_[i]];
      if (nu_[i] > 0) pushes_.push_back({c.key, nu_[i] * c.frame.col(0)});
    }
    force_.setZero(system.traits().num_velocities);
    problem_.AddForce(nu_, &force_);
    no_rows_.setZero(num_rows);
    kkt.Solve(force_, no_rows_, &delta_, nullptr);
    system.Retract(*q, delta_, q);
    const double move = delta_.lpNorm<Eigen::Infinity>();
    MoveGaps(delta_, contacts);
    for (int k = 0; k < 3 && num_rows > 0; ++k) {  // joints, to rounding
      system.CalcConstraint(t, *q, &no_rows_);
      if (no_rows_.lpNorm<Eigen::Infinity>() < 1e-13) break;
      force_.setZero();
      no_rows_ = -no_rows_;
      kkt.Solve(force_, no_rows_, &delta_, nullptr);
      system.Retract(*q, delta_, q);
    }
    changed = true;
    found = move > kLinearMove;
    if (found) find();
  }
  if (!found) find();
  return changed;
}

}  // namespace saltus
