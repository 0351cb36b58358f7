#include "saltus/cones/solvers/moment_scaling.h"

#include "saltus/cones/block_sparse_copy.h"
#include "saltus/cones/friction_groups.h"

namespace saltus {
namespace {

constexpr double kFarFromOne = 2;

VectorX CalcScales(const ConicProblem& problem) {
  VectorX diagonal, scales(problem.size());
  CalcDiagonal(problem, &diagonal);
  for (const Cone& cone : problem.cones) {
    CalcLevers(cone, diagonal.data() + cone.offset, scales.data() + cone.offset);
  }
  return scales;
}

}  // namespace

bool NeedsMomentScaling(const ConicProblem& problem) {
  bool rolls = false;
  for (const Cone& cone : problem.cones) rolls = rolls || cone.kind == ConeKind::kRollingFriction;
  if (!rolls) return false;
  const VectorX scales = CalcScales(problem);
  return scales.allFinite() &&
         (scales.maxCoeff() > kFarFromOne || scales.minCoeff() < 1 / kFarFromOne);
}

SolveReport SolveWithScaledMoments(const ConicProblem& problem, const SolveTarget& target,
                                   ConicSolver* solver, VectorX* r) {
  const VectorX scales = CalcScales(problem);
  BlockSparseDelassus storage;
  BlockSparseDelassus A = MakeBlockSparse(problem, &storage);
  for (int c = 0; c < A.num_blocks(); ++c) {
    for (int slot = A.row_begin(c); slot < A.row_begin(c + 1); ++slot) {
      const int e = A.column(slot);
      A.block(c, slot) = scales.segment(A.offset(c), A.dimension(c)).asDiagonal() *
                         A.block(c, slot) *
                         scales.segment(A.offset(e), A.dimension(e)).asDiagonal();
    }
  }
  ConicProblem scaled = problem;  // (1)
  scaled.A = &A;
  scaled.compliance.resize(0);  // in A
  scaled.b = scales.cwiseProduct(problem.b);
  for (Cone& cone : scaled.cones) cone = ScaleMoments(cone, scales.data() + cone.offset);
  for (ConeLoad& load : scaled.loads) load.rows = load.rows * scales.asDiagonal();
  if (r->size() != problem.size() || !r->allFinite()) r->setZero(problem.size());
  *r = r->cwiseQuotient(scales);
  SolveReport report = solver->Solve(scaled, target, r);
  *r = r->cwiseProduct(scales);
  report.residual = CalcNaturalMapResidual(problem, *r);
  if (report.ok() && !MeetsAim(report.residual, target)) {
    report.status = SolveStatus::kStagnated;  // The second measure depends on units.
  }
  return report;
}

}  // namespace saltus
