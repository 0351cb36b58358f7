// Variant robust of nonsmooth_alpha.h: smooth motion, positions, velocities, one after the other.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/integrators/nonsmooth_alpha_impl.h"

namespace saltus {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
/// Roundings of q that g is allowed.
constexpr double kGapRoundings = 8;

}  // namespace

/// F of (14): f + Gᵀλ̃ − M ṽ̇ at (q, v).
void NonsmoothAlpha::Impl::CalcForceBalance(System& system, const VectorX& q, const VectorX& v,
                                            VectorX* F) {
  system.CalcForce(t_, q, v, F);
  if (!system.traits().constant_mass) system.CalcMass(q, &M_);
  M_.AddMultiply(-1, vd_, F);
  if (system.traits().num_constraints > 0) {
    system.CalcConstraintJacobian(t_, q, &G_);
    F->noalias() += G_.transpose() * lambda_;
  }
}

/// S: (1) with q = q̃, v = ṽ.
bool NonsmoothAlpha::Impl::SolveSmoothAlone(System& system) {
  const int m = system.traits().num_constraints;
  for (int k = 1; k <= options_.max_newton_iterations; ++k) {
    ++report_.newton_iterations;
    FormSmoothMatrix(system);
    if (linear_) kkt_M_->Factor(M_, G_);
    if (!SolveSmooth(system)) return false;
    vd_ += c_ / h_ * dv_;
    Place(system);
    CalcForceBalance(system, q_, v_, &F_smooth_);
    if (!F_smooth_.allFinite()) return false;
    system.CalcForce(t_, q_, v_, &f_);
    x_ = F_smooth_;
    const double tolerance = options_.newton_tolerance * CalcVelocityScale() + 4 * rounding_speed_;
    bool good = h_ * CalcMassScaled(&x_) <= tolerance;
    if (m > 0) {
      system.CalcConstraintRate(t_, q_, &g_t_);
      y_ = g_t_;
      y_.noalias() += G_ * v_;
      good = good && y_.lpNorm<Eigen::Infinity>() <= tolerance;
    }
    if (good) return true;
  }
  report_.status = StepStatus::kNewtonNotConverged;
  return true;
}

/// P: (14) by Newton's method in the metric M + h²K.
bool NonsmoothAlpha::Impl::SolvePositionAlone(System& system) {
  const int m = system.traits().num_constraints;
  const NonsmoothAlphaOptions::RobustTerms& terms = options_.robust_terms;
  dv_.setZero();
  for (int k = 1; k <= options_.max_newton_iterations; ++k) {
    Evaluate(system, k > options_.max_newton_iterations / 2);
    if (k == 1) WarmStart();
    CalcForceBalance(system, q_, v_smooth_, &y_);
    y_ = (terms.position ? h_ * h_ : 0) * (y_ - F_smooth_);
    M_.Multiply(U_, &x_);
    x_ -= y_;
    rhs_ = -x_;  // −(M U − h² f_p)
    SubtractContactForces(contacts_, true, &x_);
    if (m > 0) x_.noalias() -= G_.transpose() * nu_joint_;
    const double tolerance = options_.newton_tolerance * CalcVelocityScale() + 4 * rounding_speed_;
    const double rounding = kGapRoundings * kEpsilon * (1 + q_.lpNorm<Eigen::Infinity>());
    const bool closed = m == 0 || g_.lpNorm<Eigen::Infinity>() <= h_ * tolerance + rounding;
    if (k > 1 && closed && CalcMassScaled(&x_) <= 10 * h_ * tolerance && GapsHold()) {
      CalcGapsOfIterate(system);
      return true;
    }
    ++report_.newton_iterations;
    FormSmoothMatrix(system);
    S_.values() = M_.values() + (terms.position ? h_ * h_ : 0) * K_.values();
    S_.AddMultiply(1, U_, &rhs_);
    KktSolver& kkt = linear_ ? *kkt_M_ : *kkt_S_;
    if (!kkt.Factor(S_, G_)) return false;
    force_start_ = rhs_;
    if (!SolvePosition(system, kkt, force_start_, false)) return false;
    system.Retract(q_smooth_, U_, &q_);
    if (!q_.allFinite()) return false;
  }
  report_.status = StepStatus::kNewtonNotConverged;
  return true;
}

/// V: (15) by Newton's method in the metric M + hD.
bool NonsmoothAlpha::Impl::SolveVelocityAlone(System& system) {
  const int m = system.traits().num_constraints;
  const NonsmoothAlphaOptions::RobustTerms& terms = options_.robust_terms;
  system.CalcConstraintRate(t_, q_, &g_t_);
  for (int k = 1; k <= options_.max_newton_iterations; ++k) {
    v_ = v_smooth_ + W_;
    CalcForceBalance(system, q_, v_, &y_);
    y_ = (terms.velocity ? h_ : 0) * (y_ - F_smooth_);
    M_.Multiply(W_, &x_);
    x_ -= y_;
    rhs_ = -x_;
    SubtractContactForces(contacts_, false, &x_);
    if (m > 0) x_.noalias() -= G_.transpose() * Lambda_;
    const double tolerance = options_.newton_tolerance * CalcVelocityScale() + 4 * rounding_speed_;
    if (k > 1 && CalcMassScaled(&x_) <= 10 * tolerance) return true;
    ++report_.newton_iterations;
    FormSmoothMatrix(system);
    S_.values() = M_.values() + (terms.velocity ? h_ : 0) * D_.values();
    S_.AddMultiply(1, W_, &rhs_);
    KktSolver& kkt = linear_ ? *kkt_M_ : *kkt_S_;
    if (!kkt.Factor(S_, G_)) return false;
    force_start_ = rhs_;
    if (!SolveVelocity(system, kkt, force_start_, false)) return false;
  }
  report_.status = StepStatus::kNewtonNotConverged;
  return true;
}

bool NonsmoothAlpha::Impl::IterateRobust(System& system) {
  Place(system);
  system.CalcForce(t_, q_, v_, &f_);
  if (!system.traits().constant_mass) system.CalcMass(q_, &M_);
  if (system.traits().num_constraints > 0) {
    system.CalcConstraintJacobian(t_, q_, &G_);
    system.CalcConstraintRate(t_, q_, &g_t_);
  }
  if (!SolveSmoothAlone(system)) return false;
  const VectorX f_smooth = f_;
  if (!SolvePositionAlone(system) || !SolveVelocityAlone(system)) return false;
  kkt_M_->Factor(M_, G_);
  if (candidates_.empty() && active_.empty()) return true;
  if (!options_.robust_terms.acceleration) return true;
  // After contact ṽ̇ follows the change of the forces, on the motions that the joints allow.
  system.CalcForce(t_, q_, v_, &f_);
  y_ = f_ - f_smooth;
  c_rows_.setZero(system.traits().num_constraints);
  if (!kkt_M_->Solve(y_, c_rows_, &x_, &z_)) return false;
  vd_ += x_;
  lambda_ += z_;
  if (options_.robust_terms.history) a_ += (1 - k_.alpha_f) / (1 - k_.alpha_m) * x_;  // (7)
  return true;
}

}  // namespace saltus
