// De Saxcé's fixed point: a sequence of convex problems.
//
//   s_k = μ|u_T(r_k)|,   r_{k+1} solves   K* ∋ u + s_k n ⟂ r ∈ K,   u = A r + b                (1)
//
// With the shift held, (1) is a quadratic programme over second-order cones, which has a solution
// whenever Coulomb's problem is feasible, with a unique u; interior_point.h solves it. A fixed
// point of s obeys Coulomb's law [@cite DeSaxceFeng1998, @cite AcaryEtAl2011]. It is solved to a
// hundredth of the present residual.
//
// Converges in a few passes where little slides, or everything in known directions; where contacts
// decide between stick and slip together it contracts slowly or not at all (reported as stagnated),
// and interior_point.h with the shift inside its steps is the better choice. Cones as there.
#pragma once

#include <memory>
#include <string>

#include "saltus/cones/conic_solver.h"

namespace saltus {

class DeSaxceSolver final : public ConicSolver {
 public:
  explicit DeSaxceSolver(const ConicSolverOptions& options)
      : ConicSolver(options), options_(options) {}

  std::string name() const override { return "de-saxce"; }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<DeSaxceSolver>(options_);
  }

 private:
  SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                           VectorX* r) override;
  ConicSolverOptions options_;
};

}  // namespace saltus
