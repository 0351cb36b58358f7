// Smooth generalized-α on the index-3 equations, contacts as unilateral constraints of positions.
// @cite ChungHulbert1993 @cite ArnoldBruls2007 @cite BrulsAcaryCardona2014 (there as a comparison)
//
// At t_{n+1} (no index):
//   M v̇ = f(t,q,v) + Gᵀλ + H_Nᵀλ_N,    g(t,q) = 0,    0 ≤ g_N(t,q) ⟂ λ_N ≥ 0                  (1)
//   q = q_n ⊕ D,   D = h v_n + h²(½−β) a_n + h²β a                                             (2)
//   v = v_n + h(1−γ) a_n + hγ a                                                                (3)
//   (1−α_m) a + α_m a_n = (1−α_f) v̇ + α_f v̇_n                                                 (4)
//   α_m = (2ρ−1)/(ρ+1), α_f = ρ/(ρ+1), γ = ½+α_f−α_m, β = (γ+½)²/4,   ρ = ρ∞ ∈ [0, 1]          (5)
//
// Newton's method in D: ∂v = γ/(βh) ∂D, ∂v̇ = c ∂D with c = (1−α_m)/((1−α_f)βh²), so
//   S = M + (γ/(βh)/c) D_f + K/c,   S ∂D = −(M v̇ − f)/c + Gᵀλ/c + H_Nᵀλ_N/c,
//   G ∂D = −g,   0 ≤ g_N + H_N ∂D ⟂ λ_N ≥ 0                                                    (6)
//
// For smooth motion with joints: order 2, joints exact at position level, G v = 0 to O(h²) only.
//
// Defects, and the reason why it is kept: for impacts the scheme is inconsistent. There is no
// impact law (restitution is not used), the jump of the velocity is resolved by an acceleration of
// size 1/h whose memory (4) feeds energy into the motion: a bouncing ball gains energy at each
// impact, a contact of an elastic body chatters. Comparisons in the literature show it, so do ours.
// For impacts choose nonsmooth-alpha or moreau-jean. Friction is refused: with it (1) has no
// meaning at an impact.
//
// Deviation: contacts are solved as a complementarity problem in each iteration, not by an active
// set of max(0, λ − r g); the solution is the same.
#pragma once

#include <memory>
#include <string>

#include "saltus/integrators/integrator.h"

namespace saltus {

struct GeneralizedAlphaIndex3Options {
  double rho_inf = 0.8;             // spectral radius at infinity, ∈ [0, 1]: 1 keeps the energy
  double newton_tolerance = 1e-11;  // on (1)/(cM) and g, relative to the displacements of the step
  int max_newton_iterations = 50;
  std::string solver = "auto";
  ConicSolverOptions solver_options;
};

class GeneralizedAlphaIndex3 final : public Integrator {
 public:
  explicit GeneralizedAlphaIndex3(const GeneralizedAlphaIndex3Options& options);
  ~GeneralizedAlphaIndex3() override;

  std::string name() const override { return "generalized-alpha-index3"; }
  /// Throws InputError at the first contact or joint that has friction.
  [[nodiscard]] const StepReport& Step(System& system, double h, State* state) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saltus
