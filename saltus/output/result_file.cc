#include "saltus/output/result_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/output/channel.h"
#include "saltus/output/checkpoint_record.h"
#include "saltus/output/column.h"
#include "saltus/output/crash_safe_file.h"
#include "saltus/output/result_lock.h"

namespace saltus {
namespace {

constexpr std::size_t kOutcomeWidth = 1024;
constexpr std::size_t kEventKindWidth = 16;  // bytes; longer ones are cut
constexpr hsize_t kPageSize = 4096;
constexpr std::size_t kMaxBuffer = std::size_t{8}
                                   << 20;  // bytes in one column before it is written

/// Bytes for a contact name: "a-b" for any two bodies, "joint.limit", or a name of its own.
std::size_t CalcNameWidth(const FrameLayout& layout) {
  std::size_t longest = 0;
  for (const std::string& body : layout.bodies) longest = std::max(longest, 2 * body.size() + 1);
  for (const FrameLayout::Joint& joint : layout.joints) {
    longest = std::max(longest, joint.name.size() + 32);
  }
  return std::max<std::size_t>(64, (longest + 31) / 32 * 32);
}

/// Metadata is packed into pages that no small object straddles: the kernel finishes the write of a
/// page even for a process that is being killed.
Hdf5Handle MakeFileCreation() {
  Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), "prepare the file");
  CheckHdf5(H5Pset_file_space_strategy(creation.id(), H5F_FSPACE_STRATEGY_PAGE, 0, 1),
            "prepare the file");
  CheckHdf5(H5Pset_file_space_page_size(creation.id(), kPageSize), "prepare the file");
  return creation;
}

/// Attributes stay inside the object header, in the order of creation: they are rewritten in place.
Hdf5Handle MakeAuditGroup(hid_t file) {
  const Hdf5Handle creation(H5Pcreate(H5P_GROUP_CREATE), "prepare /audit");
  CheckHdf5(H5Pset_attr_phase_change(creation.id(), 1000, 0), "prepare /audit");
  CheckHdf5(
      H5Pset_attr_creation_order(creation.id(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
      "prepare /audit");
  return {H5Gcreate2(file, "/audit", H5P_DEFAULT, creation.id(), H5P_DEFAULT), "make /audit"};
}

Hdf5Handle MakeGroup(hid_t file, const char* name) {
  return {H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
          std::string("make ") + name};
}

template <typename Vector>
double* Put(const Vector& values, double* row) {
  return std::copy_n(values.data(), values.size(), row);
}

}  // namespace

std::string LibraryVersion() { return SALTUS_VERSION; }

struct ResultFile::Impl {
  Impl(const std::string& path, const FrameLayout& layout, const ResultFileOptions& options,
       WriteFault* fault);
  void MakeColumns(const FrameLayout& layout, const ResultFileOptions& options);
  Column MakeColumn(const std::string& path, std::vector<hsize_t> shape, const std::string& unit,
                    const std::string& meaning, hid_t type, int compression);
  void MakeContactColumns(const FrameLayout& layout, int compression);
  void MakeEventColumns(const FrameLayout& layout);
  void AddBodies(const Frame& frame);
  void AddContacts(const Frame& frame);
  std::uint32_t FindContactName(const std::string& name);
  void WriteFullColumns();
  void WriteAllColumns();

  Hdf5Silence silence;  // First member: stays in force until all handles are closed.
  Hdf5Handle driver, file, audit;
  std::vector<std::pair<const Quantity*, Column>> run;  // One number per frame, `time` first.
  std::vector<Column> bodies, joints, coordinates, constraints;  // In the order of ListQuantities.
  std::optional<Column> contact_names, contact_offset, contact_name, contact_key, contact_gap,
      contact_point, contact_normal, contact_tangent, contact_force, contact_impulse,
      contact_adhesion, contact_moment;
  Column event_time, event_value, event_name, event_kind;
  CheckpointColumns checkpoints;
  std::unordered_map<std::string, std::uint32_t> name_index;
  std::size_t name_width = 64, event_name_width = 64;
  std::size_t unflushed = 0;  // bytes
};

ResultFile::Impl::Impl(const std::string& path, const FrameLayout& layout,
                       const ResultFileOptions& options, WriteFault* fault) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), "prepare the file");
  driver = Hdf5Handle(UseCrashSafeDriver(access.id(), fault), "register the file driver");
  CheckHdf5(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110),
            "choose the file format");
  file = Hdf5Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, MakeFileCreation().id(), access.id()),
                    "make the file");

  WriteAttribute(file.id(), "format", std::string("saltus result"));
  WriteAttribute(file.id(), "format_version", static_cast<long long>(kResultFormat));
  WriteAttribute(file.id(), "saltus_version", LibraryVersion());
  WriteAttribute(file.id(), "title", options.title);
  WriteString(file.id(), "scene", options.scene);
  MakeColumns(layout, options);
  if (options.contacts) MakeContactColumns(layout, options.compression);
  MakeEventColumns(layout);
  checkpoints = CheckpointColumns(file.id());

  audit = MakeAuditGroup(file.id());
  WriteAttribute(audit.id(), "outcome", std::string("running"), kOutcomeWidth);
  WriteAttribute(audit.id(), "verdict", std::string(), kOutcomeWidth);
  std::vector<std::string> keys, units, meanings;
  for (const AuditEntry& entry : ListEntries({})) {
    WriteAttribute(audit.id(), entry.key, entry.value);
    keys.push_back(entry.key);
    units.push_back(entry.unit);
    meanings.push_back(entry.meaning);
  }
  WriteStrings(audit.id(), "keys", keys);
  WriteStrings(audit.id(), "units", units);
  WriteStrings(audit.id(), "meanings", meanings);
  CheckHdf5(H5Fstart_swmr_write(file.id()), "start writing");
}

