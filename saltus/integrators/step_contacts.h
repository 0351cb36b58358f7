// StepContacts: the contacts that take part in one step, at its start, middle and end.
//
// A contact is a pair of features; its gap and its rows of H are smooth functions of q, evaluated
// wherever a scheme needs them (System::UpdateContacts). The set of a step only grows, so that an
// iteration on it cannot cycle.
//
//   start   at q_n: gaps g_n, rows H_0, approach velocities u⁻ = H_0 v_n + bias                 (1)
//   middle  at q_θ: rows H_θ
//   end     at q:   gaps g(q), rows H_1
//
// Roles of a contact in the step, with u_r the speed below which a bounce cannot be resolved:
//   bouncing   e > 0 and −u_N⁻ > u_r, or u_N⁻ > u_r in an island with an impact: with one e in
//              all contacts, u_N⁺ ≥ −e u_N⁻ wherever an impulse may act gains no energy
//   impact     it closes faster than u_r, or shares an island with a contact that does          (2)
//   lasting    none of these, and closed at the start: g_n ≤ tolerance
// Islands are contacts that share components of the system (bodies and their joints).
// @cite AcaryBrogliato2008
#pragma once

#include <span>
#include <vector>

#include "saltus/dynamics/system.h"
#include "saltus/linalg/kkt_solver.h"

namespace saltus {

/// H of one contact times v, plus the bias: the rows N, T1, T2.
Vector3 CalcContactVelocity(const ContactSet& set, const Contact& contact, const VectorX& v);
/// Copies the contacts `which` of `from`, and all its frictions, in the given order.
void SelectContacts(const ContactSet& from, std::span<const int> which, ContactSet* to);
/// Per contact its copy from `yes` where flags[i], else from `no`; frictions from `no`. Both sets
/// hold the same contacts.
void MixContacts(const ContactSet& yes, const ContactSet& no, const std::vector<char>& flags,
                 ContactSet* to);
/// The contact with this key in a set sorted by key, or null.
const Contact* FindContact(const ContactSet& set, const ContactKey& key);

class StepContacts {
 public:
  struct Role {
    Vector3 approach = Vector3::Zero();  // u⁻ of (1), m/s
    double unresolved = 0;               // u_r, m/s
    double gap = 0;                      // g_n, m
    bool bouncing = false, impact = false, lasting = false;
  };

  /// Takes contacts of `found`, the set at (t, q_n).
  void Begin(double t, const VectorX& q, const ContactSet& found, std::span<const int> chosen);
  /// Adds contacts of `found`, a set at another configuration; those that are in already are passed
  /// over. Returns whether there was a new one.
  bool Add(System& system, const VectorX& q_found, const ContactSet& found,
           std::span<const int> chosen);
  /// Rows at the middle and the end.
  void MoveTo(System& system, double t_theta, const VectorX& q_theta, double t, const VectorX& q);
  /// The end alone.
  void MoveEndTo(System& system, double t, const VectorX& q);

  /// Fills the roles (2). `acceleration`: of the free motion, which gives u_r over two steps of h
  /// unless `threshold` ≥ 0 gives it.
  void Classify(const KktSolver& kkt, const VectorX& v, const VectorX& acceleration, double h,
                double threshold, double gap_tolerance);

  int size() const { return static_cast<int>(start_.contacts.size()); }
  const ContactSet& start() const { return start_; }
  const ContactSet& middle() const { return middle_; }
  const ContactSet& end() const { return end_; }
  const std::vector<Role>& roles() const { return roles_; }
  bool has_impact() const { return has_impact_; }

 private:
  void SpreadImpacts(const KktSolver& kkt);

  double t_start_ = 0;
  VectorX q_start_;
  ContactSet start_, middle_, end_;
  ContactSet added_, moved_, merged_;
  std::vector<Role> roles_;
  std::vector<int> root_, new_;
  std::vector<char> hit_;
  bool has_impact_ = false;
};

}  // namespace saltus
