// Pivoting methods for boxed mixed linear complementarity problems: exact where they end.
//
//   u = A r + b,   lo ≤ r ≤ hi,   r_i = lo: u_i ≥ 0,   lo < r_i < hi: u_i = 0,   r_i = hi: u_i ≤ 0
//   (1)
//
// free rows have lo = −∞, hi = ∞, nonnegative rows lo = 0, hi = ∞, boxes lo = −s, hi = s. Every row
// is at its lower bound, free or at its upper bound; with the sets fixed,
//
//   A_FF r_F = −b_F − A_FB r_B,    u_B = A_BF r_F + A_BB r_B + b_B (2)
//
// Rows that then violate (1) change sets:
//   block-pivoting       all of them, as long as their number falls at least every kPatience
//   rounds;
//                        otherwise only the last one, as Murty does, which cannot cycle if A is a
//                        P-matrix [@cite JudicePires1994]
//   principal-pivoting   the one of least index: Murty's method [@cite CottlePangStone1992, §4.2]
//
// Singular A_FF (redundant supports): its diagonal is raised by a 1e-12th and (2) refined, which
// picks impulses of moderate size; finiteness is then not guaranteed, and cycles end in kStagnated.
// Friction cones, load-dependent and disc-shaped boxes are not linear: kUnsupported, r untouched.
// Warm start: the sets of the given r. Cost: a dense factorisation of A_FF for each round.
#pragma once

#include <memory>
#include <string>

#include "saltus/cones/conic_solver.h"

namespace saltus {

enum class PivotRule { kBlock, kLeastIndex };

class PivotingSolver final : public ConicSolver {
 public:
  PivotingSolver(const ConicSolverOptions& options, PivotRule rule)
      : options_(options), rule_(rule) {}

  std::string name() const override {
    return rule_ == PivotRule::kBlock ? "block-pivoting" : "principal-pivoting";
  }
  [[nodiscard]] SolveReport Solve(const ConicProblem& problem, VectorX* r) override;
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<PivotingSolver>(options_, rule_);
  }

 private:
  ConicSolverOptions options_;
  PivotRule rule_;
};

}  // namespace saltus
