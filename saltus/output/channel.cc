#include "saltus/output/channel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/simulation/ledger.h"

namespace saltus {
namespace {

std::vector<Quantity> MakeQuantities() {
  using enum ChannelOwner;
  const std::vector<std::string> single;
  const std::vector<std::string> vector = {"x", "y", "z"};
  const std::vector<std::string> quaternion = {"w", "x", "y", "z"};
  const std::vector<std::string> axes = {"n", "t1", "t2"};
  std::vector<Quantity> quantities = {
      {kRun, "time", "time", "s", "time of the frame", single},
      {kRun, "step.size", "step_size", "s", "length of the step that ended here", single},
      {kRun, "energy.kinetic", "energy/kinetic", "J", "kinetic energy", single},
      {kRun, "energy.potential", "energy/potential", "J", "energy in gravity and loads", single},
      {kRun, "energy.elastic", "energy/elastic", "J", "energy in springs and flexible bodies",
       single},
      {kRun, "energy.total", "energy/total", "J", "kinetic + potential + elastic", single},
      {kRun, "ledger.closure", "ledger/closure", "J", "energy change that the ledger leaves open",
       single},
      {kBody, "position", "bodies/position", "m", "centre of mass, world axes", vector},
      {kBody, "orientation", "bodies/orientation", "1",
       "unit quaternion w x y z, body axes to world axes", quaternion},
      {kBody, "velocity", "bodies/velocity", "m/s", "of the centre of mass, world axes", vector},
      {kBody, "angular_velocity", "bodies/angular_velocity", "rad/s", "world axes", vector},
      {kJoint, "", "joints/coordinate", "", "angle [rad], displacement or length [m]", single},
      {kJoint, "force", "joints/force", "N",
       "reaction on the second body at the joint point, world axes", vector},
      {kJoint, "torque", "joints/torque", "N m",
       "reaction on the second body at the joint point, world axes", vector},
      {kContact, "gap", "contacts/gap", "m", "distance, negative in penetration", single},
      {kContact, "force", "contacts/force", "N",
       "on the second body along n, t1, t2; zero in an impact", axes},
      {kContact, "impulse", "contacts/impulse", "N s",
       "on the second body along n, t1, t2; zero unless an impact", axes},
      {kContact, "adhesion", "contacts/adhesion", "1", "of its bonds, 1 whole to 0 broken or none",
       single},
      {kContact, "moment", "contacts/moment", "N m",
       "of spinning (n) and rolling (t1, t2) friction on the second body", axes},
      {kCoordinate, "q", "coordinates/q", "SI", "coordinate of a system without bodies", single},
      {kCoordinate, "v", "coordinates/v", "SI", "its velocity", single},
      {kConstraint, "lambda", "constraints/lambda", "SI", "multiplier, mean over the step", single},
  };
  const auto closure = std::find_if(quantities.begin(), quantities.end(),
                                    [](const Quantity& q) { return q.name == "ledger.closure"; });
  std::vector<Quantity> ledger;
  for (const LedgerEntry& entry : kLedger) {
    ledger.push_back({kRun, std::string("ledger.") + entry.name,
                      std::string("ledger/") + entry.name, "J",
                      std::string(entry.meaning) + ", since the start", single});
  }
  quantities.insert(closure, ledger.begin(), ledger.end());
  return quantities;
}

constexpr std::string_view kContactPrefix = "contact.";
constexpr std::string_view kLedgerPrefix = "ledger.";
constexpr std::size_t kMaxSuggestions = 3;
constexpr std::size_t kMaxCandidates = 20000;  // bounds the time spent on a misspelt name

bool RemoveEnding(std::string_view* name, std::string_view ending) {
  if (name->size() <= ending.size() + 1 || !name->ends_with(ending)) return false;
  if ((*name)[name->size() - ending.size() - 1] != '.') return false;
  name->remove_suffix(ending.size() + 1);
  return true;
}

std::map<std::string, int, std::less<>> MakeIndex(const std::vector<std::string>& names) {
  std::map<std::string, int, std::less<>> index;
  for (std::size_t i = 0; i < names.size(); ++i) index.emplace(names[i], static_cast<int>(i));
  return index;
}

/// The ending of the channels of item i, without the component.
const std::string& EndingOf(const Quantity& quantity, const FrameLayout& layout, int item) {
  const bool is_coordinate = quantity.owner == ChannelOwner::kJoint && quantity.name.empty();
  return is_coordinate ? layout.joints[static_cast<std::size_t>(item)].coordinate : quantity.name;
}

double CalcContactChannel(const Frame& frame, const std::string& name, const Channel& channel) {
  const bool is_gap = channel.quantity->name == "gap";
  const bool is_force = channel.quantity->name == "force";
  const bool is_moment = channel.quantity->name == "moment";
  const bool is_adhesion = channel.quantity->name == "adhesion";
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  // Forces are of the step that ended here: the frame of a start has none.
  double value = is_gap || (frame.step_size == 0 && !is_adhesion) ? kNone : 0.0;
  for (const Frame::Contact& contact : frame.contacts) {
    if (contact.name != name) continue;
    if (is_gap) {
      value = std::fmin(value, contact.gap);  // fmin ignores the NaN of the start
    } else if (is_adhesion) {
      value += contact.adhesion;
    } else {
      const Vector3& vector = is_force    ? contact.force
                              : is_moment ? contact.moment
                                          : contact.impulse;
      value += vector[channel.component];
    }
  }
  return value;
}

double CalcBodyChannel(const Frame::Body& body, const Channel& channel) {
  const std::string& name = channel.quantity->name;
  if (name == "position") return body.position[channel.component];
  if (name == "velocity") return body.velocity[channel.component];
  if (name == "angular_velocity") return body.angular_velocity[channel.component];
  const Quaternion& q = body.orientation;
  return Vector4(q.w(), q.x(), q.y(), q.z())[channel.component];
}

double CalcJointChannel(const Frame::Joint& joint, const Channel& channel) {
  const std::string& name = channel.quantity->name;
  if (name == "force") return joint.force[channel.component];
  if (name == "torque") return joint.torque[channel.component];
  return joint.coordinate;
}

}  // namespace

const std::vector<Quantity>& ListQuantities() {
  static const std::vector<Quantity> quantities = MakeQuantities();
  return quantities;
}

std::size_t CountItems(ChannelOwner owner, const FrameLayout& layout) {
  switch (owner) {
    case ChannelOwner::kBody:
      return layout.bodies.size();
    case ChannelOwner::kJoint:
      return layout.joints.size();
    case ChannelOwner::kCoordinate:
      return layout.coordinates.size();
    case ChannelOwner::kConstraint:
      return layout.constraints.size();
    case ChannelOwner::kRun:
    case ChannelOwner::kContact:
      break;
  }
  return 0;
}

ChannelCatalog::ChannelCatalog(FrameLayout layout, std::vector<std::string> contacts)
    : layout_(std::move(layout)), contacts_(std::move(contacts)) {
  std::vector<std::string> joints;
  for (const FrameLayout::Joint& joint : layout_.joints) joints.push_back(joint.name);
  body_index_ = MakeIndex(layout_.bodies);
  joint_index_ = MakeIndex(joints);
  contact_index_ = MakeIndex(contacts_);
  coordinate_index_ = MakeIndex(layout_.coordinates);
  constraint_index_ = MakeIndex(layout_.constraints);
}

bool ChannelCatalog::FindItem(std::string_view name, const Quantity& quantity,
                              Channel* channel) const {
  const auto find = [&](const std::map<std::string, int, std::less<>>& index,
                        std::string_view item) {
    const auto found = index.find(item);
    if (found == index.end()) return false;
    channel->item = found->second;
    return true;
  };
  switch (quantity.owner) {
    case ChannelOwner::kRun:
      return name == quantity.name;
    case ChannelOwner::kBody:
      return RemoveEnding(&name, quantity.name) && find(body_index_, name);
    case ChannelOwner::kContact:
      return name.starts_with(kContactPrefix) && RemoveEnding(&name, quantity.name) &&
             name.size() > kContactPrefix.size() &&
             find(contact_index_, name.substr(kContactPrefix.size()));
    case ChannelOwner::kCoordinate:
      return RemoveEnding(&name, quantity.name) && find(coordinate_index_, name);
    case ChannelOwner::kConstraint:
      return RemoveEnding(&name, quantity.name) && find(constraint_index_, name);
    case ChannelOwner::kJoint:
      break;
  }
  if (!quantity.name.empty()) return RemoveEnding(&name, quantity.name) && find(joint_index_, name);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || !find(joint_index_, name.substr(0, dot))) return false;
  const FrameLayout::Joint& joint = layout_.joints[static_cast<std::size_t>(channel->item)];
  channel->unit = joint.unit;
  return !joint.coordinate.empty() && joint.coordinate == name.substr(dot + 1);
}

