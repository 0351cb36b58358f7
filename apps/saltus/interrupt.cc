#include "apps/saltus/interrupt.h"

#include <signal.h>

namespace saltus {
namespace {

std::atomic<bool> interrupted{false};  // A signal handler can reach nothing else.
static_assert(std::atomic<bool>::is_always_lock_free);

void OnSignal(int) { interrupted.store(true, std::memory_order_relaxed); }

}  // namespace

const std::atomic<bool>* CatchInterrupts() {
  struct sigaction action {};
  action.sa_handler = OnSignal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);  // The second one has its default.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return &interrupted;
}

}  // namespace saltus
