// The friction parts of a contact block: rows that share the normal impulse of their block as
// bound.
//
//   K = {x_N ≥ 0, |x_k| ≤ m_k x_N for all groups k}                                            (1)
//
// Coulomb friction is one group (T). A rolling contact has up to three: sliding T, rolling R and
// spinning S [@cite AcaryBourrier2021]. Its laws say that each group dissipates at its own largest
// rate, −u_k ∈ N_D(r_k) with the disc D of radius m_k r_N, and De Saxcé's shift sums over them:
//
//   û = u + Σ_k m_k |u_k| n                                                                    (2)
//
// The layout of kRollingFriction follows from its dimension:
//   3  N, T, R (planar)    4  N, T1, T2, S    5  N, T1, T2, R1, R2    6  N, T1, T2, R1, R2, S
#pragma once

#include "saltus/cones/conic_problem.h"
#include "saltus/cones/projections.h"

namespace saltus {

struct FrictionGroups {
  FrictionGroup group[FrictionGroup::kMaxGroups];
  int count = 0;

  const FrictionGroup* begin() const { return group; }
  const FrictionGroup* end() const { return group + count; }
};

/// True if the block has a normal row first, and friction bounded by its impulse.
inline bool IsFrictional(const Cone& cone) {
  return cone.kind == ConeKind::kFriction || cone.kind == ConeKind::kRollingFriction;
}

/// The groups of a frictional block.
inline FrictionGroups ListGroups(const Cone& cone) {
  FrictionGroups groups;
  const int d = cone.dimension;
  const auto add = [&](int first, int dimension, double coefficient) {
    groups.group[groups.count++] = {first, dimension, coefficient};
  };
  if (cone.kind == ConeKind::kFriction) {
    add(1, d - 1, cone.friction);
    return groups;
  }
  add(1, d == 3 ? 1 : 2, cone.friction);
  if (d == 3) add(2, 1, cone.rolling);
  if (d >= 5) add(3, 2, cone.rolling);
  if (d == 4 || d == 6) add(d - 1, 1, cone.spinning);
  return groups;
}

/// Rows that are forces (N and T, or all of a block that is not frictional); the others are
/// moments.
inline int CountForceRows(const Cone& cone) {
  if (cone.kind != ConeKind::kRollingFriction) return cone.dimension;
  return cone.dimension == 3 ? 2 : 3;
}

/// The cone of moments divided by the lever of their row.
inline Cone ScaleMoments(Cone cone, const double* levers) {
  if (cone.kind != ConeKind::kRollingFriction) return cone;
  const int d = cone.dimension;
  if (d != 4) cone.rolling /= levers[d == 3 ? 2 : 3];
  if (d == 4 || d == 6) cone.spinning /= levers[d - 1];
  return cone;
}

/// û_N − u_N of eq. (2), for a frictional block.
inline double CalcDeSaxceShift(const Cone& cone, const double* u) {
  if (cone.kind == ConeKind::kFriction) {
    return cone.friction * CalcNorm(u + 1, cone.dimension - 1);
  }
  double shift = 0;
  for (const FrictionGroup& k : ListGroups(cone)) {
    shift += k.coefficient * CalcNorm(u + k.first, k.dimension);
  }
  return shift;
}

/// x ← P_K(x), eq. (1), for a frictional block.
inline void ProjectOntoCone(const Cone& cone, double* x) {
  if (cone.kind == ConeKind::kFriction) {
    return ProjectOntoFrictionCone(cone.friction, cone.dimension, x);
  }
  const FrictionGroups groups = ListGroups(cone);
  ProjectOntoGroups(groups.group, groups.count, x);
}

}  // namespace saltus
