// Pair: the two bodies of an element, and how its rows in R¹² reach the global arrays.
//
//   gradient (12) ↦ row [∇_A T_A, ∇_B T_B],   H (12 × 12) ↦ blocks T_iᵀ H_ij T_j     (see body.h)
#pragma once

#include <vector>

#include "saltus/base/types.h"
#include "saltus/linalg/block_matrix.h"
#include "saltus/multibody/bodies/body.h"
#include "saltus/multibody/measures/measure.h"

namespace saltus {

struct Pair {
  int a = kGround, b = kGround;  // bodies
  PairFrames frames;
  // Slots of the blocks (a, a), (a, b), (b, a), (b, b) in the pattern; −1 with the ground, and of
  // (a, b) and (b, a) where no element couples the bodies.
  int slot_aa = -1, slot_ab = -1, slot_ba = -1, slot_bb = -1;
};

/// Placements of both bodies of a pair.
struct PairPlacement {
  Placement A, B;
};

PairPlacement CalcPlacements(const Pair& pair, const std::vector<Body>& bodies, const VectorX& q);
/// (V_A, V_B); zero for the ground.
Vector12 CalcSpatialVelocities(const Pair& pair, const std::vector<Body>& bodies, const VectorX& v);

/// f += factor (∇φ)ᵀ.
void AddRow(const Pair& pair, const std::vector<Body>& bodies, const Vector12& gradient,
            double factor, VectorX* f);
/// matrix += Tᵀ H T on the blocks of the pair that the pattern has; others vanish.
void AddBlocks(const Pair& pair, const std::vector<Body>& bodies, const Matrix12& H,
               BlockMatrix* matrix);
/// Finds the slots of the pair.
void FindSlots(const BlockPattern& pattern, Pair* pair);

}  // namespace saltus
