#include "saltus/dae/formulation.h"

#include <algorithm>

#include <Eigen/Dense>

namespace saltus {
namespace {

/// Pivots below this share of the largest are zero: rows that depend on each other.
constexpr double kRankTolerance = 1e-9;

/// Least squares of Gᵀλ = M v̇ − f.
void CalcMultipliers(const MatrixX& M, const VectorX& f, const MatrixX& G, const VectorX& a,
                     VectorX* lambda) {
  if (G.rows() == 0) {
    lambda->resize(0);
    return;
  }
  *lambda = MatrixX(G.transpose()).completeOrthogonalDecomposition().solve(M * a - f);
}

/// v̇ = B x + b with G B = 0 and G b = −γ; BᵀM B x = Bᵀ(f − M b).
void ReduceTo(const MatrixX& B, const VectorX& b, const MatrixX& M, const VectorX& f, VectorX* a) {
  const MatrixX reduced = B.transpose() * M * B;
  *a = b + B * reduced.ldlt().solve(B.transpose() * (f - M * b));
}

/// (1). A singular matrix of consistent redundant rows has a solution too.
bool SolveKkt(const MatrixX& M, const VectorX& f, const MatrixX& G, const VectorX& gamma,
              VectorX* a, VectorX* lambda) {
  const Eigen::Index n = M.rows(), m = G.rows();
  MatrixX A = MatrixX::Zero(n + m, n + m);
  A.topLeftCorner(n, n) = M;
  A.topRightCorner(n, m) = -G.transpose();
  A.bottomLeftCorner(m, n) = G;
  VectorX b(n + m);
  b << f, -gamma;
  const VectorX x = A.completeOrthogonalDecomposition().solve(b);
  *a = x.head(n);
  *lambda = x.tail(m);
  return x.allFinite();
}

/// (2). R: the last columns of Q in Gᵀ = Q R̂, or the right singular vectors of zero.
bool SolveInNullSpace(bool svd, const MatrixX& M, const VectorX& f, const MatrixX& G,
                      const VectorX& gamma, VectorX* a) {
  const Eigen::Index n = M.rows(), m = G.rows();
  MatrixX R;
  if (svd) {
    const Eigen::JacobiSVD<MatrixX> decomposition(G, Eigen::ComputeFullV);
    const VectorX& s = decomposition.singularValues();
    if (m > 0 && !(s[m - 1] > kRankTolerance * s[0])) return false;
    R = decomposition.matrixV().rightCols(n - m);
  } else {
    Eigen::ColPivHouseholderQR<MatrixX> decomposition(G.transpose());
    decomposition.setThreshold(kRankTolerance);
    if (decomposition.rank() < m) return false;
    const MatrixX Q = decomposition.householderQ();
    R = Q.rightCols(n - m);
  }
  MatrixX A(n, n);
  A << R.transpose() * M, G;
  VectorX b(n);
  b << R.transpose() * f, -gamma;
  *a = A.partialPivLu().solve(b);
  return a->allFinite();
}

/// The permutation that puts the dependent columns first: G P = (G_d, G_i).
Eigen::PermutationMatrix<Eigen::Dynamic> PutFirst(const std::vector<int>& dependent,
                                                  Eigen::Index n) {
  Eigen::PermutationMatrix<Eigen::Dynamic> P(n);
  Eigen::Index first = 0, last = static_cast<Eigen::Index>(dependent.size());
  for (int j = 0; j < n; ++j) {
    const bool depends = std::binary_search(dependent.begin(), dependent.end(), j);
    P.indices()[depends ? first++ : last++] = j;
  }
  return P;
}

/// B and b of (3) for the dependent columns d: rows d hold −G_d⁻¹G_i and −G_d⁻¹γ.
struct Partition {
  MatrixX B;
  VectorX b;
};
Partition MakePartition(const MatrixX& G, const VectorX& gamma, const std::vector<int>& dependent) {
  const Eigen::Index n = G.cols(), m = G.rows();
  const auto P = PutFirst(dependent, n);
  const MatrixX sorted = G * P;
  const auto lu = MatrixX(sorted.leftCols(m)).partialPivLu();
  Partition p{MatrixX::Identity(n, n).rightCols(n - m), VectorX::Zero(n)};
  p.B.topRows(m) = -lu.solve(MatrixX(sorted.rightCols(n - m)));
  p.b.head(m) = -lu.solve(gamma);
  p.B = P * p.B;
  p.b = P * p.b;
  return p;
}

/// (4).
bool SolveUdwadiaKalaba(const MatrixX& M, const VectorX& f, const MatrixX& G, const VectorX& gamma,
                        VectorX* a) {
  const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(M);
  if (!(eigen.eigenvalues().minCoeff() > 0)) return false;
  const MatrixX root = eigen.operatorInverseSqrt();
  const VectorX free = root * (root * f);
  const MatrixX scaled = G * root;
  *a = free + root * scaled.completeOrthogonalDecomposition().solve(-gamma - G * free);
  return a->allFinite();
}

/// (5). B̃: an orthonormal completion of the rows of G, so the kinematic variables are no subset of
/// the velocities.
bool SolveMaggiKane(const MatrixX& M, const VectorX& f, const MatrixX& G, const VectorX& gamma,
                    VectorX* a) {
  const Eigen::Index n = M.rows(), m = G.rows();
  Eigen::ColPivHouseholderQR<MatrixX> decomposition(G.transpose());
  decomposition.setThreshold(kRankTolerance);
  if (decomposition.rank() < m) return false;
  const MatrixX Q = decomposition.householderQ();
  MatrixX A(n, n);
  A << G, Q.rightCols(n - m).transpose();
  const MatrixX inverse = A.inverse();
  ReduceTo(inverse.rightCols(n - m), -inverse.leftCols(m) * gamma, M, f, a);
  return a->allFinite();
}

/// (6). Coordinates are sorted as (q₁, q₂) first.
bool SolveMcClamrochWang(const MatrixX& M, const VectorX& f, const MatrixX& G, const VectorX& gamma,
                         VectorX* a) {
  const Eigen::Index n = M.rows(), m = G.rows();
  const std::vector<int> dependent = FindDependentColumns(G);
  if (static_cast<Eigen::Index>(dependent.size()) < m) return false;
  const auto P = PutFirst(dependent, n);
  const MatrixX sorted = G * P;
  const auto lu = MatrixX(sorted.leftCols(m)).partialPivLu();
  MatrixX T = MatrixX::Identity(n, n);
  T.topRightCorner(m, n - m) = -lu.solve(MatrixX(sorted.rightCols(n - m)));  // Ω'
  VectorX rate = VectorX::Zero(n);                                           // Ṫ ẋ
  rate.head(m) = -lu.solve(gamma);
  const MatrixX mass = P.transpose() * M * P;
  const MatrixX transformed = T.transpose() * mass * T;
  const VectorX force = T.transpose() * (P.transpose() * f - mass * rate);
  VectorX x = VectorX::Zero(n);
  x.tail(n - m) = transformed.bottomRightCorner(n - m, n - m).ldlt().solve(force.tail(n - m));
  *a = P * (T * x + rate);
  return a->allFinite();
}

}  // namespace

const std::vector<std::string>& FormulationNames() {
  static const std::vector<std::string> names = {
      "kkt",        "null-space-qr",  "null-space-svd", "coordinate-partitioning", "udwadia-kalaba",
      "maggi-kane", "mcclamroch-wang"};
  return names;
}

std::vector<int> FindDependentColumns(const MatrixX& G) {
  const Eigen::Index m = G.rows();
  if (m == 0) return {};
  Eigen::FullPivLU<MatrixX> lu(G);
  lu.setThreshold(kRankTolerance);
  if (lu.rank() < m) return {};
  std::vector<int> columns;
  for (Eigen::Index j = 0; j < m; ++j) {
    columns.push_back(static_cast<int>(lu.permutationQ().indices()[j]));
  }
  std::sort(columns.begin(), columns.end());
  return columns;
}

bool CalcAcceleration(Formulation formulation, const MatrixX& M, const VectorX& f, const MatrixX& G,
                      const VectorX& gamma, VectorX* a, VectorX* lambda) {
  bool good = false;
  switch (formulation) {
    case Formulation::kKkt:
      return SolveKkt(M, f, G, gamma, a, lambda);
    case Formulation::kNullSpaceQr:
    case Formulation::kNullSpaceSvd:
      good = SolveInNullSpace(formulation == Formulation::kNullSpaceSvd, M, f, G, gamma, a);
      break;
    case Formulation::kPartitioning: {
      const std::vector<int> dependent = FindDependentColumns(G);
      if (static_cast<Eigen::Index>(dependent.size()) < G.rows()) return false;
      const Partition p = MakePartition(G, gamma, dependent);
      ReduceTo(p.B, p.b, M, f, a);
      good = a->allFinite();
      break;
    }
    case Formulation::kUdwadiaKalaba:
      good = SolveUdwadiaKalaba(M, f, G, gamma, a);
      break;
    case Formulation::kMaggiKane:
      good = SolveMaggiKane(M, f, G, gamma, a);
      break;
    case Formulation::kMcClamrochWang:
      good = SolveMcClamrochWang(M, f, G, gamma, a);
      break;
  }
  if (good) CalcMultipliers(M, f, G, *a, lambda);
  return good;
}

}  // namespace saltus
