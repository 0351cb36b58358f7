// Variant robust of nonsmooth_alpha.h: smooth motion, positions, velocities, one after the other.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/integrators/alpha_stepper.h"

namespace saltus {
namespace {

/// Roundings of q that g is allowed.
constexpr double kGapRoundings = 8;

double Largest(const VectorX& x) { return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0.0; }

/// F of (17): f + Gᵀλ̃ − M ṽ̇ at (q, v), with M and G of `terms`, which are evaluated there.
VectorX CalcForceBalance(const System& system, double t, const VectorX& q, const VectorX& v,
                         const AlphaIterate& x, AlphaTerms* terms) {
  Evaluate(system, t, q, v, terms);
  VectorX F = terms->f;
  terms->M.AddMultiply(-1, x.vd, &F);
  if (terms->has_joints()) F.noalias() += terms->G.transpose() * x.lambda;
  return F;
}

}  // namespace

/// S: (1) with q = q̃, v = ṽ.
bool AlphaStepper::SolveSmoothAlone(System& system, VectorX* F_smooth) {
  VectorX dv;
  for (int k = 1; k <= options_.max_newton_iterations; ++k) {
    ++report_.newton_iterations;
    smooth_.Form(system, start_, x_, terms_, free_);
    if (!smooth_.Solve(start_, x_, terms_, nullptr, &dv, &x_.lambda)) return false;
    x_.vd += smooth_.c() / start_.h * dv;
    Place(system, options_.coefficients, start_, &x_);
    *F_smooth = CalcForceBalance(system, start_.t, x_.q, x_.v, x_, &terms_);
    if (!F_smooth->allFinite()) return false;
    if (start_.h * terms_.CalcMassScaled(*F_smooth) <= force_tolerance() &&
        terms_.CalcJointRate(x_.v) <= newton_tolerance()) {
      return true;
    }
  }
  report_.status = StepStatus::kNewtonNotConverged;
  return true;
}

/// P: (17) by Newton's method in the metric M + h²K.
bool AlphaStepper::SolvePositionsAlone(System& system, const VectorX& F_smooth) {
  const double h = start_.h, weight = options_.robust_terms.position ? h * h : 0;
  VectorX dv = VectorX::Zero(x_.vd.size());
  for (int k = 1; k <= options_.max_newton_iterations; ++k) {
    contacts_.MoveTo(system, x_.q, x_.v);
    const VectorX F = CalcForceBalance(system, start_.t, x_.q, x_.v_smooth, x_, &terms_);
    VectorX rhs = weight * (F - F_smooth);  // −(M U − h² f_p)
    terms_.M.AddMultiply(-1, x_.U, &rhs);
    VectorX left = rhs;
    contacts_.AddPositionForce(&left);
    if (terms_.has_joints()) left.noalias() += terms_.G.transpose() * x_.nu;
    const double rounding =
        kGapRoundings * std::numeric_limits<double>::epsilon() * (1 + Largest(x_.q));
    const bool closed = Largest(terms_.g) <= h * newton_tolerance() + rounding;
    if (k > 1 && closed && GapsHold() &&
        terms_.CalcMassScaled(left) <= 10 * h * force_tolerance()) {
      const ContactVerdict verdict = contacts_.Judge(system, x_.q, x_.v, promise());
      report_.max_penetration = verdict.penetration;
      report_.tunnelled = verdict.tunnelled;
      if (!verdict.changed) {
        if (!verdict.holds(promise())) report_.status = StepStatus::kNewtonNotConverged;
        return true;
      }
    }
    ++report_.newton_iterations;
    smooth_.Form(system, start_, x_, terms_, false);
    if (!smooth_.FormMetric(terms_, weight, /*position=*/true)) return false;
    smooth_.AddMatrixProduct(x_.U, &rhs);
    AlphaIterate next = x_;
    const LevelOutcome outcome =
        levels_.SolvePositions(start_, terms_, smooth_, smooth_.matrix(), rhs, nullptr,
                               CalcGapError(), x_, &contacts_, &dv, &next);
    report_.solver_iterations += outcome.iterations;
    if (!outcome.finite) return false;
    x_.U = next.U;
    x_.nu = next.nu;
    system.Retract(x_.q_smooth, x_.U, &x_.q);
    if (!x_.q.allFinite()) return false;
  }
  report_.status = StepStatus::kNewtonNotConverged;
  return true;
}

/// V: (18) by Newton's method in the metric M + hD.
bool AlphaStepper::SolveVelocitiesAlone(System& system, const VectorX& F_smooth) {
  const double weight = options_.robust_terms.velocity ? start_.h : 0;
  VectorX dv = VectorX::Zero(x_.vd.size());
  for (int k = 1; k <= options_.max_newton_iterations; ++k) {
    x_.v = x_.v_smooth + x_.W;
    const VectorX F = CalcForceBalance(system, start_.t, x_.q, x_.v, x_, &terms_);
    VectorX rhs = weight * (F - F_smooth);
    terms_.M.AddMultiply(-1, x_.W, &rhs);
    VectorX left = rhs;
    contacts_.AddVelocityForce(&left);
    if (terms_.has_joints()) left.noalias() += terms_.G.transpose() * x_.Lambda;
    if (k > 1 && terms_.CalcMassScaled(left) <= 10 * force_tolerance()) return true;
    ++report_.newton_iterations;
    smooth_.Form(system, start_, x_, terms_, false);
    if (!smooth_.FormMetric(terms_, weight, /*position=*/false)) return false;
    smooth_.AddMatrixProduct(x_.W, &rhs);
    AlphaIterate next = x_;
    velocity_outcome_ = levels_.SolveVelocities(
        start_, terms_, smooth_, smooth_.matrix(), rhs, nullptr,
        /*keep_active=*/false, /*coarse=*/false, x_, &contacts_, &dv, &next);
    report_.solver_iterations += velocity_outcome_.iterations;
    if (!velocity_outcome_.finite) return false;
    x_.W = next.W;
    x_.Lambda = next.Lambda;
  }
  report_.status = StepStatus::kNewtonNotConverged;
  return true;
}

bool AlphaStepper::IterateRobust(System& system) {
  free_ = false;
  Place(system, options_.coefficients, start_, &x_);
  Evaluate(system, start_.t, x_.q, x_.v, &terms_);
  VectorX F_smooth;
  if (!SolveSmoothAlone(system, &F_smooth)) return false;
  const VectorX f_smooth = terms_.f;
  if (!SolvePositionsAlone(system, F_smooth) || !SolveVelocitiesAlone(system, F_smooth)) {
    return false;
  }
  smooth_.metric().Factor(terms_.M, terms_.G);
  const auto touches = [](const ContactUnknown& c) { return c.active || c.nu > 0; };
  const bool contact =
      std::any_of(contacts_.unknowns().begin(), contacts_.unknowns().end(), touches);
  if (!contact || !options_.robust_terms.acceleration) return true;
  // After contact ṽ̇ follows the change of the forces, on the motions that the joints allow.
  system.CalcForce(start_.t, x_.q, x_.v, &terms_.f);
  VectorX change, multipliers;
  if (!smooth_.metric().Solve(terms_.f - f_smooth, VectorX::Zero(terms_.g.size()), &change,
                              &multipliers)) {
    return false;
  }
  x_.vd += change;
  if (terms_.has_joints()) x_.lambda += multipliers;
  const AlphaCoefficients& k = options_.coefficients;
  if (options_.robust_terms.history) x_.a += (1 - k.alpha_f) / (1 - k.alpha_m) * change;  // (7)
  return true;
}

}  // namespace saltus
