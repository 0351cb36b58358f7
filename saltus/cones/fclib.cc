#include "saltus/cones/fclib.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include <Eigen/LU>
#include <Eigen/SparseLU>

#include "saltus/base/error.h"
#include "saltus/cones/block_sparse_delassus.h"
#include "saltus/cones/fclib_bodies.h"
#include "saltus/cones/fclib_hdf5.h"

namespace saltus {
namespace {

using SparseColumns = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

// A matrix whatever its storage.
SparseColumns ReadMatrix(const fclib::Reader& reader, const std::string& name) {
  const int m = reader.ReadInteger(name + "/m"), n = reader.ReadInteger(name + "/n");
  if (m < 0 || n < 0) reader.Fail(name, "has a negative size");
  const std::vector<int> p = reader.ReadIntegers(name + "/p");
  const std::vector<int> i = reader.ReadIntegers(name + "/i");
  const std::vector<double> x = reader.ReadReals(name + "/x");
  const int nz = reader.ReadInteger(name + "/nz");
  std::vector<Triplet> entries;
  const auto add = [&](int row, int column, double value) {
    if (row < 0 || row >= m || column < 0 || column >= n) {
      reader.Fail(name, "has an index out of range");
    }
    if (!std::isfinite(value)) reader.Fail(name + "/x", "holds a number that is not finite");
    entries.emplace_back(row, column, value);
  };
  if (nz >= 0) {
    const std::size_t count = static_cast<std::size_t>(nz);
    if (p.size() < count || i.size() < count || x.size() < count) {
      reader.Fail(name, "has fewer entries than nz = " + std::to_string(nz));
    }
    for (std::size_t k = 0; k < count; ++k) add(i[k], p[k], x[k]);
  } else {
    if (nz != -1 && nz != -2) reader.Fail(name + "/nz", "must be −2, −1 or a number of triplets");
    const int lines = nz == -1 ? n : m;
    if (p.size() < static_cast<std::size_t>(lines) + 1 || p[0] != 0) {
      reader.Fail(name + "/p",
                  "must hold one pointer more than columns (nz = −1) or rows (−2), "
                  "from 0");
    }
    for (int k = 0; k < lines; ++k) {
      if (p[k + 1] < p[k] || static_cast<std::size_t>(p[k + 1]) > std::min(i.size(), x.size())) {
        reader.Fail(name + "/p", "must ascend and stay within the entries");
      }
      for (int e = p[k]; e < p[k + 1]; ++e) {
        nz == -1 ? add(i[e], k, x[e]) : add(k, i[e], x[e]);
      }
    }
  }
  SparseColumns matrix(m, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

void CheckSize(const fclib::Reader& reader, const std::string& name, const SparseColumns& matrix,
               Eigen::Index rows, Eigen::Index columns) {
  if (matrix.rows() == rows && matrix.cols() == columns) return;
  reader.Fail(name, "is " + std::to_string(matrix.rows()) + " × " + std::to_string(matrix.cols()) +
                        ", must be " + std::to_string(rows) + " × " + std::to_string(columns));
}

VectorX ReadVector(const fclib::Reader& reader, const std::string& name, Eigen::Index size) {
  const std::vector<double> values = reader.ReadReals(name);
  if (static_cast<Eigen::Index>(values.size()) != size) {
    reader.Fail(name, "holds " + std::to_string(values.size()) + " numbers, must be " +
                          std::to_string(size));
  }
  const VectorX x = Eigen::Map<const VectorX>(values.data(), size);
  if (!x.allFinite()) reader.Fail(name, "holds a number that is not finite");
  return x;
}

std::unique_ptr<BlockSparseDelassus> MakeBlocks(const SparseColumns& matrix, int num_blocks,
                                                int d) {
  std::map<std::array<int, 2>, int> pattern;  // Sorted by block row, then block column.
  const auto each_entry = [&](const auto& visit) {
    for (int j = 0; j < matrix.outerSize(); ++j) {
      for (SparseColumns::InnerIterator it(matrix, j); it; ++it) {
        visit(static_cast<int>(it.row()), j, it.value());
      }
    }
  };
  for (int c = 0; c < num_blocks; ++c) pattern[{c, c}] = 0;
  each_entry([&](int i, int j, double) { pattern[{i / d, j / d}] = 0; });
  std::vector<int> row_begin(static_cast<std::size_t>(num_blocks) + 1, 0), columns;
  for (const auto& [key, unused] : pattern) {
    ++row_begin[key[0] + 1];
    columns.push_back(key[1]);
  }
  for (int c = 0; c < num_blocks; ++c) row_begin[c + 1] += row_begin[c];
  auto A = std::make_unique<BlockSparseDelassus>();
  A->SetPattern(std::vector<int>(static_cast<std::size_t>(num_blocks), d), row_begin, columns);
  each_entry([&](int i, int j, double value) {
    A->block(i / d, A->FindSlot(i / d, j / d))(i % d, j % d) += value;
  });
  return A;
}

// A and b of the problem, with what was eliminated.
struct Reduced {
  SparseColumns A;
  std::unique_ptr<BodyDelassus> bodies;  // in place of A
  VectorX b;
  AffineMap v, l;
};

// (3)
Reduced ReadLocal(const fclib::Reader& reader) {
  Reduced result;
  result.A = ReadMatrix(reader, "/fclib_local/W");
  const Eigen::Index n = result.A.rows();
  CheckSize(reader, "/fclib_local/W", result.A, n, n);
  result.b = ReadVector(reader, "/fclib_local/vectors/q", n);
  if (!reader.Exists("/fclib_local/R") && !reader.Exists("/fclib_local/V")) return result;
  const SparseColumns R = ReadMatrix(reader, "/fclib_local/R");
  const SparseColumns V = ReadMatrix(reader, "/fclib_local/V");
  CheckSize(reader, "/fclib_local/R", R, R.rows(), R.rows());
  CheckSize(reader, "/fclib_local/V", V, n, R.rows());
  const VectorX s = ReadVector(reader, "/fclib_local/vectors/s", R.rows());
  const Eigen::FullPivLU<MatrixX> lu{MatrixX(R)};
  if (!lu.isInvertible())
    reader.Fail("/fclib_local/R", "is singular: the bilateral rows depend on each other");
  const MatrixX rows = -lu.solve(MatrixX(V.transpose()));
  result.l = {-lu.solve(s), rows.sparseView()};
  result.A = (MatrixX(result.A) + V * rows).sparseView();
  result.b += V * result.l.constant;
  return result;
}

// (4)
Reduced ReadGlobal(const fclib::Reader& reader, int d) {
  Reduced result;
  const SparseColumns M = ReadMatrix(reader, "/fclib_global/M");
  const SparseColumns H = ReadMatrix(reader, "/fclib_global/H");
  const Eigen::Index n = M.rows(), m = H.cols();
  CheckSize(reader, "/fclib_global/M", M, n, n);
  CheckSize(reader, "/fclib_global/H", H, n, m);
  const VectorX f = ReadVector(reader, "/fclib_global/vectors/f", n);
  const VectorX w = ReadVector(reader, "/fclib_global/vectors/w", m);
  SparseColumns G(n, 0);
  VectorX b_G;
  if (reader.Exists("/fclib_global/G")) {
    G = ReadMatrix(reader, "/fclib_global/G");
    CheckSize(reader, "/fclib_global/G", G, n, G.cols());
    b_G = ReadVector(reader, "/fclib_global/vectors/b", G.cols());
  }
  if (G.cols() == 0) {
    SparseColumns inverse;
    result.bodies = MakeBodyForm(M, H, d, &inverse);
    if (result.bodies != nullptr) {
      result.v = {inverse * f, inverse * H};
      result.b = H.transpose() * result.v.constant + w;
      return result;
    }
  }
  const Eigen::Index p = G.cols();
  std::vector<Triplet> entries;
  const auto add = [&](const SparseColumns& block, bool transposed, Eigen::Index row,
                       Eigen::Index column, double sign) {
    for (int j = 0; j < block.outerSize(); ++j) {
      for (SparseColumns::InnerIterator it(block, j); it; ++it) {
        const Eigen::Index i = transposed ? it.col() : it.row();
        const Eigen::Index k = transposed ? it.row() : it.col();
        entries.emplace_back(static_cast<int>(row + i), static_cast<int>(column + k),
                             sign * it.value());
      }
    }
  };
  add(M, false, 0, 0, 1);
  add(G, false, 0, n, -1);
  add(G, true, n, 0, 1);
  SparseColumns kkt(n + p, n + p);
  kkt.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseLU<SparseColumns> lu(kkt);
  MatrixX rhs = MatrixX::Zero(n + p, m + 1);
  rhs.topLeftCorner(n, m) = MatrixX(H);
  rhs.col(m).head(n) = f;
  rhs.col(m).tail(p) = -b_G;
  MatrixX x;
  if (lu.info() == Eigen::Success) x = lu.solve(rhs);
  if (lu.info() != Eigen::Success || !x.allFinite()) {
    reader.Fail("/fclib_global/M", "gives a singular system with G");
  }
  result.v = {x.col(m).head(n), x.topLeftCorner(n, m).sparseView()};
  result.l = {x.col(m).tail(p), x.bottomLeftCorner(p, m).sparseView()};
  result.A = MatrixX(H.transpose() * x.topLeftCorner(n, m)).sparseView();
  result.b = H.transpose() * result.v.constant + w;
  return result;
}

}  // namespace

FclibProblem ReadFclib(const std::string& path) {
  const fclib::Reader reader(path);
  const bool global = !reader.Exists("/fclib_local") && reader.Exists("/fclib_global");
  const std::string group = global ? "/fclib_global" : "/fclib_local";
  if (!reader.Exists(group)) reader.Fail(group, "is missing: not an FCLib problem");
  const int d = reader.ReadInteger(group + "/spacedim");
  if (d != 2 && d != 3) {
    reader.Fail(group + "/spacedim", "is " + std::to_string(d) + ", must be 2 or 3");
  }
  Reduced reduced = global ? ReadGlobal(reader, d) : ReadLocal(reader);
  const int n = static_cast<int>(reduced.b.size());
  if (n == 0 || n % d != 0) reader.Fail(group, "has no whole number of contacts");
  const VectorX mu = ReadVector(reader, group + "/vectors/mu", n / d);
  FclibProblem result;
  for (int c = 0; c < n / d; ++c) {
    if (!(mu[c] >= 0)) {
      reader.Fail(group + "/vectors/mu", "holds " + std::to_string(mu[c]) + ", must be ≥ 0");
    }
    Cone cone;
    cone.kind = ConeKind::kFriction;
    cone.offset = c * d;
    cone.dimension = d;
    cone.friction = mu[c];
    result.problem.cones.push_back(cone);
  }
  result.problem.b = reduced.b;
  if (reduced.bodies != nullptr) {
    result.A = std::move(reduced.bodies);
  } else {
    result.A = MakeBlocks(reduced.A, n / d, d);
  }
  result.problem.A = result.A.get();
  result.v = std::move(reduced.v);
  result.l = std::move(reduced.l);
  return result;
}

}  // namespace saltus
