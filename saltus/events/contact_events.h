// What happens at an instant with frictionless contacts: the impact, and who stays closed.
//
// Impact (Newton's law), over all contacts with g ≤ τ₀; P(·) is M⁻¹ on the motions of the joints:
//   v⁺ = v⁻ + P(HᵀΛ),   0 ≤ u⁺ + e min(u⁻, 0) ⟂ Λ ≥ 0,   u = H v + bias                         (1)
// Accelerations, over the contacts with g ≤ τ₀, |u| ≤ τ₁:
//   ü = W λ + b ≥ 0,   0 ≤ λ ⟂ ü,   W = H P(Hᵀ),   b = H v̇_free + γ_N                          (2)
// Contacts with λ > 0 (or ü = 0) are closed in the phase that follows, the others separate.
#pragma once

#include <memory>
#include <vector>

#include "saltus/dae/dae_solver.h"
#include "saltus/events/held_system.h"

namespace saltus {

struct EventTolerances {
  double gap = 1e-10;      // τ₀, m
  double velocity = 1e-8;  // τ₁, m/s
  double time = 1e-13;     // s
};

/// One contact at an impact.
struct ImpactResult {
  Contact contact;
  double velocity_before = 0, velocity_after = 0;  // u_N, m/s
  double impulse = 0;                              // Λ_N, N s
};

/// Throws InputError if a contact or a joint has friction.
void RefuseFriction(const System& system, const ContactSet& contacts);

/// (1) on *v. Contacts of `plastic` keys have e = 0. False: the problem has no solution.
[[nodiscard]] bool SolveImpact(System* system, double t, const VectorX& q,
                               const std::vector<ContactKey>& plastic,
                               const EventTolerances& tolerances, VectorX* v,
                               std::vector<ImpactResult>* impacts);

/// (2): the closed contacts, and the keys of those that touch but separate. Contacts of `plastic`
/// keys take part in (2) whatever their velocity: their flight is too short to be resolved.
[[nodiscard]] bool FindClosed(System* system, const DaePoint& point,
                              const std::vector<ContactKey>& plastic,
                              const EventTolerances& tolerances, ContactSet* closed,
                              std::vector<ContactKey>* separating);

}  // namespace saltus
