// SmoothNewton: the linear systems of one Newton iteration of nonsmooth_alpha.h, whose numbers are
// used: the smooth motion (10) with its matrix (9), the metric of the corrections, the couplings
// (13), and the joints of (11) where no contact is near.
// @cite BrulsAcaryCardona2014
#pragma once

#include <optional>
#include <vector>

#include "saltus/integrators/alpha_kinematics.h"
#include "saltus/integrators/contact_problem.h"
#include "saltus/linalg/kkt_solver.h"

namespace saltus {

/// What the turning of rows (20) adds to (10): −hK(ΔU + e) − hDΔW, and −C(ΔU + e) to its rows.
struct SmoothTurning {
  VectorX force, rows;
};

class SmoothNewton {
 public:
  SmoothNewton(const AlphaCoefficients& k, bool coupled) : k_(k), coupled_(coupled) {}

  /// Sizes, symbolic factorisations, and M of a System that is new; otherwise nothing.
  void Prepare(System& system, AlphaTerms* terms);
  /// Start of the step from *state: memory of the last one, or consistent accelerations ṽ̇ = a.
  AlphaStart Begin(System& system, double h, const State& state, AlphaTerms* terms);

  /// (9) at the iterate, factored; with contacts near the metric (M, G) too.
  void Form(System& system, const AlphaStart& start, const AlphaIterate& x, const AlphaTerms& terms,
            bool free);
  /// (10) without ΔU and ΔW: dv = Δṽ; *lambda takes its change. False: not finite or singular.
  bool Solve(const AlphaStart& start, const AlphaIterate& x, const AlphaTerms& terms,
             const SmoothTurning* turning, VectorX* dv, VectorX* lambda);
  /// S of the last Form() with G in place of L.
  void FactorWithoutTangents(const AlphaTerms& terms);
  /// The metric M + weight K of positions, or M + weight D of velocities, factored: matrix(). K
  /// and D are those of the last Form(). False: singular.
  bool FormMetric(const AlphaTerms& terms, double weight, bool position);
  /// f += S x with the last matrix.
  void AddMatrixProduct(const VectorX& x, VectorX* f) const { S_.AddMultiply(1, x, f); }
  /// (11) where no contact is near, in the metric S/c; *dv and λ̃ take its effect on (10).
  bool SolvePositionsWithoutContacts(const AlphaStart& start, const AlphaTerms& terms,
                                     double tolerance, VectorX* dv, AlphaIterate* x);
  /// dq = h(β/γ) T Δṽ: how q̃ moves with Δṽ.
  VectorX CalcMove(double h, const VectorX& dv) const;

  /// (M, G), or S of (9), on the motions that the joints allow.
  KktSolver& metric() { return *kkt_M_; }
  KktSolver& matrix() { return linear_ ? *kkt_M_ : *kkt_S_; }
  /// The coupling (13) of a contact level; null: it is weak, or the variant has none.
  const DelassusCorrection* coupling(bool position, double h);
  /// factor P_S T y of a coupling.
  VectorX CalcCoupling(const DelassusCorrection& coupling, const VectorX& y) const;

  /// How well solves need to remove the regularisation of redundant joints.
  KktPasses passes() const { return free_ && large_ ? KktPasses::kOne : KktPasses::kToRounding; }

  const BlockMatrix& K() const { return K_; }
  const BlockMatrix& D() const { return D_; }
  const SparseRows& C() const { return C_; }
  double c() const { return (1 - k_.alpha_m) / ((1 - k_.alpha_f) * k_.gamma); }
  bool coupled() const { return coupled_; }                  // variant monolithic
  bool linear() const { return linear_; }                    // constant f and M, no joints: S = c M
  bool curved() const { return curved_; }                    // C is known and L is used
  bool large() const { return large_; }                      // a factorisation is worth keeping
  double rounding_speed() const { return rounding_speed_; }  // h|K/M| times the rounding of q
  /// The joints became inconsistent in the last Solve().
  bool inconsistent() const { return inconsistent_; }

 private:
  void AddMassTangent(System& system, const AlphaIterate& x);
  void CalcTangents(System& system, const AlphaStart& start, const AlphaIterate& x,
                    const AlphaTerms& terms);
  void AddConstraintTangents(const AlphaTerms& terms, bool flat, double by_dv);
  void CheckStiffness(const AlphaTerms& terms, double h, double q_size);
  void AddPositionIncrement(const AlphaTerms& terms, const VectorX& g_left, bool first,
                            double enough, VectorX* dq, VectorX* dU, AlphaIterate* x);

  const AlphaCoefficients k_;
  const bool coupled_;
  const System* system_ = nullptr;
  std::optional<KktSolver> kkt_M_, kkt_S_;
  BlockMatrix K_, D_, S_, T_;
  SparseRows C_, L_;
  std::vector<int> diagonal_slots_;
  std::vector<std::vector<int>> uncoupled_blocks_;  // for differences
  DelassusCorrection coupling_;
  bool linear_ = false, large_ = false;
  bool full_rank_ = false;  // joints without redundancy at the initial state
  bool curved_ = false;
  bool stiff_ = false;  // S differs from c M by more than a few percent
  bool free_ = false;   // no contact near at the last Form()
  bool inconsistent_ = false;
  double rounding_speed_ = 0;
};

}  // namespace saltus
