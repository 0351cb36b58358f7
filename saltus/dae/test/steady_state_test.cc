// A step of a solver asks nothing of the heap once sizes have settled.
#include <atomic>
#include <cstdlib>

#include "saltus/dae/test/run_dae.h"

// Eigen allocates with malloc, the standard library with operator new, which calls malloc: counting
// calls of malloc catches both. The sanitizers bring a malloc of their own; there we do not count.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
namespace {
std::atomic<long> num_allocations{0};
}  // namespace
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++num_allocations;
  return __libc_malloc(size);
}
#else
namespace {
long num_allocations = 0;
}  // namespace
#endif

namespace saltus {
namespace {

TEST(SmoothSolvers, StepsAskNothingOfTheHeap) {
  for (const char* name : {"hem4", "hem5", "phem56", "rkf45", "dopri5", "rk4"}) {
    StepControlOptions control;
    control.tolerance = 1e-8;
    EquationSystem system(MakeFourBar());
    DaeTerms terms(&system);
    DaeRun run(MakeDaeSolver(name), control);
    const State state = system.MakeInitialState();
    run.Start(&terms, {0, state.q, state.v});
    std::string failure;
    for (int k = 0; k < 10; ++k) ASSERT_TRUE(run.Advance(2, &failure));
    const long before = num_allocations;
    for (int k = 0; k < 50; ++k) ASSERT_TRUE(run.Advance(2, &failure));
    EXPECT_EQ(num_allocations - before, 0) << name;
  }
}

}  // namespace
}  // namespace saltus
