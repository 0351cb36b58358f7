// Reading a result file: frames, channels, audit and the last checkpoint. Files of running and of
// killed runs are read up to their last complete frame.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "saltus/output/channel.h"
#include "saltus/output/result_file.h"
#include "saltus/simulation/audit.h"
#include "saltus/simulation/frame.h"
#include "saltus/simulation/simulation.h"

namespace saltus {

/// The table of all contact points: frame k has the rows offset[k] to offset[k + 1] − 1.
struct ContactRows {
  std::vector<std::int64_t> offset;  // num_frames + 1
  std::vector<std::uint32_t> name;   // row in catalog().contacts()
  std::vector<std::uint64_t> key;    // two per row: pair and feature
  std::vector<double> gap;           // m
  // Three per row, as in Frame::Contact; `tangent` is empty in files of version 0.1.
  std::vector<double> point, normal, tangent, force, impulse;
  std::vector<double> adhesion;  // 0 … 1; empty in files of format 1
  std::vector<double> moment;    // three per row; empty in older files
};

/// All members throw InputError, which names the file, if it is damaged or not a result.
class ResultReader {
 public:
  explicit ResultReader(const std::string& path);
  ~ResultReader();
  ResultReader(ResultReader&&) noexcept;
  ResultReader& operator=(ResultReader&&) noexcept;

  const std::string& path() const;
  const std::string& title() const;
  const std::string& scene() const;           // the text of the scene
  const std::string& saltus_version() const;  // that wrote the file
  const std::string& outcome() const;         // "running" if the run is alive or was killed
  const std::string& verdict() const;  // "good", "look at: …"; empty if unknown (running, killed)
  const std::vector<AuditEntry>& audit() const;
  const ChannelCatalog& catalog() const;
  const FrameLayout& layout() const { return catalog().layout(); }
  bool has_contacts() const;  // false if recorded without

  long num_frames() const { return static_cast<long>(times().size()); }
  const std::vector<double>& times() const;  // s, not decreasing

  /// The channel at every frame. Throws InputError with the nearest names for an unknown one.
  std::vector<double> ReadChannel(const std::string& name) const;
  std::vector<double> ReadChannel(const Channel& channel) const;
  /// Every number of a quantity of the run, of bodies, joints, coordinates or constraints: one
  /// frame after the other, in each the items, in each the components.
  std::vector<double> ReadQuantity(const Quantity& quantity) const;
  /// The same for the frames [first, first + count), which must exist.
  std::vector<double> ReadQuantity(const Quantity& quantity, long first, long count) const;
  /// Every contact point; empty if recorded without.
  ContactRows ReadContacts() const;
  /// Those of the frames [first, first + count), which must exist; offset[0] is 0.
  ContactRows ReadContacts(long first, long count) const;
  /// step_index is not recorded and stays 0.
  Frame ReadFrame(long index) const;

  /// All impacts, whatever the output interval, and what whoever ran the simulation added. Files of
  /// older formats hold only the latter.
  std::vector<RunEvent> ReadEvents() const;
  bool has_impacts() const;  // false: impacts are known only from the contacts of recorded frames

  bool has_checkpoint() const;
  Checkpoint ReadCheckpoint() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// True if the file begins like HDF5; false also if it cannot be read.
bool LooksLikeResult(const std::string& path);

}  // namespace saltus
