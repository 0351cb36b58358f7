#include "saltus/integrators/nonsmooth_alpha.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/integrators/nonsmooth_alpha_impl.h"
#include "saltus/linalg/diagonal.h"
#include "saltus/linalg/rank.h"

namespace saltus {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
/// Joints are closed to this many roundings of the positions and of the velocities.
constexpr double kPositionRoundings = 32, kVelocityRoundings = 8;
/// Roundings of q that g is allowed in the judgement of an iterate.
constexpr double kGapRoundings = 8;
/// From this iteration on the set of contacts is frozen.
constexpr int kFreezeIteration = 8;
/// Times that the velocity problem is tried, each from the impulses that the last one left.
constexpr int kVelocityPasses = 2;
/// A closed contact: its gap is below this share of what the forces of one step can do.
constexpr double kRest = 1e-4;
/// From this number of unknowns on it pays to keep a factorisation.
constexpr int kLarge = 60;
/// A matrix is kept while the residual shrinks by this factor per iteration.
constexpr double kGoodProgress = 0.1;

NonsmoothAlphaOptions Checked(const NonsmoothAlphaOptions& o) {
  const AlphaCoefficients& k = o.coefficients;
  const auto check = [](const char* key, double value, bool good, const char* range) {
    if (!good) throw InputError(key, "is " + std::to_string(value), range);
  };
  check("alpha_m", k.alpha_m, k.alpha_m >= -1 && k.alpha_m < 1, "choose a value in [-1, 1)");
  check("alpha_f", k.alpha_f, k.alpha_f >= 0 && k.alpha_f < 1, "choose a value in [0, 1)");
  check("gamma", k.gamma, k.gamma > 0 && k.gamma <= 2, "choose a value in (0, 2]");
  check("beta", k.beta, k.beta > 0 && k.beta <= 2, "choose a value in (0, 2]");
  return o;
}

/// Keys of State::integrator.
const char kVd[] = "nonsmooth-alpha.vd";
const char kA[] = "nonsmooth-alpha.a";
const char kLambda[] = "nonsmooth-alpha.lambda";
/// (ṽ̇, λ̃) of up to three steps before, if they had no contacts: for the predictor.
const char kBefore[] = "nonsmooth-alpha.before";
/// (U, ν) of the last two steps, likewise.
const char kPush[] = "nonsmooth-alpha.push";

}  // namespace

AlphaCoefficients AlphaCoefficients::FromSpectralRadius(double rho_inf) {
  if (!(rho_inf >= 0 && rho_inf <= 1)) {
    throw InputError("rho_inf", "is " + std::to_string(rho_inf), "choose a value in [0, 1]");
  }
  AlphaCoefficients k;  // (8)
  k.alpha_m = (2 * rho_inf - 1) / (rho_inf + 1);
  k.alpha_f = rho_inf / (rho_inf + 1);
  k.gamma = 0.5 + k.alpha_f - k.alpha_m;
  k.beta = 0.25 * (k.gamma + 0.5) * (k.gamma + 0.5);
  return k;
}

AlphaCoefficients AlphaCoefficients::Newmark(double gamma, double beta) {
  return {0, 0, beta, gamma};
}

AlphaCoefficients AlphaCoefficients::Hht(double alpha_f) {
  if (!(alpha_f >= 0 && alpha_f <= 1.0 / 3)) {
    throw InputError("alpha_f", "is " + std::to_string(alpha_f), "choose a value in [0, 1/3]");
  }
  return {0, alpha_f, 0.25 * (1 + alpha_f) * (1 + alpha_f), 0.5 + alpha_f};
}

NonsmoothAlpha::Impl::Impl(const NonsmoothAlphaOptions& options)
    : options_(Checked(options)),
      k_(options.coefficients),
      c_((1 - k_.alpha_m) / ((1 - k_.alpha_f) * k_.gamma)),
      modified_(options.position_law == NonsmoothAlphaOptions::PositionLaw::kModifiedLcp),
      solver_(MakeConicSolver(options.solver, options.solver_options)) {}

