// NSGS: the nonsmooth Gauss–Seidel method [@cite AcaryBrogliato2008, §13.7], accelerated.
//
// A sweep g(r) visits all blocks in their order and solves each exactly with the others at rest
// (sweep.h, coulomb_block.h). Solutions of the conic problem are the fixed points r = g(r)
// (movable blocks). Plain sweeps converge slowly in tall or hyperstatic piles, so after the first
// few the sequence is extrapolated (anderson.h); a sweep that changes r more than kGrowth times as
// much as the best sweep did restarts the history from plain sweeps; if the rate is hopeless,
// extrapolation ends for good and plain sweeps go on (docs/decisions/0002). Extrapolation
// moves only the starting point of the next sweep: what is judged and returned is always the
// outcome of a sweep, hence inside the cones.
//
// Small problems (face_newton.h) also try a Newton step on the face of the present iterate now and
// then; its outcome, after a sweep, is taken if the natural map says that it is better.
//
// Stopping (sweep_progress.h): |Δr|/|r| of a sweep costs nothing. When it predicts that the aim is
// met, or after a fixed number of sweeps, the natural map is evaluated; it alone decides, and the
// best iterate seen is returned. Sweeps end before their maximum where their rate predicts more
// than Budget::patience of them to the aim; once an iterate is acceptable (eq. (2) of SolveTarget)
// and the blocks that stick hold the aim, where it predicts more than a few.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saltus/cones/body_delassus.h"
#include "saltus/cones/conic_solver.h"
#include "saltus/cones/dense_delassus.h"
#include "saltus/cones/solvers/anderson.h"
#include "saltus/cones/solvers/face_newton.h"
#include "saltus/cones/solvers/judge.h"
#include "saltus/cones/solvers/local_blocks.h"
#include "saltus/cones/solvers/sweep_progress.h"

namespace saltus {

struct NsgsOptions : ConicSolverOptions {
  int memory = 5;  // of the acceleration, 0 … 10; 0: plain Gauss–Seidel
};

class NsgsSolver final : public ConicSolver {
 public:
  explicit NsgsSolver(const NsgsOptions& options) : ConicSolver(options), options_(options) {}

  std::string name() const override { return "nsgs"; }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<NsgsSolver>(options_);
  }

 private:
  using Impulses = Eigen::Map<VectorX>;

  SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                           VectorX* r) override;
  SolveReport SolveGrowing(const ConicProblem& problem, const SolveTarget& target,
                           GrowingVector* r) override;
  SolveReport Run(const ConicProblem& problem, const SolveTarget& target, Impulses r);
  bool Prepare(const ConicProblem& problem, Impulses* r);
  template <class Form>
  SolveReport Iterate(const ConicProblem& problem, const SolveTarget& target, Form* form,
                      Impulses* r);
  /// Iterate, with the compliance of the problem if it has one.
  template <class Form>
  SolveReport IterateCompliant(const ConicProblem& problem, const SolveTarget& target, Form* form,
                               Impulses* r);
  /// The score of r, which is kept if it is the best so far. Leaves u(r) in u_.
  double Judge(const ConicProblem& problem, const StopRule& rule, const Impulses& r,
               SolveReport* report);
  /// Follows judgement of *r. True if the Newton step and a sweep made it better.
  template <class Form>
  bool TryNewton(const ConicProblem& problem, const StopRule& rule, double score, Form* form,
                 Impulses* r, SolveReport* report);
  /// Extrapolates *r, the outcome of a sweep from input_, or restarts the history.
  template <class Form>
  void Accelerate(const SolveTarget& target, const SweepChange& sweep, Form* form, Impulses* r);
  template <class Form>
  void PrepareAcceleration(const ConicProblem& problem, const Form& form);
  bool Accelerates(int num_sweeps) const;
  template <class Form>
  SweepChange SweepOnce(int k, Form* form, Impulses* r);
  enum class Verdict { kSolved, kGoOn, kSlow };
  Verdict Conclude(const SolveTarget& target, const NaturalMapResidual& best, int sweep);
  SolveStatus FindFailure(const ConicProblem& problem, double relative, SolveReport* report);
  /// loaded_ from r.
  void FindLoaded(const Impulses& r);

  NsgsOptions options_;
  LocalBlocks blocks_;
  Anderson anderson_;
  FaceNewton newton_;
  std::vector<BodyDelassus::Velocity> velocities_;
  std::vector<int> loaded_;         // blocks with an impulse
  DenseDelassus dense_{MatrixX()};  // copy of an operator of unknown form
  GrowingVector weights_;           // mean diagonal entry of each block, per row
  GrowingVector input_;             // starting point of the sweep
  GrowingVector proposal_;          // of a Newton step
  GrowingVector best_;
  GrowingVector u_;              // of the iterate judged last …
  NaturalMapResidual residual_;  // … and its residual
  bool has_best_ = false;
  double best_score_ = 0;
  SweepProgress progress_;
  bool newton_ready_ = false;
  int memory_ = 0;                  // of the acceleration, 0: it has ended
  int stride_ = 1;                  // sweeps from one extrapolation to the next
  double least_change_ = 0;         // of the sweeps since the history was restarted
  bool carries_companion_ = false;  // else z is formed again after each extrapolation
  double companion_error_ = 1;      // bound of what extrapolation did to rounding (anderson.h)
};

}  // namespace saltus
