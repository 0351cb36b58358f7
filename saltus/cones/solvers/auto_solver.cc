#include "saltus/cones/solvers/auto_solver.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "saltus/cones/block_sparse_delassus.h"
#include "saltus/cones/body_delassus.h"
#include "saltus/cones/solvers/judge.h"
#include "saltus/cones/solvers/linear_cones.h"

namespace saltus {
namespace {

constexpr int kFirstSweeps = 100;
constexpr int kPyramidFacets = 16;
constexpr double kPyramidCompliance = 1e-9;  // of the mean diagonal entry
constexpr int kTurnShare = 5;                // max_iterations over what the turns may use …
constexpr int kMinTurns = 600;               // … but at least this
constexpr int kCycleIterations = 800;        // of the turns of a large problem

// The target of a part of the way: only the aim ends it before `iterations` are used.
SolveTarget Limit(SolveTarget target, int iterations) {
  target.budget.max_iterations = std::min(target.budget.max_iterations, iterations);
  target.velocity_limit = 0;
  return target;
}

SolveTarget Turns(const SolveTarget& target) {
  return Limit(target, std::max(kMinTurns, target.budget.max_iterations / kTurnShare));
}

bool IsTooLarge(const ConicProblem& problem) { return problem.size() > AutoSolver::kMaxNewtonRows; }

/// Multiplications of a factorisation per row of the problem. Where the rows themselves are
/// factorised although there are bodies, the graph of the bodies tells enough.
double CalcFlopsPerRow(const ConicProblem& problem) {
  std::vector<int> sizes;
  std::vector<std::array<int, 2>> couplings;
  if (const auto* body = dynamic_cast<const BodyDelassus*>(problem.A)) {
    sizes.assign(static_cast<std::size_t>(body->num_bodies()), 6);
    for (int c = 0; c < body->num_blocks(); ++c) {
      const BodyDelassus::Sides& sides = body->sides(c);
      if (std::max(sides.a, sides.b) < body->num_bodies()) couplings.push_back({sides.a, sides.b});
    }
  } else if (const auto* sparse = dynamic_cast<const BlockSparseDelassus*>(problem.A)) {
    for (int i = 0; i < sparse->num_blocks(); ++i) {
      sizes.push_back(sparse->dimension(i));
      for (int slot = sparse->row_begin(i); slot < sparse->row_begin(i + 1); ++slot) {
        if (sparse->column(slot) < i) couplings.push_back({sparse->column(slot), i});
      }
    }
  } else {
    return std::numeric_limits<double>::infinity();  // dense, and too large for that
  }
  BlockLu lu;
  lu.Analyze(std::make_shared<BlockPattern>(sizes, couplings));
  return lu.flops() / problem.size();
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
    : ConicSolver(options),
      options_(options),
      lemke_(options),
      nsgs_(NsgsOptions{options}),
      hybrid_(options),
      projected_cg_(options),
      newton_(options),
      proximal_point_(options),
      interior_point_(options),
      de_saxce_(options) {}

SolveReport AutoSolver::SolveWithFriction(const ConicProblem& problem, const SolveTarget& target,
                                          VectorX* r) {
  SolveReport sweeps = nsgs_.Solve(problem, Limit(target, kFirstSweeps), r);
  if (IsFinal(sweeps) || sweeps.iterations >= target.budget.max_iterations) return sweeps;
  if (ProjectedCgSolver::Accepts(problem)) {
    sweeps = WithIterations(projected_cg_.Solve(problem, target, r), sweeps);
    if (IsFinal(sweeps)) return sweeps;
  }
  if (IsTooLarge(problem)) {
    return WithIterations(SolveLarge(problem, target, CalcFlopsPerRow(problem), r), sweeps);
  }
  const SolveReport turns = hybrid_.Solve(problem, Turns(target), r);
  if (IsFinal(turns)) return WithIterations(turns, sweeps);
  SolveReport work = WithIterations(turns, sweeps);
  if (problem.size() <= kMaxRescueRows) {
    work = WithIterations(Rescue(problem, Turns(target), r), work);
    if (IsFinal(work)) return work;
  }
  // Newton did not help (dry friction whose bound depends on the load, for one): patience may.
  return WithIterations(nsgs_.Solve(problem, target, r), work);
}

SolveReport AutoSolver::SolveLarge(const ConicProblem& problem, const SolveTarget& target,
                                   double flops_per_row, VectorX* r) {
  SolveReport work;
  if (flops_per_row <= kMaxFlopsPerRow) {
    work = hybrid_.Solve(problem, Limit(target, HybridSolver::kFirstRound), r);
    if (IsFinal(work)) return work;
  }
  work = WithIterations(nsgs_.Solve(problem, target, r), work);
  if (IsFinal(work) || !(flops_per_row <= kMaxLateFlopsPerRow)) return work;
  return WithIterations(hybrid_.Solve(problem, Limit(target, kCycleIterations), r), work);
}

// Other methods from a cold start, and turns from what they find; *r becomes the best of all.
SolveReport AutoSolver::Rescue(const ConicProblem& problem, const SolveTarget& target, VectorX* r) {
  Judge judge(problem, target, options_.stop);
  judge.Evaluate(*r);
  int iterations = 0;
  const auto attempt = [&](const auto& solve) {
    VectorX x = VectorX::Zero(problem.size());
    SolveReport report = solve(&x);
    iterations += report.iterations;
    if (report.status == SolveStatus::kUnsupported) return false;
    if (!report.ok()) {
      report = hybrid_.Solve(problem, target, &x);
      iterations += report.iterations;
    }
    return judge.Evaluate(x) && report.ok();
  };
  const bool solved =
      attempt([&](VectorX* x) { return newton_.Solve(problem, target, x); }) ||
      attempt([&](VectorX* x) { return proximal_point_.Solve(problem, target, x); }) ||
      attempt([&](VectorX* x) { return interior_point_.Solve(problem, target, x); }) ||
      attempt([&](VectorX* x) { return de_saxce_.Solve(problem, target, x); }) ||
      (problem.size() <= kMaxPyramidRows &&
       attempt([&](VectorX* x) { return SolvePyramid(problem, target, x); }));
  return judge.Finish(solved ? SolveStatus::kConverged : SolveStatus::kStagnated, iterations, r);
}

// A little compliance makes the path of Lemke's method end at a solution, not on a ray.
SolveReport AutoSolver::SolvePyramid(const ConicProblem& problem, const SolveTarget& target,
                                     VectorX* r) {
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
  SolveReport report = lemke_.Solve(pyramid, target, r);
  if (!report.ok()) return report;
  report.residual = CalcNaturalMapResidual(problem, *r);
  if (!exact || !MeetsAim(report.residual, target)) {
    report.status = SolveStatus::kStagnated;
  }
  return report;
}

SolveReport AutoSolver::SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                                     VectorX* r) {
  if (problem.size() > kMaxLemkeRows || !LinearCones::Accepts(problem) ||
      LinearCones::HasFriction(problem)) {
    return SolveWithFriction(problem, target, r);
  }
  const SolveReport exact = lemke_.Solve(problem, target, r);
  if (IsFinal(exact)) return exact;
  return WithIterations(SolveWithFriction(problem, target, r), exact);
}

}  // namespace saltus
