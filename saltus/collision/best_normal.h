// The direction that separates two round elements best, by Newton's method.
//
// With P = 1 − u uᵀ the support function of a rim (axis u, radius r) about x, with half length L
// of a whole cylinder, and its derivatives are
//   h(n)  = x·n + L |u·n| + r |P n|                                                            (1)
//   ∇h(n) = x + L sign(u·n) u + r m,   m = P n / |P n|   (the rim point)                       (2)
//   ∇²h(n) = r/|P n| (u×m)(u×m)ᵀ.                                                              (3)
// A point has r = L = 0. The separation of A and B along n is s(n) = −h_A(n) − h_B(−n); its
// stationary point on the sphere |n| = 1, or on the circle square to a line e, is found to
// rounding.
#pragma once

#include "saltus/base/types.h"

namespace saltus {

struct RoundSupport {
  Vector3 x = Vector3::Zero();
  Vector3 u = Vector3::UnitZ();
  double radius = 0;
  double half_length = 0;
};

/// The point of (2).
Vector3 CalcRoundPoint(const RoundSupport& support, const Vector3& n);

/// Improves the unit vector n, which must be square to e; e = 0 for the whole sphere. Returns true
/// if the separation has a proper maximum at the end.
bool FindBestNormal(const RoundSupport& A, const RoundSupport& B, const Vector3& e, Vector3* n);

}  // namespace saltus
