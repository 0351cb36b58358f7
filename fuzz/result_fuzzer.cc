// libFuzzer target of result files and checkpoints: a sound result, in which the fuzzer overwrites
// numbers and texts of any dataset and cuts datasets off. Whatever they hold, reading gives frames
// or an InputError.
//
// The bytes do not become the file itself: that would be a test of HDF5, which is known to fall
// over damaged metadata. An input is a list of changes of 11 bytes: which dataset, which row, eight
// bytes that replace the beginning of the row (or a new length).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <hdf5.h>

#include "saltus/base/error.h"
#include "saltus/output/result_file.h"
#include "saltus/output/result_reader.h"

#include "fuzz/fuzz_file.h"

namespace {

using saltus::Frame;
using saltus::FrameLayout;

constexpr std::size_t kChangeSize = 11;
constexpr std::size_t kMaxChanges = 30;

Frame MakeFrame(int k) {
  Frame frame;
  frame.time = 0.1 * k;
  frame.step_size = 0.1;
  frame.bodies.push_back({{0, 0, 1.0 * k}, {1, 0, 0, 0}, {0, 0, 1}, {0, 0, 0}});
  frame.joints.push_back({0.2 * k, {1, 2, 3}, {4, 5, 6}});
  for (int c = 0; c < k % 3; ++c) {
    Frame::Contact contact;
    contact.name = c == 0 ? "ball-ground" : "hinge.limit";
    contact.key = {static_cast<std::uint64_t>(c), 7};
    contact.point = contact.tangent = contact.force = contact.impulse = saltus::Vector3::Zero();
    contact.normal = saltus::Vector3::UnitZ();
    frame.contacts.push_back(contact);
  }
  return frame;
}

/// The bytes of a sound result.
std::vector<std::uint8_t> MakeSound() {
  char folder[] = "/tmp/saltus_fuzz_XXXXXX";
  if (mkdtemp(folder) == nullptr) std::abort();
  const std::string path = std::string(folder) + "/sound.h5";
  FrameLayout layout;
  layout.bodies = {"ball"};
  layout.joints = {{"hinge", "angle", "rad"}};
  {
    saltus::ResultFile file(path, layout, {"title", "saltus: 1\n", true, 0, true});
    for (int k = 0; k < 8; ++k) file.AddFrame(MakeFrame(k));
    file.AddEvent({0.3, "ball-ground", 1.5, "impact"});
    saltus::Checkpoint checkpoint;
    checkpoint.step_index = 7;
    checkpoint.state.time = 0.7;
    checkpoint.state.q = saltus::VectorX::Constant(7, 0.5);
    checkpoint.state.v = saltus::VectorX::Constant(6, 0.25);
    checkpoint.state.contacts.push_back({{1, 2}, {1, 2, 3}, {0, 0, 0}});
    checkpoint.state.integrator["scheme"] = saltus::VectorX::Constant(3, 1.0);
    checkpoint.audit.creeping.push_back({{1, 2}, 1e-6});
    file.AddCheckpoint(checkpoint);
    file.SetAudit(checkpoint.audit, "finished", "good");
    file.Close();
  }
  std::vector<std::uint8_t> bytes;
  if (FILE* stream = std::fopen(path.c_str(), "rb")) {
    std::uint8_t block[4096];
    for (std::size_t n = 0; (n = std::fread(block, 1, sizeof(block), stream)) > 0;) {
      bytes.insert(bytes.end(), block, block + n);
    }
    std::fclose(stream);
  }
  std::remove(path.c_str());
  rmdir(folder);
  return bytes;
}

herr_t AddDataset(hid_t, const char* name, const H5O_info_t* info, void* names) {
  if (info->type == H5O_TYPE_DATASET)
    static_cast<std::vector<std::string>*>(names)->push_back(name);
  return 0;
}

/// One change; what HDF5 refuses does not happen.
void Change(hid_t file, const std::vector<std::string>& names, const std::uint8_t* change) {
  const std::string& name = names[change[0] % names.size()];
  const hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  const hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
  hsize_t size[8] = {}, offset[8] = {}, count[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank > 0 && rank < 8) {
    H5Sget_simple_extent_dims(space, size, nullptr);
    if (change[1] >= 250) {  // cut off
      size[0] = change[2] % (size[0] + 1);
      H5Dset_extent(dataset, size);
    } else if (size[0] > 0) {
      offset[0] = change[1] % size[0];
      if (rank > 1 && size[1] > 0) offset[1] = change[2] % size[1];
      std::vector<std::uint8_t> value(std::max<std::size_t>(H5Tget_size(type), 8), 0);
      std::memcpy(value.data(), change + 3, 8);
      const hid_t memory = H5Screate_simple(rank, count, nullptr);
      H5Sselect_hyperslab(space, H5S_SELECT_SET, offset, nullptr, count, nullptr);
      H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, value.data());
      H5Sclose(memory);
    }
  }
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(dataset);
}

void ReadAll(const std::string& path) {
  const saltus::ResultReader reader(path);
  for (const saltus::Channel& channel : reader.catalog().List()) {
    try {
      if (reader.ReadChannel(channel).size() != reader.times().size()) std::abort();
    } catch (const saltus::InputError&) {
    }
  }
  for (long k = 0; k < reader.num_frames(); ++k) {
    try {
      (void)reader.ReadFrame(k);
    } catch (const saltus::InputError&) {
    }
  }
  try {
    (void)reader.ReadContacts();
    (void)reader.ReadEvents();
    if (reader.has_checkpoint()) {
      const saltus::Checkpoint checkpoint = reader.ReadCheckpoint();
      if (!checkpoint.state.q.allFinite()) std::abort();
    }
  } catch (const saltus::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const saltus::MemoryFile file;
  static const std::vector<std::uint8_t> sound = MakeSound();
  file.Write(sound.data(), sound.size());
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t handle = H5Fopen(file.path().c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  if (handle < 0) std::abort();
  std::vector<std::string> names;
  H5Ovisit2(handle, H5_INDEX_NAME, H5_ITER_NATIVE, AddDataset, &names, H5O_INFO_BASIC);
  for (std::size_t k = 0; k < kMaxChanges && (k + 1) * kChangeSize <= size; ++k) {
    Change(handle, names, data + k * kChangeSize);
  }
  H5Fclose(handle);
  try {
    ReadAll(file.path());
  } catch (const saltus::InputError& error) {
    if (std::string(error.what()).empty()) std::abort();
  }
  return 0;
}
