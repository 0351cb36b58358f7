// Dense solve of one small saddle-point system, for mechanisms of a few bodies:
//
//   [S −Gᵀ; L 0] [x; λ] = [f; c],      L near G, both of full rank                             (1)
//
// LU with row pivoting in place. Columns and rows are scaled by powers of two near S_jj^{−½} and
// (G S⁻¹Gᵀ)_ii^{−½} of the first matrix, so that units do not decide on pivots. Against KktSolver,
// which bears redundant rows and any size, a stage of a four-bar linkage takes a third of the time
// (verification/dae_study.cc).
#pragma once

#include <vector>

#include "saltus/base/types.h"
#include "saltus/linalg/block_matrix.h"

namespace saltus {

class DenseSaddle {
 public:
  /// Above this n + m a sparse solver is faster.
  static constexpr int kMaxSize = 24;

  /// Sizes and scales, from a typical S and G.
  void Start(const BlockMatrix& S, const SparseRows& G);
  /// False: singular to rounding or not finite.
  bool Factor(const BlockMatrix& S, const SparseRows& G, const SparseRows& L);
  void Solve(const VectorX& f, const VectorX& c, VectorX* x, VectorX* lambda);

 private:
  int n_ = 0, m_ = 0;
  std::vector<double> scale_;  // of the columns of S, then of the rows of G
  std::vector<double> A_;      // row major, (n + m)², then its factors
  std::vector<int> pivot_;
  std::vector<double> z_;
};

}  // namespace saltus
