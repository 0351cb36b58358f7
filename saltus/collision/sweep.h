// Swept test: which shapes pass through each other between two placements.
//
// Bodies move with constant velocity and angular velocity from the first pose to the second. A pair
// that is apart at the start along an axis a (separation s_a ≥ 0) has passed if s_a < 0 at the end
// although the shapes are apart there too, or overlap from the other side. Whether it passed
// through or by is decided by conservative advancement: with n the normal at time τ, the shapes
// cannot touch before
//   τ + gap / (approach along n + what rotation adds),                                         (1)
// so time is advanced by (1) until the gap vanishes (through) or the end is reached (by).
// A pair is looked at only if it moves relatively by more than half of the smaller width of the
// two: what moves less cannot pass from one side to the other. @cite Ericson2005
#pragma once

#include <vector>

#include "saltus/collision/collision_world.h"

namespace saltus {

class Sweep {
 public:
  /// Appends the axis at the start of every pair that passes through, sorted by colliders. `from`
  /// and `to` have one pose per mover. Surfaces (mesh, height field) and half-spaces are left out:
  /// the depth behind a half-space is measured, and a surface has no other side.
  void Find(CollisionWorld* world, const std::vector<Pose>& from, const std::vector<Pose>& to,
            std::vector<PairAxis>* axes);

 private:
  struct Item {
    bool solid = false;
    double width = 0;            // least extent
    double reach = 0;            // of the shape from its mover's origin
    double shift = 0, turn = 0;  // m, rad
    Vector3 low, high;           // box over the motion
  };
  void Prepare(const CollisionWorld& world);
  void Place(const CollisionWorld& world, const std::vector<Pose>& from,
             const std::vector<Pose>& to);
  bool PassesThrough(CollisionWorld* world, int a, int b, const std::vector<Pose>& from,
                     const std::vector<Pose>& to, PairAxis* axis);

  std::vector<Item> items_;
  std::vector<int> fast_;
  std::vector<Witness> witnesses_;
};

}  // namespace saltus
