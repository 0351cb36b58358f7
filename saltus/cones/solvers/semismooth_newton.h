// Semismooth Newton methods for conic problems, with globalisation.
//
// The laws are written as F(r, A r + b) = 0 (cone_equations.h: Alart–Curnier, natural map or
// Fischer–Burmeister). A step solves
//
//   (A_F + B_F (A + αI)) δ = −F(r),     r ← r + τ δ                                            (1)
//
// [@cite AlartCurnier1991, @cite FacchineiPang2003, §7.5 and §8.3]. τ = 1, ½, ¼, … is the first for
// which the merit function does not exceed the largest of the last kMemory values:
//
//   θ(τ) = Σ_c w_c |F_c|² ≤ (1 − 2·10⁻⁴ τ) max θ,     w_c = tr A_cc / d (an energy)            (2)
//
// The memory starts with θ at r = 0: near a solution θ must be free to rise for a few steps while
// contacts change their states, and a warm start must not take that freedom away.
// u(r + τδ) = u + τ A δ is linear in τ, so trials cost O(n). Where no τ satisfies (2), the
// regularisation α_c = α w_c is raised a hundredfold and the step repeated; after good steps α
// falls again, to kMinRegularisation at least, which makes steps unique where impulses are not.
//
// Converges quadratically near solutions where the derivative is regular, and in practice from the
// iterate that a few dozen Gauss–Seidel sweeps leave. From a cold start it can be caught in local
// minima of θ (reported as stagnation). Cost: one sparse LU for each step, of the bodies' size
// where free bodies have many contacts (body_lu.h), of the contacts' size otherwise
// (cone_jacobian.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saltus/cones/conic_solver.h"
#include "saltus/cones/solvers/body_lu.h"
#include "saltus/cones/solvers/cone_jacobian.h"
#include "saltus/cones/solvers/judge.h"

namespace saltus {

/// The iteration itself, for solvers that use it as a part.
class SemismoothNewton {
 public:
  enum class Outcome { kSolved, kMaxIterations, kStagnated };
  struct Result {
    Outcome outcome = Outcome::kMaxIterations;
    int iterations = 0;
  };

  /// The problem must outlive the calls of Iterate.
  void Prepare(const ConicProblem& problem, ConeFunction function);
  /// Steps from *r until the judge is content; *r is the last iterate, the judge has the best.
  Result Iterate(const ConicProblem& problem, int max_iterations, Judge* judge, VectorX* r);

 private:
  double CalcMerit(const ConicProblem& problem, const VectorX& r, const VectorX& u);
  bool SolveStep(double regularisation);
  bool TrySteps(const ConicProblem& problem, double bound, VectorX* r);

  const BlockSparseDelassus* A_ = nullptr;  // null: body form
  BlockSparseDelassus storage_;
  BodyLu body_lu_;
  BodyLu::Blocks left_, right_;  // A_F + α B_F and B_F of (1)
  ConeFunction function_ = ConeFunction::kAlartCurnier;
  ConeJacobian jacobian_;
  std::vector<BlockEquation> equations_;
  std::vector<double> weights_;  // w_c of eq. (2)
  std::vector<double> alpha_;
  VectorX u_, step_, product_, r_trial_, u_trial_;
};

class SemismoothNewtonSolver final : public ConicSolver {
 public:
  explicit SemismoothNewtonSolver(const ConicSolverOptions& options)
      : ConicSolver(options), options_(options) {}

  std::string name() const override { return "semismooth-newton"; }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<SemismoothNewtonSolver>(options_);
  }

 private:
  SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                           VectorX* r) override;
  ConicSolverOptions options_;
  SemismoothNewton newton_;
};

}  // namespace saltus
