#include "saltus/cones/solvers/nsgs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/cones/friction_groups.h"
#include "saltus/cones/solvers/sweep.h"

namespace saltus {
namespace {

constexpr int kCheckPeriod = 25;           // sweeps between evaluations at most …
constexpr int kCheckPeriodSmall = 10;      // … and where Newton steps are tried
constexpr double kMaxVelocityShare = 0.1;  // of |b| that a converged residual may reach
// A Newton step that multiplies the impulses follows a null vector of A to where the relative
// residual is small only because |r| is large: it is refused.
constexpr double kMaxNewtonGrowth = 10;
constexpr double kGrowth = 2.0;             // of the sweep change that restarts the acceleration
constexpr int kStagnationPeriod = 400;      // sweeps in which the best residual must improve …
constexpr double kStagnationFactor = 0.95;  // … to this fraction

// Decides when the natural map is worth an evaluation.
class CheckSchedule {
 public:
  CheckSchedule(double tolerance, int period) : tolerance_(tolerance), period_(period) {}

  bool IsDue(int sweep, double change) const {
    return change * ratio_ <= tolerance_ || sweep - last_ >= period_;
  }
  void Record(int sweep, double change, double residual) {
    last_ = sweep;
    ratio_ = change > 0 ? std::clamp(residual / change, 0.1, 1e3) : 1.0;
  }

 private:
  double tolerance_;
  int period_;
  int last_ = 0;
  double ratio_ = 1;
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
  bool IsStuck(int sweep, double best) {
    if (best < kStagnationFactor * level_) {
      level_ = best;
      since_ = sweep;
    }
    return sweep - since_ >= kStagnationPeriod;
  }

