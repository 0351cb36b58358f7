// The Delassus operator of a scene whose effective mass S is block diagonal: free rigid bodies and
// point masses that meet only in contacts. A itself is never formed.
//
//   w_b = Σ_c S_b⁻¹ H_cbᵀ r_c          velocity change of body b                               (1)
//   (A r)_c = H_ca w_a + H_cb w_b      at most two bodies in a block                           (2)
//
// With S_b⁻¹ = P_b Q_b and scaled velocities z_b, w_b = P_b z_b, both steps read one table each:
//
//   (A r)_c = [H_ca P_a | H_cb P_b] [z_a; z_b],      z_b += (Q_b H_cbᵀ) Δr_c                   (3)
//
// Where S_b⁻¹ is symmetric positive definite, P = L and Q = Lᵀ of its Cholesky factorisation make
// the two tables equal: half the memory traffic, which is what limits Gauss–Seidel sweeps. Bodies
// with an unsymmetric S_b (gyroscopic tangents) use P = I, Q = S_b⁻¹ and a second table.
//
// Layout: a row of (3) is 12 numbers, 6 for each side, so three vectors of four; a velocity is 8
// numbers on its own cache line. Missing bodies and short bodies (3 degrees of freedom) are padded
// with zeros: the kernels have no branches.
#pragma once

#include <vector>

#include "saltus/base/large_page_allocator.h"
#include "saltus/cones/delassus.h"

namespace saltus {

class BodyDelassus final : public Delassus {
 public:
  using RowMajorX = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using RowsRef = Eigen::Ref<const RowMajorX, 0, Eigen::OuterStride<>>;
  using InverseRef = Eigen::Ref<const MatrixX, 0, Eigen::OuterStride<>>;

  static constexpr int kRowSize = 12;
  struct alignas(32) Row {
    double x[kRowSize];
  };
  struct alignas(64) Velocity {
    double x[8];
  };
  struct Sides {
    int a, b;  // index into the velocities; a missing body is num_bodies()
  };

  /// Forgets bodies and blocks, keeps the memory.
  void Reset();
  /// @param inverse  S_b⁻¹, n × n with n ≤ 6
  /// @return the number of the body, from 0
  int AddBody(const InverseRef& inverse);
  /// Appends a block of the problem, in the order of its cones. A body −1 is none (the ground);
  /// its rows are ignored.
  /// @param Ha  d × n_a, @param Hb  d × n_b
  /// @return the number of the block
  int AddBlock(int dimension, int body_a, const RowsRef& Ha, int body_b, const RowsRef& Hb);
  /// Completes the tables. Call once after the last AddBlock.
  void Finalize();

  /// Becomes the operator of these blocks of a finalized one, which share no body with the others.
  /// @param scratch  for repeated use, empty at first
  void CopyBlocks(const BodyDelassus& source, const std::vector<int>& blocks,
                  std::vector<int>* scratch);

  int num_bodies() const { return static_cast<int>(bodies_.size()); }
  int num_blocks() const { return static_cast<int>(sides_.size()); }
  bool symmetric() const { return symmetric_; }

  // For sweeps: the sides of a block, the two tables of eq. (3) by row, and the velocities.
  const Sides& sides(int block) const { return sides_[block]; }
  int offset(int block) const { return offsets_[block]; }
  const Row* rows() const { return rows_.data(); }
  const Row* transposed_rows() const { return symmetric_ ? rows_.data() : transposed_.data(); }
  /// Numbers in z, padding included.
  int num_velocities() const { return 8 * (num_bodies() + 1); }
  /// z of eq. (3) for all bodies and the missing one, from impulses x.
  void CalcVelocities(const double* x, std::vector<Velocity>* z) const;
  /// z of the vector that Apply was given last.
  const std::vector<Velocity>& product_velocities() const { return scratch_; }

  int size() const override { return static_cast<int>(rows_.size()); }
  void Apply(const double* x, double* y) const override;
  void CalcDiagonalBlock(int offset, int dimension, Eigen::Ref<MatrixX> block) const override;
  const BodyDelassus* body_form() const override { return this; }
  void CalcDiagonalEntries(double* diagonal) const override;
  double sweep_flops() const override { return 2.0 * kRowSize * size(); }
  bool MakeBodySpace(BodySpace* space) const override;
  Graph MakeGraph() const override;

 private:
  using Rows = std::vector<Row, LargePageAllocator<Row>>;
  struct Body {
    int size;
    int factors;      // index into factors_, or −1: S_b is diagonal, P = Q = diag(scale)
    double scale[6];  // 1 in the padding
  };
  // P and Qᵀ of eq. (3), column major, padded to 6 columns of 6: row·P and row·Qᵀ.
  struct Factors {
    bool symmetric;
    double left[36];
    double right[36];
  };

  void AddFactors(const InverseRef& inverse, Body* body);
  /// [H_a P_a | H_b P_b] and [H_a Q_aᵀ | H_b Q_bᵀ] of a row of H, 6 numbers for each side.
  void ScaleRow(const Sides& sides, const double* h, double* left, double* right) const;

  std::vector<Body> bodies_;
  std::vector<Factors> factors_;
  std::vector<Sides> sides_;
  std::vector<int> offsets_{0};  // first row of each block
  std::vector<int> block_of_row_;
  Rows rows_;                     // [H_a P_a | H_b P_b]
  Rows transposed_;               // [H_a Q_aᵀ | H_b Q_bᵀ] if not symmetric
  std::vector<double> diagonal_;  // A_ii
  bool symmetric_ = true;
  mutable std::vector<Velocity> scratch_;
};

}  // namespace saltus
