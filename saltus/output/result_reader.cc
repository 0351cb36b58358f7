#include "saltus/output/result_reader.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/output/checkpoint_record.h"
#include "saltus/output/column.h"
#include "saltus/output/result_file.h"
#include "saltus/simulation/ledger.h"

namespace saltus {
namespace {

// Every failure inside `action` becomes an InputError that names the file.
template <typename Action>
auto ReadGuarded(const std::string& path, Action action) {
  const Hdf5Silence silence;
  const auto fail = [&](const std::string& reason) -> InputError {
    return InputError("", reason, "the file is damaged or not a saltus result", {path});
  };
  try {
    return action();
  } catch (const Hdf5Failure& failure) {
    throw fail(failure.what());
  } catch (const std::bad_alloc&) {
    throw fail("asks for more memory than there is");
  } catch (const std::length_error&) {
    throw fail("asks for more memory than there is");
  }
}

Hdf5Handle OpenFile(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw InputError("", "is a folder", "give a result file", {path});
  }
  std::ifstream probe(path, std::ios::binary);
  if (!probe)
    throw InputError("", std::string("cannot be opened: ") + std::strerror(errno), "", {path});
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), "prepare to read");
  CheckHdf5(H5Pset_file_locking(access.id(), false, true), "prepare to read");
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), "open it as HDF5"};
}

std::vector<hsize_t> RowShape(const Quantity& quantity, const FrameLayout& layout) {
  std::vector<hsize_t> shape;
  if (quantity.owner != ChannelOwner::kRun) shape.push_back(CountItems(quantity.owner, layout));
  if (!quantity.components.empty()) shape.push_back(quantity.components.size());
  return shape;
}

}  // namespace

struct ResultReader::Impl {
  explicit Impl(const std::string& path);
  void ReadLayout();
  void ReadAudit();
  void ReadTimes();
  std::vector<double> ReadContactSeries(const Channel& channel) const;
  void ReadContacts(long index, Frame* frame) const;
  ColumnReader Open(const char* name, const std::vector<hsize_t>& shape) const {
    return {file.id(), name, shape};
  }

  std::string path;
  Hdf5Handle file;
  std::string title, scene, version, outcome, verdict;
  std::vector<AuditEntry> audit;
  ChannelCatalog catalog;
  bool has_contacts = false;
  bool has_tangents = false;  // not in files of version 0.1
  long long format = 0;
  bool has_moments = false;    // not in files that are older than rolling friction's channel
  bool has_adhesions = false;  // from format 2 on, with the ledger of contact laws
  bool has_checkpoint = false;
  std::vector<double> times;
  std::vector<std::int64_t> offset;  // of the contacts, times.size() + 1 numbers
};

ResultReader::Impl::Impl(const std::string& path_in) : path(path_in), file(OpenFile(path_in)) {
  if (ReadStringAttribute(file.id(), "format") != "saltus result") {
    throw Hdf5Failure("is an HDF5 file of another kind");
  }
  format = ReadIntegerAttribute(file.id(), "format_version");
  if (format < 1 || format > kResultFormat) {
    throw Hdf5Failure("has the result format " + std::to_string(format) +
                      ", this program reads up to " + std::to_string(kResultFormat));
  }
  version = ReadStringAttribute(file.id(), "saltus_version");
  title = ReadStringAttribute(file.id(), "title");
  scene = ReadString(file.id(), "scene");
  ReadLayout();
  ReadAudit();
  ReadTimes();
  has_checkpoint = format == kResultFormat && CountCheckpoints(file.id()) > 0;
}

