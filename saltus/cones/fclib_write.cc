#include <algorithm>
#include <vector>

#include "saltus/cones/block_sparse_copy.h"
#include "saltus/cones/fclib.h"
#include "saltus/cones/fclib_bodies.h"
#include "saltus/cones/fclib_hdf5.h"

namespace saltus {
namespace {

using SparseColumns = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

// Rows of the file: d for each contact, those of smaller blocks first.
struct Layout {
  int d = 2;
  std::vector<double> mu;
  std::vector<int> file_row;

  int size() const { return static_cast<int>(mu.size()) * d; }
  VectorX Pad(const VectorX& x) const {
    VectorX padded = VectorX::Zero(size());
    padded(file_row) = x;
    return padded;
  }
};

Layout MakeLayout(const ConicProblem& problem, const std::string& path) {
  if (problem.cones.empty()) fclib::FailInFile(path, "problem", "has no contacts");
  Layout layout;
  for (const Cone& cone : problem.cones) {
    if (cone.kind != ConeKind::kFriction && cone.kind != ConeKind::kNonnegative) {
      fclib::FailInFile(path, "problem",
                        "FCLib holds contacts with Coulomb friction only: no free rows, boxes, "
                        "rolling or polyhedral friction");
    }
    if (cone.cohesion > 0 || cone.associated) {
      fclib::FailInFile(path, "problem", "FCLib knows neither cohesion nor associated friction");
    }
    layout.d = std::clamp(cone.dimension, layout.d, 3);
  }
  layout.file_row.resize(static_cast<std::size_t>(problem.size()));
  for (const Cone& cone : problem.cones) {
    for (int i = 0; i < cone.dimension; ++i) {
      layout.file_row[cone.offset + i] = layout.size() + i;
    }
    layout.mu.push_back(cone.kind == ConeKind::kFriction ? cone.friction : 0.0);
  }
  return layout;
}

SparseColumns MakeMatrix(const ConicProblem& problem, const Layout& layout) {
  BlockSparseDelassus storage;
  const BlockSparseDelassus& A = MakeBlockSparse(problem, &storage);
  std::vector<Triplet> entries;
  for (int c = 0; c < A.num_blocks(); ++c) {
    for (int slot = A.row_begin(c); slot < A.row_begin(c + 1); ++slot) {
      const auto block = A.block(c, slot);
      for (int i = 0; i < block.rows(); ++i) {
        for (int j = 0; j < block.cols(); ++j) {
          if (block(i, j) == 0) continue;
          entries.emplace_back(layout.file_row[A.offset(c) + i],
                               layout.file_row[A.offset(A.column(slot)) + j], block(i, j));
        }
      }
    }
  }
  SparseColumns W(layout.size(), layout.size());
  W.setFromTriplets(entries.begin(), entries.end());
  return W;
}

void WriteMatrix(const SparseColumns& matrix, const std::string& name, fclib::Writer* writer) {
  const auto write = [&](const char* item, const auto& values) {
    writer->Write(name + item, values);
  };
  const auto count = matrix.nonZeros();
  write("/m", std::vector<int>{static_cast<int>(matrix.rows())});
  write("/n", std::vector<int>{static_cast<int>(matrix.cols())});
  write("/nzmax", std::vector<int>{static_cast<int>(count)});
  write("/nz", std::vector<int>{-1});
  write("/p", std::vector<int>(matrix.outerIndexPtr(), matrix.outerIndexPtr() + matrix.cols() + 1));
  write("/i", std::vector<int>(matrix.innerIndexPtr(), matrix.innerIndexPtr() + count));
  write("/x", std::vector<double>(matrix.valuePtr(), matrix.valuePtr() + count));
}

void WriteVector(const VectorX& x, const std::string& name, fclib::Writer* writer) {
  writer->Write(name, std::vector<double>(x.begin(), x.end()));
}

// M = I, H = Rᵀ of body_delassus.h, f = 0, w = b.
SparseColumns WriteBodies(const ConicProblem& problem, const BodyDelassus& A, const Layout& layout,
                          fclib::Writer* writer) {
  const SparseColumns H = MakeScaledRows(A, layout.file_row, layout.size());
  SparseColumns M(H.rows(), H.rows());
  M.setIdentity();
  WriteMatrix(M, "/fclib_global/M", writer);
  WriteMatrix(H, "/fclib_global/H", writer);
  WriteVector(VectorX::Zero(H.rows()), "/fclib_global/vectors/f", writer);
  WriteVector(layout.Pad(VectorX(problem.b)), "/fclib_global/vectors/w", writer);
  return H;
}

}  // namespace

void WriteFclib(const ConicProblem& problem, const std::string& path, const FclibRecord& record,
                FclibForm form) {
  const Layout layout = MakeLayout(problem, path);
  const auto* bodies = problem.A->body_form();
  const bool global = form == FclibForm::kBodies && bodies != nullptr && bodies->symmetric() &&
                      problem.compliance.size() == 0;
  const std::string group = global ? "/fclib_global" : "/fclib_local";
  SparseColumns H;
  {
    fclib::Writer writer(path, fclib::Writer::Mode::kReplace);
    writer.Write(group + "/spacedim", std::vector<int>{layout.d});
    if (global) {
      H = WriteBodies(problem, *bodies, layout, &writer);
    } else {
      WriteMatrix(MakeMatrix(problem, layout), "/fclib_local/W", &writer);
      WriteVector(layout.Pad(VectorX(problem.b)), "/fclib_local/vectors/q", &writer);
    }
    writer.Write(group + "/vectors/mu", layout.mu);
  }
  const auto complete = [&](const VectorX& r) {
    VectorX u;
    CalcVelocity(problem, r, &u);
    const VectorX padded = layout.Pad(r);
    return FclibSolution{global ? VectorX(H * padded) : VectorX(), layout.Pad(u), padded, {}};
  };
  if (record.start.size() > 0) WriteFclibGuesses({complete(record.start)}, path);
  if (record.solution.size() > 0) WriteFclibSolution(complete(record.solution), path);
}

}  // namespace saltus
