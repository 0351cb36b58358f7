// Moreau–Jean time stepping (θ-scheme) with joints, contact, Coulomb friction and impacts.
// @cite Moreau1988 @cite Jean1999 @cite AcaryBrogliato2008. Derivation: docs/theory/moreau_jean.md.
//
// One step from (q_n, v_n) to (q, v) at t_{n+1}, impulses Λ (joints) and P (contacts):
//
//   M_θ (v − v_n) = h [(1−θ) f_n + θ f] + G_θᵀ Λ + H_φᵀ P                                       (1)
//   q = q_n ⊕ {h [(1−θ) v_n + θ v] + S⁻¹(Gᵀ ν_G + H_νᵀ ν)}                                      (2)
//   g(q) = 0,   G(q) v + g_t = 0                               joints at both levels            (3)
//   u = H_c v + bias,   K* ∋ û ⟂ P ∈ K,   û = u + shift + μ|u_T + shift_T| n                    (4)
//   0 ≤ a + ν ⟂ g_N(q) ≥ 0,   a = θ h P_N;  a = 0 for contacts that bounce    (projection)      (5)
//   shift_N = e u_N⁻,   shift_T = e_T u_T⁻   in impacts, 0 else;   u⁻ = H(q_n) v_n + bias       (6)
//   (shift_N also where u_N⁻ > u_r in the island of an impact: several contacts gain no energy)
//
// Which contacts take part (`activation`; the set only grows within a step):
//   free end   what overlaps at the end of the motion without contact, and what carried load in the
//              last step and is closed. After the solution whatever overlaps is added, and the step
//               solved again.                                                                   (7)
//   none, half, full    g_n + γ h u_N⁻ ≤ 0 with γ = 0, ½, 1: the literature's rules             (8)
//   linearized  every candidate near enough, with shift_N = max(g_n, 0)/h unless it bounces: with
//               θ = 1 bodies land on obstacles at the end of a step                             (9)
//
// Which rows (`contact_rows`; H_0, H_θ, H_1 at q_n, q_θ = q_n ⊕ θδ and q):
//   midpoint    H_φ = H_ν = H_θ and H_c = H_1, as the joints have it: order 2 in lasting contact.
//              Islands in which a contact closes faster than u_r: H_φ = H_c = H_0, so that the work
//               of an impact is that of its law; H_ν = H_1                                     (10)
//   predicted   the same at a predicted configuration, without iteration of the rows
//   start       H_φ = H_c = H_0, H_ν = H_1: order 1, cheapest; for large piles
//   theta, end  H_φ = H_c = H_θ or H_1. With `projection: false` the schemes of the literature
//
// u_r, `restitution_threshold`: by default what the forces on a contact make in two steps, 0
// without projection. Slower contacts do not bounce.
//
// Friction of a lasting contact that slips at both ends of the step (u_T⁻·u_T > 0) takes the mean
// direction, shift_T = |u_T| d − u_T with d ∥ u_T⁻ + u_T, from the last iterate                (11)
//
// Islands with an impact that have joints, or contacts of Poisson's law: the impact is solved by
// itself at q_n (poisson_impact.h), its impulses enter (1), and shift_N = −u_N⁺ keeps the outcome:
// impulses of joints that are hit do not enter Newton's matrix                                 (12)
//
// Newton's method on (1)–(3): theta_equations.h. Rows, gaps and directions follow the iterate;
// where that stops converging, H_c = H_φ = H_θ and H_ν = H_1 for the rest of the step.
// Rotations: the change of angular momentum is exact for `midpoint` and `predicted` with θ = ½.
//
// Ledger: normal work in islands with an impact is its loss; elsewhere it is `lasting`, a numerical
// error of O(h³) a step. What the displacement of (5) does to the potential energy belongs to the
// same entries; that of joints alone, and overlap removed after the step, to `projection`.
//
// Promise of an accepted step: joints and, with projection, gaps hold to tolerance at q_{n+1},
// judged on contacts that are searched there, and no pair that System::FindTunnelled reports has
// passed through. Else the step fails.
//
// Deviation: the literature writes (3) and (4) with the rows of one configuration and has no (5).
#pragma once

#include <memory>
#include <string>

#include "saltus/integrators/integrator.h"

namespace saltus {

struct MoreauJeanOptions {
  enum class Rows { kMidpoint, kPredicted, kStart, kTheta, kEnd };
  enum class Activation {
    kDefault,    // free end with projection, half without
    kFreeEnd,    // (7)
    kPredicted,  // (8)
    kLinearized  // (9)
  };

  double theta = 0.5;  // ∈ [0, 1]: ½ second order, 1 most dissipative
  Rows contact_rows = Rows::kMidpoint;
  Activation activation = Activation::kDefault;
  double gamma = 0.5;  // γ of (8), ∈ [0, 1]
  bool projection = true;
  double projection_tolerance = 1e-9;  // m, of (5)
  double restitution_threshold = -1;   // u_r, m/s; < 0: the default
  double newton_tolerance = 1e-11;     // on the change of v, relative to the velocities
  int max_newton_iterations = 50;
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
  class Stepper;
  std::unique_ptr<Stepper> stepper_;
  bool holds_positions_;
};

}  // namespace saltus
