// The Delassus operator of bodies that joints, bonds or stiff forces couple, where contacts are
// many: walls that are glued, vehicles, cranes. A is full there, and never formed.
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
// a quarter of what all rows of a box's face would take. The responses (K⁻¹)_·b of the touched
// bodies b are kept where memory allows: products and sweeps (solvers/coupled_sweep.h) use them,
//
//   v = Σ_b (K⁻¹)_·b (Hᵀ r)_b,     u = H v                                                     (3)
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
  /// Of all components together: more responses than these squared are not kept.
  static constexpr int kMaxKeptDofs = 2000;

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
  const CoupledDelassus* coupled_form() const override { return this; }
  bool MakeBodySpace(BodySpace* space) const override;
  Graph MakeGraph() const override;
  bool can_sweep() const override { return keeps_responses_; }
  double sweep_flops() const override;

  // For sweeps: velocities of the components that are touched, one after the other.
  /// v of (3).
  void CalcVelocities(const double* r, VectorX* v) const;
  /// u += H v for the rows of a block.
  void AddBlockVelocity(int block, const VectorX& v, double* u) const;
  /// v += K⁻¹ Hᵀ change, for a change of the impulses of a block.
  void AddResponse(int block, const double* change, VectorX* v) const;

 private:
  struct Part {
    int velocity_block;
    int dof;    // first, of the KKT system …
    int place;  // … and in the velocities of (3)
    int columns;
    int values;  // first, in values_
  };
  using ConstRows =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

  struct Response {
    int begin;  // of the component, in the velocities of (3)
    MatrixX columns;
  };

  int num_blocks() const { return static_cast<int>(offsets_.size()) - 1; }
  /// Numbers the velocities of (3).
  void PlaceVelocities();
  ConstRows rows(int block, const Part& part) const {
    return {values_.data() + part.values, offsets_[block + 1] - offsets_[block], part.columns};
  }
  /// Adds the terms of (2) with b = `velocity_block`.
  bool AddResponses(int velocity_block, const std::vector<int>& blocks, Response* response);
  std::vector<int> ListComponents() const;

  const KktSolver* kkt_ = nullptr;
  std::vector<int> offsets_{0};     // first row of each block
  std::vector<int> part_begin_{0};  // first part of each block
  std::vector<Part> parts_;
  std::vector<double> values_;     // rows, row major
  std::vector<MatrixX> diagonal_;  // A_cc
  std::vector<int> block_of_row_;
  std::vector<Response> responses_;  // of the touched velocity blocks
  std::vector<int> response_of_part_;
  int num_velocities_ = 0;
  bool keeps_responses_ = false;
  mutable VectorX f_, c_, v_;
};

}  // namespace saltus
