// The conic problem that every integrator poses and every solver solves.
//
//   u = (A + C) r + b,   for each block c:   K_c* ∋ û_c ⟂ r_c + c n ∈ K_c                      (1)
//
// r collects impulses (N s), u relative velocities after the step including restitution terms
// (m/s), A = H S⁻¹Hᵀ is the Delassus operator [@cite AcaryBrogliato2008, §13],
// C ≥ 0 an optional diagonal compliance: an elastic layer of compliance κ (m/N) in a step h is
// κ/h² (1/kg), which also makes a singular problem regular. c ≥ 0 is an optional cohesion (N s): a
// bond that pulls until r_N = −c and adds to the load of friction. Cones:
//
//   kFree          K = R^d, K* = {0}:            u = 0, r free
//   kNonnegative   K = R₊ (d = 1):               0 ≤ u ⟂ r ≥ 0
//   kFriction      K = {|r_T| ≤ μ r_N}, d = 2 or 3, order N, T1, T2:  û = u + μ|u_T| n         (2)
//                  (De Saxcé's change of variable makes (1) exact, non-associated Coulomb friction;
//                  @cite DeSaxceFeng1998)
//   kRollingFriction  as kFriction, with bounds on the rolling moment |m_R| ≤ μ_r r_N and on the
//                  spinning moment |m_S| ≤ μ_s r_N too; layout and law in friction_groups.h
//   kPolyhedralFriction  K = {r_T ∈ μ r_N P}, d = 3, P the regular polygon of k corners d_i on the
//                  unit circle, d_0 = t₁; slip maximises dissipation over P:
//                  û = u + μ max_i(−d_i·u_T) n; polyhedral_cone.h
//   kBox           K = [−s, s]^d, disc of radius s if d > 1 (dry friction of a joint):
//                  −u ∈ N_K(r);  s = bound + coefficient·|ℓ₀ + L r|: constant, or load dependent
//                  through the rows L of the same problem                                      (3)
//
// A cone marked `associated` obeys K* ∋ u ⟂ r ∈ K instead, without the shift of û: a convex
// problem, in which sliding opens a contact by μ|u_T|. It is another law than Coulomb's, never
// chosen silently, and SolveReport::associated says so.
#pragma once

#include <vector>

#include "saltus/base/growing_vector.h"
#include "saltus/base/types.h"
#include "saltus/cones/delassus.h"

namespace saltus {

enum class ConeKind { kFree, kNonnegative, kFriction, kBox, kRollingFriction, kPolyhedralFriction };

struct Cone {
  ConeKind kind = ConeKind::kNonnegative;
  int offset = 0;  // first row of the block
  int dimension = 1;
  double friction = 0;  // μ ≥ 0 (kFriction, kRollingFriction, kPolyhedralFriction)
  double bound = 0;     // constant part of s (kBox), N s
  int load = -1;        // index into ConicProblem::loads, or −1 (kBox)
  double rolling = 0;   // μ_r ≥ 0, m (kRollingFriction of dimension 3, 5 and 6)
  double spinning = 0;  // μ_s ≥ 0, m (kRollingFriction of dimension 4 and 6)
  int facets = 8;       // corners of P, ≥ 3 (kPolyhedralFriction)
  double cohesion = 0;  // c ≥ 0, N s (kNonnegative and all kinds of friction)
  bool associated = false;
  /// The contact stuck in the last step: what its law misses makes it creep, so the velocity aim of
  /// SolveTarget holds for it where others may stop at the limit.
  bool sticks = false;
};

/// ℓ = ℓ₀ + L r: the part of the impulses that loads a dry-friction block, eq. (3).
struct ConeLoad {
  double coefficient = 0;  // ≥ 0
  VectorX constant;        // ℓ₀
  MatrixX rows;            // L, |ℓ₀| × size
};

struct ConicProblem {
  const Delassus* A = nullptr;  // not owned
  GrowingVector b;
  std::vector<Cone> cones;  // in row order, no gaps
  std::vector<ConeLoad> loads;
  GrowingVector compliance = {};  // diagonal of C, 1/kg, ≥ 0; empty: none

  int size() const { return static_cast<int>(b.size()); }
};

/// u = (A + C) r + b.
void CalcVelocity(const ConicProblem& problem, const Eigen::Ref<const VectorX>& r, VectorX* u);
void CalcVelocity(const ConicProblem& problem, const Eigen::Ref<const VectorX>& r,
                  GrowingVector* u);
/// The entries A_ii + C_i.
void CalcDiagonal(const ConicProblem& problem, VectorX* diagonal);
void CalcDiagonal(const ConicProblem& problem, GrowingVector* diagonal);
/// All entries of A + C.
MatrixX MakeDense(const ConicProblem& problem);

/// How well r solves a problem, judged outside every solver.
///   relative  = ‖r − P_K(r − ρ û)‖₂ / ‖r‖₂ with ρ_c = d_c/tr(A_cc), over all blocks; where r = 0
///               relative to ‖ρ b‖ (and 0 where both vanish)                                   (4)
///   absolute  = ‖r − P_K(r − û)‖₂ / max(‖b‖, ‖r‖, ‖u‖)                                        (5)
///   velocity  = max_c ‖r − P_K(r − ρ û)‖_c / ρ_c, in the unit of u: what the worst block breaks of
///               its law; |min(u, A_ii r)| for a nonnegative row                               (7)
/// Moments have other units than impulses. In (4) they are divided by the lever
///   ℓ = (mean A_ii of N and T / mean A_ii of the group)^½, a radius of gyration (m)           (6)
/// of their group, angular velocities multiplied by it, and ρ_c is taken from the rows N and T
/// alone: (4) does not depend on the unit of length. (5) is taken as it stands.
/// A includes C. Where there is cohesion, r + c n takes the place of r.
/// A block that nothing can move (A_cc = 0) takes the mean ρ of the others, or 1 if there are none:
/// it counts only if its velocity violates the law. Not-a-number gives infinity in both.
struct NaturalMapResidual {
  double relative = 0;
  double absolute = 0;
  double velocity = 0;
  int velocity_block = -1;       // the block of (7)
  double sticking_velocity = 0;  // (7) over the blocks with Cone::sticks
  int worst_block = -1;          // block with the largest contribution to (4) …
  double worst = 0;              // … and what (4) would be with this block's error alone
};
NaturalMapResidual CalcNaturalMapResidual(const ConicProblem& problem,
                                          const Eigen::Ref<const VectorX>& r);

/// Memory that repeated evaluations share. After a call, u = (A + C) r + b.
struct NaturalMapScratch {
  VectorX u;
  VectorX diagonal;
};
NaturalMapResidual CalcNaturalMapResidual(const ConicProblem& problem,
                                          const Eigen::Ref<const VectorX>& r,
                                          NaturalMapScratch* scratch);
/// The same from the results of CalcVelocity and CalcDiagonal.
NaturalMapResidual CalcNaturalMapResidual(const ConicProblem& problem, const double* r,
                                          const double* u, const double* diagonal);

/// ℓ of eq. (6) for each row of a block: 1 for forces, for moments from the diagonal of A_cc; 1 too
/// where nothing can turn or move.
void CalcLevers(const Cone& cone, const double* diagonal, double* levers);

/// s of eq. (3) at the impulses r (all rows of the problem).
double CalcBoxBound(const ConicProblem& problem, const Cone& cone, const double* r);

/// Traces tr(A_cc) at most this fraction of the largest belong to blocks that nothing can move.
inline constexpr double kImmovableTrace = 1e-15;

}  // namespace saltus
