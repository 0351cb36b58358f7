#include "saltus/integrators/alpha_turning.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
/// Passes end where δ changes by no more than this share of itself.
constexpr double kEnough = 1e-3;
/// The share of U and W that (20) may change.
constexpr double kFar = 0.3;
/// Roundings of q in δ.
constexpr double kRoundings = 8;

double Largest(const VectorX& x) { return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0.0; }

}  // namespace

/// δ, from the iterate to where the increments of this pass lead.
bool RowTurning::CalcWay(System& system, const AlphaStart& start, const AlphaIterate& x,
                         const AlphaIterate& next, const VectorX& move, double tolerance) {
  VectorX q, way;
  system.Retract(start.state->q, move, &q);
  system.Retract(q, next.U, &q);
  system.CalcDifference(x.q, q, &way);
  terms_.v = next.v;
  if (!way.allFinite() || !next.v.allFinite()) return false;
  const double size = Largest(way);
  const double change = present_ ? Largest(way - way_) : size;
  const double speed = std::max(Largest(next.v), Largest(next.U) / start.h);
  way_ = way;
  return change * speed > tolerance && !(present_ && change <= kEnough * size);
}

void RowTurning::CalcForces(const AlphaStart& start, const AlphaContacts& contacts,
                            const AlphaIterate& next, bool constant_mass) {
  const ContactSet& rates = rates_.contacts();
  terms_.contacts = &rates;
  terms_.push.setZero(way_.size());
  terms_.impulse.setZero(way_.size());
  for (int i = 0; i < contacts.size(); ++i) {
    const ContactUnknown& known = contacts.unknowns()[i];
    const Contact& c = rates.contacts[i];
    if (known.nu != 0) AddRows(rates, c, 0, 1, 1, &known.nu, &terms_.push);
    if (known.P.isZero(0)) continue;
    const double turn = contacts.CalcTurn(known);
    AddRows(rates, c, 0, c.rows(), turn, known.P.data(), &terms_.impulse);
    if (known.smooth) {
      AddRows(rates, c, 1, c.rows(), 0.25 * start.h, known.P.data(), &terms_.push);
    }
  }
  Eigen::Index o = 0;
  for (std::size_t i = 0; i < rates.frictions.size(); ++i) {
    const DryFriction& friction = rates.frictions[i];
    AddRows(rates, friction, 0, friction.dimension, contacts.CalcFrictionTurn(static_cast<int>(i)),
            contacts.friction_impulses().data() + o, &terms_.impulse);
    o += friction.dimension;
  }
  if (!constant_mass) {
    rates_.M().AddMultiply(-1, next.U, &terms_.push);
    rates_.M().AddMultiply(-1, next.W, &terms_.impulse);
  }
  terms_.joint_rates.setZero(next.nu.size());
  if (next.nu.size() == 0) return;
  VectorX Lambda = next.Lambda;
  for (Eigen::Index i = 0; i < Lambda.size(); ++i) {
    Lambda[i] *= contacts.CalcJointTurn(static_cast<int>(i));
  }
  terms_.push.noalias() += rates_.G().transpose() * next.nu;
  terms_.impulse.noalias() += rates_.G().transpose() * Lambda;
  terms_.joint_rates.noalias() = rates_.G() * terms_.v;
}

/// Coupled problems have ΔU and ΔW in their operators.
void RowTurning::CalcSmooth(const AlphaStart& start, SmoothNewton& smooth, const AlphaIterate& x,
                            const AlphaIterate& next, const VectorX& dv) {
  const double h = start.h;
  const VectorX dU = next.U - x.U;
  const VectorX pushed = dU + terms_.offset;
  terms_.smooth.force.setZero(way_.size());
  terms_.smooth.rows.setZero(next.nu.size());
  if (smooth.linear() || !smooth.coupled()) return;
  const bool coupled = smooth.coupling(true, h) != nullptr;
  smooth.K().AddMultiply(-h, coupled ? terms_.offset : pushed, &terms_.smooth.force);
  if (!coupled) smooth.D().AddMultiply(-h, next.W - x.W, &terms_.smooth.force);
  if (smooth.curved()) {
    terms_.smooth.rows = -(smooth.C() * pushed);
  } else if (next.nu.size() > 0) {  // L = G: all of the change of Gṽ is left
    terms_.smooth.rows = -(rates_.G() * (x.v_smooth + dv));
  }
}

/// Whether (20), as velocities, is above the tolerance, and not too large.
bool RowTurning::Matter(const AlphaStart& start, const AlphaTerms& terms,
                        const AlphaContacts& contacts, const AlphaIterate& next,
                        double tolerance) const {
  const double push = terms.CalcMassScaled(terms_.push);
  const double impulse = terms.CalcMassScaled(terms_.impulse);
  if (push > kFar * Largest(next.U) || impulse > kFar * Largest(next.W)) return false;
  const double rounding = kRoundings * kEpsilon * (1 + Largest(next.q));
  const double offset = Largest(terms_.offset) - rounding;
  double largest = std::max({0.1 * push / start.h, 0.1 * impulse, offset / start.h,
                             terms.CalcMassScaled(terms_.smooth.force), Largest(terms_.smooth.rows),
                             Largest(terms_.joint_rates)});
  for (int i = 0; i < contacts.size(); ++i) {
    if (!contacts.unknowns()[i].active) continue;
    const Vector6 u = CalcVelocity(*terms_.contacts, terms_.contacts->contacts[i], terms_.v);
    largest = std::max(largest, 0.1 * u.lpNorm<Eigen::Infinity>());
  }
  return largest > tolerance;
}

bool RowTurning::Calc(System& system, const AlphaStart& start, const AlphaTerms& terms,
                      SmoothNewton& smooth, const AlphaContacts& contacts, const AlphaIterate& x,
                      const AlphaIterate& next, const VectorX& dv, double tolerance) {
  const VectorX dq = smooth.CalcMove(start.h, dv);
  if (!CalcWay(system, start, x, next, next.move, tolerance)) return present_ = false;
  rates_.Calc(system, start.t, x.q, way_, terms.M, terms.G, contacts.set());
  terms_.offset = way_ - dq - (next.U - x.U);
  CalcForces(start, contacts, next, system.traits().constant_mass);
  CalcSmooth(start, smooth, x, next, dv);
  return present_ = Matter(start, terms, contacts, next, tolerance);
}

}  // namespace saltus
