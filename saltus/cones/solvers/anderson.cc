#include "saltus/cones/solvers/anderson.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

namespace saltus {
namespace {

constexpr double kRegularisation = 1e-12;  // Relative, of the normal equations.
// Rows that one pass works on at a time: all they need stays in the first-level cache, and every
// vector is read from memory once.
constexpr std::ptrdiff_t kChunk = 256;

using Map = Eigen::Map<VectorX>;
using ConstMap = Eigen::Map<const VectorX>;

}  // namespace

void Anderson::Reset(int n, int memory, int companion_size) {
  n_ = n;
  y_size_ = companion_size;
  memory_ = std::clamp(memory, 1, kMaxMemory);
  const std::size_t size = static_cast<std::size_t>(n);
  const std::size_t y_size = static_cast<std::size_t>(companion_size);
  df_.resize(size * static_cast<std::size_t>(memory_));
  dg_.resize(size * static_cast<std::size_t>(memory_));
  dy_.resize(y_size * static_cast<std::size_t>(memory_));
  f_last_.resize(size);
  g_last_.resize(size);
  y_last_.resize(y_size);
  gram_.setZero(memory_, memory_);
  Restart();
}

void Anderson::Restart() {
  count_ = next_ = 0;
  has_last_ = false;
}

void Anderson::Start(const double* x, const double* g, const double* y) {
  for (std::ptrdiff_t i = 0; i < n_; ++i) f_last_[i] = g[i] - x[i];
  std::copy_n(g, n_, g_last_.data());
  std::copy_n(y, y_size_, y_last_.data());
  has_last_ = true;
}

void Anderson::AddDifferences(const double* x, const double* weights, const double* g,
                              const double* y, Small* gamma) {
  count_ = std::min(count_ + 1, memory_);
  Small gram = Small::Zero(count_);
  gamma->setZero(count_);
  alignas(64) double buffers[3][kChunk];
  for (std::ptrdiff_t i = 0; i < n_; i += kChunk) {
    const std::ptrdiff_t m = std::min(kChunk, n_ - i);
    const ConstMap w(weights + i, m), now(g + i, m);
    Map df(df_.data() + next_ * n_ + i, m), dg(dg_.data() + next_ * n_ + i, m);
    Map f_last(f_last_.data() + i, m), g_last(g_last_.data() + i, m);
    Map f(buffers[0], m), f_weighted(buffers[1], m), df_weighted(buffers[2], m);
    f = now - ConstMap(x + i, m);
    df = f - f_last;
    dg = now - g_last;
    f_last = f;
    g_last = now;
    f_weighted = w.cwiseProduct(f);
    df_weighted = w.cwiseProduct(df);
    for (int j = 0; j < count_; ++j) {
      const ConstMap other(df_.data() + j * n_ + i, m);
      gram[j] += other.dot(df_weighted);
      (*gamma)[j] += other.dot(f_weighted);
    }
  }
  Map dy(dy_.data() + next_ * y_size_, y_size_), y_last(y_last_.data(), y_size_);
  dy = ConstMap(y, y_size_) - y_last;
  y_last = ConstMap(y, y_size_);
  gram_.col(next_).head(count_) = gram;
  gram_.row(next_).head(count_) = gram.transpose();
  next_ = (next_ + 1) % memory_;
}

double Anderson::Extrapolate(const double* x, const double* weights, double* x_next, double* y) {
  if (!has_last_) {
    Start(x, x_next, y);
    return 1;
  }
  Small gamma;
  AddDifferences(x, weights, x_next, y, &gamma);
  SmallMatrix normal = gram_.topLeftCorner(count_, count_);
  normal.diagonal() *= 1 + kRegularisation;
  gamma = normal.ldlt().solve(gamma).eval();
  if (!gamma.allFinite()) {
    Restart();
    return 1;
  }
  for (std::ptrdiff_t i = 0; i < n_; i += kChunk) {  // (1)
    Map part(x_next + i, std::min(kChunk, n_ - i));
    for (int j = 0; j < count_; ++j) {
      part -= gamma[j] * ConstMap(dg_.data() + j * n_ + i, part.size());
    }
  }
  for (int j = 0; j < count_; ++j) {
    Map(y, y_size_) -= gamma[j] * ConstMap(dy_.data() + j * y_size_, y_size_);
  }
  return 1 + 2 * gamma.lpNorm<1>();
}

}  // namespace saltus