void NonsmoothAlpha::Impl::Prepare(System& system) {
  if (system_ == &system && kkt_M_ && M_.shared_pattern() == system.pattern()) return;
  system_ = &system;
  const SystemTraits& traits = system.traits();
  for (BlockMatrix* matrix : {&M_, &K_, &D_, &S_, &T_}) *matrix = BlockMatrix(system.pattern());
  const BlockPattern& pattern = *system.pattern();
  uncoupled_blocks_.clear();
  diagonal_slots_.resize(pattern.num_blocks());
  for (int b = 0; b < pattern.num_blocks(); ++b) diagonal_slots_[b] = pattern.FindSlot(b, b);
  // As in moreau_jean.cc: pivots are chosen at the initial state, so that restarts repeat the run.
  const State initial = system.MakeInitialState();
  G_.resize(traits.num_constraints, traits.num_velocities);
  if (traits.num_constraints > 0) system.CalcConstraintJacobian(initial.time, initial.q, &G_);
  kkt_M_.emplace(system.pattern(), G_);
  system.CalcMass(initial.q, &M_);
  kkt_M_->Factor(M_, G_);
  linear_ = !traits.has_tangents && traits.constant_mass && traits.num_constraints == 0;
  large_ = traits.num_velocities + traits.num_constraints > kLarge;
  full_rank_ = traits.num_constraints > 0 && FindRedundantRows(G_).empty();
  kkt_S_.reset();
  if (!linear_) {
    kkt_S_.emplace(system.pattern(), G_);
    kkt_S_->Factor(M_, G_);
  }
}

/// Divides by M_ii: a force becomes an acceleration for scales and bounds.
double NonsmoothAlpha::Impl::CalcMassScaled(VectorX* residual) const {
  DivideByDiagonal(M_, residual);
  return residual->size() > 0 ? residual->lpNorm<Eigen::Infinity>() : 0.0;
}

double NonsmoothAlpha::Impl::CalcVelocityScale() const {
  return std::max(
      {v_.lpNorm<Eigen::Infinity>(), start_->v.lpNorm<Eigen::Infinity>(), force_speed_});
}

/// Memory of the last step, or the consistent acceleration of the start: ṽ̇₀ = a₀.
void NonsmoothAlpha::Impl::Begin(System& system, double h, State* state) {
  const SystemTraits& traits = system.traits();
  const int m = traits.num_constraints;
  h_ = h;
  t_ = state->time + h;
  start_ = state;
  if (!traits.constant_mass) system.CalcMass(state->q, &M_);
  system.CalcForce(state->time, state->q, state->v, &f_);
  const auto vd = state->integrator.find(kVd), a = state->integrator.find(kA);
  const auto lambda = state->integrator.find(kLambda);
  if (vd != state->integrator.end() && a != state->integrator.end() &&
      lambda != state->integrator.end() && vd->second.size() == traits.num_velocities &&
      lambda->second.size() == m) {
    vd_start_ = vd->second;
    a_start_ = a->second;
    lambda_start_ = lambda->second;
  } else {
    c_rows_.resize(m);
    if (m > 0) {
      system.CalcConstraintJacobian(state->time, state->q, &G_);
      system.CalcConstraintBias(state->time, state->q, state->v, &c_rows_);
      c_rows_ = -c_rows_;
    }
    kkt_M_->Factor(M_, G_);
    kkt_M_->Solve(f_, c_rows_, &vd_start_, &lambda_start_);
    a_start_ = vd_start_;
  }
  Predict(*state);
  x_ = f_;
  force_speed_ = h * CalcMassScaled(&x_);
  if (traits.has_contacts) {
    const double acceleration = system.CalcSpeedBound(state->q, x_);
    margin_ = h * (system.CalcSpeedBound(state->q, state->v) + h * acceleration) + 1e-9;
    gap_closed_ = std::max(10 * options_.position_tolerance, kRest * h * h * acceleration);
  }
  U_.setZero(traits.num_velocities);
  W_.setZero(traits.num_velocities);
  dv_.setZero(traits.num_velocities);
  no_force_.setZero(traits.num_velocities);
  Lambda_.setZero(m);
  nu_joint_.setZero(m);
  unknowns_.clear();
  contacts_.Clear();
  friction_P_.resize(0);
  start_found_ = lost_ = false;
  position_solved_ = true;
  lift_ = gap_error_ = 0;
  curved_ = full_rank_;
  no_contacts_ = false;
  curvature_.present = false;
  rounding_speed_ = 0;
}

