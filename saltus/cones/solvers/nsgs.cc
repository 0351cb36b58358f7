#include "saltus/cones/solvers/nsgs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/cones/friction_groups.h"
#include "saltus/cones/solvers/sweep.h"

namespace saltus {
namespace {

constexpr int kCheckPeriod = 25;       // sweeps between evaluations at most …
constexpr int kCheckPeriodSmall = 10;  // … and where Newton steps are tried
// A Newton step that multiplies the impulses follows a null vector of A to where the relative
// residual is small only because |r| is large: it is refused.
constexpr double kMaxNewtonGrowth = 10;
constexpr double kGrowth = 2.0;  // of the sweep change that restarts the acceleration
constexpr int kPlainSweeps = 5;  // before the acceleration begins
// Beyond this size the history no longer fits a cache beside the rows, and reading it costs more
// than a long memory saves.
constexpr int kLargeProblem = 5000;  // rows
constexpr int kMemoryOfLarge = 2;
// Beyond this size the second-level cache does not hold the history even so. Two sweeps then count
// as one iteration: 5 % more sweeps, half the reading. So too where an extrapolation costs a pass
// over the rows of A, as much as a sweep (projection of large piles). The second sweep leaves out
// the blocks that are at zero after the first, a third to a half of all.
constexpr int kHugeProblem = 40000;  // rows
constexpr int kSweepsOfHuge = 2;
// Of the tolerance: rounding errors that extrapolation may leave in the velocities of the bodies.
// With 2e-6 some badly conditioned problems no longer converge.
constexpr double kCompanionError = 1e-10;
// Sweeps in which the best residual must improve, or else acceleration ends, and then the sweeps …
constexpr int kAcceleratedPeriod = 400, kAcceleratedPeriodOfLarge = 200, kPlainPeriod = 1000;
constexpr double kStagnationFactor = 0.95;  // … to this fraction

// Decides when the natural map is worth an evaluation. Its residual is a third to a half of the
// change that a sweep made, in piles of spheres nearly always, and of that order elsewhere.
// The velocity that the worst block breaks of its law is likewise of the order of what the largest
// change of a block did to its own velocity.
class CheckSchedule {
 public:
  /// @param largest_diagonal  of A: from changes of r to velocities
  CheckSchedule(const SolveTarget& target, double largest_diagonal, int period)
      : target_(target), largest_diagonal_(largest_diagonal), period_(period) {}

  bool IsDue(int sweep, const SweepChange& change) const {
    return CalcRelative(change) * ratio_ <= target_.relative ||
           CalcVelocity(change) * velocity_ratio_ < target_.velocity_aim ||
           sweep - last_ >= period_;
  }
  void Record(int sweep, const SweepChange& change, const NaturalMapResidual& residual) {
    last_ = sweep;
    ratio_ = Divide(residual.relative, CalcRelative(change));
    velocity_ratio_ = Divide(residual.velocity, CalcVelocity(change));
  }

 private:
  static double CalcRelative(const SweepChange& x) {
    return x.norm > 0 ? std::sqrt(x.change / x.norm) : 0.0;
  }
  double CalcVelocity(const SweepChange& x) const {
    return largest_diagonal_ * std::sqrt(x.largest);
  }
  static double Divide(double residual, double change) {
    return change > 0 ? std::clamp(residual / change, 0.1, 1e3) : 1.0;
  }

  const SolveTarget& target_;
  double largest_diagonal_;
  int period_;
  int last_ = 0;
  double ratio_ = 0.5, velocity_ratio_ = 0.5;
};

// Newton steps are tried at every evaluation as long as they help, ever more rarely otherwise.
class NewtonSchedule {
 public:
  bool IsDue(int sweep) const { return sweep >= next_; }
  void Record(int sweep, bool success) {
    wait_ = success ? kCheckPeriodSmall : 2 * wait_;
    next_ = success ? sweep : sweep + wait_;
  }

 private:
  int wait_ = kCheckPeriodSmall;
  int next_ = kCheckPeriodSmall;
};

// Notices that the best residual no longer falls.
class StagnationWatch {
 public:
  bool IsStuck(int sweep, double best, int period) {
    if (best < kStagnationFactor * level_) {
      level_ = best;
      since_ = sweep;
    }
    return sweep - since_ >= period;
  }

