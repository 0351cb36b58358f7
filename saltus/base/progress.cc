#include "saltus/base/progress.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace saltus {

void ProgressMeter::Update(double t, std::int64_t num_steps, double wall_seconds) {
  t_ = t;
  num_steps_ = num_steps;
  wall_seconds_ = wall_seconds;
}

double ProgressMeter::fraction() const {
  if (!(t_end_ > t_begin_)) return 1;
  const double done = (t_ - t_begin_) / (t_end_ - t_begin_);
  return std::isfinite(done) ? std::clamp(done, 0.0, 1.0) : 0;
}

double ProgressMeter::rate() const {
  return wall_seconds_ > 0 ? static_cast<double>(num_steps_) / wall_seconds_ : 0;
}

double ProgressMeter::remaining_seconds() const {
  const double done = fraction();
  if (done >= 1) return 0;
  if (!(done > 0) || !(wall_seconds_ > 0)) return -1;
  return wall_seconds_ * (1 - done) / done;
}

std::string ProgressMeter::MakeLine() const {
  // 100 % is reserved for a finished run.
  const double done = fraction();
  const int percent = done >= 1 ? 100 : std::min(99, static_cast<int>(100 * done));
  const double remaining = remaining_seconds();
  return fmt::format("{:3d}%  t={:.4g}/{:.4g} s  {} steps/s  ETA {}", percent, t_, t_end_,
                     FormatCount(rate()), remaining < 0 ? "?" : FormatDuration(remaining));
}

std::string FormatCount(double x) {
  constexpr std::array<const char*, 5> kSuffixes = {"", "k", "M", "G", "T"};
  std::size_t k = 0;
  // Compared with what rounds to 1000, so that 999.6k is written as 1.0M.
  while (k + 1 < kSuffixes.size() && x >= 999.5) x /= 1000, ++k;
  const bool with_digit = x < 9.95 && (k > 0 || x != std::floor(x));
  return fmt::format("{:.{}f}{}", x, with_digit ? 1 : 0, kSuffixes[k]);
}

std::string FormatDuration(double seconds) {
  constexpr double kLongest = 1e11;  // s; more is not a time anyone waits for
  if (!(seconds < kLongest)) return "?";
  const auto total = static_cast<std::int64_t>(std::llround(std::max(seconds, 0.0)));
  const std::int64_t hours = total / 3600;
  const std::int64_t minutes = total / 60 % 60;
  if (hours >= 24) return fmt::format("{}d {}h", hours / 24, hours % 24);
  if (hours > 0) return fmt::format("{}:{:02d}:{:02d}", hours, minutes, total % 60);
  return fmt::format("{}:{:02d}", minutes, total % 60);
}

}  // namespace saltus