Column ResultFile::Impl::MakeColumn(const std::string& path, std::vector<hsize_t> shape,
                                    const std::string& unit, const std::string& meaning, hid_t type,
                                    int compression) {
  return Column(file.id(), {path, std::move(shape), unit, meaning, compression}, type);
}

void ResultFile::Impl::MakeColumns(const FrameLayout& layout, const ResultFileOptions& options) {
  for (const char* name : {"/energy", "/ledger", "/bodies", "/joints"}) {
    const Hdf5Handle group = MakeGroup(file.id(), name);
  }
  WriteStrings(file.id(), "/bodies/names", layout.bodies);
  std::vector<std::string> names, joint_coordinates, units;
  for (const FrameLayout::Joint& joint : layout.joints) {
    names.push_back(joint.name);
    joint_coordinates.push_back(joint.coordinate);
    units.push_back(joint.unit);
  }
  WriteStrings(file.id(), "/joints/names", names);
  WriteStrings(file.id(), "/joints/coordinate_names", joint_coordinates);
  WriteStrings(file.id(), "/joints/coordinate_units", units);
  if (!layout.coordinates.empty()) {  // A system without bodies.
    const Hdf5Handle coordinate_group = MakeGroup(file.id(), "/coordinates");
    const Hdf5Handle constraint_group = MakeGroup(file.id(), "/constraints");
    WriteStrings(file.id(), "/coordinates/names", layout.coordinates);
    WriteStrings(file.id(), "/constraints/names", layout.constraints);
  }

  for (const Quantity& quantity : ListQuantities()) {
    std::vector<hsize_t> shape;
    if (quantity.owner == ChannelOwner::kContact) continue;
    if (quantity.owner != ChannelOwner::kRun) shape.push_back(CountItems(quantity.owner, layout));
    if (!shape.empty() && shape[0] == 0) continue;
    if (!quantity.components.empty()) shape.push_back(quantity.components.size());
    const std::string unit = quantity.unit.empty() ? "rad|m" : quantity.unit;
    Column column = MakeColumn(quantity.dataset, shape, unit, quantity.meaning, H5T_NATIVE_DOUBLE,
                               options.compression);
    if (quantity.owner == ChannelOwner::kRun) run.emplace_back(&quantity, std::move(column));
    if (quantity.owner == ChannelOwner::kBody) bodies.push_back(std::move(column));
    if (quantity.owner == ChannelOwner::kJoint) joints.push_back(std::move(column));
    if (quantity.owner == ChannelOwner::kCoordinate) coordinates.push_back(std::move(column));
    if (quantity.owner == ChannelOwner::kConstraint) constraints.push_back(std::move(column));
  }
}

