// Energy-preserving integration with intermittent, elastic contact.
// @cite LensCardona2008 @cite Gonzalez1996
//
// One step from (q₀, v₀) to (q₁, v₁), δ its displacement, subscript m: half way, t_m = t₀ + h/2,
//
//   q₁ = q₀ ⊕ δ,    q_m = q₀ ⊕ δ/2,    v_m = δ/h = (v₀ + v₁)/2                                 (1)
//   M (v₁ − v₀) = h f* + B*ᵀΛ + H*ᵀP                                                           (2)
//   g(t₁, q₁) = 0                                          joints: exact at every step         (3)
//   f* = f_m + (V₀ − V₁ − c_m·δ) Mδ/(δᵀMδ)                 c = f − n: without the loads n      (4)
//   B* = G_m + (g(q₁) − g(q₀) − G_m δ) (Mδ)ᵀ/(δᵀMδ),       H* likewise with the gaps           (5)
//
// (4) and (5) are discrete derivatives: f*·δ = V₀ − V₁ + n_m·δ and B*δ = g(q₁) − g(q₀), and the
// gyroscopic part of f does no work on v_m. By (2)·v_m the energy changes by the work of the loads
// and of driven joints, and by nothing else, whatever h is. Where V and g are quadratic the second
// terms of (4) and (5) vanish, and linear momentum is kept as well.
//
// Contact by a slack variable r: the gap is r², and P (r₀ + r₁) = 0 leaves two cases for each
// contact over a step. Either it is free, P = 0, or r₁ = −r₀, so that
//   g_N(q₁) = g_N(q₀),   P ≥ 0                             u_N⁺ = −u_N⁻: restitution one       (6)
// A step is solved without contacts first; contacts that it would close are given (6), and it is
// solved again until none is closed; a step that leaves one closed fails. An impact is executed up
// to h|u_N| before the obstacle: order 1 with impacts, order 2 in smooth motion. A body at rest
// nearer than g h²/2 to an obstacle below it stays there. There is no friction; contact that is
// meant to be elastic and not rigid is a law of its own (compliance), whose energy is part of V.
// Velocities that the joints do not allow would alternate for ever: those of the first step are
// made consistent, which counts as work of drives.
//
// Newton's method in δ, impulses times h/2, K_G = −∂(GᵀΛ)/∂q of these:
//   S = M + h²/4 K + h/2 D + ½K_G,   S Δδ = (h²/2) f* − M(δ − h v₀) + …,   G Δδ = −g(q₁)       (7)
// The second terms of (4) and (5) are left out of S, and G_m stands for G₁: linear convergence by
// a factor of order h.
//
// Deviation: the source writes rotations in Euler parameters with |p_m| ≠ 1; here q moves by ⊕
// along a constant velocity, which keeps (2)-(5) for every System with a constant mass.
// Deviation: the source gives no rule for the choice between the two cases of a contact.
// Deviation: the direction of the discrete derivatives is Mδ, not δ, which has no common unit.
#pragma once

#include <memory>
#include <string>

#include "saltus/integrators/integrator.h"

namespace saltus {

struct EnergyMomentumOptions {
  /// On (2)/M and (3), relative to the displacements of the step: as far as rounding lets it.
  double newton_tolerance = 1e-15;
  int max_newton_iterations = 50;
  std::string solver = "auto";  // for contacts that (6) closes together
  ConicSolverOptions solver_options;
};

class EnergyMomentum final : public Integrator {
 public:
  explicit EnergyMomentum(const EnergyMomentumOptions& options);
  ~EnergyMomentum() override;

  std::string name() const override { return "energy-momentum"; }
  /// Throws InputError if the mass is not constant, and at the first contact or joint that has
  /// friction or a restitution other than one.
  [[nodiscard]] const StepReport& Step(System& system, double h, State* state) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saltus
