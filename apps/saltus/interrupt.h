// Ctrl-C: the first SIGINT or SIGTERM asks the run to end cleanly, the second one kills it.
#pragma once

#include "saltus/base/stop_request.h"

namespace saltus {

/// Made by the first signal after CatchInterrupts().
const StopRequest* interrupt_request();
/// Installs the handlers; until then a signal ends the program.
void CatchInterrupts();

}  // namespace saltus
