// Counts heap allocations of steady Factor() and Solve() calls by replacing the global operator new
// and malloc's entry points that Eigen and KLU use.
#include <cstdlib>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/linalg/kkt_solver.h"
#include "saltus/linalg/test/kkt_test_problems.h"

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
// The sanitizer owns malloc.
#else

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* pointer, std::size_t size);
}

namespace {
thread_local long num_allocations = 0;
}

extern "C" void* malloc(std::size_t size) noexcept {
  ++num_allocations;
  return __libc_malloc(size);
}
extern "C" void* calloc(std::size_t count, std::size_t size) noexcept {
  ++num_allocations;
  return __libc_calloc(count, size);
}
extern "C" void* realloc(void* pointer, std::size_t size) noexcept {
  ++num_allocations;
  return __libc_realloc(pointer, size);
}

namespace saltus {
namespace {

/// Allocations of one Factor() and Solve() with new numbers, after two such calls before.
long CountSteadyAllocations(const KktProblem& problem, int max_dense_size, bool consistent) {
  RandomNumbers random(1);
  const int n = problem.pattern->num_dofs();
  KktSolver solver(problem.pattern, problem.G, max_dense_size);
  BlockMatrix S = problem.S;
  const VectorX f = random.Vector(n);
  VectorX c = problem.G * random.Vector(n);
  if (!consistent) c = random.Vector(static_cast<int>(c.size()));
  VectorX x, lambda;
  MatrixX columns = MatrixX::Ones(static_cast<int>(solver.component_dofs(0).size()), 6);
  long before = 0;
  for (int round = 0; round < 3; ++round) {
    S.values() *= 1.01;
    before = num_allocations;
    solver.Factor(S, problem.G);
    solver.Solve(f, c, &x, &lambda);
    solver.SolveInComponent(0, &columns, nullptr);
  }
  return num_allocations - before;
}

TEST(KktAllocationTest, CounterWorks) {
  const long before = num_allocations;
  const auto block = std::make_unique<std::vector<double>>(100);
  EXPECT_GE(num_allocations - before, 2);
}

TEST(KktAllocationTest, SteadyCallsDoNotAllocate) {
  RandomNumbers random(2);
  KktProblem free;
  free.pattern = std::make_shared<const BlockPattern>(std::vector<int>{6, 3, 6, 12},
                                                      std::vector<std::array<int, 2>>{});
  free.S = MakeRandomBlocks(free.pattern, 0.1, &random);
  free.G = SparseRows(0, 27);
  EXPECT_EQ(CountSteadyAllocations(free, 48, true), 0);
  const KktProblem loop = MakeHingeChain(4, /*closed=*/true, &random);
  EXPECT_EQ(CountSteadyAllocations(loop, 48, true), 0);
  EXPECT_EQ(CountSteadyAllocations(loop, 0, true), 0);
  EXPECT_EQ(CountSteadyAllocations(loop, 48, false), 0);
  EXPECT_EQ(CountSteadyAllocations(MakeHingeChain(40, true, &random), 48, true), 0);
}

}  // namespace
}  // namespace saltus

#endif