 private:
  double level_ = std::numeric_limits<double>::infinity();
  int since_ = 0;
};

}  // namespace

bool NsgsSolver::Prepare(const ConicProblem& problem, Impulses* r) {
  const int n = problem.size();
  if (!r->allFinite()) r->setZero();
  if (!problem.b.allFinite() || !blocks_.Factor(problem, options_.local_method)) return false;
  weights_.resize(n);
  for (int c = 0; c < blocks_.size(); ++c) {
    const LocalBlock& block = blocks_.block(c);
    weights_.segment(block.offset, block.dimension).setConstant(blocks_.mean_diagonal(c));
    if (block.kind == LocalKind::kNewton) {  // Moments have other units than impulses.
      weights_.segment(block.offset, block.dimension) =
          blocks_.diagonal().segment(block.offset, block.dimension);
    }
    if (block.kind == LocalKind::kImmovable) r->segment(block.offset, block.dimension).setZero();
  }
  return true;
}

double NsgsSolver::Judge(const ConicProblem& problem, const StopRule& rule, const Impulses& r,
                         SolveReport* report) {
  CalcVelocity(problem, r, &u_);
  residual_ = CalcNaturalMapResidual(problem, r.data(), u_.data(), blocks_.diagonal().data());
  const double score = rule.CalcScore(residual_, r.norm());
  if (!has_best_ || score < best_score_) {
    has_best_ = true;
    best_score_ = score;
    report->residual = residual_;
    best_ = r;
  }
  return score;
}

void NsgsSolver::FindLoaded(const Impulses& r) {
  // Without branches, which would be guessed wrong: about half of the blocks are loaded.
  loaded_.resize(blocks_.size());
  std::size_t count = 0;
  for (int c = 0; c < blocks_.size(); ++c) {
    const LocalBlock& block = blocks_.block(c);
    const double* r_c = r.data() + block.offset;
    bool is_loaded = r_c[0] != 0;
    for (int i = 1; i < block.dimension; ++i) is_loaded |= r_c[i] != 0;
    loaded_[count] = c;
    count += is_loaded ? 1 : 0;
  }
  loaded_.resize(count);
}

template <class Form>
bool NsgsSolver::TryNewton(const ConicProblem& problem, const StopRule& rule, double score,
                           Form* form, Impulses* r, SolveReport* report) {
  proposal_ = *r;
  if (!newton_.Step(problem, u_.data(), proposal_.data()) ||
      !(proposal_.norm() <= kMaxNewtonGrowth * r->norm())) {
    form->Start(r->data());
    return false;
  }
  form->Start(proposal_.data());
  const SweepChange sweep = Sweep(blocks_, false, form, proposal_.data());
  ++report->iterations;
  const bool better = std::isfinite(sweep.change) && std::isfinite(sweep.norm) &&
                      Judge(problem, rule, proposal_, report) < score;
  if (better) *r = proposal_;
  form->Start(r->data());
  return better;
}

template <class Form>
void NsgsSolver::Accelerate(const SolveTarget& target, const SweepChange& sweep, Form* form,
                            Impulses* r, double* least_change) {
  const double change = std::sqrt(sweep.change);
  if (change > kGrowth * *least_change) {
    anderson_.Restart();
    *least_change = std::numeric_limits<double>::infinity();
    return;
  }
  *least_change = std::min(*least_change, change);
  companion_error_ *=
      anderson_.Extrapolate(input_.data(), weights_.data(), r->data(), form->companion());
  if (!carries_companion_) return form->Start(r->data());
  constexpr double kRounding = std::numeric_limits<double>::epsilon();
  if (companion_error_ * kRounding > kCompanionError * target.relative) {
    form->Start(r->data());
    companion_error_ = 1;
  }
}

// A block that nothing can move and whose velocity breaks its law makes the problem infeasible.
SolveStatus NsgsSolver::FindFailure(const ConicProblem& problem, double relative,
                                    const Impulses& r) {
  CalcVelocity(problem, r, &u_);
  const double tolerance = std::max(relative, 1e-12) * u_.norm();
  for (int c = 0; c < blocks_.size(); ++c) {
    if (blocks_.block(c).kind != LocalKind::kImmovable) continue;
    const Cone& cone = problem.cones[c];
    const double* u = u_.data() + cone.offset;
    const bool unilateral = cone.kind == ConeKind::kNonnegative || IsFrictional(cone);
    if (unilateral && u[0] < -tolerance) return SolveStatus::kInfeasible;
    if (cone.kind == ConeKind::kFree && CalcNorm(u, cone.dimension) > tolerance) {
      return SolveStatus::kInfeasible;
    }
  }
  return SolveStatus::kStagnated;
}

template <class Form>
SolveReport NsgsSolver::Iterate(const ConicProblem& problem, const SolveTarget& target, Form* form,
                                Impulses* r) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const StopRule rule(problem, target, problem.size() > 0 ? blocks_.diagonal().mean() : 0.0);
  SolveReport report;
  has_best_ = false;
  if (Judge(problem, rule, *r, &report) <= 1) return report;
  const bool small = problem.size() <= FaceNewton::kMaxRows;
  bool newton_ready = false;
  CheckSchedule checks(target, weights_.size() > 0 ? weights_.maxCoeff() : 0.0,
                       small ? kCheckPeriodSmall : kCheckPeriod);
  NewtonSchedule newton;
  StagnationWatch watch;
  double least_change = kInfinity;
  form->StartFromProduct(r->data());
  const bool large = problem.size() >= kLargeProblem;
  int memory = large ? std::min(options_.memory, kMemoryOfLarge) : options_.memory;
  const int accelerated_period = large ? kAcceleratedPeriodOfLarge : kAcceleratedPeriod;
  // Extrapolating the companion moves 4 + 2 m vectors of its size, forming it anew the rows of A.
  carries_companion_ =
      (4 + 2 * memory) * form->companion_size() <= BodyDelassus::kRowSize * problem.size();
  const bool costly = problem.size() >= kHugeProblem || (large && !carries_companion_);
  const int stride = costly ? kSweepsOfHuge : 1;
  anderson_.Reset(problem.size(), memory, carries_companion_ ? form->companion_size() : 0);
  report.status = SolveStatus::kMaxIterations;
  while (report.iterations < target.budget.max_iterations) {
    CheckStop(options_.stop);
    const bool accelerates = memory > 0 && report.iterations >= kPlainSweeps;
    const bool begins = (report.iterations - kPlainSweeps) % stride == 0;
    if (accelerates && begins) input_ = *r;
    const bool backward = options_.symmetric_sweeps && report.iterations % 2 == 1;
    const bool partial = accelerates && !begins;
    if (partial) FindLoaded(*r);
    const SweepChange sweep = partial ? Sweep(blocks_, loaded_, form, r->data())
                                      : Sweep(blocks_, backward, form, r->data());
    const int k = ++report.iterations;
    if (!std::isfinite(sweep.change) || !std::isfinite(sweep.norm)) {
      report.status = SolveStatus::kNotFinite;
      break;
    }
    if (k == target.budget.max_iterations || checks.IsDue(k, sweep)) {
      const double score = Judge(problem, rule, *r, &report);
      checks.Record(k, sweep, residual_);
      bool moved = false;
      if (best_score_ > 1 && small && newton.IsDue(k) && k < target.budget.max_iterations) {
        if (!newton_ready) newton_.Prepare(problem);
        newton_ready = true;
        moved = TryNewton(problem, rule, score, form, r, &report);
        newton.Record(k, moved);
      } else {
        form->StartFromProduct(r->data());
      }
      if (best_score_ <= 1) {
        report.status = SolveStatus::kConverged;
        break;
      }
      // Impulses that drift towards a change of state at a constant rate look converged to the
      // extrapolation, which holds them back: plain sweeps go on.
      if (watch.IsStuck(k, best_score_, accelerated_period)) memory = 0;
      if ((sweep.change == 0 && !moved && !partial) ||
          watch.IsStuck(k, best_score_, kPlainPeriod)) {
        report.status = FindFailure(problem, target.relative, best_);
        if (report.status == SolveStatus::kInfeasible) {
          report.reason = "a block that nothing can move breaks its law";
        }
        break;
      }
      if (moved) {
        anderson_.Restart();
        least_change = kInfinity;
        continue;
      }
    }
    const bool ends = (k - kPlainSweeps) % stride == 0;
    if (accelerates && ends) Accelerate(target, sweep, form, r, &least_change);
  }
  *r = best_;
  return report;
}

