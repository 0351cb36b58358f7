// The solver that chooses for you:
//
//   no friction, at most kMaxLemkeRows rows     Lemke's method: exact, finitely many pivots
//   no friction, more rows                      Gauss–Seidel; where it crawls, conjugate gradients
//                                               (projected_cg.h)
//   otherwise                                   Gauss–Seidel; where it crawls and there are at most
//                                               kMaxNewtonRows rows, Gauss–Seidel and Newton in
//                                               turns (hybrid_solver.h)
//   more rows, but contacts that form chains,   the same, once round: factorisations are cheap
//   walls, columns, so that a factorisation     (in body space where bodies have many contacts to
//   takes ≤ kMaxFlopsPerRow a row               few neighbours, body_lu.h)
//   more rows, still not solved, and            Gauss–Seidel to where it stagnates, then a cycle of
//   ≤ kMaxLateFlopsPerRow a row                 turns
//   still not solved, at most kMaxRescueRows    other ways that are caught in other places: Newton,
//                                               proximal points and interior points from r = 0,
//                                               the latter also with the shift held (de_saxce.h),
//                                               Lemke's method on a friction pyramid
//                                               (linear_cones.h); each outcome is the start of new
//                                               turns
//   still not solved                            Gauss–Seidel once more, with patience
//
// What misses the tolerance is handed on, and the best iterate of all is returned. A Newton step
// costs as much as many sweeps: of max_iterations only a share goes to the turns.
#pragma once

#include <memory>
#include <string>

#include "saltus/cones/solvers/de_saxce.h"
#include "saltus/cones/solvers/hybrid_solver.h"
#include "saltus/cones/solvers/interior_point.h"
#include "saltus/cones/solvers/lemke.h"
#include "saltus/cones/solvers/nsgs.h"
#include "saltus/cones/solvers/projected_cg.h"
#include "saltus/cones/solvers/proximal_point.h"
#include "saltus/cones/solvers/semismooth_newton.h"

namespace saltus {

class AutoSolver final : public ConicSolver {
 public:
  static constexpr int kMaxLemkeRows = 40;
  static constexpr int kMaxNewtonRows = 3000;
  static constexpr int kMaxRescueRows = 600;
  static constexpr int kMaxPyramidRows = 60;
  static constexpr double kMaxFlopsPerRow = 1e4;      // a few hundred sweeps
  static constexpr double kMaxLateFlopsPerRow = 4e4;  // more in piles, where turns do not help

  explicit AutoSolver(const ConicSolverOptions& options);

  std::string name() const override { return "auto"; }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<AutoSolver>(options_);
  }

 private:
  SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                           VectorX* r) override;
  SolveReport SolveWithFriction(const ConicProblem& problem, const SolveTarget& target, VectorX* r);
  SolveReport SolveLarge(const ConicProblem& problem, const SolveTarget& target,
                         double flops_per_row, VectorX* r);
  SolveReport Rescue(const ConicProblem& problem, const SolveTarget& target, VectorX* r);
  SolveReport SolvePyramid(const ConicProblem& problem, const SolveTarget& target, VectorX* r);

  ConicSolverOptions options_;
  LemkeSolver lemke_;
  NsgsSolver nsgs_;
  HybridSolver hybrid_;
  ProjectedCgSolver projected_cg_;
  SemismoothNewtonSolver newton_;
  ProximalPointSolver proximal_point_;
  InteriorPointSolver interior_point_;
  DeSaxceSolver de_saxce_;
};

}  // namespace saltus