 private:
  double level_ = std::numeric_limits<double>::infinity();
  int since_ = 0;
};

}  // namespace

bool NsgsSolver::Prepare(const ConicProblem& problem, VectorX* r) {
  const int n = problem.size();
  if (r->size() != n || !r->allFinite()) r->setZero(n);
  if (!problem.b.allFinite() || !blocks_.Factor(problem)) return false;
  weights_.resize(n);
  for (int c = 0; c < blocks_.size(); ++c) {
    const LocalBlock& block = blocks_.block(c);
    weights_.segment(block.offset, block.dimension).setConstant(blocks_.mean_diagonal(c));
    if (block.kind == LocalKind::kRolling) {  // Moments have other units than impulses.
      weights_.segment(block.offset, block.dimension) =
          blocks_.diagonal().segment(block.offset, block.dimension);
    }
    if (block.kind == LocalKind::kImmovable) r->segment(block.offset, block.dimension).setZero();
  }
  anderson_.Reset(n, options_.memory);
  return true;
}

double NsgsSolver::Judge(const ConicProblem& problem, const VectorX& r, SolveReport* report) {
  NaturalMapResidual residual = CalcNaturalMapResidual(problem, r, &scratch_);
  // Impulses that grow without bound make the relative residual small although no velocity law
  // holds: a problem without solution. What is left must be small beside the given velocities too.
  const double velocity = r.size() > 0 ? residual.relative * r.norm() * weights_.mean() : 0.0;
  if (velocity > kMaxVelocityShare * problem.b.norm()) {
    residual.relative = std::max(residual.relative, 2 * options_.tolerance);
  }
  if (!has_best_ || residual.relative < report->residual.relative) {
    has_best_ = true;
    report->residual = residual;
    best_ = r;
  }
  return residual.relative;
}

template <class Form>
bool NsgsSolver::TryNewton(const ConicProblem& problem, double residual, Form* form, VectorX* r,
                           SolveReport* report) {
  proposal_ = *r;
  if (!newton_.Step(problem, scratch_.u, &proposal_) ||
      !(proposal_.norm() <= kMaxNewtonGrowth * r->norm())) {
    form->Start(r->data());
    return false;
  }
  form->Start(proposal_.data());
  const SweepChange sweep = Sweep(blocks_, false, form, proposal_.data());
  ++report->iterations;
  const bool better = std::isfinite(sweep.change) && std::isfinite(sweep.norm) &&
                      Judge(problem, proposal_, report) < residual;
  if (better) r->swap(proposal_);
  form->Start(r->data());
  return better;
}

template <class Form>
void NsgsSolver::Accelerate(const SweepChange& sweep, Form* form, VectorX* r,
                            double* least_change) {
  const double change = std::sqrt(sweep.change);
  if (change > kGrowth * *least_change) {
    anderson_.Restart();
    *least_change = std::numeric_limits<double>::infinity();
    return;
  }
  *least_change = std::min(*least_change, change);
  anderson_.Extrapolate(input_, weights_, r);
  form->Start(r->data());
}

// A block that nothing can move and whose velocity breaks its law makes the problem infeasible.
SolveStatus NsgsSolver::FindFailure(const ConicProblem& problem, const VectorX& r) {
  problem.A->Multiply(r, &scratch_.u);
  scratch_.u += problem.b;
  const double tolerance = std::max(options_.tolerance, 1e-12) * scratch_.u.norm();
  for (int c = 0; c < blocks_.size(); ++c) {
    if (blocks_.block(c).kind != LocalKind::kImmovable) continue;
    const Cone& cone = problem.cones[c];
    const double* u = scratch_.u.data() + cone.offset;
    const bool unilateral = cone.kind == ConeKind::kNonnegative || IsFrictional(cone);
    if (unilateral && u[0] < -tolerance) return SolveStatus::kInfeasible;
    if (cone.kind == ConeKind::kFree && CalcNorm(u, cone.dimension) > tolerance) {
      return SolveStatus::kInfeasible;
    }
  }
  return SolveStatus::kStagnated;
}

template <class Form>
SolveReport NsgsSolver::Iterate(const ConicProblem& problem, Form* form, VectorX* r) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  SolveReport report;
  report.residual.relative = kInfinity;
  has_best_ = false;
  Judge(problem, *r, &report);
  if (IsWithinTolerance(report.residual, options_)) return report;
  const bool small = problem.size() <= FaceNewton::kMaxRows;
  bool newton_ready = false;
  CheckSchedule checks(options_.tolerance, small ? kCheckPeriodSmall : kCheckPeriod);
  NewtonSchedule newton;
  StagnationWatch watch;
  double least_change = kInfinity;
  form->Start(r->data());
  report.status = SolveStatus::kMaxIterations;
  while (report.iterations < options_.max_iterations) {
    input_ = *r;
    const bool backward = options_.symmetric_sweeps && report.iterations % 2 == 1;
    const SweepChange sweep = Sweep(blocks_, backward, form, r->data());
    const int k = ++report.iterations;
    if (!std::isfinite(sweep.change) || !std::isfinite(sweep.norm)) {
      report.status = SolveStatus::kNotFinite;
      break;
    }
    const double change = sweep.norm > 0 ? std::sqrt(sweep.change / sweep.norm) : 0.0;
    if (k == options_.max_iterations || checks.IsDue(k, change)) {
      const double residual = Judge(problem, *r, &report);
      checks.Record(k, change, residual);
      bool moved = false;
      if (!IsWithinTolerance(report.residual, options_) && small && newton.IsDue(k)) {
        if (!newton_ready) newton_.Prepare(problem);
        newton_ready = true;
        moved = TryNewton(problem, residual, form, r, &report);
        newton.Record(k, moved);
      } else {
        form->Start(r->data());
      }
      if (IsWithinTolerance(report.residual, options_)) {
        report.status = SolveStatus::kConverged;
        break;
      }
      if ((sweep.change == 0 && !moved) || watch.IsStuck(k, report.residual.relative)) {
        report.status = FindFailure(problem, best_);
        break;
      }
      if (moved) {
        anderson_.Restart();
        least_change = kInfinity;
        continue;
      }
    }
    if (options_.memory > 0) Accelerate(sweep, form, r, &least_change);
  }
  *r = best_;
  return report;
}

SolveReport NsgsSolver::Solve(const ConicProblem& problem, VectorX* r) {
  if (!Prepare(problem, r)) {
    SolveReport report;
    report.status = SolveStatus::kNotFinite;
    report.residual.relative = report.residual.absolute = std::numeric_limits<double>::infinity();
    r->setZero();
    return report;
  }
  if (const auto* body = dynamic_cast<const BodyDelassus*>(problem.A)) {
    BodySweep form(*body, problem.b, &velocities_);
    return Iterate(problem, &form, r);
  }
  if (const auto* sparse = dynamic_cast<const BlockSparseDelassus*>(problem.A)) {
    BlockSparseSweep form(*sparse, problem.b);
    return Iterate(problem, &form, r);
  }
  const auto* dense = dynamic_cast<const DenseDelassus*>(problem.A);
  if (dense == nullptr) {
    dense_.matrix() = MakeDense(*problem.A);
    dense = &dense_;
  }
  DenseSweep form(dense->matrix(), problem.b);
  return Iterate(problem, &form, r);
}

}  // namespace saltus
