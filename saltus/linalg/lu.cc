#include "saltus/linalg/lu.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <klu.h>

#include "saltus/base/error.h"

namespace saltus {
namespace {

/// A pivot this small beside the largest is what rounding leaves of zero.
constexpr double kLostPivot = 1e-15;

/// Gauss–Jordan in place; N > 0 fixes the size at compile time. `swaps` and `column` hold n items.
template <int N>
bool InvertInPlace(int n_dynamic, double* a, int* swaps, double* column) {
  const int n = N > 0 ? N : n_dynamic;
  for (int k = 0; k < n; ++k) {
    double* a_k = a + k * n;
    int pivot_row = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(a_k[i]) > std::abs(a_k[pivot_row])) pivot_row = i;
    }
    swaps[k] = pivot_row;
    if (pivot_row != k) {
      for (int j = 0; j < n; ++j) std::swap(a[j * n + k], a[j * n + pivot_row]);
    }
    const double pivot = a_k[k];
    double largest = 0;
    for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(a_k[i]));
    // The second test is false for NaN too.
    if (std::abs(pivot) <= kLostPivot * largest || !(std::abs(pivot) < HUGE_VAL)) return false;

    const double inverse_pivot = 1 / pivot;
    for (int i = 0; i < n; ++i) column[i] = a_k[i];
    for (int i = 0; i < n; ++i) a_k[i] = 0;
    a_k[k] = 1;
    column[k] = 0;
    for (int j = 0; j < n; ++j) {
      double* a_j = a + j * n;
      const double multiplier = a_j[k] * inverse_pivot;
      for (int i = 0; i < n; ++i) a_j[i] -= column[i] * multiplier;
      a_j[k] = multiplier;
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    if (swaps[k] != k) std::swap_ranges(a + k * n, a + k * n + n, a + swaps[k] * n);
  }
  return true;
}

}  // namespace

bool InvertSmallMatrix(int n, const double* A, double* inverse) {
  std::copy(A, A + n * n, inverse);
  constexpr int kMaxOnStack = 24;
  int swaps[kMaxOnStack];
  double column[kMaxOnStack];
  switch (n) {
    case 3:
      return InvertInPlace<3>(n, inverse, swaps, column);
    case 6:
      return InvertInPlace<6>(n, inverse, swaps, column);
    default:
      break;
  }
  if (n <= kMaxOnStack) return InvertInPlace<0>(n, inverse, swaps, column);
  std::vector<int> many_swaps(n);
  std::vector<double> long_column(n);
  return InvertInPlace<0>(n, inverse, many_swaps.data(), long_column.data());
}

struct DenseLu::Factors {
  MatrixX matrix;
  Eigen::PartialPivLU<MatrixX> lu;
  VectorX work;
};

DenseLu::DenseLu(int size) : factors_(std::make_unique<Factors>()) {
  factors_->matrix = MatrixX::Zero(size, size);
  factors_->lu = Eigen::PartialPivLU<MatrixX>(size);
  factors_->work = VectorX::Zero(size);
}

DenseLu::~DenseLu() = default;

bool DenseLu::Factor(const CompressedColumns& A) {
  factors_->matrix.setZero();
  for (int j = 0; j < A.size(); ++j) {
    for (int k = A.column_begin[j]; k < A.column_begin[j + 1]; ++k) {
      factors_->matrix(A.row_index[k], j) = A.values[k];
    }
  }
  factors_->lu.compute(factors_->matrix);
  double smallest = HUGE_VAL;
  double largest = 0;
  for (int j = 0; j < A.size(); ++j) {
    const double pivot = std::abs(factors_->lu.matrixLU()(j, j));
    if (!(pivot < HUGE_VAL)) return false;
    smallest = std::min(smallest, pivot);
    largest = std::max(largest, pivot);
  }
  return A.size() == 0 || smallest > kLostPivot * largest;
}

void DenseLu::SolveInPlace(VectorX* z) {
  VectorX& work = factors_->work;
  work.noalias() = factors_->lu.permutationP() * *z;
  factors_->lu.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(work);
  factors_->lu.matrixLU().triangularView<Eigen::Upper>().solveInPlace(work);
  *z = work;
}

struct SparseLu::Factors {
  klu_common common;
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
  double fresh_growth = 0;  // reciprocal pivot growth when the pivots were chosen

  ~Factors() {
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
  }
};

namespace {

// KLU takes pointers to non-const and does not write to the matrix.
int* Ints(const std::vector<int>& v) { return const_cast<int*>(v.data()); }
double* Doubles(const std::vector<double>& v) { return const_cast<double*>(v.data()); }

}  // namespace

SparseLu::SparseLu(const CompressedColumns& A, const std::vector<int>& order)
    : factors_(std::make_unique<Factors>()) {
  klu_defaults(&factors_->common);
  factors_->common.btf = 0;     // The pattern is symmetric and connected: one block.
  factors_->common.scale = -1;  // The matrix comes scaled, and checked.
  factors_->symbolic = klu_analyze_given(A.size(), Ints(A.column_begin), Ints(A.row_index),
                                         Ints(order), Ints(order), &factors_->common);
  SALTUS_CHECK(factors_->symbolic != nullptr, "sparse LU: the pattern is not valid");
}

SparseLu::~SparseLu() = default;

bool SparseLu::FactorWithFreshPivots(const CompressedColumns& A) {
  Factors& f = *factors_;
  fresh_pivots_ = true;
  klu_free_numeric(&f.numeric, &f.common);
  f.numeric =
      klu_factor(Ints(A.column_begin), Ints(A.row_index), Doubles(A.values), f.symbolic, &f.common);
  if (f.numeric == nullptr) return false;
  klu_rgrowth(Ints(A.column_begin), Ints(A.row_index), Doubles(A.values), f.symbolic, f.numeric,
              &f.common);
  f.fresh_growth = f.common.rgrowth;
  klu_rcond(f.symbolic, f.numeric, &f.common);
  return f.common.rcond > kLostPivot;  // false for NaN
}

bool SparseLu::Factor(const CompressedColumns& A) {
  Factors& f = *factors_;
  if (f.numeric == nullptr) return FactorWithFreshPivots(A);
  fresh_pivots_ = false;
  // Elements that have grown a hundredfold beside the fresh factorisation cost two digits.
  constexpr double kMaxGrowth = 100;
  const bool done = klu_refactor(Ints(A.column_begin), Ints(A.row_index), Doubles(A.values),
                                 f.symbolic, f.numeric, &f.common) != 0 &&
                    f.common.status == KLU_OK &&
                    klu_rgrowth(Ints(A.column_begin), Ints(A.row_index), Doubles(A.values),
                                f.symbolic, f.numeric, &f.common) != 0 &&
                    f.common.rgrowth * kMaxGrowth >= f.fresh_growth &&
                    klu_rcond(f.symbolic, f.numeric, &f.common) != 0 && f.common.rcond > kLostPivot;
  return done || FactorWithFreshPivots(A);
}

void SparseLu::SolveInPlace(VectorX* z) {
  klu_solve(factors_->symbolic, factors_->numeric, factors_->symbolic->n, 1, z->data(),
            &factors_->common);
}

}  // namespace saltus
