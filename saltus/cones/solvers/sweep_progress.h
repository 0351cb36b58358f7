// When Gauss–Seidel looks at its residual, and what it concludes.
//
// The natural map costs about a sweep, so it is evaluated only when the change of a sweep, which
// costs nothing, predicts an outcome, or after a period. From the best scores s (judge.h) of the
// evaluations at sweeps k' ≤ k/2 … k, counted since the last reset, follow
//
//   rate ρ = ln(s(k')/s(k))/(k − k'),     sweeps left n = ln s(k)/ρ                            (1)
//
// up to s = 1, where the aim is met.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "saltus/cones/conic_solver.h"
#include "saltus/cones/solvers/sweep.h"

namespace saltus {

/// Decides when the natural map is worth an evaluation. Its residual is a third to a half of the
/// change that a sweep made, in piles of spheres nearly always, and of that order elsewhere; the
/// velocity that the worst block breaks of its law is likewise of the order of what the largest
/// change of a block did to its own velocity. The ratios seen last predict the next ones.
class CheckSchedule {
 public:
  /// @param largest_diagonal  of A: from changes of r to velocities
  CheckSchedule(const SolveTarget& target, double largest_diagonal, int period)
      : target_(target), largest_diagonal_(largest_diagonal), period_(period) {}

  bool IsDue(int sweep, const SweepChange& change) const {
    const double velocity = CalcVelocity(change) * velocity_ratio_;
    return CalcRelative(change) * ratio_ <= target_.relative || velocity < target_.velocity_aim ||
           (!accepted_ && velocity < target_.velocity_limit) || sweep - last_ >= period_;
  }
  void Record(int sweep, const SweepChange& change, const NaturalMapResidual& residual) {
    last_ = sweep;
    ratio_ = Divide(residual.relative, CalcRelative(change));
    velocity_ratio_ = Divide(residual.velocity, CalcVelocity(change));
    accepted_ = residual.velocity <= target_.velocity_limit;
  }

 private:
  static double CalcRelative(const SweepChange& x) {
    return x.norm > 0 ? std::sqrt(x.change / x.norm) : 0.0;
  }
  double CalcVelocity(const SweepChange& x) const {
    return largest_diagonal_ * std::sqrt(x.largest);
  }
  static double Divide(double residual, double change) {
    return change > 0 ? std::clamp(residual / change, 0.1, 1e3) : 1.0;
  }

  const SolveTarget& target_;
  double largest_diagonal_;
  int period_;
  int last_ = 0;
  double ratio_ = 0.5, velocity_ratio_ = 0.5;
  bool accepted_ = false;
};

/// Eq. (1).
class SweepProgress {
 public:
  void Reset(int sweep) {
    records_.clear();
    start_ = sweep;
  }
  void Record(int sweep, double best_score) { records_.push_back({sweep, best_score}); }

  /// Sweeps since the reset.
  int num_sweeps() const { return records_.empty() ? 0 : records_.back().sweep - start_; }
  /// n; 0 as long as there are too few evaluations, infinity if nothing falls.
  double CalcSweepsLeft() const {
    if (records_.size() < 2) return 0;
    const Evaluation& now = records_.back();
    const int middle = start_ + num_sweeps() / 2;
    const auto then = std::find_if(records_.rbegin() + 1, records_.rend() - 1,
                                   [&](const Evaluation& e) { return e.sweep <= middle; });
    const double fall = std::log(then->score / now.score) / (now.sweep - then->sweep);
    return fall > 0 ? std::log(now.score) / fall : std::numeric_limits<double>::infinity();
  }

 private:
  struct Evaluation {
    int sweep;
    double score;
  };
  std::vector<Evaluation> records_;
  int start_ = 0;
};

}  // namespace saltus
