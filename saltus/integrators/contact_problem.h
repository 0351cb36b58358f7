// ContactProblem: from contact rows and a factored KKT system to the conic problem of one step.
//
// With the bilateral rows eliminated exactly, velocities and joint impulses are affine in r:
//   v = v_free + S⁻¹Hᵀ r,   Λ = Λ_free + Λ' r      both from  [S −Gᵀ; G 0][Δv; ΔΛ] = [Hᵀr; 0]  (1)
//   u = A r + b,            A = H S⁻¹Hᵀ (S⁻¹: the constrained inverse of (1)),
//                           b = H v_free + …                                                   (2)
// A takes the body form where every touched component is a free block (O(1) per contact); stays a
// product of its factors where a component has more contact rows than velocities (glued walls:
// coupled_delassus.h); and is assembled by blocks otherwise: contacts i, j couple if they touch a
// common component.
// Where stiff forces answer to the response v, A = H (I − c S̃⁻¹T) S⁻¹Hᵀ with a second factored
// system S̃ and a tangent T (DelassusCorrection).                                               (3)
// Blocks: the active contacts in the order given, then the dry frictions of joints.
// @cite AcaryBrogliato2008
#pragma once

#include <array>
#include <span>
#include <vector>

#include "saltus/cones/block_sparse_delassus.h"
#include "saltus/cones/body_delassus.h"
#include "saltus/cones/conic_problem.h"
#include "saltus/cones/coupled_delassus.h"
#include "saltus/dynamics/contact_set.h"
#include "saltus/linalg/kkt_solver.h"

namespace saltus {

/// The terms of (3).
struct DelassusCorrection {
  const KktSolver* kkt = nullptr;        // S̃, with the components of S
  const BlockMatrix* tangent = nullptr;  // T
  double factor = 0;                     // c
};

class ContactProblem {
 public:
  /// All rows; contacts with friction but without the dry frictions of joints; normal rows only;
  /// contacts with friction as two blocks each, a nonnegative one and a disc whose bound is to set.
  enum class Rows { kAll, kContactsOnly, kNormalOnly, kSplit };

  /// Lays out blocks and rows. `active` are indices into set.contacts. With kNormalOnly every
  /// contact becomes one nonnegative row and dry frictions are left out (position projection).
  void SetRows(const ContactSet& set, std::span<const int> active, Rows rows);
  /// Forms the Delassus operator of the factored kkt. Call after SetRows, and again whenever kkt
  /// was factored anew.
  void FormDelassus(const KktSolver& kkt, const DelassusCorrection* correction = nullptr);
  /// Bounds of dry friction over a step h with the joint impulses Λ_free: s = bound·h + μ|Λ_load|.
  void SetFrictionBounds(double h, const VectorX& lambda_free);

  /// u = H v, without bias.
  template <class Vector>
  void CalcVelocity(const VectorX& v, Vector* u) const {
    u->resize(size_);
    MultiplyRows<1>({v.data()}, {u->data()});
  }
  /// The same of two vectors, which reads the rows only once.
  template <class Vector>
  void CalcVelocities(const VectorX& v1, const VectorX& v2, Vector* u1, Vector* u2) const {
    u1->resize(size_);
    u2->resize(size_);
    MultiplyRows<2>({v1.data(), v2.data()}, {u1->data(), u2->data()});
  }
  /// f += Hᵀ r.
  void AddForce(const Eigen::Ref<const VectorX>& r, VectorX* f) const;

  int num_blocks() const { return static_cast<int>(problem_.cones.size()); }
  int num_contacts() const { return num_contacts_; }  // the first blocks; frictions follow
  /// With kSplit: whether the next block is the disc of this one.
  bool has_friction_block(int block) const {
    return block + 1 < num_blocks() && blocks_[block + 1].first_row > 0;
  }
  int size() const { return size_; }
  const Cone& cone(int block) const { return problem_.cones[block]; }
  int offset(int block) const { return problem_.cones[block].offset; }
  ConicProblem& problem() { return problem_; }

 private:
  struct Block {
    int first = 0, count = 0;  // row blocks in the ContactSet
    int rows = 0;              // rows used: all, or the normal one
    int first_row = 0;         // 1 for the disc of kSplit
  };
  void SetSplitRows(std::span<const int> active);
  template <int kVectors>
  void MultiplyRows(std::array<const double*, kVectors> v, std::array<double*, kVectors> u) const;
  bool FormBodyForm(const KktSolver& kkt, const DelassusCorrection* correction);
  bool FormCoupled(const KktSolver& kkt, const DelassusCorrection* correction);
  void FormAssembled(const KktSolver& kkt, const DelassusCorrection* correction);
  void FindCouplings(const KktSolver& kkt);
  void AddLoadRows(const KktSolver& kkt, int comp, std::size_t begin, std::size_t end);
  ContactSet::Rows rows(int block, const RowBlock& b) const;

  const ContactSet* set_ = nullptr;
  int num_contacts_ = 0;
  int size_ = 0;
  std::vector<Block> blocks_;
  ConicProblem problem_;
  BodyDelassus body_form_;
  CoupledDelassus coupled_;
  BlockSparseDelassus assembled_;

  // Scratch, kept between steps.
  std::vector<int> body_of_block_, touched_;
  std::vector<std::array<int, 2>> touches_;  // (component, block), sorted
  std::vector<std::vector<int>> neighbours_;
  std::vector<int> dimensions_, row_begin_, columns_, component_rows_;
  MatrixX rhs_, lambda_, response_;
};

}  // namespace saltus
