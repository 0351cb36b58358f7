#include "saltus/cones/solvers/nsgs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/cones/friction_groups.h"
#include "saltus/cones/solvers/coupled_sweep.h"

namespace saltus {
namespace {

// Sweeps between evaluations at most, and where Newton steps are tried.
constexpr int kCheckPeriod = 25, kCheckPeriodSmall = 10;
constexpr int kFirstVerdict = 2 * kCheckPeriod;  // sweeps before a rate is known
// Sweeps after the acceptance of an iterate that may still meet the aim.
constexpr int kAcceptedPatience = kCheckPeriod;
// Acceleration, and then the sweeps, end if after kVerdict sweeps their rate predicts more than
// kHopeless times the budget.
constexpr int kVerdict = 400;
constexpr double kHopeless = 10;
// A Newton step that multiplies the impulses follows a null vector of A to where the relative
// residual is small only because |r| is large: it is refused.
constexpr double kMaxNewtonGrowth = 10;
constexpr double kGrowth = 2.0;  // of the sweep change that restarts the acceleration
constexpr int kPlainSweeps = 5;  // before the acceleration begins
// Beyond this size the history no longer fits a cache beside the rows: it is kept short. Where an
// extrapolation costs a pass over the rows of A besides, as much as a sweep, or the history is
// beyond the second-level cache even so, two sweeps count as one iteration of the fixed point; the
// second leaves out the blocks that are at zero after the first, a third to a half of all.
constexpr int kLargeProblem = 5000, kHugeProblem = 40000;  // rows
constexpr int kMemoryOfLarge = 2;
// Of the tolerance: rounding errors that extrapolation may leave in the velocities of the bodies.
constexpr double kCompanionError = 1e-10;

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
  if (!newton_ready_) newton_.Prepare(problem);
  newton_ready_ = true;
  proposal_ = *r;
  if (!newton_.Step(problem, u_.data(), proposal_.data()) ||
      !(proposal_.norm() <= kMaxNewtonGrowth * r->norm())) {
    form->Start(r->data());
    return false;
  }
  form->Start(proposal_.data());
  const SweepChange sweep = Sweep(blocks_, form, proposal_.data());
  ++report->iterations;
  const bool better = std::isfinite(sweep.change) && std::isfinite(sweep.norm) &&
                      Judge(problem, rule, proposal_, report) < score;
  if (better) *r = proposal_;
  form->Start(r->data());
  return better;
}

template <class Form>
void NsgsSolver::Accelerate(const SolveTarget& target, const SweepChange& sweep, Form* form,
                            Impulses* r) {
  const double change = std::sqrt(sweep.change);
  if (change > kGrowth * least_change_) {
    anderson_.Restart();
    least_change_ = std::numeric_limits<double>::infinity();
    return;
  }
  least_change_ = std::min(least_change_, change);
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
                                    SolveReport* report) {
  CalcVelocity(problem, best_, &u_);
  const double tolerance = std::max(relative, 1e-12) * u_.norm();
  for (int c = 0; c < blocks_.size(); ++c) {
    if (blocks_.block(c).kind != LocalKind::kImmovable) continue;
    const Cone& cone = problem.cones[c];
    const double* u = u_.data() + cone.offset;
    const bool unilateral = cone.kind == ConeKind::kNonnegative || IsFrictional(cone);
    const bool bilateral = cone.kind == ConeKind::kFree;
    if ((unilateral && u[0] < -tolerance) ||
        (bilateral && CalcNorm(u, cone.dimension) > tolerance)) {
      report->reason = "a block that nothing can move breaks its law";
      return SolveStatus::kInfeasible;
    }
  }
  return SolveStatus::kStagnated;
}

bool NsgsSolver::Accelerates(int num_sweeps) const {
  return memory_ > 0 && num_sweeps >= kPlainSweeps;
}

// What an evaluation concludes.
NsgsSolver::Verdict NsgsSolver::Conclude(const SolveTarget& target, const NaturalMapResidual& best,
                                         int sweep) {
  if (best_score_ <= 1) return Verdict::kSolved;
  progress_.Record(sweep, best_score_);
  if (progress_.num_sweeps() < kFirstVerdict) return Verdict::kGoOn;
  const double left = progress_.CalcSweepsLeft();
  const bool accepted = best.velocity <= target.velocity_limit;
  const bool holds = best.sticking_velocity <= target.velocity_aim;
  const int patience = accepted && holds ? kAcceptedPatience : target.budget.patience;
  if (patience < std::numeric_limits<int>::max() && left > patience) return Verdict::kSlow;
  if (progress_.num_sweeps() < kVerdict || left <= kHopeless * target.budget.max_iterations) {
    return Verdict::kGoOn;
  }
  if (memory_ == 0) return Verdict::kSlow;
  // Impulses that drift towards a change of state at a constant rate look converged to the
  // extrapolation, which holds them back: plain sweeps go on.
  memory_ = 0;
  progress_.Reset(sweep);
  return Verdict::kGoOn;
}

template <class Form>
void NsgsSolver::PrepareAcceleration(const ConicProblem& problem, const Form& form) {
  const bool large = problem.size() >= kLargeProblem;
  memory_ = large ? std::min(options_.memory, kMemoryOfLarge) : options_.memory;
  // Extrapolating the companion moves 4 + 2 m vectors of its size, forming it again the rows of A.
  carries_companion_ =
      (4 + 2 * memory_) * form.companion_size() <= BodyDelassus::kRowSize * problem.size();
  const bool costly = problem.size() >= kHugeProblem || (large && !carries_companion_);
  stride_ = costly ? 2 : 1;
  least_change_ = std::numeric_limits<double>::infinity();
  companion_error_ = 1;
  anderson_.Reset(problem.size(), memory_, carries_companion_ ? form.companion_size() : 0);
}

// Sweeps once; `k` sweeps were made before.
template <class Form>
SweepChange NsgsSolver::SweepOnce(int k, Form* form, Impulses* r) {
  if (!Accelerates(k)) return Sweep(blocks_, form, r->data());
  if ((k - kPlainSweeps) % stride_ == 0) {
    input_ = *r;
    return Sweep(blocks_, form, r->data());
  }
  FindLoaded(*r);
  return Sweep(blocks_, loaded_, form, r->data());
}

template <class Form>
SolveReport NsgsSolver::Iterate(const ConicProblem& problem, const SolveTarget& target, Form* form,
                                Impulses* r) {
  const StopRule rule(problem, target, problem.size() > 0 ? blocks_.diagonal().mean() : 0.0);
  const int max_iterations = target.budget.max_iterations;
  SolveReport report;
  has_best_ = false;
  if (Judge(problem, rule, *r, &report) <= 1) return report;
  const bool small = problem.size() <= FaceNewton::kMaxRows;
  CheckSchedule checks(target, weights_.maxCoeff(), small ? kCheckPeriodSmall : kCheckPeriod);
  NewtonSchedule newton;
  newton_ready_ = false;
  progress_.Reset(0);
  form->StartFromProduct(r->data());
  PrepareAcceleration(problem, *form);
  report.status = SolveStatus::kMaxIterations;
  while (report.iterations < max_iterations) {
    CheckStop(options_.stop);
    const bool accelerates = Accelerates(report.iterations);
    const SweepChange sweep = SweepOnce(report.iterations, form, r);
    const int k = ++report.iterations;
    const bool extrapolates = accelerates && (k - kPlainSweeps) % stride_ == 0;
    if (!std::isfinite(sweep.change) || !std::isfinite(sweep.norm)) {
      report.status = SolveStatus::kNotFinite;
      break;
    }
    if (k == max_iterations || checks.IsDue(k, sweep)) {
      const double score = Judge(problem, rule, *r, &report);
      checks.Record(k, sweep, residual_);
      bool moved = false;
      if (best_score_ > 1 && small && newton.IsDue(k) && k < max_iterations) {
        moved = TryNewton(problem, rule, score, form, r, &report);
        newton.Record(k, moved);
      } else {
        form->StartFromProduct(r->data());
      }
      const Verdict verdict = Conclude(target, report.residual, k);
      if (verdict == Verdict::kSolved) {
        report.status = SolveStatus::kConverged;
        break;
      }
      const bool rests = sweep.change == 0 && !moved && (!accelerates || stride_ == 1);
      if (rests || verdict == Verdict::kSlow) {
        report.status = FindFailure(problem, target.relative, &report);
        break;
      }
      if (moved) {
        anderson_.Restart();
        least_change_ = std::numeric_limits<double>::infinity();
        continue;
      }
    }
    if (extrapolates && memory_ > 0) Accelerate(target, sweep, form, r);
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
  if (const auto* body = problem.A->body_form()) {
    BodySweep form(*body, problem.b.data(), &velocities_);
    return IterateCompliant(problem, target, &form, &r);
  }
  if (const auto* sparse = problem.A->block_sparse_form()) {
    BlockSparseSweep form(*sparse, problem.b.data());
    return IterateCompliant(problem, target, &form, &r);
  }
  const auto* coupled = problem.A->coupled_form();
  if (coupled != nullptr && coupled->can_sweep()) {
    CoupledSweep form(*coupled, problem.b.data());
    return IterateCompliant(problem, target, &form, &r);
  }
  const auto* dense = problem.A->dense_form();
  if (dense == nullptr) {
    dense_.matrix() = MakeDense(*problem.A);
    dense = &dense_;
  }
  DenseSweep form(dense->matrix(), problem.b.data());
  return IterateCompliant(problem, target, &form, &r);
}

}  // namespace saltus