void ResultFile::Impl::MakeContactColumns(const FrameLayout& layout, int compression) {
  const Hdf5Handle group = MakeGroup(file.id(), "/contacts");
  name_width = CalcNameWidth(layout);
  contact_names = Column::MakeStrings(
      file.id(),
      {"contacts/names", {}, "1", "names of the contacts, in order of appearance", 0, 64},
      name_width);
  const auto make = [&](const char* name, std::vector<hsize_t> shape, const char* unit,
                        const char* meaning, hid_t type) {
    return MakeColumn(std::string("contacts/") + name, std::move(shape), unit, meaning, type,
                      compression);
  };
  const hid_t real = H5T_NATIVE_DOUBLE;
  contact_offset = make("offset", {}, "1", "frame k has the rows offset[k] to offset[k+1] - 1",
                        H5T_NATIVE_INT64);
  contact_name = make("name", {}, "1", "row in contacts/names", H5T_NATIVE_UINT32);
  contact_key = make("key", {2}, "1", "persistent key: pair and feature", H5T_NATIVE_UINT64);
  contact_gap = make("gap", {}, "m", "distance, negative in penetration", real);
  contact_point = make("point", {3}, "m", "midway between the two surfaces, world axes", real);
  contact_normal = make("normal", {3}, "1", "from the first to the second body, world axes", real);
  contact_tangent = make("tangent", {3}, "1", "direction t1, world axes; t2 = n × t1", real);
  contact_force =
      make("force", {3}, "N", "on the second body along n, t1, t2; zero in an impact", real);
  contact_impulse = make("impulse", {3}, "N s",
                         "on the second body along n, t1, t2; zero unless an impact", real);
  contact_adhesion = make("adhesion", {}, "1", "of its bonds, 1 whole to 0 broken or none", real);
  contact_moment = make("moment", {3}, "N m",
                        "of spinning (n) and rolling (t1, t2) friction on the second body", real);
  *contact_offset->AddRows<std::int64_t>() = 0;
}

void ResultFile::Impl::MakeEventColumns(const FrameLayout& layout) {
  const Hdf5Handle group = MakeGroup(file.id(), "/events");
  event_time =
      Column(file.id(), {"events/time", {}, "s", "instant of the event", 0, 64}, H5T_NATIVE_DOUBLE);
  event_value = Column(
      file.id(),
      {"events/value", {}, "SI", "impact: normal impulse; else of the watched function", 0, 64},
      H5T_NATIVE_DOUBLE);
  event_name_width = CalcNameWidth(layout);
  event_name = Column::MakeStrings(file.id(),
                                   {"events/name", {}, "1", "the contact, or what happened", 0, 64},
                                   event_name_width);
  event_kind = Column::MakeStrings(file.id(), {"events/kind", {}, "1", "impact or event", 0, 64},
                                   kEventKindWidth);
}

