// One connected component of the saddle-point system  S x − Gᵀ λ = f,  G x = c,  where G may have
// dependent rows. Unknowns y = (x, λ) are local to the component.
//
// Scaling. s_j: size of column j of S (diagonal if there is one);
// w_i = Σ_j G_ij²/s_j ≈ (G S⁻¹Gᵀ)_ii. Powers of two p_j ≈ s_j^{−½}, p_i ≈ w_i^{−½} make every
// diagonal of S and every row of G about one without a rounding error.
//
// Proximal iteration. With D = diag(w) and δ = kDelta, from λ₀ = 0,
//   S x_{k+1} − Gᵀ λ_{k+1}          = f
//   G x_{k+1} + δ D (λ_{k+1} − λ_k) = c                                                        (1)
// which is iterative refinement of the singular system with the regular matrix [S −Gᵀ; G δD]. The
// part of the error that G sees shrinks by δ/(δ + σ) per pass, σ a nonzero eigenvalue of
// D^{−½} G S⁻¹Gᵀ D^{−½}, so two or three passes reach rounding. Where some σ are as small as δ
// (chains of hundreds of bodies) the passes are combined to the least residual, see
// flexible_gmres.h. Since every increment D Δλ lies in the range of G, the limit is the multiplier
// of least Σ w_i λ_i².
//
// Inconsistent c. The part of c that G cannot reach stays as residual z, and ν, the multiplier of
// one more pass from z, is (to rounding) its direction: Gᵀν = 0. Then
//   c ← c − D ν (νᵀc)/(νᵀDν)                                                                   (2)
// is consistent, and the solution for it is the weighted least-squares solution for c.
// @cite Rockafellar1976, BenziGolubLiesen2005
#pragma once

#include <memory>
#include <vector>

#include "saltus/base/types.h"
#include "saltus/linalg/flexible_gmres.h"
#include "saltus/linalg/lu.h"

namespace saltus {

enum class KktOutcome {
  kSolved,
  kInconsistent,  // G x = c has no solution; x is the least-squares solution
  kSingular,      // the matrix is singular on the kernel of G, or data are not finite
};

/// Where the numbers of one component come from: entry (row, column) of [S −Gᵀ; G 0] in local
/// numbering takes `sign` times entry `index` of the values of S or of G.
struct KktEntry {
  int row;
  int column;
  int index;
  signed char sign;  // −1 only for −Gᵀ
  bool from_G;
};

class ComponentKkt {
 public:
  static constexpr double kDelta = 1e-9;

  /// @param block_of_dof  block of each dof; blocks are numbered 0, 1, … without gaps
  /// @param entries  all entries of the component, in any order, without repetition
  ComponentKkt(const std::vector<int>& block_of_dof, int num_rows, std::vector<KktEntry> entries,
               bool dense);
  ~ComponentKkt();

  int num_dofs() const { return n_; }
  int num_rows() const { return m_; }

  /// Numeric factorisation; nothing is done if no number changed. False: singular or not finite.
  /// @param L_values  of the lower rows [L 0], in the places of G
  bool Factor(const double* S_values, const double* G_values, const double* L_values);

  /// The right-hand side (f, c) of length n + m; Solve() replaces it by y = (x, λ).
  double* rhs() { return y_.data(); }
  KktOutcome Solve();
  /// One application of the regularised inverse instead: wrong by δ/(δ + σ) of c, for Newton's
  /// method.
  KktOutcome SolveInOnePass();
  /// |G x − c|∞ of the last Solve().
  double constraint_residual() const { return constraint_residual_; }

  /// Visits the entries (row, column, value) of [S −Gᵀ; G δD], unscaled, as last factored.
  template <class Visit>
  void VisitEntries(const Visit& visit) const {
    for (int j = 0; j < n_ + m_; ++j) {
      for (int k = column_begin_[j]; k < column_begin_[j + 1]; ++k) {
        const bool regularisation = sources_[k].index < 0;
        visit(row_index_[k], j, regularisation ? kDelta * column_size_[j] : raw_[k]);
      }
    }
  }

 private:
  bool GatherValues(const double* S_values, const double* G_values, const double* L_values);
  void CalcScaling();
  bool FactorMatrix();
  bool RepeatWithFreshPivots();
  void ApplyInverse(VectorX* z);
  void Multiply(const VectorX& in, VectorX* out) const;
  void CalcResidual();
  bool SolveScaled();
  bool IteratePasses();
  bool MinimizeResidual();
  bool is_rounding(double roundings) const;
  void RemoveInconsistentPart();

  int n_ = 0;
  int m_ = 0;
  // Compressed columns of the matrix; in `scaled_` it is scaled and regularised.
  std::vector<int> column_begin_, row_index_;
  std::vector<KktEntry> sources_;  // index −1: the regularisation
  std::vector<double> raw_, scaled_;
  VectorX column_size_, scale_, delta_;  // (s, w), p and p² δ D
  bool regular_ = false;

  std::unique_ptr<DenseLu> dense_;  // one of the two
  std::unique_ptr<SparseLu> sparse_;

  std::unique_ptr<FlexibleGmres> gmres_;  // made when first needed

  VectorX y_, b_, z_, work_;  // unknowns, right-hand side, residual: all scaled
  VectorX c_;                 // inconsistent part of c
  // Largest residual and largest Σ|a_ij y_j| + |b_i| of the rows of f and of the rows of c.
  double residual_f_ = 0, size_f_ = 0, residual_c_ = 0, size_c_ = 0;
  double constraint_residual_ = 0;
};

}  // namespace saltus
