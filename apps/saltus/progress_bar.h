// A line on the terminal that shows how far the run is. Silent if stderr is not a terminal.
#pragma once

#include "saltus/base/progress.h"
#include "saltus/base/timing.h"
#include "saltus/simulation/simulation.h"

namespace saltus {

class ProgressBar final : public Observer {
 public:
  /// @param until  end of the run, s
  ProgressBar(double until, bool quiet);

  void OnStart(const StepView& view) override;
  void OnStep(const StepView& view) override;
  void OnEnd(const Checkpoint& checkpoint, const std::string& outcome) override;

 private:
  bool visible_;
  double until_;
  long first_step_ = 0;
  ProgressMeter meter_{0, 1};
  Stopwatch since_start_, since_print_;
};

}  // namespace saltus
