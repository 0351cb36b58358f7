#include "saltus/events/smooth_integrator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"

namespace saltus {
namespace {

/// A continued run repeats its step to rounding: a sparse factorisation may choose other pivots.
constexpr double kSameState = 1e-10;

std::string StartKey(const std::string& name) { return name + ".start"; }
std::string MemoryKey(const std::string& name) { return name + ".memory"; }

bool Near(const VectorX& x, const VectorX& y) {
  return x.size() == y.size() && (x - y).norm() <= kSameState * (1 + x.norm());
}

}  // namespace

SmoothIntegrator::SmoothIntegrator(const SmoothIntegratorOptions& options)
    : options_(options), run_(MakeDaeSolver(options.solver, options.method), options.control) {}

/// The solver stands at the state: goes on, resumes from memory, or starts.
void SmoothIntegrator::Prepare(System* system, const State& state) {
  const bool same_system = terms_ != nullptr && system_ == system;
  if (same_system && state.time == last_time_ && state.q == last_q_ && state.v == last_v_) return;
  if (state.internal.size() > 0) {
    throw InputError("simulation.integrator",
                     name() + " cannot treat bonds, whose damage has a history",
                     "choose moreau-jean");
  }
  system_ = system;
  system_->BeginStep(state);
  RefuseContactsAt(state.time, state.q);
  terms_ = std::make_unique<DaeTerms>(system, options_.baumgarte, options_.formulation);
  if (!Resume(state)) run_.Start(terms_.get(), {state.time, state.q, state.v});
}

bool SmoothIntegrator::Resume(const State& state) {
  const auto start = state.integrator.find(StartKey(name()));
  const auto memory = state.integrator.find(MemoryKey(name()));
  if (start == state.integrator.end() || memory == state.integrator.end()) return false;
  const Eigen::Index nq = state.q.size(), nv = state.v.size();
  if (start->second.size() != 1 + nq + nv) return false;
  const DaePoint point{start->second[0], start->second.segment(1, nq), start->second.tail(nv)};
  if (!run_.Resume(terms_.get(), point, memory->second)) return false;
  const DaeSolver& solver = run_.solver();
  const double theta = (state.time - point.t) / solver.step();
  if (!(theta >= 0 && theta <= 1 + kSameState)) return false;
  run_.solver().CalcDense(theta, &q_, &v_);
  return Near(state.q, q_) && Near(state.v, v_);
}

void SmoothIntegrator::Remember(State* state) const {
  const DaePoint& start = run_.solver().start();
  VectorX& packed = state->integrator[StartKey(name())];
  packed.resize(1 + start.q.size() + start.v.size());
  packed << start.t, start.q, start.v;
  state->integrator[MemoryKey(name())] = run_.MakeMemory();
}

void SmoothIntegrator::RefuseContactsAt(double t, const VectorX& q) {
  system_->FindContacts(t, q, std::numeric_limits<double>::min(), &contacts_);
  const char* others = "choose event-driven (no friction), moreau-jean or nonsmooth-alpha";
  for (const DryFriction& friction : contacts_.frictions) {
    throw InputError("joint '" + system_->ContactName(friction.key) + "'",
                     "has dry friction; " + name() + " integrates smooth motion only", others);
  }
  for (const Contact& contact : contacts_.contacts) {
    if (contact.gap > 0) continue;
    throw InputError("contact '" + system_->ContactName(contact.key) + "'",
                     "closes before t = " + std::to_string(t) + " s; " + name() +
                         " integrates smooth motion only",
                     others);
  }
}

void SmoothIntegrator::RefuseContacts(double t0, double t1) {
  if (!system_->traits().has_contacts) return;
  DaeSolver& solver = run_.solver();
  const double start = solver.start().t, h = solver.step();
  for (const double t : {start + 0.25 * h, start + 0.5 * h, start + 0.75 * h, t1}) {
    if (!(t > t0 && t <= t1)) continue;
    solver.CalcDense((t - start) / h, &q_, &v_);
    RefuseContactsAt(t, q_);
  }
}

/// (1) over [t0, t1] inside the last solver step.
void SmoothIntegrator::AddWork(double t0, double t1) {
  constexpr double kNodes[] = {-0.7745966692414834, 0, 0.7745966692414834};
  constexpr double kWeights[] = {5 / 18.0, 8 / 18.0, 5 / 18.0};
  DaeSolver& solver = run_.solver();
  const bool joints = system_->traits().num_constraints > 0;
  for (int k = 0; k < 3; ++k) {
    const double t = 0.5 * (t0 + t1) + 0.5 * (t1 - t0) * kNodes[k];
    const double theta = (t - solver.start().t) / solver.step();
    const double weight = kWeights[k] * (t1 - t0);
    solver.CalcDense(theta, &q_, &v_);
    system_->CalcNonconservativeForce(t, q_, v_, &f_);
    report_.work.loads += weight * f_.dot(v_);
    if (system_->traits().has_contact_forces) {
      system_->CalcContactForce(t, q_, v_, &f_);
      report_.work.contact_loss -= weight * f_.dot(v_);
      report_.work.loads -= weight * f_.dot(v_);
    }
    if (!joints) continue;
    if (!terms_->CalcAcceleration(t, q_, v_, &a_, &g_t_)) continue;
    terms_->ExpandMultipliers(g_t_, &lambda_);
    report_.constraint_impulse += weight * lambda_;
    system_->CalcConstraintRate(t, q_, &g_t_);
    report_.work.drives -= weight * lambda_.dot(g_t_);
  }
}

/// One solver step.
bool SmoothIntegrator::AdvanceOnce(double target) {
  const bool fixed = run_.solver().error_order() == 0;
  std::string failure;
  if (!run_.Advance(fixed ? target : std::numeric_limits<double>::infinity(), &failure)) {
    report_.status = StepStatus::kNewtonNotConverged;
    report_.culprit = name() + ": " + failure;
    return false;
  }
  return true;
}

const StepReport& SmoothIntegrator::Step(System& system, double h, State* state) {
  Prepare(&system, *state);
  report_.Clear(h);
  report_.constraint_impulse.setZero(system.traits().num_constraints);
  const double target = state->time + h;
  DaeSolver& solver = run_.solver();
  if (solver.error_order() == 0) {
    const double first = options_.control.first_step;
    run_.SetNextStep(first > 0 ? std::min(first, h) : h);
  }
  double t = state->time;
  while (t < target) {
    if (solver.point().t <= t && !AdvanceOnce(target)) return report_;
    const double next = std::min(solver.end().t, target);
    RefuseContacts(t, next);
    AddWork(t, next);
    t = next;
  }
  const double theta = (target - solver.start().t) / solver.step();
  solver.CalcDense(std::min(theta, 1.0), &state->q, &state->v);
  state->time = target;
  terms_->CalcConstraint(target, state->q, &g_t_);
  report_.max_constraint = g_t_.size() > 0 ? g_t_.lpNorm<Eigen::Infinity>() : 0;
  terms_->CalcHiddenConstraint(target, state->q, state->v, &g_t_);
  report_.max_constraint_rate = g_t_.size() > 0 ? g_t_.lpNorm<Eigen::Infinity>() : 0;
  system.EndStep(state);
  Remember(state);
  last_time_ = target;
  last_q_ = state->q;
  last_v_ = state->v;
  return report_;
}

}  // namespace saltus
