// Anderson acceleration of a fixed-point iteration x ← g(x) [@cite WalkerNi2011].
//
//   f_k = g(x_k) − x_k,   γ = argmin ‖f_k − ΔF γ‖_w,   x_{k+1} = g(x_k) − ΔG γ                 (1)
//
// ΔF, ΔG hold the last m differences of f and g, w > 0 weighs the components. The least squares are
// solved by normal equations: the history is short, and an ill-conditioned history only shortens
// the benefit, since the caller judges what comes out.
//
// A companion y = L g(x) + const, with L unknown to this class, can be carried along: (1) applied
// to the differences of y gives L x_{k+1} + const without L. Its rounding errors are combined too
// and grow by up to 1 + 2 Σ|γ| in each step: the caller renews y before that matters.
#pragma once

#include <vector>

#include "saltus/base/types.h"

namespace saltus {

class Anderson {
 public:
  static constexpr int kMaxMemory = 10;

  /// Forgets the history. Allocates only if n or companion_size is larger than ever before.
  void Reset(int n, int memory, int companion_size = 0);
  /// Forgets the history, keeps the size.
  void Restart();
  /// From x_k and x_next = g(x_k) writes x_{k+1} into x_next.
  /// @param y  the companion of g(x_k), becomes that of x_{k+1}; ignored if its size is zero
  /// @return 1 + 2 Σ|γ|
  double Extrapolate(const double* x, const double* weights, double* x_next, double* y = nullptr);

 private:
  using Small = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMaxMemory, 1>;
  using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor,
                                    kMaxMemory, kMaxMemory>;

  /// Remembers the first x and g.
  void Start(const double* x, const double* g, const double* y);
  /// Adds the differences to the history and the products ΔFᵀ w f to gamma, in one pass.
  void AddDifferences(const double* x, const double* weights, const double* g, const double* y,
                      Small* gamma);

  std::ptrdiff_t n_ = 0, y_size_ = 0;
  int memory_ = 0;
  int count_ = 0;  // differences held
  int next_ = 0;   // where the next one goes
  bool has_last_ = false;
  std::vector<double> df_, dg_, dy_;  // one difference after the other
  std::vector<double> f_last_, g_last_, y_last_;
  SmallMatrix gram_;  // ΔFᵀ w ΔF
};

}  // namespace saltus
