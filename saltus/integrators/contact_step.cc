#include "saltus/integrators/contact_step.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/dynamics/contact_memory.h"

namespace saltus {
namespace {

/// Share of the radius of the cone within which an impulse counts as inside.
constexpr double kInside = 1e-6;

}  // namespace

void ContactStep::SetRows(const ContactSet& condition, const ContactSet& force) {
  set_ = &condition;
  all_.resize(condition.contacts.size());
  std::iota(all_.begin(), all_.end(), 0);
  condition_.SetRows(condition, all_, ContactProblem::Rows::kAll);
  if (&force != &condition) force_.SetRows(force, all_, ContactProblem::Rows::kAll);
  separate_ = &force != &condition;
  const int n = condition_.size();
  if (r_.size() != n) r_.setZero(n);
  if (shift_.size() != n) shift_.setZero(n);
  bias_.setZero(n);
  for (int i = 0; i < condition_.num_blocks(); ++i) {
    const int o = condition_.offset(i), d = condition_.cone(i).dimension;
    const int m = i - condition_.num_contacts();
    if (m >= 0) {
      bias_.segment(o, d) = condition.frictions[m].bias.head(d);
    } else {
      const Contact& c = condition.contacts[i];
      const int k = std::min(d, c.dimension);
      bias_.segment(o, k) = c.bias.head(k);
    }
  }
}

void ContactStep::Recall(const std::vector<ContactMemory>& memory) {
  r_.setZero(condition_.size());
  for (int i = 0; i < condition_.num_blocks(); ++i) {
    const int o = condition_.offset(i), d = condition_.cone(i).dimension;
    const int m = i - condition_.num_contacts();
    const ContactKey& key = m < 0 ? set_->contacts[i].key : set_->frictions[m].key;
    const ContactMemory* found = FindMemory(memory, key);
    if (found == nullptr) continue;
    if (m >= 0) {
      r_.segment(o, d) = found->impulse.head(d);
      continue;
    }
    const Contact& c = set_->contacts[i];
    const Vector3 impulse = c.frame.transpose() * found->impulse;
    const Vector3 moment = c.frame.transpose() * found->moment;
    for (int k = 0; k < d; ++k) r_[o + k] = JoinRow(c, impulse, moment, k);
  }
}

void ContactStep::Store(const ContactSet& set, std::vector<ContactMemory>* memory) const {
  memory->clear();
  for (int i = 0; i < condition_.num_blocks(); ++i) {
    const int o = condition_.offset(i), d = condition_.cone(i).dimension;
    if (r_.segment(o, d).isZero(0)) continue;
    const int m = i - condition_.num_contacts();
    if (m < 0) {
      memory->push_back(MakeMemory(set.contacts[i], r_.segment(o, d), d));
      continue;
    }
    ContactMemory& entry = memory->emplace_back();
    entry.key = set.frictions[m].key;
    entry.impulse.head(d) = r_.segment(o, d);
  }
  std::sort(memory->begin(), memory->end(),
            [](const ContactMemory& a, const ContactMemory& b) { return a.key < b.key; });
}

bool ContactStep::Solve(const KktSolver& kkt, const VectorX& rhs, const VectorX& c, double h,
                        const Target& target, VectorX* v, VectorX* lambda) {
  rhs_ = rhs;
  if (separate_) {
    force_.AddForce(r_, &rhs_);
    u_ = -r_;
    condition_.AddForce(u_, &rhs_);
  }
  if (!kkt.Solve(rhs_, c, &v_free_, &change_) && kkt.outcome() != KktOutcome::kInconsistent) {
    return false;
  }
  if (condition_.num_blocks() > 0) {
    condition_.FormDelassus(kkt);
    change_ += *lambda;
    condition_.SetFrictionBounds(h, change_);
    condition_.CalcVelocity(v_free_, &u_);
    ConicProblem& problem = condition_.problem();
    problem.b = u_ + bias_ + shift_;
    for (int i = 0; i < condition_.num_contacts(); ++i) problem.cones[i].sticks = sticks(i);
    SolveTarget goal = solver_->default_target();
    goal.velocity_aim = target.aim;
    goal.velocity_limit = target.limit;
    const SolveReport report = solver_->Solve(problem, goal, &r_);
    iterations_ += report.iterations;
    relative_ = report.residual.relative;
    error_ = report.residual.velocity;
    worst_ = report.residual.worst_block;
    accepted_ = report.accepted();
    if (report.status == SolveStatus::kNotFinite) return false;
    condition_.AddForce(r_, &rhs_);
    if (!kkt.Solve(rhs_, c, v, &change_) && kkt.outcome() != KktOutcome::kInconsistent) {
      return false;
    }
    condition_.CalcVelocity(*v, &u_);
    u_ += bias_;
  } else {
    *v = v_free_;
  }
  *lambda += change_;
  return v->allFinite() && lambda->allFinite();
}

Vector3 ContactStep::Pick(int contact, const GrowingVector& x) const {
  Vector3 part = Vector3::Zero();
  const int d = std::min(condition_.cone(contact).dimension, set_->contacts[contact].dimension);
  part.head(d) = x.segment(condition_.offset(contact), d);
  return part;
}

bool ContactStep::sticks(int contact) const {
  const Contact& c = set_->contacts[contact];
  const Vector3 P = impulse(contact);
  return c.friction > 0 && c.dimension > 1 && P[0] > 0 &&
         P.tail<2>().norm() < (1 - kInside) * c.friction * P[0];
}

std::string ContactStep::NameWorst(const System& system) const {
  if (worst_ < 0) return "a contact";
  if (worst_ >= condition_.num_contacts()) {
    return "friction '" +
           system.ContactName(set_->frictions[worst_ - condition_.num_contacts()].key) + "'";
  }
  return "contact '" + system.ContactName(set_->contacts[worst_].key) + "'";
}

}  // namespace saltus