void ResultReader::Impl::ReadLayout() {
  FrameLayout layout;
  layout.bodies = ReadStrings(file.id(), "bodies/names");
  const std::vector<std::string> names = ReadStrings(file.id(), "joints/names");
  const std::vector<std::string> coordinates = ReadStrings(file.id(), "joints/coordinate_names");
  const std::vector<std::string> units = ReadStrings(file.id(), "joints/coordinate_units");
  if (coordinates.size() != names.size() || units.size() != names.size()) {
    throw Hdf5Failure("the lists in /joints have different lengths");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    layout.joints.push_back({names[i], coordinates[i], units[i]});
  }
  if (H5Lexists(file.id(), "coordinates", H5P_DEFAULT) > 0) {  // A system without bodies.
    layout.coordinates = ReadStrings(file.id(), "coordinates/names");
    layout.constraints = ReadStrings(file.id(), "constraints/names");
  }
  has_contacts = H5Lexists(file.id(), "contacts", H5P_DEFAULT) > 0;
  std::vector<std::string> contacts;
  if (has_contacts) contacts = ReadStrings(file.id(), "contacts/names");
  has_tangents = has_contacts && H5Lexists(file.id(), "contacts/tangent", H5P_DEFAULT) > 0;
  has_adhesions = has_contacts && format >= 2;
  has_moments = has_contacts && H5Lexists(file.id(), "contacts/moment", H5P_DEFAULT) > 0;
  catalog = ChannelCatalog(std::move(layout), std::move(contacts));
}

void ResultReader::Impl::ReadAudit() {
  const Hdf5Handle group(H5Gopen2(file.id(), "audit", H5P_DEFAULT), "find /audit");
  outcome = ReadStringAttribute(group.id(), "outcome");
  if (format >= 3) verdict = ReadStringAttribute(group.id(), "verdict");
  const std::vector<std::string> keys = ReadStrings(group.id(), "keys");
  const std::vector<std::string> units = ReadStrings(group.id(), "units");
  const std::vector<std::string> meanings = ReadStrings(group.id(), "meanings");
  if (units.size() != keys.size() || meanings.size() != keys.size()) {
    throw Hdf5Failure("the lists in /audit have different lengths");
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    audit.push_back({keys[i], ReadDoubleAttribute(group.id(), keys[i]), units[i], meanings[i]});
  }
}

// A killed writer may leave columns of different lengths; the shortest one counts.
void ResultReader::Impl::ReadTimes() {
  const ColumnReader column = Open("time", {});
  hsize_t count = column.num_rows();
  for (const Quantity& quantity : ListQuantities()) {
    const std::vector<hsize_t> shape = RowShape(quantity, catalog.layout());
    if (quantity.owner == ChannelOwner::kContact || (!shape.empty() && shape[0] == 0)) continue;
    if (format < kResultFormat && H5Lexists(file.id(), quantity.dataset.c_str(), H5P_DEFAULT) <= 0)
      continue;
    count = std::min(count, ColumnReader(file.id(), quantity.dataset, shape).num_rows());
  }
  times = column.ReadRows<double>(0, count);
  if (has_contacts) {
    const ColumnReader offsets = Open("contacts/offset", {});
    hsize_t rows =
        std::min(Open("contacts/name", {}).num_rows(), Open("contacts/gap", {}).num_rows());
    for (const char* name :
         {"contacts/point", "contacts/normal", "contacts/force", "contacts/impulse"}) {
      rows = std::min(rows, Open(name, {3}).num_rows());
    }
    rows = std::min(rows, Open("contacts/key", {2}).num_rows());
    if (has_adhesions) rows = std::min(rows, Open("contacts/adhesion", {}).num_rows());
    if (has_tangents) rows = std::min(rows, Open("contacts/tangent", {3}).num_rows());
    if (has_moments) rows = std::min(rows, Open("contacts/moment", {3}).num_rows());
    offset = offsets.ReadRows<std::int64_t>(0, std::min(offsets.num_rows(), count + 1));
    if (offset.empty()) offset.push_back(0);
    while (offset.size() > 1 && offset.back() > static_cast<std::int64_t>(rows)) offset.pop_back();
    if (offset[0] != 0 || !std::is_sorted(offset.begin(), offset.end())) {
      throw Hdf5Failure("contacts/offset is not an increasing sequence from 0");
    }
    times.resize(std::min(times.size(), offset.size() - 1));
  }
  while (!times.empty() && !std::isfinite(times.back())) times.pop_back();
  if (!std::is_sorted(times.begin(), times.end())) throw Hdf5Failure("the times decrease");
  if (has_contacts) offset.resize(times.size() + 1);
}

