// CollisionWorld: shapes and poses in, witness points out. Knows no body, mass or velocity.
//
// For a pair of shapes (A, B) a witness is a pair of points p_A ∈ ∂A, p_B ∈ ∂B and the unit normal
// n that points from A to B:   p_B − p_A = gap n,   gap < 0: the shapes overlap by −gap.
// The witnesses of a pair are its manifold; the least gap of them is the signed distance. Every
// witness has a feature number (feature.h) that stays the same while the same features touch, so
// that (pair, feature) is a persistent key for warm starts, and that says how gap, normal and
// points depend on the poses: UpdateWitness evaluates a feature wherever the shapes are.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "saltus/base/types.h"
#include "saltus/collision/feature.h"
#include "saltus/collision/shape.h"

namespace saltus {

/// One shape attached to a mover (the caller's body number; −1: fixed to the world).
struct Collider {
  Shape shape;
  Pose pose_BS;            // shape frame in the mover's frame
  int mover = -1;          // index into the poses given to Find; −1 for the world
  int collider_group = 0;  // pairs of equal nonzero groups never collide
};

struct Witness {
  int collider_A = -1, collider_B = -1;  // collider_A < collider_B
  Feature feature = 0;
  Vector3 point_A, point_B;  // world, m
  Vector3 normal;            // world, unit, from A to B
  double gap = 0;            // m, along the normal
};

/// The axis along which a pair is measured: a face of A or B, an edge of each, or a direction. The
/// frame of a sphere turns without moving its surface: if A is one, the direction goes with B, and
/// if both are, it is fixed to the world.
struct PairAxis {
  int collider_A = -1, collider_B = -1;
  Feature feature = 0;  // face and solid, solid and face, line and line; a tangent plane: direction
  Vector3 normal = Vector3::UnitZ();  // from A to B, in the frame of shape A; see below
};

class CollisionWorld {
 public:
  CollisionWorld();
  ~CollisionWorld();
  CollisionWorld(CollisionWorld&&) noexcept;
  CollisionWorld& operator=(CollisionWorld&&) noexcept;
  CollisionWorld(const CollisionWorld&);  // worlds are values: copied with a System
  CollisionWorld& operator=(const CollisionWorld&);

  /// Returns the collider's number (consecutive from 0).
  int Add(const Collider& collider);
  /// Movers a and b never collide with each other (for instance: joined by a joint).
  void DisablePair(int mover_a, int mover_b);

  /// Witnesses of every pair of colliders of different movers whose gap is below `margin` [m].
  /// `poses` has one pose per mover. The order is deterministic: by (collider_A, collider_B,
  /// feature). Reuses memory: no heap traffic once sizes have settled.
  void Find(const std::vector<Pose>& poses, double margin, std::vector<Witness>* witnesses);

  /// Witnesses of one pair of colliders (a < b) with gap < margin, at the given poses of their
  /// movers, whatever the broad phase and DisablePair say: for derivatives by differences.
  void FindPair(int a, const Pose& pose_a, int b, const Pose& pose_b, double margin,
                std::vector<Witness>* witnesses);

  /// The axis of the pair of a witness: that of the least gap is the axis of the signed distance.
  PairAxis MakeAxis(const Witness& witness, const Pose& pose_A, const Pose& pose_B) const;
  /// As Find, but the pairs in `held` (sorted by colliders) are measured along their axis, also if
  /// they are far apart; half-spaces and surfaces have none and are measured as ever.
  void FindAlong(const std::vector<Pose>& poses, double margin, std::span<const PairAxis> held,
                 std::vector<Witness>* witnesses);
  /// Witnesses of one pair along its axis with gap < margin.
  void FindPairAlong(const PairAxis& axis, const Pose& pose_A, const Pose& pose_B, double margin,
                     std::vector<Witness>* witnesses);
  /// Appends the axes of the pairs that pass through each other on the way from the first poses to
  /// the second, sorted by colliders; see sweep.h.
  void FindPassages(const std::vector<Pose>& from, const std::vector<Pose>& to,
                    std::vector<PairAxis>* axes);
  /// Whether an axis is worth holding: one of them is a box, a cylinder or a hull, and neither is a
  /// half-space, a surface or a sphere. The witnesses of round shapes turn smoothly about each
  /// other and keep their side by themselves.
  bool HasAxis(int a, int b) const;
  /// Whether filters and shapes let two colliders touch.
  bool MayCollide(int a, int b);

  /// The witness `reference`, found at the poses from_A, from_B of its movers, at other poses: the
  /// same features, whatever their gap. Costs no search and no memory. Returns false where the
  /// features do not determine a witness, as two edges that have become parallel; `witness` is
  /// then left as it is. `witness` may be the same object as `reference`.
  bool UpdateWitness(const Witness& reference, const Pose& from_A, const Pose& from_B,
                     const Pose& pose_A, const Pose& pose_B, Witness* witness) const;

  int num_colliders() const;
  const Collider& collider(int index) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saltus
