// Checkpoints in a result file: append-only tables, so that the newest one replaces none that is
// known to be good. All doubles are exact; a run continues from them bit for bit.
//
//   /checkpoint/record   [K, 6]   step index; ends of this checkpoint's rows in contact_key,
//                                 memory_name and memory_value; size of q; size of v
//   /checkpoint/time     [K]      s
//   /checkpoint/q, v     [Σ]      coordinates and velocities, one checkpoint after the other
//   /checkpoint/audit    [K, A]   the Audit, see ListAuditFields
//   /checkpoint/contact_key [C, 2], contact_impulse [C, 6]        contact memory, sorted by key
//   /checkpoint/memory_name [M], memory_size [M], memory_value [V]   memory of the integrator
//                                 and, as "system.internal", State::internal
#pragma once

#include <string>
#include <vector>

#include "saltus/output/column.h"
#include "saltus/simulation/simulation.h"

namespace saltus {

/// The numbers of an Audit in a fixed order; counters are exact below 2⁵³.
std::vector<double> PackAudit(const Audit& audit);
/// Throws Hdf5Failure if the count does not fit.
Audit UnpackAudit(const std::vector<double>& values);

/// The list of an Audit, five numbers an entry.
VectorX PackCreep(const std::vector<CreepPath>& creeping);
std::vector<CreepPath> UnpackCreep(const VectorX& values);

class CheckpointColumns {
 public:
  CheckpointColumns() = default;
  /// Makes the tables in the group /checkpoint of the file.
  explicit CheckpointColumns(hid_t file);

  void Add(const Checkpoint& checkpoint);
  /// Hands the rows to HDF5, the record last: a checkpoint counts once its record is there.
  void Write();

 private:
  Column time_, q_, v_, audit_, contact_key_, contact_impulse_;
  Column memory_name_, memory_size_, memory_value_, record_;
};

/// Number of complete checkpoints in a file.
long CountCheckpoints(hid_t file);
/// The last complete one. Throws Hdf5Failure if there is none.
Checkpoint ReadLastCheckpoint(hid_t file);

}  // namespace saltus
