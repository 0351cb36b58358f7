#include "saltus/dae/dense_saddle.h"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

/// A pivot below this share of the largest entry (about 1 after scaling) is rounding.
constexpr double kSmallestPivot = 1e-13;

/// The power of two next to x^{−½}; 1 if x is not positive.
double InverseRoot(double x) {
  if (!(x > 0) || !std::isfinite(x)) return 1;
  return std::exp2(-std::round(0.5 * std::log2(x)));
}

}  // namespace

void DenseSaddle::Start(const BlockMatrix& S, const SparseRows& G) {
  const BlockPattern& pattern = S.pattern();
  n_ = pattern.num_dofs();
  m_ = static_cast<int>(G.rows());
  const std::size_t size = static_cast<std::size_t>(n_ + m_);
  scale_.assign(size, 1);
  A_.resize(size * size);
  pivot_.resize(size);
  z_.resize(size);
  for (int b = 0; b < pattern.num_blocks(); ++b) {
    const auto block = S.block(pattern.FindSlot(b, b));
    for (int j = 0; j < pattern.size(b); ++j) {
      scale_[static_cast<std::size_t>(pattern.offset(b) + j)] = InverseRoot(block(j, j));
    }
  }
  for (int i = 0; i < m_; ++i) {
    double square = 0;
    for (SparseRows::InnerIterator entry(G, i); entry; ++entry) {
      const double value = entry.value() * scale_[static_cast<std::size_t>(entry.col())];
      square += value * value;
    }
    scale_[static_cast<std::size_t>(n_ + i)] = InverseRoot(square);
  }
}

bool DenseSaddle::Factor(const BlockMatrix& S, const SparseRows& G, const SparseRows& L) {
  const int size = n_ + m_;
  const BlockPattern& pattern = S.pattern();
  const double* p = scale_.data();
  double* A = A_.data();
  std::fill(A_.begin(), A_.end(), 0);
  for (int s = 0; s < pattern.num_slots(); ++s) {
    const auto [row, column] = pattern.slot(s);
    const int i0 = pattern.offset(row), j0 = pattern.offset(column);
    const auto block = S.block(s);
    for (int j = 0; j < block.cols(); ++j) {
      for (int i = 0; i < block.rows(); ++i) {
        A[(i0 + i) * size + j0 + j] = p[i0 + i] * p[j0 + j] * block(i, j);
      }
    }
  }
  for (int i = 0; i < m_; ++i) {
    for (SparseRows::InnerIterator entry(G, i); entry; ++entry) {
      const int j = static_cast<int>(entry.col());
      A[j * size + n_ + i] = -p[j] * p[n_ + i] * entry.value();
    }
    for (SparseRows::InnerIterator entry(L, i); entry; ++entry) {
      const int j = static_cast<int>(entry.col());
      A[(n_ + i) * size + j] = p[j] * p[n_ + i] * entry.value();
    }
  }
  for (int k = 0; k < size; ++k) {
    int best = k;
    for (int i = k + 1; i < size; ++i) {
      if (std::abs(A[i * size + k]) > std::abs(A[best * size + k])) best = i;
    }
    pivot_[static_cast<std::size_t>(k)] = best;
    if (!(std::abs(A[best * size + k]) > kSmallestPivot) || !std::isfinite(A[best * size + k])) {
      return false;
    }
    if (best != k) std::swap_ranges(A + k * size, A + (k + 1) * size, A + best * size);
    const double inverse = 1 / A[k * size + k];
    for (int i = k + 1; i < size; ++i) {
      const double factor = A[i * size + k] *= inverse;
      if (factor == 0) continue;
      for (int j = k + 1; j < size; ++j) A[i * size + j] -= factor * A[k * size + j];
    }
  }
  return true;
}

void DenseSaddle::Solve(const VectorX& f, const VectorX& c, VectorX* x, VectorX* lambda) {
  const int size = n_ + m_;
  const double* p = scale_.data();
  const double* A = A_.data();
  double* z = z_.data();
  for (int i = 0; i < n_; ++i) z[i] = p[i] * f[i];
  for (int i = 0; i < m_; ++i) z[n_ + i] = p[n_ + i] * c[i];
  for (int k = 0; k < size; ++k) std::swap(z[k], z[pivot_[static_cast<std::size_t>(k)]]);
  for (int i = 1; i < size; ++i) {
    for (int j = 0; j < i; ++j) z[i] -= A[i * size + j] * z[j];
  }
  for (int i = size - 1; i >= 0; --i) {
    for (int j = i + 1; j < size; ++j) z[i] -= A[i * size + j] * z[j];
    z[i] /= A[i * size + i];
  }
  x->resize(n_);
  lambda->resize(m_);
  for (int i = 0; i < n_; ++i) (*x)[i] = p[i] * z[i];
  for (int i = 0; i < m_; ++i) (*lambda)[i] = p[n_ + i] * z[n_ + i];
}

}  // namespace saltus
