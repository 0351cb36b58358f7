#include "saltus/simulation/simulation.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "saltus/base/timing.h"

namespace saltus {
namespace {

bool EnergyIsFinite(const Energy& e) { return std::isfinite(e.total()); }

}  // namespace

std::string Simulation::DescribeFailure(const StepReport& report, double time) {
  std::string text = "step at t = " + std::to_string(time) + " s failed: ";
  text += report.ok() ? "the energy is not finite" : StatusName(report.status);
  if (!report.culprit.empty()) text += "; " + report.culprit;
  return text;
}

Simulation::Simulation(std::unique_ptr<System> system, std::unique_ptr<Integrator> integrator,
                       const SimulationOptions& options)
    : system_(std::move(system)), integrator_(std::move(integrator)), options_(options) {
  checkpoint_.state = system_->MakeInitialState();
  const State& s = checkpoint_.state;
  checkpoint_.audit.initial_energy = system_->CalcEnergy(s.time, s.q, s.v);
  checkpoint_.audit.final_energy = checkpoint_.audit.initial_energy;
}

void Simulation::Restore(const Checkpoint& checkpoint) {
  checkpoint_ = checkpoint;
  system_->BeginStep(checkpoint_.state);
}

// A step is counted in whole multiples of h, so that times carry no rounding; only the last step
// may be shorter. The 1e-9 keeps until = n·h from asking for an extra step of rounding size.
long Simulation::num_steps() const {
  return static_cast<long>(std::ceil(options_.until / options_.step - 1e-9));
}

StepView Simulation::MakeView() const {
  const Audit& audit = checkpoint_.audit;
  const StepReport& report = last_report_ != nullptr ? *last_report_ : no_report_;
  return {*system_, checkpoint_.state, report, audit, audit.final_energy, checkpoint_.step_index};
}

void Simulation::Start() {
  last_report_ = nullptr;
  const State& s = checkpoint_.state;
  StepView view = MakeView();
  num_started_ = 0;
  view.energy = system_->CalcEnergy(s.time, s.q, s.v);
  for (Observer* o : observers_) {
    o->OnStart(view);
    ++num_started_;
  }
}

bool Simulation::Advance(std::string* failure) {
  const long next = checkpoint_.step_index + 1;
  const double target =
      next >= num_steps() ? options_.until : options_.step * static_cast<double>(next);
  bool good = false;
  const Stopwatch stopwatch;
  saves_ = 0;
  start_audit_ = checkpoint_.audit;
  try {
    good = options_.adaptive ? AdaptTo(target, failure) : StepTo(target, failure);
  } catch (...) {
    Rewind();
    checkpoint_.audit.wall_time += stopwatch.seconds();
    throw;
  }
  checkpoint_.audit.wall_time += stopwatch.seconds();  // without the observers
  if (!good) return false;
  ++checkpoint_.step_index;
  const StepView view = MakeView();
  for (Observer* o : observers_) o->OnStep(view);
  return true;
}

void Simulation::Save() {
  if (++saves_ == 2) std::swap(start_, saved_);
  saved_ = checkpoint_.state;  // assignment reuses memory
}

void Simulation::Rewind() {
  if (saves_ == 0) return;
  checkpoint_.state = saves_ == 1 ? saved_ : start_;
  checkpoint_.audit = start_audit_;
}

RunOutcome Simulation::Finish(RunOutcome outcome) {
  outcome.violations = FindViolations(checkpoint_.audit, options_.limits);
  const std::string text =
      outcome.kind == RunOutcome::Kind::kFinished ? "finished" : outcome.message;
  for (Observer* o : observers_) o->OnEnd(checkpoint_, text);
  return outcome;
}

RunOutcome Simulation::Run(const StopRequest* stop) {
  RunOutcome outcome;
  try {
    Start();
    while (!done()) {
      CheckStop(stop);
      if (!Advance(&outcome.message)) {
        outcome.kind = RunOutcome::Kind::kFailed;
        break;
      }
    }
  } catch (const Interrupted&) {
    outcome.kind = RunOutcome::Kind::kInterrupted;
    outcome.message = "interrupted at t = " + std::to_string(state().time) + " s";
  } catch (const std::exception& error) {
    FinishAfter(error);
    throw;
  }
  return Finish(std::move(outcome));
}

/// The first line of the message stands for the exception in the result.
void Simulation::FinishAfter(const std::exception& error) {
  std::string what = error.what();
  what = what.substr(0, std::min<std::size_t>(what.find('\n'), 200));
  const bool wished = dynamic_cast<const Interruption*>(&error) != nullptr;
  const std::string instant = "at t = " + std::to_string(state().time) + " s";
  const std::string outcome =
      wished ? "interrupted " + instant : "stopped " + instant + " by an error: " + what;
  for (std::size_t i = 0; i < num_started_; ++i) {
    try {
      observers_[i]->OnEnd(checkpoint_, outcome);
    } catch (const std::exception&) {  // The first error is the one that counts.
    }
  }
}

bool Simulation::StepTo(double target, std::string* failure) {
  State& state = checkpoint_.state;
  Audit& audit = checkpoint_.audit;
  int halvings = 0;
  double h = target - state.time;
  const double smallest = std::ldexp(h, -options_.max_halvings);
  if (h > options_.step * (1 - 1e-9)) h = options_.step;  // free of rounding in t
  while (true) {
    Save();
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
