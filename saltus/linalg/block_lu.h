// Multifrontal LU of block matrices with a symmetric pattern: for graphs in space (contact networks
// of rigid bodies), whose fill makes dense kernels worth while.
//
// Blocks are eliminated in an order of minimum degree [@cite AmestoyDavisDuff1996]. Those of
// (nearly) equal structure share a front, the dense matrix of their unknowns 1 and of those 2 that
// remain and are coupled with them,
//
//   F = [F11 F12; F21 F22],   P F11 = L U,   update = F22 − (F21 U⁻¹)(L⁻¹P F12)                (1)
//
// in which the updates of its children in the elimination tree have been added up; its own update
// goes to the parent [@cite DuffReid1983]. Pivots are chosen within F11 only: enough where the
// symmetric part is positive definite or nearly so. A lost pivot is reported.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <Eigen/LU>

#include "saltus/linalg/block_matrix.h"

namespace saltus {

class BlockLu {
 public:
  /// Orders the blocks and plans the fronts; to be repeated only for another pattern.
  void Analyze(std::shared_ptr<const BlockPattern> pattern);
  /// False if a pivot is zero or not finite.
  bool Factor(const BlockMatrix& A);
  /// x ← A⁻¹ x.
  void SolveInPlace(VectorX* x);

  /// Multiplications of a factorisation, and numbers in L and U, both known after Analyze.
  double flops() const { return flops_; }
  double num_factor_entries() const { return entries_; }

 private:
  struct Front {
    std::vector<int> own, rest;          // blocks 1 and 2 of (1)
    std::vector<int> children;           // fronts
    std::vector<int> slots;              // of A, whose entries enter here, …
    std::vector<std::array<int, 2>> at;  // … and their row and column in F
    std::vector<int> parent_row;         // of each block of `rest`, in F of the parent
    int num_own = 0, num_rest = 0;       // degrees of freedom
    Eigen::PartialPivLU<MatrixX> lu;     // of F11
    MatrixX upper, lower, update;        // L⁻¹P F12, F21 U⁻¹, and what the parent needs
  };

  void PlaceEntries();
  void Assemble(const BlockMatrix& A, const Front& front);
  bool Eliminate(Front* front);
  void Gather(const std::vector<int>& blocks, int size, const VectorX& x, VectorX* part) const;
  void Scatter(const std::vector<int>& blocks, const VectorX& part, VectorX* x) const;

  std::shared_ptr<const BlockPattern> pattern_;
  std::vector<Front> fronts_;  // children before parents
  MatrixX F_;
  VectorX own_, rest_;
  double flops_ = 0, entries_ = 0;
};

}  // namespace saltus
