#include "saltus/cones/solvers/pgs.h"

#include <algorithm>

#include "saltus/cones/block_sparse_copy.h"
#include "saltus/cones/friction_groups.h"
#include "saltus/cones/solvers/cone_equations.h"
#include "saltus/cones/solvers/judge.h"
#include "saltus/cones/solvers/moment_scaling.h"

namespace saltus {
namespace {

constexpr int kCheckPeriod = 10;  // sweeps between judgements

// Moves rows [first, first + count) of r by −ω u / scale; the caller projects them.
void MoveRows(const BlockSparseDelassus& A, const GrowingVector& b, int block, int first, int count,
              double step, VectorX* r) {
  if (!(step > 0)) return;
  double u[BlockEquation::kMaxDimension];
  const int offset = A.offset(block);
  std::copy_n(b.data() + offset, A.dimension(block), u);
  A.AddRowProduct(block, r->data(), u);
  for (int i = first; i < first + count; ++i) (*r)[offset + i] -= step * u[i];
}

double Invert(double x, double smallest) { return x > smallest ? 1 / x : 0.0; }

void Visit(const ConicProblem& problem, const BlockSparseDelassus& A, const VectorX& diagonal,
           double smallest, double omega, int c, VectorX* r) {
  const Cone& cone = problem.cones[c];
  const int d = cone.dimension;
  double* r_c = r->data() + cone.offset;
  const auto row = [&](int i) {
    MoveRows(A, problem.b, c, i, 1, omega * Invert(diagonal[cone.offset + i], smallest), r);
  };
  switch (cone.kind) {
    case ConeKind::kNonnegative:
      row(0);
      r_c[0] = ProjectOntoNonnegative(r_c[0]);  // (1)
      break;
    case ConeKind::kFree:
      for (int i = 0; i < d; ++i) row(i);
      break;
    case ConeKind::kBox: {
      const double sum = diagonal.segment(cone.offset, d).sum();
      MoveRows(A, problem.b, c, 0, d, omega * Invert(sum, smallest), r);
      ProjectOntoDisc(CalcBoxBound(problem, cone, r->data()), d, r_c);
      break;
    }
    case ConeKind::kFriction:
    case ConeKind::kRollingFriction:
    case ConeKind::kPolyhedralFriction: {
      if (cone.associated || cone.kind == ConeKind::kPolyhedralFriction) {
        const double sum = diagonal.segment(cone.offset, d).sum();
        double u[BlockEquation::kMaxDimension];
        std::copy_n(problem.b.data() + cone.offset, d, u);
        A.AddRowProduct(c, r->data(), u);
        u[0] += CalcDeSaxceShift(cone, u);
        for (int i = 0; i < d; ++i) r_c[i] -= omega * Invert(sum, smallest) * u[i];
        ProjectOntoCone(cone, r_c);  // (3)
        break;
      }
      row(0);
      r_c[0] = ProjectOntoNonnegative(r_c[0]);
      for (const auto [first, size, m] : ListGroups(cone)) {
        const double sum = diagonal.segment(cone.offset + first, size).sum();
        MoveRows(A, problem.b, c, first, size, omega * Invert(sum, smallest), r);
        ProjectOntoDisc(m * r_c[0], size, r_c + first);  // (2)
      }
      break;
    }
  }
}

}  // namespace

SolveReport PgsSolver::SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                                    VectorX* r) {
  if (NeedsMomentScaling(problem)) return SolveWithScaledMoments(problem, target, this, r);
  const int n = problem.size();
  if (r->size() != n || !r->allFinite()) r->setZero(n);
  VectorX diagonal;
  CalcDiagonal(problem, &diagonal);
  if (!problem.b.allFinite() || !diagonal.allFinite()) return Judge::FinishNotFinite(n, r);
  Judge judge(problem, target, options_.stop);
  if (judge.Evaluate(*r)) return judge.Finish(SolveStatus::kConverged, 0, r);
  BlockSparseDelassus storage;
  const BlockSparseDelassus& A = MakeBlockSparse(problem, &storage);
  const double smallest = n > 0 ? kImmovableTrace * diagonal.maxCoeff() : 0.0;
  VectorX x = *r;
  for (int k = 1; k <= target.budget.max_iterations; ++k) {
    for (int c = 0; c < A.num_blocks(); ++c) {
      Visit(problem, A, diagonal, smallest, options_.relaxation, c, &x);
    }
    if (!x.allFinite()) return judge.Finish(SolveStatus::kNotFinite, k, r);
    if ((k % kCheckPeriod == 0 || k == target.budget.max_iterations) && judge.Evaluate(x)) {
      return judge.Finish(SolveStatus::kConverged, k, r);
    }
  }
  return judge.Finish(SolveStatus::kMaxIterations, target.budget.max_iterations, r);
}

}  // namespace saltus
