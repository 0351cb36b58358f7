#include "saltus/dae/step_control.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace saltus {
namespace {

constexpr double kMinFactor = 0.2, kMaxFactor = 5;
/// A step that ends closer to t_max than this share of it is stretched or shrunk to end there.
constexpr double kSliver = 1e-9;
/// |g| that a projection leaves.
constexpr double kProjectionTolerance = 1e-13;

double MaxNorm(const VectorX& x) { return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0; }

}  // namespace

DaeRun::DaeRun(std::unique_ptr<DaeSolver> solver, const StepControlOptions& options)
    : solver_(std::move(solver)), options_(options) {}

void DaeRun::Start(DaeTerms* terms, const DaePoint& point) {
  terms_ = terms;
  solver_->Start(terms, point);
  was_rejected_ = false;
  last_error_ = 0;
  h_ = options_.first_step > 0 ? options_.first_step : ChooseFirstStep();
}

/// The step, the next step, the error, and the memory of the solver.
VectorX DaeRun::MakeMemory() const {
  const VectorX of_solver = solver_->MakeMemory();
  VectorX memory(3 + of_solver.size());
  memory << solver_->step(), h_, last_error_, of_solver;
  return memory;
}

bool DaeRun::Resume(DaeTerms* terms, const DaePoint& start, const VectorX& memory) {
  if (memory.size() < 3) return false;
  terms_ = terms;
  solver_->Start(terms, start);
  solver_->Recall(memory.tail(memory.size() - 3));
  if (!solver_->TryStep(memory[0]).ok() || (options_.projection && !Project())) return false;
  solver_->Accept();
  h_ = memory[1];
  last_error_ = memory[2];
  was_rejected_ = false;
  return true;
}

/// (5) with y = (q, v), f = (v, v̇).
double DaeRun::ChooseFirstStep() {
  const DaePoint& p = solver_->point();
  const double longest = std::min(options_.max_step, 0.1);
  if (!terms_->CalcAcceleration(p.t, p.q, p.v, &a_[0], &lambda_)) return options_.min_step;
  const double rate = std::hypot(p.v.norm(), a_[0].norm());
  const double size = std::max(std::hypot(p.q.norm(), p.v.norm()), 1e-3);
  double h = rate > 0 ? std::min(0.01 * size / rate, longest) : 0.01 * longest;
  for (int k = 0; k < 20; ++k) {
    v_ = h * p.v;
    terms_->Retract(p.q, v_, &q_);
    v_ = p.v + h * a_[0];
    if (!terms_->CalcAcceleration(p.t + h, q_, v_, &a_[1], &lambda_)) return options_.min_step;
    const double change = std::hypot((v_ - p.v).norm(), (a_[1] - a_[0]).norm());
    if (change <= rate || rate == 0) break;
    h *= 0.1;
  }
  return std::max(h, options_.min_step);
}

/// (2), (3).
double DaeRun::CalcFactor(double error) const {
  const double p = solver_->error_order(), tolerance = options_.tolerance;
  if (error < 1e-13 * tolerance) return kMaxFactor;
  double factor = options_.safety;
  if (options_.proportional_integral && last_error_ > 0) {
    factor *= std::pow(tolerance / error, 0.7 / p) * std::pow(last_error_ / tolerance, 0.4 / p);
  } else {
    factor *= std::pow(tolerance / error, 1 / p);
  }
  return std::clamp(factor, kMinFactor, kMaxFactor);
}

bool DaeRun::DriftIsSmall(double* position, double* velocity) {
  const DaePoint& end = solver_->end();
  terms_->CalcConstraint(end.t, end.q, &g_);
  *position = MaxNorm(g_);
  terms_->CalcHiddenConstraint(end.t, end.q, end.v, &g_);
  *velocity = MaxNorm(g_);
  return *position <= options_.max_position_drift && *velocity <= options_.max_velocity_drift;
}

bool DaeRun::Project() {
  q_ = solver_->end().q;
  v_ = solver_->end().v;
  if (!terms_->ProjectPosition(solver_->end().t, kProjectionTolerance, &q_) ||
      !terms_->ProjectVelocity(solver_->end().t, q_, &v_)) {
    return false;
  }
  solver_->ReplaceEnd(q_, v_);
  return true;
}

bool DaeRun::Advance(double t_max, std::string* failure) {
  const bool fixed = solver_->error_order() == 0;
  while (true) {
    const double rest = t_max - solver_->point().t;
    h_ = std::min(h_, options_.max_step);
    const bool last = h_ >= rest * (1 - kSliver);
    const double h = last ? rest : h_;
    const DaeTrial trial = solver_->TryStep(h);
    const bool solved = trial.ok() && (!options_.projection || Project());
    const bool smallest = h <= options_.min_step * (1 + kSliver);
    double position = 0, velocity = 0;
    const bool drift_is_small = solved && DriftIsSmall(&position, &velocity);
    const bool exact = fixed || trial.error <= options_.tolerance;
    if (solved && ((exact && drift_is_small) || smallest)) {
      if (!(exact && drift_is_small)) ++statistics_.at_min_step;
      solver_->Accept();
      ++statistics_.accepted;
      statistics_.max_position_drift = std::max(statistics_.max_position_drift, position);
      statistics_.max_velocity_drift = std::max(statistics_.max_velocity_drift, velocity);
      if (!fixed) {
        const double factor = CalcFactor(trial.error);
        h_ = std::max(h * (was_rejected_ ? std::min(factor, 1.0) : factor), options_.min_step);
      }
      was_rejected_ = false;
      last_error_ = trial.error;
      statistics_.counts = terms_->counts();
      return true;
    }
    ++statistics_.rejected;
    was_rejected_ = true;
    if (!solved && (smallest || fixed)) {
      *failure = trial.ok() ? "the projection onto the joints did not converge"
                            : std::string(StatusName(trial.status));
      return false;
    }
    const double factor = !solved ? 0.25 : exact ? 0.5 : std::min(CalcFactor(trial.error), 0.9);
    h_ = std::max(factor * h, options_.min_step);
  }
}

}  // namespace saltus
