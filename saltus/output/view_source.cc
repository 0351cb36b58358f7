#include "saltus/output/view_source.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "saltus/base/error.h"
#include "saltus/output/json_writer.h"
#include "saltus/output/packed_block.h"
#include "saltus/output/view_model.h"

namespace saltus {
namespace {

constexpr int kViewFormat = 1;
// A chunk has about this many coordinates: it is decoded in some 10 ms.
constexpr long kChunkNumbers = 1 << 19;
constexpr long kLargestChunk = 1024;
constexpr int kExtentFrames = 24;  // frames that the size of the scene is taken from
constexpr double kRunaway = 10;    // a body this many sizes away does not count for the size
constexpr std::size_t kContactColumns = 17;

std::string StreamName(const Quantity& quantity) {
  std::string name = quantity.dataset;
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

const Quantity& FindQuantity(std::string_view dataset) {
  const std::vector<Quantity>& all = ListQuantities();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Quantity& q) { return q.dataset == dataset; });
  SALTUS_CHECK(found != all.end(), "no such dataset");
  return *found;
}

/// Radius about the origin of the shape's frame; 0 for a half-space.
double CalcRadius(const Shape& shape) {
  const auto farthest = [](const std::vector<Vector3>& points) {
    double radius = 0;
    for (const Vector3& point : points) radius = std::max(radius, point.norm());
    return radius;
  };
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return sphere->radius;
  if (const auto* box = std::get_if<Box>(&shape)) return box->half_size.norm();
  if (const auto* c = std::get_if<Capsule>(&shape)) return c->radius + c->half_length;
  if (const auto* c = std::get_if<Cylinder>(&shape)) return std::hypot(c->radius, c->half_length);
  if (const auto* hull = std::get_if<ConvexHull>(&shape))
    return farthest(hull->polyhedron->vertices);
  if (const auto* mesh = std::get_if<TriangleMesh>(&shape)) return farthest(mesh->mesh->vertices);
  if (const auto* field = std::get_if<HeightField>(&shape)) {
    const HeightFieldData& data = *field->field;
    return std::hypot((data.nx - 1) * data.dx, (data.ny - 1) * data.dy);
  }
  return 0;
}

/// The kinds of contact rows, as the viewer numbers them.
int FindRowKind(const ContactKey& key) {
  switch (FindContactKind(key)) {
    case ContactKind::kLimit:
      return 1;
    case ContactKind::kFriction:
      return 2;
    default:
      return 0;
  }
}

}  // namespace

void ViewSource::Box::Add(const Vector3& center, double radius) {
  if (!center.allFinite()) return;
  low = low.cwiseMin(center - Vector3::Constant(radius));
  high = high.cwiseMax(center + Vector3::Constant(radius));
}

ViewSource::ViewSource(const std::string& path, ViewModel model, const ViewOptions& options)
    : path_(path), model_(std::move(model)), options_(options), reader_(ResultReader(path)) {
  title_ = reader_->title();
  // A scene that was edited by hand inside the file would not fit the recorded bodies.
  if (model_.model && model_.model->bodies.size() != reader_->layout().bodies.size()) {
    model_.model = nullptr;
  }
  ListStreams();
}

ViewSource::ViewSource(ViewModel model, const std::string& name, const ViewOptions& options)
    : path_(name), title_(model.model->name), model_(std::move(model)), options_(options) {
  ListStreams();
}

void ViewSource::Refresh() {
  if (!reader_) return;
  reader_.emplace(path_);
}

long ViewSource::num_frames() const { return reader_ ? reader_->num_frames() : 1; }
long ViewSource::num_chunks() const { return (num_frames() + chunk_frames_ - 1) / chunk_frames_; }
bool ViewSource::growing() const { return reader_ && reader_->outcome() == "running"; }

