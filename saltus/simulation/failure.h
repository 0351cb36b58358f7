// What to tell when a step fails and the run stops: what is to blame, then what helps.
#pragma once

#include <string>

#include "saltus/dynamics/system.h"
#include "saltus/integrators/integrator.h"

namespace saltus {

struct FailedStep {
  const StepReport& report;
  const State& initial;   // of the run
  const State& state;     // where the failed step began
  double step = 0;        // the length that was tried last, s
  int halvings = 0;       // done before the run stopped
  bool can_halve = true;  // the policy or adaptive steps tried smaller steps
};

/// "step at t = 0.31 s failed: drive 'slide' works against contacts ram-box and box-ground; end the
/// drive before that, or move the joint by an actuator, whose force is finite".
std::string DescribeFailure(System& system, const FailedStep& failed);

}  // namespace saltus
