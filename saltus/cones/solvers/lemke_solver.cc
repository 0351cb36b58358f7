// Conic problems of linear cones as linear complementarity problems.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/QR>

#include "saltus/cones/solvers/lemke.h"

namespace saltus {
namespace {

// The rows of a problem by their role, and the problem without its free rows:
//   u_n = A r_n + b,   A = A_nn − A_nf A_ff⁺A_fn,   b = b_n − A_nf A_ff⁺b_f (1)
struct LinearProblem {
  std::vector<int> free_rows, other_rows;
  std::vector<double> bounds;  // of each other row; infinity: nonnegative
  MatrixX A;                   // eq. (1)
  VectorX b;
  MatrixX recover;  // r_f = constant − recover r_n
  VectorX constant;
  bool consistent = true;
};

LinearProblem Eliminate(const ConicProblem& problem) {
  LinearProblem result;
  for (const Cone& cone : problem.cones) {
    for (int i = 0; i < cone.dimension; ++i) {
      const int row = cone.offset + i;
      if (cone.kind == ConeKind::kFree) {
        result.free_rows.push_back(row);
      } else {
        result.other_rows.push_back(row);
        result.bounds.push_back(
            cone.kind == ConeKind::kBox ? cone.bound : std::numeric_limits<double>::infinity());
      }
    }
  }
  const MatrixX A = MakeDense(*problem.A);
  const auto& f = result.free_rows;
  const auto& n = result.other_rows;
  result.A = A(n, n);
  result.b = problem.b(n);
  if (f.empty()) return result;
  const MatrixX A_ff = A(f, f);
  const MatrixX A_fn = A(f, n);
  const VectorX b_f = problem.b(f);
  Eigen::CompleteOrthogonalDecomposition<MatrixX> factor(A_ff);
  result.recover = factor.solve(A_fn);
  result.constant = -factor.solve(b_f);
  result.A -= A(n, f) * result.recover;  // (1)
  result.b += A(n, f) * result.constant;
  // b_f outside the range of A_ff and beyond the reach of r_n: no impulse stops these rows.
  const VectorX rest = A_ff * result.constant + b_f;
  const double scale = std::max(problem.b.norm(), A_ff.norm() * result.constant.norm());
  result.consistent = rest.norm() <= 1e-10 * scale;
  return result;
}

// Box rows by their two complementarity conditions: z = r + s with multiplier y of z ≤ 2s.
void MakeLcp(const LinearProblem& linear, MatrixX* M, VectorX* q) {
  const Eigen::Index n = linear.b.size();
  std::vector<int> boxes;
  VectorX shift = VectorX::Zero(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!std::isfinite(linear.bounds[static_cast<std::size_t>(i)])) continue;
    boxes.push_back(static_cast<int>(i));
    shift[i] = linear.bounds[static_cast<std::size_t>(i)];
  }
  const Eigen::Index m = static_cast<Eigen::Index>(boxes.size());
  M->setZero(n + m, n + m);
  q->resize(n + m);
  M->topLeftCorner(n, n) = linear.A;
  q->head(n) = linear.b - linear.A * shift;
  for (Eigen::Index k = 0; k < m; ++k) {
    (*M)(boxes[static_cast<std::size_t>(k)], n + k) = 1;
    (*M)(n + k, boxes[static_cast<std::size_t>(k)]) = -1;
    (*q)[n + k] = 2 * shift[boxes[static_cast<std::size_t>(k)]];
  }
}

void RecoverImpulses(const LinearProblem& linear, const VectorX& z, VectorX* r) {
  const Eigen::Index n = linear.b.size();
  VectorX r_n = z.head(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double bound = linear.bounds[static_cast<std::size_t>(i)];
    if (std::isfinite(bound)) r_n[i] = std::clamp(z[i] - bound, -bound, bound);
  }
  (*r)(linear.other_rows) = r_n;
  if (!linear.free_rows.empty()) {
    (*r)(linear.free_rows) = linear.constant - linear.recover * r_n;
  }
}

}  // namespace

bool LemkeSolver::Accepts(const ConicProblem& problem) {
  return std::all_of(problem.cones.begin(), problem.cones.end(), [](const Cone& cone) {
    return cone.kind == ConeKind::kNonnegative || cone.kind == ConeKind::kFree ||
           (cone.kind == ConeKind::kBox && cone.dimension == 1 && cone.load < 0);
  });
}

SolveReport LemkeSolver::Solve(const ConicProblem& problem, VectorX* r) {
  SolveReport report;
  const int n = problem.size();
  if (r->size() != n || !r->allFinite()) r->setZero(n);
  if (!Accepts(problem)) {
    report.status = SolveStatus::kUnsupported;
    report.residual = CalcNaturalMapResidual(problem, *r);
    return report;
  }
  const LinearProblem linear = Eliminate(problem);
  if (!linear.A.allFinite() || !linear.b.allFinite() || !linear.recover.allFinite()) {
    r->setZero(n);
    report.status = SolveStatus::kNotFinite;
    report.residual = CalcNaturalMapResidual(problem, *r);
    return report;
  }
  MatrixX M;
  VectorX q, z;
  MakeLcp(linear, &M, &q);
  const int max_pivots = std::max(options_.max_iterations, 50 * static_cast<int>(q.size()) + 50);
  const LemkeReport lemke = SolveLemke(M, q, max_pivots, &z);
  report.iterations = lemke.pivots;
  RecoverImpulses(linear, z, r);
  report.residual = CalcNaturalMapResidual(problem, *r);
  if (lemke.outcome == LemkeOutcome::kRay || !linear.consistent) {
    report.status = SolveStatus::kInfeasible;
  } else if (lemke.outcome == LemkeOutcome::kMaxPivots) {
    report.status = SolveStatus::kMaxIterations;
  } else if (!(report.residual.relative <= options_.tolerance)) {
    report.status = SolveStatus::kStagnated;
  }
  return report;
}

}  // namespace saltus
