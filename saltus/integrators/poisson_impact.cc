#include "saltus/integrators/poisson_impact.h"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

/// Corrections of the friction bounds in (2).
constexpr int kMaxCorrections = 30;
constexpr double kBoundTolerance = 1e-10;

double CalcNormalVelocity(const ContactSet& set, const Contact& c, const VectorX& v) {
  double u = c.bias[0];
  for (int k = c.first_block; k < c.first_block + c.num_blocks; ++k) {
    const RowBlock& rb = set.blocks[k];
    u += set.rows(rb, 1).row(0).dot(v.segment(rb.dof, rb.columns));
  }
  return u;
}

}  // namespace

/// v_after = v + S⁻¹Hᵀ total, with the joints kept.
void PoissonImpact::CalcVelocity(const KktSolver& kkt, const VectorX& v, VectorX* v_after) {
  force_.setZero(v.size());
  compression_.AddForce(total_, &force_);
  no_rate_.setZero(kkt.num_rows());
  kkt.Solve(force_, no_rate_, &delta_, &lambda_);
  *v_after = v + delta_;
}

bool PoissonImpact::Solve(const ContactSet& set, std::span<const int> active, const KktSolver& kkt,
                          const VectorX& v, double slowest, ConicSolver* solver) {
  bool any = false;
  for (const int i : active) {
    const Contact& c = set.contacts[i];
    any = any || (c.poisson > 0 && CalcNormalVelocity(set, c, v) < -slowest);
  }
  if (!any) return false;
  Compress(set, active, {}, {}, kkt, v, solver);
  Expand(kkt, v, solver);
  CalcRebound(kkt, v);
  return true;
}

void PoissonImpact::SolveAll(const ContactSet& set, std::span<const int> active,
                             std::span<const double> newton, std::span<const double> tangential,
                             const KktSolver& kkt, const VectorX& v, ConicSolver* solver) {
  Compress(set, active, newton, tangential, kkt, v, solver);
  const bool expands =
      std::any_of(active.begin(), active.end(), [&](int i) { return set.contacts[i].poisson > 0; });
  if (expands) Expand(kkt, v, solver);
  CalcRebound(kkt, v);
}

/// (1): total_ = P_C.
void PoissonImpact::Compress(const ContactSet& set, std::span<const int> active,
                             std::span<const double> newton, std::span<const double> tangential,
                             const KktSolver& kkt, const VectorX& v, ConicSolver* solver) {
  set_ = &set;
  active_.assign(active.begin(), active.end());
  compression_.SetRows(set, active, ContactProblem::Rows::kContactsOnly);
  compression_.FormDelassus(kkt);
  bias_.setZero(compression_.size());
  for (int i = 0; i < compression_.num_contacts(); ++i) {
    const Contact& c = set.contacts[active_[i]];
    const int d = std::min(compression_.cone(i).dimension, c.dimension);
    bias_.segment(compression_.offset(i), d) = c.bias.head(d);
  }
  compression_.CalcVelocity(v, &u_);
  u_ += bias_;
  compression_.problem().b = u_;
  for (std::size_t i = 0; i < newton.size(); ++i) {
    const Cone& cone = compression_.cone(static_cast<int>(i));
    const int d = std::min(cone.dimension, set.contacts[active_[i]].dimension);
    compression_.problem().b[cone.offset] += newton[i] * u_[cone.offset];
    compression_.problem().b.segment(cone.offset + 1, d - 1) +=
        tangential[i] * u_.segment(cone.offset + 1, d - 1);
  }
  total_.setZero(compression_.size());
  ok_ = solver->Solve(compression_.problem(), &total_).ok();
}

void PoissonImpact::CalcRebound(const KktSolver& kkt, const VectorX& v) {
  CalcVelocity(kkt, v, &v_after_);
  compression_.CalcVelocity(v_after_, &u_);
  u_ += bias_;
  rebound_.setZero(compression_.num_contacts());
  for (int i = 0; i < compression_.num_contacts(); ++i) {
    const int o = compression_.offset(i);
    if (total_[o] > 0) rebound_[i] = std::max(0.0, u_[o]);
  }
}

/// (2): adds P_E to total_.
void PoissonImpact::Expand(const KktSolver& kkt, const VectorX& v, ConicSolver* solver) {
  const int n = compression_.num_contacts();
  p_.resize(n);
  for (int i = 0; i < n; ++i) {
    const int o = compression_.offset(i);
    p_[i] = set_->contacts[active_[i]].poisson * total_[o];
    total_[o] += p_[i];
  }
  CalcVelocity(kkt, v, &v_after_);
  expansion_.SetRows(*set_, active_, ContactProblem::Rows::kSplit);
  expansion_.FormDelassus(kkt);
  expansion_.CalcVelocity(v_after_, &expansion_.problem().b);
  r_.setZero(expansion_.size());
  for (int i = 0, block = 0; i < n; ++i, ++block) {
    const Contact& c = set_->contacts[active_[i]];
    expansion_.problem().b[expansion_.offset(block)] += c.bias[0];
    if (!expansion_.has_friction_block(block)) continue;
    ++block;
    const int d = expansion_.cone(block).dimension;
    expansion_.problem().b.segment(expansion_.offset(block), d) += c.bias.segment(1, d);
  }
  for (int k = 0; k < kMaxCorrections; ++k) {
    double change = 0, scale = 0;
    for (int i = 0, block = 0; i < n; ++i, ++block) {
      const double normal = p_[i] + r_[expansion_.offset(block)];
      if (!expansion_.has_friction_block(block)) continue;
      ++block;
      Cone& cone = expansion_.problem().cones[block];
      const double bound = set_->contacts[active_[i]].friction * normal;
      change = std::max(change, std::abs(bound - cone.bound));
      scale = std::max(scale, bound);
      cone.bound = bound;
    }
    if (k > 0 && change <= kBoundTolerance * scale) break;
    ok_ = solver->Solve(expansion_.problem(), &r_).ok() && ok_;
  }
  for (int i = 0, block = 0; i < n; ++i, ++block) {
    const int o = compression_.offset(i);
    total_[o] += r_[expansion_.offset(block)];
    if (!expansion_.has_friction_block(block)) continue;
    ++block;
    const int d = expansion_.cone(block).dimension;
    total_.segment(o + 1, d) += r_.segment(expansion_.offset(block), d);
  }
}

}  // namespace saltus
