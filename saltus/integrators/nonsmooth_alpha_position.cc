// The position problem (11) of nonsmooth_alpha.h.
#include <algorithm>
#include <array>
#include <cmath>

#include "saltus/integrators/nonsmooth_alpha_impl.h"

namespace saltus {
namespace {

/// Candidates of the position problem: gaps up to so many times the deepest penetration. Others
/// that the push closes are found at the next iterate, and remain candidates.
constexpr double kReach = 1;
/// Tolerances of the solvers of the position problem.
constexpr std::array<double, 11> kPositionTolerances = {1e-3, 1e-4,  1e-5,  1e-6,  1e-7, 1e-8,
                                                        1e-9, 1e-10, 1e-11, 1e-12, 1e-13};
/// Position problems with more contacts, where only positions are iterated, are solved no better
/// than to this share of the error of the gaps: their rows at the next iterate differ by about as
/// much. Smaller problems are cheap to solve well.
constexpr double kForcing = 1e-3;
constexpr std::size_t kManyCandidates = 100;
/// The first of them for problems that are solved well.
constexpr std::size_t kLoosest = 3;
/// Sweeps over a position problem, which has no friction, before conjugate gradients take over,
/// where the tolerance is below kTight. They are slow until it is known which contacts are loaded.
constexpr int kPositionSweeps = 200;
constexpr double kTight = 3e-8;
/// Steps of these in problems with many contacts, two factorisations among them.
constexpr int kPositionSteps = 150;
/// Iterations with the tolerance that should be enough.
constexpr int kPatience = 4;
/// From this iteration on large problems aim at gaps a little above zero (19).
constexpr int kFirstLift = 3;
constexpr double kMaxLift = 10;  // gaps of closed contacts

}  // namespace

/// Error of (2) in a gap: penetration, or opening of a contact with ν.
double NonsmoothAlpha::Impl::CalcGapError(double gap, const ContactUnknowns& unknown) const {
  return unknown.nu[0] > 0 ? std::abs(gap - lift_) : std::max(0.0, lift_ - gap);
}

/// The largest one at the iterate.
double NonsmoothAlpha::Impl::CalcGapError() const {
  double error = 0;
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    error = std::max(error, CalcGapError(contacts_.contacts[i].gap, unknowns_[i]));
  }
  return error;
}

/// Only positions are iterated, and of many contacts.
bool NonsmoothAlpha::Impl::IsPile() const {
  return linear_ && candidates_.size() > kManyCandidates;
}

/// s of (19) from the error that this iteration should leave.
void NonsmoothAlpha::Impl::ChooseLift() {
  const double error = CalcGapError(), last = gap_error_;
  gap_error_ = error;
  if (!IsPile() || report_.newton_iterations < kFirstLift) return;
  double left = error * std::min(1.0, error / last);
  if (!position_solved_) left = std::max(left, linear_gap_error_);
  lift_ = std::clamp(2 * left, lift_, std::max(lift_, kMaxLift * gap_closed_));
}

/// A solver whose tolerance leaves no more than position_tolerance of the depth (more in a large
/// problem that another iteration follows). The residual is relative to all of ν, and may be that
/// of a single contact; iterations that do not reach the tolerance in their gaps take a tighter
/// one.
ConicSolver& NonsmoothAlpha::Impl::PositionSolver(double depth, double* tolerance) {
  double target = options_.position_tolerance;
  double size = depth * std::sqrt(static_cast<double>(candidates_.size()));
  std::size_t k = kLoosest;
  if (IsPile()) {
    const int iteration = report_.newton_iterations;
    if (iteration <= kPatience) {
      target = std::max(target, kForcing * std::min(depth, CalcGapError()));
      // How far gaps are off for a given residual is known from the last problem.
      size = depth * (iteration == 1 ? 1 : std::max(1.0, gap_gain_));
    }
    k = 0;
  }
  while (k + 1 < kPositionTolerances.size() && kPositionTolerances[k] * size > target) ++k;
  const int late = std::max(0, report_.newton_iterations - kPatience);
  k = std::min(k + static_cast<std::size_t>(late), kPositionTolerances.size() - 1);
  *tolerance = kPositionTolerances[k];
  if (position_solvers_[k] == nullptr) {
    ConicSolverOptions options = options_.solver_options;
    options.tolerance = *tolerance;
    // Sweeps that take longer are left to the methods of SolveAtAnyCost().
    if (!options_.position_friction && *tolerance < kTight) {
      options.max_iterations = std::min(options.max_iterations, kPositionSweeps);
    }
    position_solvers_[k] = MakeConicSolver(options_.solver, options);
  }
  return *position_solvers_[k];
}

