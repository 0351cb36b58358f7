#include "saltus/cones/solvers/nsgs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/cones/projections.h"
#include "saltus/cones/solvers/sweep.h"

namespace saltus {
namespace {

constexpr int kCheckPeriod = 10;            // sweeps between evaluations at most
constexpr double kGrowth = 2.0;             // of the sweep change that restarts the acceleration
constexpr int kStagnationPeriod = 400;      // sweeps in which the best residual must improve …
constexpr double kStagnationFactor = 0.95;  // … to this fraction

// Decides when the natural map is worth an evaluation.
class CheckSchedule {
 public:
  explicit CheckSchedule(double tolerance) : tolerance_(tolerance) {}

  bool IsDue(int sweep, double change) const {
    return change * ratio_ <= tolerance_ || sweep - last_ >= kCheckPeriod;
  }
  void Record(int sweep, double change, double residual) {
    last_ = sweep;
    ratio_ = change > 0 ? std::clamp(residual / change, 0.1, 1e3) : 1.0;
  }

 private:
  double tolerance_;
  int last_ = 0;
  double ratio_ = 1;
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
    if (block.kind == LocalKind::kImmovable) r->segment(block.offset, block.dimension).setZero();
  }
  anderson_.Reset(n, options_.memory);
  return true;
}

bool NsgsSolver::Judge(const ConicProblem& problem, const VectorX& r, SolveReport* report) {
  const NaturalMapResidual residual = CalcNaturalMapResidual(problem, r, &scratch_);
  if (best_.size() != r.size() || residual.relative < report->residual.relative) {
    report->residual = residual;
    best_ = r;
  }
  return residual.relative <= options_.tolerance;
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
    const bool unilateral = cone.kind == ConeKind::kNonnegative || cone.kind == ConeKind::kFriction;
    if (unilateral && u[0] < -tolerance) return SolveStatus::kInfeasible;
    if (cone.kind == ConeKind::kFree && CalcNorm(u, cone.dimension) > tolerance) {
      return SolveStatus::kInfeasible;
    }
  }
  return SolveStatus::kStagnated;
}

template <class Form>
SolveReport NsgsSolver::Iterate(const ConicProblem& problem, Form* form, VectorX* r) {
  SolveReport report;
  report.residual.relative = std::numeric_limits<double>::infinity();
  best_.resize(0);
  if (Judge(problem, *r, &report)) return report;
  CheckSchedule schedule(options_.tolerance);
  StagnationWatch watch;
  double least_change = std::numeric_limits<double>::infinity();
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
    const bool last = k == options_.max_iterations;
    if (last || schedule.IsDue(k, change)) {
      const double before = report.residual.relative;
      if (Judge(problem, *r, &report)) {
        report.status = SolveStatus::kConverged;
        return report;
      }
      const bool fixed = sweep.change == 0 && report.residual.relative >= before;
      if (fixed || watch.IsStuck(k, report.residual.relative)) {
        report.status = FindFailure(problem, best_);
        break;
      }
      schedule.Record(k, change, report.residual.relative);
      form->Start(r->data());
    }
    if (options_.memory == 0) continue;
    if (std::sqrt(sweep.change) > kGrowth * least_change) {
      anderson_.Restart();
      least_change = std::numeric_limits<double>::infinity();
      continue;
    }
    least_change = std::min(least_change, std::sqrt(sweep.change));
    anderson_.Extrapolate(input_, weights_, r);
    form->Start(r->data());
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
