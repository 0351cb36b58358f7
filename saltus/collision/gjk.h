// Distance of two convex cores by the Gilbert–Johnson–Keerthi iteration.
//
// The distance is |v|, v = the point of A ⊖ B = {a − b} nearest to the origin. A simplex of support
// points w = s_A(−v) − s_B(v) closes in on it; its nearest point is found by Wolfe's active-set
// method, which moves from the old weights to those of the affine hull and drops a vertex whose
// weight vanishes on the way, so that |v| never grows.
//   v·(v − w) ≤ ε |v|²   proves   |v| (1 − ε) ≤ distance ≤ |v|.                              (1)
// v·w/|v| is a lower bound of the distance, so far pairs leave early.
// @cite GilbertJohnsonKeerthi1988 @cite Wolfe1976
#pragma once

#include "saltus/collision/convex.h"

namespace saltus {

/// A vertex w = a − b of A ⊖ B and the points it comes from, all relative to the origin A.p.
struct MinkowskiVertex {
  Vector3 w, a, b;
  int id_a = -1, id_b = -1;
};
MinkowskiVertex CalcMinkowskiVertex(const Convex& A, const Convex& B, const Vector3& d);

struct GjkResult {
  enum class Status {
    kFar,        // distance > max_distance
    kSeparated,  // distance, normal and points are good
    kTouching    // the cores overlap, or nearly touch: `simplex` is a start for EPA
  };
  Status status = Status::kFar;
  double distance = 0;
  Vector3 normal = Vector3::UnitZ();                             // from A to B
  Vector3 point_A = Vector3::Zero(), point_B = Vector3::Zero();  // relative to A.p
  MinkowskiVertex simplex[4];
  int count = 0;
};

/// Cores nearer than about 1e-8 of their size are "touching": a normal from v would be noise.
GjkResult CalcGjk(const Convex& A, const Convex& B, double max_distance);

}  // namespace saltus
