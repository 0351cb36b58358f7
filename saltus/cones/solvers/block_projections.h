// Projections and shifts of a whole problem, block by block, for first-order methods.
#pragma once

#include <vector>

#include "saltus/cones/conic_problem.h"
#include "saltus/cones/friction_groups.h"

namespace saltus {

/// x ← P_K(x) for all blocks; the bounds of boxes are taken at the impulses r.
inline void ProjectBlocks(const ConicProblem& problem, const VectorX& r, VectorX* x) {
  for (const Cone& cone : problem.cones) {
    double* x_c = x->data() + cone.offset;
    switch (cone.kind) {
      case ConeKind::kFree:
        break;
      case ConeKind::kNonnegative:
        x_c[0] = ProjectOntoNonnegative(x_c[0]);
        break;
      case ConeKind::kFriction:
      case ConeKind::kRollingFriction:
        ProjectOntoCone(cone, x_c);
        break;
      case ConeKind::kBox:
        ProjectOntoDisc(CalcBoxBound(problem, cone, r.data()), cone.dimension, x_c);
        break;
    }
  }
}

/// û in place, for all frictional blocks.
inline void AddDeSaxceShift(const ConicProblem& problem, VectorX* u) {
  for (const Cone& cone : problem.cones) {
    if (!IsFrictional(cone)) continue;
    double* u_c = u->data() + cone.offset;
    u_c[0] += CalcDeSaxceShift(cone, u_c);
  }
}

/// w_c = tr A_cc / d of each block; blocks that nothing can move take the mean of the others (or
/// 1).
std::vector<double> CalcBlockScales(const ConicProblem& problem);

}  // namespace saltus
