#include "saltus/cones/fclib.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include <hdf5.h>

#include "saltus/base/error.h"

namespace saltus {
namespace {

constexpr const char* kGroup = "/fclib_local";
constexpr hsize_t kMaxEntries = hsize_t{1} << 31;  // Of one array: larger files are damaged.

// Closes an HDF5 object on leaving the scope.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  hid_t id() const { return id_; }
  bool ok() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// HDF5 prints to stderr unless told not to; the library must not print.
class SilentHdf5 {
 public:
  SilentHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  SilentHdf5(const SilentHdf5&) = delete;
  SilentHdf5& operator=(const SilentHdf5&) = delete;
  ~SilentHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

[[noreturn]] void Fail(const std::string& path, const std::string& item,
                       const std::string& message) {
  throw InputError(item, message, "", SourceLocation{path, 0, 0});
}

// Reads arrays of one file, with errors that name file and item.
class Reader {
 public:
  explicit Reader(const std::string& path)
      : path_(path), file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose) {
    if (!file_.ok()) Fail(path_, "file", "cannot be opened as an HDF5 file");
    if (!Exists("")) Fail(path_, kGroup, "is missing: not an FCLib local problem");
  }

  bool Exists(const std::string& name) const {
    // Every part of the path must exist before the next may be asked for.
    const std::string full = kGroup + name;
    for (std::size_t end = full.find('/', 1);; end = full.find('/', end + 1)) {
      if (H5Lexists(file_.id(), full.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
      if (end == std::string::npos) return true;
    }
  }

  std::vector<double> ReadReals(const std::string& name) const {
    return Read<double>(name, H5T_FLOAT, H5T_NATIVE_DOUBLE);
  }
  std::vector<int> ReadIntegers(const std::string& name) const {
    return Read<int>(name, H5T_INTEGER, H5T_NATIVE_INT);
  }
  int ReadInteger(const std::string& name) const {
    const std::vector<int> values = ReadIntegers(name);
    if (values.size() != 1) Fail(path_, kGroup + name, "must be one integer");
    return values[0];
  }
  [[noreturn]] void FailAt(const std::string& name, const std::string& message) const {
    Fail(path_, kGroup + name, message);
  }

 private:
  template <class Number>
  std::vector<Number> Read(const std::string& name, H5T_class_t kind, hid_t memory_type) const {
    if (!Exists(name)) FailAt(name, "is missing");
    const Handle set(H5Dopen2(file_.id(), (kGroup + name).c_str(), H5P_DEFAULT), H5Dclose);
    if (!set.ok()) FailAt(name, "is not a dataset");
    const Handle type(H5Dget_type(set.id()), H5Tclose);
    const Handle space(H5Dget_space(set.id()), H5Sclose);
    if (!type.ok() || H5Tget_class(type.id()) != kind) FailAt(name, "has the wrong type");
    const hssize_t count = space.ok() ? H5Sget_simple_extent_npoints(space.id()) : -1;
    if (count < 0 || static_cast<hsize_t>(count) > kMaxEntries) FailAt(name, "has a wrong size");
    std::vector<Number> values(static_cast<std::size_t>(count));
    if (count > 0 &&
        H5Dread(set.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
      FailAt(name, "cannot be read");
    }
    return values;
  }

  std::string path_;
  Handle file_;
};

// The entries of W as triplets, whatever their storage.
std::vector<Triplet> ReadMatrix(const Reader& reader, int n) {
  if (reader.ReadInteger("/W/m") != n || reader.ReadInteger("/W/n") != n) {
    reader.FailAt("/W", "must be square, of the size of q (" + std::to_string(n) + ")");
  }
  const std::vector<int> p = reader.ReadIntegers("/W/p");
  const std::vector<int> i = reader.ReadIntegers("/W/i");
  const std::vector<double> x = reader.ReadReals("/W/x");
  const int nz = reader.ReadInteger("/W/nz");
  std::vector<Triplet> entries;
  const auto add = [&](int row, int column, double value) {
    if (row < 0 || row >= n || column < 0 || column >= n) {
      reader.FailAt("/W", "has an index out of range");
    }
    if (!std::isfinite(value)) reader.FailAt("/W/x", "holds a number that is not finite");
    entries.emplace_back(row, column, value);
  };
  if (nz >= 0) {
    const std::size_t count = static_cast<std::size_t>(nz);
    if (p.size() < count || i.size() < count || x.size() < count) {
      reader.FailAt("/W", "has fewer entries than nz = " + std::to_string(nz));
    }
    for (std::size_t k = 0; k < count; ++k) add(i[k], p[k], x[k]);
    return entries;
  }
  if (nz != -1 && nz != -2) reader.FailAt("/W/nz", "must be −2, −1 or a number of triplets");
  if (p.size() < static_cast<std::size_t>(n) + 1 || p[0] != 0) {
    reader.FailAt("/W/p", "must hold n + 1 pointers that start at 0");
  }
  for (int k = 0; k < n; ++k) {
    if (p[k + 1] < p[k] || static_cast<std::size_t>(p[k + 1]) > std::min(i.size(), x.size())) {
      reader.FailAt("/W/p", "must ascend and stay within the entries");
    }
    for (int e = p[k]; e < p[k + 1]; ++e) {
      nz == -1 ? add(i[e], k, x[e]) : add(k, i[e], x[e]);
    }
  }
  return entries;
}

std::unique_ptr<BlockSparseDelassus> MakeBlocks(const std::vector<Triplet>& entries, int num_blocks,
                                                int d) {
  std::map<std::array<int, 2>, int> pattern;  // Sorted by block row, then block column.
  for (int c = 0; c < num_blocks; ++c) pattern[{c, c}] = 0;
  for (const Triplet& t : entries) pattern[{t.row() / d, t.col() / d}] = 0;
  std::vector<int> row_begin(static_cast<std::size_t>(num_blocks) + 1, 0), columns;
  for (const auto& [key, unused] : pattern) {
    ++row_begin[key[0] + 1];
    columns.push_back(key[1]);
  }
  for (int c = 0; c < num_blocks; ++c) row_begin[c + 1] += row_begin[c];
  auto A = std::make_unique<BlockSparseDelassus>();
  A->SetPattern(std::vector<int>(static_cast<std::size_t>(num_blocks), d), row_begin, columns);
  for (const Triplet& t : entries) {
    const int i = t.row() / d, j = t.col() / d;
    A->block(i, A->FindSlot(i, j))(t.row() % d, t.col() % d) += t.value();
  }
  return A;
}

void WriteArray(hid_t group, const char* name, hid_t file_type, hid_t memory_type,
                std::size_t count, const void* data, const std::string& path) {
  const hsize_t size = count;
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Handle set(
      H5Dcreate2(group, name, file_type, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  if (!set.ok() || H5Dwrite(set.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
    Fail(path, name, "cannot be written");
  }
}

void WriteReals(hid_t group, const char* name, const std::vector<double>& values,
                const std::string& path) {
  WriteArray(group, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.size(), values.data(), path);
}

void WriteIntegers(hid_t group, const char* name, const std::vector<int>& values,
                   const std::string& path) {
  WriteArray(group, name, H5T_STD_I32LE, H5T_NATIVE_INT, values.size(), values.data(), path);
}

}  // namespace

FclibProblem ReadFclib(const std::string& path) {
  const SilentHdf5 silent;
  const Reader reader(path);
  const int d = reader.ReadInteger("/spacedim");
  if (d != 2 && d != 3) reader.FailAt("/spacedim", "is " + std::to_string(d) + ", must be 2 or 3");
  if (reader.Exists("/V") || reader.Exists("/R")) {
    reader.FailAt("/V", "bilateral rows are not supported");
  }
  const std::vector<double> q = reader.ReadReals("/vectors/q");
  const std::vector<double> mu = reader.ReadReals("/vectors/mu");
  if (q.empty() || q.size() != mu.size() * static_cast<std::size_t>(d)) {
    reader.FailAt("/vectors/mu", "must hold one number for each contact of q");
  }
  FclibProblem result;
  for (std::size_t c = 0; c < mu.size(); ++c) {
    if (!(mu[c] >= 0 && std::isfinite(mu[c]))) {
      reader.FailAt("/vectors/mu", "holds " + std::to_string(mu[c]) + ", must be ≥ 0");
    }
    Cone cone;
    cone.kind = ConeKind::kFriction;
    cone.offset = static_cast<int>(c) * d;
    cone.dimension = d;
    cone.friction = mu[c];
    result.problem.cones.push_back(cone);
  }
  result.problem.b = Eigen::Map<const VectorX>(q.data(), static_cast<Eigen::Index>(q.size()));
  if (!result.problem.b.allFinite()) {
    reader.FailAt("/vectors/q", "holds a number that is not finite");
  }
  result.A = MakeBlocks(ReadMatrix(reader, result.problem.size()), static_cast<int>(mu.size()), d);
  result.problem.A = result.A.get();
  return result;
}

void WriteFclib(const ConicProblem& problem, const std::string& path) {
  const SilentHdf5 silent;
  const int d = problem.cones.empty() ? 0 : problem.cones[0].dimension;
  std::vector<double> mu;
  for (const Cone& cone : problem.cones) {
    if (cone.kind != ConeKind::kFriction || cone.dimension != d) {
      Fail(path, "problem", "FCLib holds friction cones of one dimension only");
    }
    mu.push_back(cone.friction);
  }
  if (mu.empty()) Fail(path, "problem", "has no contacts");
  const MatrixX W = MakeDense(*problem.A);
  std::vector<int> p{0}, i;
  std::vector<double> x;
  for (int column = 0; column < problem.size(); ++column) {
    for (int row = 0; row < problem.size(); ++row) {
      if (W(row, column) == 0) continue;
      i.push_back(row);
      x.push_back(W(row, column));
    }
    p.push_back(static_cast<int>(x.size()));
  }
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  if (!file.ok()) Fail(path, "file", "cannot be created");
  const auto make_group = [](hid_t parent, const char* name) {
    return H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  };
  const Handle group(make_group(file.id(), kGroup), H5Gclose);
  const Handle matrix(make_group(group.id(), "W"), H5Gclose);
  const Handle vectors(make_group(group.id(), "vectors"), H5Gclose);
  WriteIntegers(group.id(), "spacedim", {d}, path);
  WriteIntegers(matrix.id(), "m", {problem.size()}, path);
  WriteIntegers(matrix.id(), "n", {problem.size()}, path);
  WriteIntegers(matrix.id(), "nzmax", {static_cast<int>(x.size())}, path);
  WriteIntegers(matrix.id(), "nz", {-1}, path);
  WriteIntegers(matrix.id(), "p", p, path);
  WriteIntegers(matrix.id(), "i", i, path);
  WriteReals(matrix.id(), "x", x, path);
  WriteReals(vectors.id(), "q", {problem.b.begin(), problem.b.end()}, path);
  WriteReals(vectors.id(), "mu", mu, path);
}

}  // namespace saltus
