#include "apps/saltus/progress_bar.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace saltus {
namespace {

constexpr double kPrintInterval = 0.1;  // s of wall time

}  // namespace

ProgressBar::ProgressBar(double until, bool quiet, std::string prefix)
    : visible_(!quiet && isatty(STDERR_FILENO) != 0), until_(until), prefix_(std::move(prefix)) {}

void ProgressBar::OnStart(const StepView& view) {
  first_step_ = view.step_index;
  meter_ = ProgressMeter(view.state.time, until_);
  since_start_.Restart();
  since_print_.Restart();
}

void ProgressBar::OnStep(const StepView& view) {
  if (!visible_ || since_print_.seconds() < kPrintInterval) return;
  meter_.Update(view.state.time, view.step_index - first_step_, since_start_.seconds());
  fmt::print(stderr, "\r\033[K{}{}", prefix_, meter_.MakeLine());
  std::fflush(stderr);
  since_print_.Restart();
}

void ProgressBar::OnEnd(const Checkpoint&, const RunOutcome&) {
  if (visible_) fmt::print(stderr, "\r\033[K");
}

}  // namespace saltus