std::vector<double> ResultReader::Impl::ReadContactSeries(const Channel& channel) const {
  const bool is_gap = channel.quantity->name == "gap";
  const bool single = channel.quantity->components.empty();
  const auto num_rows = static_cast<hsize_t>(offset.back());
  const auto names = Open("contacts/name", {}).ReadRows<std::uint32_t>(0, num_rows);
  const std::string& dataset = channel.quantity->dataset;
  const std::vector<double> rows =
      single ? Open(dataset.c_str(), {}).ReadRows<double>(0, num_rows)
             : Open(dataset.c_str(), {3})
                   .ReadSeries(num_rows, {static_cast<hsize_t>(channel.component)});
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values(times.size(), is_gap ? kNone : 0.0);
  // Forces are of the step that ended at the frame: the frame of a start has none.
  const bool is_force = !is_gap && channel.quantity->name != "adhesion";
  if (is_force && !values.empty() && Open("step_size", {}).ReadRows<double>(0, 1)[0] == 0) {
    values[0] = kNone;
  }
  for (std::size_t k = 0; k < times.size(); ++k) {
    for (auto i = static_cast<std::size_t>(offset[k]); i < static_cast<std::size_t>(offset[k + 1]);
         ++i) {
      if (names[i] != static_cast<std::uint32_t>(channel.item)) continue;
      values[k] = is_gap ? std::fmin(values[k], rows[i]) : values[k] + rows[i];
    }
  }
  return values;
}

void ResultReader::Impl::ReadContacts(long index, Frame* frame) const {
  const auto k = static_cast<std::size_t>(index);
  const auto first = static_cast<hsize_t>(offset[k]);
  const auto count = static_cast<hsize_t>(offset[k + 1] - offset[k]);
  const auto names = Open("contacts/name", {}).ReadRows<std::uint32_t>(first, count);
  const auto keys = Open("contacts/key", {2}).ReadRows<std::uint64_t>(first, count);
  const auto gaps = Open("contacts/gap", {}).ReadRows<double>(first, count);
  const auto points = Open("contacts/point", {3}).ReadRows<double>(first, count);
  const auto normals = Open("contacts/normal", {3}).ReadRows<double>(first, count);
  std::vector<double> tangents(3 * count);
  if (has_tangents) tangents = Open("contacts/tangent", {3}).ReadRows<double>(first, count);
  const auto forces = Open("contacts/force", {3}).ReadRows<double>(first, count);
  const auto impulses = Open("contacts/impulse", {3}).ReadRows<double>(first, count);
  std::vector<double> adhesions(count);
  if (has_adhesions) adhesions = Open("contacts/adhesion", {}).ReadRows<double>(first, count);
  std::vector<double> moments(3 * count);
  if (has_moments) moments = Open("contacts/moment", {3}).ReadRows<double>(first, count);
  const auto at = [](const std::vector<double>& rows, std::size_t i) {
    return Vector3(rows[3 * i], rows[3 * i + 1], rows[3 * i + 2]);
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (names[i] >= catalog.contacts().size()) throw Hdf5Failure("a contact has no name");
    frame->contacts.push_back({catalog.contacts()[names[i]],
                               {keys[2 * i], keys[2 * i + 1]},
                               gaps[i],
                               at(points, i),
                               at(normals, i),
                               at(tangents, i),
                               at(forces, i),
                               at(impulses, i),
                               adhesions[i],
                               at(moments, i)});
  }
}

ResultReader::ResultReader(const std::string& path)
    : impl_(ReadGuarded(path, [&] { return std::make_unique<Impl>(path); })) {}
ResultReader::~ResultReader() = default;
ResultReader::ResultReader(ResultReader&&) noexcept = default;
ResultReader& ResultReader::operator=(ResultReader&&) noexcept = default;

