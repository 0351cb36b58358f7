// The smooth equations of a θ-step with joints, and Newton's matrix for them.
//
// From (q_n, v_n) at t_n over a step h to (q, v) at t_{n+1}, with impulses Λ of the joints and p of
// everything else (contacts):
//
//   M_θ (v − v_n) = h [(1−θ) f(t_n,q_n,v_n) + θ f(t_{n+1},q,v)] + τ + G_θᵀ Λ + p                (1)
//   q = q_n ⊕ δ,   δ = h [(1−θ) v_n + θ v] + x,      M_θ, G_θ at q_θ = q_n ⊕ θδ                 (2)
//   G(t_{n+1},q) v + g_t(t_{n+1},q) = 0                                                         (3)
//
// x is a displacement that keeps positions admissible (joints closed, no overlap). τ turns the
// inertia forces of (1), which the mean of the ends approximates, into the exact change of angular
// momentum (System::CalcTurnImpulse).
//
// Newton's method at the iterate (v, Λ), with the geometric stiffness K_G = −∂(Gᵀ Λ)/∂q at q_θ and
// C = ∂(G v)/∂q at q:
//
//   S = M + hθ D + h²θ² K + hθ² K_G,     L = G + hθ C                                           (4)
//   S v⁺ − Gᵀ (Λ⁺ − Λ) = S v − M (v − v_n) + h f_θ + τ + G_θᵀ Λ + p                             (5)
//   L v⁺ = −g_t + hθ C v                                                                        (6)
//
// The multiplier enters (5) as a change: where joints and contacts are redundant Λ is not unique,
// and the change of least norm leaves it alone once v has converged. L = G where rows of G are
// redundant.
// @cite AcaryBrogliato2008
#pragma once

#include <optional>

#include "saltus/dynamics/system.h"
#include "saltus/linalg/kkt_solver.h"

namespace saltus {

class ThetaEquations {
 public:
  /// The step begins: matrices and the order of pivots once per system, then f and M at the start.
  /// @param turn  whether τ of (1) is taken into account
  void Begin(System& system, const State& start, double h, double theta, bool turn);

  /// Terms at the iterate v with the displacement x: q, q_θ, f, M_θ, G, G_θ, g_t.
  void MoveTo(const VectorX& v, const VectorX& x);
  /// Closes the joints, g(q) = 0, by the factored matrix; adds the displacement to *x and moves.
  /// Returns the largest |g| that is left.
  double CloseJoints(const VectorX& v, VectorX* x);

  /// Forms and factors (4). False if a component is singular.
  bool Factor(const VectorX& v, const VectorX& lambda);
  /// M and G at the start instead: the metric of an impact at q_n.
  bool FactorAtStart();
  /// The right-hand sides of (5), without p, and of (6).
  void CalcRightHandSide(const VectorX& v, const VectorX& lambda, VectorX* rhs, VectorX* c);

  /// |G v + g_t|∞ at the present q, and the row where it is.
  double CalcJointRate(const VectorX& v, int* worst) const;
  /// |g|∞ at the present q, and the row where it is.
  double CalcJointError(int* worst) const;

  System& system() const { return *system_; }
  const State& start() const { return *start_; }
  double h() const { return h_; }
  double theta() const { return theta_; }
  double t() const { return start_->time + h_; }
  const KktSolver& kkt() const { return *kkt_; }
  const BlockMatrix& M() const { return M_; }
  const VectorX& q() const { return q_; }
  const VectorX& q_theta() const { return q_theta_; }
  const VectorX& delta() const { return delta_; }
  const VectorX& start_force() const { return f0_; }
  /// G_θ Λ-work needs the rows of (1).
  const SparseRows& G_theta() const { return G_theta_; }
  const VectorX& g_t() const { return g_t_; }
  bool has_joints() const { return system_->traits().num_constraints > 0; }
  /// What the rounding of q does to v through the stiffness, m/s.
  double rounding_speed() const { return rounding_speed_; }
  /// True if (1) and (2) are linear in v: one iteration solves them.
  bool is_linear() const;

 private:
  void Prepare(System& system);

  System* system_ = nullptr;
  const State* start_ = nullptr;
  double h_ = 0, theta_ = 0.5;
  double rounding_speed_ = 0;
  bool turns_ = false;
  bool full_rank_ = true;
  std::optional<KktSolver> kkt_;
  BlockMatrix M_, K_, D_, S_;
  SparseRows G_, G_theta_, C_, L_;
  VectorX q_, q_theta_, delta_, f0_, f1_, turn_, g_t_;
  mutable VectorX g_, scratch_, correction_;
};

}  // namespace saltus
