// Euclidean projections onto the cones and sets of ConicProblem.
//
//   friction cone   K  = {|x_T| ≤ μ x_N} (1) its dual        K* = {μ|x_T| ≤ x_N} (2) disc D  = {|x|
//   ≤ s}, an interval in one dimension                                 (3)
//
// Moreau's decomposition links the first two: x = P_K(x) − P_K*(−x), the parts being orthogonal.
// The vectors are spans of d numbers, in place, so that the residual of a large problem is one pass
// without temporaries. μ ≥ 0 and s ≥ 0 may be zero.
#pragma once

#include <algorithm>
#include <cmath>

namespace saltus {

/// |x| of d numbers.
inline double CalcNorm(const double* x, int d) {
  double sum = 0;
  for (int i = 0; i < d; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

/// x ← P_K(x), eq. (1); x = (x_N, x_T) with d − 1 tangential components.
inline void ProjectOntoFrictionCone(double mu, int d, double* x) {
  const double tangential = CalcNorm(x + 1, d - 1);
  if (mu * tangential <= -x[0]) {  // In the polar cone −K*; first, for μ = 0 and x_N < 0.
    std::fill(x, x + d, 0.0);
    return;
  }
  if (tangential <= mu * x[0]) return;
  const double normal = (x[0] + mu * tangential) / (1 + mu * mu);
  x[0] = normal;
  for (int i = 1; i < d; ++i) x[i] *= mu * normal / tangential;
}

/// x ← P_K*(x), eq. (2).
inline void ProjectOntoDualFrictionCone(double mu, int d, double* x) {
  const double tangential = CalcNorm(x + 1, d - 1);
  if (mu * tangential <= x[0]) return;
  if (tangential <= -mu * x[0]) {  // In the polar cone −K.
    std::fill(x, x + d, 0.0);
    return;
  }
  const double length = (mu * x[0] + tangential) / (1 + mu * mu);  // |x_T| of the projection.
  x[0] = mu * length;
  for (int i = 1; i < d; ++i) x[i] *= length / tangential;
}

/// x ← P_D(x), eq. (3).
inline void ProjectOntoDisc(double radius, int d, double* x) {
  if (d == 1) {
    x[0] = std::clamp(x[0], -radius, radius);
    return;
  }
  const double norm = CalcNorm(x, d);
  if (norm <= radius) return;
  for (int i = 0; i < d; ++i) x[i] *= radius / norm;
}

/// max(x, 0).
inline double ProjectOntoNonnegative(double x) { return std::max(x, 0.0); }

}  // namespace saltus
