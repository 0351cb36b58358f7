// A line on the terminal that shows how far the run is. Silent if stderr is not a terminal.
#pragma once

#include <string>

#include "saltus/base/progress.h"
#include "saltus/base/timing.h"
#include "saltus/simulation/simulation.h"

namespace saltus {

class ProgressBar final : public Observer {
 public:
  /// @param until  end of the run, s
  /// @param prefix  which run it is, if there are several
  ProgressBar(double until, bool quiet, std::string prefix = "");

  void OnStart(const StepView& view) override;
  void OnStep(const StepView& view) override;
  void OnEnd(const Checkpoint& checkpoint, const RunOutcome& outcome) override;

 private:
  bool visible_;
  double until_;
  std::string prefix_;
  long first_step_ = 0;
  ProgressMeter meter_{0, 1};
  Stopwatch since_start_, since_print_;
};

}  // namespace saltus
