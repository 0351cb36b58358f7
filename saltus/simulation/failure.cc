#include "saltus/simulation/failure.h"

#include <cstdio>

#include "saltus/simulation/conflict.h"

namespace saltus {
namespace {

std::string FormatShort(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

/// What an integrator says of a step, without the advice that follows it.
std::string CutAdvice(const std::string& culprit) {
  std::string text = culprit.substr(0, culprit.find("try "));
  while (!text.empty() && (text.back() == ' ' || text.back() == ';')) text.pop_back();
  return text;
}

/// Only what may help, given what was tried.
std::string Advise(const FailedStep& failed) {
  if (!failed.can_halve) return "a smaller step may help: on_failure: halve tries it";
  const std::string tried = "steps down to " + FormatShort(failed.step) + " s do not help";
  switch (failed.report.status) {
    case StepStatus::kSolverNotConverged:
      return tried +
             "; allow the solver more (solver.max_iterations), or choose another one "
             "('saltus list solvers')";
    case StepStatus::kNewtonNotConverged:
      return tried +
             "; look at the motion up to here (saltus plot), and try another integrator "
             "('saltus list integrators')";
    case StepStatus::kConstraintFailed:
      return tried + "; look at what the joints named here hold at this instant";
    case StepStatus::kOverlap:
      return tried + "; look at how the bodies named here meet at this instant (saltus view)";
    case StepStatus::kNotFinite:
    case StepStatus::kOk:
      return tried + "; look for a load, drive or function without finite value at this instant";
  }
  return tried;
}

}  // namespace

std::string DescribeFailure(System& system, const FailedStep& failed) {
  const StepReport& report = failed.report;
  const State& state = failed.state;
  const std::string begin = "step at t = " + FormatShort(state.time) + " s failed: ";
  const double margin = 2 * failed.step * system.CalcSpeedBound(state.q, state.v) + 1e-6;
  const Conflict conflict = FindConflict(system, state, margin);
  if (!conflict.empty()) {
    return begin + DescribeConflict(conflict) +
           "; end the drive before that, or move the joint by an actuator, whose force is finite";
  }
  const std::string what = report.ok() ? "the energy is not finite" : StatusName(report.status);
  const std::string culprit = CutAdvice(report.culprit);
  const std::string blame = culprit.empty() ? what : culprit + ": " + what;
  if (report.status != StepStatus::kNotFinite && !report.ok()) {
    const std::vector<std::string> joints = FindSingularJoints(system, failed.initial, state);
    if (!joints.empty()) {
      return begin + "singular position of joints " + JoinNames(joints, true) + " (" + blame +
             "); their equations depend on each other there, so the motion is not unique: let the "
             "mechanism pass it with speed, or add what decides its way";
    }
  }
  return begin + blame + "; " + Advise(failed);
}

}  // namespace saltus