const std::string& ResultReader::path() const { return impl_->path; }
const std::string& ResultReader::title() const { return impl_->title; }
const std::string& ResultReader::scene() const { return impl_->scene; }
const std::string& ResultReader::saltus_version() const { return impl_->version; }
const std::string& ResultReader::outcome() const { return impl_->outcome; }
const std::string& ResultReader::verdict() const { return impl_->verdict; }
const std::vector<AuditEntry>& ResultReader::audit() const { return impl_->audit; }
const ChannelCatalog& ResultReader::catalog() const { return impl_->catalog; }
bool ResultReader::has_contacts() const { return impl_->has_contacts; }
const std::vector<double>& ResultReader::times() const { return impl_->times; }
bool ResultReader::has_checkpoint() const { return impl_->has_checkpoint; }
bool ResultReader::has_impacts() const { return impl_->format >= 3; }

std::vector<double> ResultReader::ReadChannel(const std::string& name) const {
  return ReadChannel(catalog().Find(name));
}

std::vector<double> ResultReader::ReadChannel(const Channel& channel) const {
  return ReadGuarded(path(), [&] {
    if (channel.quantity->owner == ChannelOwner::kContact) return impl_->ReadContactSeries(channel);
    const std::vector<hsize_t> shape = RowShape(*channel.quantity, layout());
    std::vector<hsize_t> index;
    if (channel.quantity->owner != ChannelOwner::kRun) {
      index.push_back(static_cast<hsize_t>(channel.item));
    }
    if (!channel.quantity->components.empty()) {
      index.push_back(static_cast<hsize_t>(channel.component));
    }
    return impl_->Open(channel.quantity->dataset.c_str(), shape).ReadSeries(times().size(), index);
  });
}

std::vector<double> ResultReader::ReadQuantity(const Quantity& quantity) const {
  return ReadQuantity(quantity, 0, num_frames());
}

std::vector<double> ResultReader::ReadQuantity(const Quantity& quantity, long first,
                                               long count) const {
  SALTUS_CHECK(first >= 0 && count >= 0 && first + count <= num_frames(), "frames out of range");
  return ReadGuarded(path(), [&] {
    const std::vector<hsize_t> shape = RowShape(quantity, layout());
    if (!shape.empty() && shape[0] == 0) return std::vector<double>();
    return impl_->Open(quantity.dataset.c_str(), shape)
        .ReadRows<double>(static_cast<hsize_t>(first), static_cast<hsize_t>(count));
  });
}

ContactRows ResultReader::ReadContacts() const { return ReadContacts(0, num_frames()); }

ContactRows ResultReader::ReadContacts(long first_frame, long num_rows) const {
  ContactRows rows;
  if (!has_contacts()) return rows;
  SALTUS_CHECK(first_frame >= 0 && num_rows >= 0 && first_frame + num_rows <= num_frames(),
               "frames out of range");
  return ReadGuarded(path(), [&] {
    const auto begin = impl_->offset.begin() + first_frame;
    rows.offset.assign(begin, begin + num_rows + 1);
    const auto first = static_cast<hsize_t>(rows.offset.front());
    for (std::int64_t& offset : rows.offset) offset -= static_cast<std::int64_t>(first);
    const auto count = static_cast<hsize_t>(rows.offset.back());
    const auto read = [&](const char* name, std::vector<hsize_t> shape) {
      return impl_->Open(name, shape).ReadRows<double>(first, count);
    };
    rows.name = impl_->Open("contacts/name", {}).ReadRows<std::uint32_t>(first, count);
    rows.key = impl_->Open("contacts/key", {2}).ReadRows<std::uint64_t>(first, count);
    rows.gap = read("contacts/gap", {});
    rows.point = read("contacts/point", {3});
    rows.normal = read("contacts/normal", {3});
    if (impl_->has_tangents) rows.tangent = read("contacts/tangent", {3});
    rows.force = read("contacts/force", {3});
    rows.impulse = read("contacts/impulse", {3});
    if (impl_->has_adhesions) rows.adhesion = read("contacts/adhesion", {});
    if (impl_->has_moments) rows.moment = read("contacts/moment", {3});
    return rows;
  });
}

