#include "saltus/cones/solvers/disc_block.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "saltus/cones/solvers/coulomb_block.h"

namespace saltus {

void DiscBlock::Factor(const Matrix& W) {
  const Matrix symmetric = 0.5 * (W + W.transpose());
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(symmetric);
  basis_ = eigen.eigenvectors();
  const double mean = W.trace() / static_cast<double>(W.rows());
  eigenvalues_ = eigen.eigenvalues();
  if (eigenvalues_[0] < kSingularBlock * mean) eigenvalues_.array() += kSingularBlock * mean;
  eigenvalues_ = eigenvalues_.cwiseMax(kSingularBlock * mean);
}

DiscBlock::Vector DiscBlock::Solve(const Vector& u, const Vector& r, double radius) const {
  const Vector q = basis_.transpose() * u - eigenvalues_.cwiseProduct(basis_.transpose() * r);
  Vector x = -q.cwiseQuotient(eigenvalues_);
  if (x.norm() <= radius) return basis_ * x;
  if (!(radius > 0)) return Vector::Zero(q.size());
  double sigma = 0;
  for (int pass = 0; pass < 50; ++pass) {
    const double norm = x.norm();
    const double rise = x.cwiseAbs2().cwiseQuotient((eigenvalues_.array() + sigma).matrix()).sum();
    const double step = (norm / radius - 1) * norm * norm / rise;  // Newton for 1/|r| = 1/s.
    if (!(step > 1e-16 * sigma)) break;
    sigma += step;
    x = -q.cwiseQuotient((eigenvalues_.array() + sigma).matrix());  // (2)
  }
  return basis_ * (x * (radius / x.norm()));
}

}  // namespace saltus