void ResultFile::Impl::AddBodies(const Frame& frame) {
  if (!bodies.empty()) {
    double* position = bodies[0].AddRows<double>();
    double* orientation = bodies[1].AddRows<double>();
    double* velocity = bodies[2].AddRows<double>();
    double* angular_velocity = bodies[3].AddRows<double>();
    for (const Frame::Body& body : frame.bodies) {
      const Quaternion& q = body.orientation;
      position = Put(body.position, position);
      orientation = Put(Vector4(q.w(), q.x(), q.y(), q.z()), orientation);
      velocity = Put(body.velocity, velocity);
      angular_velocity = Put(body.angular_velocity, angular_velocity);
    }
  }
  if (!joints.empty()) {
    double* coordinate = joints[0].AddRows<double>();
    double* force = joints[1].AddRows<double>();
    double* torque = joints[2].AddRows<double>();
    for (const Frame::Joint& joint : frame.joints) {
      *coordinate++ = joint.coordinate;
      force = Put(joint.force, force);
      torque = Put(joint.torque, torque);
    }
  }
  if (!coordinates.empty()) {
    Put(frame.q, coordinates[0].AddRows<double>());
    Put(frame.v, coordinates[1].AddRows<double>());
  }
  if (!constraints.empty()) Put(frame.lambda, constraints[0].AddRows<double>());
}

void ResultFile::Impl::AddContacts(const Frame& frame) {
  const std::size_t count = frame.contacts.size();
  std::uint32_t* name = contact_name->AddRows<std::uint32_t>(count);
  std::uint64_t* key = contact_key->AddRows<std::uint64_t>(count);
  double* gap = contact_gap->AddRows<double>(count);
  double* point = contact_point->AddRows<double>(count);
  double* normal = contact_normal->AddRows<double>(count);
  double* tangent = contact_tangent->AddRows<double>(count);
  double* force = contact_force->AddRows<double>(count);
  double* impulse = contact_impulse->AddRows<double>(count);
  double* adhesion = contact_adhesion->AddRows<double>(count);
  double* moment = contact_moment->AddRows<double>(count);
  for (const Frame::Contact& contact : frame.contacts) {
    *name++ = FindContactName(contact.name);
    *key++ = contact.key.pair;
    *key++ = contact.key.feature;
    *gap++ = contact.gap;
    point = Put(contact.point, point);
    normal = Put(contact.normal, normal);
    tangent = Put(contact.tangent, tangent);
    force = Put(contact.force, force);
    impulse = Put(contact.impulse, impulse);
    *adhesion++ = contact.adhesion;
    moment = Put(contact.moment, moment);
  }
  *contact_offset->AddRows<std::int64_t>() = static_cast<std::int64_t>(contact_gap->num_rows());
}

std::uint32_t ResultFile::Impl::FindContactName(const std::string& name) {
  const auto [entry, is_new] =
      name_index.try_emplace(name, static_cast<std::uint32_t>(name_index.size()));
  if (is_new && name.size() <= name_width) contact_names->AddString(name);
  if (is_new && name.size() > name_width) {  // Shortened, and kept distinct by its number.
    const std::string mark = "~" + std::to_string(entry->second);
    contact_names->AddString(name.substr(0, name_width - mark.size()) + mark);
  }
  return entry->second;
}

void ResultFile::Impl::WriteFullColumns() {
  const auto write = [](Column* column) {
    if (column->wants_write() || column->buffered_bytes() > kMaxBuffer) column->Write();
  };
  for (auto* columns : {&bodies, &joints, &coordinates, &constraints}) {
    for (Column& column : *columns) write(&column);
  }
  if (contact_offset) {
    for (auto* column :
         {&contact_key, &contact_gap, &contact_point, &contact_normal, &contact_tangent,
          &contact_force, &contact_impulse, &contact_adhesion, &contact_moment}) {
      write(&**column);
    }
  }
}

// `time` is written last: a frame counts once its time is there.
void ResultFile::Impl::WriteAllColumns() {
  for (auto* columns : {&bodies, &joints, &coordinates, &constraints}) {
    for (Column& column : *columns) column.Write();
  }
  if (contact_offset) {
    for (auto* column : {&contact_names, &contact_name, &contact_key, &contact_gap, &contact_point,
                         &contact_normal, &contact_tangent, &contact_force, &contact_impulse,
                         &contact_adhesion, &contact_moment, &contact_offset}) {
      (*column)->Write();
    }
  }
  for (Column* column : {&event_kind, &event_name, &event_value, &event_time}) column->Write();
  for (auto it = run.rbegin(); it != run.rend(); ++it) it->second.Write();
  checkpoints.Write();
}

