// The conic problem that every integrator poses and every solver solves.
//
//   u = A r + b,   for each block c:   K_c* ∋ û_c ⟂ r_c ∈ K_c (1)
//
// r collects impulses (N s), u relative velocities after the step including restitution terms
// (m/s), A = H S⁻¹Hᵀ is the Delassus operator [@cite AcaryBrogliato2008, §13]. Cones:
//
//   kFree          K = R^d, K* = {0}:            u = 0, r free
//   kNonnegative   K = R₊ (d = 1):               0 ≤ u ⟂ r ≥ 0
//   kFriction      K = {|r_T| ≤ μ r_N}, d = 2 or 3, order N, T1, T2:  û = u + μ|u_T| n (2)
//                  (De Saxcé's change of variable makes (1) exact, non-associated Coulomb friction;
//                  @cite DeSaxceFeng1998)
//   kRollingFriction  as kFriction, with bounds on the rolling moment |m_R| ≤ μ_r r_N and on the
//                  spinning moment |m_S| ≤ μ_s r_N too; layout and law in friction_groups.h
//   kBox           K = [−s, s]^d, disc of radius s if d > 1 (dry friction of a joint):
//                  −u ∈ N_K(r);  s = bound + coefficient·|ℓ₀ + L r|: constant, or load dependent
//                  through the rows L of the same problem (3)
#pragma once

#include <vector>

#include "saltus/base/types.h"
#include "saltus/cones/delassus.h"

namespace saltus {

enum class ConeKind { kFree, kNonnegative, kFriction, kBox, kRollingFriction };

struct Cone {
  ConeKind kind = ConeKind::kNonnegative;
  int offset = 0;  // first row of the block
  int dimension = 1;
  double friction = 0;  // μ ≥ 0 (kFriction, kRollingFriction)
  double bound = 0;     // constant part of s (kBox), N s
  int load = -1;        // index into ConicProblem::loads, or −1 (kBox)
  double rolling = 0;   // μ_r ≥ 0, m (kRollingFriction of dimension 3, 5 and 6)
  double spinning = 0;  // μ_s ≥ 0, m (kRollingFriction of dimension 4 and 6)
};

/// ℓ = ℓ₀ + L r: the part of the impulses that loads a dry-friction block, eq. (3).
struct ConeLoad {
  double coefficient = 0;  // ≥ 0
  VectorX constant;        // ℓ₀
  MatrixX rows;            // L, |ℓ₀| × size
};

struct ConicProblem {
  const Delassus* A = nullptr;  // not owned
  VectorX b;
  std::vector<Cone> cones;  // in row order, no gaps
  std::vector<ConeLoad> loads;

  int size() const { return static_cast<int>(b.size()); }
};

/// How well r solves a problem, judged outside every solver.
///   relative  = ‖r − P_K(r − ρ û)‖₂ / ‖r‖₂ with ρ_c = d_c/tr(A_cc), over all blocks; where r = 0
///               relative to ‖ρ b‖ (and 0 where both vanish) (4)
///   absolute  = ‖r − P_K(r − û)‖₂ / max(‖b‖, ‖r‖, ‖u‖) (5)
/// Moments have other units than impulses. In (4) they are divided by the lever
///   ℓ = (mean A_ii of N and T / mean A_ii of the group)^½, a radius of gyration (m) (6)
/// of their group, angular velocities multiplied by it, and ρ_c is taken from the rows N and T
/// alone: (4) does not depend on the unit of length. (5) is taken as it stands.
/// A block that nothing can move (A_cc = 0) takes the mean ρ of the others, or 1 if there are none:
/// it counts only if its velocity violates the law. Not-a-number gives infinity in both.
struct NaturalMapResidual {
  double relative = 0;
  double absolute = 0;
  int worst_block = -1;  // block with the largest contribution to (4)
};
NaturalMapResidual CalcNaturalMapResidual(const ConicProblem& problem, const VectorX& r);

/// Memory that repeated evaluations share. After a call, u = A r + b.
struct NaturalMapScratch {
  VectorX u;
  VectorX diagonal;
};
NaturalMapResidual CalcNaturalMapResidual(const ConicProblem& problem, const VectorX& r,
                                          NaturalMapScratch* scratch);

/// ℓ of eq. (6) for each row of a block: 1 for forces, for moments from the diagonal of A_cc; 1 too
/// where nothing can turn or move.
void CalcLevers(const Cone& cone, const double* diagonal, double* levers);

/// s of eq. (3) at the impulses r (all rows of the problem).
double CalcBoxBound(const ConicProblem& problem, const Cone& cone, const double* r);

/// Traces tr(A_cc) at most this fraction of the largest belong to blocks that nothing can move.
inline constexpr double kImmovableTrace = 1e-15;

}  // namespace saltus