void ViewSource::ListStreams() {
  streams_ = {{"time"}};
  const auto available = [&](const Quantity& quantity) {
    if (!reader_)
      return quantity.dataset == "bodies/position" || quantity.dataset == "bodies/orientation";
    try {
      reader_->ReadQuantity(quantity, 0, std::min(1L, num_frames()));
      return true;
    } catch (const InputError&) {
      return false;  // A file of an older version.
    }
  };
  long numbers = 1;
  const FrameLayout layout = reader_ ? reader_->layout() : FrameLayout();
  for (const Quantity& quantity : ListQuantities()) {
    if (quantity.owner == ChannelOwner::kContact || !available(quantity)) continue;
    if (quantity.owner == ChannelOwner::kRun) {
      if (quantity.dataset != "time") run_.push_back(&quantity);
      continue;
    }
    const std::size_t items =
        reader_ ? CountItems(quantity.owner, layout) : model_.model->bodies.size();
    if (items == 0) continue;
    streams_.push_back({StreamName(quantity), &quantity});
    numbers += static_cast<long>(items * std::max<std::size_t>(1, quantity.components.size()));
  }
  if (!run_.empty()) streams_.push_back({"run"});
  if (reader_ && reader_->has_contacts()) {
    streams_.push_back({"contact_count"});
    streams_.push_back({"contacts"});
  }
  for (const Stream& stream : streams_) stream_names_.push_back(stream.name);
  chunk_frames_ = std::clamp(kChunkNumbers / numbers, 1L, kLargestChunk);
  extent_ = CalcExtent();
  size_ = extent_.empty() ? 1 : std::max((extent_.high - extent_.low).norm(), 1e-9);
}

std::vector<double> ViewSource::ReadBodies(const char* dataset, long first, long count) const {
  if (reader_) return reader_->ReadQuantity(FindQuantity(dataset), first, count);
  std::vector<double> values;
  for (const Body& body : model_.model->bodies) {
    const Pose& pose = body.initial_pose;
    if (std::string_view(dataset) == "bodies/position") {
      values.insert(values.end(), {pose.p.x(), pose.p.y(), pose.p.z()});
    } else {
      values.insert(values.end(), {pose.R.w(), pose.R.x(), pose.R.y(), pose.R.z()});
    }
  }
  return values;
}

ViewSource::Box ViewSource::CalcBox(long frame) const {
  Box box;
  const std::vector<double> positions = ReadBodies("bodies/position", frame, 1);
  const std::size_t count = positions.size() / 3;
  std::vector<double> radius(count, 0);
  if (model_.model) {
    const Model& model = *model_.model;
    for (int i = 0; i < model.world.num_colliders(); ++i) {
      const Collider& collider = model.world.collider(i);
      const int body = model.contact.collider_body[static_cast<std::size_t>(i)];
      const double reach = CalcRadius(collider.shape);
      if (body >= 0) {
        double& r = radius[static_cast<std::size_t>(body)];
        r = std::max(r, collider.pose_BS.p.norm() + reach);
      } else if (reach > 0) {
        box.Add(collider.pose_BS.p, reach);
      }
    }
    for (const Joint& joint : model.joints) {
      if (joint.pair.a < 0) box.Add(joint.pair.frames.a, 0);
      if (joint.pair.b < 0) box.Add(joint.pair.frames.b, 0);
      const auto widen = [&](int body, const Vector3& point) {
        if (body < 0) return;
        double& r = radius[static_cast<std::size_t>(body)];
        r = std::max(r, point.norm());
      };
      widen(joint.pair.a, joint.pair.frames.a);
      widen(joint.pair.b, joint.pair.frames.b);
    }
  }
  for (std::size_t b = 0; b < count; ++b) {
    box.Add({positions[3 * b], positions[3 * b + 1], positions[3 * b + 2]}, radius[b]);
  }
  return box;
}

ViewSource::Box ViewSource::CalcExtent() const {
  const bool has_bodies = reader_ ? !reader_->layout().bodies.empty() : true;
  if (num_frames() == 0 || !has_bodies) return {};
  Box all = CalcBox(0);
  if (all.empty()) return all;
  const Vector3 center = 0.5 * (all.low + all.high);
  const double reach = kRunaway * std::max((all.high - all.low).norm(), 1e-9);
  const long last = num_frames() - 1;
  for (int i = 1; i <= kExtentFrames && last > 0; ++i) {
    const Box box = CalcBox(last * i / kExtentFrames);
    if (box.empty()) continue;
    all.low = all.low.cwiseMin(box.low.cwiseMax(center - Vector3::Constant(reach)));
    all.high = all.high.cwiseMax(box.high.cwiseMin(center + Vector3::Constant(reach)));
  }
  return all;
}

