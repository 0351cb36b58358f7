#include "saltus/cones/solvers/islands.h"

#include <algorithm>
#include <numeric>

#include "saltus/cones/solvers/judge.h"

namespace saltus {

IslandSolver::IslandSolver(std::unique_ptr<ConicSolver> solver, const ConicSolverOptions& options)
    : ConicSolver(options), options_(options) {
  solvers_.push_back(std::move(solver));
}

int IslandSolver::FindRoot(int block) {
  while (parents_[block] != block) {
    parents_[block] = parents_[parents_[block]];
    block = parents_[block];
  }
  return block;
}

void IslandSolver::Join(int a, int b) {
  a = FindRoot(a);
  b = FindRoot(b);
  parents_[std::max(a, b)] = std::min(a, b);  // The root is the first block of its island.
}

// False if the problem is one island, or its operator tells nothing about islands.
bool IslandSolver::FindIslands(const ConicProblem& problem) {
  const int num_blocks = static_cast<int>(problem.cones.size());
  parents_.resize(problem.cones.size());
  std::iota(parents_.begin(), parents_.end(), 0);
  if (const auto* body = problem.A->body_form()) {
    if (body->num_blocks() != num_blocks) return false;
    body_block_.assign(static_cast<std::size_t>(body->num_bodies()), -1);
    for (int c = 0; c < num_blocks; ++c) {
      for (const int side : {body->sides(c).a, body->sides(c).b}) {
        if (side >= body->num_bodies()) continue;
        if (body_block_[side] >= 0) Join(body_block_[side], c);
        body_block_[side] = c;
      }
    }
  } else if (const auto* sparse = problem.A->block_sparse_form()) {
    if (sparse->num_blocks() != num_blocks) return false;
    for (int c = 0; c < num_blocks; ++c) {
      for (int slot = sparse->row_begin(c); slot < sparse->row_begin(c + 1); ++slot) {
        Join(c, sparse->column(slot));
      }
    }
  } else {
    return false;
  }
  for (int c = 0; c < num_blocks; ++c) {
    if (problem.cones[c].load < 0) continue;
    const MatrixX& rows = problem.loads[problem.cones[c].load].rows;
    for (int e = 0; e < num_blocks; ++e) {
      const Cone& other = problem.cones[e];
      if (!rows.middleCols(other.offset, other.dimension).isZero(0)) Join(c, e);
    }
  }
  CollectBlocks(num_blocks);
  return num_islands_ > 1;
}

void IslandSolver::CollectBlocks(int num_blocks) {
  num_islands_ = 0;
  island_of_root_.assign(static_cast<std::size_t>(num_blocks), -1);
  for (int c = 0; c < num_blocks; ++c) {
    int& index = island_of_root_[FindRoot(c)];
    if (index < 0) {
      index = num_islands_++;
      if (num_islands_ > static_cast<int>(islands_.size())) {
        islands_.push_back(std::make_unique<Island>());
      }
      islands_[index]->blocks.clear();
    }
    islands_[index]->blocks.push_back(c);
  }
}

// (1)
void IslandSolver::MakeProblem(const ConicProblem& problem, Island* island) {
  ConicProblem& part = island->problem;
  part.cones.clear();
  part.loads.clear();
  island->rows.clear();
  for (const int c : island->blocks) {
    Cone cone = problem.cones[c];
    cone.offset = static_cast<int>(island->rows.size());
    for (int i = 0; i < cone.dimension; ++i) island->rows.push_back(problem.cones[c].offset + i);
    if (cone.load >= 0) {
      part.loads.push_back(problem.loads[cone.load]);
      cone.load = static_cast<int>(part.loads.size()) - 1;
    }
    part.cones.push_back(cone);
  }
  for (ConeLoad& load : part.loads) load.rows = MatrixX(load.rows(Eigen::all, island->rows));
  part.b = problem.b(island->rows);
  part.compliance.resize(0);
  if (problem.compliance.size() > 0) part.compliance = problem.compliance(island->rows);
  if (const auto* body = problem.A->body_form()) {
    island->body.CopyBlocks(*body, island->blocks, &local_row_);
    part.A = &island->body;
  } else {
    const auto& sparse = static_cast<const BlockSparseDelassus&>(*problem.A);
    island->sparse.CopyBlocks(sparse, island->blocks, &local_block_);
    part.A = &island->sparse;
  }
}

void IslandSolver::SolveIslands(int num_rows, const SolveTarget& target) {
  const auto solve = [&](int i, int worker) {
    Island& island = *islands_[i];
    island.report = solvers_[worker]->Solve(island.problem, target, &island.r);
  };
  if (options_.threads <= 1 || num_rows < kMinThreadedRows) {
    for (int i = 0; i < num_islands_; ++i) solve(i, 0);
    return;
  }
  if (pool_ == nullptr) pool_ = std::make_unique<ThreadPool>(options_.threads);
  while (static_cast<int>(solvers_.size()) < pool_->num_threads()) {
    solvers_.push_back(solvers_[0]->Clone());
  }
  // Large ones first, so that no thread is left with one at the end.
  std::vector<int> order(static_cast<std::size_t>(num_islands_));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return islands_[a]->rows.size() > islands_[b]->rows.size();
  });
  pool_->Run(num_islands_, [&](int k, int worker) { solve(order[k], worker); });
}

SolveReport IslandSolver::Combine(const ConicProblem& problem, const SolveTarget& target,
                                  VectorX* r) {
  SolveReport report;
  for (int i = 0; i < num_islands_; ++i) {
    const Island& island = *islands_[i];
    (*r)(island.rows) = island.r;
    report.iterations = std::max(report.iterations, island.report.iterations);
    const bool worse = report.ok() || island.report.status == SolveStatus::kInfeasible ||
                       island.report.status == SolveStatus::kNotFinite;
    if (!island.report.ok() && worse && report.status != SolveStatus::kNotFinite) {
      report.status = island.report.status;
      report.reason = island.report.reason;
    }
  }
  Judge judge(problem, target, options_.stop);
  const bool solved = judge.Evaluate(*r);
  report.residual = judge.best_residual();
  if (report.ok() && !solved) {
    const int iterations = report.iterations;
    SolveTarget rest = target;
    rest.budget.max_iterations -= iterations;
    report = solvers_[0]->Solve(problem, rest, r);
    report.iterations += iterations;
  } else if (solved && (report.status == SolveStatus::kMaxIterations ||
                        report.status == SolveStatus::kStagnated)) {
    report.status = SolveStatus::kConverged;  // An island that hardly counts missed its own test.
    report.reason = "";
  }
  return report;
}

SolveReport IslandSolver::SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                                       VectorX* r) {
  num_islands_ = 1;
  if (problem.cones.size() < 2 || !problem.b.allFinite() || !FindIslands(problem)) {
    num_islands_ = std::min<int>(num_islands_, 1);
    return solvers_[0]->Solve(problem, target, r);
  }
  if (r->size() != problem.size() || !r->allFinite()) r->setZero(problem.size());
  for (int i = 0; i < num_islands_; ++i) {
    MakeProblem(problem, islands_[i].get());
    islands_[i]->r = (*r)(islands_[i]->rows);
  }
  SolveIslands(problem.size(), target);
  return Combine(problem, target, r);
}

}  // namespace saltus
