#include "saltus/cones/block_sparse_copy.h"

#include <algorithm>
#include <vector>

#include "saltus/cones/body_delassus.h"

namespace saltus {
namespace {

std::vector<int> ListDimensions(const ConicProblem& problem) {
  std::vector<int> dimensions;
  for (const Cone& cone : problem.cones) dimensions.push_back(cone.dimension);
  return dimensions;
}

// (1)
void CopyBodyForm(const BodyDelassus& body, const ConicProblem& problem,
                  BlockSparseDelassus* copy) {
  const int num_blocks = body.num_blocks();
  std::vector<std::vector<int>> blocks_of_body(static_cast<std::size_t>(body.num_bodies()));
  const auto each_body = [&](int c, const auto& visit) {
    const BodyDelassus::Sides& sides = body.sides(c);
    if (sides.a < body.num_bodies()) visit(sides.a, 0);
    if (sides.b < body.num_bodies()) visit(sides.b, 6);
  };
  for (int c = 0; c < num_blocks; ++c) {
    each_body(c, [&](int b, int) { blocks_of_body[b].push_back(c); });
  }
  std::vector<int> row_begin{0}, columns, row;
  for (int c = 0; c < num_blocks; ++c) {
    row.assign(1, c);
    each_body(c, [&](int b, int) {
      row.insert(row.end(), blocks_of_body[b].begin(), blocks_of_body[b].end());
    });
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    columns.insert(columns.end(), row.begin(), row.end());
    row_begin.push_back(static_cast<int>(columns.size()));
  }
  copy->SetPattern(ListDimensions(problem), row_begin, columns);
  for (int c = 0; c < num_blocks; ++c) {
    for (int slot = row_begin[c]; slot < row_begin[c + 1]; ++slot) {
      const int e = columns[slot];
      auto block = copy->block(c, slot);
      each_body(c, [&](int b, int from) {
        each_body(e, [&](int other, int to) {
          if (b != other) return;
          for (int i = 0; i < block.rows(); ++i) {
            for (int j = 0; j < block.cols(); ++j) {
              const double* left = body.rows()[copy->offset(c) + i].x + from;
              const double* right = body.transposed_rows()[copy->offset(e) + j].x + to;
              for (int k = 0; k < 6; ++k) block(i, j) += left[k] * right[k];
            }
          }
        });
      });
    }
  }
}

// (2)
void CopyEntries(const ConicProblem& problem, BlockSparseDelassus* copy) {
  const MatrixX A = MakeDense(*problem.A);
  const auto entry = [&](const Cone& row, const Cone& column) {
    return A.block(row.offset, column.offset, row.dimension, column.dimension);
  };
  std::vector<int> row_begin{0}, columns;
  const int num_blocks = static_cast<int>(problem.cones.size());
  for (int c = 0; c < num_blocks; ++c) {
    for (int e = 0; e < num_blocks; ++e) {
      const bool zero = (entry(problem.cones[c], problem.cones[e]).array() == 0).all();
      if (c == e || !zero) columns.push_back(e);
    }
    row_begin.push_back(static_cast<int>(columns.size()));
  }
  copy->SetPattern(ListDimensions(problem), row_begin, columns);
  for (int c = 0; c < num_blocks; ++c) {
    for (int slot = row_begin[c]; slot < row_begin[c + 1]; ++slot) {
      copy->block(c, slot) = entry(problem.cones[c], problem.cones[columns[slot]]);
    }
  }
}

bool HasBlocksOf(const ConicProblem& problem, const BlockSparseDelassus& A) {
  const int num_blocks = static_cast<int>(problem.cones.size());
  if (A.num_blocks() != num_blocks) return false;
  for (int c = 0; c < num_blocks; ++c) {
    if (A.offset(c) != problem.cones[c].offset || A.dimension(c) != problem.cones[c].dimension) {
      return false;
    }
  }
  return true;
}

}  // namespace

const BlockSparseDelassus& MakeBlockSparse(const ConicProblem& problem,
                                           BlockSparseDelassus* storage) {
  const bool compliant = problem.compliance.size() > 0;
  const auto* sparse = problem.A->block_sparse_form();
  const auto* body = problem.A->body_form();
  if (sparse != nullptr && HasBlocksOf(problem, *sparse)) {
    if (!compliant) return *sparse;
    *storage = *sparse;
  } else if (body != nullptr && body->num_blocks() == static_cast<int>(problem.cones.size())) {
    CopyBodyForm(*body, problem, storage);
  } else {
    CopyEntries(problem, storage);
  }
  for (int c = 0; compliant && c < storage->num_blocks(); ++c) {
    storage->block(c, storage->FindSlot(c, c)).diagonal() +=
        problem.compliance.segment(storage->offset(c), storage->dimension(c));
  }
  return *storage;
}

}  // namespace saltus
