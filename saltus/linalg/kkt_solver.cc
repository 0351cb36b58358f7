#include "saltus/linalg/kkt_solver.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "saltus/base/error.h"

namespace saltus {
namespace {

/// Disjoint sets of blocks (union–find with path halving).
class DisjointSets {
 public:
  explicit DisjointSets(int size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }
  int Find(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// The smaller representative stays, so the sets are numbered by their first member.
  void Unite(int i, int j) {
    const auto [low, high] = std::minmax({Find(i), Find(j)});
    parent_[high] = low;
  }

 private:
  std::vector<int> parent_;
};

/// x = A f for one column-major block; N > 0 fixes the size at compile time.
template <int N>
void MultiplyBlock(int n_dynamic, const double* A, const double* f, double* x) {
  const int n = N > 0 ? N : n_dynamic;
  for (int i = 0; i < n; ++i) x[i] = 0;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) x[i] += A[j * n + i] * f[j];
  }
}

void MultiplyBlock(int n, const double* A, const double* f, double* x) {
  switch (n) {
    case 3:
      return MultiplyBlock<3>(n, A, f, x);
    case 6:
      return MultiplyBlock<6>(n, A, f, x);
    default:
      return MultiplyBlock<0>(n, A, f, x);
  }
}

/// Turns items grouped by key ∈ [0, count) into compressed form, each group ascending.
void GroupByKey(const std::vector<int>& keys, int count, std::vector<int>* begin,
                std::vector<int>* items) {
  begin->assign(count + 1, 0);
  for (int key : keys) ++(*begin)[key + 1];
  for (int k = 0; k < count; ++k) (*begin)[k + 1] += (*begin)[k];
  items->resize(keys.size());
  std::vector<int> next(begin->begin(), begin->end() - 1);
  for (int i = 0; i < static_cast<int>(keys.size()); ++i) (*items)[next[keys[i]]++] = i;
}

}  // namespace

KktSolver::KktSolver(std::shared_ptr<const BlockPattern> pattern, const SparseRows& G_pattern,
                     int max_dense_size)
    : pattern_(std::move(pattern)), num_G_values_(static_cast<int>(G_pattern.nonZeros())) {
  SALTUS_CHECK(G_pattern.isCompressed(), "the pattern of G is not compressed");
  SALTUS_CHECK(G_pattern.rows() == 0 || G_pattern.cols() == pattern_->num_dofs(),
               "the columns of G are not the dofs of S");
  FindComponents(G_pattern);
  MakeComponentSolvers(G_pattern, max_dense_size);
}

KktSolver::~KktSolver() = default;
KktSolver::KktSolver(KktSolver&&) noexcept = default;
KktSolver& KktSolver::operator=(KktSolver&&) noexcept = default;

std::span<const int> KktSolver::component_dofs(int comp) const {
  return std::span(dofs_).subspan(dof_begin_[comp], dof_begin_[comp + 1] - dof_begin_[comp]);
}

std::span<const int> KktSolver::component_rows(int comp) const {
  return std::span(rows_).subspan(row_begin_[comp], row_begin_[comp + 1] - row_begin_[comp]);
}

