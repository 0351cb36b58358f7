// LU factorisations with one interface: factor in place of the last one, solve in place, no heap
// traffic once the first factorisation is done.
#pragma once

#include <memory>
#include <vector>

#include "saltus/base/types.h"

namespace saltus {

/// A⁻¹ → inverse for one small n × n matrix, column major, by Gauss–Jordan elimination with row
/// pivoting. False if a pivot is lost to rounding (relative to its column) or not finite.
bool InvertSmallMatrix(int n, const double* A, double* inverse);

/// A square matrix in compressed columns with a fixed pattern.
struct CompressedColumns {
  const std::vector<int>& column_begin;
  const std::vector<int>& row_index;
  const std::vector<double>& values;
  int size() const { return static_cast<int>(column_begin.size()) - 1; }
};

/// Dense LU with partial pivoting.
class DenseLu {
 public:
  explicit DenseLu(int size);
  ~DenseLu();
  /// False if singular to rounding.
  bool Factor(const CompressedColumns& A);
  /// z ← A⁻¹ z.
  void SolveInPlace(VectorX* z);

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

/// Sparse LU (KLU) in a given order, with pivoting only where the diagonal is small; further
/// factorisations keep the pivots as long as they remain good. @cite DavisPalamadaiNatarajan2010
class SparseLu {
 public:
  /// @param order  the unknowns in the order of elimination
  SparseLu(const CompressedColumns& A, const std::vector<int>& order);
  ~SparseLu();
  /// False if singular to rounding.
  bool Factor(const CompressedColumns& A);
  /// Chooses new pivots. False if singular to rounding.
  bool FactorWithFreshPivots(const CompressedColumns& A);
  bool has_fresh_pivots() const { return fresh_pivots_; }
  void SolveInPlace(VectorX* z);

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
  bool fresh_pivots_ = false;
};

}  // namespace saltus
