// Projected Gauss–Seidel (PGS) and its over-relaxed form (PSOR): one row after the other.
//
//   nonnegative   r_i ← max(0, r_i − ω u_i / A_ii)                                             (1)
//   free, box     r_i ← r_i − ω u_i / A_ii, clipped to the box
//   friction      normal row as (1), then all tangential rows at once
//                 r_T ← P_D(r_T − ω u_T / λ),  λ = tr A_TT,  D = disc of radius μ r_N          (2)
//   rolling       then its moments, as (2)
//   polyhedral, associated   all rows at once: r ← P_K(r − ω û / tr A_cc)                      (3)
//
// u is kept up to date after each block. Fixed points are exact solutions, friction included. The
// simplest method of all: a few hundred sweeps for rough answers, slow beyond; NSGS (nsgs.h), which
// solves blocks exactly, is nearly always better. 0 < ω < 2; PSOR is ω ≠ 1
// [@cite CottlePangStone1992, §5.2].
#pragma once

#include <memory>
#include <string>

#include "saltus/cones/conic_solver.h"

namespace saltus {

struct PgsOptions : ConicSolverOptions {
  double relaxation = 1.0;  // ω
};

class PgsSolver final : public ConicSolver {
 public:
  explicit PgsSolver(const PgsOptions& options) : ConicSolver(options), options_(options) {}

  std::string name() const override { return "pgs"; }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<PgsSolver>(options_);
  }

 private:
  SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                           VectorX* r) override;
  PgsOptions options_;
};

}  // namespace saltus
