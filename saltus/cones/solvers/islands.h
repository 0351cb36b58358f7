// Islands: parts of a problem that A does not connect are solved one by one, on several threads
// where that pays.
//
//   A = blockdiag(A_1, …, A_m) after a permutation; r = (r_1, …, r_m)                          (1)
//
// Islands are the connected components of the graph of blocks, joined where A (or the load of a
// box) couples them: by shared bodies in the body form, by stored blocks in the block-sparse form;
// dense operators count as one island. Each island is solved by the same method from the same start
// whatever the number of threads, so the result does not depend on it, bit for bit. An island of
// few contacts ends after few sweeps, or exactly by Newton's method, while a large one goes on.
//
// The report is on the whole problem: residual of the whole, iterations of the slowest island. An
// island within its tolerance contributes no more than it to the whole; where islands without
// impulses spoil that, the whole problem is solved once more from the impulses found.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saltus/base/thread_pool.h"
#include "saltus/cones/block_sparse_delassus.h"
#include "saltus/cones/body_delassus.h"
#include "saltus/cones/conic_solver.h"

namespace saltus {

class IslandSolver final : public ConicSolver {
 public:
  /// Fewer rows than these are solved on the calling thread alone: waking others costs more.
  static constexpr int kMinThreadedRows = 300;

  IslandSolver(std::unique_ptr<ConicSolver> solver, const ConicSolverOptions& options);

  std::string name() const override { return solvers_[0]->name(); }
  std::unique_ptr<ConicSolver> Clone() const override {
    return std::make_unique<IslandSolver>(solvers_[0]->Clone(), options_);
  }
  /// Of the last call.
  int num_islands() const { return num_islands_; }

 private:
  struct Island {
    std::vector<int> blocks;
    std::vector<int> rows;
    ConicProblem problem;
    BodyDelassus body;
    BlockSparseDelassus sparse;
    VectorX r;
    SolveReport report;
  };

  SolveReport SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                           VectorX* r) override;
  bool FindIslands(const ConicProblem& problem);
  void Join(int a, int b);
  int FindRoot(int block);
  void CollectBlocks(int num_blocks);
  void MakeProblem(const ConicProblem& problem, Island* island);
  void SolveIslands(int num_rows, const SolveTarget& target);
  SolveReport Combine(const ConicProblem& problem, const SolveTarget& target, VectorX* r);

  ConicSolverOptions options_;
  std::vector<std::unique_ptr<ConicSolver>> solvers_;  // one for each thread
  std::unique_ptr<ThreadPool> pool_;
  std::vector<int> parents_, body_block_, island_of_root_, local_block_, local_row_;
  std::vector<std::unique_ptr<Island>> islands_;  // the first num_islands_ are in use
  int num_islands_ = 0;
};

}  // namespace saltus
