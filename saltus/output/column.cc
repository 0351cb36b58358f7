#include "saltus/output/column.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "saltus/base/error.h"

namespace saltus {
namespace {

// Chunks of this size balance the file size of small runs against the number of chunks of long
// ones.
constexpr std::size_t kChunkBytes = 32768;

hsize_t CalcProduct(const std::vector<hsize_t>& shape) {
  hsize_t product = 1;
  for (const hsize_t n : shape) product *= n;
  return product;
}

Hdf5Handle MakeCreationProperties(const ColumnSpec& spec, hid_t type, hsize_t chunk_rows) {
  Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), "describe '" + spec.name + "'");
  std::vector<hsize_t> chunk{chunk_rows};
  for (const hsize_t n : spec.row_shape) chunk.push_back(std::max<hsize_t>(n, 1));
  CheckHdf5(H5Pset_chunk(properties.id(), static_cast<int>(chunk.size()), chunk.data()),
            "describe '" + spec.name + "'");
  if (H5Tget_class(type) == H5T_FLOAT) {
    const double fill = std::numeric_limits<double>::quiet_NaN();
    CheckHdf5(H5Pset_fill_value(properties.id(), H5T_NATIVE_DOUBLE, &fill),
              "describe '" + spec.name + "'");
  }
  if (spec.compression > 0) {
    CheckHdf5(H5Pset_shuffle(properties.id()), "describe '" + spec.name + "'");
    CheckHdf5(H5Pset_deflate(properties.id(), static_cast<unsigned>(spec.compression)),
              "describe '" + spec.name + "'");
  }
  return properties;
}

}  // namespace

hid_t NumberType(const double*) { return H5T_NATIVE_DOUBLE; }
hid_t NumberType(const std::int64_t*) { return H5T_NATIVE_INT64; }
hid_t NumberType(const std::uint64_t*) { return H5T_NATIVE_UINT64; }
hid_t NumberType(const std::uint32_t*) { return H5T_NATIVE_UINT32; }

