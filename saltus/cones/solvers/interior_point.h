// Interior point method on Coulomb's law itself: a central path for the non-convex problem, with
// Mehrotra's predictor and corrector, Nesterov–Todd scaling, and De Saxcé's shift inside the steps.
//
// Each friction block is written in the second-order cone L: x = (μ r_N, r_T), y = (û_N/μ, û_T).
// The path is, for a mean product m = x·y that tends to zero,
//
//   û = u + μ σ n,   u = A r + b,   σ = √(|u_T|² + ε²),   ε ∝ m,        x∘y = m e              (1)
//
// For m → 0 this is K* ∋ û ⟂ r ∈ K with û = u + μ|u_T| n. The scaling W of a block satisfies
// W x = W⁻¹y = λ. With w = ∂(μσ)/∂u_T and J = [1 wᵀ; 0 I], dû = J A dr, a step solves
//
//   (A + J⁻¹S⁻¹W²S⁻¹) Δr = J⁻¹(S⁻¹W (λ \ d) − (u + μσ n − û)),   S = diag(1/μ, 1, 1)           (2)
//   predictor d = −λ∘λ,   corrector d = −λ∘λ + s m e − (W⁻¹Δy)∘(W Δx),  s = (1 − τ_aff)³       (3)
//
// [@cite Mehrotra1992, @cite NesterovTodd1997, @cite DeSaxceFeng1998]. Steps go 0.99 of the way to
// the boundary; where the predictor gets less than a tenth of it, the product in (3) is left out.
// Near a solution where a contact has neither impulse nor velocity the natural map
// falls like √m only: from a residual of kNear on, proximal_point.h finishes.
//
// Deviation: the sources treat convex problems. Held shifts (s = μ|u_T| fixed, a convex problem,
// then the next s; @cite AcaryEtAl2011) need hundreds of steps or do not converge where many
// contacts slide; the derivative of the shift in (2) makes it 10 to 30 steps there. Without
// convexity there is no proof of convergence: the path may turn back, and the report then says
// stagnated.
//
// Associated cones leave the shift out: the convex relaxation, whose sliding contacts open by
// μ|u_T|. Free, nonnegative and friction blocks; boxes, rolling friction and pyramids:
// kUnsupported. Cost: a sparse LU a step.
//
// Starts as far inside the cones as the residual of r says, in the units of the path (fewer
// steps than from the middle where r is that of the step before); if that leads nowhere or r is
// zero, in the middle of the cones.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saltus/cones/conic_solver.h"
#include "saltus/cones/solvers/shifted_lu.h"

namespace saltus {

class InteriorPointSolver final : public ConicSolver {
 public:
  explicit InteriorPointSolver(const ConicSolverOptions& options)
      : ConicSolver(options), options_(options) {}

  /// False if there is a box, rolling friction or a pyramid.
  static bool Accepts(const ConicProblem& problem);

  std::string name() const override { return "interior-point"; }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<InteriorPointSolver>(options_);
  }

 private:
  SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                           VectorX* r) override;

  ConicSolverOptions options_;
};

}  // namespace saltus
