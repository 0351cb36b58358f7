#include "saltus/integrators/alpha_stepper.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/integrators/alpha_report.h"
#include "saltus/linalg/diagonal.h"

namespace saltus {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Joints are closed to this many roundings of the positions and of the velocities.
constexpr double kPositionRoundings = 32, kVelocityRoundings = 8;
/// Roundings of q that g and the gaps are allowed, and of v that the residuals are, in the
/// judgement of an iterate.
constexpr double kGapRoundings = 8, kSpeedRoundings = 64;
/// The largest share of the velocities that the rounding of stiff forces may be.
constexpr double kStiffRounding = 1e-4;
/// |g| that an accepted step may have, per size of the positions: far more than rounding, far less
/// than a joint that came apart.
constexpr double kOpenJoint = 1e-9;
/// A matrix is kept while the residual shrinks by this factor per iteration.
constexpr double kGoodProgress = 0.1;
/// Passes with (20) in an iteration.
constexpr int kMaxPasses = 3;
/// Gaps whose error is a larger share of what forces do in one step ask for another iteration.
constexpr double kCoarseGaps = 1e-3;
/// From this iteration on contacts that were active stay so: where an impulse opens its contact by
/// way of f, and the contact closes without it, (4) has no solution. (15) is kept too: the
/// direction of a slow slip changes with the last digit of the impulses.
constexpr int kKeepActive = 5;
/// Iterations that go on from the impulses of a velocity problem that was not solved.
constexpr int kRetries = 3;
/// Penetration that an accepted step may have, in tolerances of the position problem.
constexpr double kPromise = 10;
/// Keys of State::integrator.
const char kVd[] = "nonsmooth-alpha.vd";
const char kA[] = "nonsmooth-alpha.a";
const char kLambda[] = "nonsmooth-alpha.lambda";
const char kDrivePower[] = "nonsmooth-alpha.drive-power";

double Largest(const VectorX& x) { return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0.0; }

}  // namespace

AlphaStepper::AlphaStepper(const NonsmoothAlphaOptions& options)
    : options_(options),
      smooth_(options.coefficients, options.variant == NonsmoothAlphaOptions::Variant::kMonolithic),
      levels_(options) {}

/// Known before the step: a velocity that runs away does not loosen it.
double AlphaStepper::newton_tolerance() const {
  return (options_.newton_tolerance + kSpeedRoundings * kEpsilon) * start_.speed;
}

/// … of (1), with the rounding of stiff forces.
double AlphaStepper::force_tolerance() const {
  return newton_tolerance() + std::min(4 * smooth_.rounding_speed(), kStiffRounding * start_.speed);
}

double AlphaStepper::position_tolerance() const {
  return std::max(options_.position_tolerance,
                  kGapRoundings * kEpsilon * (1 + Largest(start_.state->q)));
}

double AlphaStepper::promise() const { return kPromise * position_tolerance(); }

void AlphaStepper::MoveTo(System& system) {
  Place(system, options_.coefficients, start_, &x_);
  Evaluate(system, start_.t, x_.q, x_.v, &terms_);
  contacts_.MoveTo(system, x_.q, x_.v);
  if (!free_) return;
  free_ = contacts_.set().frictions.empty();
  for (const Contact& c : contacts_.set().contacts) free_ = free_ && c.gap > contacts_.closed_gap();
}

bool AlphaStepper::Iterate(System& system) {
  MoveTo(system);
  residual_ = kInfinity;
  double last_residual = kInfinity;
  for (int k = 1; k <= options_.max_newton_iterations; ++k) {
    ++report_.newton_iterations;
    // Without contacts the matrix of the first iteration serves as long as it converges well.
    if (k == 1 || !free_ || !smooth_.large() || !(residual_ < kGoodProgress * last_residual)) {
      smooth_.Form(system, start_, x_, terms_, free_);  // (9)
    }
    last_residual = residual_;
    if (!(free_ ? SolveWithoutContacts() : SolveWithContacts(system, k))) return false;
    MoveTo(system);
    if (!x_.IsFinite()) return false;
    if (!coarse_ && StepEquationsHold() && ContactVelocitiesHold(system, k) && Ends(system, k))
      return true;
  }
  if (report_.status == StepStatus::kOk) report_.status = StepStatus::kNewtonNotConverged;
  return true;
}

