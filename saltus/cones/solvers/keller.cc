#include "saltus/cones/solvers/keller.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "saltus/cones/solvers/boxed_lcp.h"
#include "saltus/cones/solvers/judge.h"

namespace saltus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-13;  // beside the largest entries, below which a number is zero

enum class Place { kLower, kFree, kUpper };
enum class Outcome { kSolved, kRay, kMaxPivots, kNotFinite };

class Driver {
 public:
  // Starts from the places of the rows in r. Free rows that end beyond a bound are moved to it,
  // so that those which stay free obey the problem.
  Driver(const BoxedLcp& lcp, const VectorX& r, const StopRequest* stop)
      : lcp_(lcp), stop_(stop), r_(r) {
    places_.resize(static_cast<std::size_t>(r.size()));
    for (int i = 0; i < size(); ++i) Settle(i);
    do {
      CheckStop(stop_);
      Refresh();
    } while (MoveToBounds());
  }

  const VectorX& r() const { return r_; }
  int pivots() const { return pivots_; }

  Outcome Run(int max_pivots) {
    while (true) {
      const int i = FindViolation();
      if (i < 0) return Outcome::kSolved;
      const Outcome outcome = Drive(i, max_pivots);
      if (outcome != Outcome::kSolved) return outcome;
    }
  }

 private:
  // The place of a row by its impulse.
  void Settle(int i) {
    place(i) = Place::kFree;
    if (r_[i] <= lcp_.lo[i]) place(i) = Place::kLower;
    if (r_[i] >= lcp_.hi[i]) place(i) = Place::kUpper;
    r_[i] = std::clamp(r_[i], lcp_.lo[i], lcp_.hi[i]);
  }

  // True if a free row had to move.
  bool MoveToBounds() {
    bool moved = false;
    for (int i = 0; i < size(); ++i) {
      if (place(i) != Place::kFree) continue;
      Settle(i);
      moved = moved || place(i) != Place::kFree;
    }
    return moved;
  }

  Place& place(int i) { return places_[static_cast<std::size_t>(i)]; }
  int size() const { return static_cast<int>(r_.size()); }

  std::vector<int> ListFree() const {
    std::vector<int> free;
    for (int i = 0; i < size(); ++i) {
      if (places_[static_cast<std::size_t>(i)] == Place::kFree) free.push_back(i);
    }
    return free;
  }

  // r_F and u from the start, so that rounding does not add up.
  void Refresh() {
    const std::vector<int> free = ListFree();
    if (!free.empty()) {
      r_(free).setZero();
      const VectorX rhs = -(lcp_.b + lcp_.A * r_)(free);
      r_(free) = SolveFreeRows(lcp_.A, free, rhs);
    }
    u_ = lcp_.A * r_ + lcp_.b;
  }

  double SmallVelocity() const {
    return kRounding *
           std::max(lcp_.b.cwiseAbs().maxCoeff(), (lcp_.A.cwiseAbs() * r_.cwiseAbs()).maxCoeff());
  }

  int FindViolation() {
    const double small = SmallVelocity();
    int worst = -1;
    double largest = small;
    for (int i = 0; i < size(); ++i) {
      if (place(i) == Place::kFree || !(lcp_.hi[i] > lcp_.lo[i])) continue;
      const double violation = place(i) == Place::kLower ? -u_[i] : u_[i];
      if (!(violation > largest)) continue;
      worst = i;
      largest = violation;
    }
    return worst;
  }

