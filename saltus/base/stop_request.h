// The wish of somebody outside that a long computation end before its time: Ctrl-C.
//
// Whoever computes for long asks once in a pass of its loop. The answer is an exception: it passes
// solvers, Newton loops and integrators, none of which has to know of it, up to the Simulation,
// which goes back to the last accepted step.
#pragma once

#include <atomic>
#include <exception>

namespace saltus {

/// Mixed into an exception, it says that somebody wished the end: no error, an interruption.
struct Interruption {
  virtual ~Interruption() = default;
};

/// What a StopFlag throws.
class Interrupted final : public std::exception, public Interruption {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

class StopRequest {
 public:
  virtual ~StopRequest() = default;
  /// Throws an Interruption if the end is wished. Cheap; any thread may call it.
  virtual void Check() const = 0;
};

/// Raised by a signal handler or by another thread.
class StopFlag final : public StopRequest {
 public:
  void Raise() noexcept { raised_.store(true, std::memory_order_relaxed); }
  void Lower() noexcept { raised_.store(false, std::memory_order_relaxed); }
  void Check() const override {
    if (raised_.load(std::memory_order_relaxed)) throw Interrupted();
  }

 private:
  std::atomic<bool> raised_{false};
  static_assert(std::atomic<bool>::is_always_lock_free);
};

/// `stop` may be null: nobody can wish anything.
inline void CheckStop(const StopRequest* stop) {
  if (stop != nullptr) stop->Check();
}

}  // namespace saltus
