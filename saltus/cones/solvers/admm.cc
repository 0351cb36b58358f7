#include "saltus/cones/solvers/admm.h"

#include <algorithm>

#include "saltus/cones/block_sparse_copy.h"
#include "saltus/cones/solvers/block_projections.h"
#include "saltus/cones/solvers/judge.h"
#include "saltus/cones/solvers/moment_scaling.h"
#include "saltus/cones/solvers/shifted_lu.h"

namespace saltus {
namespace {

constexpr double kRelaxation = 1.6;  // β
constexpr double kImbalance = 10;    // of the two residuals that changes the penalty
constexpr double kMinPenalty = 1e-6, kMaxPenalty = 1e6;
constexpr int kCheckPeriod = 10;  // passes between judgements

}  // namespace

SolveReport AdmmSolver::SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                                     VectorX* r) {
  if (NeedsMomentScaling(problem)) return SolveWithScaledMoments(problem, target, this, r);
  const int n = problem.size();
  if (r->size() != n || !r->allFinite()) r->setZero(n);
  VectorX D(n);
  CalcDiagonal(problem, &D);
  if (!problem.b.allFinite() || !D.allFinite()) return Judge::FinishNotFinite(n, r);
  Judge judge(problem, target, options_.stop);
  if (judge.Evaluate(*r)) return judge.Finish(SolveStatus::kConverged, 0, r);
  const std::vector<double> scales = CalcBlockScales(problem);
  for (std::size_t c = 0; c < scales.size(); ++c) {
    D.segment(problem.cones[c].offset, problem.cones[c].dimension).setConstant(scales[c]);
  }
  BlockSparseDelassus storage;
  const BlockSparseDelassus& A = MakeBlockSparse(problem, &storage);
  ShiftedLu lu;
  lu.Prepare(A);
  std::vector<BlockEquation::Matrix> shift(scales.size());
  double penalty = 1;
  const auto factor = [&] {
    for (std::size_t c = 0; c < scales.size(); ++c) {
      const int d = problem.cones[c].dimension;
      shift[c] = penalty * scales[c] * BlockEquation::Matrix::Identity(d, d);
    }
    return lu.Factor(shift);
  };
  if (!factor()) return judge.Finish(SolveStatus::kStagnated, 0, r);
  VectorX z = *r, z_old, x(n), y;
  ProjectBlocks(problem, z, &z);
  VectorX dual = judge.u();  // û, eq. (3)
  AddDeSaxceShift(problem, &dual);
  VectorX nu = -dual.cwiseQuotient(penalty * D);
  int next_adaptation = 20, adaptations = 0;
  for (int k = 1; k <= target.budget.max_iterations; ++k) {
    dual = -penalty * D.cwiseProduct(nu);
    x = penalty * D.cwiseProduct(z - nu) - problem.b;
    for (const Cone& cone : problem.cones) {  // − s
      if (!IsFrictional(cone)) continue;
      x[cone.offset] -= CalcDeSaxceShift(cone, dual.data() + cone.offset);
    }
    lu.SolveInPlace(&x);  // (1)
    if (!x.allFinite()) return judge.Finish(SolveStatus::kNotFinite, k, r);
    y = kRelaxation * x + (1 - kRelaxation) * z;
    z_old = z;
    z = y + nu;
    ProjectBlocks(problem, z_old, &z);
    nu += y - z;  // (2)
    if ((k % kCheckPeriod == 0 || k == target.budget.max_iterations) && judge.Evaluate(z)) {
      return judge.Finish(SolveStatus::kConverged, k, r);
    }
    if (k < next_adaptation) continue;
    const double primal = (x - z).cwiseProduct(D.cwiseSqrt()).norm();
    const double change = (z - z_old).cwiseProduct(D.cwiseSqrt()).norm();
    const double factor_of_penalty = primal > kImbalance * change   ? 4.0
                                     : change > kImbalance * primal ? 0.25
                                                                    : 1.0;
    const double next = std::clamp(penalty * factor_of_penalty, kMinPenalty, kMaxPenalty);
    if (next != penalty) {
      nu *= penalty / next;
      penalty = next;
      if (!factor()) return judge.Finish(SolveStatus::kStagnated, k, r);
      ++adaptations;
    }
    next_adaptation = k + 20 + 20 * adaptations;
  }
  return judge.Finish(SolveStatus::kMaxIterations, target.budget.max_iterations, r);
}

}  // namespace saltus
