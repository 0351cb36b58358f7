// Which steps of a run are recorded: each n-th, or the first at or after each multiple of dt.
#pragma once

#include <cmath>

namespace saltus {

struct OutputInterval {
  long every = 1;  // steps, ≥ 1
  double dt = 0;   // s; > 0 replaces `every`
};

/// Decides step by step. The grid is fixed in time, so a restarted run records the same instants.
class OutputSchedule {
 public:
  OutputSchedule() = default;
  explicit OutputSchedule(const OutputInterval& interval) : interval_(interval) {}

  /// Call once for every step, in order; the first call is always due.
  bool IsDue(long step_index, double time) {
    if (interval_.dt <= 0) {
      const bool due = !started_ || step_index % interval_.every == 0;
      started_ = true;
      return due;
    }
    // Times are multiples of the step up to rounding; 1e-9 of dt keeps t = n·dt from being missed.
    const double cell = std::floor(time / interval_.dt + 1e-9);
    const bool due = !started_ || cell > cell_;
    started_ = true;
    cell_ = cell;
    return due;
  }

 private:
  OutputInterval interval_;
  bool started_ = false;
  double cell_ = 0;
};

}  // namespace saltus
