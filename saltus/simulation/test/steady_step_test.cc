// A step of a pile touches the heap no more once its vectors have had the size they need, although
// the number of contacts changes from step to step. All allocations of this executable, those of
// Eigen too, pass through the counting functions below; the sanitizers bring their own.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"
#include "saltus/simulation/simulation.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SALTUS_COUNTS_ALLOCATIONS 1
#else
#define SALTUS_COUNTS_ALLOCATIONS 0
#endif

namespace {
std::atomic<long> num_allocations{0};
}  // namespace

#if SALTUS_COUNTS_ALLOCATIONS
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

/// 4 × 4 × 4 spheres above the bottom of an open box.
std::shared_ptr<const Model> BuildPile() {
  ModelBuilder builder;
  builder.Add(MaterialSpec{"stone", 1000, 0.5, 0, 0});
  const std::pair<Vector3, double> walls[] = {{Vector3::UnitZ(), 0},
                                              {Vector3::UnitX(), -0.6},
                                              {-Vector3::UnitX(), -0.6},
                                              {Vector3::UnitY(), -0.6},
                                              {-Vector3::UnitY(), -0.6}};
  for (const auto& [normal, offset] : walls) {
    builder.AddGroundShape({HalfSpace{normal, offset}, Pose{}, "stone", 0});
  }
  for (int i = 0; i < 64; ++i) {
    const double shift = i / 16 % 2 == 0 ? 0.0 : 0.05;
    RigidBodySpec body;
    body.name = "sphere_" + std::to_string(i);
    body.position = {0.21 * (i % 4 - 1.5) + shift, 0.21 * (i / 4 % 4 - 1.5) + shift,
                     0.15 + 0.21 * (i / 16)};
    body.shapes.push_back({Sphere{0.1}, Pose{}, "stone", 0});
    builder.Add(body);
  }
  return builder.Build();
}

TEST(SteadyStep, PileDoesNotAllocate) {
  if (SALTUS_COUNTS_ALLOCATIONS == 0) GTEST_SKIP() << "allocations are not counted here";
  MoreauJeanOptions options;
  options.theta = 1;
  options.contact_rows = MoreauJeanOptions::Rows::kStart;
  options.activation = MoreauJeanOptions::Activation::kLinearized;
  options.projection_tolerance = 1e-6;
  options.solver = "nsgs";
  options.solver_options.tolerance = 1e-3;
  SimulationOptions run;
  run.step = 0.005;
  run.until = 2.5;
  run.on_failure = FailurePolicy::kFlag;
  Simulation simulation(std::make_unique<MultibodySystem>(BuildPile()),
                        std::make_unique<MoreauJean>(options), run);
  const auto advance = [&](long steps) {
    std::string failure;
    for (long i = 0; i < steps; ++i) ASSERT_TRUE(simulation.Advance(&failure)) << failure;
  };
  simulation.Start();
  advance(400);
  const Checkpoint settled = simulation.checkpoint();
  advance(100);  // Buffers grow to what these steps need …
  simulation.Restore(settled);
  std::set<std::size_t> sizes;
  int projected = 0;
  long allocations = 0;
  for (int i = 0; i < 100; ++i) {  // … and the same steps again need no more.
    const long before = num_allocations;
    advance(1);
    allocations += num_allocations - before;
    sizes.insert(simulation.MakeView().report.contacts.size());
    projected += simulation.MakeView().report.work.projection != 0 ? 1 : 0;
  }
  EXPECT_GT(num_allocations, 0) << "the counter works";
  EXPECT_EQ(allocations, 0);
  EXPECT_GT(sizes.size(), 3u) << "the number of contacts changes";
  EXPECT_GT(projected, 10) << "positions are projected";
}

}  // namespace
}  // namespace saltus
