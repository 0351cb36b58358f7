// How far a run is: fraction, rate, remaining time, and one line of text for a terminal. Pure
// computation; who prints, and when, is the caller's business.
#pragma once

#include <cstdint>
#include <string>

namespace saltus {

class ProgressMeter {
 public:
  /// A run of simulated time from t_begin to t_end [s].
  ProgressMeter(double t_begin, double t_end) : t_begin_(t_begin), t_end_(t_end) {}

  /// @param t  simulated time reached [s]
  /// @param num_steps  steps taken so far
  /// @param wall_seconds  wall-clock time since the start
  void Update(double t, std::int64_t num_steps, double wall_seconds);

  /// Part of the run that is done, in [0, 1].
  double fraction() const;
  /// Steps per second of wall time; 0 if none has passed.
  double rate() const;
  /// Wall time still to go at the mean speed so far [s]; negative: unknown.
  double remaining_seconds() const;

  /// For example " 42%  t=0.84/2 s  1.2k steps/s  ETA 0:03".
  std::string MakeLine() const;

 private:
  double t_begin_ = 0;
  double t_end_ = 0;
  double t_ = t_begin_;
  std::int64_t num_steps_ = 0;
  double wall_seconds_ = 0;
};

/// 950 -> "950", 1234 -> "1.2k", 5.6e6 -> "5.6M", 3.21 -> "3.2". For x ≥ 0.
std::string FormatCount(double x);
/// 3 -> "0:03", 75 -> "1:15", 3700 -> "1:01:40", 90000 -> "1d 1h". For seconds ≥ 0, rounded.
std::string FormatDuration(double seconds);

}  // namespace saltus
