#include "saltus/output/checkpoint_record.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "saltus/simulation/ledger.h"

namespace saltus {
namespace {

constexpr char kGroup[] = "/checkpoint";
constexpr std::size_t kNameWidth = 64;
/// State::internal among the vectors of memory; the names of integrators begin with theirs.
constexpr char kInternal[] = "system.internal";
constexpr char kCreep[] = "audit.creep";  // Audit::creeping among them
constexpr hsize_t kRecordSize = 6;

// Visits every number of an Audit but those of its list, in the order of the file format.
template <typename AuditType, typename Visit>
void VisitAudit(AuditType& audit, Visit visit) {
  for (auto* value : {&audit.max_penetration, &audit.max_constraint, &audit.max_constraint_rate,
                      &audit.max_complementarity, &audit.max_cone_residual, &audit.max_solver_error,
                      &audit.max_creep, &audit.max_speed, &audit.turnover, &audit.energy_scale,
                      &audit.max_closure, &audit.worst_step_closure, &audit.worst_step_time,
                      &audit.min_step, &audit.wall_time}) {
    visit(*value);
  }
  for (auto* place :
       {&audit.penetration_at, &audit.constraint_at, &audit.solver_error_at, &audit.creep_at}) {
    visit(place->time);
    visit(place->key.pair);
    visit(place->key.feature);
  }
  for (auto* energy : {&audit.initial_energy, &audit.final_energy}) {
    visit(energy->kinetic);
    visit(energy->potential);
    visit(energy->elastic);
  }
  for (const LedgerEntry& entry : kLedger) visit(audit.work.*entry.work);
  for (auto* count :
       {&audit.tunnelled, &audit.steps, &audit.rejected, &audit.flagged, &audit.at_min_step,
        &audit.events, &audit.newton_iterations, &audit.solver_iterations}) {
    visit(*count);
  }
}

// A key has more digits than a double: it is stored as two halves, which are whole numbers.
void PackKey(std::uint64_t key, std::vector<double>* values) {
  values->push_back(static_cast<double>(key >> 32));
  values->push_back(static_cast<double>(key & 0xffffffffU));
}

std::uint64_t UnpackKey(double high, double low) {
  constexpr double kLimit = 4294967296.0;
  if (!(high >= 0 && high < kLimit && low >= 0 && low < kLimit)) {
    throw Hdf5Failure("the audit of the checkpoint has a broken key");
  }
  return static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint64_t>(low);
}

constexpr std::size_t kCreepSize = 5;  // numbers per entry of Audit::creeping

struct Record {
  std::int64_t step_index = 0;
  std::int64_t contacts_end = 0, names_end = 0, values_end = 0;
  std::int64_t num_q = 0, num_v = 0;
};

Record ToRecord(const std::int64_t* row) {
  return {row[0], row[1], row[2], row[3], row[4], row[5]};
}

void Append(const VectorX& values, Column* column) {
  if (values.size() == 0) return;
  double* rows = column->AddRows<double>(static_cast<std::size_t>(values.size()));
  std::copy(values.data(), values.data() + values.size(), rows);
}

VectorX ToVector(const std::vector<double>& values) {
  return Eigen::Map<const VectorX>(values.data(), static_cast<Eigen::Index>(values.size()));
}

// Rows [begin, end), which come from the file and must be checked before they are used.
template <typename T>
std::vector<T> ReadRange(hid_t group, const char* name, const std::vector<hsize_t>& row_shape,
                         std::int64_t begin, std::int64_t end) {
  if (begin < 0 || end < begin) throw Hdf5Failure(std::string(name) + " has a broken index");
  const ColumnReader column(group, name, row_shape);
  return column.ReadRows<T>(static_cast<hsize_t>(begin), static_cast<hsize_t>(end - begin));
}

void ReadContacts(hid_t group, std::int64_t begin, std::int64_t end, State* state) {
  const auto keys = ReadRange<std::uint64_t>(group, "contact_key", {2}, begin, end);
  const auto impulses = ReadRange<double>(group, "contact_impulse", {6}, begin, end);
  for (std::size_t i = 0; 2 * i < keys.size(); ++i) {
    const double* p = impulses.data() + 6 * i;
    state->contacts.push_back(
        {{keys[2 * i], keys[2 * i + 1]}, {p[0], p[1], p[2]}, {p[3], p[4], p[5]}});
  }
}

void ReadMemory(hid_t group, const Record& previous, const Record& record, Checkpoint* checkpoint) {
  State* state = &checkpoint->state;
  const std::vector<std::string> names = ReadStrings(group, "memory_name");
  const auto sizes =
      ReadRange<std::int64_t>(group, "memory_size", {}, previous.names_end, record.names_end);
  if (static_cast<std::size_t>(record.names_end) > names.size()) {
    throw Hdf5Failure("memory_name has fewer rows than its record says");
  }
  std::int64_t at = previous.values_end;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string& name = names[static_cast<std::size_t>(previous.names_end) + i];
    const auto values = ReadRange<double>(group, "memory_value", {}, at, at + sizes[i]);
    if (name == kCreep) {
      checkpoint->audit.creeping = UnpackCreep(ToVector(values));
    } else {
      (name == kInternal ? state->internal : state->integrator[name]) = ToVector(values);
    }
    at += sizes[i];
  }
  if (at != record.values_end) throw Hdf5Failure("memory_size does not fit memory_value");
}

Checkpoint ReadCheckpoint(hid_t group, long number) {
  const auto rows = ReadRange<std::int64_t>(group, "record", {kRecordSize}, 0, number);
  std::int64_t q_begin = 0, v_begin = 0;
  Record previous, record;
  for (long i = 0; i < number; ++i) {
    q_begin += record.num_q;
    v_begin += record.num_v;
    previous = record;
    record = ToRecord(rows.data() + i * static_cast<long>(kRecordSize));
  }
  Checkpoint checkpoint;
  State& state = checkpoint.state;
  checkpoint.step_index = static_cast<long>(record.step_index);
  state.time = ReadRange<double>(group, "time", {}, number - 1, number)[0];
  state.q = ToVector(ReadRange<double>(group, "q", {}, q_begin, q_begin + record.num_q));
  state.v = ToVector(ReadRange<double>(group, "v", {}, v_begin, v_begin + record.num_v));
  const hsize_t audit_size = PackAudit({}).size();
  checkpoint.audit =
      UnpackAudit(ReadRange<double>(group, "audit", {audit_size}, number - 1, number));
  if (!std::isfinite(state.time + checkpoint.audit.wall_time) || !state.q.allFinite() ||
      !state.v.allFinite()) {
    throw Hdf5Failure("the checkpoint is incomplete");
  }
  ReadContacts(group, previous.contacts_end, record.contacts_end, &state);
  ReadMemory(group, previous, record, &checkpoint);
  return checkpoint;
}

}  // namespace

