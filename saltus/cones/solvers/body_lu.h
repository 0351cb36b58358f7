// The linear systems of second-order methods, solved in the space of the bodies' velocities.
//
//   (E + B (A + C)) x = f,     A = R K⁻¹ Tᵀ (BodySpace in delassus.h), E and B block diagonal  (1)
//
// Bodies have six degrees of freedom and often many more contact rows (a brick in a wall has 48):
// with F = E + B C, w = K⁻¹ Tᵀ x and x = F⁻¹(f − B R w), (1) becomes
//
//   (K + Tᵀ F⁻¹ B R) w = Tᵀ F⁻¹ f                                                              (2)
//
// one block for each pair of bodies that touch or are coupled in K, whatever the number of contacts
// between them. Free bodies have K = I in scaled velocities (body_delassus.h); for bodies with
// joints and stiff forces K = [S −Gᵀ; G δ] (coupled_delassus.h). F must be regular, so rows that
// ask for u = 0 need a small shift in E; F⁻¹ then amplifies rounding errors, which refinement steps
// with (1) take back, as they do δ:  x ← x + Z(f − (E + B (A + C)) x), Z the approximate inverse
// from (2).
#pragma once

#include <memory>
#include <vector>

#include "saltus/cones/conic_problem.h"
#include "saltus/cones/solvers/cone_equations.h"
#include "saltus/linalg/block_lu.h"

namespace saltus {

class BodyLu {
 public:
  using Blocks = std::vector<BlockEquation::Matrix>;

  /// Orders the nodes. False if the operator has no bodies, or a cone no regular F. The problem and
  /// its operator must outlive the other calls.
  bool Prepare(const ConicProblem& problem);
  /// The same, but false too where (1) is cheaper than (2).
  bool PrepareIfCheaper(const ConicProblem& problem);
  /// @param B  null: the identity. False if singular to rounding.
  bool Factor(const Blocks& E, const Blocks* B);
  /// x ← (E + B (A + C))⁻¹ x; E and B as they were given.
  void SolveInPlace(VectorX* x);
  /// Multiplications of a factorisation, known after Prepare.
  double flops() const { return lu_.flops(); }

 private:
  void SolveOnce(VectorX* x);
  void AddBlock(int c);
  void MultiplyAll(const VectorX& x, VectorX* y) const;
  bool FindBodies(const ConicProblem& problem);
  void Order(const ConicProblem& problem);
  void MakePattern();

  const ConicProblem* problem_ = nullptr;
  const Blocks* E_ = nullptr;
  const Blocks* B_ = nullptr;
  BodySpace space_;
  std::shared_ptr<const BlockPattern> pattern_;
  std::vector<int> slot_begin_, slots_;  // of the pairs of parts of each block
  Blocks inverse_, factor_;              // F⁻¹ and F⁻¹B
  VectorX K_;                            // values of K on the pattern
  BlockMatrix matrix_;
  BlockLu lu_;
  VectorX w_, rhs_, error_, product_;
};

}  // namespace saltus
