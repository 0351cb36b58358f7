// Moreau–Jean time stepping (θ-scheme) with joints, contact, Coulomb friction and Newton impacts.
// @cite Moreau1988 @cite Jean1999 @cite AcaryBrogliato2008
//
// One step from (q_n, v_n) to (q, v) at t_{n+1}, impulses Λ (joints) and P (contacts):
//
//   M_θ (v − v_n) = h [(1−θ) f(t_n,q_n,v_n) + θ f(t_{n+1},q,v)] + G_θᵀ Λ + Hᵀ P                (1)
//   q = q_n ⊕ h [(1−θ) v_n + θ v] (⊕ M⁻¹Gᵀν: projection, g(t_{n+1},q) = 0)                     (2)
//   G(t_{n+1},q) v + g_t(t_{n+1},q) = 0,         M_θ, G_θ at q_n ⊕ θ h v_θ                     (3)
//   u = H(q_n) v + bias,    K* ∋ û ⟂ P ∈ K for the active contacts, P = 0 for the others        (4)
//   û_N = u_N + e_N u_N⁻ + μ|u_T|,    û_T = u_T + e_T u_T⁻                                      (5)
//
// Activation of a contact (rule frozen during the step):
//   kPredicted    g_n + γ h u_N(v_n) ≤ 0;  γ = 0 "none", ½ "half" (default), 1 "full"           (6)
//                 With projection, a contact near rest is active too, with law (7), which lets it
//                 close but not penetrate: its speed is below u_r, what free motion under its
//                 forces for two steps makes, its gap below h u_r. Else a body whose contacts the
//                 projection has lifted a little would fall on them for ever. A contact with
//                 restitution that approaches no faster than u_r does not bounce, law (7) again:
//                 smaller bounces cannot be resolved.
//                 `projection: false` is the plain law.
//   kLinearized   every candidate; (5) becomes û_N = u_N + max(g_n,0)/h + μ|u_T| unless the contact
//                 would bounce (e_N > 0 and g_n + h u_N⁻ ≤ 0). With θ = 1 a body lands on the
//                 obstacle at the end of a step, and penetration is at most of second order.
//                 Candidates that need a change of velocity beyond a tenth of the largest speed
//                 to close are left out, and admitted if the solution would close them: the outcome
//                 is that of all candidates, while most of those of a fast pile cost nothing. Gaps
//                 below zero count as zero: to ask a jammed mechanism to open would have no
//                 solution; projection removes them                                            (7)
//
// Contacts with Poisson's law: their impact at v_n (poisson_impact.h) adds impulses P_C + P_E to
// (1), and û_N = u_N − u_N⁺ where u_N⁺ is the velocity after it                               (9)
//
// Elastic friction (tangential_stiffness k > 0). Friction answers to the motion of the surfaces at
// a finite rate, ḟ_T = −k u_T as long as the contact neither opens nor slips: the tangential spring
// of @cite CundallStrack1979, implicit in time. With f = P/h:
//
//   w_T = u_T + (P_T − h f_T,n)/(k h²)   takes the place of u_T in (4) and (5)                 (10)
//
// f_T,n, the tangential force of the last step, is the memory: in world axes, of which the part
// along the new surface counts. Slip is the plastic part w of u; at rest P = h f_n; k → ∞ is (4).
// Rigid friction leaves the tangential forces of hyperstatic systems open, and solvers crawl along
// the continuum of its solutions (docs/decisions/0002); (10) chooses elastic ones and makes the
// tangential problem regular. The energy in the springs is booked as friction loss when it is
// stored, and negative when it returns. The normal law, moments of rolling friction and the dry
// friction of joints stay as they are. Limits:
//   - Normal forces stay rigid. Where they are hyperstatic (a box on four corners) the solver may
//     share them out anew within its tolerance; springs of corners that lose load slip, and the
//     body moves by up to F/k each time. With a tolerance of 1e-12 this was not seen.
//   - An impact is one step, in which friction reaches at most k h² |u_T|: by Newton's law it
//     vanishes for h → 0. Impulses by Poisson's law have rigid friction.
//   - f is not turned with bodies that spin together about the normal at ω: they slip by ω f/k.
//   - A contact that opens forgets its spring; e_T ≠ 0 is refused.
//
// Newton's method on (1)–(3): with S = M + hθ D + h²θ² K,
//   S (v − v^k) = −R^k + Gᵀ Λ + Hᵀ P,
//   bilateral rows eliminated exactly, (4) by a conic solver                                   (8)
//
// Position projection (optional, default on): joints inside the Newton loop (2); contacts after the
// step: min |Δ|_S with G Δ = 0, g + H Δ ≥ 0 (position_projection.h). Its energy is an entry of its
// own in the ledger.
//
// Order 2 for θ = ½ in smooth motion (M and G at the midpoint in (1), G at the end in (3)), 1 with
// impacts.
//
// Deviation: the literature writes (3) at G(q_{n+θ}) v_{n+1}, which costs one order and lets joints
// drift; joints here are exact at the new configuration. Contacts keep H(q_n).
#pragma once

#include <memory>
#include <string>

#include "saltus/integrators/integrator.h"

namespace saltus {

struct MoreauJeanOptions {
  enum class Activation { kPredicted, kLinearized };

  double theta = 0.5;  // ∈ [½, 1]: ½ second order, 1 most dissipative
  Activation activation = Activation::kPredicted;
  double gamma = 0.5;  // prediction factor of (6), ∈ [0, 1]
  bool projection = true;
  double projection_tolerance = 1e-9;  // m: penetration left by the contact projection
  double tangential_stiffness = 0;     // k of (10), N/m; 0: rigid
  double newton_tolerance = 1e-11;     // on (1)/M and (3), relative to the velocities
  int max_newton_iterations = 25;
  std::string solver = "auto";
  ConicSolverOptions solver_options;
};

class MoreauJean final : public Integrator {
 public:
  explicit MoreauJean(const MoreauJeanOptions& options);
  ~MoreauJean() override;

  std::string name() const override { return "moreau-jean"; }
  bool holds_positions() const override { return holds_positions_; }
  [[nodiscard]] const StepReport& Step(System& system, double h, State* state) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  bool holds_positions_;
};

}  // namespace saltus
