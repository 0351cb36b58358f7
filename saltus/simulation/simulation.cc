#include "saltus/simulation/simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace saltus {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string DescribeFailure(const StepReport& report, double time) {
  std::string text = "step at t = " + std::to_string(time) + " s failed: ";
  text += StatusName(report.status);
  if (!report.culprit.empty()) text += "; " + report.culprit;
  return text;
}

bool EnergyIsFinite(const Energy& e) { return std::isfinite(e.total()); }

}  // namespace

Simulation::Simulation(std::unique_ptr<System> system, std::unique_ptr<Integrator> integrator,
                       const SimulationOptions& options)
    : system_(std::move(system)), integrator_(std::move(integrator)), options_(options) {
  checkpoint_.state = system_->MakeInitialState();
  const State& s = checkpoint_.state;
  checkpoint_.audit.initial_energy = system_->CalcEnergy(s.time, s.q, s.v);
  checkpoint_.audit.final_energy = checkpoint_.audit.initial_energy;
}

void Simulation::Restore(const Checkpoint& checkpoint) { checkpoint_ = checkpoint; }

RunOutcome Simulation::Run(const std::atomic<bool>* interrupt) {
  const Clock::time_point start = Clock::now();
  const double wall_before = checkpoint_.audit.wall_time;
  const double h = options_.step;
  State& state = checkpoint_.state;
  Audit& audit = checkpoint_.audit;
  RunOutcome outcome;

  const StepReport no_report;
  const Energy start_energy = system_->CalcEnergy(state.time, state.q, state.v);
  for (Observer* o : observers_) {
    o->OnStart({*system_, state, no_report, audit, start_energy, checkpoint_.step_index});
  }

  // A step is counted in whole multiples of h, so that times carry no rounding; only the last step
  // may be shorter. The 1e-9 keeps until = n·h from asking for an extra step of rounding size.
  const long num_steps = static_cast<long>(std::ceil(options_.until / h - 1e-9));
  while (checkpoint_.step_index < num_steps) {
    if (interrupt != nullptr && interrupt->load(std::memory_order_relaxed)) {
      outcome.kind = RunOutcome::Kind::kInterrupted;
      outcome.message = "interrupted at t = " + std::to_string(state.time) + " s";
      break;
    }
    const bool last = checkpoint_.step_index + 1 == num_steps;
    const double target =
        last ? options_.until : h * static_cast<double>(checkpoint_.step_index + 1);
    if (!StepTo(target, &outcome.message)) {
      outcome.kind = RunOutcome::Kind::kFailed;
      break;
    }
    ++checkpoint_.step_index;
    audit.wall_time = wall_before + SecondsSince(start);
    const StepView view{
        *system_, state, *last_report_, audit, audit.final_energy, checkpoint_.step_index};
    for (Observer* o : observers_) o->OnStep(view);
  }
  audit.wall_time = wall_before + SecondsSince(start);
  outcome.violations = FindViolations(audit, options_.limits);
  const std::string text =
      outcome.kind == RunOutcome::Kind::kFinished ? "finished" : outcome.message;
  for (Observer* o : observers_) o->OnEnd(checkpoint_, text);
  return outcome;
}

bool Simulation::StepTo(double target, std::string* failure) {
  State& state = checkpoint_.state;
  Audit& audit = checkpoint_.audit;
  int halvings = 0;
  double h = target - state.time;
  const double smallest = std::ldexp(h, -options_.max_halvings);
  if (h > options_.step * (1 - 1e-9)) h = options_.step;  // free of rounding in t
  while (true) {
    saved_ = state;  // assignment reuses memory
    const Energy before = audit.final_energy;
    const StepReport& report = integrator_->Step(*system_, h, &state);
    last_report_ = &report;
    const Energy after = system_->CalcEnergy(state.time, state.q, state.v);
    const bool finite = report.status != StepStatus::kNotFinite && EnergyIsFinite(after);
    const bool flag = !report.ok() && finite && options_.on_failure == FailurePolicy::kFlag;
    if ((report.ok() && finite) || flag) {
      audit.AddStep(report, before, after);
      if (flag) ++audit.flagged;
      const double remaining = target - state.time;
      if (remaining <= 1e-9 * options_.step) {
        state.time = target;
        return true;
      }
      h = std::min(2 * h, remaining);  // sub-steps after halving: grow back towards the target
      continue;
    }
    state = saved_;
    ++audit.rejected;
    if (options_.on_failure == FailurePolicy::kHalve && h / 2 >= smallest) {
      h /= 2;
      ++halvings;
      continue;
    }
    *failure = DescribeFailure(report, state.time);
    if (halvings > 0)
      *failure += " (also with the step halved " + std::to_string(halvings) + " times)";
    return false;
  }
}

}  // namespace saltus
