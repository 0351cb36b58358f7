// Explicit Runge–Kutta stages on the index-1 form, in the chart δ of the step:
//
//   Δ_i = h Σ_{j<i} a_ij δ'_j,   V_i = v_n + h Σ_{j<i} a_ij V̇_j,   Q_i = q_n ⊕ Δ_i             (1)
// V̇_i from [M −Gᵀ; G 0](Q_i) [V̇_i; Λ_i] = [f; −γ](t_n + c_i h, Q_i, V_i),  δ'_i = T(Δ_i)⁻¹V_i (2)
//   δ_{n+1} = h Σ b_j δ'_j,   v_{n+1} = v_n + h Σ b_j V̇_j                                      (3)
#pragma once

#include <span>
#include <vector>

#include "saltus/dae/dae_solver.h"

namespace saltus {

/// Coefficients of a method; a_ij row by row, j < i, without the first row, which is empty.
struct RungeKuttaTableau {
  std::vector<double> nodes;           // c
  std::vector<std::vector<double>> a;  // a[i] has i entries
  std::vector<double> weights;         // b
  std::vector<double> embedded;        // b̂, or empty
  int order = 0;                       // of b
  int stages() const { return static_cast<int>(nodes.size()); }
};

/// sum = scale Σ_j w_j k_j.
void Combine(double scale, std::span<const double> w, const std::vector<VectorX>& k, VectorX* sum);

class ExplicitStages {
 public:
  explicit ExplicitStages(const RungeKuttaTableau& tableau);

  const RungeKuttaTableau& tableau() const { return tableau_; }
  /// From (t, q, v) to *q_new, *v_new. False: a matrix is singular. `first` is V̇_1 if it is known,
  /// else null.
  [[nodiscard]] bool Step(DaeTerms* terms, const DaePoint& start, double h, const VectorX* first,
                          VectorX* q_new, VectorX* v_new);

  const VectorX& delta() const { return delta_; }                               // δ_{n+1}
  const std::vector<VectorX>& rates() const { return rates_; }                  // δ'_j
  const std::vector<VectorX>& accelerations() const { return accelerations_; }  // V̇_j

 private:
  RungeKuttaTableau tableau_;
  std::vector<VectorX> rates_, accelerations_;
  VectorX delta_, q_, v_, lambda_;
};

}  // namespace saltus
