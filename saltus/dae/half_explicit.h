// Half-explicit methods on the index-2 form: |G v + g_t| stays at rounding, positions drift slowly.
//
//   hem4     5 stages, order 4, step halving (class HalvedRungeKutta)        @cite BraseyHairer1993
//   hem5     8 stages, order 5, dense output of order 4                      @cite Brasey1994
//
// Stages: half_explicit_stages.h. Error estimate of hem5, with the stages Q_8 (c = 1) and V_7, V_8,
//   l₁ = |δ_{n+1} − Δ_8| = O(h⁴),   l₂ = |δ_{n+1} − h(5/2 δ'_7 − 3/2 δ'_8)| = O(h³)
//   error = l₁²/(l₁ + c l₂) = O(h⁵)                                                            (1)
//
// Dense output of hem5. One more stage at Q_9 = q_{n+1} with the lower rows at Q_10, c_10 = 1/20,
// gives V_10; then, with D the table of the method and b_10(θ) = −80/19 θ(θ−1)²(θ−2/5),
//   δ(θ) = h Σ_{i=1..4} θⁱ (Σ_{j=4..8} D_ij δ'_j + D_i9 δ'_10),   q = q_n ⊕ δ                  (2)
//   [M(Q_10) −Gᵀ(Q_10); G(q) 0] [x; μ] = [h b_10 f(Q_10, V_10); −G(q) v̂ − g_t(t, q)],
//   v = v̂ + x,    v̂ = v_n + h Σ_{i,j≤8} θⁱ D_ij V̇_j                                          (3)
// so that dense velocities meet the hidden constraint too.
//
// Accelerations and multipliers of the step without a further factorisation, order 3: the index-1
// equations once at stage 10 give (A_10, L_10), then the derivatives of (2) with V̇_j, Λ_j for
// j = 4..8 and A_10, L_10 in place of the ninth column (4)
//
// Deviation: (3) and (4) differ from @cite Haddouni2015, whose ninth column takes stage 9 and loses
// three orders; c of (1) is an option.
#pragma once

#include "saltus/dae/dae_solver.h"
#include "saltus/dae/half_explicit_stages.h"

namespace saltus {

RungeKuttaTableau MakeHem4Tableau();
RungeKuttaTableau MakeHem5Tableau();

class Hem5 final : public DaeSolver {
 public:
  /// @param c  of (1), ≥ 0
  explicit Hem5(double c = 0.3);

  std::string name() const override { return "hem5"; }
  int order() const override { return 5; }
  int error_order() const override { return 5; }
  /// (4): v̇ and λ of the selected rows. False: a matrix is singular.
  [[nodiscard]] bool CalcQuickForces(double theta, VectorX* a, VectorX* lambda);

 protected:
  DaeTrial Step() override;
  void Interpolate(double theta, VectorX* q, VectorX* v) override;

 private:
  bool PrepareDense();
  void CalcDenseChart(double theta, VectorX* delta) const;

  double c_;
  HalfExplicitStages stages_;
  bool dense_is_ready_ = false, forces_are_ready_ = false;
  VectorX delta10_, q10_, v10_, rate10_, f10_, a10_, lambda10_;
  SparseRows G10_, G_dense_;
  VectorX base_, r_, f_, a9_, multiplier_, delta_, x_;
};

}  // namespace saltus
