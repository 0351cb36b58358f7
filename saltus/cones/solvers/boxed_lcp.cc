#include "saltus/cones/solvers/boxed_lcp.h"

#include <algorithm>
#include <limits>

#include <Eigen/LU>

namespace saltus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRegularisation = 1e-12;  // of the mean diagonal entry
constexpr int kRefinements = 3;

}  // namespace

bool BoxedLcp::Accepts(const ConicProblem& problem) {
  return std::all_of(problem.cones.begin(), problem.cones.end(), [](const Cone& cone) {
    return cone.kind == ConeKind::kNonnegative || cone.kind == ConeKind::kFree ||
           (cone.kind == ConeKind::kBox && cone.dimension == 1);
  });
}

BoxedLcp::BoxedLcp(const ConicProblem& problem, const VectorX& r)
    : A(MakeDense(problem)),
      b(problem.b),
      lo(VectorX::Constant(problem.size(), -kInfinity)),
      hi(VectorX::Constant(problem.size(), kInfinity)) {
  for (const Cone& cone : problem.cones) {
    if (cone.kind == ConeKind::kNonnegative) lo[cone.offset] = 0;
    if (cone.kind == ConeKind::kBox) {
      hi[cone.offset] = CalcBoxBound(problem, cone, r.data());
      lo[cone.offset] = -hi[cone.offset];
    }
  }
}

BoxedLcp::BoxedLcp(const MatrixX& M, const VectorX& q)
    : A(M), b(q), lo(VectorX::Zero(q.size())), hi(VectorX::Constant(q.size(), kInfinity)) {}

VectorX SolveFreeRows(const MatrixX& A, const std::vector<int>& free, const VectorX& rhs) {
  const MatrixX A_FF = A(free, free);
  const Eigen::Index size = A_FF.rows();
  const double shift = kRegularisation * A_FF.diagonal().cwiseAbs().mean();
  const Eigen::PartialPivLU<MatrixX> lu(A_FF + shift * MatrixX::Identity(size, size));
  VectorX x = lu.solve(rhs);
  for (int k = 0; k < kRefinements; ++k) x += lu.solve(rhs - A_FF * x);
  return x;
}

}  // namespace saltus
