// A column of a result file: a dataset that grows along its first dimension, with a buffer in front
// so that a frame costs a copy and not a call of HDF5. And its counterpart for reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "saltus/output/hdf5_handle.h"

namespace saltus {

/// The HDF5 memory type of a C++ number.
hid_t NumberType(const double*);
hid_t NumberType(const std::int64_t*);
hid_t NumberType(const std::uint64_t*);
hid_t NumberType(const std::uint32_t*);

struct ColumnSpec {
  std::string name;
  std::vector<hsize_t> row_shape;  // {} for one number per row, {num_bodies, 3}, …
  std::string unit;                // "m/s"; "1" for pure numbers
  std::string meaning;             // one sentence
  int compression = 0;             // gzip level 1…9, 0: none
  hsize_t max_rows_per_chunk = 1024;
};

/// Appends rows. Rows reach the file with Write(); they are complete there after the file's flush.
class Column {
 public:
  Column() = default;
  /// Numbers of the given HDF5 type; unwritten doubles read as NaN.
  Column(hid_t group, const ColumnSpec& spec, hid_t type);
  /// Strings of `width` bytes.
  static Column MakeStrings(hid_t group, const ColumnSpec& spec, std::size_t width);

  /// Room for `count` more rows in the buffer, to be filled by the caller before the next call.
  template <typename T>
  T* AddRows(std::size_t count = 1) {
    const std::size_t old_size = buffer_.size();
    buffer_.resize(old_size + count * row_bytes_);
    return reinterpret_cast<T*>(buffer_.data() + old_size);
  }
  void AddString(const std::string& value);

  /// Rows appended so far, in the file and in the buffer.
  hsize_t num_rows() const { return rows_in_file_ + buffered_rows(); }
  std::size_t buffered_bytes() const { return buffer_.size(); }
  /// True if the buffer holds at least one whole chunk.
  bool wants_write() const { return buffer_.size() >= chunk_rows_ * row_bytes_ && row_bytes_ > 0; }
  /// Hands the buffer to HDF5.
  void Write();

 private:
  hsize_t buffered_rows() const { return row_bytes_ > 0 ? buffer_.size() / row_bytes_ : 0; }

  Hdf5Handle dataset_;
  Hdf5Handle type_;
  std::string name_;
  std::vector<hsize_t> row_shape_;
  std::size_t row_bytes_ = 0;
  std::size_t chunk_rows_ = 1;
  hsize_t rows_in_file_ = 0;
  std::vector<std::byte> buffer_;
};

/// A dataset opened for reading, with its shape checked against what the format says.
class ColumnReader {
 public:
  /// @param row_shape  as in ColumnSpec; throws Hdf5Failure if the dataset differs
  ColumnReader(hid_t group, const std::string& name, const std::vector<hsize_t>& row_shape);

  hsize_t num_rows() const { return num_rows_; }
  /// Rows [first, first + count), all numbers of each row.
  template <typename T>
  std::vector<T> ReadRows(hsize_t first, hsize_t count) const {
    std::vector<T> values(static_cast<std::size_t>(count * row_size_));
    Read(first, count, nullptr, NumberType(static_cast<const T*>(nullptr)), values.data());
    return values;
  }
  /// One number of each of the rows [0, count), at the place `index` inside the row.
  std::vector<double> ReadSeries(hsize_t count, const std::vector<hsize_t>& index) const;

 private:
  void Read(hsize_t first, hsize_t count, const hsize_t* index, hid_t type, void* values) const;

  Hdf5Handle dataset_;
  std::string name_;
  std::vector<hsize_t> row_shape_;
  hsize_t row_size_ = 1;
  hsize_t num_rows_ = 0;
};

}  // namespace saltus
