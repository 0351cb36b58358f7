// Conjugate gradients on the face of the bounds, for problems without friction
// [@cite DostalSchoberl2005] (MPRGP).
//
// With A symmetric and r ≥ 0 (rows of kFree: no bound) the problem is that of the least of
// ½ rᵀA r + bᵀr. In the variables x = D^½ r, D = diag A, and with the gradient g, the free part
// φ (g where x > 0) and the chopped part β (min(g, 0) where x = 0), a step is one of
//
//   |β|² ≤ φ̃ᵀφ:  CG along p on the face x > 0, if that leaves x ≥ 0                            (1)
//                expansion else: to the nearest bound, then x ← max(0, x − α φ), p anew        (2)
//   otherwise:   proportioning: CG along β, which frees bounds, p anew                         (3)
//
// φ̃ = min(x/α, φ), α = 1.9/λ, λ ≥ |D^-½ A D^-½|. Where contacts nearly form a self-stress, sweeps
// of Gauss–Seidel need 1/λ_min passes, these steps its square root. Each step costs one product
// with A. Where that is not enough either, p is made from z of face_cholesky.h in place of φ, with
// a new factorisation when the face has changed in many rows.
#pragma once

#include <memory>
#include <string>

#include "saltus/cones/conic_solver.h"

namespace saltus {

class ProjectedCgSolver final : public ConicSolver {
 public:
  explicit ProjectedCgSolver(const ConicSolverOptions& options)
      : ConicSolver(options), options_(options) {}

  /// Whether all cones are kNonnegative or kFree.
  static bool Accepts(const ConicProblem& problem);

  std::string name() const override { return "projected-cg"; }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<ProjectedCgSolver>(options_);
  }

 private:
  SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                           VectorX* r) override;

  ConicSolverOptions options_;
};

}  // namespace saltus
