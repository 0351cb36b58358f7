#include "saltus/events/event_driven.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/math/root_finding.h"

namespace saltus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// A flight shorter than this share of a step is not resolved.
constexpr double kShortestFlight = 1e-9;
constexpr int kMaxCorrections = 5;
/// The first step after an event is at most this many times the last one, which ended at the event:
/// flights between impacts are about as long as the one before.
constexpr double kGrowthAfterEvent = 5;
/// Events are looked for in quarters of a step: one that spans more outputs would miss them.
constexpr double kOutputsPerStep = 10;
/// |g| that projections leave, m.
constexpr double kProjectionTolerance = 1e-13;

void RemoveContact(const ContactKey& key, ContactSet* set) {
  ContactSet rest;
  for (const Contact& c : set->contacts) {
    if (c.key == key) continue;
    rest.contacts.push_back(c);
    rest.contacts.back().first_block = rest.CopyBlocks(*set, c);
  }
  *set = rest;
}

}  // namespace

EventDriven::EventDriven(const EventDrivenOptions& options)
    : options_(options), run_(MakeDaeSolver(options.solver, options.method), options.control) {
  if (run_.solver().error_order() == 0) {
    throw InputError("solver", options.solver + " has no error control",
                     "choose hem5, phem56, dopri5 or alpha-index2");
  }
}

bool EventDriven::Fail(StepStatus status, const std::string& culprit) {
  report_.status = status;
  report_.culprit = culprit;
  return false;
}

bool EventDriven::IsClosed(const ContactKey& key) const {
  const auto& closed = held_->closed().contacts;
  return std::any_of(closed.begin(), closed.end(), [&](const Contact& c) { return c.key == key; });
}

bool EventDriven::IsSeparating(const ContactKey& key) const {
  return std::find(separating_.begin(), separating_.end(), key) != separating_.end();
}

void EventDriven::Record(const EventRecord& event) {
  events_.push_back(event);
  events_.back().name = system_->ContactName(event.contact);
}

void EventDriven::Prepare(System* system, const State& state) {
  const bool same = held_ != nullptr && system_ == system && state.time == last_time_ &&
                    state.q == last_q_ && state.v == last_v_;
  if (same) return;
  if (state.internal.size() > 0) {
    throw InputError("simulation.integrator",
                     "event-driven cannot treat bonds, whose damage has a history",
                     "choose moreau-jean");
  }
  system_ = system;
  system_->BeginStep(state);
  system_->FindContacts(state.time, state.q, kInfinity, &contacts_);
  RefuseFriction(*system_, contacts_);
  next_step_ = options_.control.first_step;
  plastic_.clear();
  HandleEvent({state.time, state.q, state.v});
}

/// Impacts, closed contacts, a new phase from `point`.
bool EventDriven::HandleEvent(DaePoint point) {
  event_is_due_ = false;
  std::vector<ImpactResult> impacts;
  if (!SolveImpact(system_, point.t, point.q, plastic_, options_.tolerances, &point.v, &impacts)) {
    return Fail(StepStatus::kSolverNotConverged, "the impact has no solution");
  }
  for (const ImpactResult& impact : impacts) {
    const Contact& c = impact.contact;
    Record({point.t, EventRecord::Kind::kImpact, c.key, "", impact.velocity_before,
            impact.velocity_after, impact.impulse});
    ContactResult result;
    result.key = c.key;
    result.dimension = c.dimension;
    result.gap = c.gap;
    result.point = c.point;
    result.frame = c.frame;
    result.impulse[0] = impact.impulse;
    result.velocity[0] = impact.velocity_after;
    result.impact = true;
    report_.contacts.push_back(result);
    report_.work.impact_loss -=
        0.5 * impact.impulse * (impact.velocity_before + impact.velocity_after);
    ++report_.impacts;
  }
  ContactSet closed;
  if (!FindClosed(system_, point, plastic_, options_.tolerances, &closed, &separating_)) {
    return Fail(StepStatus::kSolverNotConverged, "the forces of closed contacts have no solution");
  }
  plastic_.clear();
  if (!events_.empty() && events_.back().kind == EventRecord::Kind::kDetachment &&
      std::abs(events_.back().time - point.t) <= options_.tolerances.time * (1 + point.t)) {
    RemoveContact(events_.back().contact, &closed);  // λ = 0 and ü = 0 decide nothing: λ falls
    separating_.push_back(events_.back().contact);
  }
  for (const Contact& c : closed.contacts) {
    if (held_ == nullptr || !IsClosed(c.key)) {
      Record({point.t, EventRecord::Kind::kClosing, c.key, "", 0, 0, 0});
    }
  }
  const std::size_t many = static_cast<std::size_t>(options_.max_events);
  if (events_.size() > many &&
      point.t - events_[events_.size() - many].time < 1e-6 * (1 + std::abs(point.t))) {
    return Fail(StepStatus::kSolverNotConverged,
                "impacts accumulate at contact '" + events_.back().name +
                    "'; choose moreau-jean, or a larger velocity_tolerance");
  }
  return StartPhase(point, closed);
}

