#include "saltus/cones/solvers/de_saxce.h"

#include <algorithm>

#include "saltus/cones/solvers/interior_point.h"
#include "saltus/cones/solvers/judge.h"

namespace saltus {
namespace {

constexpr double kInnerShare = 0.01;  // tolerance of (1) beside the present residual
constexpr double kMinTolerance = 1e-14;
constexpr int kMaxIdlePasses = 20;

// b + s n for the shifts of u; associated blocks have none.
VectorX AddShifts(const ConicProblem& problem, const VectorX& u) {
  VectorX b(problem.b);
  for (const Cone& cone : problem.cones) {
    if (cone.kind != ConeKind::kFriction || cone.associated) continue;
    b[cone.offset] += cone.friction * u.segment(cone.offset + 1, cone.dimension - 1).norm();
  }
  return b;
}

}  // namespace

SolveReport DeSaxceSolver::SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                                        VectorX* r) {
  if (!Judge::PrepareStart(problem, r)) return Judge::FinishNotFinite(problem.size(), r);
  Judge judge(problem, target, options_.stop);
  bool solved = judge.Evaluate(*r);
  if (!InteriorPointSolver::Accepts(problem)) return judge.Finish(SolveStatus::kUnsupported, 0, r);
  ConicProblem convex = problem;
  for (Cone& cone : convex.cones) cone.associated = cone.kind == ConeKind::kFriction;
  int iterations = 0, idle = 0;
  bool cold = r->isZero(0);  // slip without impulses tells nothing: s = 0
  while (!solved && iterations < target.budget.max_iterations && idle < kMaxIdlePasses) {
    convex.b = cold ? VectorX(problem.b) : AddShifts(problem, judge.u());
    cold = false;
    SolveTarget inner;
    inner.relative =
        std::max(kMinTolerance, kInnerShare * std::min(1.0, judge.best_residual().relative));
    inner.budget.max_iterations = target.budget.max_iterations - iterations;
    const double before = judge.best_score();
    iterations += std::max(1, InteriorPointSolver(options_).Solve(convex, inner, r).iterations);
    solved = judge.Evaluate(*r);
    idle = judge.best_score() < before ? 0 : idle + 1;
  }
  return judge.Finish(idle < kMaxIdlePasses ? SolveStatus::kMaxIterations : SolveStatus::kStagnated,
                      iterations, r);
}

}  // namespace saltus
