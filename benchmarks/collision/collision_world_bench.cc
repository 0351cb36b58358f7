// CollisionWorld::Find on heaps: time per call and how it grows.
#include <benchmark/benchmark.h>

#include "saltus/collision/collision_world.h"

namespace saltus {
namespace {

// n³ shapes of size 0.1 in a close packing: each touches about six neighbours on average.
struct Heap {
  CollisionWorld world;
  std::vector<Pose> poses;
  std::vector<Witness> witnesses;

  Heap(int n, const Shape& shape) {
    world.Add({HalfSpace{}, {}, -1, 0});
    for (int s = -1; s <= 1; s += 2) {
      world.Add({Box{Vector3(0.1, n * 0.2, n * 0.2)},
                 {{s * (n * 0.11 + 0.1), 0, 0}, {1, 0, 0, 0}},
                 -1,
                 0});
      world.Add({Box{Vector3(n * 0.2, 0.1, n * 0.2)},
                 {{0, s * (n * 0.11 + 0.1), 0}, {1, 0, 0, 0}},
                 -1,
                 0});
    }
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
          const double shift = k % 2 == 0 ? 0.0 : 0.01;
          world.Add({shape, {}, static_cast<int>(poses.size()), 0});
          poses.push_back(
              {{0.2 * (i - 0.5 * n) + shift, 0.2 * (j - 0.5 * n) + shift, 0.1 + 0.2 * k},
               Quaternion::Identity()});
        }
      }
    }
  }
};

void Run(benchmark::State& state, const Shape& shape) {
  Heap heap(static_cast<int>(state.range(0)), shape);
  for (auto _ : state) {
    heap.world.Find(heap.poses, 0.005, &heap.witnesses);
    benchmark::DoNotOptimize(heap.witnesses.data());
  }
  state.counters["witnesses"] = static_cast<double>(heap.witnesses.size());
}

void SphereHeap(benchmark::State& state) { Run(state, Sphere{0.1}); }
void BoxHeap(benchmark::State& state) { Run(state, Box{Vector3(0.1, 0.1, 0.1)}); }
void CylinderHeap(benchmark::State& state) { Run(state, Cylinder{0.1, 0.1}); }

BENCHMARK(SphereHeap)->Arg(5)->Arg(10)->Arg(20)->Arg(40)->Unit(benchmark::kMicrosecond);
BENCHMARK(BoxHeap)->Arg(5)->Arg(10)->Unit(benchmark::kMicrosecond);
BENCHMARK(CylinderHeap)->Arg(5)->Arg(10)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace saltus