bool AlphaStepper::Ends(System& system, int iteration) {
  CloseJoints(system);
  const ContactVerdict verdict = contacts_.Judge(system, x_.q, x_.v, promise());
  report_.max_penetration = verdict.penetration;
  report_.tunnelled = verdict.tunnelled;
  if (verdict.changed) {
    free_ = false;
    return false;
  }
  if (!velocity_outcome_.solved) {
    if (iteration < std::min(options_.max_newton_iterations, kRetries)) return false;
    report_.status = StepStatus::kSolverNotConverged;
  }
  if (smooth_.inconsistent()) report_.status = StepStatus::kConstraintFailed;
  if (!verdict.holds(promise())) report_.status = StepStatus::kNewtonNotConverged;
  return true;
}

/// (10) and the joints of (11).
bool AlphaStepper::SolveWithoutContacts() {
  VectorX dv;
  velocity_outcome_ = {};
  if (!smooth_.Solve(start_, x_, terms_, nullptr, &dv, &x_.lambda)) return false;
  if (!smooth_.SolvePositionsWithoutContacts(start_, terms_, newton_tolerance(), &dv, &x_)) {
    return false;
  }
  x_.vd += smooth_.c() / start_.h * dv;
  return true;
}

/// (10)-(12), again and again from the same iterate, each time with the terms (20) of the
/// increments that were found before, and with the impulses of lasting contacts.
bool AlphaStepper::SolveWithContacts(System& system, int iteration) {
  const double error = CalcGapError();
  const bool many = contacts_.size() > AlphaLevels::kManyContacts;
  coarse_ = many && error > kCoarseGaps * start_.h * start_.force_speed;
  const VectorX no_force = VectorX::Zero(x_.vd.size());
  AlphaIterate next = x_;
  VectorX dv;
  turning_.Clear();
  for (int pass = 0;; ++pass) {
    const TurningTerms* turning = turning_.terms();
    next.lambda = x_.lambda;
    if (!smooth_.Solve(start_, x_, terms_, turning != nullptr ? &turning->smooth : nullptr, &dv,
                       &next.lambda)) {  // (10)
      return false;
    }
    const LevelOutcome positions =
        levels_.SolvePositions(start_, terms_, smooth_, smooth_.metric(), no_force, turning, error,
                               x_, &contacts_, &dv, &next);  // (11)
    report_.solver_iterations += positions.iterations;
    if (!positions.finite) return false;
    velocity_outcome_ = levels_.SolveVelocities(start_, terms_, smooth_, smooth_.metric(), no_force,
                                                turning, iteration >= kKeepActive, coarse_, x_,
                                                &contacts_, &dv, &next);  // (12)
    report_.solver_iterations += velocity_outcome_.iterations;
    if (!velocity_outcome_.finite) return false;
    contacts_.FindImpacts(smooth_.metric());
    if (iteration < kKeepActive) contacts_.CalcSlipDirections();
    const AlphaCoefficients& k = options_.coefficients;
    next.move = x_.move + start_.h * k.beta / k.gamma * dv;
    next.v = x_.v_smooth + dv + next.W;
    if (many || pass == kMaxPasses ||
        !turning_.Calc(system, start_, terms_, smooth_, contacts_, x_, next, dv,
                       newton_tolerance())) {
      break;
    }
  }
  x_.lambda = next.lambda;
  x_.U = next.U;
  x_.nu = next.nu;
  x_.W = next.W;
  x_.Lambda = next.Lambda;
  x_.vd += smooth_.c() / start_.h * dv;
  return true;
}

/// The largest error of (2) in a gap: penetration, or opening of a contact with ν.
double AlphaStepper::CalcGapError() const {
  double error = 0;
  for (int i = 0; i < contacts_.size(); ++i) {
    const double gap = contacts_.set().contacts[i].gap;
    error = std::max(error, contacts_.unknowns()[i].nu > 0 ? std::abs(gap) : -gap);
  }
  return error;
}

/// (2): no penetration, and contacts with ν are closed.
bool AlphaStepper::GapsHold() const {
  const bool modified = options_.position_law == NonsmoothAlphaOptions::PositionLaw::kModifiedLcp;
  const double tolerance = position_tolerance();
  for (int i = 0; i < contacts_.size(); ++i) {
    const double gap = contacts_.set().contacts[i].gap;
    if (!(gap >= -tolerance)) return false;
    double nu = contacts_.unknowns()[i].nu;
    if (modified) {  // (16), to the tolerance of Newton's method
      const double by_impulse = start_.h * contacts_.unknowns()[i].P[0];
      nu -= by_impulse;
      if (std::abs(nu) <= options_.newton_tolerance * by_impulse) nu = 0;
      if (nu < 0) return false;
    }
    if (nu > 0 && !(gap <= 2 * tolerance)) return false;
  }
  return true;
}

