// Keller's principal pivoting method for boxed mixed linear complementarity problems (boxed_lcp.h),
// in the form of driven rows [@cite Keller1973, @cite CottlePangStone1992, §4.3].
//
// All rows but one obey the problem at any time, or are still waiting. The driven row i, whose u_i
// violates it, is moved by t ≥ 0 along
//
//   δr_i = s = ±1,   A_FF δr_F = −A_Fi s,   δu = A_·F δr_F + A_·i s                            (1)
//
// until u_i vanishes (it joins the free rows F), r_i reaches its other bound, or another row
// blocks: a free row reaches a bound (it leaves F) or the velocity of a row at its bound vanishes
// (it joins F), and the driving goes on. For symmetric positive semidefinite A a blocking row never
// makes A_FF singular, the number of violating rows falls with each driven row, and driving without
// end is a ray that proves that there is no solution. Free rows that A cannot move (redundant ones)
// are regularised as in boxed_lcp.h.
//
// Exact and finite; never cycles on nondegenerate data. One dense factorisation of A_FF for each
// pivot. Free, nonnegative and constant boxes of one row, else kUnsupported. Starts from the places
// (bound or free) that the rows have in r; rows that their solution puts beyond a bound move to it.
//
// Deviation: bounds on both sides and free rows, which the source does not have.
#pragma once

#include <memory>
#include <string>

#include "saltus/cones/conic_solver.h"

namespace saltus {

class KellerSolver final : public ConicSolver {
 public:
  explicit KellerSolver(const ConicSolverOptions& options)
      : ConicSolver(options), options_(options) {}

  std::string name() const override { return "keller"; }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<KellerSolver>(options_);
  }

 private:
  SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                           VectorX* r) override;

  ConicSolverOptions options_;
};

}  // namespace saltus
