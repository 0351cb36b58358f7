// A fixed number of threads that share out numbered tasks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace saltus {

class ThreadPool {
 public:
  /// @param num_threads  ≥ 1, the calling thread included
  explicit ThreadPool(int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls task(i, worker) once for each i in [0, count), in any order and on any of the threads,
  /// worker < num_threads() being the number of the thread; returns when all are done. Tasks must
  /// not call Run. If one throws, those not yet begun are left out, and the first exception goes on
  /// to the caller.
  void Run(int count, const std::function<void(int, int)>& task);

 private:
  void Work(int worker);
  void TakeTasks(int worker);

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable start_, finish_;
  const std::function<void(int, int)>* task_ = nullptr;
  std::atomic<int> next_{0};
  int count_ = 0;
  std::exception_ptr error_;  // the first of a round
  int active_ = 0;            // workers that have not finished the present round
  long long round_ = 0;       // so that a worker takes part in each once
  bool stop_ = false;
};

}  // namespace saltus
