// The saddle-point solve behind every implicit step with joints:
//
//   S x − Gᵀ λ = f        S: block matrix of the velocities, unsymmetric allowed
//   G x        = c        G: constraint Jacobian, any rank                                      (1)
//
// Blocks that neither S nor G couples are independent, so the system is split once into connected
// components, and each takes the cheapest path:
//   free block   one block, no constraint:  x_b = S_bb⁻¹ f_b, the inverse stored
//   dense        n + m ≤ kMaxDenseSize:     dense LU of the component's saddle-point matrix
//   sparse       larger:                    sparse LU (KLU), symbolic analysis reused
// Redundant constraints are welcome: see component_kkt.h for the regularisation that is iterated
// away. The multiplier is then the consistent one of least Σ w_i λ_i², w_i ≈ (G S⁻¹ Gᵀ)_ii.
//
// Factor() and Solve() do not allocate after the first call. The solver holds scratch memory: use
// one per thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "saltus/base/types.h"
#include "saltus/linalg/block_matrix.h"
#include "saltus/linalg/component_kkt.h"

namespace saltus {

/// How far the regularisation is iterated away.
enum class KktPasses { kToRounding, kOne };

class KktSolver {
 public:
  /// Above this n + m a component goes the sparse way. Measured on hinge chains (bench/): the
  /// sparse path takes half the time of the dense one at 44 unknowns, a quarter at 88.
  static constexpr int kMaxDenseSize = 24;

  /// @param G_pattern  compressed; its values do not matter, its columns are the dofs of `pattern`
  KktSolver(std::shared_ptr<const BlockPattern> pattern, const SparseRows& G_pattern,
            int max_dense_size = kMaxDenseSize);
  ~KktSolver();
  KktSolver(KktSolver&&) noexcept;
  KktSolver& operator=(KktSolver&&) noexcept;

  /// Numeric factorisation. Components whose numbers did not change are skipped. S and G have the
  /// patterns given at construction. Returns false if some component is singular or not finite;
  /// Solve() then returns false too.
  bool Factor(const BlockMatrix& S, const SparseRows& G) { return Factor(S, G, G); }
  /// The same for S x − Gᵀλ = f, L x = c with L near G, as in Newton's method where the rows of c
  /// are linearised. L has the pattern of G, and G has full rank: the multipliers of redundant rows
  /// that component_kkt.h chooses need L = G.
  bool Factor(const BlockMatrix& S, const SparseRows& G, const SparseRows& L);

  /// Solves (1). λ may be null. Returns false and sets outcome() if the matrix is singular or the
  /// data are not finite (x and λ are then meaningless), or if c is inconsistent: then G x = c
  /// holds in the least-squares sense Σ r_i²/w_i → min, and λ belongs to the consistent part of c.
  /// @param passes  kOne: for iterations that correct the error themselves (component_kkt.h)
  bool Solve(const VectorX& f, const VectorX& c, VectorX* x, VectorX* lambda,
             KktPasses passes = KktPasses::kToRounding) const;

  /// Of the last Solve().
  KktOutcome outcome() const { return outcome_; }
  /// |G x − c|∞ after the last Solve(), in the units of c.
  double constraint_residual() const { return constraint_residual_; }

  int num_components() const { return static_cast<int>(dof_begin_.size()) - 1; }
  int num_dofs() const { return pattern_->num_dofs(); }
  int num_rows() const { return static_cast<int>(component_of_row_.size()); }
  int component_of_block(int block) const { return component_of_block_[block]; }
  int component_of_row(int row) const { return component_of_row_[row]; }
  /// Global indices of the component's dofs and constraint rows, ascending.
  std::span<const int> component_dofs(int comp) const;
  std::span<const int> component_rows(int comp) const;
  /// Position of a global dof inside the list of its component.
  int local_dof(int dof) const { return local_dof_[dof]; }

  /// A single block without constraints or couplings.
  bool component_is_free_block(int comp) const { return kkt_of_component_[comp] < 0; }
  /// S_bb⁻¹ of a free block.
  Eigen::Map<const MatrixX> free_block_inverse(int block) const;

  /// Visits the entries (row, column, value) of [S −Gᵀ; G δD] of a component (component_kkt.h), as
  /// last factored; its dofs are numbered first, its constraint rows behind them.
  template <class Visit>
  void VisitEntries(int comp, const Visit& visit) const {
    if (!component_is_free_block(comp)) return kkts_[kkt_of_component_[comp]]->VisitEntries(visit);
    const FreeBlock& block = free_blocks_[free_block_of_component(comp)];
    const double* S = free_values_.data() + block.value_offset;
    for (int j = 0; j < block.size; ++j) {
      for (int i = 0; i < block.size; ++i) visit(i, j, S[j * block.size + i]);
    }
  }
  int block_of_dof(int dof) const { return block_of_dof_[dof]; }

  /// Many right-hand sides that live in one component, with c = 0.
  /// @param rhs  n_comp × k; in: f, out: x
  /// @param lambda  m_comp × k or null
  bool SolveInComponent(int comp, MatrixX* rhs, MatrixX* lambda) const;
  /// Y = B X for columns that live in one component; B has the pattern of S.
  void MultiplyInComponent(int comp, const BlockMatrix& B, const MatrixX& X, MatrixX* Y) const;

 private:
  void FindComponents(const SparseRows& G_pattern);
  void MakeComponentSolvers(const SparseRows& G_pattern, int max_dense_size);
  bool FactorFreeBlocks(const BlockMatrix& S);
  bool SolveFreeBlocks(const VectorX& f, VectorX* x) const;
  int free_block_of_component(int comp) const { return -1 - kkt_of_component_[comp]; }

  std::shared_ptr<const BlockPattern> pattern_;
  int num_G_values_ = 0;

  // Components in compressed form: those of component k are [begin[k], begin[k+1]).
  std::vector<int> block_of_dof_, component_of_block_, component_of_row_;
  std::vector<int> dof_begin_{0}, dofs_, row_begin_{0}, rows_;
  std::vector<int> local_dof_;
  std::vector<int> slot_begin_;  // first slot of each block row of the pattern

  struct FreeBlock {
    int size;
    int dof;           // first dof
    int S_offset;      // of its values in S
    int value_offset;  // of its values in free_values_ and free_inverses_
  };
  std::vector<FreeBlock> free_blocks_;
  std::vector<int> free_block_of_block_;  // −1: not free
  std::vector<double> free_values_;       // S_bb of the last factorisation
  std::vector<double> free_inverses_;     // S_bb⁻¹
  std::vector<char> free_block_regular_;

  std::vector<int> kkt_of_component_;  // −1 − k: free block k
  std::vector<int> component_of_kkt_;
  std::vector<std::unique_ptr<ComponentKkt>> kkts_;
  bool factored_ = false;

  mutable std::vector<double> scratch_;  // one column of a free block
  mutable KktOutcome outcome_ = KktOutcome::kSolved;
  mutable double constraint_residual_ = 0;
};

}  // namespace saltus
