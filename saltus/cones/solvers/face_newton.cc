#include "saltus/cones/solvers/face_newton.h"

#include <algorithm>
#include <cmath>

#include "saltus/cones/projections.h"

namespace saltus {
namespace {

constexpr double kRegularisation = 1e-10;
constexpr double kOnBoundary = 1 - 1e-12;  // |r_T| beyond this fraction of μ r_N slips.

}  // namespace

void FaceNewton::Prepare(const ConicProblem& problem) {
  size_ = problem.size();
  A_.resize(static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_));
  unit_.setZero(size_);
  for (int j = 0; j < size_; ++j) {
    unit_[j] = 1;
    problem.A->Multiply(unit_, &column_);
    unit_[j] = 0;
    for (int i = 0; i < size_; ++i) A_[i * size_ + j] = column_[i];
  }
}

void FaceNewton::AddUnit(int row) { unknowns_.push_back({row, 1, {1, 0, 0}, {1, 0, 0}, 0}); }

void FaceNewton::AddSlip(const Cone& cone, const double* u, const double* r) {
  const int d = cone.dimension;
  const double limit = cone.friction * r[0];
  Unknown normal{cone.offset, d, {1, 0, 0}, {1, 0, 0}, 0};  // (2)
  for (int i = 1; i < d; ++i) normal.direction[i] = limit > 0 ? r[i] / r[0] : 0.0;
  unknowns_.push_back(normal);
  if (d == 2 || !(limit > 0)) return;
  const double x = -r[2] / limit, y = r[1] / limit;  // d⊥
  const double kappa = CalcNorm(u + 1, 2) / limit;
  unknowns_.push_back({cone.offset, 3, {0, x, y}, {0, x, y}, kappa});  // (3)
}

void FaceNewton::CollectUnknowns(const ConicProblem& problem, const VectorX& u, const VectorX& r) {
  unknowns_.clear();
  for (const Cone& cone : problem.cones) {
    const int d = cone.dimension;
    const double* r_c = r.data() + cone.offset;
    bool free = true;
    switch (cone.kind) {
      case ConeKind::kFree:
        break;
      case ConeKind::kNonnegative:
        free = r_c[0] > 0;
        break;
      case ConeKind::kFriction:
        free = r_c[0] > 0 && CalcNorm(r_c + 1, d - 1) < kOnBoundary * cone.friction * r_c[0];
        if (!free && r_c[0] > 0) AddSlip(cone, u.data() + cone.offset, r_c);
        break;
      case ConeKind::kBox:
        free = CalcNorm(r_c, d) < kOnBoundary * CalcBoxBound(problem, cone, r.data());
        break;
    }
    for (int i = 0; free && i < d; ++i) AddUnit(cone.offset + i);  // (1)
  }
}

// Gaussian elimination with row pivoting of matrix_ x = rhs_; x replaces rhs_.
bool FaceNewton::SolveLinear(int size) {
  using Row = Eigen::Map<VectorX>;
  const auto row = [&](int i, int from) {
    return Row(matrix_.data() + i * size + from, size - from);
  };
  for (int k = 0; k < size; ++k) {
    int pivot = k;
    for (int i = k + 1; i < size; ++i) {
      if (std::abs(matrix_[i * size + k]) > std::abs(matrix_[pivot * size + k])) pivot = i;
    }
    if (!(std::abs(matrix_[pivot * size + k]) > 0)) return false;
    if (pivot != k) {
      row(k, k).swap(row(pivot, k));
      std::swap(rhs_[k], rhs_[pivot]);
    }
    const double reciprocal = 1 / matrix_[k * size + k];
    for (int i = k + 1; i < size; ++i) {
      const double factor = matrix_[i * size + k] * reciprocal;
      if (factor == 0) continue;
      row(i, k + 1) -= factor * row(k, k + 1);
      rhs_[i] -= factor * rhs_[k];
    }
  }
  for (int k = size - 1; k >= 0; --k) {
    double sum = rhs_[k];
    for (int j = k + 1; j < size; ++j) sum -= matrix_[k * size + j] * rhs_[j];
    rhs_[k] = sum / matrix_[k * size + k];
    if (!std::isfinite(rhs_[k])) return false;
  }
  return true;
}

bool FaceNewton::Step(const ConicProblem& problem, const VectorX& u, VectorX* r) {
  CollectUnknowns(problem, u, *r);
  const int n = static_cast<int>(unknowns_.size());
  if (n == 0) return false;
  product_.resize(static_cast<std::size_t>(size_) * static_cast<std::size_t>(n));
  for (int i = 0; i < size_; ++i) {
    const double* A_row = A_.data() + i * size_;
    for (int j = 0; j < n; ++j) {
      const Unknown& x = unknowns_[j];
      double sum = 0;
      for (int k = 0; k < x.dimension; ++k) sum += A_row[x.row + k] * x.direction[k];
      product_[i * n + j] = sum;
    }
  }
  matrix_.assign(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 0.0);
  rhs_.assign(static_cast<std::size_t>(n), 0.0);
  for (int i = 0; i < n; ++i) {
    const Unknown& x = unknowns_[i];
    for (int k = 0; k < x.dimension; ++k) {
      if (x.equation[k] == 0) continue;
      Eigen::Map<VectorX>(matrix_.data() + i * n, n) +=
          x.equation[k] * Eigen::Map<const VectorX>(product_.data() + (x.row + k) * n, n);
      rhs_[i] -= x.equation[k] * u[x.row + k];
    }
    double& diagonal = matrix_[i * n + i];
    diagonal += x.stiffness + kRegularisation * std::abs(diagonal);
  }
  if (!SolveLinear(n)) return false;
  for (int i = 0; i < n; ++i) {
    const Unknown& x = unknowns_[i];
    for (int k = 0; k < x.dimension; ++k) (*r)[x.row + k] += rhs_[i] * x.direction[k];
  }
  return true;
}

}  // namespace saltus