bool EventDriven::StartPhase(DaePoint point, const ContactSet& closed) {
  held_ = std::make_unique<HeldSystem>(system_, closed, point.q);
  terms_ = std::make_unique<DaeTerms>(held_.get());
  terms_->Start(point.t, point.q);
  if (!terms_->ProjectPosition(point.t, kProjectionTolerance, &point.q) ||
      !terms_->ProjectVelocity(point.t, point.q, &point.v)) {
    return Fail(StepStatus::kConstraintFailed, "joints and closed contacts cannot hold together");
  }
  run_.Start(terms_.get(), point);
  if (next_step_ > 0) run_.SetNextStep(next_step_);
  return true;
}

void EventDriven::CalcContacts(double theta, double margin, ContactSet* contacts) {
  DaeSolver& solver = run_.solver();
  solver.CalcDense(theta, &q_, &v_);
  system_->FindContacts(solver.start().t + theta * solver.step(), q_, margin, contacts);
}

double EventDriven::CalcGap(const ContactKey& key, double theta) {
  const DaeSolver& solver = run_.solver();
  const double reach = 2 * solver.step() * system_->CalcSpeedBound(solver.end().q, solver.end().v);
  CalcContacts(theta, reach + 10 * options_.tolerances.gap, &contacts_);
  for (const Contact& c : contacts_.contacts) {
    if (c.key == key) return c.gap;
  }
  return kInfinity;
}

/// (1): the first of the contacts that have penetrated at the end of a quarter.
void EventDriven::FindImpact(Event* event) {
  double last = 0;
  for (const double theta : {0.25, 0.5, 0.75, 1.0}) {
    ContactSet hits;
    CalcContacts(theta, 0, &hits);
    for (const Contact& c : hits.contacts) {
      if (!(c.gap < 0) || IsClosed(c.key)) continue;
      double before = last;
      if (last == 0 && IsSeparating(c.key)) {  // it starts at zero: look for a positive gap
        before = 0.5 * theta;
        while (before > kShortestFlight && !(CalcGap(c.key, before) > 0)) before *= 0.5;
        if (!(before > kShortestFlight)) {
          plastic_.push_back(c.key);
          *event = {0, true, c.key};
          return;
        }
      }
      const auto gap = [&](double x) {
        return std::min(CalcGap(c.key, x), 1e3 * std::abs(c.gap) + 1);  // finite for Brent
      };
      const Root root = FindRootBrent(gap, before, theta, {.tolerance = 1e-14});
      if (root.x < event->theta) *event = {root.x, true, c.key};
    }
    if (event->theta <= 1) return;
    last = theta;
  }
}

/// (2).
void EventDriven::FindDetachment(Event* event) {
  const auto& closed = held_->closed().contacts;
  const int joints = held_->num_joint_rows();
  if (closed.empty()) return;
  const auto force = [&](std::size_t i, double theta) {
    if (!run_.solver().CalcDenseForces(theta, &a_, &lambda_)) return 0.0;
    return lambda_[joints + static_cast<Eigen::Index>(i)];
  };
  double last = 0;
  for (const double theta : {0.25, 0.5, 0.75, 1.0}) {
    for (std::size_t i = 0; i < closed.size(); ++i) {
      if (force(i, theta) >= 0) continue;
      double root = last;
      if (force(i, last) > 0) {
        root =
            FindRootBrent([&](double x) { return force(i, x); }, last, theta, {.tolerance = 1e-14})
                .x;
      }
      if (root < event->theta) *event = {root, false, closed[i].key};
    }
    if (event->theta <= theta) return;
    last = theta;
  }
}

EventDriven::Event EventDriven::FindFirstEvent() {
  Event event;
  if (!system_->traits().has_contacts) return event;
  FindImpact(&event);
  FindDetachment(&event);
  return event;
}

/// Repeats the step so that it ends at the event.
bool EventDriven::CutStep(const Event& event) {
  DaeSolver& solver = run_.solver();
  const DaePoint start = solver.start();
  const VectorX memory = solver.MakeMemory();
  double h = event.theta * solver.step();
  const double smallest = options_.tolerances.time;
  for (int k = 0; h > smallest; ++k) {
    solver.Start(terms_.get(), start);
    solver.Recall(memory);
    if (!solver.TryStep(h).ok()) {
      return Fail(StepStatus::kNewtonNotConverged, "the step that ends at an event failed");
    }
    solver.Accept();
    if (!event.impact || k == kMaxCorrections) return true;
    system_->FindContacts(solver.end().t, solver.end().q, 1e6 * options_.tolerances.gap + 1e-3,
                          &contacts_);
    const auto hit = std::find_if(contacts_.contacts.begin(), contacts_.contacts.end(),
                                  [&](const Contact& c) { return c.key == event.key; });
    if (hit == contacts_.contacts.end()) return true;
    const double u = CalcNormalVelocity(contacts_, *hit, solver.end().v);
    const double correction = u < 0 ? -hit->gap / u : 0;
    if (std::abs(correction) <= 4e-16 * (std::abs(solver.end().t) + h)) return true;
    h += correction;
  }
  solver.Start(terms_.get(), start);  // at once: the step has no length
  return true;
}

