#include "saltus/linalg/rank.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"

namespace saltus {
namespace {

/// Orthonormal rows that grow one at a time. Each row is stored over the range of columns where it
/// is not zero; rows whose ranges do not meet are orthogonal at no cost.
class OrthonormalRows {
 public:
  /// Removes the span of the rows kept so far from `row`, a vector over all columns that vanishes
  /// outside [begin, end). Keeps what is left if it exceeds tolerance · |row|; tells whether it
  /// did.
  bool Add(int begin, int end, double tolerance, VectorX* row) {
    const double norm = row->norm();
    if (!(norm > 0)) return false;
    *row /= norm;
    Sweep(&begin, &end, row);
    // What is left after strong cancellation is cleaned once more: twice is enough.
    if (row->segment(begin, end - begin).norm() < 0.1) Sweep(&begin, &end, row);
    const double rest = row->norm();
    if (!(rest > tolerance)) return false;
    kept_.push_back({begin, row->segment(begin, end - begin) / rest});
    return true;
  }

 private:
  struct Kept {
    int begin;
    VectorX values;
    int end() const { return begin + static_cast<int>(values.size()); }
  };

  /// One Gram–Schmidt sweep; [begin, end) grows to the range of the result. The coefficients are
  /// taken from the row as it comes, so rows outside its range are skipped.
  void Sweep(int* begin, int* end, VectorX* row) {
    const int row_begin = *begin;
    const VectorX original = row->segment(row_begin, *end - row_begin);
    const int row_end = *end;
    for (const Kept& q : kept_) {
      const int first = std::max(row_begin, q.begin);
      const int count = std::min(row_end, q.end()) - first;
      if (count <= 0) continue;
      const double r =
          q.values.segment(first - q.begin, count).dot(original.segment(first - row_begin, count));
      if (r == 0) continue;
      row->segment(q.begin, q.values.size()) -= r * q.values;
      *begin = std::min(*begin, q.begin);
      *end = std::max(*end, q.end());
    }
  }

  std::vector<Kept> kept_;
};

}  // namespace

std::vector<int> FindRedundantRows(const SparseRows& G, const VectorX& s, double tolerance) {
  const int num_rows = static_cast<int>(G.rows());
  const int num_columns = static_cast<int>(G.cols());
  SALTUS_CHECK(s.size() == 0 || s.size() == num_columns, "one scale per column of G");

  // Columns are numbered as the rows meet them, which keeps the ranges of OrthonormalRows short.
  std::vector<int> position(num_columns, -1);
  int count = 0;
  for (int i = 0; i < num_rows; ++i) {
    for (SparseRows::InnerIterator it(G, i); it; ++it) {
      if (position[it.col()] < 0) position[it.col()] = count++;
    }
  }

  std::vector<int> redundant;
  OrthonormalRows kept;
  VectorX row(count);
  for (int i = 0; i < num_rows; ++i) {
    int begin = count;
    int end = 0;
    row.setZero();
    for (SparseRows::InnerIterator it(G, i); it; ++it) {
      const int k = position[it.col()];
      const double scale = s.size() > 0 && s[it.col()] > 0 ? 1 / std::sqrt(s[it.col()]) : 1;
      row[k] = it.value() * scale;
      begin = std::min(begin, k);
      end = std::max(end, k + 1);
    }
    if (!kept.Add(begin, end, tolerance, &row)) redundant.push_back(i);
  }
  return redundant;
}

std::vector<int> FindRedundantRows(const MatrixX& G, const VectorX& s, double tolerance) {
  const SparseRows sparse = G.sparseView();
  return FindRedundantRows(sparse, s, tolerance);
}

}  // namespace saltus
