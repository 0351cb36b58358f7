// The two faces that a manifold is made of.
#pragma once

#include "saltus/collision/manifold.h"

namespace saltus {

struct ManifoldBuilder::Faces {
  const Convex *ref = nullptr, *inc = nullptr;
  bool swapped = false;              // the reference is B
  int face = -1;                     // of the reference; of a cylinder: the cap
  int inc_face = -1;                 // of the incident core; −1: it shows a line
  Vector3 n = Vector3::UnitZ();      // the normal of the axis, out of the reference
  Vector3 offset = Vector3::Zero();  // from the reference core to the incident one
};

}  // namespace saltus
