#include "saltus/integrators/alpha_contact_set.h"

#include <algorithm>
#include <limits>

namespace saltus {
namespace {

/// Gaps up to this belong to pairs that touch: the fresh search looks so far, m.
constexpr double kTouching = 1e-9;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

const HeldAxis* FindAxis(const std::vector<HeldAxis>& axes, std::uint64_t pair) {
  const auto found =
      std::lower_bound(axes.begin(), axes.end(), pair,
                       [](const HeldAxis& a, std::uint64_t p) { return a.pair < p; });
  return found != axes.end() && found->pair == pair ? &*found : nullptr;
}

/// Appends a contact of another set, with its rows.
void Append(const ContactSet& from, const Contact& contact, ContactSet* set) {
  const int first = set->CopyBlocks(from, contact);
  set->contacts.push_back(contact);
  set->contacts.back().first_block = first;
}

/// The contacts of *set for which keep() holds and all of `more`, sorted by key.
template <class Keep>
ContactSet Merge(const ContactSet& set, Keep keep, const ContactSet& more) {
  std::vector<std::pair<const ContactSet*, const Contact*>> all;
  for (const Contact& c : set.contacts) {
    if (keep(c)) all.emplace_back(&set, &c);
  }
  for (const Contact& c : more.contacts) all.emplace_back(&more, &c);
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.second->key < b.second->key; });
  ContactSet merged;
  for (const auto& [from, contact] : all) Append(*from, *contact, &merged);
  for (const DryFriction& f : set.frictions) {
    const int first = merged.CopyBlocks(set, f);
    merged.frictions.push_back(f);
    merged.frictions.back().first_block = first;
  }
  merged.axes = set.axes;
  return merged;
}

/// Sets the axis of a pair.
void PutAxis(const HeldAxis& axis, std::vector<HeldAxis>* axes) {
  const auto place =
      std::lower_bound(axes->begin(), axes->end(), axis.pair,
                       [](const HeldAxis& a, std::uint64_t p) { return a.pair < p; });
  if (place != axes->end() && place->pair == axis.pair) {
    *place = axis;
  } else {
    axes->insert(place, axis);
  }
}

}  // namespace

void StepContactSet::Begin(System& system, const AlphaStart& start, const VectorX& acceleration) {
  start_ = &start;
  at_start_.Clear();
  now_.Clear();
  passages_.clear();
  force_distance_ = margin_ = 0;
  if (!system.traits().has_contacts) return;
  const VectorX &q = start.state->q, &v = start.state->v;
  force_distance_ = start.h * start.h * system.CalcSpeedBound(q, acceleration);
  // Both bodies of a pair may move so far.
  margin_ = 2 * (start.h * system.CalcSpeedBound(q, v) + force_distance_) + kTouching;
  system.FindContacts(start.state->time, q, margin_, &at_start_);
}

void StepContactSet::MoveTo(System& system, const VectorX& q) {
  if (!empty()) system.UpdateContacts(start_->t, q, start_->state->q, at_start_, &now_);
}

bool StepContactSet::Contains(const ContactKey& key) const {
  const auto& list = at_start_.contacts;
  const auto found =
      std::lower_bound(list.begin(), list.end(), key,
                       [](const Contact& c, const ContactKey& k) { return c.key < k; });
  return found != list.end() && found->key == key;
}

bool StepContactSet::HeldAlongAnotherAxis(const ContactSet& fresh, std::uint64_t pair) const {
  const HeldAxis* held = FindAxis(at_start_.axes, pair);
  const HeldAxis* best = FindAxis(fresh.axes, pair);
  return held != nullptr && best != nullptr && held->feature != best->feature;
}

