// Half-explicit Runge–Kutta stages on the index-2 form: every stage meets the hidden constraint
// G v + g_t = 0 exactly. @cite BraseyHairer1993
//
//   Q_{i+1} = q_n ⊕ Δ_{i+1},   Δ_{i+1} = h Σ_{j≤i} a_{i+1,j} δ'_j,   δ'_j = T(Δ_j)⁻¹ V_j        (1)
//   [M(Q_i)    −Gᵀ(Q_i)] [V̇_i]   [f(t_n + c_i h, Q_i, V_i)]
//   [G(Q_{i+1})    0   ] [Λ_i] = [r_i                     ]                                    (2)
//  r_i = −(G(Q_{i+1})(v_n + h Σ_{j<i} a_{i+1,j} V̇_j) + g_t(t_n + c_{i+1}h, Q_{i+1}))/(h a_{i+1,i})
//   V_{i+1} = v_n + h Σ_{j≤i} a_{i+1,j} V̇_j      hence G(Q_{i+1}) V_{i+1} + g_t = 0            (3)
//
// for i = 1 … s; row s + 1 holds the weights b, and (Q, V)_{s+1} is the end of the step.
#pragma once

#include <vector>

#include "saltus/dae/dae_solver.h"
#include "saltus/dae/explicit_stages.h"

namespace saltus {

class HalfExplicitStages {
 public:
  explicit HalfExplicitStages(const RungeKuttaTableau& tableau);

  const RungeKuttaTableau& tableau() const { return tableau_; }
  /// As ExplicitStages::Step; there is no first stage to hand over.
  [[nodiscard]] bool Step(DaeTerms* terms, const DaePoint& start, double h, VectorX* q_new,
                          VectorX* v_new);

  // Stages count from 0; the end is stage s.
  const VectorX& delta(int i) const { return deltas_[static_cast<std::size_t>(i)]; }
  const std::vector<VectorX>& rates() const { return rates_; }                  // δ'
  const std::vector<VectorX>& accelerations() const { return accelerations_; }  // V̇
  const std::vector<VectorX>& multipliers() const { return multipliers_; }      // Λ
  const SparseRows& end_jacobian() const { return G_[0]; }                      // G(q_{n+1})

 private:
  RungeKuttaTableau tableau_;
  std::vector<std::vector<double>> rows_;  // rows 2 … s + 1 of a, the last one b
  std::vector<VectorX> deltas_, rates_, accelerations_, multipliers_;
  SparseRows G_[2];  // at Q_i and Q_{i+1}
  VectorX q_[2], v_, base_, f_, r_;
};

}  // namespace saltus