void KktSolver::FindComponents(const SparseRows& G_pattern) {
  const int num_blocks = pattern_->num_blocks();
  block_of_dof_.resize(pattern_->num_dofs());
  for (int b = 0; b < num_blocks; ++b) {
    std::fill_n(block_of_dof_.begin() + pattern_->offset(b), pattern_->size(b), b);
  }
  DisjointSets sets(num_blocks);
  slot_begin_.assign(num_blocks + 1, 0);
  for (int s = 0; s < pattern_->num_slots(); ++s) {
    sets.Unite(pattern_->slot(s)[0], pattern_->slot(s)[1]);
    slot_begin_[pattern_->slot(s)[0] + 1] = s + 1;  // slots are sorted by row, none is empty
  }
  const int* begin = G_pattern.outerIndexPtr();
  const int* column = G_pattern.innerIndexPtr();
  const int num_rows = static_cast<int>(G_pattern.rows());
  for (int i = 0; i < num_rows; ++i) {
    for (int k = begin[i] + 1; k < begin[i + 1]; ++k) {
      sets.Unite(block_of_dof_[column[k - 1]], block_of_dof_[column[k]]);
    }
  }

  // Components in the order of their first block; rows without entries come last, one each.
  int count = 0;
  component_of_block_.assign(num_blocks, -1);
  for (int b = 0; b < num_blocks; ++b) {
    const int root = sets.Find(b);
    if (root == b) component_of_block_[b] = count++;
    component_of_block_[b] = component_of_block_[root];
  }
  component_of_row_.resize(num_rows);
  for (int i = 0; i < num_rows; ++i) {
    const bool empty = begin[i] == begin[i + 1];
    component_of_row_[i] = empty ? count++ : component_of_block_[block_of_dof_[column[begin[i]]]];
  }
  std::vector<int> component_of_dof(block_of_dof_.size());
  for (std::size_t d = 0; d < block_of_dof_.size(); ++d) {
    component_of_dof[d] = component_of_block_[block_of_dof_[d]];
  }
  GroupByKey(component_of_dof, count, &dof_begin_, &dofs_);
  GroupByKey(component_of_row_, count, &row_begin_, &rows_);
  local_dof_.resize(dofs_.size());
  for (int comp = 0; comp < count; ++comp) {
    for (int k = dof_begin_[comp]; k < dof_begin_[comp + 1]; ++k) {
      local_dof_[dofs_[k]] = k - dof_begin_[comp];
    }
  }
}

void KktSolver::MakeComponentSolvers(const SparseRows& G_pattern, int max_dense_size) {
  std::vector<int> num_blocks_of(num_components(), 0);
  for (int comp : component_of_block_) ++num_blocks_of[comp];
  kkt_of_component_.assign(num_components(), -1);
  for (int comp = 0; comp < num_components(); ++comp) {
    if (num_blocks_of[comp] == 1 && component_rows(comp).empty()) continue;
    kkt_of_component_[comp] = static_cast<int>(component_of_kkt_.size());
    component_of_kkt_.push_back(comp);
  }

  std::vector<std::vector<KktEntry>> entries(component_of_kkt_.size());
  free_block_of_block_.assign(pattern_->num_blocks(), -1);
  int num_free_values = 0;
  for (int s = 0; s < pattern_->num_slots(); ++s) {
    const auto [bi, bj] = pattern_->slot(s);
    const int kkt = kkt_of_component_[component_of_block_[bi]];
    const int rows = pattern_->size(bi);
    const int S_offset = pattern_->value_offset(s);
    if (kkt < 0) {
      const int free = static_cast<int>(free_blocks_.size());
      free_block_of_block_[bi] = free;
      kkt_of_component_[component_of_block_[bi]] = -1 - free;
      free_blocks_.push_back({rows, pattern_->offset(bi), S_offset, num_free_values});
      num_free_values += rows * rows;
      continue;
    }
    if (rows == 0 || pattern_->size(bj) == 0) continue;
    const int first_row = local_dof_[pattern_->offset(bi)];
    const int first_column = local_dof_[pattern_->offset(bj)];
    for (int j = 0; j < pattern_->size(bj); ++j) {
      for (int i = 0; i < rows; ++i) {
        entries[kkt].push_back(
            {first_row + i, first_column + j, S_offset + j * rows + i, 1, false});
      }
    }
  }
  int largest_block = 0;
  for (const FreeBlock& block : free_blocks_) largest_block = std::max(largest_block, block.size);
  scratch_.assign(largest_block, 0);
  free_values_.assign(num_free_values, std::nan(""));
  free_inverses_.assign(num_free_values, 0);
  free_block_regular_.assign(free_blocks_.size(), 0);

  for (int comp = 0; comp < num_components(); ++comp) {
    if (kkt_of_component_[comp] < 0) continue;
    std::vector<KktEntry>& list = entries[kkt_of_component_[comp]];
    const int n = static_cast<int>(component_dofs(comp).size());
    const int m = static_cast<int>(component_rows(comp).size());
    std::vector<int> blocks(n);  // numbered within the component
    for (int j = 1; j < n; ++j) {
      const std::span<const int> dofs = component_dofs(comp);
      blocks[j] = blocks[j - 1] + (block_of_dof_[dofs[j]] != block_of_dof_[dofs[j - 1]] ? 1 : 0);
    }
    for (int i = 0; i < m; ++i) {
      const int row = component_rows(comp)[i];
      for (int k = G_pattern.outerIndexPtr()[row]; k < G_pattern.outerIndexPtr()[row + 1]; ++k) {
        const int dof = local_dof_[G_pattern.innerIndexPtr()[k]];
        list.push_back({n + i, dof, k, 1, true});
        list.push_back({dof, n + i, k, -1, true});
      }
    }
    kkts_.push_back(
        std::make_unique<ComponentKkt>(blocks, m, std::move(list), n + m <= max_dense_size));
  }
}

