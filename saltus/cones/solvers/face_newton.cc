#include "saltus/cones/solvers/face_newton.h"

#include <algorithm>
#include <cmath>

#include "saltus/cones/friction_groups.h"

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
    if (problem.compliance.size() > 0) column_[j] += problem.compliance[j];
    for (int i = 0; i < size_; ++i) A_[i * size_ + j] = column_[i];
  }
}

void FaceNewton::AddUnit(int row) { unknowns_.push_back({row, 1, {1}, {1}, 0}); }

// A loaded frictional block: (1) for the groups that stick, (2) and (3) for those that slip.
void FaceNewton::AddFriction(const Cone& cone, const double* u, const double* r) {
  Unknown normal{cone.offset, 1, {1}, {1}, 0};  // (2)
  const FrictionGroups groups = ListGroups(cone);
  const auto slips = [&](const FrictionGroup& k) {
    return CalcNorm(r + k.first, k.dimension) >= kOnBoundary * k.coefficient * r[0];
  };
  for (const FrictionGroup& k : groups) {
    if (!slips(k)) continue;
    normal.dimension = cone.dimension;
    for (int i = k.first; i < k.first + k.dimension && k.coefficient > 0; ++i) {
      normal.direction[i] = r[i] / r[0];
    }
  }
  unknowns_.push_back(normal);
  for (const FrictionGroup& k : groups) {
    const double limit = k.coefficient * r[0];
    if (!slips(k)) {
      for (int i = 0; i < k.dimension; ++i) AddUnit(cone.offset + k.first + i);  // (1)
    } else if (k.dimension == 2 && limit > 0) {
      const double x = -r[k.first + 1] / limit, y = r[k.first] / limit;  // d⊥
      const double kappa = CalcNorm(u + k.first, 2) / limit;
      unknowns_.push_back({cone.offset + k.first, 2, {x, y}, {x, y}, kappa});  // (3)
    }
  }
}

void FaceNewton::CollectUnknowns(const ConicProblem& problem, const double* u, const double* r) {
  unknowns_.clear();
  for (const Cone& cone : problem.cones) {
    const int d = cone.dimension;
    const double* r_c = r + cone.offset;
    bool free = true;
    switch (cone.kind) {
      case ConeKind::kFree:
        break;
      case ConeKind::kNonnegative:
        free = r_c[0] > 0;
        break;
      case ConeKind::kFriction:
      case ConeKind::kRollingFriction:
        free = false;
        if (r_c[0] > 0) AddFriction(cone, u + cone.offset, r_c);
        break;
      case ConeKind::kPolyhedralFriction:
        free = false;
        break;
      case ConeKind::kBox:
        free = CalcNorm(r_c, d) < kOnBoundary * CalcBoxBound(problem, cone, r);
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

bool FaceNewton::Step(const ConicProblem& problem, const double* u, double* r) {
  for (const Cone& cone : problem.cones) {  // Their faces are others than (1) to (3).
    if (cone.associated || cone.kind == ConeKind::kPolyhedralFriction) return false;
  }
  CollectUnknowns(problem, u, r);
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
    for (int k = 0; k < x.dimension; ++k) r[x.row + k] += rhs_[i] * x.direction[k];
  }
  return true;
}

}  // namespace saltus
