#include "saltus/linalg/block_lu.h"

#include <algorithm>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

namespace saltus {
namespace {

constexpr int kSmallFront = 48;     // unknowns up to which fronts are merged whatever it costs
constexpr double kMaxZeros = 0.15;  // share of a front that mergers may fill with zeros

using Lists = std::vector<std::vector<int>>;

std::vector<int> OrderByDegree(const BlockPattern& pattern) {
  std::vector<Triplet> entries;
  for (int s = 0; s < pattern.num_slots(); ++s) {
    entries.emplace_back(pattern.slot(s)[0], pattern.slot(s)[1], 1.0);
  }
  const int n = pattern.num_blocks();
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> graph(n, n);
  graph.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(graph, permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

// The elimination tree while fronts are planned. Nodes are places in the order of elimination;
// `below` are the places that remain coupled with a node.
struct Tree {
  Lists own, below, children;
  std::vector<int> num_own, num_below;  // unknowns
  std::vector<bool> merged;             // into the parent

  explicit Tree(int n)
      : own(static_cast<std::size_t>(n)),
        below(own.size()),
        children(own.size()),
        num_own(own.size(), 0),
        num_below(own.size(), 0),
        merged(own.size(), false) {}
  int size() const { return static_cast<int>(own.size()); }
};

// Coupled with a node remain its neighbours that come later, and those of its children.
Tree MakeTree(const BlockPattern& pattern, const std::vector<int>& order) {
  const int n = pattern.num_blocks();
  Tree tree(n);
  std::vector<int> place(static_cast<std::size_t>(n)), mark(static_cast<std::size_t>(n), -1);
  for (int k = 0; k < n; ++k) place[order[k]] = k;
  Lists later(static_cast<std::size_t>(n));
  for (int s = 0; s < pattern.num_slots(); ++s) {
    const auto [i, j] = pattern.slot(s);
    if (place[i] > place[j]) later[place[j]].push_back(place[i]);
  }
  for (int k = 0; k < n; ++k) {
    std::vector<int>& below = tree.below[k];
    const auto add = [&](const std::vector<int>& places) {
      for (const int i : places) {
        if (i == k || mark[i] == k) continue;
        mark[i] = k;
        below.push_back(i);
        tree.num_below[k] += pattern.size(order[i]);
      }
    };
    add(later[k]);
    for (const int child : tree.children[k]) add(tree.below[child]);
    std::sort(below.begin(), below.end());
    if (!below.empty()) tree.children[below.front()].push_back(k);
    tree.own[k] = {k};
    tree.num_own[k] = pattern.size(order[k]);
  }
  return tree;
}

// Merges nodes with their parents where this adds few zeros, or where both are small.
void MergeNodes(Tree* tree) {
  std::vector<double> zeros(static_cast<std::size_t>(tree->size()), 0.0);
  for (int k = 0; k < tree->size(); ++k) {
    std::vector<int> candidates = tree->children[k], kept;
    std::sort(candidates.begin(), candidates.end(), [&](int a, int b) {  // fewest zeros first
      return tree->num_below[a] != tree->num_below[b] ? tree->num_below[a] > tree->num_below[b]
                                                      : a < b;
    });
    for (const int child : candidates) {
      const double own = tree->num_own[child], rest = tree->num_below[k];
      const double width = tree->num_own[k] + rest;  // of the parent's front
      const double added = zeros[child] + 2 * own * (width - tree->num_below[child]);
      const double entries = (own + width) * (own + width) - rest * rest;
      if (own + tree->num_own[k] > kSmallFront && zeros[k] + added > kMaxZeros * entries) {
        kept.push_back(child);
        continue;
      }
      zeros[k] += added;
      tree->merged[child] = true;
      tree->num_own[k] += tree->num_own[child];
      tree->own[k].insert(tree->own[k].end(), tree->own[child].begin(), tree->own[child].end());
      kept.insert(kept.end(), tree->children[child].begin(), tree->children[child].end());
    }
    std::sort(tree->own[k].begin(), tree->own[k].end());
    tree->children[k] = kept;
  }
}

}  // namespace

void BlockLu::Analyze(std::shared_ptr<const BlockPattern> pattern) {
  pattern_ = std::move(pattern);
  const std::vector<int> order = OrderByDegree(*pattern_);
  Tree tree = MakeTree(*pattern_, order);
  MergeNodes(&tree);
  fronts_.clear();
  flops_ = entries_ = 0;
  std::vector<int> front_of_node(order.size());
  for (int k = 0; k < tree.size(); ++k) {
    if (tree.merged[k]) continue;
    front_of_node[k] = static_cast<int>(fronts_.size());
    Front& front = fronts_.emplace_back();
    for (const int i : tree.own[k]) front.own.push_back(order[i]);
    for (const int i : tree.below[k]) front.rest.push_back(order[i]);
    for (const int child : tree.children[k]) front.children.push_back(front_of_node[child]);
    front.num_own = tree.num_own[k];
    front.num_rest = tree.num_below[k];
    const double own = front.num_own, rest = front.num_rest;
    flops_ += own * own * own / 3 + own * own * rest + own * rest * rest;
    entries_ += own * own + 2 * own * rest;
  }
  PlaceEntries();
}

// An entry enters where the first of its two blocks is eliminated.
void BlockLu::PlaceEntries() {
  const BlockPattern& pattern = *pattern_;
  std::vector<std::size_t> front_of_block(static_cast<std::size_t>(pattern.num_blocks()));
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    for (const int b : fronts_[f].own) front_of_block[b] = f;
  }
  for (int s = 0; s < pattern.num_slots(); ++s) {
    const auto [i, j] = pattern.slot(s);
    fronts_[std::min(front_of_block[i], front_of_block[j])].slots.push_back(s);
  }
  std::vector<int> row(front_of_block.size());  // of a block in the present front
  for (Front& front : fronts_) {
    int next = 0;
    for (const std::vector<int>* blocks : {&front.own, &front.rest}) {
      for (const int b : *blocks) {
        row[b] = next;
        next += pattern.size(b);
      }
    }
    for (const int s : front.slots) {
      front.at.push_back({row[pattern.slot(s)[0]], row[pattern.slot(s)[1]]});
    }
    for (const int child : front.children) {
      for (const int b : fronts_[child].rest) fronts_[child].parent_row.push_back(row[b]);
    }
  }
}

// F of (1): entries of A, and the updates of the children.
void BlockLu::Assemble(const BlockMatrix& A, const Front& front) {
  F_.setZero(front.num_own + front.num_rest, front.num_own + front.num_rest);
  for (std::size_t k = 0; k < front.slots.size(); ++k) {
    const auto block = A.block(front.slots[k]);
    F_.block(front.at[k][0], front.at[k][1], block.rows(), block.cols()) = block;
  }
  for (const int c : front.children) {
    Front& child = fronts_[c];
    int column = 0;
    for (std::size_t j = 0; j < child.rest.size(); ++j) {
      const int width = pattern_->size(child.rest[j]);
      int row = 0;
      for (std::size_t i = 0; i < child.rest.size(); ++i) {
        const int height = pattern_->size(child.rest[i]);
        F_.block(child.parent_row[i], child.parent_row[j], height, width) +=
            child.update.block(row, column, height, width);
        row += height;
      }
      column += width;
    }
    child.update.resize(0, 0);  // A sum over all fronts would be many times the factors.
  }
}

// (1)
bool BlockLu::Eliminate(Front* front) {
  const int own = front->num_own, rest = front->num_rest;
  front->lu.compute(F_.topLeftCorner(own, own));
  const MatrixX& factors = front->lu.matrixLU();
  if (!factors.allFinite() || (factors.diagonal().array() == 0).any()) return false;
  if (rest == 0) return true;
  front->upper = front->lu.permutationP() * F_.topRightCorner(own, rest);
  factors.triangularView<Eigen::UnitLower>().solveInPlace(front->upper);
  front->lower = F_.bottomLeftCorner(rest, own);
  factors.triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(front->lower);
  front->update = F_.bottomRightCorner(rest, rest);
  front->update.noalias() -= front->lower * front->upper;
  return true;
}

bool BlockLu::Factor(const BlockMatrix& A) {
  for (Front& front : fronts_) {
    Assemble(A, front);
    if (!Eliminate(&front)) return false;
  }
  return true;
}

void BlockLu::Gather(const std::vector<int>& blocks, int size, const VectorX& x,
                     VectorX* part) const {
  part->resize(size);
  int next = 0;
  for (const int b : blocks) {
    part->segment(next, pattern_->size(b)) = x.segment(pattern_->offset(b), pattern_->size(b));
    next += pattern_->size(b);
  }
}

void BlockLu::Scatter(const std::vector<int>& blocks, const VectorX& part, VectorX* x) const {
  int next = 0;
  for (const int b : blocks) {
    x->segment(pattern_->offset(b), pattern_->size(b)) = part.segment(next, pattern_->size(b));
    next += pattern_->size(b);
  }
}

void BlockLu::SolveInPlace(VectorX* x) {
  for (const Front& front : fronts_) {
    Gather(front.own, front.num_own, *x, &own_);
    own_ = (front.lu.permutationP() * own_).eval();
    front.lu.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(own_);
    Scatter(front.own, own_, x);
    if (front.num_rest == 0) continue;
    Gather(front.rest, front.num_rest, *x, &rest_);
    rest_.noalias() -= front.lower * own_;
    Scatter(front.rest, rest_, x);
  }
  for (auto front = fronts_.rbegin(); front != fronts_.rend(); ++front) {
    Gather(front->own, front->num_own, *x, &own_);
    if (front->num_rest > 0) {
      Gather(front->rest, front->num_rest, *x, &rest_);
      own_.noalias() -= front->upper * rest_;
    }
    front->lu.matrixLU().triangularView<Eigen::Upper>().solveInPlace(own_);
    Scatter(front->own, own_, x);
  }
}

}  // namespace saltus
