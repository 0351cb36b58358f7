// Euclidean projections onto the cones and sets of ConicProblem.
//
//   friction cone   K  = {|x_T| ≤ μ x_N}                                                      (1)
//   its dual        K* = {μ|x_T| ≤ x_N}                                                       (2)
//   disc            D  = {|x| ≤ s}, an interval in one dimension                              (3)
//   many groups     K  = {x_N ≥ 0, |x_k| ≤ m_k x_N}, e.g. sliding, rolling and spinning       (4)
//
// (4): the normal part n of the projection is the root, or 0 if that is negative, of the increasing
// function n − x_N − Σ_k m_k max(0, |x_k| − m_k n): with the set of terms that count known,
// n = (x_N + Σ m_k |x_k|) / (1 + Σ m_k²). Starting with all, dropping those with |x_k| ≤ m_k n only
// raises n, so the set is found in at most as many passes as there are groups.
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

/// Rows [first, first + dimension) of a block whose norm the normal part bounds, eq. (4).
struct FrictionGroup {
  static constexpr int kMaxGroups = 3;
  int first = 1;
  int dimension = 1;
  double coefficient = 0;  // m_k ≥ 0; rolling and spinning: m
};

/// The normal part of P_K(x), eq. (4). Where it is positive, active[k] tells whether group k is
/// cut.
inline double FindGroupNormal(const FrictionGroup* groups, int count, const double* x,
                              double* norms, bool* active) {
  for (int k = 0; k < count; ++k) {
    norms[k] = CalcNorm(x + groups[k].first, groups[k].dimension);
    active[k] = true;
  }
  while (true) {
    double sum = x[0], weight = 1;
    for (int k = 0; k < count; ++k) {
      if (!active[k]) continue;
      sum += groups[k].coefficient * norms[k];
      weight += groups[k].coefficient * groups[k].coefficient;
    }
    const double normal = sum / weight;
    bool dropped = false;
    for (int k = 0; k < count; ++k) {
      if (!active[k] || norms[k] > groups[k].coefficient * normal) continue;
      active[k] = false;
      dropped = true;
    }
    if (!dropped) return std::max(normal, 0.0);
  }
}

/// x ← P_K(x), eq. (4).
inline void ProjectOntoGroups(const FrictionGroup* groups, int count, double* x) {
  double norms[FrictionGroup::kMaxGroups];
  bool active[FrictionGroup::kMaxGroups];
  const double normal = FindGroupNormal(groups, count, x, norms, active);
  x[0] = normal;
  for (int k = 0; k < count; ++k) {
    if (!active[k]) continue;
    const double scale = norms[k] > 0 ? groups[k].coefficient * normal / norms[k] : 0.0;
    for (int i = 0; i < groups[k].dimension; ++i) x[groups[k].first + i] *= scale;
  }
}

/// max(x, 0).
inline double ProjectOntoNonnegative(double x) { return std::max(x, 0.0); }

}  // namespace saltus