/// ṽ̇ and λ̃ to start Newton's method from: extrapolated from the steps before, by a parabola where
/// that would have been better than a straight line in the last step.
void NonsmoothAlpha::Impl::Predict(const State& state) {
  vd_ = vd_start_;
  lambda_ = lambda_start_;
  const auto found = state.integrator.find(kBefore);
  const Eigen::Index n = vd_.size(), size = n + lambda_.size();
  if (found == state.integrator.end() || found->second.size() % size != 0) return;
  const VectorX& before = found->second;  // (ṽ̇, λ̃) of t_{n−1}, t_{n−2}, t_{n−3} as far as known
  x_ = vd_start_ - before.head(n);
  vd_ += x_;
  lambda_ += lambda_start_ - before.segment(n, size - n);
  if (before.size() < 3 * size) return;
  const auto at = [&](int k) { return before.segment(k * size, size); };
  y_ = at(1) - 2 * at(0);
  y_.head(n) += vd_start_;
  y_.tail(size - n) += lambda_start_;
  const double third = (y_ - (at(2) - 2 * at(1) + at(0))).squaredNorm();
  if (!(third < y_.squaredNorm())) return;
  vd_ += y_.head(n);
  lambda_ += y_.tail(size - n);
}

/// U and ν to start from, extrapolated by a straight line. They are small, of order h³ while no
/// contact is near, but their change within a step costs as much as that of ṽ.
void NonsmoothAlpha::Impl::PredictPush(const State& state) {
  const auto found = state.integrator.find(kPush);
  const Eigen::Index n = U_.size(), size = n + nu_joint_.size();
  if (found == state.integrator.end() || found->second.size() % size != 0) return;
  const VectorX& push = found->second;
  U_ = push.head(n);
  nu_joint_ = push.segment(n, size - n);
  if (push.size() < 2 * size) return;
  U_ += push.head(n) - push.segment(size, n);
  nu_joint_ += push.segment(n, size - n) - push.segment(size + n, size - n);
}

/// What Predict() and PredictPush() need of this step.
void NonsmoothAlpha::Impl::RememberForPredictor(State* state) {
  if (!no_contacts_ || !large_) {
    state->integrator.erase(kBefore);
    state->integrator.erase(kPush);
    return;
  }
  const auto put_before = [this](const VectorX& a, const VectorX& b, int max_steps, VectorX* list) {
    const Eigen::Index size = a.size() + b.size();
    const Eigen::Index kept = std::min(list->size(), (max_steps - 1) * size);
    y_.resize(size + kept);
    y_ << a, b, list->head(kept);
    list->swap(y_);
  };
  put_before(vd_start_, lambda_start_, 3, &state->integrator[kBefore]);
  if (nu_joint_.size() > 0) put_before(U_, nu_joint_, 2, &state->integrator[kPush]);
}

/// (5)-(7) from ṽ̇, U and W.
void NonsmoothAlpha::Impl::Place(System& system) {
  a_ = ((1 - k_.alpha_f) * vd_ + k_.alpha_f * vd_start_ - k_.alpha_m * a_start_) / (1 - k_.alpha_m);
  move_ = h_ * start_->v + h_ * h_ * ((0.5 - k_.beta) * a_start_ + k_.beta * a_);
  system.Retract(start_->q, move_, &q_smooth_);
  system.Retract(q_smooth_, U_, &q_);
  v_smooth_ = start_->v + h_ * ((1 - k_.gamma) * a_start_ + k_.gamma * a_);
  v_ = v_smooth_ + W_;
}

/// Everything at the iterate (q, v).
void NonsmoothAlpha::Impl::Evaluate(System& system, bool frozen) {
  frozen_ = frozen;
  const SystemTraits& traits = system.traits();
  system.CalcForce(t_, q_, v_, &f_);
  if (!traits.constant_mass) system.CalcMass(q_, &M_);
  if (traits.num_constraints > 0) {
    system.CalcConstraint(t_, q_, &g_);
    system.CalcConstraintJacobian(t_, q_, &G_);
    system.CalcConstraintRate(t_, q_, &g_t_);
  }
  if (traits.has_contacts) FindContacts(system, frozen);
}

/// The first of (2) at the iterate. Its directions need not be better than those of the impulses in
/// (4), which are as good as the tolerance of the solver.
bool NonsmoothAlpha::Impl::PositionEquationHolds(System& system) {
  M_.Multiply(U_, &x_);
  SubtractContactForces(contacts_, /*position=*/true, &x_);
  if (system.traits().num_constraints > 0) x_.noalias() -= G_.transpose() * nu_joint_;
  const double tolerance = options_.newton_tolerance * CalcVelocityScale() + 4 * rounding_speed_;
  const double push = U_.lpNorm<Eigen::Infinity>();
  return CalcMassScaled(&x_) <=
         std::max(10 * h_ * tolerance, 0.1 * options_.solver_options.tolerance * push);
}

