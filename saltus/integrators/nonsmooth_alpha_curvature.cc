// The terms (20) of nonsmooth_alpha.h: how the rows of contacts and joints and the mass turn within
// an iteration.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/integrators/nonsmooth_alpha_impl.h"

namespace saltus {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
/// Passes with (20) in an iteration, and the share of the first one's terms at which they end.
constexpr int kMaxPasses = 3;
constexpr double kEnough = 1e-3;
/// The share of U and W that (20) may change.
constexpr double kFar = 0.3;
/// Roundings of q in δ.
constexpr double kRoundings = 8;

}  // namespace

/// Calls solve() for (10)-(12), or for a part of them, again and again from the same start, each
/// time with the terms (20) of the increments that it found before.
template <class Solve>
bool NonsmoothAlpha::Impl::SolveInPasses(System& system, bool coupled, Solve solve) {
  U_before_ = U_;
  W_before_ = W_;
  lambda_before_ = lambda_;
  for (int pass = 0;; ++pass) {
    if (!solve()) return false;
    if (pass == kMaxPasses || !CalcCurvature(system, coupled)) break;
    U_ = U_before_;
    W_ = W_before_;
    lambda_ = lambda_before_;
  }
  curvature_.present = false;
  return true;
}

/// All of (10)-(12).
bool NonsmoothAlpha::Impl::SolveIteration(System& system, bool coupled) {
  return SolveInPasses(system, coupled, [&] {
    const bool curved = curvature_.present;
    return SolveSmooth(system) &&
           SolvePosition(system, *kkt_M_, curved ? curvature_.push : no_force_, coupled) &&
           SolveVelocity(system, *kkt_M_, curved ? curvature_.impulse : no_force_, coupled);
  });
}

/// (11) alone, where (10) is solved already and (12) will be later.
bool NonsmoothAlpha::Impl::SolvePositionInPasses(System& system) {
  active_.clear();
  return SolveInPasses(system, false, [&] {
    return SolvePosition(system, *kkt_M_, curvature_.present ? curvature_.push : no_force_, false);
  });
}

/// δ, from the iterate to where the increments of this pass lead. False: another pass would change
/// nothing that matters.
bool NonsmoothAlpha::Impl::CalcTrial(System& system) {
  if (IsPile() || options_.position_friction) return false;
  Curvature& c = curvature_;
  x_ = move_ + h_ * k_.beta / k_.gamma * dv_;
  system.Retract(start_->q, x_, &q_trial_);
  system.Retract(q_trial_, U_, &q_trial_);
  delta_last_.swap(delta_);
  system.CalcDifference(q_, q_trial_, &delta_);
  c.v = v_smooth_ + dv_ + W_;
  if (!delta_.allFinite() || !c.v.allFinite()) return false;
  const double size = delta_.lpNorm<Eigen::Infinity>();
  const double change = c.present ? (delta_ - delta_last_).lpNorm<Eigen::Infinity>() : size;
  const double speed = std::max(c.v.lpNorm<Eigen::Infinity>(), U_.lpNorm<Eigen::Infinity>() / h_);
  return change * speed > options_.newton_tolerance * CalcVelocityScale() &&
         !(c.present && change <= kEnough * size);
}

/// Fills curvature_ from the increments of this pass. False as of CalcTrial().
bool NonsmoothAlpha::Impl::CalcCurvature(System& system, bool coupled) {
  if (!CalcTrial(system)) return curvature_.present = false;
  const SystemTraits& traits = system.traits();
  // The rows of a frozen set do not turn.
  const bool loaded =
      !frozen_ && (!candidates_.empty() || !active_.empty() || friction_P_.size() > 0);
  rates_.Calc(system, t_, q_, delta_, search_margin_, M_, G_, loaded ? contacts_ : unturned_);
  Curvature& c = curvature_;
  CalcMove(dv_, &dq_);
  y_ = U_ - U_before_;
  c.offset = delta_ - dq_ - y_;
  c.push.setZero(delta_.size());
  c.impulse.setZero(delta_.size());
  if (loaded) {
    SubtractContactForces(rates_.contacts(), true, &c.push);
    if (!linear_) SubtractContactForces(rates_.contacts(), false, &c.impulse);
    c.push = -c.push;
    c.impulse = -c.impulse;
  }
  if (!traits.constant_mass) {
    rates_.M().AddMultiply(-1, U_, &c.push);
    rates_.M().AddMultiply(-1, W_, &c.impulse);
  }
  c.joint_rates.setZero(traits.num_constraints);
  if (traits.num_constraints > 0) {
    c.push.noalias() += rates_.G().transpose() * nu_joint_;
    c.impulse.noalias() += rates_.G().transpose() * Lambda_;
    c.joint_rates.noalias() = rates_.G() * c.v;
  }
  // Coupled problems have ΔU and ΔW in their operators.
  y_ += c.offset;
  c.force.setZero(delta_.size());
  c.rows.setZero(traits.num_constraints);
  if (!linear_ && options_.variant == NonsmoothAlphaOptions::Variant::kMonolithic) {
    K_.AddMultiply(-h_, coupled ? c.offset : y_, &c.force);
    if (!coupled) {
      x_ = W_ - W_before_;
      D_.AddMultiply(-h_, x_, &c.force);
    }
    if (curved_) {
      c.rows.noalias() = C_ * y_;
      c.rows = -c.rows;
    } else if (traits.num_constraints > 0) {  // L = G: all of the change of Gṽ is left
      x_ = v_smooth_ + dv_;
      c.rows.noalias() = rates_.G() * x_;
      c.rows = -c.rows;
    }
  }
  return c.present = CurvatureMatters();
}

/// Whether (20), as velocities, is above the tolerances of StepEquationsHold(), and not so large
/// that the linearisation says nothing.
bool NonsmoothAlpha::Impl::CurvatureMatters() {
  const Curvature& c = curvature_;
  const ContactSet& rates = rates_.contacts();
  x_ = c.push;
  const double push = CalcMassScaled(&x_);
  x_ = c.impulse;
  const double impulse = CalcMassScaled(&x_);
  if (push > kFar * U_.lpNorm<Eigen::Infinity>()) return false;
  if (impulse > kFar * W_.lpNorm<Eigen::Infinity>()) return false;
  x_ = c.force;
  const double rounding = kRoundings * kEpsilon * (1 + q_.lpNorm<Eigen::Infinity>());
  const double offset = c.offset.lpNorm<Eigen::Infinity>() - rounding;
  double largest = std::max({0.1 * push / h_, 0.1 * impulse, offset / h_, CalcMassScaled(&x_)});
  if (c.rows.size() > 0) {
    largest = std::max(
        {largest, c.rows.lpNorm<Eigen::Infinity>(), c.joint_rates.lpNorm<Eigen::Infinity>()});
  }
  for (const int i : active_) {
    if (rates.contacts.empty()) break;
    const Vector6 u = CalcVelocity(rates, rates.contacts[i], c.v);
    largest = std::max(largest, 0.1 * u.lpNorm<Eigen::Infinity>());
  }
  return largest > options_.newton_tolerance * CalcVelocityScale();
}

}  // namespace saltus