std::vector<RunEvent> ResultReader::ReadEvents() const {
  return ReadGuarded(path(), [&] {
    std::vector<RunEvent> events;
    const hid_t file = impl_->file.id();
    if (H5Lexists(file, "events", H5P_DEFAULT) <= 0) return events;  // a file of version 0.1
    const std::vector<std::string> names = ReadStrings(file, "events/name");
    const ColumnReader time = impl_->Open("events/time", {}),
                       value = impl_->Open("events/value", {});
    const hsize_t count = std::min({time.num_rows(), value.num_rows(), hsize_t{names.size()}});
    const auto times = time.ReadRows<double>(0, count), values = value.ReadRows<double>(0, count);
    for (std::size_t i = 0; i < count; ++i) events.push_back({times[i], names[i], values[i]});
    if (H5Lexists(file, "events/kind", H5P_DEFAULT) <= 0) return events;  // none but the caller's
    const std::vector<std::string> kinds = ReadStrings(file, "events/kind");
    events.resize(std::min(events.size(), kinds.size()));
    for (std::size_t i = 0; i < events.size(); ++i) events[i].kind = kinds[i];
    return events;
  });
}

Frame ResultReader::ReadFrame(long index) const {
  SALTUS_CHECK(index >= 0 && index < num_frames(), "frame index out of range");
  const auto read = [&](const char* name, const std::vector<hsize_t>& shape) {
    return impl_->Open(name, shape).ReadRows<double>(static_cast<hsize_t>(index), 1);
  };
  const auto one = [&](const char* name) { return read(name, {})[0]; };
  return ReadGuarded(path(), [&] {
    Frame frame;
    frame.time = one("time");
    frame.step_size = one("step_size");
    frame.energy = {one("energy/kinetic"), one("energy/potential"), one("energy/elastic")};
    for (const LedgerEntry& entry : kLedger) {  // older files have fewer
      const std::string dataset = std::string("ledger/") + entry.name;
      const bool found = H5Lexists(impl_->file.id(), dataset.c_str(), H5P_DEFAULT) > 0;
      if (found || impl_->format == kResultFormat) frame.work.*entry.work = one(dataset.c_str());
    }
    frame.closure = one("ledger/closure");
    if (const hsize_t count = layout().bodies.size(); count > 0) {
      const auto p = read("bodies/position", {count, 3}),
                 q = read("bodies/orientation", {count, 4});
      const auto v = read("bodies/velocity", {count, 3});
      const auto w = read("bodies/angular_velocity", {count, 3});
      for (std::size_t b = 0; b < count; ++b) {
        const std::size_t i = 3 * b, j = 4 * b;
        frame.bodies.push_back({{p[i], p[i + 1], p[i + 2]},
                                {q[j], q[j + 1], q[j + 2], q[j + 3]},
                                {v[i], v[i + 1], v[i + 2]},
                                {w[i], w[i + 1], w[i + 2]}});
      }
    }
    if (const hsize_t count = layout().joints.size(); count > 0) {
      const auto x = read("joints/coordinate", {count}), f = read("joints/force", {count, 3});
      const auto m = read("joints/torque", {count, 3});
      for (std::size_t j = 0; j < count; ++j) {
        const std::size_t i = 3 * j;
        frame.joints.push_back({x[j], {f[i], f[i + 1], f[i + 2]}, {m[i], m[i + 1], m[i + 2]}});
      }
    }
    const auto read_vector = [&](const char* name, std::size_t count) -> VectorX {
      if (count == 0) return VectorX();
      return Eigen::Map<const VectorX>(read(name, {count}).data(), static_cast<long>(count));
    };
    frame.q = read_vector("coordinates/q", layout().coordinates.size());
    frame.v = read_vector("coordinates/v", layout().coordinates.size());
    frame.lambda = read_vector("constraints/lambda", layout().constraints.size());
    if (has_contacts()) impl_->ReadContacts(index, &frame);
    return frame;
  });
}

Checkpoint ResultReader::ReadCheckpoint() const {
  if (!has_checkpoint()) {
    throw InputError("", "has no checkpoint to continue from",
                     "the run was killed before it wrote the first one; run the scene again",
                     {path()});
  }
  return ReadGuarded(path(), [&] { return ReadLastCheckpoint(impl_->file.id()); });
}

bool LooksLikeResult(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char signature[8] = {};
  return file.read(signature, 8) && std::memcmp(signature, "\x89HDF\r\n\x1a\n", 8) == 0;
}

}  // namespace saltus