/// Solves for r_ in a position problem with many contacts. What is left is answered by (19).
SolveReport NonsmoothAlpha::Impl::SolvePile(ConicSolver& solver, double tolerance) {
  const ConicProblem& problem = position_problem_.problem();
  SolveReport report = solver.Solve(problem, &r_);
  report_.solver_iterations += report.iterations;
  if (report.ok() || report.status == SolveStatus::kNotFinite || options_.position_friction) {
    return report;
  }
  ConicSolverOptions options = options_.solver_options;
  options.tolerance = tolerance;
  options.max_iterations = kPositionSteps;
  report = MakeConicSolver("projected-cg", options)->Solve(problem, &r_);
  report_.solver_iterations += report.iterations;
  return report;
}

/// Fills candidates_ from gaps_; returns the deepest penetration.
double NonsmoothAlpha::Impl::ChooseCandidates() {
  candidates_.clear();
  const int n = static_cast<int>(contacts_.contacts.size());
  double depth = 0;
  for (int i = 0; i < n; ++i) depth = std::max(depth, -gaps_[i]);
  if (!(depth > 0)) return 0;
  for (int i = 0; i < n; ++i) {
    ContactUnknowns& unknown = unknowns_[i];
    unknown.candidate = unknown.candidate || gaps_[i] <= kReach * depth || unknown.nu[0] > 0 ||
                        contacts_.contacts[i].gap < 0;
    if (unknown.candidate) candidates_.push_back(i);
  }
  return depth;
}

/// (16): the part hP of ν = κ + hP, from the last iterate, becomes a force of the free motion.
void NonsmoothAlpha::Impl::MoveImpulsesToForce() {
  for (ContactUnknowns& unknown : unknowns_) {
    unknown.nu.setZero();
    unknown.nu[0] = h_ * unknown.P[0];
  }
  x_.setZero(dv_.size());
  SubtractContactForces(contacts_, true, &x_);
  force_end_ -= x_;
}

/// U without ν of the contacts, and the gaps that it leaves at the end of the iteration.
void NonsmoothAlpha::Impl::CalcFreePush(const KktSolver& kkt, const DelassusCorrection* coupling) {
  CalcMove(dv_, &dq_);
  if (curvature_.present) dq_ += curvature_.offset;
  c_rows_.resize(system_->traits().num_constraints);
  if (c_rows_.size() > 0) {
    x_ = U_ - dq_;
    c_rows_.noalias() = G_ * x_;
    c_rows_ -= g_;
  }
  if (c_rows_.size() > 0 || force_end_.squaredNorm() > 0) {
    kkt.Solve(force_end_, c_rows_, &U_free_, &nu_joint_);
  } else {
    U_free_ = no_force_;
  }
  y_ = U_free_ - U_;
  dq_ += y_;
  if (coupling != nullptr) SubtractCoupling(*coupling, y_, &dq_);
  gaps_.resize(static_cast<Eigen::Index>(contacts_.contacts.size()));
  for (Eigen::Index i = 0; i < gaps_.size(); ++i) {
    const Contact& c = contacts_.contacts[static_cast<std::size_t>(i)];
    gaps_[i] = c.gap + CalcNormalRow(contacts_, c, dq_);
  }
}

/// b of the position problem and the start of its solver.
void NonsmoothAlpha::Impl::FillPositionProblem(System& system) {
  GrowingVector& b = position_problem_.problem().b;
  r_.setZero(position_problem_.size());
  if (options_.position_friction) {  // (17): the slip of the whole step
    system.CalcDifference(start_->q, q_, &x_);
    x_ += dq_;
  }
  for (int i = 0; i < position_problem_.num_contacts(); ++i) {
    const Contact& c = contacts_.contacts[candidates_[i]];
    const ContactUnknowns& known = unknowns_[candidates_[i]];
    const int o = position_problem_.offset(i);
    const int d = position_problem_.cone(i).dimension;
    b[o] = gaps_[candidates_[i]] - lift_;
    if (d > 1) {
      Vector6 slip = CalcRows(contacts_, c, x_);
      slip.head(c.dimension) += h_ * c.bias.head(c.dimension);
      b.segment(o + 1, d - 1) = slip.segment(1, d - 1);
    }
    r_.segment(o, d) = known.nu.head(d);
    if (modified_) r_[o] -= h_ * known.P[0];
  }
}

