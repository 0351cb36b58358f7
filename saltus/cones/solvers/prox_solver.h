// The global prox fixed point: all blocks at once, no matrix but A itself.
//
//   r̄ = P_K(r − τ D⁻¹û(r)),    r ← r + ω (P_K(r − τ D⁻¹û(r̄)) − r),    D = diag(tr A_cc / d)   (1)
//
// û = u + μ|u_T| n, u = A r + b. τ adapts itself so that the map stays contractive
// [@cite FacchineiPang2003, §12.1]:
//
//   e = τ |û(r̄) − û(r)|_{D⁻¹} / |r̄ − r|_D                                                     (2)
//   e > 0.9: τ ← ⅔ τ / max(1, e) and again;   e < 0.3: τ ← 3/2 τ
//
// ω = 1 is no relaxation. Converges linearly, slowly where A is ill conditioned; each pass costs
// two products with A. For problems too large to factorise, and as an independent check.
#pragma once

#include <memory>
#include <string>

#include "saltus/cones/conic_solver.h"

namespace saltus {

struct ProxOptions : ConicSolverOptions {
  double relaxation = 1.0;  // ω, 0 < ω ≤ 1.5
};

class ProxSolver final : public ConicSolver {
 public:
  explicit ProxSolver(const ProxOptions& options) : ConicSolver(options), options_(options) {}

  std::string name() const override { return "prox"; }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<ProxSolver>(options_);
  }

 private:
  SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                           VectorX* r) override;
  ProxOptions options_;
};

}  // namespace saltus
