// StepContactSet: which contacts take part in a step of nonsmooth_alpha.h, and the test that its
// end keeps the promise of the scheme. @cite BrulsAcaryCardona2014
//
// The gap of two convex bodies is the largest separation over all axes (faces, edge pairs, normals
// of round shapes): one axis with separation ≥ 0 proves that they do not overlap. Hence
//   - a step begins with the contacts along the axes of q_n, where all separations are ≥ 0: the
//     position problem has a solution;
//   - within the step every contact is evaluated by its features (System::UpdateContacts), whether
//     or not the collision search would return it there; the set only grows;
//   - at a converged iterate contacts are searched for afresh. A contact that penetrates there and
//     is not in the set is admitted, along the axis that its pair is held by; a pair that passed
//     through another is held by its axis of q_n. Then the step is solved on.
// A step ends only where the fresh search finds no penetration above the tolerance.
#pragma once

#include <span>
#include <vector>

#include "saltus/dynamics/system.h"
#include "saltus/integrators/alpha_kinematics.h"

namespace saltus {

/// What a fresh search at the end of a step found.
struct ContactVerdict {
  bool changed = false;    // contacts were admitted: solve on
  double penetration = 0;  // m, the deepest
  ContactKey deepest;
  int tunnelled = 0;  // pairs that passed through each other although they were held
  bool holds(double tolerance) const {
    return !changed && tunnelled == 0 && penetration <= tolerance;
  }
};

class StepContactSet {
 public:
  /// Contacts at q_n that the motion of one step can close, with the speeds and forces of t_n.
  /// @param acceleration  f/M at t_n
  void Begin(System& system, const AlphaStart& start, const VectorX& acceleration);
  /// The contacts at q, by feature.
  void MoveTo(System& system, const VectorX& q);
  /// Searches at q for penetration deeper than `tolerance` [m].
  ContactVerdict Judge(System& system, const VectorX& q, double tolerance);

  /// The same contacts in the same order at q_n and at the last MoveTo().
  const ContactSet& at_start() const { return at_start_; }
  const ContactSet& now() const { return now_; }
  bool empty() const { return at_start_.contacts.empty() && at_start_.frictions.empty(); }
  /// What forces do to a gap in one step, h²|f/M|, m.
  double force_distance() const { return force_distance_; }

 private:
  bool Contains(const ContactKey& key) const;
  bool HeldAlongAnotherAxis(const ContactSet& fresh, std::uint64_t pair) const;
  void Admit(System& system, const VectorX& q, const ContactSet& found,
             const std::vector<int>& which);
  void AdmitPenetrating(System& system, const VectorX& q, double tolerance,
                        ContactVerdict* verdict);
  void HoldPassages(System& system, const VectorX& q, ContactVerdict* verdict);

  const AlphaStart* start_ = nullptr;
  ContactSet at_start_, now_, fresh_, along_;
  double margin_ = 0;  // of the search at q_n, m
  double force_distance_ = 0;
  std::vector<HeldAxis> passages_;  // axes of q_n of pairs that would pass through each other
};

}  // namespace saltus