  // Drives row i until it obeys the problem, (1).
  Outcome Drive(int i, int max_pivots) {
    const double sign = u_[i] < 0 ? 1.0 : -1.0;
    while (pivots_ < max_pivots) {
      CheckStop(stop_);
      ++pivots_;
      const std::vector<int> free = ListFree();
      VectorX dr = VectorX::Zero(size());
      dr[i] = sign;
      if (!free.empty()) {
        const VectorX rhs = -sign * lcp_.A.col(i)(free);
        dr(free) = SolveFreeRows(lcp_.A, free, rhs);
      }
      const VectorX du = lcp_.A * dr;
      if (!dr.allFinite() || !du.allFinite()) return Outcome::kNotFinite;
      const double small = kRounding * (lcp_.A.cwiseAbs() * dr.cwiseAbs()).maxCoeff();
      int blocking = i;
      Place next = Place::kFree;
      double t = sign * du[i] > small ? -u_[i] / du[i] : kInfinity;
      const double range = sign > 0 ? lcp_.hi[i] - r_[i] : r_[i] - lcp_.lo[i];
      if (range < t) {
        t = range;
        next = sign > 0 ? Place::kUpper : Place::kLower;
      }
      FindBlock(i, dr, du, small, &t, &blocking, &next);
      if (t == kInfinity) return Outcome::kRay;
      r_ += t * dr;
      place(blocking) = next;
      if (next == Place::kLower) r_[blocking] = lcp_.lo[blocking];
      if (next == Place::kUpper) r_[blocking] = lcp_.hi[blocking];
      if (blocking == i) {
        Refresh();
        return Outcome::kSolved;
      }
      u_ = lcp_.A * r_ + lcp_.b;
    }
    return Outcome::kMaxPivots;
  }

  // The first other row that stops the motion before t.
  void FindBlock(int i, const VectorX& dr, const VectorX& du, double small, double* t,
                 int* blocking, Place* next) {
    const auto consider = [&](int j, double distance, double rate, Place place) {
      const double when = std::max(distance, 0.0) / rate;
      if (!(when < *t)) return;
      *t = when;
      *blocking = j;
      *next = place;
    };
    for (int j = 0; j < size(); ++j) {
      if (j == i) continue;
      if (place(j) == Place::kFree) {
        if (dr[j] < 0 && std::isfinite(lcp_.lo[j])) {
          consider(j, r_[j] - lcp_.lo[j], -dr[j], Place::kLower);
        }
        if (dr[j] > 0 && std::isfinite(lcp_.hi[j])) {
          consider(j, lcp_.hi[j] - r_[j], dr[j], Place::kUpper);
        }
      } else if (lcp_.hi[j] > lcp_.lo[j]) {
        const double side = place(j) == Place::kLower ? 1.0 : -1.0;
        const bool waits = side * u_[j] < -SmallVelocity();
        if (!waits && side * du[j] < -small) consider(j, side * u_[j], -side * du[j], Place::kFree);
      }
    }
  }

  const BoxedLcp& lcp_;
  const StopRequest* stop_;
  VectorX r_, u_;
  std::vector<Place> places_;
  int pivots_ = 0;
};

}  // namespace

SolveReport KellerSolver::SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                                       VectorX* r) {
  const int n = problem.size();
  if (r->size() != n || !r->allFinite()) r->setZero(n);
  SolveReport report;
  const bool has_loads = std::any_of(problem.cones.begin(), problem.cones.end(),
                                     [](const Cone& cone) { return cone.load >= 0; });
  if (!BoxedLcp::Accepts(problem) || has_loads) {
    report.status = SolveStatus::kUnsupported;
    report.residual = CalcNaturalMapResidual(problem, *r);
    return report;
  }
  const BoxedLcp lcp(problem, *r);
  if (!lcp.A.allFinite() || !lcp.b.allFinite()) return Judge::FinishNotFinite(n, r);
  Judge judge(problem, target, options_.stop);
  if (judge.Evaluate(*r) || n == 0) return judge.Finish(SolveStatus::kConverged, 0, r);
  Outcome outcome = Outcome::kSolved;
  int pivots = 0;
  const auto drive = [&](const VectorX& start) {
    Driver driver(lcp, start, options_.stop);
    outcome = driver.Run(target.budget.max_iterations);
    if (driver.r().allFinite()) judge.Evaluate(driver.r());
    pivots += driver.pivots();
  };
  const bool warm = !r->isZero(0);
  drive(*r);
  if (warm && !judge.solved()) drive(VectorX::Zero(n));
  const SolveStatus failure = outcome == Outcome::kRay         ? SolveStatus::kInfeasible
                              : outcome == Outcome::kMaxPivots ? SolveStatus::kMaxIterations
                                                               : SolveStatus::kStagnated;
  report = judge.Finish(failure, pivots, r);
  if (report.status == SolveStatus::kInfeasible) {
    report.reason = "a row can be driven without end: there is no solution";
  }
  return report;
}

}  // namespace saltus