std::vector<double> PackAudit(const Audit& audit) {
  std::vector<double> values;
  VisitAudit(audit, [&](const auto& field) {
    if constexpr (std::is_same_v<decltype(field), const std::uint64_t&>) {
      PackKey(field, &values);
    } else {
      values.push_back(static_cast<double>(field));
    }
  });
  return values;
}

Audit UnpackAudit(const std::vector<double>& values) {
  Audit audit;
  std::size_t i = 0;
  const auto next = [&] {
    if (i >= values.size()) throw Hdf5Failure("the audit of the checkpoint is incomplete");
    return values[i++];
  };
  VisitAudit(audit, [&](auto& field) {
    if constexpr (std::is_same_v<decltype(field), std::uint64_t&>) {
      const double high = next();
      field = UnpackKey(high, next());
    } else {
      field = static_cast<std::remove_reference_t<decltype(field)>>(next());
    }
  });
  return audit;
}

VectorX PackCreep(const std::vector<CreepPath>& creeping) {
  std::vector<double> values;
  for (const CreepPath& creep : creeping) {
    PackKey(creep.key.pair, &values);
    PackKey(creep.key.feature, &values);
    values.push_back(creep.path);
  }
  return ToVector(values);
}

std::vector<CreepPath> UnpackCreep(const VectorX& values) {
  std::vector<CreepPath> creeping;
  for (Eigen::Index i = 0; i + static_cast<Eigen::Index>(kCreepSize) <= values.size();
       i += static_cast<Eigen::Index>(kCreepSize)) {
    creeping.push_back(
        {{UnpackKey(values[i], values[i + 1]), UnpackKey(values[i + 2], values[i + 3])},
         values[i + 4]});
  }
  return creeping;
}

