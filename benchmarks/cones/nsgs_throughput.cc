// Sweeps per second of NSGS on a settled pile of spheres, and sweeps to a given residual.
#include <cmath>
#include <memory>
#include <unordered_map>
#include <vector>

#include <benchmark/benchmark.h>
#include <malloc.h>

#include "saltus/cones/solvers/nsgs.h"
#include "saltus/cones/solvers/sweep.h"

#include "benchmarks/cones/settled_pile.h"

namespace saltus::bench {
namespace {

// The pile after one second, made once per size.
const SettledPile& FindPile(int n) {
  static std::unordered_map<int, std::unique_ptr<SettledPile>> piles;
  std::unique_ptr<SettledPile>& pile = piles[n];
  if (pile == nullptr) {
    pile = std::make_unique<SettledPile>(n);
    NsgsOptions options;
    options.tolerance = 1e-3;
    options.max_iterations = 60;
    NsgsSolver solver(options);
    pile->Advance(200, &solver);
    pile->Pose();
  }
  return *pile;
}

// The bare loop: contact visits per second.
void SweepThroughput(benchmark::State& state) {
  const SettledPile& pile = FindPile(static_cast<int>(state.range(0)));
  const auto& A = *static_cast<const BodyDelassus*>(pile.problem().A);
  LocalBlocks blocks;
  blocks.Factor(pile.problem(), LocalMethod::kAngle);
  std::vector<BodyDelassus::Velocity> velocities;
  BodySweep form(A, pile.problem().b.data(), &velocities);
  VectorX r = pile.impulses();
  form.Start(r.data());
  for (auto _ : state) {
    benchmark::DoNotOptimize(Sweep(blocks, false, &form, r.data()));
  }
  state.SetItemsProcessed(state.iterations() * pile.num_contacts());
  int loaded = 0;
  for (const Cone& cone : pile.problem().cones) loaded += r[cone.offset] > 0 ? 1 : 0;
  state.counters["contacts"] = pile.num_contacts();
  state.counters["loaded"] = loaded;
  state.counters["loaded_per_second"] =
      benchmark::Counter(loaded, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(SweepThroughput)->Arg(5)->Arg(10)->Arg(20)->Unit(benchmark::kMicrosecond);

// A whole solve to 10⁻ᵏ, from rest or from the last step.
void Solve(benchmark::State& state) {
  const SettledPile& pile = FindPile(10);
  NsgsOptions options;
  options.tolerance = std::pow(10, -state.range(0));
  options.max_iterations = 5000;
  NsgsSolver solver(options);
  SolveReport report;
  for (auto _ : state) {
    VectorX r = pile.impulses();
    if (state.range(1) == 0) r.setZero();
    report = solver.Solve(pile.problem(), &r);
  }
  state.counters["sweeps"] = report.iterations;
  state.counters["residual"] = report.residual.relative;
}
BENCHMARK(Solve)
    ->ArgNames({"digits", "warm"})
    ->ArgsProduct({{3, 4, 6}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

// Larger piles to 10⁻⁶ from the last step: time, and memory that the solver takes for each contact.
void LargeSolve(benchmark::State& state) {
  const SettledPile& pile = FindPile(static_cast<int>(state.range(0)));
  NsgsOptions options;
  options.tolerance = 1e-6;
  options.max_iterations = 20000;
  SolveReport report;
  double bytes = 0;
  for (auto _ : state) {
    VectorX r = pile.impulses();
    const double before = static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd);
    NsgsSolver solver(options);
    report = solver.Solve(pile.problem(), &r);
    bytes = static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd) - before;
  }
  state.counters["contacts"] = pile.num_contacts();
  state.counters["sweeps"] = report.iterations;
  state.counters["residual"] = report.residual.relative;
  state.counters["bytes_per_contact"] = bytes / pile.num_contacts();
}
BENCHMARK(LargeSolve)->Arg(5)->Arg(10)->Arg(14)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace saltus::bench

BENCHMARK_MAIN();