/// True if the iterate satisfies (1)-(4) to the tolerances, judged by the equations themselves.
bool NonsmoothAlpha::Impl::StepEquationsHold(System& system) {
  const int m = system.traits().num_constraints;
  const double tolerance = options_.newton_tolerance * CalcVelocityScale() + 4 * rounding_speed_;
  M_.Multiply(vd_, &x_);
  x_ -= f_;
  if (m > 0) x_.noalias() -= G_.transpose() * lambda_;
  residual_ = h_ * CalcMassScaled(&x_);  // (1)
  if (m > 0) {
    y_ = g_t_;
    y_.noalias() += G_ * v_smooth_;
    residual_ = std::max(residual_, y_.lpNorm<Eigen::Infinity>());
    if (!no_contacts_) {
      y_ = g_t_;
      y_.noalias() += G_ * v_;
      residual_ = std::max(residual_, y_.lpNorm<Eigen::Infinity>());
    }
    // g cannot be smaller than the rounding of q.
    const double rounding = kGapRoundings * kEpsilon * (1 + q_.lpNorm<Eigen::Infinity>());
    residual_ = std::max(residual_, (g_.lpNorm<Eigen::Infinity>() - rounding) / h_);
  }
  if (!(residual_ <= tolerance)) return false;
  if (no_contacts_) return contacts_.contacts.empty() && contacts_.frictions.empty();
  if (!PositionEquationHolds(system)) return false;  // (2)
  M_.Multiply(W_, &x_);
  SubtractContactForces(contacts_, /*position=*/false, &x_);
  if (m > 0) x_.noalias() -= G_.transpose() * Lambda_;
  if (!(CalcMassScaled(&x_) <= 10 * tolerance)) return false;  // (3)
  return GapsHold() && ContactVelocitiesHold(system);
}

bool NonsmoothAlpha::Impl::Iterate(System& system) {
  PredictPush(*start_);
  Place(system);
  Evaluate(system, false);
  WarmStart();
  residual_ = std::numeric_limits<double>::infinity();
  double last_residual = residual_;
  for (int k = 1; k <= options_.max_newton_iterations; ++k) {
    report_.status = StepStatus::kOk;
    ++report_.newton_iterations;
    no_contacts_ = contacts_.contacts.empty() && contacts_.frictions.empty();
    // Without contacts the matrix of the first iteration serves as long as it converges well.
    if (k == 1 || !no_contacts_ || !large_ || !(residual_ < kGoodProgress * last_residual)) {
      if (!no_contacts_ || linear_) kkt_M_->Factor(M_, G_);
      FormSmoothMatrix(system);
    }
    last_residual = residual_;
    const bool coupled = options_.variant == NonsmoothAlphaOptions::Variant::kMonolithic && stiff_;
    if (!(no_contacts_ ? SolveSmooth(system) && SolvePositionWithoutContacts(system)
                       : SolveIteration(system, coupled))) {
      return false;
    }
    vd_ += c_ / h_ * dv_;
    Place(system);
    Evaluate(system, k >= kFreezeIteration);
    if (!q_.allFinite() || !v_.allFinite()) return false;
    // Another iteration goes on from the impulses of a contact problem that was not solved.
    const bool holds = StepEquationsHold(system);
    if (holds && (solver_ok_ || k == options_.max_newton_iterations)) return true;
  }
  report_.status = StepStatus::kNewtonNotConverged;
  return true;
}

/// Constant f and M, no joints: (1) is solved at once, and (3) needs to be solved only when (2) is.
bool NonsmoothAlpha::Impl::IterateLinear(System& system) {
  Place(system);
  Evaluate(system, false);
  WarmStart();
  kkt_M_->Factor(M_, G_);
  if (!SolveSmooth(system)) return false;
  for (int k = 1; k <= options_.max_newton_iterations; ++k) {
    ++report_.newton_iterations;
    if (!SolvePositionInPasses(system)) return false;
    vd_ += c_ / h_ * dv_;
    dv_.setZero();
    Place(system);
    Evaluate(system, k >= kFreezeIteration);
    if (!q_.allFinite()) return false;
    if (!GapsHold() || !PositionEquationHolds(system)) continue;
    CalcGapsOfIterate(system);
    for (int pass = 0; pass < kVelocityPasses; ++pass) {
      if (!SolveVelocity(system, *kkt_M_, no_force_, false)) return false;
      if (solver_ok_) break;
    }
    Place(system);
    return true;
  }
  report_.status = StepStatus::kNewtonNotConverged;
  return true;
}

