// A witness at other poses of its two shapes, by its feature (feature.h).
#pragma once

#include "saltus/collision/collision_world.h"
#include "saltus/collision/convex.h"
#include "saltus/collision/mesh.h"

namespace saltus {

/// A shape in its own frame, and where that frame is at the reference and at the new poses.
struct UpdatedShape {
  const Shape* shape = nullptr;
  const ConvexGeometry* geometry = nullptr;  // capsule, box, convex hull
  const Mesh* mesh = nullptr;                // mesh, height field
  Vector3 from_p, p;
  Matrix3 from_R, R;
};

/// See CollisionWorld::UpdateWitness.
bool UpdateWitness(const UpdatedShape& A, const UpdatedShape& B, const Witness& reference,
                   Witness* witness);

}  // namespace saltus
