// The proximal-point method: a sequence of regularised problems, each solved by semismooth Newton.
//
//   r_{k+1} solves   u = (A + α_k D) r + (b − α_k D r_k),   K* ∋ û ⟂ r ∈ K                     (1)
//
// D = diag(tr A_cc / d) [@cite Rockafellar1976]. (1) has a regular matrix even where A is singular,
// and its fixed points solve the original problem. It is solved to a tenth of the present residual;
// α falls by a factor of ten after each success and rises by a hundred where Newton's method fails.
// Robust and, since the outer steps lengthen, fast in the end: a few Newton steps for each α.
#pragma once

#include <memory>
#include <string>

#include "saltus/cones/solvers/semismooth_newton.h"

namespace saltus {

struct ProximalPointOptions : ConicSolverOptions {
  double first_alpha = 1e-1;  // α₀ > 0; small where the start is close to a solution
};

class ProximalPointSolver final : public ConicSolver {
 public:
  explicit ProximalPointSolver(const ConicSolverOptions& options)
      : ConicSolver(options), options_{options} {}
  explicit ProximalPointSolver(const ProximalPointOptions& options)
      : ConicSolver(options), options_(options) {}

  std::string name() const override { return "proximal-point"; }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<ProximalPointSolver>(options_);
  }

 private:
  SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                           VectorX* r) override;

  ProximalPointOptions options_;
  SemismoothNewton newton_;
};

}  // namespace saltus
