#include "saltus/cones/solvers/lemke.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/LU>
#include <Eigen/QR>

namespace saltus {
namespace {

constexpr double kPivotTolerance = 1e-11;  // Relative to the largest entry of the column.
constexpr double kRounding = 1e-14;        // of the right-hand side, relative to its largest entry
constexpr int kRefreshPeriod = 20;         // pivots

// The tableau  w − M z − e z₀ = q  of n rows. Columns: w (0 … n−1), z (n … 2n−1), z₀ (2n), and the
// right-hand side (2n + 1). The columns of w hold the inverse of the basis: the lexicographic order
// compares rows of [q | B⁻¹].
class Tableau {
 public:
  Tableau(const MatrixX& M, const VectorX& q) : n_(static_cast<int>(q.size())) {
    original_.setZero(n_, 2 * n_ + 2);
    original_.leftCols(n_).setIdentity();
    original_.middleCols(n_, n_) = -M;
    original_.col(2 * n_).setConstant(-1);
    original_.col(2 * n_ + 1) = q;
    table_ = original_;
    basis_.resize(static_cast<std::size_t>(n_));
    for (int i = 0; i < n_; ++i) basis_[i] = i;
  }

  int artificial() const { return 2 * n_; }
  int basic(int row) const { return basis_[row]; }
  int Complement(int column) const { return column < n_ ? column + n_ : column - n_; }

  // The row that leaves at the start: smallest q, first in the lexicographic order of [q | I],
  // which is the last among equal ones.
  int FindFirstRow() const {
    int row = 0;
    for (int i = 1; i < n_; ++i) {
      if (table_(i, 2 * n_ + 1) <= table_(row, 2 * n_ + 1)) row = i;
    }
    return row;
  }

  // The row that blocks the entering column, by lexicographic ratios; −1: a ray. z₀ leaves as soon
  // as it is among the blocking rows, which ends the method.
  int FindBlockingRow(int entering) const {
    const double threshold = kPivotTolerance * table_.col(entering).cwiseAbs().maxCoeff();
    int best = -1;
    for (int i = 0; i < n_; ++i) {
      if (!(table_(i, entering) > threshold)) continue;
      if (best < 0 || IsLexicographicallyLess(i, best, entering)) best = i;
    }
    if (best < 0) return best;
    for (int i = 0; i < n_; ++i) {
      if (basis_[i] == artificial() && table_(i, entering) > threshold &&
          Ratio(i, 2 * n_ + 1, entering) <= Ratio(best, 2 * n_ + 1, entering)) {
        return i;
      }
    }
    return best;
  }

  void Pivot(int row, int entering) {
    table_.row(row) /= table_(row, entering);
    for (int i = 0; i < n_; ++i) {
      if (i == row) continue;
      const double factor = table_(i, entering);
      if (factor != 0) table_.row(i) -= factor * table_.row(row);
    }
    table_.col(entering).setZero();
    table_(row, entering) = 1;
    basis_[row] = entering;
    CleanRightHandSide();
  }

  // Computes the table again from the basis: rounding of the pivots so far is gone.
  void Refresh() {
    MatrixX basis(n_, n_);
    for (int i = 0; i < n_; ++i) basis.col(i) = original_.col(basis_[i]);
    table_ = basis.partialPivLu().solve(original_);
    CleanRightHandSide();
  }

  bool IsFinite() const { return table_.col(2 * n_ + 1).allFinite(); }
  // Basic z, by their index.
  std::vector<int> ActiveRows() const {
    std::vector<int> active;
    for (const int column : basis_) {
      if (column >= n_ && column < 2 * n_) active.push_back(column - n_);
    }
    std::sort(active.begin(), active.end());
    return active;
  }
  VectorX Solution() const {
    VectorX z = VectorX::Zero(n_);
    for (int i = 0; i < n_; ++i) {
      if (basis_[i] >= n_ && basis_[i] < 2 * n_) {
        z[basis_[i] - n_] = std::max(0.0, table_(i, 2 * n_ + 1));
      }
    }
    return z;
  }

 private:
  // Degenerate rows are zero but for rounding, whose sign must not choose pivots.
  void CleanRightHandSide() {
    auto rhs = table_.col(2 * n_ + 1);
    const double small = kRounding * rhs.cwiseAbs().maxCoeff();
    rhs = (rhs.array().abs() <= small).select(0.0, rhs);
  }

  double Ratio(int i, int column, int entering) const {
    return table_(i, column) / table_(i, entering);
  }
  bool IsLexicographicallyLess(int i, int j, int entering) const {
    const double tie = 1e-13;
    const auto differs = [&](double a, double b) {
      return std::abs(a - b) > tie * std::max({std::abs(a), std::abs(b), 1e-300});
    };
    double a = Ratio(i, 2 * n_ + 1, entering), b = Ratio(j, 2 * n_ + 1, entering);
    if (differs(a, b)) return a < b;
    for (int column = 0; column < n_; ++column) {
      a = Ratio(i, column, entering);
      b = Ratio(j, column, entering);
      if (differs(a, b)) return a < b;
    }
    return false;
  }

