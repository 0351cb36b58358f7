#include "saltus/cones/solvers/auto_solver.h"

#include <algorithm>

#include "saltus/cones/solvers/body_lu.h"
#include "saltus/cones/solvers/judge.h"
#include "saltus/cones/solvers/linear_cones.h"

namespace saltus {
namespace {

constexpr int kFirstSweeps = 100;
constexpr int kPyramidFacets = 16;
constexpr double kPyramidCompliance = 1e-9;  // of the mean diagonal entry
constexpr int kTurnShare = 5;                // max_iterations over what the turns may use …
constexpr int kMinTurns = 600;               // … but at least this

NsgsOptions FirstSweeps(const ConicSolverOptions& options) {
  NsgsOptions sweeps{options};
  sweeps.max_iterations = std::min(options.max_iterations, kFirstSweeps);
  return sweeps;
}

ConicSolverOptions Turns(const ConicSolverOptions& options) {
  ConicSolverOptions turns = options;
  turns.max_iterations =
      std::min(options.max_iterations, std::max(kMinTurns, options.max_iterations / kTurnShare));
  return turns;
}

ConicSolverOptions OneRound(const ConicSolverOptions& options) {
  ConicSolverOptions round = options;
  round.max_iterations = std::min(options.max_iterations, HybridSolver::kFirstRound);
  return round;
}

bool IsTooLarge(const ConicProblem& problem) { return problem.size() > AutoSolver::kMaxNewtonRows; }

// Large, but with bodies that make factorisations cheap.
bool IsCheapInBodySpace(const ConicProblem& problem) {
  if (BodyLu::FindBodyForm(problem) == nullptr) return false;
  BodyLu lu;
  lu.Prepare(problem);
  return lu.flops() <= AutoSolver::kMaxFlopsPerRow * problem.size();
}

/// The report of the last method, with the work of those before it.
SolveReport WithIterations(SolveReport report, const SolveReport& before) {
  report.iterations += before.iterations;
  return report;
}

bool IsFinal(const SolveReport& report) {
  return report.ok() || report.status == SolveStatus::kInfeasible ||
         report.status == SolveStatus::kNotFinite;
}

}  // namespace

AutoSolver::AutoSolver(const ConicSolverOptions& options)
    : options_(options),
      lemke_(options),
      first_sweeps_(FirstSweeps(options)),
      nsgs_(NsgsOptions{options}),
      hybrid_(Turns(options)),
      one_round_(OneRound(options)),
      projected_cg_(options),
      newton_(Turns(options)),
      proximal_point_(Turns(options)),
      interior_point_(Turns(options)),
      de_saxce_(Turns(options)) {}

SolveReport AutoSolver::SolveWithFriction(const ConicProblem& problem, VectorX* r) {
  const bool large = IsTooLarge(problem);
  const bool bounds_only = ProjectedCgSolver::Accepts(problem);
  if (large && !bounds_only && !IsCheapInBodySpace(problem)) return nsgs_.Solve(problem, r);
  SolveReport sweeps = first_sweeps_.Solve(problem, r);
  if (IsFinal(sweeps) || sweeps.iterations >= options_.max_iterations) return sweeps;
  if (bounds_only) {
    sweeps = WithIterations(projected_cg_.Solve(problem, r), sweeps);
    if (IsFinal(sweeps)) return sweeps;
    if (large && !IsCheapInBodySpace(problem)) {
      return WithIterations(nsgs_.Solve(problem, r), sweeps);
    }
  }
  const SolveReport turns = (large ? one_round_ : hybrid_).Solve(problem, r);
  if (IsFinal(turns)) return WithIterations(turns, sweeps);
  SolveReport work = WithIterations(turns, sweeps);
  if (problem.size() <= kMaxRescueRows) {
    work = WithIterations(Rescue(problem, r), work);
    if (IsFinal(work)) return work;
  }
  // Newton did not help (dry friction whose bound depends on the load, for one): patience may.
  return WithIterations(nsgs_.Solve(problem, r), work);
}

// Other methods from a cold start, and turns from what they find; *r becomes the best of all.
SolveReport AutoSolver::Rescue(const ConicProblem& problem, VectorX* r) {
  Judge judge(problem, options_);
  judge.Evaluate(*r);
  int iterations = 0;
  const auto attempt = [&](const auto& solve) {
    VectorX x = VectorX::Zero(problem.size());
    SolveReport report = solve(&x);
    iterations += report.iterations;
    if (report.status == SolveStatus::kUnsupported) return false;
    if (!report.ok()) {
      report = hybrid_.Solve(problem, &x);
      iterations += report.iterations;
    }
    return judge.Evaluate(x) && report.ok();
  };
  const bool solved = attempt([&](VectorX* x) { return newton_.Solve(problem, x); }) ||
                      attempt([&](VectorX* x) { return proximal_point_.Solve(problem, x); }) ||
                      attempt([&](VectorX* x) { return interior_point_.Solve(problem, x); }) ||
                      attempt([&](VectorX* x) { return de_saxce_.Solve(problem, x); }) ||
                      (problem.size() <= kMaxPyramidRows &&
                       attempt([&](VectorX* x) { return SolvePyramid(problem, x); }));
  return judge.Finish(solved ? SolveStatus::kConverged : SolveStatus::kStagnated, iterations, r);
}

// A little compliance makes the path of Lemke's method end at a solution, not on a ray.
SolveReport AutoSolver::SolvePyramid(const ConicProblem& problem, VectorX* r) {
  ConicProblem pyramid = problem;
  VectorX diagonal;
  CalcDiagonal(problem, &diagonal);
  if (pyramid.compliance.size() == 0) pyramid.compliance.setZero(problem.size());
  pyramid.compliance.array() += kPyramidCompliance * diagonal.mean();
  bool exact = true;
  for (Cone& cone : pyramid.cones) {
    if (cone.kind != ConeKind::kFriction || cone.dimension != 3 || cone.associated) continue;
    cone.kind = ConeKind::kPolyhedralFriction;
    cone.facets = kPyramidFacets;
    exact = false;
  }
  SolveReport report = lemke_.Solve(pyramid, r);
  if (!report.ok()) return report;
  report.residual = CalcNaturalMapResidual(problem, *r);
  if (!exact || !IsWithinTolerance(report.residual, options_)) {
    report.status = SolveStatus::kStagnated;
  }
  return report;
}

SolveReport AutoSolver::SolveReduced(const ConicProblem& problem, VectorX* r) {
  if (problem.size() > kMaxLemkeRows || !LinearCones::Accepts(problem) ||
      LinearCones::HasFriction(problem)) {
    return SolveWithFriction(problem, r);
  }
  const SolveReport exact = lemke_.Solve(problem, r);
  if (IsFinal(exact)) return exact;
  return WithIterations(SolveWithFriction(problem, r), exact);
}

}  // namespace saltus
