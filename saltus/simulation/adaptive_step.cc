// Adaptive steps: see AdaptiveOptions in simulation.h.
#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/simulation/failure.h"
#include "saltus/simulation/simulation.h"

namespace saltus {
namespace {

constexpr char kMemory[] = "simulation.adaptive";  // the step to try next, s
constexpr double kSafety = 0.9;
constexpr double kMaxGrowth = 2, kMaxShrink = 0.2;

/// (5), limited; `error` is relative to the tolerance.
double CalcFactor(double error) {
  const double factor = error > 0 ? kSafety / std::sqrt(error) : kMaxGrowth;
  return std::clamp(factor, kMaxShrink, kMaxGrowth);
}

}  // namespace

bool Simulation::StepOnce(double h) {
  State& state = checkpoint_.state;
  Audit& audit = checkpoint_.audit;
  const Energy before = audit.final_energy;
  const StepReport& report = integrator_->Step(*system_, h, &state);
  last_report_ = &report;
  const Energy after = system_->CalcEnergy(state.time, state.q, state.v);
  if (report.status == StepStatus::kNotFinite || !std::isfinite(after.total())) return false;
  const bool flag = !report.ok() && options_.on_failure == FailurePolicy::kFlag;
  if (!report.ok() && !flag) return false;
  Account(report, before, after);
  if (flag) ++audit.flagged;
  return true;
}

Simulation::Trial Simulation::TryStep(double h) {
  State& state = checkpoint_.state;
  Trial trial;
  trial.error = std::numeric_limits<double>::infinity();
  Save();
  const StepReport& whole = integrator_->Step(*system_, h, &state);
  last_report_ = &whole;
  const bool whole_good = whole.ok();
  trial.impact = whole.impacts > 0;
  q_whole_ = state.q;
  state = saved_;
  for (int k = 0; k < 2; ++k) {
    if (!StepOnce(h / 2)) return trial;
    trial.impact = trial.impact || last_report_->impacts > 0;
  }
  trial.good = true;
  if (!whole_good) return trial;
  system_->CalcDifference(q_whole_, state.q, &difference_);  // (1)
  if (difference_.size() == 0) {
    trial.error = 0;
    return trial;
  }
  trial.error = difference_.lpNorm<Eigen::Infinity>();
  if (trial.impact) {  // (2): whole and halves may agree by chance
    difference_ = state.v - saved_.v;
    trial.error = std::max(trial.error, 0.5 * h * difference_.lpNorm<Eigen::Infinity>());
  }
  const double penetration = last_report_->max_penetration;
  if (penetration > trial.error) {  // (3)
    trial.error = std::max(trial.error, penetration - CalcPenetration(saved_));
  }
  difference_ = 0.5 * h * (saved_.v + state.v);  // (4)
  system_->Retract(saved_.q, difference_, &q_whole_);
  system_->CalcDifference(q_whole_, state.q, &difference_);
  trial.error = std::max(trial.error, difference_.lpNorm<Eigen::Infinity>());
  return trial;
}

double Simulation::CalcPenetration(const State& state) {
  system_->FindContacts(state.time, state.q, 0, &contacts_);
  double deepest = 0;
  for (const Contact& c : contacts_.contacts) deepest = std::max(deepest, -c.gap);
  return deepest;
}

bool Simulation::AdaptTo(double target, std::string* failure) {
  const AdaptiveOptions& adaptive = *options_.adaptive;
  State& state = checkpoint_.state;
  Audit& audit = checkpoint_.audit;
  const double smallest = std::min(adaptive.min_step, options_.step);
  const auto memory = state.integrator.find(kMemory);
  double h = memory == state.integrator.end() ? options_.step : memory->second[0];
  const double tolerance = CalcTimeTolerance(target);
  while (target - state.time > tolerance) {
    const double remaining = target - state.time;
    h = std::clamp(h, smallest, options_.step);
    double length = std::min(h, remaining);
    if (length < remaining && length > 0.5 * remaining) length = 0.5 * remaining;
    const bool at_minimum = length <= smallest * (1 + 1e-9);
    const Audit audit_before = audit;
    const std::size_t impacts_before = impacts_.size();
    const Trial trial = TryStep(length);
    const double error = trial.error / adaptive.tolerance;
    if (trial.good && (error <= 1 || at_minimum)) {
      if (error > 1) ++audit.at_min_step;
      const double wanted = trial.impact ? length : length * CalcFactor(error);
      h = length < h && error <= 1 ? std::max(h, wanted) : wanted;  // cut short by the target only
      audit.min_step = audit.min_step > 0 ? std::min(audit.min_step, length / 2) : length / 2;
      continue;
    }
    state = saved_;
    audit = audit_before;
    impacts_.resize(impacts_before);
    ++audit.rejected;
    if (at_minimum) {
      *failure = DescribeFailure(*system_, {*last_report_, initial_, state, length / 2, 0, true}) +
                 "; smaller steps are not allowed (adaptive.min_step)";
      return false;
    }
    const bool halve = trial.impact || !std::isfinite(error);
    h = std::max(smallest, length * (halve ? 0.5 : std::min(0.5, CalcFactor(error))));
  }
  state.time = target;
  state.integrator[kMemory] = VectorX::Constant(1, h);
  return true;
}

}  // namespace saltus
