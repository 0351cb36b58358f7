// Axis-aligned bounding box.
#pragma once

#include <limits>

#include "saltus/base/types.h"

namespace saltus {

struct Aabb {
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity());
  Vector3 high = Vector3::Constant(-std::numeric_limits<double>::infinity());

  void Extend(const Vector3& x) {
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  void Extend(const Aabb& other) {
    low = low.cwiseMin(other.low);
    high = high.cwiseMax(other.high);
  }
  bool Overlaps(const Aabb& other) const {
    return low.x() <= other.high.x() && other.low.x() <= high.x() && low.y() <= other.high.y() &&
           other.low.y() <= high.y() && low.z() <= other.high.z() && other.low.z() <= high.z();
  }
  Vector3 center() const { return 0.5 * (low + high); }
};

}  // namespace saltus