/// The motion that a force makes, its largest entry. What the joints take up does not count: how
/// redundant contacts and joints share a load is not unique.
double AlphaStepper::CalcMotionOf(const VectorX& force) {
  VectorX motion;
  smooth_.metric().Solve(force, VectorX::Zero(terms_.g.size()), &motion, nullptr);
  return Largest(motion);
}

/// The first of (2). Its directions need not be better than the impulses in (4), which are as good
/// as the tolerance of the solver, and of which the tangential ones are part of it.
bool AlphaStepper::PositionEquationHolds() {
  VectorX force = VectorX::Zero(x_.U.size());
  contacts_.AddPositionForce(&force);
  if (terms_.has_joints()) force.noalias() += terms_.G.transpose() * x_.nu;
  terms_.M.AddMultiply(-1, x_.U, &force);
  VectorX by_slip = VectorX::Zero(x_.U.size());
  contacts_.AddSlipPush(&by_slip);
  const double solver = options_.solver_options.tolerance;
  return CalcMotionOf(force) <=
         std::max({10 * start_.h * std::max(force_tolerance(), velocity_outcome_.error),
                   0.1 * solver * Largest(x_.U), 10 * solver * CalcMotionOf(by_slip)});
}

bool AlphaStepper::StepEquationsHold() {
  const double tolerance = newton_tolerance();
  VectorX force = terms_.f;
  terms_.M.AddMultiply(-1, x_.vd, &force);
  if (terms_.has_joints()) force.noalias() += terms_.G.transpose() * x_.lambda;
  residual_ = start_.h * terms_.CalcMassScaled(force);  // (1)
  const bool balanced = residual_ <= force_tolerance();
  double joint_residual = 0;
  if (terms_.has_joints()) {
    joint_residual = terms_.CalcJointRate(x_.v_smooth);
    if (!free_) joint_residual = std::max(joint_residual, terms_.CalcJointRate(x_.v));
    // g cannot be smaller than the rounding of q.
    const double rounding = kGapRoundings * kEpsilon * (1 + Largest(x_.q));
    joint_residual = std::max(joint_residual, (Largest(terms_.g) - rounding) / start_.h);
  }
  residual_ = std::max(residual_, joint_residual);
  if (!balanced || !(joint_residual <= tolerance)) return false;
  if (free_) return true;
  if (!PositionEquationHolds()) return false;  // (2)
  force.setZero();
  contacts_.AddVelocityForce(&force);
  contacts_.AddMeanRows(terms_.G, x_.Lambda, &force);
  if (terms_.has_joints()) force.noalias() += terms_.G.transpose() * x_.Lambda;
  // As good as the impulses, which c and the mean rows follow with one iteration's delay.
  const double impulses =
      std::max(options_.solver_options.tolerance * CalcMotionOf(force), velocity_outcome_.error);
  terms_.M.AddMultiply(-1, x_.W, &force);
  return CalcMotionOf(force) <= 10 * std::max(force_tolerance(), impulses) && GapsHold();  // (3)
}

/// (4) at the iterate: the velocities are those that the last velocity problem saw, and contacts
/// that have closed since then do not approach.
bool AlphaStepper::ContactVelocitiesHold(System& system, int iteration) const {
  if (free_ || contacts_.size() == 0) return true;
  const double tolerance = 10 * force_tolerance();
  const ContactSet& set = contacts_.set();
  VectorX back;
  system.CalcDifference(x_.q, x_.q_smooth, &back);
  for (int i = 0; i < contacts_.size(); ++i) {
    const Contact& c = set.contacts[i];
    const ContactUnknown& known = contacts_.unknowns()[i];
    const double gap = c.gap + std::min(0.0, CalcNormal(set, c, back));
    if (gap > contacts_.closed_gap() && !(iteration >= kKeepActive && known.was_active)) {
      if (known.P[0] != 0) return false;
      continue;
    }
    const Vector6 u = CalcVelocity(set, c, x_.v);
    if (known.active) {
      const int d = c.friction > 0 ? c.rows() : 1;
      if (!((u - known.u).head(d).lpNorm<Eigen::Infinity>() <= tolerance)) return false;
    } else {
      const double rebound = AlphaLevels::CalcRebound(contacts_, i, start_.state->v);
      if (!(u[0] + rebound >= -tolerance)) return false;
    }
  }
  return true;
}

