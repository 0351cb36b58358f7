// HDF5 arrays of FCLib files, with errors that name the file and the item. Used by fclib.h only.
#pragma once

#include <string>
#include <vector>

#include <hdf5.h>

namespace saltus::fclib {

[[noreturn]] void FailInFile(const std::string& path, const std::string& item,
                             const std::string& message);

/// Closes an HDF5 object on leaving the scope.
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

/// HDF5 prints to stderr unless told not to; the library must not print.
class SilentHdf5 {
 public:
  SilentHdf5();
  SilentHdf5(const SilentHdf5&) = delete;
  SilentHdf5& operator=(const SilentHdf5&) = delete;
  ~SilentHdf5();

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// Reads arrays of one file by their full paths.
class Reader {
 public:
  explicit Reader(const std::string& path);
  bool Exists(const std::string& name) const;
  std::vector<double> ReadReals(const std::string& name) const;
  std::vector<int> ReadIntegers(const std::string& name) const;
  int ReadInteger(const std::string& name) const;
  [[noreturn]] void Fail(const std::string& name, const std::string& message) const {
    FailInFile(path_, name, message);
  }

 private:
  template <class Number>
  std::vector<Number> Read(const std::string& name, H5T_class_t kind, hid_t memory_type) const;

  SilentHdf5 silent_;
  std::string path_;
  Handle file_;
};

/// Writes arrays of one file by their full paths; groups on the way are made.
class Writer {
 public:
  enum class Mode { kReplace, kAdd };
  Writer(const std::string& path, Mode mode);
  void Write(const std::string& name, const std::vector<double>& values);
  void Write(const std::string& name, const std::vector<int>& values);
  /// Removes a group or an array, if it exists.
  void Remove(const std::string& name);

 private:
  void WriteArray(const std::string& name, hid_t file_type, hid_t memory_type, std::size_t count,
                  const void* data);

  SilentHdf5 silent_;
  std::string path_;
  Handle file_;
};

}  // namespace saltus::fclib
