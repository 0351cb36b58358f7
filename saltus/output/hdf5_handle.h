// Thin ownership and error layer over the C interface of HDF5: handles that close themselves,
// failures as exceptions with the reason HDF5 gives, and the few typed reads and writes we need.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

namespace saltus {

/// A call of HDF5 failed. Stays inside output/: writers turn it into OutputError, readers into
/// InputError.
class Hdf5Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Owns one HDF5 identifier.
class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  /// Throws Hdf5Failure "cannot <action>: <reason>" if id is negative.
  Hdf5Handle(hid_t id, const std::string& action);
  ~Hdf5Handle() { Reset(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    if (this != &other) {
      Reset();
      id_ = std::exchange(other.id_, -1);
    }
    return *this;
  }

  hid_t id() const { return id_; }
  /// Closes it now; false if HDF5 reports a failure.
  bool Reset();

 private:
  hid_t id_ = -1;
};

/// Keeps HDF5 from printing its error stack to the terminal while in scope.
class Hdf5Silence {
 public:
  Hdf5Silence();
  ~Hdf5Silence();
  Hdf5Silence(const Hdf5Silence&) = delete;
  Hdf5Silence& operator=(const Hdf5Silence&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// Throws Hdf5Failure "cannot <action>: <reason>" if status is negative.
void CheckHdf5(herr_t status, const std::string& action);

// Text is UTF-8 of fixed width, padded with zeros. Strings of variable length would live in a heap
// without checksums, and HDF5 itself can crash on a damaged one.

/// `width` bytes, at least 1.
Hdf5Handle MakeStringType(std::size_t width);

/// @param width  room for a later RewriteAttribute; at least the length of the value is taken
void WriteAttribute(hid_t object, const std::string& name, const std::string& value,
                    std::size_t width = 0);
void WriteAttribute(hid_t object, const std::string& name, long long value);
void WriteAttribute(hid_t object, const std::string& name, double value);
/// Rewrites an existing attribute in place; a string too long for its width is cut.
void RewriteAttribute(hid_t object, const std::string& name, double value);
void RewriteAttribute(hid_t object, const std::string& name, const std::string& value);

std::string ReadStringAttribute(hid_t object, const std::string& name);
long long ReadIntegerAttribute(hid_t object, const std::string& name);
double ReadDoubleAttribute(hid_t object, const std::string& name);

/// Datasets of text: one scalar, or a list.
void WriteString(hid_t group, const std::string& name, const std::string& value);
void WriteStrings(hid_t group, const std::string& name, const std::vector<std::string>& values);
std::string ReadString(hid_t group, const std::string& name);
std::vector<std::string> ReadStrings(hid_t group, const std::string& name);

}  // namespace saltus