bool ChannelCatalog::TryFind(const std::string& name, Channel* channel) const {
  channel->name = name;
  for (const Quantity& quantity : ListQuantities()) {
    channel->quantity = &quantity;
    channel->unit = quantity.unit;
    if (quantity.components.empty()) {
      if (FindItem(name, quantity, channel)) return true;
      continue;
    }
    for (std::size_t c = 0; c < quantity.components.size(); ++c) {
      std::string_view stem = name;
      if (!RemoveEnding(&stem, quantity.components[c])) continue;
      channel->component = static_cast<int>(c);
      if (FindItem(stem, quantity, channel)) return true;
    }
  }
  return false;
}

Channel ChannelCatalog::Find(const std::string& name) const {
  Channel channel;
  if (!TryFind(name, &channel)) ThrowUnknown(name);
  return channel;
}

std::vector<Channel> ChannelCatalog::FindAll(const std::string& name) const {
  std::vector<Channel> channels(1);
  if (TryFind(name, &channels[0])) return channels;
  channels.clear();
  for (const char* component : {"w", "x", "y", "z", "n", "t1", "t2"}) {
    Channel channel;
    if (TryFind(name + "." + component, &channel)) channels.push_back(channel);
  }
  if (channels.empty()) ThrowUnknown(name);
  return channels;
}

