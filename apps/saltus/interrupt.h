// Ctrl-C: the first SIGINT or SIGTERM asks the run to end cleanly, the second one kills it.
#pragma once

#include <atomic>

namespace saltus {

/// Installs the handlers. The flag becomes true at the first signal.
const std::atomic<bool>* CatchInterrupts();

}  // namespace saltus