  int n_;
  std::vector<int> basis_;
  // Row operations dominate: rows are contiguous.
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> table_;
  MatrixX original_;
};

// Solves M_aa z_a = −q_a for the final active set, which removes the rounding of the pivots. Kept
// only if it stays feasible.
void Polish(const MatrixX& M, const VectorX& q, const std::vector<int>& active, VectorX* z) {
  const Eigen::Index k = static_cast<Eigen::Index>(active.size());
  if (k == 0) return;
  MatrixX M_aa(k, k);
  VectorX q_a(k);
  for (Eigen::Index i = 0; i < k; ++i) {
    q_a[i] = q[active[i]];
    for (Eigen::Index j = 0; j < k; ++j) M_aa(i, j) = M(active[i], active[j]);
  }
  const VectorX z_a = M_aa.colPivHouseholderQr().solve(-q_a);
  if (!z_a.allFinite() || z_a.minCoeff() < 0) return;
  VectorX refined = VectorX::Zero(z->size());
  for (Eigen::Index i = 0; i < k; ++i) refined[active[i]] = z_a[i];
  const auto error = [&](const VectorX& x) {
    const VectorX w = M * x + q;
    return x.cwiseMin(w).norm();
  };
  if (error(refined) < error(*z)) *z = refined;
}

constexpr double kSingular = 1e-10;  // reciprocal condition below which M_aa is none

// The rows of n that are not among `rows`, which ascend.
std::vector<int> ListOthers(const std::vector<int>& rows, Eigen::Index n) {
  std::vector<int> others;
  for (int i = 0; i < n; ++i) {
    if (!std::binary_search(rows.begin(), rows.end(), i)) others.push_back(i);
  }
  return others;
}

// Leaves out rows of a guess that repeat others (hyperstatic contacts), so that M_aa is regular: of
// the null vectors of M_aa, the rows in which they differ most.
std::vector<int> LeaveOutRedundant(const std::vector<int>& a, const MatrixX& M) {
  if (a.empty()) return a;
  Eigen::FullPivLU<MatrixX> lu(M(a, a));
  lu.setThreshold(kSingular);
  if (lu.isInvertible()) return a;
  const Eigen::ColPivHouseholderQR<MatrixX> qr(lu.kernel().transpose());
  std::vector<int> kept = a;
  for (Eigen::Index k = 0; k < lu.dimensionOfKernel(); ++k) {
    kept[static_cast<std::size_t>(qr.colsPermutation().indices()[k])] = -1;
  }
  std::erase(kept, -1);
  return kept;
}

// (2); false if M_aa is singular.
bool Transform(const std::vector<int>& a, const MatrixX& M, const VectorX& q, MatrixX* M_out,
               VectorX* q_out) {
  const std::vector<int> b = ListOthers(a, q.size());
  const Eigen::PartialPivLU<MatrixX> lu(M(a, a));
  if (!(lu.rcond() > kSingular)) return false;
  const MatrixX inverse = lu.inverse();
  const MatrixX from_a = M(b, a) * inverse;
  M_out->resize(q.size(), q.size());
  q_out->resize(q.size());
  (*M_out)(a, a) = inverse;
  (*M_out)(a, b) = -inverse * M(a, b);
  (*M_out)(b, a) = from_a;
  (*M_out)(b, b) = M(b, b) - from_a * M(a, b);
  (*q_out)(a) = -inverse * q(a);
  (*q_out)(b) = q(b) - from_a * q(a);
  return true;
}

}  // namespace

LemkeReport SolveLemke(const MatrixX& M, const VectorX& q, int max_pivots, VectorX* z,
                       const StopRequest* stop) {
  LemkeReport report;
  z->setZero(q.size());
  if (q.size() == 0 || q.minCoeff() >= 0) return report;
  report.outcome = LemkeOutcome::kMaxPivots;
  if (max_pivots < 1) return report;
  Tableau tableau(M, q);
  int row = tableau.FindFirstRow();
  int leaving = tableau.basic(row);
  tableau.Pivot(row, tableau.artificial());
  for (report.pivots = 1; report.pivots < max_pivots; ++report.pivots) {
    CheckStop(stop);
    const int entering = tableau.Complement(leaving);
    row = tableau.FindBlockingRow(entering);
    if (row < 0 || report.pivots % kRefreshPeriod == 0) {  // No ray is believed without a refresh.
      tableau.Refresh();
      row = tableau.FindBlockingRow(entering);
    }
    if (row < 0) {
      report.outcome = LemkeOutcome::kRay;
      return report;
    }
    leaving = tableau.basic(row);
    tableau.Pivot(row, entering);
    if (!tableau.IsFinite()) return report;
    if (leaving != tableau.artificial()) continue;
    report.outcome = LemkeOutcome::kSolved;
    *z = tableau.Solution();
    Polish(M, q, tableau.ActiveRows(), z);
    return report;
  }
  return report;
}

LemkeReport SolveLemkeFrom(const std::vector<int>& active_guess, const MatrixX& M, const VectorX& q,
                           int max_pivots, VectorX* z, const StopRequest* stop) {
  const std::vector<int> guess = LeaveOutRedundant(active_guess, M);
  MatrixX M_guess;
  VectorX q_guess, exchanged;
  if (guess.empty() || !Transform(guess, M, q, &M_guess, &q_guess)) {
    return SolveLemke(M, q, max_pivots, z, stop);
  }
  // What rounding leaves of zeros must not cost pivots.
  const double small = 100 * kRounding * q_guess.cwiseAbs().maxCoeff();
  q_guess = (q_guess.array().abs() <= small).select(0.0, q_guess);
  LemkeReport report = SolveLemke(M_guess, q_guess, max_pivots, &exchanged, stop);
  if (report.outcome != LemkeOutcome::kSolved) {
    const int spent = report.pivots;
    report = SolveLemke(M, q, max_pivots - spent, z, stop);
    report.pivots += spent;
    return report;
  }
  *z = exchanged;
  (*z)(guess) = (M_guess * exchanged + q_guess)(guess).cwiseMax(0.0);
  std::vector<int> active;
  for (int i = 0; i < z->size(); ++i) {
    if ((*z)[i] > 0) active.push_back(i);
  }
  Polish(M, q, active, z);
  return report;
}

}  // namespace saltus
