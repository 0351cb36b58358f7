#include "apps/saltus/watch.h"

#include <cstdio>
#include <stdexcept>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace saltus {

Watcher::~Watcher() {
  if (process_ <= 0) return;
  kill(process_, SIGTERM);
  waitpid(process_, nullptr, 0);
}

void Watcher::OnStart(const StepView&) {
  std::fflush(stdout);
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("cannot start the viewer beside the run");
  if (process_ > 0) return;
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // It must not outlive a run that is killed.
  if (getppid() != parent) _exit(1);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  execl("/proc/self/exe", "saltus", "view", result_.c_str(), "--serve",
        static_cast<char*>(nullptr));
  _exit(127);
}

void Watcher::WaitForEnd() {
  if (process_ > 0) waitpid(process_, nullptr, 0);
  process_ = -1;
}

}  // namespace saltus