Column::Column(hid_t group, const ColumnSpec& spec, hid_t type)
    : type_(H5Tcopy(type), "copy a type"), name_(spec.name), row_shape_(spec.row_shape) {
  row_bytes_ = static_cast<std::size_t>(CalcProduct(row_shape_)) * H5Tget_size(type);
  const std::size_t per_chunk = kChunkBytes / std::max<std::size_t>(row_bytes_, 1);
  chunk_rows_ = std::clamp<std::size_t>(per_chunk, 1, spec.max_rows_per_chunk);

  std::vector<hsize_t> shape{0}, max_shape{H5S_UNLIMITED};
  shape.insert(shape.end(), row_shape_.begin(), row_shape_.end());
  max_shape.insert(max_shape.end(), row_shape_.begin(), row_shape_.end());
  const Hdf5Handle space(
      H5Screate_simple(static_cast<int>(shape.size()), shape.data(), max_shape.data()),
      "describe '" + name_ + "'");
  const Hdf5Handle properties = MakeCreationProperties(spec, type, chunk_rows_);
  dataset_ = Hdf5Handle(
      H5Dcreate2(group, name_.c_str(), type, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
      "make '" + name_ + "'");
  WriteAttribute(dataset_.id(), "unit", spec.unit);
  WriteAttribute(dataset_.id(), "meaning", spec.meaning);
}

Column Column::MakeStrings(hid_t group, const ColumnSpec& spec, std::size_t width) {
  return Column(group, spec, MakeStringType(width).id());
}

void Column::AddString(const std::string& value) {
  const std::size_t old_size = buffer_.size();
  buffer_.resize(old_size + row_bytes_);
  std::memcpy(buffer_.data() + old_size, value.data(), std::min(value.size(), row_bytes_));
}

void Column::Write() {
  const hsize_t count = buffered_rows();
  if (count == 0) return;
  std::vector<hsize_t> shape{rows_in_file_ + count}, start(row_shape_.size() + 1, 0);
  std::vector<hsize_t> block{count};
  shape.insert(shape.end(), row_shape_.begin(), row_shape_.end());
  block.insert(block.end(), row_shape_.begin(), row_shape_.end());
  start[0] = rows_in_file_;

  CheckHdf5(H5Dset_extent(dataset_.id(), shape.data()), "extend '" + name_ + "'");
  const Hdf5Handle file_space(H5Dget_space(dataset_.id()), "extend '" + name_ + "'");
  CheckHdf5(H5Sselect_hyperslab(file_space.id(), H5S_SELECT_SET, start.data(), nullptr,
                                block.data(), nullptr),
            "select rows of '" + name_ + "'");
  const Hdf5Handle memory_space(
      H5Screate_simple(static_cast<int>(block.size()), block.data(), nullptr),
      "describe rows of '" + name_ + "'");
  CheckHdf5(H5Dwrite(dataset_.id(), type_.id(), memory_space.id(), file_space.id(), H5P_DEFAULT,
                     buffer_.data()),
            "write '" + name_ + "'");
  rows_in_file_ += count;
  buffer_.clear();
}

ColumnReader::ColumnReader(hid_t group, const std::string& name,
                           const std::vector<hsize_t>& row_shape)
    : dataset_(H5Dopen2(group, name.c_str(), H5P_DEFAULT), "find '" + name + "'"),
      name_(name),
      row_shape_(row_shape),
      row_size_(CalcProduct(row_shape)) {
  const Hdf5Handle space(H5Dget_space(dataset_.id()), "read '" + name + "'");
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank != static_cast<int>(row_shape.size()) + 1) {
    throw Hdf5Failure("'" + name + "' has " + std::to_string(rank) + " dimensions instead of " +
                      std::to_string(row_shape.size() + 1));
  }
  std::vector<hsize_t> shape(static_cast<std::size_t>(rank));
  CheckHdf5(H5Sget_simple_extent_dims(space.id(), shape.data(), nullptr), "read '" + name + "'");
  if (!std::equal(row_shape.begin(), row_shape.end(), shape.begin() + 1)) {
    throw Hdf5Failure("'" + name + "' does not have the shape that the names in the file ask for");
  }
  num_rows_ = shape[0];
}

std::vector<double> ColumnReader::ReadSeries(hsize_t count,
                                             const std::vector<hsize_t>& index) const {
  SALTUS_CHECK(index.size() == row_shape_.size(), "one index per dimension of a row");
  std::vector<double> values(static_cast<std::size_t>(count));
  Read(0, count, index.data(), H5T_NATIVE_DOUBLE, values.data());
  return values;
}

void ColumnReader::Read(hsize_t first, hsize_t count, const hsize_t* index, hid_t type,
                        void* values) const {
  if (first + count > num_rows_) throw Hdf5Failure("'" + name_ + "' has fewer rows than expected");
  if (count == 0 || row_size_ == 0) return;
  std::vector<hsize_t> start{first}, block{count};
  for (std::size_t i = 0; i < row_shape_.size(); ++i) {
    start.push_back(index != nullptr ? index[i] : 0);
    block.push_back(index != nullptr ? 1 : row_shape_[i]);
  }
  const Hdf5Handle file_space(H5Dget_space(dataset_.id()), "read '" + name_ + "'");
  CheckHdf5(H5Sselect_hyperslab(file_space.id(), H5S_SELECT_SET, start.data(), nullptr,
                                block.data(), nullptr),
            "select rows of '" + name_ + "'");
  const Hdf5Handle memory_space(
      H5Screate_simple(static_cast<int>(block.size()), block.data(), nullptr),
      "select rows of '" + name_ + "'");
  CheckHdf5(H5Dread(dataset_.id(), type, memory_space.id(), file_space.id(), H5P_DEFAULT, values),
            "read '" + name_ + "'");
}

}  // namespace saltus