bool KktSolver::Factor(const BlockMatrix& S, const SparseRows& G, const SparseRows& L) {
  SALTUS_CHECK(S.values().size() == pattern_->num_values(), "S does not have the pattern");
  SALTUS_CHECK(G.isCompressed() && G.rows() == num_rows() && G.nonZeros() == num_G_values_,
               "G does not have the pattern");
  SALTUS_CHECK(L.isCompressed() && L.rows() == num_rows() && L.nonZeros() == num_G_values_,
               "L does not have the pattern of G");
  bool regular = FactorFreeBlocks(S);
  for (auto& kkt : kkts_) {
    regular &= kkt->Factor(S.values().data(), G.valuePtr(), L.valuePtr());
  }
  factored_ = true;
  return regular;
}

bool KktSolver::FactorFreeBlocks(const BlockMatrix& S) {
  bool regular = true;
  for (std::size_t k = 0; k < free_blocks_.size(); ++k) {
    const FreeBlock& block = free_blocks_[k];
    const double* S_bb = S.values().data() + block.S_offset;
    double* known = free_values_.data() + block.value_offset;
    const std::size_t num_bytes = sizeof(double) * block.size * block.size;
    if (std::memcmp(known, S_bb, num_bytes) != 0) {
      std::memcpy(known, S_bb, num_bytes);
      free_block_regular_[k] =
          InvertSmallMatrix(block.size, S_bb, free_inverses_.data() + block.value_offset);
    }
    regular &= free_block_regular_[k] != 0;
  }
  return regular;
}

Eigen::Map<const MatrixX> KktSolver::free_block_inverse(int block) const {
  const FreeBlock& free_block = free_blocks_[free_block_of_block_[block]];
  return {free_inverses_.data() + free_block.value_offset, free_block.size, free_block.size};
}

bool KktSolver::SolveFreeBlocks(const VectorX& f, VectorX* x) const {
  bool regular = true;
  for (std::size_t k = 0; k < free_blocks_.size(); ++k) {
    const FreeBlock& block = free_blocks_[k];
    regular &= free_block_regular_[k] != 0;
    MultiplyBlock(block.size, free_inverses_.data() + block.value_offset, f.data() + block.dof,
                  x->data() + block.dof);
  }
  return regular;
}

