// PHEM56: partitioned half-explicit method with an explicit first stage, 6 stages, order 5.
// @cite Murua1997
//
//  Q_i = q_n ⊕ h Σ_{j<i} a_ij δ'_j,  V_i = v_n + h Σ_{j<i} a_ij V̇_j  a_ij, c_i: Dormand–Prince (1)
//   Q̄_i = q_n ⊕ h Σ_{j≤i} ā_ij δ'_j
//   [M(Q_i)  −Gᵀ(Q_i)] [V̇_i]   [f(t_n + c_i h, Q_i, V_i)]
//   [G(Q̄_i)    0    ] [Λ_i] = [−(G(Q̄_i)(v_n + h Σ_{j<i} ā_ij V̇_j) + g_t(Q̄_i))/(h ā_ii)]     (2)
//  V̇_1 = v̇_n by the index-1 equations;  q_{n+1} = Q̄_6, v_{n+1} = v_n + h Σ_{j≤6} ā_6j V̇_j   (3)
//
// Error: |δ_{n+1} − h Σ_{j≤7} b̂_j δ'_j| with δ'_7 of the end, b̂ of order 4.                   (4)
// Dense output: quartic through both ends, their derivatives and the value at T = 19/30.      (5)
//
// Deviation: v̇_{n+1} comes from the index-1 equations at the end instead of a seventh
// half-explicit stage: the same number of solves, and one order more in λ.
#pragma once

#include "saltus/dae/dae_solver.h"
#include "saltus/dae/explicit_stages.h"

namespace saltus {

class Phem56 final : public DaeSolver {
 public:
  Phem56();

  std::string name() const override { return "phem56"; }
  int order() const override { return 5; }
  int error_order() const override { return 5; }

 protected:
  DaeTrial Step() override;
  void OnStart() override { start_is_known_ = false; }
  void OnAdvance(bool moved) override;
  void Interpolate(double theta, VectorX* q, VectorX* v) override;

 private:
  bool StepStage(std::size_t i);
  bool CalcEndAcceleration();

  RungeKuttaTableau tableau_;                   // a, c and b̂ of Dormand–Prince
  std::vector<VectorX> rates_, accelerations_;  // 7: those of the end last
  VectorX delta_, delta_bar_, q_, q_bar_, v_, base_, f_, r_, lambda_, error_;
  SparseRows G_, G_bar_;
  bool start_is_known_ = false, end_is_known_ = false;  // v̇
  VectorX middle_[2], dense_delta_;                     // (5)
  bool dense_is_ready_ = false;
};

}  // namespace saltus
