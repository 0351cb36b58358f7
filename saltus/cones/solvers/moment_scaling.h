// Rolling contacts hold moments (N m s) beside impulses (N s). Methods with one step size for each
// block need comparable rows: the problem is solved in x = r / s, s = lever of conic_problem.h,
// eq. (6), for moments and 1 otherwise,
//
//   s u = (s A s) x + s b,     K' with μ_r / s and μ_s / s                                     (1)
//
// which the natural map (eq. 4 there) measures alike.
#pragma once

#include "saltus/cones/conic_solver.h"

namespace saltus {

/// True if some lever is far from 1.
bool NeedsMomentScaling(const ConicProblem& problem);

/// Solves (1) by `solver`, and reports on the problem as it was given.
SolveReport SolveWithScaledMoments(const ConicProblem& problem, const SolveTarget& target,
                                   ConicSolver* solver, VectorX* r);

}  // namespace saltus
