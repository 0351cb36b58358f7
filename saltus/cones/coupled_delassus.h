// The Delassus operator of bodies that joints, bonds or stiff forces couple, where contacts are many:
// walls that are glued, vehicles, cranes. A is full there, and never formed.
//
//   A = H K⁻¹ Hᵀ,    v = K⁻¹ f:  [S −Gᵀ; G 0][v; λ] = [f; 0]                                   (1)
//
// Apply is one solve with the factored system (linalg/kkt_solver.h). Methods that factorise work in
// the space of velocities and joint rows, on [S + Hᵀ D H, −Gᵀ; G, 0] (solvers/body_lu.h): as large
// as the bodies, however many contacts there are. Diagonal blocks take one solve for each degree of
// freedom that a contact touches,
//
//   A_cc = Σ_ab H_ca (K⁻¹)_ab H_cbᵀ                                                            (2)
//
// a quarter of what all rows of a box's face would take. There are no sweeps over this form.
#pragma once

#include <vector>

#include "saltus/cones/body_delassus.h"
#include "saltus/cones/delassus.h"
#include "saltus/linalg/kkt_solver.h"

namespace saltus {

class CoupledDelassus final : public Delassus {
 public:
  using RowsRef = BodyDelassus::RowsRef;

  /// Fewer rows are cheaper as an assembled operator, which can be swept.
  static constexpr int kMinRows = 150;

  /// Forgets all blocks. @param kkt  factored, outlives the operator
  void Reset(const KktSolver& kkt);
  /// Appends a block of the problem, in the order of its cones, without bodies.
  void AddBlock(int dimension);
  /// Rows of the block added last, d × n, for the velocities of one block of the KKT system.
  void AddRows(int velocity_block, int first_dof, const RowsRef& H);
  /// Completes the operator. False if the KKT system cannot be solved.
  bool Finalize();

  int size() const override { return offsets_.back(); }
  void Apply(const double* x, double* y) const override;
  void CalcDiagonalBlock(int offset, int dimension, Eigen::Ref<MatrixX> block) const override;
  bool MakeBodySpace(BodySpace* space) const override;
  Graph MakeGraph() const override;
  bool can_sweep() const override { return false; }

 private:
  struct Part {
    int velocity_block;
    int dof;  // first, of the KKT system
    int columns;
    int values;  // first, in values_
  };
  using ConstRows =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

  int num_blocks() const { return static_cast<int>(offsets_.size()) - 1; }
  ConstRows rows(int block, const Part& part) const {
    return {values_.data() + part.values, offsets_[block + 1] - offsets_[block], part.columns};
  }
  /// Adds the terms of (2) with b = `velocity_block`.
  bool AddResponses(int velocity_block, const std::vector<int>& blocks);
  std::vector<int> ListComponents() const;

  const KktSolver* kkt_ = nullptr;
  std::vector<int> offsets_{0};     // first row of each block
  std::vector<int> part_begin_{0};  // first part of each block
  std::vector<Part> parts_;
  std::vector<double> values_;     // rows, row major
  std::vector<MatrixX> diagonal_;  // A_cc
  std::vector<int> block_of_row_;
  MatrixX response_;
  mutable VectorX f_, c_, v_;
};

}  // namespace saltus
