// A steady solve must not touch the heap. All allocations of this executable, those of Eigen too,
// pass through the counting functions below.
#include <atomic>
#include <cstdlib>

#include <gtest/gtest.h>

#include "saltus/cones/solvers/nsgs.h"
#include "saltus/cones/test/box_stack.h"
#include "saltus/cones/test/random_problems.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define SALTUS_COUNTS_ALLOCATIONS 1
#else
#define SALTUS_COUNTS_ALLOCATIONS 0
#endif

#if SALTUS_COUNTS_ALLOCATIONS
namespace {
std::atomic<long> num_allocations{0};
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* p, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++num_allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++num_allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* p, std::size_t size) {
  ++num_allocations;
  return __libc_realloc(p, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++num_allocations;
  return __libc_memalign(alignment, size);
}
}
#endif

namespace saltus {
namespace {

long CountAllocations() {
#if SALTUS_COUNTS_ALLOCATIONS
  return num_allocations;
#else
  return 0;
#endif
}

class AllocationTest : public testing::Test {
 protected:
  void SetUp() override {
    if (SALTUS_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "allocations are not counted here";
    const long before = CountAllocations();
    std::free(std::malloc(10));
    ASSERT_GT(CountAllocations(), before) << "the counter does not work";
  }
};

TEST_F(AllocationTest, SteadyBodyFormSolve) {
  test::BoxStack stack;
  for (const int num_boxes : {3, 25}) {  // With and without Newton steps.
    stack.num_boxes = num_boxes;
    BodyDelassus A;
    ConicProblem problem;
    MakeBoxStack(stack, &A, &problem);
    NsgsOptions options;
    options.tolerance = 1e-8;
    NsgsSolver solver(options);
    VectorX r = VectorX::Zero(problem.size());
    (void)solver.Solve(problem, &r);
    // The next step: the operator is set up again, the impulses start from 0.
    problem.cones.reserve(problem.cones.size());
    const long before = CountAllocations();
    MakeBoxStack(stack, &A, &problem);
    r.setZero();
    const SolveReport report = solver.Solve(problem, &r);
    EXPECT_EQ(CountAllocations() - before, 0);
    EXPECT_GT(report.iterations, 10);
  }
}

TEST_F(AllocationTest, SteadyBlockSparseSolve) {
  test::Random random(3);
  test::Mechanism mechanism;
  test::MechanismOptions options;
  options.dimensions = {3, 2, 1, 3, 3, 2};
  MakeMechanism(options, &random, &mechanism);
  ConicProblem problem;
  problem.A = &mechanism.sparse;
  problem.cones = test::MakeCones(options.dimensions, 0.3);
  problem.b = random.Matrix(mechanism.sparse.size(), 1);
  problem.cones[5].kind = ConeKind::kBox;
  problem.cones[5].bound = 0.1;
  NsgsOptions solver_options;
  NsgsSolver solver(solver_options);
  VectorX r = VectorX::Zero(problem.size());
  (void)solver.Solve(problem, &r);
  const long before = CountAllocations();
  r.setZero();
  (void)solver.Solve(problem, &r);
  EXPECT_EQ(CountAllocations() - before, 0);
}

}  // namespace
}  // namespace saltus
