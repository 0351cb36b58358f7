#include "saltus/cones/solvers/anderson.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

namespace saltus {
namespace {

constexpr double kRegularisation = 1e-12;  // Relative, of the normal equations.

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
  f_.resize(size);
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

double Anderson::Extrapolate(const VectorX& x, const VectorX& weights, VectorX* x_next, double* y) {
  Eigen::Map<VectorX> f(f_.data(), n_), f_last(f_last_.data(), n_), g_last(g_last_.data(), n_);
  Eigen::Map<VectorX> y_last(y_last_.data(), y_size_), companion(y, y_size_);
  f = *x_next - x;
  if (has_last_) {
    df(next_) = f - f_last;
    dg(next_) = *x_next - g_last;
    dy(next_) = companion - y_last;
    count_ = std::min(count_ + 1, memory_);
    g_last = weights.array() * df(next_).array();  // scratch until it is set below
    for (int i = 0; i < count_; ++i) gram_(i, next_) = gram_(next_, i) = df(i).dot(g_last);
    next_ = (next_ + 1) % memory_;
  }
  f_last = f;
  g_last = *x_next;
  y_last = companion;
  has_last_ = true;
  if (count_ == 0) return 1;

  f.array() *= weights.array();
  Small gamma(count_);
  for (int i = 0; i < count_; ++i) gamma[i] = df(i).dot(f);
  SmallMatrix normal = gram_.topLeftCorner(count_, count_);
  normal.diagonal() *= 1 + kRegularisation;
  gamma = normal.ldlt().solve(gamma).eval();
  if (!gamma.allFinite()) {
    Restart();
    return 1;
  }
  for (int i = 0; i < count_; ++i) {  // (1)
    *x_next -= gamma[i] * dg(i);
    companion -= gamma[i] * dy(i);
  }
  return 1 + 2 * gamma.lpNorm<1>();
}

}  // namespace saltus
