#include "saltus/cones/solvers/block_pivoting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/LU>

#include "saltus/cones/solvers/judge.h"
#include "saltus/cones/solvers/lemke.h"

namespace saltus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kPatience = 10;              // rounds in which the violations must become fewer
constexpr double kRegularisation = 1e-12;  // of the mean diagonal entry
constexpr int kRefinements = 3;
constexpr double kViolation = 1e-12;  // beside the largest r or u, below which it is rounding

enum class Place { kLower, kFree, kUpper };

struct BoxedLcp {
  MatrixX A;
  VectorX b, lo, hi;
};

BoxedLcp MakeBoxedLcp(const ConicProblem& problem) {
  const int n = problem.size();
  BoxedLcp lcp{MakeDense(*problem.A), problem.b, VectorX::Constant(n, -kInfinity),
               VectorX::Constant(n, kInfinity)};
  for (const Cone& cone : problem.cones) {
    if (cone.kind == ConeKind::kNonnegative) lcp.lo[cone.offset] = 0;
    if (cone.kind == ConeKind::kBox) {
      lcp.lo[cone.offset] = -cone.bound;
      lcp.hi[cone.offset] = cone.bound;
    }
  }
  return lcp;
}

// (2)
bool SolveFaces(const BoxedLcp& lcp, const std::vector<Place>& places, VectorX* r, VectorX* u) {
  std::vector<int> free;
  for (Eigen::Index i = 0; i < r->size(); ++i) {
    const Place place = places[static_cast<std::size_t>(i)];
    if (place == Place::kFree) free.push_back(static_cast<int>(i));
    (*r)[i] = place == Place::kLower ? lcp.lo[i] : place == Place::kUpper ? lcp.hi[i] : 0.0;
  }
  if (!free.empty()) {
    const MatrixX A_FF = lcp.A(free, free);
    const Eigen::Index size = A_FF.rows();
    const double shift = kRegularisation * A_FF.diagonal().cwiseAbs().mean();
    const Eigen::PartialPivLU<MatrixX> lu(A_FF + shift * MatrixX::Identity(size, size));
    const VectorX rhs = -(lcp.b + lcp.A * *r)(free);
    VectorX x = lu.solve(rhs);
    for (int k = 0; k < kRefinements; ++k) x += lu.solve(rhs - A_FF * x);
    (*r)(free) = x;
  }
  *u = lcp.A * *r + lcp.b;
  return r->allFinite() && u->allFinite();
}

// Rows that violate (1), with the place that they should move to.
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

}  // namespace

SolveReport PivotingSolver::Solve(const ConicProblem& problem, VectorX* r) {
  const int n = problem.size();
  if (r->size() != n || !r->allFinite()) r->setZero(n);
  if (!LemkeSolver::Accepts(problem)) {
    SolveReport report;
    report.status = SolveStatus::kUnsupported;
    report.residual = CalcNaturalMapResidual(problem, *r);
    return report;
  }
  const BoxedLcp lcp = MakeBoxedLcp(problem);
  if (!lcp.A.allFinite() || !lcp.b.allFinite()) return Judge::FinishNotFinite(n, r);
  Judge judge(problem, options_);
  if (judge.Evaluate(*r)) return judge.Finish(SolveStatus::kConverged, 0, r);
  std::vector<Place> places = ChoosePlaces(lcp, *r);
  std::size_t fewest = static_cast<std::size_t>(n) + 1;
  int patience = kPatience;
  VectorX x(n), u(n);
  for (int k = 1; k <= options_.max_iterations; ++k) {
    if (!SolveFaces(lcp, places, &x, &u)) return judge.Finish(SolveStatus::kStagnated, k, r);
    const auto moves = FindViolations(lcp, places, x, u);
    const VectorX inside = x.cwiseMax(lcp.lo).cwiseMin(lcp.hi);
    if (judge.Evaluate(inside)) return judge.Finish(SolveStatus::kConverged, k, r);
    if (moves.empty()) return judge.Finish(SolveStatus::kStagnated, k, r);
    bool all = rule_ == PivotRule::kBlock;
    if (all && moves.size() < fewest) {
      fewest = moves.size();
      patience = kPatience;
    } else if (all && --patience <= 0) {
      all = false;
    }
    if (all) {
      for (const auto& [i, place] : moves) places[static_cast<std::size_t>(i)] = place;
    } else {
      const auto& [i, place] = rule_ == PivotRule::kBlock ? moves.back() : moves.front();
      places[static_cast<std::size_t>(i)] = place;
    }
  }
  return judge.Finish(SolveStatus::kMaxIterations, options_.max_iterations, r);
}

}  // namespace saltus
