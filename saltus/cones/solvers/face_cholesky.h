// The preconditioner of projected_cg.h where plain steps crawl: a sparse factorisation on the face
// of an iterate,
//
//   z_F = (D^-½ (A + C) D^-½ + ε I)_FF⁻¹ φ_F = L⁻ᵀ Δ⁻¹ L⁻¹ φ_F,     z = 0 elsewhere            (1)
//
// in an order of minimum degree. Only contacts that carry a load are in F; of a packing of spheres
// without friction they are hardly more than its degrees of freedom, and L remains sparse. ε > 0
// where contacts are redundant. Rows that have left the face since are projected out of φ and z,
// which leaves (1) symmetric: each costs about one more step.
#pragma once

#include <vector>

#include <Eigen/SparseCholesky>

#include "saltus/cones/block_sparse_delassus.h"
#include "saltus/cones/conic_problem.h"

namespace saltus {

class FaceCholesky {
 public:
  /// Copies the operator if it is not stored by blocks. The problem must outlive the calls.
  void Prepare(const ConicProblem& problem);
  /// @param scale  diagonal of D^-½, 0: a row to leave out
  /// @param free  whether a row is in F
  /// @return false if L would be too large, or (1) is not positive definite to rounding
  bool Factor(const VectorX& scale, const std::vector<bool>& free);
  /// (1), with φ = 0 on rows that are not in F now.
  void Solve(const VectorX& phi, VectorX* z);

 private:
  using Sparse = Eigen::SparseMatrix<double>;
  /// Tells the size of L when the pattern is known, before L is computed.
  struct Factors : Eigen::SimplicialLDLT<Sparse> {
    double CountEntries() const { return m_matrix.outerIndexPtr()[m_matrix.outerSize()]; }
  };

  const BlockSparseDelassus* A_ = nullptr;
  BlockSparseDelassus storage_;
  std::vector<int> rows_;   // of F
  std::vector<int> place_;  // in F of each row, −1: none
  Sparse matrix_;           // lower triangle
  Factors factors_;
  VectorX packed_;
};

}  // namespace saltus
