// Contact problems without mechanics: matrices in, impulses out; FCLib files.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "saltus/base/error.h"
#include "saltus/cones/block_sparse_copy.h"
#include "saltus/cones/block_sparse_delassus.h"
#include "saltus/cones/conic_solver.h"
#include "saltus/cones/fclib.h"

#include "python/src/bindings.h"
#include "python/src/convert.h"

namespace saltus::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Integers = py::array_t<int, py::array::c_style | py::array::forcecast>;

/// A contact problem that owns its matrix; blocks are contacts of one dimension.
struct ContactProblemData {
  std::shared_ptr<Delassus> A;
  ConicProblem problem;

  int dimension() const { return problem.cones.empty() ? 3 : problem.cones[0].dimension; }
};

/// W in compressed rows (indptr, columns, values), its rows in blocks of `d`.
std::shared_ptr<BlockSparseDelassus> MakeDelassus(const Integers& indptr, const Integers& columns,
                                                  const Numbers& values, int d) {
  const int num_blocks = (static_cast<int>(indptr.size()) - 1) / d;
  std::vector<int> row_begin = {0}, block_columns;
  std::vector<char> seen(static_cast<std::size_t>(num_blocks), 0);
  for (int i = 0; i < num_blocks; ++i) {
    std::fill(seen.begin(), seen.end(), char{0});
    seen[static_cast<std::size_t>(i)] = 1;
    for (int k = indptr.at(i * d); k < indptr.at((i + 1) * d); ++k) {
      seen[static_cast<std::size_t>(columns.at(k) / d)] = 1;
    }
    for (int j = 0; j < num_blocks; ++j) {
      if (seen[static_cast<std::size_t>(j)] != 0) block_columns.push_back(j);
    }
    row_begin.push_back(static_cast<int>(block_columns.size()));
  }
  auto A = std::make_shared<BlockSparseDelassus>();
  A->SetPattern(std::vector<int>(static_cast<std::size_t>(num_blocks), d), row_begin,
                block_columns);
  for (int row = 0; row < num_blocks * d; ++row) {
    for (int k = indptr.at(row); k < indptr.at(row + 1); ++k) {
      const int column = columns.at(k);
      A->block(row / d, A->FindSlot(row / d, column / d))(row % d, column % d) += values.at(k);
    }
  }
  return A;
}

/// @param rolling, spinning  one number per contact each; both empty: no moments
ContactProblemData MakeProblem(const Integers& indptr, const Integers& columns,
                               const Numbers& values, const Numbers& q, const Numbers& mu, int d,
                               const Numbers& rolling, const Numbers& spinning) {
  ContactProblemData data;
  data.A = MakeDelassus(indptr, columns, values, d);
  data.problem.A = data.A.get();
  data.problem.b = Eigen::Map<const VectorX>(q.data(), q.size());
  for (int c = 0; c < static_cast<int>(mu.size()); ++c) {
    Cone cone;
    cone.kind = d == 1 ? ConeKind::kNonnegative : ConeKind::kFriction;
    cone.offset = c * d;
    cone.dimension = d;
    cone.friction = d == 1 ? 0 : mu.at(c);
    if (rolling.size() > 0) {
      cone.kind = ConeKind::kRollingFriction;
      cone.rolling = rolling.at(c);
      cone.spinning = spinning.at(c);
    }
    data.problem.cones.push_back(cone);
  }
  return data;
}

ContactProblemData ReadProblem(const std::string& path) {
  FclibProblem read = ReadFclib(path);
  ContactProblemData data;
  data.A = std::move(read.A);
  data.problem = std::move(read.problem);
  data.problem.A = data.A.get();
  return data;
}