void ViewSource::FindEvents() {
  if (!reader_ || !reader_->has_contacts()) return;
  while (events_.num_frames() < num_frames()) {
    const long first = events_.num_frames();
    const long count = std::min(chunk_frames_, num_frames() - first);
    events_.AddFrames(*reader_, model_.model.get(), first, reader_->ReadContacts(first, count));
  }
}

std::pair<long, long> ViewSource::FindRange(long chunk) const {
  const long first = chunk * chunk_frames_;
  if (chunk < 0 || first >= num_frames()) {
    throw InputError("chunk", "there is no chunk " + std::to_string(chunk), "");
  }
  return {first, std::min(chunk_frames_, num_frames() - first)};
}

std::vector<double> ViewSource::ReadRun(long first, long count) const {
  const auto rows = static_cast<std::size_t>(count);
  std::vector<double> table(rows * run_.size());
  for (std::size_t c = 0; c < run_.size(); ++c) {
    const std::vector<double> column = reader_->ReadQuantity(*run_[c], first, count);
    for (std::size_t k = 0; k < rows; ++k) table[k * run_.size() + c] = column[k];
  }
  return table;
}

std::string ViewSource::PackContacts(long first, long count, bool counts) const {
  const ContactRows rows = reader_->ReadContacts(first, count);
  std::vector<double> table;
  if (counts) {
    for (std::size_t k = 0; k + 1 < rows.offset.size(); ++k) {
      table.push_back(static_cast<double>(rows.offset[k + 1] - rows.offset[k]));
    }
    return PackBlock(Packing::kExact, table, 1);
  }
  for (std::size_t i = 0; i < rows.name.size(); ++i) {
    const auto at = [&](const std::vector<double>& v) {
      return Vector3(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
    };
    const ContactKey key{rows.key[2 * i], rows.key[2 * i + 1]};
    const Vector3 normal = at(rows.normal);
    const Vector3 tangent = rows.tangent.empty() ? Vector3(Vector3::Zero()) : at(rows.tangent);
    const Vector3 across = normal.cross(tangent);
    const auto to_world = [&](const Vector3& f) {
      return Vector3(f[0] * normal + f[1] * tangent + f[2] * across);
    };
    const Vector3 point = at(rows.point), force = to_world(at(rows.force));
    const Vector3 impulse = to_world(at(rows.impulse));
    table.push_back(rows.name[i]);
    table.push_back(FindRowKind(key));
    for (const Vector3& vector : {point, normal, force, impulse}) {
      table.insert(table.end(), {vector.x(), vector.y(), vector.z()});
    }
    table.push_back(rows.gap[i]);
    table.push_back(FindFriction(model_.model.get(), key));
    table.push_back(rows.adhesion.empty() ? 0 : rows.adhesion[i]);
  }
  return PackBlock(Packing::kSingle, table, kContactColumns);
}

std::string ViewSource::MakeBlock(const std::string& name, long chunk) {
  const auto [first, count] = FindRange(chunk);
  const auto stream = std::find_if(streams_.begin(), streams_.end(),
                                   [&](const Stream& s) { return s.name == name; });
  if (stream == streams_.end()) throw InputError("stream", "there is no stream '" + name + "'", "");
  if (name == "time") {
    if (!reader_) return PackBlock(Packing::kExact, {0}, 1);
    const auto begin = reader_->times().begin() + first;
    return PackBlock(Packing::kExact, std::vector<double>(begin, begin + count), 1);
  }
  if (name == "run") return PackBlock(Packing::kSingle, ReadRun(first, count), run_.size());
  if (stream->quantity == nullptr) return PackContacts(first, count, name == "contact_count");
  const Quantity& quantity = *stream->quantity;
  const std::vector<double> values = quantity.owner == ChannelOwner::kBody
                                         ? ReadBodies(quantity.dataset.c_str(), first, count)
                                         : reader_->ReadQuantity(quantity, first, count);
  const std::size_t columns = values.size() / static_cast<std::size_t>(count);
  if (quantity.owner != ChannelOwner::kBody) return PackBlock(Packing::kSingle, values, columns);
  double epsilon = options_.precision;
  if (quantity.name == "position") {
    epsilon *= size_;
  } else if (quantity.name != "orientation") {
    double largest = 0;
    for (const double value : values) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
    epsilon = std::max(largest / 65536, 1e-300);
  }
  const std::string block = PackBlock(Packing::kQuantised, values, columns, epsilon);
  if (quantity.name == "position")
    position_error_ = std::max(position_error_, BlockStep(block) / 2);
  return block;
}

// --- Header --------------------------------------------------------------------------------------

void ViewSource::AddStreams(JsonWriter* json) const {
  static constexpr const char* kOwners[] = {"run",     "body",       "joint",
                                            "contact", "coordinate", "constraint"};
  json->Key("run").BeginArray();
  for (const Quantity* quantity : run_) {
    json->BeginObject().Key("name").Value(quantity->name).Key("unit").Value(quantity->unit);
    json->Key("meaning").Value(quantity->meaning).EndObject();
  }
  json->EndArray();
  json->Key("streams").BeginArray();
  for (const Stream& stream : streams_) {
    json->BeginObject().Key("name").Value(stream.name);
    if (stream.quantity != nullptr) {
      json->Key("owner").Value(kOwners[static_cast<int>(stream.quantity->owner)]);
      json->Key("quantity").Value(stream.quantity->name);
      json->Key("components").Value(stream.quantity->components);
      json->Key("unit").Value(stream.quantity->unit);
    }
    json->EndObject();
  }
  json->EndArray();
}

void ViewSource::AddEvents(JsonWriter* json) const {
  std::vector<ViewEvent> events = events_.list();
  for (const RunEvent& event : reader_->ReadEvents()) {
    if (event.kind == "impact") continue;  // the frames have them with their contacts
    const auto& times = reader_->times();
    const auto frame = std::lower_bound(times.begin(), times.end(), event.time) - times.begin();
    events.push_back(
        {std::min<long>(frame, num_frames() - 1), event.time, "user", event.name, event.value});
  }
  const std::string& outcome = reader_->outcome();
  if (outcome != "running" && outcome != "finished" && num_frames() > 0) {
    events.push_back({num_frames() - 1, reader_->times().back(), "failure", outcome, 0});
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const ViewEvent& a, const ViewEvent& b) { return a.time < b.time; });
  json->Key("events_total").Value(events_.total());
  json->Key("events").BeginArray();
  for (const ViewEvent& event : events) {
    json->BeginObject().Key("frame").Value(event.frame).Key("time").Value(event.time);
    json->Key("kind").Value(event.kind).Key("subject").Value(event.subject);
    json->Key("value").Value(event.value).Key("count").Value(event.count).EndObject();
  }
  json->EndArray();
}

