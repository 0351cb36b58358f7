// The terms of smooth motion with joints, as the solvers of this folder need them:
//
//   M(q) v̇ = f(t,q,v) + Gᵀλ,    q̇ = N(q) v,    g(t,q) = 0                                     (1)
//   ġ = G v + g_t = 0           index 2                                                        (2)
//   g̈ = G v̇ + γ = 0             index 1                                                       (3)
//   [M −Gᵀ; G 0] [v̇; λ] = [f; −γ − 2α ġ − β² g]                                                (4)
//
// (4) is the index-1 form with Baumgarte's terms (α = β = 0: none). @cite Baumgarte1972
//
// Chart. A step from q_n runs in δ with q = q_n ⊕ δ, so that every Runge–Kutta method works on an
// ordinary flat equation and keeps its order on rotations:
//   δ' = T(δ)⁻¹ v,   δ(0) = 0,   T of System::CalcRetractTangent                               (5)
//
// Redundant rows. Half-explicit matrices [M −Gᵀ(Q_i); G(Q_{i+1}) 0] are singular if rows of G
// depend on each other. Start() selects a maximal independent set of rows in the metric M⁻¹; the
// others are left out and their multipliers are zero.
//
// Projection onto g = 0 and G v + g_t = 0, the nearest point in the metric M. @cite Lubich1991
//   M(Q)(q ⊖ Q) = Gᵀ(Q)Λ, g(t, q) = 0;     M(v − V) = GᵀΛ, G v + g_t = 0                       (6)
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "saltus/dae/dense_saddle.h"
#include "saltus/dae/formulation.h"
#include "saltus/dynamics/system.h"
#include "saltus/linalg/kkt_solver.h"

namespace saltus {

/// Baumgarte's coefficients of (4).
struct Baumgarte {
  double alpha = 0;  // 1/s, ≥ 0
  double beta = 0;   // 1/s, ≥ 0
};

/// What evaluations and factorisations were done since the last reset.
struct DaeCounts {
  long evaluations = 0;     // of f, with M and G
  long factorisations = 0;  // of a saddle-point matrix
};

/// Evaluates; holds scratch memory, so one per thread. Allocates nothing after the first calls.
class DaeTerms {
 public:
  explicit DaeTerms(System* system, const Baumgarte& baumgarte = {},
                    Formulation formulation = Formulation::kKkt);

  System& system() const { return *system_; }
  const SystemTraits& traits() const { return system_->traits(); }
  int num_velocities() const { return traits().num_velocities; }
  int num_rows() const { return static_cast<int>(kept_.size()); }

  /// Selects the rows at (t, q).
  void Start(double t, const VectorX& q);

  /// G, g, g_t and γ of the selected rows.
  void CalcJacobian(double t, const VectorX& q, SparseRows* G);
  void CalcConstraint(double t, const VectorX& q, VectorX* g);
  void CalcRate(double t, const VectorX& q, VectorX* g_t);
  void CalcBias(double t, const VectorX& q, const VectorX& v, VectorX* gamma);
  /// G v + g_t.
  void CalcHiddenConstraint(double t, const VectorX& q, const VectorX& v, VectorX* g_dot);
  /// K += −∂(Gᵀλ)/∂q and C = ∂(G v)/∂q; false: C is not known.
  bool AddConstraintTangents(double t, const VectorX& q, const VectorX& v, const VectorX& lambda,
                             BlockMatrix* K, SparseRows* C);
  /// K += ∂(M(q) w)/∂q at fixed w, by central differences; nothing if M is constant.
  void AddMassTangent(const VectorX& q, const VectorX& w, BlockMatrix* K);
  /// The multipliers of all rows of the system, zero for those that were left out.
  void ExpandMultipliers(const VectorX& lambda, VectorX* all) const;

  /// M(q), valid until the next call.
  const BlockMatrix& CalcMass(const VectorX& q);
  void CalcForce(double t, const VectorX& q, const VectorX& v, VectorX* f);

  /// S x − Gᵀλ = f, L x = c. False: singular or not finite.
  bool Solve(const BlockMatrix& S, const SparseRows& G, const SparseRows& L, const VectorX& f,
             const VectorX& c, VectorX* x, VectorX* lambda);
  /// The last matrix with another right-hand side.
  bool SolveAgain(const VectorX& f, const VectorX& c, VectorX* x, VectorX* lambda);
  /// (4).
  bool CalcAcceleration(double t, const VectorX& q, const VectorX& v, VectorX* a, VectorX* lambda);

  /// q_new = q ⊕ δ.
  void Retract(const VectorX& q, const VectorX& delta, VectorX* q_new) const {
    system_->Retract(q, delta, q_new);
  }
  /// δ' of (5), and back: v = T(δ) δ'.
  void CalcChartRate(const VectorX& delta, const VectorX& v, VectorX* rate);
  void CalcVelocity(const VectorX& delta, const VectorX& rate, VectorX* v);

  /// (6). False if Newton's method did not reach |g| ≤ tolerance.
  bool ProjectPosition(double t, double tolerance, VectorX* q);
  bool ProjectVelocity(double t, const VectorX& q, VectorX* v);

  const DaeCounts& counts() const { return counts_; }

 private:
  void SelectRows(double t, const VectorX& q);
  bool Factor(const BlockMatrix& S, const SparseRows& G, const SparseRows& L);
  void KeepRows(const VectorX& all, VectorX* kept) const;
  bool is_reduced() const { return num_rows() < traits().num_constraints; }

  System* system_;
  Baumgarte baumgarte_;
  Formulation formulation_;
  std::vector<int> kept_;  // rows of the system, ascending
  bool is_started_ = false, is_small_ = false;
  DenseSaddle dense_;               // if n + m is small …
  std::unique_ptr<KktSolver> kkt_;  // … else
  BlockMatrix M_, T_;
  bool mass_is_known_ = false;
  SparseRows G_all_, C_all_, G_;
  mutable VectorX all_rows_, expanded_;
  VectorX f_, c_, g_, delta_, increment_, multiplier_, q_, w_[2];
  std::vector<double> inverse_;
  DaeCounts counts_;
};

}  // namespace saltus