/// (11): U_, ν; dv_ gets its share of the coupling. kkt is the factored metric (M, G), rhs a force.
bool NonsmoothAlpha::Impl::SolvePosition(System& system, const KktSolver& kkt, const VectorX& rhs,
                                         bool coupled) {
  DelassusCorrection correction;
  if (coupled) correction = MakeCorrection(true);
  const DelassusCorrection* coupling = coupled ? &correction : nullptr;
  force_end_ = rhs;
  if (modified_) MoveImpulsesToForce();
  CalcFreePush(kkt, coupling);
  const double depth = ChooseCandidates();
  double left = 0;
  ChooseLift();
  position_solved_ = true;
  if (!candidates_.empty()) {
    position_problem_.SetRows(contacts_, candidates_,
                              options_.position_friction ? ContactProblem::Rows::kContactsOnly
                                                         : ContactProblem::Rows::kNormalOnly);
    position_problem_.FormDelassus(kkt, coupling);
    FillPositionProblem(system);
    double tolerance = 0;
    ConicSolver& solver = PositionSolver(depth, &tolerance);
    const SolveReport solve = IsPile()
                                  ? SolvePile(solver, tolerance)
                                  : SolveAtAnyCost(solver, tolerance, position_problem_.problem());
    if (solve.status == SolveStatus::kNotFinite) return false;
    position_problem_.AddForce(r_, &force_end_);
    kkt.Solve(force_end_, c_rows_, &U_free_, &nu_joint_);
    left = solve.residual.relative * depth;
    position_solved_ = solve.ok();
  }
  for (ContactUnknowns& unknown : unknowns_) {
    unknown.nu.setZero();
    if (modified_) unknown.nu[0] = h_ * unknown.P[0];
  }
  for (int i = 0; i < static_cast<int>(candidates_.size()); ++i) {
    const int d = position_problem_.cone(i).dimension;
    unknowns_[candidates_[i]].nu.head(d) += r_.segment(position_problem_.offset(i), d);
  }
  y_ = U_free_ - U_;
  if (coupled) {  // hK ΔU of (10)
    correction.factor = h_;
    SubtractCoupling(correction, y_, &dv_);
  }
  // The gap at q̃ (for (4)) or at q, whichever is smaller.
  CalcMove(dv_, &dq_);
  if (curvature_.present) dq_ += curvature_.offset;
  x_ = dq_ - U_;
  dq_ += y_;
  linear_gap_error_ = 0;
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    const Contact& c = contacts_.contacts[i];
    const double gap = c.gap + CalcNormalRow(contacts_, c, dq_);
    linear_gap_error_ = std::max(linear_gap_error_, CalcGapError(gap, unknowns_[i]));
    gaps_[static_cast<Eigen::Index>(i)] = std::min(gap, c.gap + CalcNormalRow(contacts_, c, x_));
  }
  gap_gain_ = left > 0 ? linear_gap_error_ / left : 1;
  U_ = U_free_;
  return U_.allFinite();
}

/// (2): no penetration, and contacts with ν are closed.
bool NonsmoothAlpha::Impl::GapsHold() const {
  if (lost_) return false;
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    const double gap = contacts_.contacts[i].gap;
    if (!(gap >= -options_.position_tolerance)) return false;
    double nu = unknowns_[i].nu[0];
    if (modified_) {  // (16), to the tolerance of Newton's method
      const double by_impulse = h_ * unknowns_[i].P[0];
      nu -= by_impulse;
      if (std::abs(nu) <= options_.newton_tolerance * by_impulse) nu = 0;
      if (nu < 0) return false;
    }
    if (nu > 0 && !(gap <= 2 * (options_.position_tolerance + lift_))) return false;
  }
  return true;
}

}  // namespace saltus