/// Joints to rounding: small U and W with the factorisation of the last iteration.
bool NonsmoothAlpha::Impl::CloseJoints(System& system) {
  if (system.traits().num_constraints == 0) return true;
  const KktSolver& kkt = no_contacts_ ? *kkt_S_ : *kkt_M_;
  bool with_L = no_contacts_ && curved_;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 8; ++k) {
    const double g_max = g_.lpNorm<Eigen::Infinity>();
    y_ = g_t_;
    y_.noalias() += G_ * v_;
    const double rate_max = y_.lpNorm<Eigen::Infinity>();
    const bool g_good = g_max <= kPositionRoundings * kEpsilon;
    const bool rate_good =
        rate_max <= kVelocityRoundings * kEpsilon * std::max(1.0, v_.lpNorm<Eigen::Infinity>());
    if (g_good && rate_good) return true;
    if (!(g_max + rate_max < 0.5 * last)) {
      if (!with_L) return true;
      kkt_S_->Factor(S_, G_);  // L is far from G
      with_L = false;
    }
    last = g_max + rate_max;
    if (!g_good) {
      c_rows_ = -g_;
      kkt.Solve(no_force_, c_rows_, &x_, nullptr, passes());
      U_ += x_;
      system.Retract(q_, x_, &q_);
      system.CalcConstraint(t_, q_, &g_);
      system.CalcConstraintJacobian(t_, q_, &G_);
      system.CalcConstraintRate(t_, q_, &g_t_);
    }
    c_rows_ = g_t_;
    c_rows_.noalias() += G_ * v_;
    c_rows_ = -c_rows_;
    kkt.Solve(no_force_, c_rows_, &x_, nullptr, passes());
    W_ += x_;
    v_ += x_;
  }
  return true;
}

const StepReport& NonsmoothAlpha::Impl::Step(System& system, double h, State* state) {
  Prepare(system);
  system.BeginStep(*state);
  report_.status = StepStatus::kOk;
  report_.culprit.clear();
  report_.step = h;
  report_.newton_iterations = report_.solver_iterations = report_.impacts = 0;
  report_.solver_residual = report_.max_penetration = report_.max_complementarity = 0;
  report_.work = StepWork{};
  report_.contacts.clear();
  solver_ok_ = true;
  Begin(system, h, state);
  const bool finite = options_.variant == NonsmoothAlphaOptions::Variant::kRobust
                          ? IterateRobust(system)
                      : linear_ && !modified_ ? IterateLinear(system)
                                              : Iterate(system);
  if (!finite || !q_.allFinite() || !v_.allFinite()) {
    report_.status = StepStatus::kNotFinite;
    report_.culprit = kNotFiniteCulprit;
    return report_;
  }
  CloseJoints(system);
  if (report_.status == StepStatus::kOk && !solver_ok_) {
    report_.status = StepStatus::kSolverNotConverged;
  }
  ReportContacts(system);
  ReportWork(system);
  Finish(system, state);
  report_.work.decohesion_loss = system.EndStep(state);
  RememberForPredictor(state);
  state->integrator[kVd] = vd_;
  state->integrator[kA] = a_;
  // Joint forces of a step with contacts say nothing about the next one: λ̃ starts there from 0.
  VectorX& lambda = state->integrator[kLambda];
  lambda = lambda_;
  if (!no_contacts_) lambda.setZero();
  if (!report_.ok()) NameCulprit(system);
  return report_;
}

NonsmoothAlpha::NonsmoothAlpha(const NonsmoothAlphaOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}
NonsmoothAlpha::~NonsmoothAlpha() = default;

const StepReport& NonsmoothAlpha::Step(System& system, double h, State* state) {
  return impl_->Step(system, h, state);
}

const VectorX& NonsmoothAlpha::smooth_joint_forces() const { return impl_->lambda_; }
const VectorX& NonsmoothAlpha::joint_position_multipliers() const { return impl_->nu_joint_; }
const VectorX& NonsmoothAlpha::contact_position_multipliers() const {
  return impl_->nu_of_contact_;
}

}  // namespace saltus
