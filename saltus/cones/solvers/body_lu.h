// The linear systems of second-order methods for free bodies, solved in the space of velocities.
//
//   (E + B (A + C)) x = f,     A = R Tᵀ (body_delassus.h), E and B block diagonal              (1)
//
// Bodies have six degrees of freedom and often many more contact rows (a brick in a wall has 48):
// with F = E + B C, w = Tᵀx and x = F⁻¹(f − B R w), (1) becomes
//
//   (I + Tᵀ F⁻¹ B R) w = Tᵀ F⁻¹ f                                                              (2)
//
// one 6 × 6 block for each pair of bodies that touch, whatever the number of contacts between them.
// F must be regular, so rows that ask for u = 0 need a small shift in E; F⁻¹ then amplifies
// rounding errors, which refinement steps with (1) take back:  x ← x + S(f − (E + B (A + C)) x),
// S the approximate inverse from (2).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "saltus/cones/body_delassus.h"
#include "saltus/cones/conic_problem.h"
#include "saltus/cones/solvers/cone_equations.h"
#include "saltus/linalg/block_lu.h"

namespace saltus {

class BodyLu {
 public:
  using Blocks = std::vector<BlockEquation::Matrix>;

  /// The body form of a problem for which (2) is smaller than (1), or null.
  static const BodyDelassus* FindBodyForm(const ConicProblem& problem);

  /// Orders the bodies. The problem and its operator (of body form) must outlive the other calls.
  void Prepare(const ConicProblem& problem);
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

  const ConicProblem* problem_ = nullptr;
  const BodyDelassus* A_ = nullptr;
  const Blocks* E_ = nullptr;
  const Blocks* B_ = nullptr;
  std::shared_ptr<const BlockPattern> pattern_;
  std::vector<std::array<int, 4>> slots_;  // (a,a), (a,b), (b,a), (b,b) of each block, −1: none
  std::vector<int> diagonal_;              // slot (b,b) of each body
  Blocks inverse_, factor_;                // F⁻¹ and F⁻¹B
  BlockMatrix matrix_;
  BlockLu lu_;
  VectorX w_, rhs_, error_, product_;
};

}  // namespace saltus
