// Schatzman–Paoli time stepping: contact and joints at position level, restitution through a law
// over two steps.  @cite PaoliSchatzman2002 @cite AcaryBrogliato2008
//
// From q_{k−1} and q_k to q_{k+1}. With q_{k+1} = q_k ⊕ δ⁺ and q_{k−1} = q_k ⊕ δ⁻:
//
//   M(q_k) (δ⁺ + δ⁻) = h² F + Gᵀ(q_k) Λ + Hᵀ(z) P                                              (1)
//   F = β F(t_{k+1},q_{k+1},v_k) + (1−2β) F(t_k,q_k,v_k) + β F(t_{k−1},q_{k−1},v_k)            (2)
//   v_k = (δ⁺ − δ⁻)/(2h)                                                                       (3)
//   g(t_{k+1}, q_{k+1}) = 0                             joints: exact at every step            (4)
//   z = q_k ⊕ (δ⁺ + e δ⁻)/(1+e)                         at the time t_k + h (1−e)/(1+e)        (5)
//   K* ∋ ŵ ⟂ P ∈ K,   w_N = (1+e) g_N(z),   w_T = H_T (δ⁺ − e_T δ⁻) + h bias                   (6)
//
// Frictionless (6) reads 0 ≤ g_N(z) ⟂ P_N ≥ 0. Impulses [N s] are P/h and Λ/h. The start needs a
// q_{−1}: q_0 ⊕ (−h v_0 + ½h² a_0), a_0 the acceleration without contacts; the first step is then
// q_1 = q_0 ⊕ (h v_0 + ½h² a_0). The same is done when the step size changes.                  (7)
//
// The velocity that the state carries is only reported, never used: at t_{k+1}
//   v = (3δ⁺ + δ⁻)/(2h),  or δ⁺/h where a contact of the same component has an impulse.        (8)
//
// Defects, by construction: restitution takes two steps, a body penetrates by up to h|v_N| at an
// impact before it turns, and G v = 0 holds to O(h²) only. Order 2 in smooth motion, 1 with
// impacts.
//
// Deviation: F of (2) in place of F_{k+θ}: the same for constant forces; order 2 and, with β ≥ ¼,
// stable for stiff springs.
// Deviation: the source is frictionless and knows no joints; (4) is the SHAKE constraint, and the
// tangential part of (6) is Coulomb's law on the displacement over the step.
// Deviation: the source reports (3), a velocity that belongs to t_k.
#pragma once

#include <memory>
#include <string>

#include "saltus/integrators/integrator.h"

namespace saltus {

struct SchatzmanPaoliOptions {
  double beta = 0.25;  // of (2), ∈ [0, ½]: 0 explicit in q, ≥ ¼ unconditionally stable
  /// (7); false: q_{−1} = q_0 ⊕ (−h v_0), as other codes start, which costs one order.
  bool parabolic_start = true;
  double newton_tolerance = 1e-11;  // on (1)/M and (4), relative to the displacements of the step
  int max_newton_iterations = 50;
  std::string solver = "auto";
  ConicSolverOptions solver_options;
};

class SchatzmanPaoli final : public Integrator {
 public:
  explicit SchatzmanPaoli(const SchatzmanPaoliOptions& options);
  ~SchatzmanPaoli() override;

  std::string name() const override { return "schatzman-paoli"; }
  bool holds_positions() const override { return false; }
  [[nodiscard]] const StepReport& Step(System& system, double h, State* state) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saltus
