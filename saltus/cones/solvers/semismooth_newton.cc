#include "saltus/cones/solvers/semismooth_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/cones/block_sparse_copy.h"
#include "saltus/cones/solvers/block_projections.h"
#include "saltus/cones/solvers/moment_scaling.h"

namespace saltus {
namespace {

constexpr double kMinRegularisation = 1e-10;  // α, of the mean diagonal entry
constexpr double kMaxRegularisation = 1e2;
constexpr double kArmijo = 1e-4;
constexpr int kMemory = 6;       // merits that eq. (2) compares with
constexpr int kMaxHalvings = 7;  // of τ

}  // namespace

void SemismoothNewton::Prepare(const ConicProblem& problem, const BlockSparseDelassus& A,
                               ConeFunction function) {
  A_ = &A;
  function_ = function;
  equations_.resize(problem.cones.size());
  alpha_.resize(problem.cones.size());
  weights_ = CalcBlockScales(problem);
}

double SemismoothNewton::CalcMerit(const ConicProblem& problem, const VectorX& r,
                                   const VectorX& u) {
  double merit = 0;
  for (std::size_t c = 0; c < problem.cones.size(); ++c) {
    const Cone& cone = problem.cones[c];
    const double bound = cone.kind == ConeKind::kBox ? CalcBoxBound(problem, cone, r.data()) : 0.0;
    CalcBlockEquation(function_, cone, bound, 1 / weights_[c], r.data() + cone.offset,
                      u.data() + cone.offset, &equations_[c]);
    merit += weights_[c] * equations_[c].F.squaredNorm();  // (2)
  }
  return merit;
}

void SemismoothNewton::SetRegularisation(double factor) {
  for (std::size_t c = 0; c < weights_.size(); ++c) alpha_[c] = factor * weights_[c];
}

// The first τ that satisfies (2); *r and u_ move there.
bool SemismoothNewton::TrySteps(const ConicProblem& problem, double bound, VectorX* r) {
  A_->Multiply(step_, &product_);
  double tau = 1;
  for (int k = 0; k <= kMaxHalvings; ++k, tau *= 0.5) {
    r_trial_ = *r + tau * step_;
    u_trial_ = u_ + tau * product_;
    const double merit = CalcMerit(problem, r_trial_, u_trial_);
    if (merit <= (1 - 2 * kArmijo * tau) * bound) {
      r->swap(r_trial_);
      return true;
    }
  }
  return false;
}

SemismoothNewton::Result SemismoothNewton::Iterate(const ConicProblem& problem, int max_iterations,
                                                   Judge* judge, VectorX* r) {
  Result result;
  double regularisation = kMinRegularisation;
  const double cold = CalcMerit(problem, VectorX::Zero(problem.size()), problem.b);
  std::vector<double> merits(kMemory, cold);
  while (true) {
    if (judge->Evaluate(*r)) {
      result.outcome = Outcome::kSolved;
      return result;
    }
    if (result.iterations >= max_iterations) return result;
    u_ = judge->u();
    const double merit = CalcMerit(problem, *r, u_);
    std::rotate(merits.begin(), merits.begin() + 1, merits.end());
    merits.back() = merit;
    const double bound = *std::max_element(merits.begin(), merits.end());
    bool moved = false;
    while (!moved && regularisation <= kMaxRegularisation) {
      SetRegularisation(regularisation);
      ++result.iterations;
      moved = jacobian_.Solve(*A_, equations_, alpha_, &step_) && TrySteps(problem, bound, r);
      if (!moved) {
        regularisation *= 100;
        CalcMerit(problem, *r, u_);  // The trials have overwritten the equations.
      }
    }
    if (!moved) {
      result.outcome = Outcome::kStagnated;
      return result;
    }
    regularisation = std::max(kMinRegularisation, regularisation / 100);
  }
}

SolveReport SemismoothNewtonSolver::Solve(const ConicProblem& problem, VectorX* r) {
  if (NeedsMomentScaling(problem)) return SolveWithScaledMoments(problem, options_, this, r);
  const int n = problem.size();
  if (r->size() != n || !r->allFinite()) r->setZero(n);
  VectorX diagonal;
  problem.A->CalcDiagonal(&diagonal);
  if (!problem.b.allFinite() || !diagonal.allFinite()) return Judge::FinishNotFinite(n, r);
  Judge judge(problem, options_);
  newton_.Prepare(problem, MakeBlockSparse(problem, &storage_), options_.function);
  const SemismoothNewton::Result result =
      newton_.Iterate(problem, options_.max_iterations, &judge, r);
  return judge.Finish(result.outcome == SemismoothNewton::Outcome::kStagnated
                          ? SolveStatus::kStagnated
                          : SolveStatus::kMaxIterations,
                      result.iterations, r);
}

}  // namespace saltus
