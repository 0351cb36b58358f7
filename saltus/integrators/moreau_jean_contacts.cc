// Moreau–Jean: which contacts take part in a step, with which rows and laws.
#include <algorithm>
#include <cmath>

#include "saltus/dynamics/contact_memory.h"
#include "saltus/integrators/moreau_jean_stepper.h"

namespace saltus {
namespace {

using Rows = MoreauJeanOptions::Rows;
using Activation = MoreauJeanOptions::Activation;

/// Gaps up to this count as closed by rounding, m.
constexpr double kGapRounding = 1e-12;
/// How often contacts that overlap are added before the step fails.
constexpr int kMaxAdmissions = 10;
/// The contact solver aims at its tolerance times what the forces of a step do to a velocity, and
/// is accepted up to kAccept of that and of a share of the approach speeds.
constexpr double kAccept = 1e-2, kApproachShare = 0.1;
/// Share of the largest speed by which linearized activation reaches beyond v_n; what closes in
/// spite of it is added.
constexpr double kReserve = 0.1;
/// Cosine of the angle up to which two axes of a pair show the same sides of it.
constexpr double kSameAxis = 0.95;

}  // namespace

bool MoreauJean::Stepper::WasLoaded(const ContactKey& key) const {
  return FindMemory(equations_.start().contacts, key) != nullptr;
}

void MoreauJean::Stepper::Activate() {
  const State& start = equations_.start();
  const bool free_end = options_.activation == Activation::kFreeEnd;
  lists_.chosen.clear();
  if (equations_.system().traits().has_contacts) {
    if (free_end) {
      ChooseAtFreeEnd();
    } else {
      ChooseByPrediction();
    }
  }
  contacts_.Begin(start.time, start.q, found_.set, lists_.chosen);
  if (equations_.system().traits().has_contacts && free_end) AddUnknownPairs();
  Classify();
  laws_.SetRows(contacts_.start(), contacts_.start());
  laws_.Recall(start.contacts);
  SetShifts();
  position_.Reset(contacts_.size());
  stuck_.assign(static_cast<std::size_t>(contacts_.size()), 0);
}

/// (7). A feature of the start takes part if it closes and its pair really overlaps at the free
/// end, or has passed through; a body that flies by an edge closes features but does not overlap.
void MoreauJean::Stepper::ChooseAtFreeEnd() {
  System& system = equations_.system();
  const State& start = equations_.start();
  const double theta = equations_.theta();
  equations_.kkt().Solve(rhs_, c_, &v_new_, nullptr);
  scratch_ = equations_.h() * ((1 - theta) * start.v + theta * v_new_);
  system.Retract(start.q, scratch_, &q_free_);
  system.FindContacts(equations_.t(), q_free_, kGapRounding, &rows_.free_end);
  // Angular limits are found wherever they are.
  std::erase_if(rows_.free_end.contacts, [](const Contact& c) { return c.gap > kGapRounding; });
  lists_.passed.clear();
  system.FindTunnelled(equations_.t(), start.q, q_free_, &lists_.passed);
  std::vector<std::uint64_t>& pairs = lists_.pairs;
  pairs.clear();
  for (const Contact& c : rows_.free_end.contacts) pairs.push_back(c.key.pair);
  for (const HeldAxis& axis : lists_.passed) pairs.push_back(axis.pair);
  std::sort(pairs.begin(), pairs.end());
  const std::vector<Contact>& found = found_.set.contacts;
  std::vector<int>& suspects = lists_.suspects;
  suspects.clear();
  for (int i = 0; i < static_cast<int>(found.size()); ++i) {
    if (std::binary_search(pairs.begin(), pairs.end(), found[i].key.pair)) suspects.push_back(i);
  }
  SelectContacts(found_.set, suspects, &rows_.condition);
  system.UpdateContacts(equations_.t(), q_free_, start.q, rows_.condition, &rows_.force);
  const double closed_gap = CalcClosedGap();
  std::size_t k = 0;
  for (int i = 0; i < static_cast<int>(found.size()); ++i) {
    const bool suspect = k < suspects.size() && suspects[k] == i;
    // A gap that is NaN takes part, so that the step fails.
    const bool closes = suspect && !(rows_.force.contacts[k].gap > kGapRounding);
    if (suspect) ++k;
    const bool closed = found[i].gap <= closed_gap && WasLoaded(found[i].key);
    if (closes || closed) lists_.chosen.push_back(i);
  }
}

/// Pairs that overlap at the free end without a feature of the start that closes.
void MoreauJean::Stepper::AddUnknownPairs() {
  lists_.chosen.clear();
  const std::vector<Contact>& in = contacts_.start().contacts;
  for (int i = 0; i < static_cast<int>(rows_.free_end.contacts.size()); ++i) {
    const std::uint64_t pair = rows_.free_end.contacts[i].key.pair;
    const auto same =
        std::lower_bound(in.begin(), in.end(), pair,
                         [](const Contact& c, std::uint64_t p) { return c.key.pair < p; });
    if (same == in.end() || same->key.pair != pair) lists_.chosen.push_back(i);
  }
  contacts_.Add(equations_.system(), q_free_, rows_.free_end, lists_.chosen);
}

/// (8) and (9).
void MoreauJean::Stepper::ChooseByPrediction() {
  const double h = equations_.h();
  const bool linearized = options_.activation == Activation::kLinearized;
  const double reserve = kReserve * scales_.speed_bound + 2 * h * scales_.acceleration_bound;
  const std::vector<Contact>& found = found_.set.contacts;
  for (int i = 0; i < static_cast<int>(found.size()); ++i) {
    const Contact& c = found[i];
    const double u = CalcContactVelocity(found_.set, c, equations_.start().v)[0];
    const bool near = linearized ? !options_.projection || c.gap + h * (u - reserve) <= 0
                                 : c.gap + options_.gamma * h * u <= kGapRounding;
    if (near) lists_.chosen.push_back(i);
  }
}

void MoreauJean::Stepper::Classify() {
  contacts_.Classify(equations_.kkt(), equations_.start().v, scales_.acceleration, equations_.h(),
                     options_.restitution_threshold, CalcClosedGap());
  hit_.resize(contacts_.roles().size());
  for (std::size_t i = 0; i < hit_.size(); ++i) hit_[i] = contacts_.roles()[i].impact;
}

/// (12). True also if there is nothing to solve by itself.
bool MoreauJean::Stepper::SolveImpact() {
  const std::vector<StepContacts::Role>& roles = contacts_.roles();
  const std::vector<Contact>& list = contacts_.start().contacts;
  impact_.exists = false;
  impact_.ok = true;
  bool poisson = false;
  for (int i = 0; i < contacts_.size(); ++i) {
    poisson = poisson || (roles[i].bouncing && list[i].poisson > 0);
  }
  if (!poisson && !equations_.has_joints()) return true;
  std::vector<int> hit;
  std::vector<double> newton, tangential;
  for (int i = 0; i < contacts_.size(); ++i) {
    if (!roles[i].impact) continue;
    hit.push_back(i);
    newton.push_back(roles[i].bouncing ? list[i].restitution : 0.0);
    const bool fast = -roles[i].approach[0] > roles[i].unresolved;
    tangential.push_back(fast ? list[i].restitution_tangential : 0.0);
  }
  if (!equations_.FactorAtStart()) return false;
  impact_law_.SolveAll(contacts_.start(), hit, newton, tangential, equations_.kkt(),
                       equations_.start().v, impact_solver_.get());
  impact_.exists = true;
  impact_.ok = impact_law_.ok();
  scratch_ = impact_law_.velocity() - equations_.start().v;
  equations_.M().Multiply(scratch_, &impact_.momentum);
  impact_.lambda = impact_law_.joint_impulse();
  impact_.r.setZero(laws_.rows().size());
  impact_.rebound.assign(roles.size(), 0.0);
  int o = 0;
  for (std::size_t j = 0; j < hit.size(); ++j) {
    const int d = laws_.rows().cone(hit[j]).dimension;
    impact_.r.segment(laws_.rows().offset(hit[j]), d) = impact_law_.impulse().segment(o, d);
    impact_.rebound[hit[j]] = impact_law_.rebound()[static_cast<Eigen::Index>(j)];
    o += d;
  }
  SetShifts();
  return true;
}

/// Rows at the iterate (10).
void MoreauJean::Stepper::SetRows() {
  const Rows rows = options_.contact_rows;
  const bool none = contacts_.size() == 0 && contacts_.start().frictions.empty();
  if (none || rows == Rows::kStart) return laws_.SetRows(contacts_.start(), contacts_.start());
  contacts_.MoveTo(equations_.system(),
                   equations_.start().time + equations_.theta() * equations_.h(),
                   equations_.q_theta(), equations_.t(), equations_.q());
  if (rows == Rows::kTheta) return laws_.SetRows(contacts_.middle(), contacts_.middle());
  if (rows == Rows::kEnd) return laws_.SetRows(contacts_.end(), contacts_.end());
  const bool one = coupling_ == Coupling::kOneRow;
  const ContactSet& condition = one ? contacts_.middle() : contacts_.end();
  if (!contacts_.has_impact()) return laws_.SetRows(condition, contacts_.middle());
  MixContacts(contacts_.start(), condition, hit_, &rows_.condition);
  if (one) return laws_.SetRows(rows_.condition, rows_.condition);
  MixContacts(contacts_.start(), contacts_.middle(), hit_, &rows_.force);
  laws_.SetRows(rows_.condition, rows_.force);
}

/// H_ν of (2).
const ContactSet& MoreauJean::Stepper::push_rows() {
  const Rows rows = options_.contact_rows;
  if (rows == Rows::kStart || rows == Rows::kEnd) return contacts_.end();
  if (coupling_ != Coupling::kTwoRows) return contacts_.end();
  if (rows == Rows::kTheta || !contacts_.has_impact()) return contacts_.middle();
  MixContacts(contacts_.end(), contacts_.middle(), hit_, &rows_.push);
  return rows_.push;
}

/// (6), (9), (12).
void MoreauJean::Stepper::SetShifts() {
  GrowingVector& shift = laws_.shift();
  shift.setZero(laws_.rows().size());
  for (int i = 0; i < contacts_.size(); ++i) {
    const Contact& c = contacts_.start().contacts[i];
    const StepContacts::Role& role = contacts_.roles()[i];
    const Cone& cone = laws_.rows().cone(i);
    if (impact_.exists && role.impact) {
      shift[cone.offset] = -impact_.rebound[i];
      continue;
    }
    // The literature's law with (8) has the term at any velocity.
    const bool plain = !options_.projection && options_.activation == Activation::kPredicted;
    if (role.bouncing || plain) {
      shift[cone.offset] = c.restitution * role.approach[0];
    } else if (options_.activation == Activation::kLinearized && c.gap > 0) {
      shift[cone.offset] = c.gap / equations_.h();
    }
    if (-role.approach[0] <= role.unresolved) continue;
    for (int k = 1; k < std::min(cone.dimension, c.dimension); ++k) {
      shift[cone.offset + k] = c.restitution_tangential * role.approach[k];
    }
  }
}

/// (11).
void MoreauJean::Stepper::SetDirections(int pass) {
  const Rows rows = options_.contact_rows;
  if (rows != Rows::kMidpoint && rows != Rows::kPredicted) return;
  GrowingVector& shift = laws_.shift();
  for (int i = 0; i < contacts_.size(); ++i) {
    const StepContacts::Role& role = contacts_.roles()[i];
    const Cone& cone = laws_.rows().cone(i);
    if (!role.lasting || cone.dimension < 3 || contacts_.start().contacts[i].dimension < 3)
      continue;
    if (pass >= 2 && laws_.sticks(i)) stuck_[i] = 1;
    const Eigen::Vector2d u0 = role.approach.tail<2>(), u1 = laws_.velocity(i).tail<2>();
    Eigen::Vector2d s = Eigen::Vector2d::Zero();
    if (!stuck_[i] && !laws_.sticks(i) && u0.dot(u1) > 0) {
      s = u1.norm() * (u0 + u1).normalized() - u1;
    }
    shift.segment<2>(cone.offset + 1) = s;
  }
}

ContactStep::Target MoreauJean::Stepper::CalcTarget() const {
  const double by_forces = equations_.h() * scales_.acceleration_bound;
  double approach = 0;
  for (const StepContacts::Role& role : contacts_.roles()) {
    approach = std::max(approach, -role.approach[0]);
  }
  return {options_.solver_options.tolerance * by_forces,
          kAccept * (by_forces + kApproachShare * approach)};
}

/// Gaps up to this are closed: positions are as exact as the velocities that are accepted.
double MoreauJean::Stepper::CalcClosedGap() const {
  const double h = equations_.h();
  return options_.projection_tolerance + kAccept * h * h * scales_.acceleration_bound;
}

/// a of (5).
void MoreauJean::Stepper::CalcAllowance() {
  allowance_.setZero(contacts_.size());
  for (int i = 0; i < contacts_.size(); ++i) {
    if (contacts_.roles()[i].bouncing) continue;
    double P = laws_.impulse(i)[0];
    if (impact_.exists) P += impact_.r[laws_.rows().offset(i)];
    allowance_[i] = equations_.theta() * equations_.h() * P;
  }
}

/// Contacts that overlap at the end, or were passed through, and take no part yet: adds them and
/// returns true; the step is then solved again.
bool MoreauJean::Stepper::Admit() {
  System& system = equations_.system();
  if (!system.traits().has_contacts) return false;
  end_scales_.Calc(equations_.system(), equations_.M(), equations_.h(), equations_.t(),
                   equations_.q(), v_);
  ended_.Find(system, equations_.t(), equations_.q(), end_scales_.margin);
  if (!options_.projection || !FindOverlapping()) return false;
  laws_.Store(contacts_.start(), &lists_.memory);
  lists_.before.clear();
  for (const Contact& c : contacts_.start().contacts) lists_.before.push_back(c.key);
  if (admissions_ == kMaxAdmissions || !AddOverlapping()) {
    report_.tunnelled = static_cast<int>(lists_.passed.size());
    return false;
  }
  ++admissions_;
  lists_.index.clear();
  for (const Contact& c : contacts_.start().contacts) {
    const auto it = std::lower_bound(lists_.before.begin(), lists_.before.end(), c.key);
    const bool old = it != lists_.before.end() && *it == c.key;
    lists_.index.push_back(old ? static_cast<int>(it - lists_.before.begin()) : -1);
  }
  position_.Reorder(lists_.index);
  Classify();
  laws_.SetRows(contacts_.start(), contacts_.start());
  laws_.Recall(lists_.memory);
  impact_.exists = false;
  if (contacts_.has_impact()) SolveImpact();
  SetShifts();
  stuck_.assign(static_cast<std::size_t>(contacts_.size()), 0);
  return true;
}

/// Overlaps at the end of the step, and the axes of the start along which to measure them.
bool MoreauJean::Stepper::FindOverlapping() {
  const auto by_pair = [](const HeldAxis& a, const HeldAxis& b) { return a.pair < b.pair; };
  lists_.passed.clear();
  equations_.system().FindTunnelled(equations_.t(), equations_.start().q, equations_.q(),
                                    &lists_.passed);
  std::vector<HeldAxis>& held = lists_.held;
  held = lists_.passed;
  lists_.overlapping.clear();
  const auto find_axis = [&](const ContactSet& set, std::uint64_t pair) -> const HeldAxis* {
    const auto axis = std::lower_bound(set.axes.begin(), set.axes.end(), HeldAxis{pair}, by_pair);
    return axis != set.axes.end() && axis->pair == pair ? &*axis : nullptr;
  };
  for (int i = 0; i < static_cast<int>(ended_.set.contacts.size()); ++i) {
    const Contact& c = ended_.set.contacts[i];
    if (c.gap >= -options_.projection_tolerance) continue;
    lists_.overlapping.push_back(i);
    const HeldAxis* start = find_axis(found_.set, c.key.pair);
    const HeldAxis* end = find_axis(ended_.set, c.key.pair);
    // Along nearly the same axis the contacts of the end are those of the start.
    if (start != nullptr && end != nullptr && start->normal.dot(end->normal) < kSameAxis) {
      held.push_back(*start);
    }
  }
  std::sort(held.begin(), held.end(), by_pair);
  const auto same = [](const HeldAxis& a, const HeldAxis& b) { return a.pair == b.pair; };
  held.erase(std::unique(held.begin(), held.end(), same), held.end());
  return !lists_.overlapping.empty() || !lists_.passed.empty();
}

/// Pairs keep the axis of the start: what overlaps is measured along it first.
bool MoreauJean::Stepper::AddOverlapping() {
  System& system = equations_.system();
  if (!lists_.held.empty()) {
    system.FindContactsAlong(equations_.t(), equations_.q(), kGapRounding, lists_.held,
                             &rows_.free_end);
    lists_.chosen.clear();
    for (int i = 0; i < static_cast<int>(rows_.free_end.contacts.size()); ++i) {
      if (rows_.free_end.contacts[i].gap < -options_.projection_tolerance)
        lists_.chosen.push_back(i);
    }
    if (contacts_.Add(system, equations_.q(), rows_.free_end, lists_.chosen)) return true;
  }
  return contacts_.Add(system, equations_.q(), ended_.set, lists_.overlapping);
}

}  // namespace saltus
