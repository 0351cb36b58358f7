#include "saltus/base/thread_pool.h"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace saltus {
namespace {

TEST(ThreadPoolTest, RunsEachTaskOnceForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.num_threads(), threads);
    for (const int count : {0, 1, 3, 1000}) {
      std::vector<int> calls(static_cast<std::size_t>(count), 0);
      for (int round = 0; round < 20; ++round) {
        pool.Run(count, [&](int i, int worker) {
          EXPECT_TRUE(worker >= 0 && worker < threads);
          ++calls[static_cast<std::size_t>(i)];
        });
      }
      for (const int number : calls) EXPECT_EQ(number, 20);
    }
  }
}

TEST(ThreadPoolTest, AnExceptionEndsTheRoundAndThePoolGoesOn) {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    std::atomic<int> calls{0};
    const auto task = [&](int i, int) {
      ++calls;
      if (i == 5) throw std::runtime_error("enough");
    };
    EXPECT_THROW(pool.Run(100000, task), std::runtime_error);
    EXPECT_LT(calls, 100000);
    calls = 0;
    pool.Run(5, task);
    EXPECT_EQ(calls, 5);
  }
}

}  // namespace
}  // namespace saltus
