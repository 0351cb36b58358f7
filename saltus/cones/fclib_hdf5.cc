#include "saltus/cones/fclib_hdf5.h"

#include "saltus/base/error.h"

namespace saltus::fclib {
namespace {

constexpr hsize_t kMaxEntries = hsize_t{1} << 31;  // Of one array: larger files are damaged.

hid_t OpenOrCreate(const std::string& path, Writer::Mode mode) {
  return mode == Writer::Mode::kReplace
             ? H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
             : H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
}

}  // namespace

void FailInFile(const std::string& path, const std::string& item, const std::string& message) {
  throw InputError(item, message, "", SourceLocation{path, 0, 0});
}

SilentHdf5::SilentHdf5() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

SilentHdf5::~SilentHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

Reader::Reader(const std::string& path)
    : path_(path), file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose) {
  if (!file_.ok()) Fail("file", "cannot be opened as an HDF5 file");
}

bool Reader::Exists(const std::string& name) const {
  // Every part of the path must exist before the next may be asked for.
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    if (H5Lexists(file_.id(), name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return true;
  }
}

template <class Number>
std::vector<Number> Reader::Read(const std::string& name, H5T_class_t kind,
                                 hid_t memory_type) const {
  if (!Exists(name)) Fail(name, "is missing");
  const Handle set(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.ok()) Fail(name, "is not a dataset");
  const Handle type(H5Dget_type(set.id()), H5Tclose);
  const Handle space(H5Dget_space(set.id()), H5Sclose);
  if (!type.ok() || H5Tget_class(type.id()) != kind) Fail(name, "has the wrong type");
  const hssize_t count = space.ok() ? H5Sget_simple_extent_npoints(space.id()) : -1;
  if (count < 0 || static_cast<hsize_t>(count) > kMaxEntries) Fail(name, "has a wrong size");
  std::vector<Number> values(static_cast<std::size_t>(count));
  if (count > 0 &&
      H5Dread(set.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    Fail(name, "cannot be read");
  }
  return values;
}

std::vector<double> Reader::ReadReals(const std::string& name) const {
  return Read<double>(name, H5T_FLOAT, H5T_NATIVE_DOUBLE);
}

std::vector<int> Reader::ReadIntegers(const std::string& name) const {
  return Read<int>(name, H5T_INTEGER, H5T_NATIVE_INT);
}

int Reader::ReadInteger(const std::string& name) const {
  const std::vector<int> values = ReadIntegers(name);
  if (values.size() != 1) Fail(name, "must be one integer");
  return values[0];
}

Writer::Writer(const std::string& path, Mode mode)
    : path_(path), file_(OpenOrCreate(path, mode), H5Fclose) {
  if (!file_.ok()) FailInFile(path_, "file", "cannot be written");
}

void Writer::WriteArray(const std::string& name, hid_t file_type, hid_t memory_type,
                        std::size_t count, const void* data) {
  const hsize_t size = count;
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.id(), 1);
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Handle set(H5Dcreate2(file_.id(), name.c_str(), file_type, space.id(), links.id(),
                              H5P_DEFAULT, H5P_DEFAULT),
                   H5Dclose);
  const bool written = set.ok() && (count == 0 || H5Dwrite(set.id(), memory_type, H5S_ALL, H5S_ALL,
                                                           H5P_DEFAULT, data) >= 0);
  if (!written) FailInFile(path_, name, "cannot be written");
}

void Writer::Write(const std::string& name, const std::vector<double>& values) {
  WriteArray(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.size(), values.data());
}

void Writer::Write(const std::string& name, const std::vector<int>& values) {
  WriteArray(name, H5T_STD_I32LE, H5T_NATIVE_INT, values.size(), values.data());
}

void Writer::Remove(const std::string& name) {
  if (H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT) <= 0) return;
  if (H5Ldelete(file_.id(), name.c_str(), H5P_DEFAULT) < 0) {
    FailInFile(path_, name, "cannot be replaced");
  }
}

}  // namespace saltus::fclib
