#include "saltus/cones/solvers/anderson.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

namespace saltus {
namespace {

constexpr double kRegularisation = 1e-12;  // Relative, of the normal equations.

}  // namespace

void Anderson::Reset(int n, int memory) {
  n_ = n;
  memory_ = std::clamp(memory, 1, kMaxMemory);
  const std::size_t size = static_cast<std::size_t>(n);
  df_.resize(size * static_cast<std::size_t>(memory_));
  dg_.resize(size * static_cast<std::size_t>(memory_));
  f_.resize(size);
  f_last_.resize(size);
  g_last_.resize(size);
  gram_.setZero(memory_, memory_);
  Restart();
}

void Anderson::Restart() {
  count_ = next_ = 0;
  has_last_ = false;
}

double Anderson::Extrapolate(const VectorX& x, const VectorX& weights, VectorX* x_next) {
  Eigen::Map<VectorX> f(f_.data(), n_), f_last(f_last_.data(), n_), g_last(g_last_.data(), n_);
  f = *x_next - x;
  const double norm = std::sqrt((weights.array() * f.array().square()).sum());
  if (has_last_) {
    df(next_) = f - f_last;
    dg(next_) = *x_next - g_last;
    count_ = std::min(count_ + 1, memory_);
    for (int i = 0; i < count_; ++i) {
      gram_(i, next_) = gram_(next_, i) =
          (weights.array() * df(i).array() * df(next_).array()).sum();
    }
    next_ = (next_ + 1) % memory_;
  }
  f_last = f;
  g_last = *x_next;
  has_last_ = true;
  if (count_ == 0) return norm;

  Small gamma(count_);
  for (int i = 0; i < count_; ++i) {
    gamma[i] = (weights.array() * df(i).array() * f.array()).sum();
  }
  SmallMatrix normal = gram_.topLeftCorner(count_, count_);
  normal.diagonal() *= 1 + kRegularisation;
  gamma = normal.ldlt().solve(gamma).eval();
  if (!gamma.allFinite()) {
    Restart();
    return norm;
  }
  for (int i = 0; i < count_; ++i) *x_next -= gamma[i] * dg(i);  // (1)
  return norm;
}

}  // namespace saltus