template <class Form>
SolveReport NsgsSolver::IterateCompliant(const ConicProblem& problem, const SolveTarget& target,
                                         Form* form, Impulses* r) {
  if (problem.compliance.size() == 0) return Iterate(problem, target, form, r);
  CompliantSweep<Form> compliant(form, problem.compliance);
  return Iterate(problem, target, &compliant, r);
}

SolveReport NsgsSolver::SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                                     VectorX* r) {
  if (r->size() != problem.size()) r->setZero(problem.size());
  return Run(problem, target, Impulses(r->data(), r->size()));
}

SolveReport NsgsSolver::SolveGrowing(const ConicProblem& problem, const SolveTarget& target,
                                     GrowingVector* r) {
  if (r->size() != problem.size()) r->setZero(problem.size());
  return Run(problem, target, *r);
}

SolveReport NsgsSolver::Run(const ConicProblem& problem, const SolveTarget& target, Impulses r) {
  if (!Prepare(problem, &r)) {
    SolveReport report;
    report.status = SolveStatus::kNotFinite;
    report.residual.relative = report.residual.absolute = report.residual.velocity =
        std::numeric_limits<double>::infinity();
    r.setZero();
    return report;
  }
  if (const auto* body = dynamic_cast<const BodyDelassus*>(problem.A)) {
    BodySweep form(*body, problem.b.data(), &velocities_);
    return IterateCompliant(problem, target, &form, &r);
  }
  if (const auto* sparse = dynamic_cast<const BlockSparseDelassus*>(problem.A)) {
    BlockSparseSweep form(*sparse, problem.b.data());
    return IterateCompliant(problem, target, &form, &r);
  }
  const auto* dense = dynamic_cast<const DenseDelassus*>(problem.A);
  if (dense == nullptr) {
    dense_.matrix() = MakeDense(*problem.A);
    dense = &dense_;
  }
  DenseSweep form(dense->matrix(), problem.b.data());
  return IterateCompliant(problem, target, &form, &r);
}

}  // namespace saltus
