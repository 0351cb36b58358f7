#include "apps/saltus/interrupt.h"

#include <signal.h>

namespace saltus {
namespace {

StopFlag interrupted;  // A signal handler can reach nothing else.

void OnSignal(int) {
  interrupted.Raise();
  signal(SIGINT, SIG_DFL);  // whichever the second one is
  signal(SIGTERM, SIG_DFL);
}

}  // namespace

const StopRequest* interrupt_request() { return &interrupted; }

void CatchInterrupts() {
  struct sigaction action {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace saltus
