// Delassus operators A = H S⁻¹ Hᵀ (S: effective mass with the bilateral rows eliminated), and what
// methods ask for that factorise in the space of the bodies' velocities.
#pragma once

#include <array>
#include <vector>

#include "saltus/base/types.h"

namespace saltus {

/// A = R K⁻¹ Tᵀ, where a block of rows touches few nodes. A node holds the velocities of a body and
/// the joint rows that are attached to it; R and T have no columns for these.
struct BodySpace {
  struct Part {  // rows of a block, row major, that belong to one node
    int node;
    int columns;  // the first unknowns of the node
    int stride;
    const double* left;   // of R
    const double* right;  // of T
  };
  struct Entry {
    int row_node, row, column_node, column;
    double value;
  };
  std::vector<int> node_sizes;
  std::vector<Entry> K;  // entries are added up
  std::vector<int> part_begin{0};
  std::vector<Part> parts;  // those of block c are [part_begin[c], part_begin[c + 1])
};

class BlockSparseDelassus;
class BodyDelassus;
class CoupledDelassus;
class DenseDelassus;

/// The operator that maps impulses to velocity changes. Forms: dense, block sparse, body form,
/// coupled bodies.
class Delassus {
 public:
  virtual ~Delassus() = default;

  virtual int size() const = 0;
  /// y = A x, size() numbers each, which do not overlap. May use scratch memory of the operator:
  /// one operator per thread.
  virtual void Apply(const double* x, double* y) const = 0;
  /// The d × d diagonal block that starts at row `offset`.
  virtual void CalcDiagonalBlock(int offset, int dimension, Eigen::Ref<MatrixX> block) const = 0;
  /// The entries A_ii, size() numbers.
  virtual void CalcDiagonalEntries(double* diagonal) const;

  /// False if the operator has no such form. The pointers live as long as the operator is not
  /// changed.
  virtual bool MakeBodySpace(BodySpace*) const { return false; }
  /// Multiplications of a Gauss–Seidel sweep.
  virtual double sweep_flops() const { return static_cast<double>(size()) * size(); }
  /// False if rows of A are too expensive to sweep over them.
  virtual bool can_sweep() const { return true; }
  /// The unknowns of a factorisation and which of them are coupled: bodies, or blocks of rows.
  /// Without nodes: all rows at once.
  struct Graph {
    std::vector<int> sizes;
    std::vector<std::array<int, 2>> couplings;
  };
  virtual Graph MakeGraph() const { return {}; }

  // The operator in the one form that it has, null for the others: sweeps read the numbers.
  virtual const BodyDelassus* body_form() const { return nullptr; }
  virtual const BlockSparseDelassus* block_sparse_form() const { return nullptr; }
  virtual const CoupledDelassus* coupled_form() const { return nullptr; }
  virtual const DenseDelassus* dense_form() const { return nullptr; }

  // The same into vectors that take the size of the operator.
  template <class Vector>
  void Multiply(const Eigen::Ref<const VectorX>& x, Vector* y) const {
    y->resize(size());
    Apply(x.data(), y->data());
  }
  template <class Vector>
  void CalcDiagonal(Vector* diagonal) const {
    diagonal->resize(size());
    CalcDiagonalEntries(diagonal->data());
  }
};

/// All of A, column by column. For small problems and tests.
MatrixX MakeDense(const Delassus& A);

}  // namespace saltus
