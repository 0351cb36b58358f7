// The observer behind 'saltus run --watch': a second process that serves the growing result.
#pragma once

#include <string>
#include <utility>

#include <sys/types.h>

#include "saltus/simulation/simulation.h"

namespace saltus {

/// Add it after the writer of the result, whose file must exist when the run starts.
class Watcher final : public Observer {
 public:
  explicit Watcher(std::string result) : result_(std::move(result)) {}
  ~Watcher() override;

  /// Starts 'saltus view RESULT --serve', which prints its address.
  void OnStart(const StepView& view) override;
  /// Returns when the server ends: Ctrl-C ends both.
  void WaitForEnd();

 private:
  std::string result_;
  pid_t process_ = -1;
};

}  // namespace saltus
