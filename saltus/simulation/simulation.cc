#include "saltus/simulation/simulation.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "saltus/base/timing.h"
#include "saltus/simulation/failure.h"

namespace saltus {
namespace {

bool EnergyIsFinite(const Energy& e) { return std::isfinite(e.total()); }

}  // namespace

Simulation::Simulation(std::unique_ptr<System> system, std::unique_ptr<Integrator> integrator,
                       const SimulationOptions& options)
    : system_(std::move(system)), integrator_(std::move(integrator)), options_(options) {
  checkpoint_.state = system_->MakeInitialState();
  const State& s = checkpoint_.state;
  checkpoint_.audit.initial_energy = system_->CalcEnergy(s.time, s.q, s.v);
  checkpoint_.audit.final_energy = checkpoint_.audit.initial_energy;
  initial_ = s;
  basis_ = {CalcScale(*system_, s), options_.step, integrator_->holds_positions()};
}

void Simulation::Restore(const Checkpoint& checkpoint) {
  checkpoint_ = checkpoint;
  system_->BeginStep(checkpoint_.state);
}

double Simulation::CalcTimeTolerance(double time) const {
  return 1e-9 * options_.step + 4 * std::numeric_limits<double>::epsilon() * std::abs(time);
}

// A step is counted in whole multiples of h, so that times carry no rounding; only the last step
// may be shorter. The tolerance keeps until = n·h from asking for an extra step of rounding size.
long Simulation::num_steps() const {
  const double tolerance = CalcTimeTolerance(options_.until);
  return static_cast<long>(std::ceil((options_.until - tolerance) / options_.step));
}

StepView Simulation::MakeView() const {
  const Audit& audit = checkpoint_.audit;
  const StepReport& report = last_report_ != nullptr ? *last_report_ : no_report_;
  return {*system_,           checkpoint_.state,      report,  audit,
          audit.final_energy, checkpoint_.step_index, impacts_};
}

void Simulation::Start() {
  last_report_ = nullptr;
  impacts_.clear();
  const State& s = checkpoint_.state;
  StepView view = MakeView();
  num_started_ = 0;
  view.energy = system_->CalcEnergy(s.time, s.q, s.v);
  AuditStart();
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
  impacts_.clear();
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
  impacts_.clear();
  if (saves_ == 0) return;
  checkpoint_.state = saves_ == 1 ? saved_ : start_;
  checkpoint_.audit = start_audit_;
}

RunOutcome Simulation::Finish(RunOutcome outcome) {
  Judge(&outcome);
  for (Observer* o : observers_) o->OnEnd(checkpoint_, outcome);
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
  const bool asked_for = dynamic_cast<const Interruption*>(&error) != nullptr;
  const std::string instant = "at t = " + std::to_string(state().time) + " s";
  RunOutcome outcome;
  outcome.kind = asked_for ? RunOutcome::Kind::kInterrupted : RunOutcome::Kind::kFailed;
  outcome.message =
      asked_for ? "interrupted " + instant : "stopped " + instant + " by an error: " + what;
  Judge(&outcome);
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
  const double tolerance = CalcTimeTolerance(target);
  if (std::abs(h - options_.step) <= tolerance) h = options_.step;  // free of rounding in t
  const double smallest = std::ldexp(h, -options_.max_halvings);
  while (true) {
    Save();
    const Energy before = audit.final_energy;
    const StepReport& report = integrator_->Step(*system_, h, &state);
    last_report_ = &report;
    const Energy after = system_->CalcEnergy(state.time, state.q, state.v);
    const bool finite = report.status != StepStatus::kNotFinite && EnergyIsFinite(after);
    const bool flag = !report.ok() && finite && options_.on_failure == FailurePolicy::kFlag;
    if ((report.ok() && finite) || flag) {
      Account(report, before, after);
      if (flag) ++audit.flagged;
      const double remaining = target - state.time;
      if (remaining <= tolerance) {
        state.time = target;
        return true;
      }
      h = std::min(2 * h, remaining);  // sub-steps after halving: grow back towards the target
      continue;
    }
    state = saved_;
    ++audit.rejected;
    const bool can_halve = options_.on_failure == FailurePolicy::kHalve;
    if (can_halve && h / 2 >= smallest) {
      h /= 2;
      ++halvings;
      continue;
    }
    *failure = DescribeFailure(*system_, {report, initial_, state, h, halvings, can_halve});
    return false;
  }
}

}  // namespace saltus
