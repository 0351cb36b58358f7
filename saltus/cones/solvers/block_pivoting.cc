#include "saltus/cones/solvers/block_pivoting.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "saltus/cones/solvers/boxed_lcp.h"
#include "saltus/cones/solvers/judge.h"
#include "saltus/cones/solvers/linear_cones.h"

namespace saltus {
namespace {

constexpr int kPatience = 10;         // rounds in which the violations must become fewer
constexpr double kViolation = 1e-12;  // beside the largest r or u, below which it is rounding
constexpr int kMaxBoundUpdates = 100;

enum class Place { kLower, kFree, kUpper };

// (1)
bool SolveFaces(const BoxedLcp& lcp, const std::vector<Place>& places, VectorX* r, VectorX* u) {
  std::vector<int> free;
  r->resize(lcp.b.size());
  for (Eigen::Index i = 0; i < r->size(); ++i) {
    const Place place = places[static_cast<std::size_t>(i)];
    if (place == Place::kFree) free.push_back(static_cast<int>(i));
    (*r)[i] = place == Place::kLower ? lcp.lo[i] : place == Place::kUpper ? lcp.hi[i] : 0.0;
  }
  if (!free.empty()) {
    const VectorX rhs = -(lcp.b + lcp.A * *r)(free);
    (*r)(free) = SolveFreeRows(lcp.A, free, rhs);
  }
  *u = lcp.A * *r + lcp.b;
  return r->allFinite() && u->allFinite();
}

// Rows that violate the problem, with the place that they should move to.
std::vector<std::pair<int, Place>> FindViolations(const BoxedLcp& lcp,
                                                  const std::vector<Place>& places,
                                                  const VectorX& r, const VectorX& u) {
  std::vector<std::pair<int, Place>> moves;
  const double r_small = kViolation * r.cwiseAbs().maxCoeff();
  const double u_small =
      kViolation * std::max(u.cwiseAbs().maxCoeff(), lcp.b.cwiseAbs().maxCoeff());
  for (int i = 0; i < static_cast<int>(r.size()); ++i) {
    switch (places[static_cast<std::size_t>(i)]) {
      case Place::kFree:
        if (r[i] < lcp.lo[i] - r_small) moves.emplace_back(i, Place::kLower);
        if (r[i] > lcp.hi[i] + r_small) moves.emplace_back(i, Place::kUpper);
        break;
      case Place::kLower:
        if (u[i] < -u_small && lcp.hi[i] > lcp.lo[i]) moves.emplace_back(i, Place::kFree);
        break;
      case Place::kUpper:
        if (u[i] > u_small && lcp.hi[i] > lcp.lo[i]) moves.emplace_back(i, Place::kFree);
        break;
    }
  }
  return moves;
}

std::vector<Place> ChoosePlaces(const BoxedLcp& lcp, const VectorX& r) {
  std::vector<Place> places;
  for (Eigen::Index i = 0; i < r.size(); ++i) {
    places.push_back(r[i] <= lcp.lo[i] ? Place::kLower
                                       : (r[i] >= lcp.hi[i] ? Place::kUpper : Place::kFree));
  }
  return places;
}

// Rounds of (1) until `judge(r)` is content: kConverged, or why not.
template <class JudgeFunction>
SolveStatus Pivot(const BoxedLcp& lcp, PivotRule rule, int max_rounds, const VectorX& start,
                  const JudgeFunction& judge, int* rounds, VectorX* r) {
  std::vector<Place> places = ChoosePlaces(lcp, start);
  std::size_t fewest = places.size() + 1;
  int patience = kPatience;
  VectorX x, u;
  while (*rounds < max_rounds) {
    ++*rounds;
    if (!SolveFaces(lcp, places, &x, &u)) return SolveStatus::kStagnated;
    const auto moves = FindViolations(lcp, places, x, u);
    *r = x.cwiseMax(lcp.lo).cwiseMin(lcp.hi);
    if (judge(*r)) return SolveStatus::kConverged;
    if (moves.empty()) return SolveStatus::kStagnated;
    bool all = rule == PivotRule::kBlock;
    if (all && moves.size() < fewest) {
      fewest = moves.size();
      patience = kPatience;
    } else if (all && --patience <= 0) {
      all = false;
    }
    if (all) {
      for (const auto& [i, place] : moves) places[static_cast<std::size_t>(i)] = place;
    } else {
      const auto& [i, place] = rule == PivotRule::kBlock ? moves.back() : moves.front();
      places[static_cast<std::size_t>(i)] = place;
    }
  }
  return SolveStatus::kMaxIterations;
}

bool HasLoads(const ConicProblem& problem) {
  return std::any_of(problem.cones.begin(), problem.cones.end(), [](const Cone& cone) {
    return cone.kind == ConeKind::kBox && cone.load >= 0;
  });
}

}  // namespace

SolveReport PivotingSolver::SolveFriction(const ConicProblem& problem, const SolveTarget& target,
                                          VectorX* r) {
  const LinearCones linear(problem);
  if (!linear.finite()) return Judge::FinishNotFinite(problem.size(), r);
  Judge judge(problem, target, options_.stop);
  if (judge.Evaluate(*r)) return judge.Finish(SolveStatus::kConverged, 0, r);
  const BoxedLcp lcp(linear.M(), linear.q());
  VectorX z, x = *r;
  int rounds = 0;
  const SolveStatus status = Pivot(
      lcp, rule_, target.budget.max_iterations, VectorX::Zero(lcp.b.size()),
      [&](const VectorX& candidate) {
        linear.RecoverImpulses(candidate, &x);
        return judge.Evaluate(x);
      },
      &rounds, &z);
  return judge.Finish(status, rounds, r);
}

SolveReport PivotingSolver::SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                                         VectorX* r) {
  const int n = problem.size();
  if (r->size() != n || !r->allFinite()) r->setZero(n);
  if (!BoxedLcp::Accepts(problem)) {
    if (LinearCones::Accepts(problem)) return SolveFriction(problem, target, r);
    SolveReport report;
    report.status = SolveStatus::kUnsupported;
    report.residual = CalcNaturalMapResidual(problem, *r);
    return report;
  }
  const int updates = HasLoads(problem) ? kMaxBoundUpdates : 1;
  Judge judge(problem, target, options_.stop);
  int rounds = 0;
  VectorX x = *r;
  SolveStatus status = SolveStatus::kMaxIterations;
  for (int k = 0; k < updates; ++k) {
    const BoxedLcp lcp(problem, x);
    if (!lcp.A.allFinite() || !lcp.b.allFinite()) return Judge::FinishNotFinite(n, r);
    if (k == 0 && judge.Evaluate(*r)) return judge.Finish(SolveStatus::kConverged, 0, r);
    status = Pivot(
        lcp, rule_, target.budget.max_iterations, VectorX(x),
        [&](const VectorX& candidate) { return judge.Evaluate(candidate); }, &rounds, &x);
    if (status == SolveStatus::kConverged || status == SolveStatus::kMaxIterations) break;
  }
  return judge.Finish(status, rounds, r);
}

}  // namespace saltus