void ResultFile::ThrowFault() {
  const std::string reason = std::strerror(fault_->error_number);
  impl_.reset();
  throw OutputError(path_ + ": cannot write: " + reason +
                    "; the frames flushed before can be read");
}

// Runs one action on the file and turns any failure into an OutputError.
template <typename Action>
void ResultFile::Guard(Action action) {
  SALTUS_CHECK(impl_ != nullptr, "the result file is open");
  try {
    action();
  } catch (const Hdf5Failure& failure) {
    if (fault_->error_number == 0) {
      impl_.reset();
      throw OutputError(path_ + ": " + failure.what());
    }
  }
  if (fault_->error_number != 0) ThrowFault();
}

ResultFile::ResultFile(const std::string& path, const FrameLayout& layout,
                       const ResultFileOptions& options)
    : path_(path), fault_(std::make_unique<WriteFault>()) {
  CheckReplaceable(path, options.replace);
  const std::string temporary = MakeTemporaryName(path);
  std::string reason;
  try {
    impl_ = std::make_unique<Impl>(temporary, layout, options, fault_.get());
    if (fault_->error_number == 0) reason = TakeName(temporary, path, options.replace);
  } catch (const Hdf5Failure& failure) {
    reason = failure.what();
  }
  if (fault_->error_number != 0) reason = std::strerror(fault_->error_number);
  if (reason.empty()) return;
  impl_.reset();
  std::remove(temporary.c_str());
  throw InputError("result file '" + path + "'", "cannot be made: " + reason,
                   "choose another place with -o");
}

ResultFile::~ResultFile() = default;

std::size_t ResultFile::unflushed_bytes() const { return impl_ ? impl_->unflushed : 0; }

void ResultFile::AddFrame(const Frame& frame) {
  Guard([&] {
    for (auto& [quantity, column] : impl_->run) {
      *column.AddRows<double>() = CalcRunChannel(frame, *quantity);
    }
    impl_->AddBodies(frame);
    if (impl_->contact_offset) impl_->AddContacts(frame);
    impl_->unflushed += sizeof(Frame) + frame.bodies.size() * sizeof(Frame::Body) +
                        frame.joints.size() * sizeof(Frame::Joint) +
                        frame.contacts.size() * sizeof(Frame::Contact);
    impl_->WriteFullColumns();
  });
  ++num_frames_;
}

void ResultFile::AddEvent(const RunEvent& event) {
  Guard([&] {
    *impl_->event_time.AddRows<double>() = event.time;
    *impl_->event_value.AddRows<double>() = event.value;
    impl_->event_name.AddString(event.name.substr(0, impl_->event_name_width));
    impl_->event_kind.AddString(event.kind.substr(0, kEventKindWidth));
    impl_->unflushed += sizeof(RunEvent);
  });
}

void ResultFile::AddCheckpoint(const Checkpoint& checkpoint) {
  Guard([&] { impl_->checkpoints.Add(checkpoint); });
}

void ResultFile::SetAudit(const Audit& audit, const std::string& outcome,
                          const std::string& verdict) {
  Guard([&] {
    for (const AuditEntry& entry : ListEntries(audit)) {
      RewriteAttribute(impl_->audit.id(), entry.key, entry.value);
    }
    RewriteAttribute(impl_->audit.id(), "outcome", outcome);
    RewriteAttribute(impl_->audit.id(), "verdict", verdict);
  });
}

void ResultFile::Flush() {
  Guard([&] {
    impl_->WriteAllColumns();
    CheckHdf5(H5Fflush(impl_->file.id(), H5F_SCOPE_GLOBAL), "flush the file");
    impl_->unflushed = 0;
  });
}

void ResultFile::Close() {
  if (impl_ == nullptr) return;
  Flush();
  impl_.reset();
  if (fault_->error_number != 0) ThrowFault();
}

}  // namespace saltus
