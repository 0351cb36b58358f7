#include "saltus/output/hdf5_handle.h"

#include <algorithm>
#include <cstring>

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

void WriteAttribute(hid_t object, const std::string& name, hid_t type, const void* value) {
  const Hdf5Handle space = MakeScalarSpace();
  const Hdf5Handle attribute(
      H5Acreate2(object, name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
      "make the attribute '" + name + "'");
  CheckHdf5(H5Awrite(attribute.id(), type, value), "write the attribute '" + name + "'");
}

Hdf5Handle OpenAttribute(hid_t object, const std::string& name) {
  return {H5Aopen(object, name.c_str(), H5P_DEFAULT), "find the attribute '" + name + "'"};
}

template <typename T>
T ReadNumberAttribute(hid_t object, const std::string& name, hid_t type) {
  const Hdf5Handle attribute = OpenAttribute(object, name);
  const Hdf5Handle space(H5Aget_space(attribute.id()), "read the attribute '" + name + "'");
  if (H5Sget_simple_extent_npoints(space.id()) != 1) {
    throw Hdf5Failure("the attribute '" + name + "' is not a single number");
  }
  T value{};
  CheckHdf5(H5Aread(attribute.id(), type, &value), "read the attribute '" + name + "'");
  return value;
}

// Reads `count` strings of either kind; `read` fills a buffer of the given memory type.
template <typename Read, typename Reclaim>
std::vector<std::string> ReadStringBuffer(hid_t type, std::size_t count, const std::string& name,
                                          Read read, Reclaim reclaim) {
  if (H5Tget_class(type) != H5T_STRING) throw Hdf5Failure("'" + name + "' is not text");
  std::vector<std::string> strings(count);
  if (count == 0) return strings;
  if (H5Tis_variable_str(type) > 0) {
    const Hdf5Handle memory = MakeStringType();
    std::vector<char*> pointers(count, nullptr);
    CheckHdf5(read(memory.id(), pointers.data()), "read '" + name + "'");
    for (std::size_t i = 0; i < count; ++i) {
      if (pointers[i] != nullptr) strings[i] = pointers[i];
    }
    reclaim(memory.id(), pointers.data());
    return strings;
  }
  const std::size_t width = H5Tget_size(type);
  const Hdf5Handle memory = MakeStringType(width);
  std::vector<char> bytes(count * width);
  CheckHdf5(read(memory.id(), bytes.data()), "read '" + name + "'");
  for (std::size_t i = 0; i < count; ++i) {
    const char* first = bytes.data() + i * width;
    strings[i].assign(first, std::find(first, first + width, '\0'));
  }
  return strings;
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

Hdf5Handle MakeStringType() {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), "make a string type");
  CheckHdf5(H5Tset_size(type.id(), H5T_VARIABLE), "make a string type");
  CheckHdf5(H5Tset_cset(type.id(), H5T_CSET_UTF8), "make a string type");
  return type;
}

Hdf5Handle MakeStringType(std::size_t width) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), "make a string type");
  CheckHdf5(H5Tset_size(type.id(), width), "make a string type");
  CheckHdf5(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "make a string type");
  CheckHdf5(H5Tset_cset(type.id(), H5T_CSET_UTF8), "make a string type");
  return type;
}

void WriteStringAttribute(hid_t object, const std::string& name, const std::string& value) {
  const char* text = value.c_str();
  WriteAttribute(object, name, MakeStringType().id(), &text);
}

void WriteIntegerAttribute(hid_t object, const std::string& name, long long value) {
  WriteAttribute(object, name, H5T_NATIVE_LLONG, &value);
}

void WriteDoubleAttribute(hid_t object, const std::string& name, double value) {
  WriteAttribute(object, name, H5T_NATIVE_DOUBLE, &value);
}

void MakeFixedStringAttribute(hid_t object, const std::string& name, const std::string& value,
                              std::size_t width) {
  std::string padded = value;
  padded.resize(width, '\0');
  WriteAttribute(object, name, MakeStringType(width).id(), padded.data());
}

