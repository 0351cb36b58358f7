#include "saltus/base/thread_pool.h"

#include <utility>

namespace saltus {

ThreadPool::ThreadPool(int num_threads) {
  for (int worker = 1; worker < num_threads; ++worker) {
    workers_.emplace_back([this, worker] { Work(worker); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::TakeTasks(int worker) {
  try {
    for (int i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) (*task_)(i, worker);
  } catch (...) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (error_ == nullptr) error_ = std::current_exception();
    next_ = count_;
  }
}

void ThreadPool::Work(int worker) {
  long long seen = 0;
  while (true) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      start_.wait(lock, [&] { return stop_ || round_ != seen; });
      if (stop_) return;
      seen = round_;
    }
    TakeTasks(worker);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--active_ == 0) finish_.notify_one();
  }
}

void ThreadPool::Run(int count, const std::function<void(int, int)>& task) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    task_ = &task;
    count_ = count;
    next_ = 0;
    active_ = static_cast<int>(workers_.size());
    ++round_;
  }
  start_.notify_all();
  TakeTasks(0);
  std::unique_lock<std::mutex> lock(mutex_);
  finish_.wait(lock, [&] { return active_ == 0; });
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace saltus
