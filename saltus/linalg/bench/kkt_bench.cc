// The saddle-point solver: free bodies, and hinge chains on the dense and on the sparse path. The
// crossing of the last two decides KktSolver::kMaxDenseSize.
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "saltus/linalg/kkt_solver.h"

namespace saltus {
namespace {

struct Chain {
  std::shared_ptr<const BlockPattern> pattern;
  BlockMatrix S;
  SparseRows G;
};

/// Rods along x, 6 dofs each, hinged about y to each other and to the ground.
Chain MakeChain(int num_bodies) {
  Chain chain;
  chain.pattern = std::make_shared<const BlockPattern>(std::vector<int>(num_bodies, 6),
                                                       std::vector<std::array<int, 2>>{});
  chain.S = BlockMatrix(chain.pattern);
  std::vector<Triplet> triplets;
  for (int b = 0; b < num_bodies; ++b) {
    chain.S.block(b).diagonal() << 1, 1, 1, 0.01, 0.1, 0.1;
    for (int side = 0; side < 2; ++side) {
      const int body = b - side;
      if (body < 0) continue;
      const double sign = side == 0 ? 1 : -1;
      const double arm = side == 0 ? -0.5 : 0.5;
      for (int k = 0; k < 3; ++k) triplets.emplace_back(5 * b + k, 6 * body + k, sign);
      triplets.emplace_back(5 * b + 1, 6 * body + 5, sign * arm);
      triplets.emplace_back(5 * b + 2, 6 * body + 4, -sign * arm);
      triplets.emplace_back(5 * b + 3, 6 * body + 3, sign);
      triplets.emplace_back(5 * b + 4, 6 * body + 5, sign);
    }
  }
  chain.G = SparseRows(5 * num_bodies, 6 * num_bodies);
  chain.G.setFromTriplets(triplets.begin(), triplets.end());
  chain.G.makeCompressed();
  return chain;
}

void FactorAndSolveChain(benchmark::State& state, int max_dense_size) {
  Chain chain = MakeChain(static_cast<int>(state.range(0)));
  KktSolver solver(chain.pattern, chain.G, max_dense_size);
  const VectorX f = VectorX::LinSpaced(chain.pattern->num_dofs(), -1, 1);
  const VectorX c = VectorX::Zero(chain.G.rows());
  VectorX x, lambda;
  double factor = 1.01;
  for (auto _ : state) {
    chain.S.values() *= factor;  // new numbers: nothing is skipped
    factor = 1 / factor;
    benchmark::DoNotOptimize(solver.Factor(chain.S, chain.G));
    benchmark::DoNotOptimize(solver.Solve(f, c, &x, &lambda));
  }
  state.counters["unknowns"] = static_cast<double>(f.size() + c.size());
}

void BM_ChainDense(benchmark::State& state) { FactorAndSolveChain(state, 1 << 20); }
void BM_ChainSparse(benchmark::State& state) { FactorAndSolveChain(state, 0); }
BENCHMARK(BM_ChainDense)->Arg(1)->Arg(2)->Arg(3)->Arg(4)->Arg(6)->Arg(8)->Arg(12)->Arg(20);
BENCHMARK(BM_ChainSparse)
    ->Arg(1)
    ->Arg(2)
    ->Arg(3)
    ->Arg(4)
    ->Arg(6)
    ->Arg(8)
    ->Arg(12)
    ->Arg(20)
    ->Arg(50)
    ->Arg(500);

void RunFreeBodies(benchmark::State& state, bool changed) {
  const int num_bodies = static_cast<int>(state.range(0));
  auto pattern = std::make_shared<const BlockPattern>(std::vector<int>(num_bodies, 6),
                                                      std::vector<std::array<int, 2>>{});
  BlockMatrix S(pattern);
  for (int b = 0; b < num_bodies; ++b) {
    S.block(b).setConstant(0.1);
    S.block(b).diagonal().setConstant(2);
  }
  const SparseRows G(0, 6 * num_bodies);
  KktSolver solver(pattern, G);
  const VectorX f = VectorX::Ones(6 * num_bodies);
  const VectorX c(0);
  VectorX x;
  double factor = 1.01;
  for (auto _ : state) {
    if (changed) S.values() *= factor;
    factor = 1 / factor;
    benchmark::DoNotOptimize(solver.Factor(S, G));
    benchmark::DoNotOptimize(solver.Solve(f, c, &x, nullptr));
  }
  state.SetItemsProcessed(state.iterations() * num_bodies);
}

void BM_FreeBodiesChanged(benchmark::State& state) { RunFreeBodies(state, true); }
void BM_FreeBodiesUnchanged(benchmark::State& state) { RunFreeBodies(state, false); }
BENCHMARK(BM_FreeBodiesChanged)->Arg(125)->Arg(1000)->Arg(8000);
BENCHMARK(BM_FreeBodiesUnchanged)->Arg(125)->Arg(1000)->Arg(8000);

}  // namespace
}  // namespace saltus
