#include "saltus/output/hdf5_handle.h"

#include <algorithm>
#include <cstddef>

namespace saltus {
namespace {

// The innermost message of HDF5's error stack: the one nearest to the cause.
herr_t KeepDescription(unsigned, const H5E_error2_t* error, void* text) {
  if (error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

[[noreturn]] void Fail(const std::string& action) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, KeepDescription, &reason);
  throw Hdf5Failure("cannot " + action + (reason.empty() ? "" : ": " + reason));
}

Hdf5Handle MakeScalarSpace() { return {H5Screate(H5S_SCALAR), "make a dataspace"}; }

void MakeAttribute(hid_t object, const std::string& name, hid_t type, const void* value) {
  const Hdf5Handle space = MakeScalarSpace();
  const Hdf5Handle attribute(
      H5Acreate2(object, name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
      "make the attribute '" + name + "'");
  CheckHdf5(H5Awrite(attribute.id(), type, value), "write the attribute '" + name + "'");
}

/// Opens an attribute that must hold a single value.
Hdf5Handle OpenAttribute(hid_t object, const std::string& name) {
  Hdf5Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT),
                       "find the attribute '" + name + "'");
  const Hdf5Handle space(H5Aget_space(attribute.id()), "read the attribute '" + name + "'");
  if (H5Sget_simple_extent_npoints(space.id()) != 1) {
    throw Hdf5Failure("the attribute '" + name + "' is not a single value");
  }
  return attribute;
}

template <typename T>
T ReadNumberAttribute(hid_t object, const std::string& name, hid_t type) {
  const Hdf5Handle attribute = OpenAttribute(object, name);
  T value{};
  CheckHdf5(H5Aread(attribute.id(), type, &value), "read the attribute '" + name + "'");
  return value;
}

/// The width of a type that must be text of fixed width.
std::size_t CheckedWidth(hid_t type, const std::string& name) {
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) {
    throw Hdf5Failure("'" + name + "' is not text of fixed width");
  }
  return H5Tget_size(type);
}

std::vector<std::string> Split(const std::vector<char>& bytes, std::size_t width) {
  std::vector<std::string> strings;
  for (std::size_t first = 0; first < bytes.size(); first += width) {
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(width);
    strings.emplace_back(begin, std::find(begin, end, '\0'));
  }
  return strings;
}

/// The values one after the other, each padded with zeros to `width`.
std::string Join(const std::vector<std::string>& values, std::size_t width) {
  std::string bytes(values.size() * width, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    bytes.replace(i * width, values[i].size(), values[i]);
  }
  return bytes;
}

void WriteText(hid_t group, const std::string& name, const std::vector<std::string>& values,
               const Hdf5Handle& space) {
  std::size_t width = 1;
  for (const std::string& value : values) width = std::max(width, value.size());
  const Hdf5Handle type = MakeStringType(width);
  const Hdf5Handle dataset(
      H5Dcreate2(group, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      "make '" + name + "'");
  if (values.empty()) return;
  CheckHdf5(
      H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, Join(values, width).data()),
      "write '" + name + "'");
}

}  // namespace

Hdf5Handle::Hdf5Handle(hid_t id, const std::string& action) : id_(id) {
  if (id < 0) Fail(action);
}

bool Hdf5Handle::Reset() { return id_ < 0 || H5Idec_ref(std::exchange(id_, -1)) >= 0; }

Hdf5Silence::Hdf5Silence() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Silence::~Hdf5Silence() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

void CheckHdf5(herr_t status, const std::string& action) {
  if (status < 0) Fail(action);
}

Hdf5Handle MakeStringType(std::size_t width) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), "make a string type");
  CheckHdf5(H5Tset_size(type.id(), width), "make a string type");
  CheckHdf5(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "make a string type");
  CheckHdf5(H5Tset_cset(type.id(), H5T_CSET_UTF8), "make a string type");
  return type;
}

void WriteAttribute(hid_t object, const std::string& name, const std::string& value,
                    std::size_t width) {
  width = std::max({width, value.size(), std::size_t{1}});
  MakeAttribute(object, name, MakeStringType(width).id(), Join({value}, width).data());
}

void WriteAttribute(hid_t object, const std::string& name, long long value) {
  MakeAttribute(object, name, H5T_NATIVE_LLONG, &value);
}

void WriteAttribute(hid_t object, const std::string& name, double value) {
  MakeAttribute(object, name, H5T_NATIVE_DOUBLE, &value);
}

void RewriteAttribute(hid_t object, const std::string& name, double value) {
  const Hdf5Handle attribute = OpenAttribute(object, name);
  CheckHdf5(H5Awrite(attribute.id(), H5T_NATIVE_DOUBLE, &value), "write '" + name + "'");
}

void RewriteAttribute(hid_t object, const std::string& name, const std::string& value) {
  const Hdf5Handle attribute = OpenAttribute(object, name);
  const Hdf5Handle type(H5Aget_type(attribute.id()), "read the type of '" + name + "'");
  std::string padded = value;
  padded.resize(CheckedWidth(type.id(), name), '\0');
  CheckHdf5(H5Awrite(attribute.id(), type.id(), padded.data()), "write '" + name + "'");
}

std::string ReadStringAttribute(hid_t object, const std::string& name) {
  const Hdf5Handle attribute = OpenAttribute(object, name);
  const Hdf5Handle type(H5Aget_type(attribute.id()), "read the attribute '" + name + "'");
  std::vector<char> bytes(CheckedWidth(type.id(), name));
  CheckHdf5(H5Aread(attribute.id(), MakeStringType(bytes.size()).id(), bytes.data()),
            "read the attribute '" + name + "'");
  return Split(bytes, bytes.size())[0];
}

long long ReadIntegerAttribute(hid_t object, const std::string& name) {
  return ReadNumberAttribute<long long>(object, name, H5T_NATIVE_LLONG);
}

double ReadDoubleAttribute(hid_t object, const std::string& name) {
  return ReadNumberAttribute<double>(object, name, H5T_NATIVE_DOUBLE);
}

void WriteString(hid_t group, const std::string& name, const std::string& value) {
  WriteText(group, name, {value}, MakeScalarSpace());
}

void WriteStrings(hid_t group, const std::string& name, const std::vector<std::string>& values) {
  const hsize_t count = values.size();
  WriteText(group, name, values, {H5Screate_simple(1, &count, nullptr), "make a dataspace"});
}

std::vector<std::string> ReadStrings(hid_t group, const std::string& name) {
  const Hdf5Handle dataset(H5Dopen2(group, name.c_str(), H5P_DEFAULT), "find '" + name + "'");
  const Hdf5Handle type(H5Dget_type(dataset.id()), "read '" + name + "'");
  const Hdf5Handle space(H5Dget_space(dataset.id()), "read '" + name + "'");
  const std::size_t width = CheckedWidth(type.id(), name);
  const hssize_t count = std::max<hssize_t>(H5Sget_simple_extent_npoints(space.id()), 0);
  std::vector<char> bytes(static_cast<std::size_t>(count) * width);
  if (count == 0) return {};
  CheckHdf5(H5Dread(dataset.id(), MakeStringType(width).id(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                    bytes.data()),
            "read '" + name + "'");
  return Split(bytes, width);
}

std::string ReadString(hid_t group, const std::string& name) {
  const std::vector<std::string> strings = ReadStrings(group, name);
  if (strings.size() != 1) throw Hdf5Failure("'" + name + "' is not a single text");
  return strings[0];
}

}  // namespace saltus
