// The generalized-α family with error control, for stiff and flexible mechanisms.
//
//   q_{n+1} = q_n ⊕ D,  D = h v_n + h²(½−β) a_n + h²β a,   v_{n+1} = v_n + h(1−γ) a_n + hγ a    (1)
//   M w = f + Gᵀλ − r_n                                    at t_{n+1}                          (2)
//
//   alpha-index2, -index3   w = v̇:  (1−α_m) a + α_m a_n = (1−α_f) v̇ + α_f v̇_n,  r_n = 0
//       α_m = (2ρ−1)/(ρ+1), α_f = ρ/(ρ+1), γ = ½−α_m+α_f, β = (γ+½)²/4                         (3)
//       @cite ChungHulbert1993, ArnoldBruls2007, BrulsCardonaArnold2012
//   hht-i3                    w = a/(1+α),  r_n = α/(1+α) (f + Gᵀλ)_n
//       γ = ½−α, β = (1−α)²/4, α ∈ [−⅓, 0], M at q_n ⊕ (1+α)D @cite NegrutRampalliOttarsson2007 (4)
//
//   index 2: G v_{n+1} + g_t = 0;     index 3 (and hht-i3): g(t_{n+1}, q_{n+1}) = 0             (5)
//
// Newton's method with κ = ∂w/∂a, S = κ M + hγ D_f + h²β K, K = ∂(M w)/∂q − ∂f/∂q − ∂(Gᵀλ)/∂q:
//   index 2, y = ∂v:   S y − Gᵀ(hγ ∂λ) = −hγ R,    (G + hβ/γ ∂(G v)/∂q) y = −(G v + g_t)
//   index 3, y = ∂D:   S y − Gᵀ(h²β ∂λ) = −h²β R,  G y = −g                                     (6)
// With this scaling the condition of the matrix does not grow as h → 0.
// @cite BottassoBauchauCardona2007
//
// Error: |D − h v_n − h²/3 v̇_n − h²/6 v̇_{n+1}|, exponent p = 2.                               (7)
// Dense output: quintic Hermite of (q, v, v̇) at both ends, order 2 as the method.
//
// Deviation: hht-i3 takes M at the instant t_{n+1} + αh, where its a belongs: at q_{n+1} the order
// is one if M depends on q. On curved spaces the tangent T(D) is left out of (6), which costs
// iterations, not accuracy; ∂(M w)/∂q is differenced.
#pragma once

#include "saltus/dae/dae_solver.h"
#include "saltus/dae/hermite.h"

namespace saltus {

struct AlphaMethodOptions {
  enum class Method { kIndex2, kIndex3, kHhtI3 };
  Method method = Method::kIndex2;
  double rho_inf = 0.8;             // of (3), ∈ [0, 1]
  double alpha = -0.1;              // of (4), ∈ [−⅓, 0]
  double newton_tolerance = 1e-10;  // |R| ≤ tolerance (|M v̇| + |λ| + 1)
  double joint_tolerance = 1e-12;   // |G v + g_t| or |g|
  int max_iterations = 20;
};

class AlphaMethod final : public DaeSolver {
 public:
  explicit AlphaMethod(const AlphaMethodOptions& options);

  std::string name() const override;
  int order() const override { return 2; }
  int error_order() const override { return 2; }
  VectorX MakeMemory() const override;
  void Recall(const VectorX& memory) override;

 protected:
  DaeTrial Step() override;
  void OnStart() override { history_is_known_ = false; }
  void OnAdvance(bool moved) override;
  void Interpolate(double theta, VectorX* q, VectorX* v) override;

 private:
  using Method = AlphaMethodOptions::Method;
  bool is_hht() const { return options_.method == Method::kHhtI3; }
  bool is_index2() const { return options_.method == Method::kIndex2; }
  bool StartHistory();
  void Predict();
  void CalcEnd();
  bool CalcResidual();
  bool FactorMatrix();
  bool Correct(bool factor);
  DaeTrial Finish();

  /// What a step hands over to the next one.
  struct History {
    VectorX a, v_dot, lambda, force;  // a_n, v̇_n, λ_n, (f + Gᵀλ)_n
  };

  const AlphaMethodOptions options_;
  double gamma_, beta_, kappa_, alpha_m_ = 0, alpha_f_ = 0;
  History start_history_, end_history_;
  bool history_is_known_ = false;
  VectorX a_, w_, lambda_, D_, q_mass_, f_, residual_, c_, y_, mu_, scratch_;
  SparseRows G_, L_, C_;
  BlockMatrix S_, K_, damping_;
  HermiteStep hermite_;
  bool dense_is_ready_ = false;
};

}  // namespace saltus
