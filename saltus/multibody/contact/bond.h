// Bond: cohesion of two surfaces that touch at the start, with the adhesion β ∈ [0, 1] as memory:
// 1 whole, 0 broken. Two laws: Frémond's and the triangular one.
// @cite Fremond1988, RaousCangemiCocou1999
//
// A bond joins the points of two bodies that coincide at the start; u = (u_N, u_T1, u_T2) is their
// distance along axes that the first body carries, n outwards from it, and A its share of the area.
// With e(u) = c_N (u_N⁺)² + c_T |u_T|² and the share φ of the stiffness that is left:
//   stored energy   E = ½ A φ e(u),   force on the second body  −A φ (c_N u_N⁺, c_T u_T)     (1)
//   Frémond:  φ = β²,  b β̇ = −(β e − w)⁺;       b = 0:  0 ≤ −β̇ ⟂ w − β e ≥ 0                (2)
// Contact and friction of the surfaces act beside it, as of any others: 0 ≤ g ⟂ P_N ≥ 0.
// Discrete, implicit at the end t of a step that begins with β₀ at t₀:
//   β = β₀ if β₀ e ≤ w,  else (b β₀ + h w)/(b + h e),   h = t − t₀     (b = 0: β = w/e)        (3)
//   spent energy  D = A [w (β₀ − β) + b (β₀ − β)²/h]                                            (4)
// so that f at the end of a step is a function of q alone, with the exact tangent
//   K = A [φ (Cu′) ⊗ u′ + (C u) ⊗ ∂φ/∂u] along the gradients of u, and the geometric part    (5)
// Slow opening, b = 0: whole up to u₀ = √(w/c_N) with the largest traction √(w c_N), then
// w²/(c_N u³); the energy of a complete separation is w per area, half of it before u₀.
//
// Triangular: φ = β. With the opening u = √(e/c_N), its onset u₀ = σ/c_N and its end u_f = 2w/σ:
//   β = min(β₀, u₀ (u_f − u) / (u (u_f − u₀)))⁺                                              (6)
// The traction c_N u rises to the strength σ at u₀ and falls on a straight line to 0 at u_f, where
// the bond is gone for good; unloading follows the secant. The area under it is w = ½ σ u_f, and
//   D = A [d(β) − d(β₀)],   d(β) = w u₀ (1 − β)/(u₀ + β (u_f − u₀))                            (7)
// is that between the loading path and the secant.
//
// Deviation: the sources let friction grow as the adhesion fades; here friction holds from the
// start, with the contact pressure P_N alone.
#pragma once

#include <vector>

#include "saltus/dynamics/state.h"
#include "saltus/dynamics/system.h"
#include "saltus/multibody/measures/pair.h"
#include "saltus/multibody/model_spec.h"

namespace saltus {

struct Bond {
  ContactKey key;    // of the contact that it belongs to
  Pair pair{};       // kOffset(0), (1), (2) of its frames are u_N, u_T1, u_T2
  CohesionSpec law;  // area is set: that of this bond
};

/// The adhesions β₀ and the time t₀ at which they hold.
struct BondMemory {
  double time = 0;
  VectorX adhesion;

  void Load(const State& state) {
    time = state.time;
    adhesion = state.internal;
  }
};

/// f += (1).
void AddBondForces(const std::vector<Bond>& bonds, const BondMemory& memory,
                   const std::vector<Body>& bodies, double t, const VectorX& q, VectorX* f);
/// K += (5); Gauss–Newton: without ∂β/∂u and the geometric part.
void AddBondTangents(const std::vector<Bond>& bonds, const BondMemory& memory,
                     const std::vector<Body>& bodies, double t, const VectorX& q, TangentKind kind,
                     BlockMatrix* K);
/// The sum of the stored energies, J.
double CalcBondEnergy(const std::vector<Bond>& bonds, const BondMemory& memory,
                      const std::vector<Body>& bodies, double t, const VectorX& q);
/// (3) at the time and place of *state: writes state->internal and loads it. Returns the sum of
/// (4), J.
double UpdateBonds(const std::vector<Bond>& bonds, const std::vector<Body>& bodies, State* state,
                   BondMemory* memory);

/// All bonds of one pair of surfaces.
struct BondReport {
  ContactKey key;
  double adhesion = 0;                  // mean β
  double opening = 0;                   // largest u_N, m
  Vector3 point = Vector3::Zero();      // mean, world
  Matrix3 frame = Matrix3::Identity();  // columns n, t₁, t₂ of the first bond, world
  Vector3 force = Vector3::Zero();      // sum of (1) along n, t₁, t₂, N
};
/// At the time of the memory.
std::vector<BondReport> MakeBondReports(const std::vector<Bond>& bonds, const BondMemory& memory,
                                        const std::vector<Body>& bodies, const VectorX& q);

}  // namespace saltus
