#include "saltus/linalg/flexible_gmres.h"

#include <cmath>

namespace saltus {

FlexibleGmres::FlexibleGmres(int size, int max_corrections)
    : v_(size, max_corrections + 1),
      z_(size, max_corrections),
      R_(max_corrections, max_corrections),
      g_(max_corrections + 1),
      c_(max_corrections),
      s_(max_corrections),
      h_(max_corrections + 1) {}

void FlexibleGmres::Start(const VectorX& r) {
  count_ = 0;
  g_.setZero();
  R_.setZero();
  g_[0] = r.norm();
  v_.col(0) = r / g_[0];
}

double FlexibleGmres::Add(const VectorX& z, VectorX* A_z) {
  const int k = count_;
  z_.col(k) = z;
  const double image = A_z->norm();
  for (int i = 0; i <= k; ++i) {
    h_[i] = v_.col(i).dot(*A_z);
    *A_z -= h_[i] * v_.col(i);
  }
  const double rest = A_z->norm();
  if (rest > 0) {
    v_.col(k + 1) = *A_z / rest;
  } else {
    v_.col(k + 1).setZero();
  }

  for (int i = 0; i < k; ++i) {
    const double upper = c_[i] * h_[i] + s_[i] * h_[i + 1];
    h_[i + 1] = c_[i] * h_[i + 1] - s_[i] * h_[i];
    h_[i] = upper;
  }
  const double length = std::hypot(h_[k], rest);
  c_[k] = length > 0 ? h_[k] / length : 0;  // A z_k = 0 leaves the residual as it is.
  s_[k] = length > 0 ? rest / length : 1;
  h_[k] = length;
  R_.col(k).head(k + 1) = h_.head(k + 1);
  g_[k + 1] = -s_[k] * g_[k];
  g_[k] = c_[k] * g_[k];
  ++count_;
  return image;
}

void FlexibleGmres::AddSolution(VectorX* y) {
  for (int k = count_ - 1; k >= 0; --k) {
    double sum = g_[k];
    for (int j = k + 1; j < count_; ++j) sum -= R_(k, j) * h_[j];
    h_[k] = R_(k, k) > 0 ? sum / R_(k, k) : 0;
  }
  for (int k = 0; k < count_; ++k) *y += h_[k] * z_.col(k);
}

}  // namespace saltus
