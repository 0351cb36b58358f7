// Swept test: which shapes pass through each other between two placements.
//
// Bodies move with constant velocity and angular velocity from the first pose to the second. A pair
// that is apart at the start along its axis, s(0) ≥ 0, and still is along the same axis at the end,
// s(1) ≥ 0, has not passed. For any other the time of impact is found by conservative advancement:
// with gap and normal n of the pair at time τ, and per unit of time the translation d of B relative
// to A and the angles ω with which they turn, whose points are no farther than r from the origins,
// the shapes cannot touch before
//   τ + gap / (−n·d + ω_A r_A + ω_B r_B).                                                      (1)
// The gap vanishes (they hit) or τ reaches 1 (they pass by each other). A pair that hits has passed
// through if along the axis of the impact it ends on the wrong side, s(1) < 0, and is apart again
// or overlaps from another side; and only if they overlap by a fifth of the smaller width on the
// way (a half if they touch at the start), else they have slid off each other. @cite Ericson2005
//
// A pair is looked at only if it moves relatively by more than half of the smaller width of the
// two: what moves less cannot come to the other side.
#pragma once

#include <vector>

#include "saltus/collision/broad_phase.h"
#include "saltus/collision/collision_world.h"

namespace saltus {

class Sweep {
 public:
  /// Appends an axis for every pair that passes through, sorted by colliders: that of the impact
  /// or, where the bodies have turned so much that it does not separate them at the start, the one
  /// of the start. `from` and `to` have one pose per mover. Surfaces (mesh, height field) and
  /// half-spaces are left out: the depth behind a half-space is measured, and a surface has no
  /// axis.
  void Find(CollisionWorld* world, const std::vector<Pose>& from, const std::vector<Pose>& to,
            std::vector<PairAxis>* axes);

 private:
  struct Item {
    double width = 0;   // least extent, m; 0: not a solid
    double radius = 0;  // of a ball about the mover's origin that holds the shape, m
    double reach = 0;   // of its points that move if the mover turns, from the origin, m
    double turn = 0;    // rad
    Vector3 shift = Vector3::Zero();
  };
  struct Motion {
    int a, b;
    Pose a0, b0, a1, b1;
    Vector3 shift;   // of B relative to A, m
    double turning;  // ω_A r_A + ω_B r_B, m
    double hit;      // gaps below it count as closed, m
  };
  struct Impact {
    Witness witness;
    Pose pose_A, pose_B;
  };

  void Prepare(const CollisionWorld& world);
  bool IsFast(const CollisionWorld& world, const std::vector<Pose>& from,
              const std::vector<Pose>& to);
  void FindNearPairs(const CollisionWorld& world, const std::vector<Pose>& from,
                     const std::vector<Pose>& to);
  bool PassesThrough(CollisionWorld* world, const Motion& motion, PairAxis* axis);
  bool FindImpact(CollisionWorld* world, const Motion& motion, const Witness& start,
                  Impact* impact);
  bool GoesDeep(CollisionWorld* world, const Motion& motion, double depth);
  double CalcSeparation(CollisionWorld* world, const PairAxis& axis, const Pose& a, const Pose& b);

  std::vector<Item> items_;
  double thinnest_ = 0;
  BroadPhase broad_phase_;
  std::vector<Aabb> boxes_;
  std::vector<int> solids_;
  std::vector<BroadPhase::Pair> pairs_;
  std::vector<Witness> witnesses_;
};

}  // namespace saltus
