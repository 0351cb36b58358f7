// The audit of a run: its start, its steps, and where their worst values are.
#include <algorithm>
#include <limits>

#include "saltus/simulation/simulation.h"

namespace saltus {

void Simulation::AuditStart() {
  Audit& audit = checkpoint_.audit;
  if (audit.steps > 0 || checkpoint_.step_index > 0) return;
  const State& s = checkpoint_.state;
  system_->BeginStep(s);
  audit.energy_scale = CalcEnergyScale(*system_, s, basis_.scale);
  if (system_->traits().has_contacts) {
    audit.max_penetration = CalcPenetration(s);
    LocatePenetration();
  }
  if (system_->traits().num_constraints > 0) {
    VectorX g;
    system_->CalcConstraint(s.time, s.q, &g);
    audit.max_constraint = g.lpNorm<Eigen::Infinity>();
    LocateConstraint();
  }
}

void Simulation::Account(const StepReport& report, const Energy& before, const Energy& after) {
  Audit& audit = checkpoint_.audit;
  const State& s = checkpoint_.state;
  const bool is_deepest = report.max_penetration > audit.max_penetration;
  const bool is_widest = report.max_constraint > audit.max_constraint;
  audit.AddStep(report, before, after, s.time);
  for (const ContactResult& contact : report.contacts) {
    if (contact.impact) impacts_.push_back({s.time, contact.key, contact.impulse[0]});
  }
  if (!basis_.holds_positions) {
    audit.max_speed = std::max({audit.max_speed, system_->CalcSpeedBound(saved_.q, saved_.v),
                                system_->CalcSpeedBound(s.q, s.v)});
  }
  if (is_deepest) LocatePenetration();
  if (is_widest) LocateConstraint();
}

void Simulation::LocatePenetration() {
  Audit& audit = checkpoint_.audit;
  const AuditLimits limits = FillLimits(options_.limits, audit, basis_);
  if (audit.max_penetration <= *limits.max_penetration) return;
  const State& s = checkpoint_.state;
  system_->FindContacts(s.time, s.q, 0, &contacts_);
  double deepest = 0;
  audit.penetration_at = {s.time, {}};
  for (const Contact& c : contacts_.contacts) {
    if (-c.gap <= deepest) continue;
    deepest = -c.gap;
    audit.penetration_at.key = c.key;
  }
}

void Simulation::LocateConstraint() {
  Audit& audit = checkpoint_.audit;
  const AuditLimits limits = FillLimits(options_.limits, audit, basis_);
  if (audit.max_constraint <= *limits.max_constraint) return;
  const State& s = checkpoint_.state;
  VectorX g;
  system_->CalcConstraint(s.time, s.q, &g);
  Eigen::Index row = 0;
  g.cwiseAbs().maxCoeff(&row);
  audit.constraint_at = {s.time, {static_cast<std::uint64_t>(row), 0}};
}

Verdict Simulation::MakeVerdict() const {
  return saltus::MakeVerdict(checkpoint_.audit, options_.limits, basis_, *system_);
}

void Simulation::Judge(RunOutcome* outcome) const {
  const Verdict verdict = MakeVerdict();
  outcome->violations.clear();
  for (const Violation& violation : verdict.violations) {
    outcome->violations.push_back(violation.sentence);
  }
  outcome->verdict = verdict.line();
}

}  // namespace saltus
