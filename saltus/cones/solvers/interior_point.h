// Interior point method (Mehrotra's predictor and corrector, Nesterov–Todd scaling) for the convex
// problem inside a fixed point on De Saxcé's shift.
//
// With s = μ|u_T| n held, min ½ rᵀA r + (b + s)ᵀ r over r ∈ K has the optimality conditions
//
//   û = A r + b + s ∈ K*,   r ∈ K,   r·û = 0 (1)
//
// Each friction block is written in the second-order cone L: x = (μ r_N, r_T), y = (û_N/μ, û_T).
// The scaling W of a block satisfies W x = W⁻¹ y = λ, and a step solves
//
//   (A + S⁻¹W²S⁻¹) Δr = S⁻¹W (λ \ d) − (A r + b + s − û),   x = S⁻¹… r, S = diag(1/μ, 1, 1) (2)
//   predictor d = −λ∘λ,   corrector d = −λ∘λ + σ m e − (W⁻¹Δy)∘(W Δx),  σ = (1 − τ_aff)³ (3)
//
// [@cite Mehrotra1992, @cite NesterovTodd1997]; m = mean of x·y. Steps go 0.99 of the way to the
// boundary. After each convex problem s ← μ|û_T|; the fixed point contracts for moderate friction
// [@cite AcaryEtAl2011] and is slow, or fails, for large μ with strong coupling of normal and
// tangential directions. `associated` stops after the first problem, s = 0: the convex relaxation,
// whose sliding contacts open by μ|u_T|. It is judged by the law of Coulomb like any other answer.
// Free, nonnegative and friction blocks; boxes and rolling: kUnsupported. Starts from its own
// interior point.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saltus/cones/conic_solver.h"
#include "saltus/cones/solvers/shifted_lu.h"

namespace saltus {

struct InteriorPointOptions : ConicSolverOptions {
  bool associated = false;  // solve the convex relaxation (s = 0) instead of Coulomb's law
};

class InteriorPointSolver final : public ConicSolver {
 public:
  explicit InteriorPointSolver(const InteriorPointOptions& options) : options_(options) {}

  std::string name() const override { return "interior-point"; }
  [[nodiscard]] SolveReport Solve(const ConicProblem& problem, VectorX* r) override;
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<InteriorPointSolver>(options_);
  }

 private:
  InteriorPointOptions options_;
};

}  // namespace saltus
