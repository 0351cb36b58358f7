#include <algorithm>
#include <vector>

#include "saltus/cones/solvers/lemke.h"
#include "saltus/cones/solvers/linear_cones.h"

namespace saltus {

namespace {

// The path of Lemke's method starts on the ray of its covering vector e, which depends on the units
// of the rows. Rounding can turn a long path with friction onto another ray: then the bounds of
// friction (velocities beside impulses) are tried in other units, hence along other paths.
LemkeReport FollowPaths(const LinearCones& linear, const std::vector<int>& guess, bool has_friction,
                        int max_pivots, const StopRequest* stop, VectorX* z) {
  LemkeReport total = SolveLemkeFrom(guess, linear.M(), linear.q(), max_pivots, z, stop);
  if (total.outcome == LemkeOutcome::kSolved || !has_friction) return total;
  for (const double unit : {10.0, 0.1, 100.0, 0.01}) {
    VectorX scale = VectorX::Ones(linear.q().size());
    scale.tail(linear.num_slacks()).setConstant(unit);
    const MatrixX M = scale.asDiagonal() * linear.M() * scale.asDiagonal();
    if (total.pivots >= max_pivots) break;
    const LemkeReport report =
        SolveLemke(M, scale.cwiseProduct(linear.q()), max_pivots - total.pivots, z, stop);
    *z = z->cwiseProduct(scale);
    total.outcome = report.outcome;
    total.pivots += report.pivots;
    if (report.outcome == LemkeOutcome::kSolved) break;
  }
  return total;
}

}  // namespace

bool LemkeSolver::Accepts(const ConicProblem& problem) { return LinearCones::Accepts(problem); }

SolveReport LemkeSolver::SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                                      VectorX* r) {
  SolveReport report;
  const int n = problem.size();
  if (r->size() != n || !r->allFinite()) r->setZero(n);
  if (!Accepts(problem)) {
    report.status = SolveStatus::kUnsupported;
    report.residual = CalcNaturalMapResidual(problem, *r);
    return report;
  }
  const LinearCones linear(problem);
  if (!linear.finite()) {
    r->setZero(n);
    report.status = SolveStatus::kNotFinite;
    report.residual = CalcNaturalMapResidual(problem, *r);
    return report;
  }
  VectorX z;
  std::vector<int> guess;
  if (!r->isZero(0)) guess = linear.ListActive(problem, *r);
  LemkeReport lemke;
  const auto solve = [&] {
    lemke = FollowPaths(linear, guess, LinearCones::HasFriction(problem),
                        target.budget.max_iterations - report.iterations, options_.stop, &z);
    report.iterations += lemke.pivots;
    linear.RecoverImpulses(z, r);
    report.residual = CalcNaturalMapResidual(problem, *r);
  };
  solve();
  if (!guess.empty() && !MeetsAim(report.residual, target) &&
      report.iterations < target.budget.max_iterations) {
    guess.clear();  // It was ill-conditioned.
    solve();
  }
  if (!linear.consistent()) {
    report.status = SolveStatus::kInfeasible;
    report.reason = "bilateral rows contradict each other";
  } else if (lemke.outcome == LemkeOutcome::kRay) {
    const bool friction = LinearCones::HasFriction(problem);
    report.status = friction ? SolveStatus::kRay : SolveStatus::kInfeasible;
    report.reason = friction ? "Lemke's method ended on a ray; with friction that proves nothing"
                             : "Lemke's method ended on a ray: there is no solution";
  } else if (lemke.outcome == LemkeOutcome::kMaxPivots) {
    report.status = SolveStatus::kMaxIterations;
  } else if (!MeetsAim(report.residual, target)) {
    report.status = SolveStatus::kStagnated;
  }
  return report;
}

}  // namespace saltus
