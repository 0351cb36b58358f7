#include "saltus/integrators/step_contacts.h"

#include <algorithm>
#include <numeric>

namespace saltus {
namespace {

/// Steps of free motion: a contact that approaches no faster than its forces make it in this time
/// does not bounce, because its flight could not be resolved.
constexpr double kUnresolvedSteps = 2;
/// Approach speeds below this share of the speed of the bodies are rounding.
constexpr double kSpeedRounding = 1e-9;

void AppendContact(const ContactSet& from, const Contact& c, ContactSet* to) {
  const int first = to->CopyBlocks(from, c);
  to->contacts.push_back(c);
  to->contacts.back().first_block = first;
}

void AppendFrictions(const ContactSet& from, ContactSet* to) {
  for (const DryFriction& f : from.frictions) {
    const int first = to->CopyBlocks(from, f);
    to->frictions.push_back(f);
    to->frictions.back().first_block = first;
  }
}

}  // namespace

Vector3 CalcContactVelocity(const ContactSet& set, const Contact& c, const VectorX& v) {
  Vector3 u = c.bias;
  for (int k = c.first_block; k < c.first_block + c.num_blocks; ++k) {
    const RowBlock& b = set.blocks[k];
    u.head(c.dimension).noalias() += set.rows(b, c.dimension) * v.segment(b.dof, b.columns);
  }
  return u;
}

void SelectContacts(const ContactSet& from, std::span<const int> which, ContactSet* to) {
  to->Clear();
  for (const int i : which) AppendContact(from, from.contacts[i], to);
  AppendFrictions(from, to);
}

void MixContacts(const ContactSet& yes, const ContactSet& no, const std::vector<char>& flags,
                 ContactSet* to) {
  to->Clear();
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const ContactSet& from = flags[i] ? yes : no;
    AppendContact(from, from.contacts[i], to);
  }
  AppendFrictions(no, to);
}

const Contact* FindContact(const ContactSet& set, const ContactKey& key) {
  const auto it = std::lower_bound(set.contacts.begin(), set.contacts.end(), key,
                                   [](const Contact& c, const ContactKey& k) { return c.key < k; });
  return it != set.contacts.end() && it->key == key ? &*it : nullptr;
}

void StepContacts::Begin(double t, const VectorX& q, const ContactSet& found,
                         std::span<const int> chosen) {
  t_start_ = t;
  q_start_ = q;
  SelectContacts(found, chosen, &start_);
}

bool StepContacts::Add(System& system, const VectorX& q_found, const ContactSet& found,
                       std::span<const int> chosen) {
  new_.clear();
  for (const int i : chosen) {
    if (FindContact(start_, found.contacts[i].key) == nullptr) new_.push_back(i);
  }
  if (new_.empty()) return false;
  SelectContacts(found, new_, &added_);
  system.UpdateContacts(t_start_, q_start_, q_found, added_, &moved_);
  merged_.Clear();
  std::size_t i = 0, j = 0;
  while (i < start_.contacts.size() || j < moved_.contacts.size()) {
    const bool old =
        j == moved_.contacts.size() ||
        (i < start_.contacts.size() && start_.contacts[i].key < moved_.contacts[j].key);
    const ContactSet& from = old ? start_ : moved_;
    AppendContact(from, from.contacts[old ? i++ : j++], &merged_);
  }
  AppendFrictions(start_, &merged_);
  std::swap(start_, merged_);
  return true;
}

void StepContacts::MoveTo(System& system, double t_theta, const VectorX& q_theta, double t,
                          const VectorX& q) {
  system.UpdateContacts(t_theta, q_theta, q_start_, start_, &middle_);
  MoveEndTo(system, t, q);
}

void StepContacts::MoveEndTo(System& system, double t, const VectorX& q) {
  system.UpdateContacts(t, q, q_start_, start_, &end_);
}

void StepContacts::Classify(const KktSolver& kkt, const VectorX& v, const VectorX& acceleration,
                            double h, double threshold, double gap_tolerance) {
  roles_.assign(start_.contacts.size(), {});
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    const Contact& c = start_.contacts[i];
    Role& role = roles_[i];
    role.gap = c.gap;
    role.approach = CalcContactVelocity(start_, c, v);
    double by_forces = 0, speed = 0;  // of the two bodies apart: one of them may be held
    for (int k = c.first_block; k < c.first_block + c.num_blocks; ++k) {
      const RowBlock& b = start_.blocks[k];
      const auto row = start_.rows(b, 1).row(0);
      by_forces += std::abs(row.dot(acceleration.segment(b.dof, b.columns)));
      speed += row.cwiseAbs().dot(v.segment(b.dof, b.columns).cwiseAbs());
    }
    role.unresolved = threshold >= 0 ? threshold : kUnresolvedSteps * h * by_forces;
    role.unresolved = std::max(role.unresolved, kSpeedRounding * speed);
    const bool fast = -role.approach[0] > role.unresolved;
    role.bouncing = fast && c.restitution + c.poisson > 0;
    role.impact = fast;
    role.lasting = !fast && c.gap <= gap_tolerance;
  }
  SpreadImpacts(kkt);
}

void StepContacts::SpreadImpacts(const KktSolver& kkt) {
  has_impact_ = std::any_of(roles_.begin(), roles_.end(), [](const Role& r) { return r.impact; });
  if (!has_impact_) return;
  root_.resize(kkt.num_components());
  std::iota(root_.begin(), root_.end(), 0);
  const auto find = [&](int i) {
    while (root_[i] != i) i = root_[i] = root_[root_[i]];
    return i;
  };
  const auto component = [&](const Contact& c, int k) {
    return find(kkt.component_of_block(start_.blocks[c.first_block + k].block));
  };
  for (const Contact& c : start_.contacts) {
    for (int k = 1; k < c.num_blocks; ++k) root_[component(c, k)] = component(c, 0);
  }
  hit_.assign(root_.size(), 0);
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    const Contact& c = start_.contacts[i];
    if (roles_[i].impact && c.num_blocks > 0) hit_[component(c, 0)] = 1;
  }
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    const Contact& c = start_.contacts[i];
    if (c.num_blocks == 0 || !hit_[component(c, 0)]) continue;
    Role& role = roles_[i];
    role.impact = true;
    role.lasting = false;
    if (role.approach[0] > role.unresolved) role.bouncing = c.restitution > 0;
  }
}

}  // namespace saltus
