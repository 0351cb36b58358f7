// ADMM: the alternating direction method of multipliers, with over-relaxation and adaptive penalty.
//
// With De Saxcé's shift s = μ|u_T| n held, the problem is min ½ rᵀA r + (b + s)ᵀ r over r ∈ K.
// Split r = z ∈ K, with scaled multiplier ν and penalty σD, D = diag(tr A_cc / d):
//
//   r ← (A + σD)⁻¹ (σD (z − ν) − b − s)                                                        (1)
//   y ← β r + (1 − β) z,   z ← P_K(y + ν),   ν ← ν + y − z,    β = 1.6                         (2)
//   û = −σD ν ∈ K*,   s ← μ|û_T| n                                                             (3)
//
// [@cite BoydEtAl2011, @cite AcaryBremondHuber2018]. σ is doubled or halved (ν rescaled,
// refactorised) when the primal residual |r − z| and the dual residual |z − z_old| differ by more
// than a factor of ten, ever more rarely, so that it settles. Each pass costs two triangular
// solves; thousands of passes for tight tolerances. Needs nothing but A + σD regular, so singular A
// are welcome; all cones. The judged iterate is z, inside the cones.
#pragma once

#include <memory>
#include <string>

#include "saltus/cones/conic_solver.h"

namespace saltus {

class AdmmSolver final : public ConicSolver {
 public:
  explicit AdmmSolver(const ConicSolverOptions& options)
      : ConicSolver(options), options_(options) {}

  std::string name() const override { return "admm"; }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<AdmmSolver>(options_);
  }

 private:
  SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                           VectorX* r) override;
  ConicSolverOptions options_;
};

}  // namespace saltus
