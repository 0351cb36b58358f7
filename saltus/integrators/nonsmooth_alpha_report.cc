// What a step of NonsmoothAlpha reports: contacts, work, the audit numbers of the new state.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "saltus/integrators/nonsmooth_alpha_impl.h"

namespace saltus {

void NonsmoothAlpha::Impl::ReportContacts(System& system) {
  auto memory = start_->contacts.begin();
  system.CalcDifference(start_->q, q_, &delta_);
  nu_of_contact_.resize(static_cast<Eigen::Index>(unknowns_.size()));
  int count = 0;
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    const ContactUnknowns& known = unknowns_[i];
    if (!known.active) continue;
    const Contact& c = contacts_.contacts[i];
    while (memory != start_->contacts.end() && memory->key < c.key) ++memory;
    const bool closed_before = memory != start_->contacts.end() && memory->key == c.key;
    const Vector6 u_minus = CalcStartVelocity(system, c);
    const Vector6 u_smooth = CalcVelocity(contacts_, c, v_smooth_);
    ContactResult result;
    result.key = c.key;
    result.dimension = c.dimension;
    result.gap = c.gap - CalcNormalRow(contacts_, c, delta_);
    result.point = c.point;
    result.frame = c.frame;
    Vector3 spin;
    SplitRows(c, known.P, c.rows(), &result.impulse, &result.moment);
    SplitRows(c, CalcVelocity(contacts_, c, v_), c.rows(), &result.velocity, &spin);
    // An impact: newly closed, and approaching faster than the forces of one step explain.
    const double by_forces = std::abs(u_smooth[0] - u_minus[0]);
    result.impact = known.P[0] > 0 && !closed_before && -u_minus[0] > by_forces;
    if (result.impact) ++report_.impacts;
    report_.max_complementarity = std::max(
        report_.max_complementarity, std::abs(known.P[0] * (result.velocity[0] + known.shift)));
    report_.contacts.push_back(result);
    nu_of_contact_[count++] = known.nu[0];
  }
  nu_of_contact_.conservativeResize(count);
}

/// Impulses do work on the mean of v_n and v; what U did to the potential energy, compared with the
/// motion h (v_n + v)/2, is the entry of the projection.
void NonsmoothAlpha::Impl::ReportWork(System& system) {
  StepWork& work = report_.work;
  x_ = 0.5 * (start_->v + v_);
  bool pushed = false;
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    const Vector6& P = unknowns_[i].P;
    pushed = pushed || P[0] != 0 || unknowns_[i].nu[0] != 0;
    if (P.isZero(0)) continue;
    const Vector6 u = CalcRows(contacts_, contacts_.contacts[i], x_);
    work.impact_loss -= P[0] * u[0];
    work.friction_loss -= P.tail<5>().dot(u.tail<5>());
  }
  Eigen::Index o = 0;
  for (const DryFriction& friction : contacts_.frictions) {
    if (o + friction.dimension > friction_P_.size()) break;
    for (int k = friction.first_block; k < friction.first_block + friction.num_blocks; ++k) {
      const RowBlock& rb = contacts_.blocks[k];
      const VectorX u = contacts_.rows(rb, friction.dimension) * x_.segment(rb.dof, rb.columns);
      work.joint_friction_loss -= friction_P_.segment(o, friction.dimension).dot(u);
    }
    o += friction.dimension;
  }
  CalcLoadWork(system, *start_, h_, 0.5, q_, v_, &force_end_, &work);
  report_.constraint_impulse = Lambda_ + h_ * lambda_;
  if (system.traits().num_constraints > 0) {
    y_.noalias() = G_ * x_;
    for (Eigen::Index i = 0; i < g_t_.size(); ++i) {
      if (g_t_[i] == 0) continue;
      work.drives += (Lambda_[i] + 0.5 * h_ * (lambda_[i] + lambda_start_[i])) * y_[i];
    }
  }
  if (pushed) {
    x_ *= h_;
    system.Retract(start_->q, x_, &q_contacts_);
    work.projection =
        system.CalcEnergy(t_, q_, v_).total() - system.CalcEnergy(t_, q_contacts_, v_).total();
  }
}

void NonsmoothAlpha::Impl::Finish(System& system, State* state) {
  Remember(state);
  if (system.traits().has_contacts) {
    // Gaps of a frozen set are linear in q, and a contact that came late is not in it: what is
    // reported is found anew.
    if (frozen_) system.FindContacts(t_, q_, 0, &end_contacts_);
    for (const Contact& c : (frozen_ ? end_contacts_ : contacts_).contacts) {
      report_.max_penetration = std::max(report_.max_penetration, -c.gap);
    }
  }
  report_.max_constraint = report_.max_constraint_rate = 0;
  if (system.traits().num_constraints > 0) {
    report_.max_constraint = g_.lpNorm<Eigen::Infinity>();
    y_ = g_t_;
    y_.noalias() += G_ * v_;
    report_.max_constraint_rate = y_.lpNorm<Eigen::Infinity>();
  }
  state->time = t_;
  state->q = q_;
  state->v = v_;
}

/// Impulses for the next warm start, in world axes; contacts without impulse are forgotten.
void NonsmoothAlpha::Impl::Remember(State* state) const {
  state->contacts.clear();
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    if (unknowns_[i].P.isZero(0)) continue;
    const Contact& c = contacts_.contacts[i];
    state->contacts.push_back(MakeMemory(c, unknowns_[i].P, c.rows()));
  }
  Eigen::Index o = 0;
  for (const DryFriction& friction : contacts_.frictions) {
    if (o + friction.dimension > friction_P_.size()) break;
    ContactMemory memory;
    memory.key = friction.key;
    memory.impulse.head(friction.dimension) = friction_P_.segment(o, friction.dimension);
    o += friction.dimension;
    if (!memory.impulse.isZero(0)) state->contacts.push_back(memory);
  }
  std::sort(state->contacts.begin(), state->contacts.end(),
            [](const ContactMemory& a, const ContactMemory& b) { return a.key < b.key; });
}

void NonsmoothAlpha::Impl::NameCulprit(const System& system) {
  char text[64];
  switch (report_.status) {
    case StepStatus::kSolverNotConverged:
      report_.culprit = DescribeUnsolved(system, report_.solver_residual,
                                         worst_contact_ ? &*worst_contact_ : nullptr);
      break;
    case StepStatus::kNewtonNotConverged:
    case StepStatus::kConstraintFailed: {
      const Contact* deepest = nullptr;
      for (const Contact& c : contacts_.contacts) {
        if (deepest == nullptr || c.gap < deepest->gap) deepest = &c;
      }
      Eigen::Index worst = 0;
      if (deepest != nullptr && -deepest->gap > std::max(1e-10, report_.max_constraint)) {
        std::snprintf(text, sizeof(text), "penetration %.1e m at contact '", -deepest->gap);
        report_.culprit = text + system.ContactName(deepest->key) + "'; ";
      } else if (y_.size() > 0 && y_.size() == system.traits().num_constraints) {
        y_.cwiseAbs().maxCoeff(&worst);
        report_.culprit =
            "largest joint error at '" + system.ConstraintName(static_cast<int>(worst)) + "'; ";
      }
      report_.culprit += "try a smaller step or on_failure: halve";
      break;
    }
    default:
      break;
  }
}

}  // namespace saltus