void RewriteAttribute(hid_t object, const std::string& name, double value) {
  const Hdf5Handle attribute = OpenAttribute(object, name);
  CheckHdf5(H5Awrite(attribute.id(), H5T_NATIVE_DOUBLE, &value), "write '" + name + "'");
}

void RewriteAttribute(hid_t object, const std::string& name, const std::string& value) {
  const Hdf5Handle attribute = OpenAttribute(object, name);
  const Hdf5Handle type(H5Aget_type(attribute.id()), "read the type of '" + name + "'");
  std::string padded = value;
  padded.resize(H5Tget_size(type.id()), '\0');
  CheckHdf5(H5Awrite(attribute.id(), type.id(), padded.data()), "write '" + name + "'");
}

std::string ReadStringAttribute(hid_t object, const std::string& name) {
  const Hdf5Handle attribute = OpenAttribute(object, name);
  const Hdf5Handle type(H5Aget_type(attribute.id()), "read the attribute '" + name + "'");
  const Hdf5Handle space(H5Aget_space(attribute.id()), "read the attribute '" + name + "'");
  if (H5Sget_simple_extent_npoints(space.id()) != 1) {
    throw Hdf5Failure("the attribute '" + name + "' is not a single text");
  }
  return ReadStringBuffer(
      type.id(), 1, name,
      [&](hid_t memory, void* data) { return H5Aread(attribute.id(), memory, data); },
      [&](hid_t memory, void* data) { H5Dvlen_reclaim(memory, space.id(), H5P_DEFAULT, data); })[0];
}

long long ReadIntegerAttribute(hid_t object, const std::string& name) {
  return ReadNumberAttribute<long long>(object, name, H5T_NATIVE_LLONG);
}

double ReadDoubleAttribute(hid_t object, const std::string& name) {
  return ReadNumberAttribute<double>(object, name, H5T_NATIVE_DOUBLE);
}

std::vector<std::string> ListAttributes(hid_t object) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  };
  hsize_t at = 0;
  if (H5Aiterate2(object, H5_INDEX_CRT_ORDER, H5_ITER_INC, &at, add, &names) < 0) {
    names.clear();
    at = 0;
    CheckHdf5(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, add, &names),
              "list the attributes");
  }
  return names;
}

void WriteString(hid_t group, const std::string& name, const std::string& value) {
  const Hdf5Handle type = MakeStringType();
  const Hdf5Handle space = MakeScalarSpace();
  const Hdf5Handle dataset(
      H5Dcreate2(group, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      "make '" + name + "'");
  const char* text = value.c_str();
  CheckHdf5(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &text),
            "write '" + name + "'");
}

void WriteStrings(hid_t group, const std::string& name, const std::vector<std::string>& values) {
  const Hdf5Handle type = MakeStringType();
  const hsize_t count = values.size();
  const Hdf5Handle space(H5Screate_simple(1, &count, nullptr), "make a dataspace");
  const Hdf5Handle dataset(
      H5Dcreate2(group, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      "make '" + name + "'");
  if (count == 0) return;
  std::vector<const char*> pointers;
  for (const std::string& value : values) pointers.push_back(value.c_str());
  CheckHdf5(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()),
            "write '" + name + "'");
}

std::vector<std::string> ReadStrings(hid_t group, const std::string& name) {
  const Hdf5Handle dataset(H5Dopen2(group, name.c_str(), H5P_DEFAULT), "find '" + name + "'");
  const Hdf5Handle type(H5Dget_type(dataset.id()), "read '" + name + "'");
  const Hdf5Handle space(H5Dget_space(dataset.id()), "read '" + name + "'");
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  return ReadStringBuffer(
      type.id(), static_cast<std::size_t>(std::max<hssize_t>(count, 0)), name,
      [&](hid_t memory, void* data) {
        return H5Dread(dataset.id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
      },
      [&](hid_t memory, void* data) { H5Dvlen_reclaim(memory, space.id(), H5P_DEFAULT, data); });
}

std::string ReadString(hid_t group, const std::string& name) {
  const std::vector<std::string> strings = ReadStrings(group, name);
  if (strings.size() != 1) throw Hdf5Failure("'" + name + "' is not a single text");
  return strings[0];
}

}  // namespace saltus