/// Laws other than Coulomb's. @param cohesion  of each contact, @param compliance  of each row
void SetLaws(ContactProblemData* data, const Numbers& cohesion, const Numbers& compliance,
             int facets, bool associated) {
  ConicProblem& problem = data->problem;
  for (std::size_t c = 0; c < problem.cones.size(); ++c) {
    Cone& cone = problem.cones[c];
    cone.cohesion = cohesion.at(static_cast<py::ssize_t>(c));
    cone.associated = associated;
    if (facets > 0) {
      cone.kind = ConeKind::kPolyhedralFriction;
      cone.facets = facets;
    }
  }
  problem.compliance = Eigen::Map<const VectorX>(compliance.data(), compliance.size());
}

/// (r, u, status, iterations, relative residual, absolute residual, worst contact)
py::tuple Solve(const ContactProblemData& data, const std::string& solver, double tolerance,
                int max_iterations, const Numbers& start) {
  const auto method = MakeConicSolver(solver, {tolerance, max_iterations});
  VectorX r = Eigen::Map<const VectorX>(start.data(), start.size());
  VectorX u;
  SolveReport report;
  {
    const py::gil_scoped_release release;
    report = method->Solve(data.problem, &r);
    data.A->Multiply(r, &u);
    u += data.problem.b;
    if (data.problem.compliance.size() > 0) u += data.problem.compliance.cwiseProduct(r);
  }
  return py::make_tuple(CopyVector(r), CopyVector(u), StatusName(report.status), report.ok(),
                        report.iterations, report.residual.relative, report.residual.absolute,
                        report.residual.worst_block);
}

/// W in compressed rows: (indptr, columns, values).
py::tuple ExtractMatrix(const ContactProblemData& data) {
  ConicProblem plain = data.problem;
  plain.compliance.resize(0);
  BlockSparseDelassus storage;
  const BlockSparseDelassus& A = MakeBlockSparse(plain, &storage);
  std::vector<std::int32_t> indptr = {0}, columns;
  std::vector<double> values;
  for (int i = 0; i < A.num_blocks(); ++i) {
    for (int row = 0; row < A.dimension(i); ++row) {
      for (int slot = A.row_begin(i); slot < A.row_begin(i + 1); ++slot) {
        const auto block = A.block(i, slot);
        for (int j = 0; j < static_cast<int>(block.cols()); ++j) {
          if (block(row, j) == 0) continue;
          columns.push_back(A.offset(A.column(slot)) + j);
          values.push_back(block(row, j));
        }
      }
      indptr.push_back(static_cast<std::int32_t>(values.size()));
    }
  }
  const auto count = static_cast<py::ssize_t>(values.size());
  const auto num_rows = static_cast<py::ssize_t>(indptr.size());
  return py::make_tuple(MakeArray(std::move(indptr), {num_rows}),
                        MakeArray(std::move(columns), {count}),
                        MakeArray(std::move(values), {count}));
}

}  // namespace

void BindContactProblems(py::module_& m) {
  py::class_<ContactProblemData>(m, "ContactProblem")
      .def(py::init(&MakeProblem))
      .def_static("read", &ReadProblem)
      .def("write", [](const ContactProblemData& d,
                       const std::string& path) { WriteFclib(d.problem, path); })
      .def("set_laws", &SetLaws)
      .def("solve", &Solve)
      .def("matrix", &ExtractMatrix)
      .def("residual",
           [](const ContactProblemData& d, const Numbers& r) {
             const VectorX impulses = Eigen::Map<const VectorX>(r.data(), r.size());
             return CalcNaturalMapResidual(d.problem, impulses).relative;
           })
      .def_property_readonly("dimension", &ContactProblemData::dimension)
      .def_property_readonly(
          "q", [](const ContactProblemData& d) { return CopyVector(VectorX(d.problem.b)); })
      .def_property_readonly("mu", [](const ContactProblemData& d) {
        VectorX mu(static_cast<Eigen::Index>(d.problem.cones.size()));
        for (Eigen::Index c = 0; c < mu.size(); ++c) {
          mu[c] = d.problem.cones[static_cast<std::size_t>(c)].friction;
        }
        return CopyVector(mu);
      });
}

}  // namespace saltus::python