std::string QuantityName(const Channel& channel, const FrameLayout& layout) {
  const Quantity& quantity = *channel.quantity;
  if (quantity.owner == ChannelOwner::kRun) return quantity.name.substr(0, quantity.name.find('.'));
  return EndingOf(quantity, layout, channel.item);
}

std::vector<Channel> ChannelCatalog::List() const {
  std::vector<Channel> channels;
  const auto add = [&](const Quantity& quantity, const std::string& stem, int item) {
    const std::string& ending = EndingOf(quantity, layout_, item);
    if (ending.empty()) return;  // a joint without a coordinate
    Channel channel{
        .name = stem + ending, .unit = quantity.unit, .quantity = &quantity, .item = item};
    if (channel.unit.empty()) channel.unit = layout_.joints[static_cast<std::size_t>(item)].unit;
    if (quantity.components.empty()) {
      channels.push_back(channel);
      return;
    }
    for (std::size_t c = 0; c < quantity.components.size(); ++c) {
      channel.component = static_cast<int>(c);
      channel.name = stem + ending + "." + quantity.components[c];
      channels.push_back(channel);
    }
  };
  const auto add_items = [&](ChannelOwner owner, std::size_t count, const auto& stem) {
    for (std::size_t i = 0; i < count; ++i) {
      for (const Quantity& quantity : ListQuantities()) {
        if (quantity.owner == owner) add(quantity, stem(i), static_cast<int>(i));
      }
    }
  };
  add_items(ChannelOwner::kRun, 1, [](std::size_t) { return std::string(); });
  add_items(ChannelOwner::kBody, layout_.bodies.size(),
            [&](std::size_t i) { return layout_.bodies[i] + "."; });
  add_items(ChannelOwner::kJoint, layout_.joints.size(),
            [&](std::size_t i) { return layout_.joints[i].name + "."; });
  add_items(ChannelOwner::kContact, contacts_.size(),
            [&](std::size_t i) { return std::string(kContactPrefix) + contacts_[i] + "."; });
  add_items(ChannelOwner::kCoordinate, layout_.coordinates.size(),
            [&](std::size_t i) { return layout_.coordinates[i] + "."; });
  add_items(ChannelOwner::kConstraint, layout_.constraints.size(),
            [&](std::size_t i) { return layout_.constraints[i] + "."; });
  return channels;
}

void ChannelCatalog::ThrowUnknown(const std::string& name) const {
  std::vector<std::pair<int, std::string>> near;
  for (const Channel& channel : List()) {
    near.emplace_back(CalcEditDistance(name, channel.name), channel.name);
    if (near.size() >= kMaxCandidates) break;
  }
  const std::size_t count = std::min(kMaxSuggestions, near.size());
  std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count), near.end());
  std::string suggestion;
  for (std::size_t i = 0; i < count; ++i) {
    suggestion += (i == 0 ? "nearest: " : ", ") + near[i].second;
  }
  throw InputError("channel '" + name + "'", "there is no such channel in this result",
                   suggestion + " ('saltus list channels RESULT' shows all)");
}

double CalcRunChannel(const Frame& frame, const Quantity& quantity) {
  const std::string& name = quantity.name;
  if (name == "time") return frame.time;
  if (name == "step.size") return frame.step_size;
  if (name == "energy.kinetic") return frame.energy.kinetic;
  if (name == "energy.potential") return frame.energy.potential;
  if (name == "energy.elastic") return frame.energy.elastic;
  if (name == "energy.total") return frame.energy.total();
  const std::string_view entry_name = std::string_view(name).substr(kLedgerPrefix.size());
  for (const LedgerEntry& entry : kLedger) {
    if (entry_name == entry.name) return frame.work.*entry.work;
  }
  return frame.closure;
}

double CalcChannel(const Frame& frame, const ChannelCatalog& catalog, const Channel& channel) {
  const auto item = static_cast<std::size_t>(channel.item);
  switch (channel.quantity->owner) {
    case ChannelOwner::kRun:
      return CalcRunChannel(frame, *channel.quantity);
    case ChannelOwner::kBody:
      return CalcBodyChannel(frame.bodies[item], channel);
    case ChannelOwner::kJoint:
      return CalcJointChannel(frame.joints[item], channel);
    case ChannelOwner::kContact:
      return CalcContactChannel(frame, catalog.contacts()[item], channel);
    case ChannelOwner::kCoordinate:
      return (channel.quantity->name == "q" ? frame.q : frame.v)[channel.item];
    case ChannelOwner::kConstraint:
      return frame.lambda[channel.item];
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace saltus
