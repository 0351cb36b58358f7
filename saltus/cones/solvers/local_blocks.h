// The local problems of a sweep: for every cone block of a problem the data of its exact solution
// with all other blocks at rest, by kind.
//
//   nonnegative   r = max(0, r° − u°/A_cc)                                                     (1)
//   free          r = r° − A_cc⁻¹ u°                                                           (2)
//   friction      coulomb_block.h, or newton_block.h if LocalMethod asks for it
//   associated    associated_block.h; in the plane newton_block.h
//   rolling, polyhedral   newton_block.h
//   box           disc_block.h; the bound follows the load, evaluated at the visit             (3)
//   immovable     A_cc = 0 (in the normal direction, for friction): r = 0
#pragma once

#include <vector>

#include "saltus/cones/conic_solver.h"
#include "saltus/cones/solvers/associated_block.h"
#include "saltus/cones/solvers/coulomb_block.h"
#include "saltus/cones/solvers/disc_block.h"
#include "saltus/cones/solvers/newton_block.h"

namespace saltus {

enum class LocalKind {
  kImmovable,
  kNonnegative,
  kFree,
  kFriction2,
  kFriction3,
  kIsotropic3,
  kAssociated3,
  kIsotropicAssociated3,
  kBox,
  kNewton
};

struct LocalBlock {
  LocalKind kind = LocalKind::kImmovable;
  int offset = 0;  // first row
  int dimension = 1;
  int index = 0;  // into the data of its kind
};

/// ℓ = ℓ₀ + L r with the zero columns of L left out.
struct SparseLoad {
  double bound = 0;
  double coefficient = 0;
  int num_rows = 0;
  int constant = 0;                       // into LocalBlocks::load_values
  int first_column = 0, num_columns = 0;  // into LocalBlocks::load_columns
  int values = 0;                         // into LocalBlocks::load_values, column by column
};

class LocalBlocks {
 public:
  static constexpr int kMaxFreeDimension = 6;
  using FreeVector =
      Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMaxFreeDimension, 1>;
  using FreeMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor,
                                   kMaxFreeDimension, kMaxFreeDimension>;

  /// Factors all diagonal blocks. Reuses memory. False if an entry is not finite.
  bool Factor(const ConicProblem& problem, LocalMethod method);

  int size() const { return static_cast<int>(blocks_.size()); }
  const LocalBlock& block(int c) const { return blocks_[c]; }
  /// The mean diagonal entry of each block (of its forces, if it is a rolling one), 0 if immovable.
  double mean_diagonal(int c) const { return means_[c]; }
  /// A_ii of all rows.
  const GrowingVector& diagonal() const { return diagonal_; }

  double SolveNonnegative(int index, double u, double r) const {  // (1)
    const double x = r - u * reciprocals_[index];
    return x > 0 ? x : 0.0;
  }
  FreeVector SolveFree(int index, const FreeVector& u, const FreeVector& r) const {  // (2)
    return r - inverses_[index] * u;
  }
  const CoulombBlock2& friction2(int index) const { return friction2_[index]; }
  const CoulombBlock3& friction3(int index) const { return friction3_[index]; }
  const IsotropicBlock3& isotropic3(int index) const { return isotropic3_[index]; }
  const AssociatedBlock3& associated3(int index) const { return associated3_[index]; }
  const IsotropicAssociatedBlock3& isotropic_associated3(int index) const {
    return isotropic_associated3_[index];
  }
  const NewtonBlock& newton(int index) const { return newton_[index]; }
  const DiscBlock& disc(int index) const { return discs_[index]; }
  /// s at the impulses r of the whole problem.
  double CalcBound(int index, const double* r) const;  // (3)

 private:
  void AddBlock(const ConicProblem& problem, const Cone& cone, double smallest_trace,
                LocalMethod method);
  void AddFriction(const Cone& cone, const FreeMatrix& W, LocalMethod method, LocalBlock* block);
  void AddLoad(const ConicProblem& problem, const Cone& cone);

  std::vector<LocalBlock> blocks_;
  std::vector<double> means_;
  std::vector<double> reciprocals_;
  std::vector<FreeMatrix> inverses_;
  std::vector<CoulombBlock2> friction2_;
  std::vector<CoulombBlock3> friction3_;
  std::vector<IsotropicBlock3> isotropic3_;
  std::vector<AssociatedBlock3> associated3_;
  std::vector<IsotropicAssociatedBlock3> isotropic_associated3_;
  std::vector<NewtonBlock> newton_;
  std::vector<DiscBlock> discs_;
  std::vector<SparseLoad> loads_;  // one for each disc
  std::vector<int> load_columns_;
  std::vector<double> load_values_;
  GrowingVector diagonal_;
};

}  // namespace saltus