/// One solver step, or up to the next event.
bool EventDriven::AdvanceOnce() {
  std::string failure;
  if (event_is_due_ && !HandleEvent(run_.solver().point())) return false;
  run_.SetNextStep(std::min(run_.next_step(), max_step_));
  if (!run_.Advance(kInfinity, &failure)) {
    return Fail(StepStatus::kNewtonNotConverged, options_.solver + ": " + failure);
  }
  next_step_ = run_.next_step();
  const Event event = FindFirstEvent();
  if (event.theta > 1) {
    const DaeSolver& solver = run_.solver();
    std::erase_if(separating_,
                  [&](const ContactKey& key) { return CalcGap(key, 1) > options_.tolerances.gap; });
    return solver.end().t > solver.start().t;
  }
  event_is_due_ = true;
  if (!event.impact) {
    Record({run_.solver().start().t + event.theta * run_.solver().step(),
            EventRecord::Kind::kDetachment, event.key, "", 0, 0, 0});
  }
  if (!CutStep(event)) return false;
  const double length = run_.solver().point().t - run_.solver().start().t;
  if (length > 0) next_step_ = std::min(next_step_, kGrowthAfterEvent * length);
  return true;
}

/// As in SmoothIntegrator, with the forces of closed contacts.
void EventDriven::AddWork(double t0, double t1) {
  constexpr double kNodes[] = {-0.7745966692414834, 0, 0.7745966692414834};
  constexpr double kWeights[] = {5 / 18.0, 8 / 18.0, 5 / 18.0};
  DaeSolver& solver = run_.solver();
  const int joints = held_->num_joint_rows();
  for (int k = 0; k < 3; ++k) {
    const double t = 0.5 * (t0 + t1) + 0.5 * (t1 - t0) * kNodes[k];
    const double weight = kWeights[k] * (t1 - t0);
    solver.CalcDense((t - solver.start().t) / solver.step(), &q_, &v_);
    system_->CalcNonconservativeForce(t, q_, v_, &f_);
    report_.work.loads += weight * f_.dot(v_);
    if (held_->traits().num_constraints == 0) continue;
    if (!terms_->CalcAcceleration(t, q_, v_, &a_, &g_t_)) continue;
    terms_->ExpandMultipliers(g_t_, &lambda_);
    report_.constraint_impulse += weight * lambda_.head(joints);
    held_->CalcConstraintRate(t, q_, &g_t_);
    report_.work.drives -= weight * lambda_.dot(g_t_);
    const auto& closed = held_->closed().contacts;
    for (std::size_t i = 0; i < closed.size(); ++i) {
      const auto same = [&](const ContactResult& r) { return r.key == closed[i].key && !r.impact; };
      auto result = std::find_if(report_.contacts.begin(), report_.contacts.end(), same);
      if (result == report_.contacts.end()) {
        ContactResult fresh;
        fresh.key = closed[i].key;
        fresh.dimension = closed[i].dimension;
        fresh.point = closed[i].point;
        fresh.frame = closed[i].frame;
        report_.contacts.push_back(fresh);
        result = report_.contacts.end() - 1;
      }
      result->impulse[0] += weight * lambda_[joints + static_cast<Eigen::Index>(i)];
    }
  }
}

const StepReport& EventDriven::Step(System& system, double h, State* state) {
  report_.Clear(h);
  report_.constraint_impulse.setZero(system.traits().num_constraints);
  Prepare(&system, *state);
  if (!report_.ok()) return report_;
  const double target = state->time + h;
  max_step_ = kOutputsPerStep * h;
  DaeSolver& solver = run_.solver();
  for (double t = state->time; t < target;) {
    if (solver.point().t <= t) {
      if (!AdvanceOnce()) return report_;
      if (solver.point().t <= t) continue;  // an event without a step before it
    }
    const double next = std::min(solver.end().t, target);
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
  std::sort(report_.contacts.begin(), report_.contacts.end(),
            [](const ContactResult& x, const ContactResult& y) { return x.key < y.key; });
  system.EndStep(state);
  last_time_ = target;
  last_q_ = state->q;
  last_v_ = state->v;
  return report_;
}

}  // namespace saltus