CheckpointColumns::CheckpointColumns(hid_t file) {
  const Hdf5Handle group(H5Gcreate2(file, kGroup, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                         "make /checkpoint");
  const auto numbers = [&](const char* name, std::vector<hsize_t> shape, const char* unit,
                           const char* meaning, hid_t type, hsize_t chunk) {
    return Column(group.id(), {name, std::move(shape), unit, meaning, 0, chunk}, type);
  };
  const hsize_t audit_size = PackAudit({}).size();
  const hid_t real = H5T_NATIVE_DOUBLE, integer = H5T_NATIVE_INT64;
  time_ = numbers("time", {}, "s", "time of the checkpoint", real, 16);
  q_ = numbers("q", {}, "m|1", "coordinates", real, 1024);
  v_ = numbers("v", {}, "m/s|rad/s", "velocities", real, 1024);
  audit_ = numbers("audit", {audit_size}, "SI", "sums and maxima of the audit", real, 8);
  contact_key_ = numbers("contact_key", {2}, "1", "pair and feature", H5T_NATIVE_UINT64, 256);
  contact_impulse_ =
      numbers("contact_impulse", {6}, "N s|N m s", "remembered impulse and moment", real, 256);
  memory_name_ = Column::MakeStrings(
      group.id(), {"memory_name", {}, "1", "name of a vector of the integrator", 0, 16},
      kNameWidth);
  memory_size_ = numbers("memory_size", {}, "1", "its length", integer, 16);
  memory_value_ = numbers("memory_value", {}, "SI", "its values", real, 1024);
  record_ = numbers("record", {kRecordSize}, "1",
                    "step index, ends in contact_key, memory_name, memory_value, sizes of q and v",
                    integer, 16);
}

void CheckpointColumns::Add(const Checkpoint& checkpoint) {
  const State& state = checkpoint.state;
  *time_.AddRows<double>() = state.time;
  Append(state.q, &q_);
  Append(state.v, &v_);
  const std::vector<double> audit = PackAudit(checkpoint.audit);
  std::copy(audit.begin(), audit.end(), audit_.AddRows<double>());
  for (const ContactMemory& memory : state.contacts) {
    std::uint64_t* key = contact_key_.AddRows<std::uint64_t>();
    key[0] = memory.key.pair;
    key[1] = memory.key.feature;
    double* impulse = contact_impulse_.AddRows<double>();
    std::copy_n(memory.impulse.data(), 3, impulse);
    std::copy_n(memory.moment.data(), 3, impulse + 3);
  }
  const auto add = [this](const std::string& name, const VectorX& values) {
    if (name.size() > kNameWidth) {
      throw Hdf5Failure("the name '" + name + "' of an integrator's memory is too long");
    }
    memory_name_.AddString(name);
    *memory_size_.AddRows<std::int64_t>() = values.size();
    Append(values, &memory_value_);
  };
  for (const auto& [name, values] : state.integrator) add(name, values);
  if (state.internal.size() > 0) add(kInternal, state.internal);
  if (!checkpoint.audit.creeping.empty()) add(kCreep, PackCreep(checkpoint.audit.creeping));
  std::int64_t* record = record_.AddRows<std::int64_t>();
  record[0] = checkpoint.step_index;
  record[1] = static_cast<std::int64_t>(contact_key_.num_rows());
  record[2] = static_cast<std::int64_t>(memory_name_.num_rows());
  record[3] = static_cast<std::int64_t>(memory_value_.num_rows());
  record[4] = state.q.size();
  record[5] = state.v.size();
}

void CheckpointColumns::Write() {
  for (Column* column : {&time_, &q_, &v_, &audit_, &contact_key_, &contact_impulse_, &memory_name_,
                         &memory_size_, &memory_value_, &record_}) {
    column->Write();
  }
}

long CountCheckpoints(hid_t file) {
  const Hdf5Handle group(H5Gopen2(file, kGroup, H5P_DEFAULT), "find /checkpoint");
  const hsize_t audit_size = PackAudit({}).size();
  return static_cast<long>(std::min({ColumnReader(group.id(), "record", {kRecordSize}).num_rows(),
                                     ColumnReader(group.id(), "time", {}).num_rows(),
                                     ColumnReader(group.id(), "audit", {audit_size}).num_rows()}));
}

Checkpoint ReadLastCheckpoint(hid_t file) {
  const long count = CountCheckpoints(file);
  if (count == 0) throw Hdf5Failure("there is no checkpoint in the file");
  const Hdf5Handle group(H5Gopen2(file, kGroup, H5P_DEFAULT), "find /checkpoint");
  for (long number = count;; --number) {  // A killed run may have left the newest one incomplete.
    try {
      return ReadCheckpoint(group.id(), number);
    } catch (const Hdf5Failure&) {
      if (number == 1) throw;
    }
  }
}

}  // namespace saltus
