// SpringElement: a linear spring and damper on one measure. Springs, dampers, torsion springs and
// the six directions of a bushing are all of this kind.
//
//   F = −k (value − rest) − c φ̇,   φ̇ = ∇φ·V,   f += (∇φ)ᵀ F                               (1)
//   E = ½ k (value − rest)²                                                                 (2)
//   K = −∂f/∂q = k ∇φ∇φᵀ + c ∇φ (VᵀH) − F H,   D = −∂f/∂v = c ∇φ∇φᵀ                        (3)
//   Gauss–Newton: K ≈ k ∇φ∇φᵀ, D as in (3): symmetric positive semidefinite
#pragma once

#include <string>
#include <vector>

#include "saltus/dynamics/system.h"
#include "saltus/multibody/measures/pair.h"

namespace saltus {

struct SpringElement {
  std::string name{};  // of the force it belongs to
  Pair pair{};
  Coordinate coordinate{};
  double stiffness = 0;  // k, N/m or N m/rad
  double damping = 0;    // c, N s/m or N m s/rad
  double rest = 0;       // m or rad
};

// `turns`: remembered values of angles in space, see Coordinate.
/// f += (1) of every element; only −c φ̇ if `dampers_only`.
void AddSpringForces(const std::vector<SpringElement>& springs, const std::vector<Body>& bodies,
                     const VectorX& q, const VectorX& v, const VectorX& turns, bool dampers_only,
                     VectorX* f);
/// K, D += (3).
void AddSpringTangents(const std::vector<SpringElement>& springs, const std::vector<Body>& bodies,
                       const VectorX& q, const VectorX& v, const VectorX& turns, TangentKind kind,
                       BlockMatrix* K, BlockMatrix* D);
/// The sum of (2), J.
double CalcSpringEnergy(const std::vector<SpringElement>& springs, const std::vector<Body>& bodies,
                        const VectorX& q, const VectorX& turns);

}  // namespace saltus