bool KktSolver::Solve(const VectorX& f, const VectorX& c, VectorX* x, VectorX* lambda,
                      KktPasses passes) const {
  SALTUS_CHECK(factored_, "Solve() before Factor()");
  SALTUS_CHECK(f.size() == num_dofs() && c.size() == num_rows(), "right-hand side does not fit");
  SALTUS_CHECK(x != &f && lambda != &c, "the solution would overwrite the right-hand side");
  x->resize(num_dofs());
  if (lambda != nullptr) lambda->resize(num_rows());
  constraint_residual_ = 0;
  outcome_ = SolveFreeBlocks(f, x) ? KktOutcome::kSolved : KktOutcome::kSingular;

  for (std::size_t k = 0; k < kkts_.size(); ++k) {
    ComponentKkt& kkt = *kkts_[k];
    const std::span<const int> dofs = component_dofs(component_of_kkt_[k]);
    const std::span<const int> rows = component_rows(component_of_kkt_[k]);
    double* y = kkt.rhs();
    for (std::size_t i = 0; i < dofs.size(); ++i) y[i] = f[dofs[i]];
    for (std::size_t i = 0; i < rows.size(); ++i) y[dofs.size() + i] = c[rows[i]];
    outcome_ =
        std::max(outcome_, passes == KktPasses::kToRounding ? kkt.Solve() : kkt.SolveInOnePass());
    constraint_residual_ = std::max(constraint_residual_, kkt.constraint_residual());
    for (std::size_t i = 0; i < dofs.size(); ++i) (*x)[dofs[i]] = y[i];
    if (lambda == nullptr) continue;
    for (std::size_t i = 0; i < rows.size(); ++i) (*lambda)[rows[i]] = y[dofs.size() + i];
  }
  if (outcome_ != KktOutcome::kSingular && !x->allFinite()) outcome_ = KktOutcome::kSingular;
  return outcome_ == KktOutcome::kSolved;
}

bool KktSolver::SolveInComponent(int comp, MatrixX* rhs, MatrixX* lambda) const {
  const int n = static_cast<int>(component_dofs(comp).size());
  const int m = static_cast<int>(component_rows(comp).size());
  SALTUS_CHECK(factored_ && rhs->rows() == n, "right-hand sides do not fit the component");
  if (lambda != nullptr) lambda->resize(m, rhs->cols());

  if (component_is_free_block(comp)) {
    const int free = free_block_of_component(comp);
    const double* inverse = free_inverses_.data() + free_blocks_[free].value_offset;
    for (int j = 0; j < rhs->cols(); ++j) {
      std::copy_n(rhs->col(j).data(), n, scratch_.data());
      MultiplyBlock(n, inverse, scratch_.data(), rhs->col(j).data());
    }
    return free_block_regular_[free] != 0;
  }
  bool solved = true;
  ComponentKkt& kkt = *kkts_[kkt_of_component_[comp]];
  Eigen::Map<VectorX> y(kkt.rhs(), n + m);
  for (int j = 0; j < rhs->cols(); ++j) {
    y.head(n) = rhs->col(j);
    y.tail(m).setZero();
    solved &= kkt.Solve() == KktOutcome::kSolved;
    rhs->col(j) = y.head(n);
    if (lambda != nullptr) lambda->col(j) = y.tail(m);
  }
  return solved;
}

void KktSolver::MultiplyInComponent(int comp, const BlockMatrix& B, const MatrixX& X,
                                    MatrixX* Y) const {
  Y->setZero(X.rows(), X.cols());
  const std::span<const int> dofs = component_dofs(comp);
  for (std::size_t i = 0; i < dofs.size();) {
    const int block = block_of_dof_[dofs[i]];
    const int rows = pattern_->size(block);
    for (int s = slot_begin_[block]; s < slot_begin_[block + 1]; ++s) {
      const int other = pattern_->slot(s)[1];
      if (pattern_->size(other) == 0) continue;
      Y->middleRows(static_cast<Eigen::Index>(i), rows).noalias() +=
          B.block(s) * X.middleRows(local_dof_[pattern_->offset(other)], pattern_->size(other));
    }
    i += static_cast<std::size_t>(rows);
  }
}

}  // namespace saltus
