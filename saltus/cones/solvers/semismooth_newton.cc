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

void SemismoothNewton::Prepare(const ConicProblem& problem, ConeFunction function) {
  A_ = body_lu_.PrepareIfCheaper(problem) ? nullptr : &MakeBlockSparse(problem, &storage_);
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

// (1)
bool SemismoothNewton::SolveStep(double regularisation) {
  const std::size_t count = weights_.size();
  for (std::size_t c = 0; c < count; ++c) alpha_[c] = regularisation * weights_[c];
  if (A_ != nullptr) return jacobian_.Solve(*A_, equations_, alpha_, &step_);
  left_.resize(count);
  right_.resize(count);
  step_.resize(u_.size());
  Eigen::Index offset = 0;
  for (std::size_t c = 0; c < count; ++c) {
    const BlockEquation& equation = equations_[c];
    left_[c] = equation.A + alpha_[c] * equation.B;
    right_[c] = equation.B;
    step_.segment(offset, equation.F.size()) = -equation.F;
    offset += equation.F.size();
  }
  if (!body_lu_.Factor(left_, &right_)) return false;
  body_lu_.SolveInPlace(&step_);
  return step_.allFinite();
}

// The first τ that satisfies (2); *r and u_ move there.
bool SemismoothNewton::TrySteps(const ConicProblem& problem, double bound, VectorX* r) {
  problem.A->Multiply(step_, &product_);
  if (problem.compliance.size() > 0) product_ += problem.compliance.cwiseProduct(step_);
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
  const double cold = CalcMerit(problem, VectorX::Zero(problem.size()), VectorX(problem.b));
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
    while (!moved && regularisation <= kMaxRegularisation && result.iterations < max_iterations) {
      ++result.iterations;
      moved = SolveStep(regularisation) && TrySteps(problem, bound, r);
      if (!moved) {
        regularisation *= 100;
        CalcMerit(problem, *r, u_);  // The trials have overwritten the equations.
      }
    }
    if (!moved) {
      if (result.iterations < max_iterations) result.outcome = Outcome::kStagnated;
      return result;
    }
    regularisation = std::max(kMinRegularisation, regularisation / 100);
  }
}

SolveReport SemismoothNewtonSolver::SolveReduced(const ConicProblem& problem,
                                                 const SolveTarget& target, VectorX* r) {
  if (NeedsMomentScaling(problem)) return SolveWithScaledMoments(problem, target, this, r);
  if (!Judge::PrepareStart(problem, r)) return Judge::FinishNotFinite(problem.size(), r);
  Judge judge(problem, target, options_.stop);
  newton_.Prepare(problem, options_.function);
  const SemismoothNewton::Result result =
      newton_.Iterate(problem, target.budget.max_iterations, &judge, r);
  return judge.Finish(result.outcome == SemismoothNewton::Outcome::kStagnated
                          ? SolveStatus::kStagnated
                          : SolveStatus::kMaxIterations,
                      result.iterations, r);
}

}  // namespace saltus