void ViewSource::AddRunFacts(JsonWriter* json) const {
  json->Key("outcome").Value(reader_->outcome());
  json->Key("verdict").Value(reader_->verdict());
  json->Key("saltus_version").Value(reader_->saltus_version());
  json->Key("scene").Value(reader_->scene());
  json->Key("audit").BeginArray();
  for (const AuditEntry& entry : reader_->audit()) {
    json->BeginObject().Key("key").Value(entry.key).Key("value").Value(entry.value);
    json->Key("unit").Value(entry.unit).Key("meaning").Value(entry.meaning).EndObject();
  }
  json->EndArray();
  json->Key("contacts").Value(reader_->catalog().contacts());
  json->Key("coordinates").Value(reader_->layout().coordinates);
  json->Key("constraints").Value(reader_->layout().constraints);
}

std::string ViewSource::MakeHeader() {
  FindEvents();
  JsonWriter json;
  json.BeginObject().Key("format").Value("saltus view").Key("version").Value(kViewFormat);
  json.Key("title").Value(title_).Key("file").Value(path_);
  json.Key("frames").Value(num_frames()).Key("chunk_frames").Value(chunk_frames_);
  json.Key("growing").Value(growing());
  json.Key("precision").BeginObject();
  json.Key("position").Value(options_.precision * size_);
  json.Key("orientation").Value(options_.precision).EndObject();
  if (!extent_.empty()) {
    json.Key("low").Value(extent_.low).Key("high").Value(extent_.high);
  }
  json.Key("typical_force").Value(events_.typical_force());
  json.Key("typical_impulse").Value(events_.typical_impulse());
  AddStreams(&json);
  if (reader_) {
    AddRunFacts(&json);
    AddEvents(&json);
  }
  if (model_.model) {
    AddModel(*model_.model, model_.spec, &json);
  } else {
    json.Key("bodies").BeginArray();
    for (const std::string& name : reader_->layout().bodies) {
      json.BeginObject().Key("name").Value(name).EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
  return json.text();
}

}  // namespace saltus
