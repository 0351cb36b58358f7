// Pivoting methods for boxed mixed linear complementarity problems (boxed_lcp.h): exact where they
// end. Every row is at its lower bound, free or at its upper bound; with the sets fixed,
//
//   A_FF r_F = −b_F − A_FB r_B,    u_B = A_BF r_F + A_BB r_B + b_B                              (1)
//
// Rows that then violate the problem change sets:
//   block-pivoting       all of them, as long as their number falls at least every kPatience
//                        rounds; otherwise only the last one, as Murty does, which cannot cycle if
//                        A is a P-matrix [@cite JudicePires1994]
//   principal-pivoting   the one of least index: Murty's method [@cite CottlePangStone1992, §4.2]
//
// Bounds that depend on the load (box friction) are held while (1) is pivoted and renewed after it,
// until they agree with their load. Planar and polyhedral friction is solved in the form of
// linear_cones.h, whose matrix is no P-matrix: the methods may then cycle, which ends in
// kStagnated, as it does where A_FF is singular (redundant supports; its diagonal is raised by a
// 1e-12th, which picks impulses of moderate size). Other cones: kUnsupported, r untouched. Warm
// start: the sets of the given r (not for friction). Cost: a dense factorisation of A_FF for each
// round.
#pragma once

#include <memory>
#include <string>

#include "saltus/cones/conic_solver.h"

namespace saltus {

enum class PivotRule { kBlock, kLeastIndex };

class PivotingSolver final : public ConicSolver {
 public:
  PivotingSolver(const ConicSolverOptions& options, PivotRule rule)
      : ConicSolver(options), options_(options), rule_(rule) {}

  std::string name() const override {
    return rule_ == PivotRule::kBlock ? "block-pivoting" : "principal-pivoting";
  }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<PivotingSolver>(options_, rule_);
  }

 private:
  SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                           VectorX* r) override;
  SolveReport SolveFriction(const ConicProblem& problem, const SolveTarget& target, VectorX* r);

  ConicSolverOptions options_;
  PivotRule rule_;
};

}  // namespace saltus
