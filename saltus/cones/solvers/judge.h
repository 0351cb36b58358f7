// The judge of an iterative solver: evaluates iterates with the natural map (conic_problem.h),
// which no solver computes for itself, and keeps the best.
//
// Of two iterates the better one has the smaller score; at most 1 meets the aim of SolveTarget:
//
//   score = min(max(relative / aim, absolute / aim), velocity / aim)                           (1)
//
// Impulses that grow without bound make the relative measure small although no velocity law holds:
// a problem without solution. So what is left must be small beside the given velocities too,
//
//   relative · |r| · mean(A_ii) ≤ |b| / 10                                                     (2)
//
// or the relative measure does not count. The judge is asked in every pass of a method, so it also
// checks for cancellation (base/stop_request.h).
#pragma once

#include <limits>

#include "saltus/cones/conic_solver.h"

namespace saltus {

/// Eqs. (1) and (2).
class StopRule {
 public:
  /// @param mean_diagonal  of A + C
  StopRule(const ConicProblem& problem, const SolveTarget& target, double mean_diagonal);

  /// @param impulse  |r|
  double CalcScore(const NaturalMapResidual& residual, double impulse) const;

 private:
  SolveTarget target_;
  double impulse_bound_;  // of relative · |r|, from (2)
};

class Judge {
 public:
  /// The problem must outlive the judge. @param stop  may be null
  Judge(const ConicProblem& problem, const SolveTarget& target, const StopRequest* stop);

  /// Evaluates r; keeps it if it is the best so far. True if it solves the problem.
  bool Evaluate(const VectorX& r);

  bool has_best() const { return has_best_; }
  bool solved() const { return has_best_ && best_score_ <= 1; }
  /// Of the best iterate: ≤ 1 solves the problem.
  double best_score() const { return best_score_; }
  const VectorX& best() const { return best_; }
  const NaturalMapResidual& best_residual() const { return best_residual_; }
  /// u = A r + b of the iterate evaluated last.
  const VectorX& u() const { return scratch_.u; }
  /// Score of the iterate evaluated last.
  double score() const { return score_; }

  /// Writes the best iterate to *r and reports it: converged if solved, else with `failure`.
  SolveReport Finish(SolveStatus failure, int iterations, VectorX* r) const;

  /// Makes *r a start of the problem's size, zero if it was none. False if data are not finite.
  static bool PrepareStart(const ConicProblem& problem, VectorX* r);
  /// The report on data that are not finite: r = 0.
  static SolveReport FinishNotFinite(int size, VectorX* r);

 private:
  static double CalcMeanDiagonal(const ConicProblem& problem, NaturalMapScratch* scratch);

  const ConicProblem& problem_;
  const StopRequest* stop_;
  NaturalMapScratch scratch_;
  StopRule rule_;
  VectorX best_;
  NaturalMapResidual best_residual_;
  double best_score_ = std::numeric_limits<double>::infinity();
  double score_ = 0;
  bool has_best_ = false;
};

}  // namespace saltus