/// Adds contacts that were found at q, evaluated at q_n.
void StepContactSet::Admit(System& system, const VectorX& q, const ContactSet& found,
                           const std::vector<int>& which) {
  ContactSet chosen, chosen_at_start;
  for (const int i : which) Append(found, found.contacts[i], &chosen);
  chosen.axes = found.axes;
  system.UpdateContacts(start_->state->time, start_->state->q, q, chosen, &chosen_at_start);
  chosen_at_start.frictions.clear();
  at_start_ = Merge(
      at_start_, [](const Contact&) { return true; }, chosen_at_start);
  for (const int i : which) {
    const std::uint64_t pair = found.contacts[i].key.pair;
    const HeldAxis* axis = FindAxis(found.axes, pair);
    if (axis != nullptr && FindAxis(at_start_.axes, pair) == nullptr) {
      PutAxis(*axis, &at_start_.axes);
    }
  }
}

/// Contacts of the fresh search that penetrate and are not in the set. Of pairs that are held along
/// another axis, those along that axis: there the pair overlaps even more.
void StepContactSet::AdmitPenetrating(System& system, const VectorX& q, double tolerance,
                                      ContactVerdict* verdict) {
  std::vector<int> which;
  std::vector<std::uint64_t> other_axis;
  for (int i = 0; i < static_cast<int>(fresh_.contacts.size()); ++i) {
    const Contact& c = fresh_.contacts[i];
    if (-c.gap > verdict->penetration) {
      verdict->penetration = -c.gap;
      verdict->deepest = c.key;
    }
    if (!(c.gap < -tolerance) || Contains(c.key)) continue;
    which.push_back(i);
    if (HeldAlongAnotherAxis(fresh_, c.key.pair)) other_axis.push_back(c.key.pair);
  }
  if (which.empty()) return;
  if (!other_axis.empty()) {
    system.FindContactsAlong(start_->t, q, kTouching, at_start_.axes, &along_);
    std::vector<int> along;
    for (int i = 0; i < static_cast<int>(along_.contacts.size()); ++i) {
      const Contact& c = along_.contacts[i];
      if (std::find(other_axis.begin(), other_axis.end(), c.key.pair) == other_axis.end()) continue;
      if (c.gap < -tolerance && !Contains(c.key)) along.push_back(i);
    }
    const auto found_along = [&](int i) {
      const std::uint64_t pair = fresh_.contacts[i].key.pair;
      return std::any_of(along.begin(), along.end(),
                         [&](int k) { return along_.contacts[k].key.pair == pair; });
    };
    std::erase_if(which, found_along);
    if (!along.empty()) Admit(system, q, along_, along);
  }
  if (!which.empty()) Admit(system, q, fresh_, which);
  verdict->changed = true;
}

/// Pairs that are apart at q_n and at q but overlap in between are held along their axis of q_n.
void StepContactSet::HoldPassages(System& system, const VectorX& q, ContactVerdict* verdict) {
  std::vector<HeldAxis> passed;
  system.FindTunnelled(start_->t, start_->state->q, q, &passed);
  for (const HeldAxis& axis : passed) {
    if (FindAxis(passages_, axis.pair) != nullptr) {
      ++verdict->tunnelled;
      continue;
    }
    PutAxis(axis, &passages_);
    PutAxis(axis, &at_start_.axes);
    system.FindContactsAlong(start_->t, q, kInfinity, std::span(&axis, 1), &along_);
    std::vector<int> which;
    for (int i = 0; i < static_cast<int>(along_.contacts.size()); ++i) {
      const Contact& c = along_.contacts[i];
      if (c.key.pair == axis.pair && !Contains(c.key)) which.push_back(i);
    }
    if (which.empty()) {
      ++verdict->tunnelled;
      continue;
    }
    Admit(system, q, along_, which);
    verdict->changed = true;
  }
}

ContactVerdict StepContactSet::Judge(System& system, const VectorX& q, double tolerance) {
  ContactVerdict verdict;
  if (!system.traits().has_contacts) return verdict;
  VectorX way;
  system.CalcDifference(start_->state->q, q, &way);
  if (at_start_.contacts.empty() && 2 * system.CalcSpeedBound(q, way) < margin_) return verdict;
  system.FindContacts(start_->t, q, kTouching, &fresh_);
  AdmitPenetrating(system, q, tolerance, &verdict);
  HoldPassages(system, q, &verdict);
  return verdict;
}

}  // namespace saltus