void AlphaStepper::CloseJoints(System& system) {
  if (!terms_.has_joints()) return;
  KktSolver& kkt = free_ ? smooth_.matrix() : smooth_.metric();
  bool with_L = free_ && smooth_.curved();
  const VectorX no_force = VectorX::Zero(x_.v.size());
  VectorX step;
  double last = kInfinity;
  for (int k = 0; k < 8; ++k) {
    const double g = Largest(terms_.g), rate = terms_.CalcJointRate(x_.v);
    const bool g_good = g <= kPositionRoundings * kEpsilon;
    const bool rate_good = rate <= kVelocityRoundings * kEpsilon * std::max(1.0, Largest(x_.v));
    if (g_good && rate_good) return;
    if (!(g + rate < 0.5 * last)) {
      if (!with_L) return;
      smooth_.FactorWithoutTangents(terms_);  // L is far from G
      with_L = false;
    }
    last = g + rate;
    if (!g_good) {
      kkt.Solve(no_force, -terms_.g, &step, nullptr, smooth_.passes());
      x_.U += step;
      system.Retract(x_.q, step, &x_.q);
      system.CalcConstraint(start_.t, x_.q, &terms_.g);
      system.CalcConstraintJacobian(start_.t, x_.q, &terms_.G);
      system.CalcConstraintRate(start_.t, x_.q, &terms_.g_t);
    }
    kkt.Solve(no_force, -(terms_.g_t + terms_.G * x_.v), &step, nullptr, smooth_.passes());
    x_.W += step;
    x_.v += step;
  }
}

const StepReport& AlphaStepper::Step(System& system, double h, State* state) {
  const bool robust = options_.variant == NonsmoothAlphaOptions::Variant::kRobust;
  const bool modified = options_.position_law == NonsmoothAlphaOptions::PositionLaw::kModifiedLcp;
  smooth_.Prepare(system, &terms_);
  system.BeginStep(*state);
  ResetReport(h, &report_);
  start_ = smooth_.Begin(system, h, *state, &terms_);
  VectorX acceleration = terms_.f;
  DivideByDiagonal(terms_.M, &acceleration);
  contacts_.Begin(system, start_, acceleration, options_.position_tolerance, !robust && !modified);
  Predict(start_, contacts_.empty(), &x_);
  free_ = true;
  coarse_ = false;
  velocity_outcome_ = {};
  const bool finite = robust ? IterateRobust(system) : Iterate(system);
  if (!finite || !x_.IsFinite()) {
    report_.status = StepStatus::kNotFinite;
    report_.culprit = kNotFiniteCulprit;
    return report_;
  }
  Finish(system, state);
  return report_;
}

void AlphaStepper::Finish(System& system, State* state) {
  CloseJoints(system);
  report_.solver_residual = velocity_outcome_.residual;
  report_.solver_error = velocity_outcome_.error;
  if (report_.status == StepStatus::kOk && !velocity_outcome_.solved) {
    report_.status = StepStatus::kSolverNotConverged;
  }
  ReportContacts(system, start_, x_, contacts_, &report_, &contact_nu_);
  ReportWork(system, start_, terms_, x_, contacts_, &report_);
  report_.max_constraint = Largest(terms_.g);
  report_.max_constraint_rate = terms_.CalcJointRate(x_.v);
  if (report_.ok() && !(report_.max_constraint <= kOpenJoint * (1 + Largest(x_.q)))) {
    report_.status = StepStatus::kNewtonNotConverged;
  }
  if (!report_.ok()) {
    report_.culprit =
        DescribeFailure(system, start_, terms_, x_.q, contacts_, velocity_outcome_, report_);
  }
  RememberForPredict(start_, x_, free_ && smooth_.large(), state);
  RememberContacts(contacts_, state);
  state->integrator[kVd] = x_.vd;
  state->integrator[kA] = x_.a;
  // Joint forces of a step with contacts say nothing about the next one: λ̃ starts there from 0.
  state->integrator[kLambda] = free_ ? x_.lambda : VectorX::Zero(x_.lambda.size());
  state->integrator[kDrivePower] = VectorX::Constant(1, -x_.lambda.dot(terms_.g_t));
  state->time = start_.t;
  state->q = x_.q;
  state->v = x_.v;
  report_.work.decohesion_loss = system.EndStep(state);
}

}  // namespace saltus
