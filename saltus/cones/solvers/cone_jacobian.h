// The linear systems of Newton's method on the laws of cone_equations.h:
//
//   (A_F + B_F (A + αI)) δ = −F,     A_F, B_F block diagonal, dF = A_F dr + B_F du             (1)
//
// α ≥ 0 (a velocity per impulse) regularises a singular Delassus matrix A: with the present iterate
// as the centre this is a step of the proximal-point method [@cite Rockafellar1976], which leaves
// the solution where it is. Open blocks (A_F = I, B_F = 0) are eliminated beforehand. What remains
// is factorised by dense LU if it is small or nearly full, else by sparse LU in an order of minimum
// degree.
#pragma once

#include <memory>
#include <vector>

#include "saltus/cones/block_sparse_delassus.h"
#include "saltus/cones/solvers/cone_equations.h"
#include "saltus/linalg/lu.h"

namespace saltus {

class ConeJacobian {
 public:
  /// Solves (1). @param scale  α of each block. False if the matrix is singular to rounding.
  bool Solve(const BlockSparseDelassus& A, const std::vector<BlockEquation>& equations,
             const std::vector<double>& alpha, VectorX* step);

 private:
  void NumberUnknowns(const BlockSparseDelassus& A, const std::vector<BlockEquation>& equations,
                      VectorX* step);
  void Assemble(const BlockSparseDelassus& A, const std::vector<BlockEquation>& equations,
                const std::vector<double>& alpha, const VectorX& step);
  bool SolveDense();
  bool SolveSparse(const BlockSparseDelassus& A);
  std::vector<int> OrderUnknowns(const BlockSparseDelassus& A) const;

  std::vector<int> active_;    // blocks that stay, ascending
  std::vector<int> position_;  // first unknown of a block, or −1
  std::vector<int> count_;     // entries of each column while assembling
  std::vector<int> column_begin_, row_index_;
  std::vector<double> values_;
  VectorX rhs_;
  MatrixX dense_;
};

}  // namespace saltus
