// Channels: every recorded number by name, "ball.position.x", "hinge.angle",
// "contact.stop.force.n".
//
// One table of quantities (ListQuantities) says what a result holds; the file, the channels, CSV
// and the plots all follow it. Names of bodies, joints and contacts may contain dots: a channel is
// resolved from its end, and the endings of bodies (position.x), joints (force.x, torque.x, the
// coordinate), contacts (gap, force.n, impulse.n) and of systems without bodies (q, v, lambda)
// never coincide, so no name is ambiguous.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/simulation/frame.h"

namespace saltus {

/// What a quantity belongs to.
enum class ChannelOwner { kRun, kBody, kJoint, kContact, kCoordinate, kConstraint };

/// One row of the table: a dataset of the file and the channels read from it.
struct Quantity {
  ChannelOwner owner;
  std::string name;                     // ending of the channel: "position"; "time" for the run
  std::string dataset;                  // in the file: "bodies/position"
  std::string unit;                     // "m"; empty: that of the joint's coordinate
  std::string meaning;                  // one sentence
  std::vector<std::string> components;  // {"x", "y", "z"}; empty: a single number
};
const std::vector<Quantity>& ListQuantities();
/// Items of a kind of owner other than contacts; 0 for the run.
std::size_t CountItems(ChannelOwner owner, const FrameLayout& layout);

struct Channel {
  std::string name;
  std::string unit;
  const Quantity* quantity = nullptr;
  int item = 0;       // index of the body, joint or contact name
  int component = 0;  // index in quantity->components
};

/// The channels of one result: a layout and the names of the contacts that occurred.
class ChannelCatalog {
 public:
  ChannelCatalog() = default;
  ChannelCatalog(FrameLayout layout, std::vector<std::string> contacts);

  const FrameLayout& layout() const { return layout_; }
  const std::vector<std::string>& contacts() const { return contacts_; }

  /// Throws InputError with the nearest names if there is no such channel.
  Channel Find(const std::string& name) const;
  /// The same, or all components of a vector: "ball.position" means its x, y and z.
  std::vector<Channel> FindAll(const std::string& name) const;
  std::vector<Channel> List() const;

 private:
  bool TryFind(const std::string& name, Channel* channel) const;
  bool FindItem(std::string_view name, const Quantity& quantity, Channel* channel) const;
  [[noreturn]] void ThrowUnknown(const std::string& name) const;

  FrameLayout layout_;
  std::vector<std::string> contacts_;
  std::map<std::string, int, std::less<>> body_index_, joint_index_, contact_index_;
  std::map<std::string, int, std::less<>> coordinate_index_, constraint_index_;
};

/// What a channel measures, for plots: "position", "gap", "angle", "energy", "ledger", …
std::string QuantityName(const Channel& channel, const FrameLayout& layout);

/// The value of a channel in a frame. Points of one contact pair are put together: the smallest gap
/// (NaN if there is no active point), the sums of the forces and of the impulses (0 if none).
double CalcChannel(const Frame& frame, const ChannelCatalog& catalog, const Channel& channel);

/// The same for a quantity of the run: time, energies, ledger.
double CalcRunChannel(const Frame& frame, const Quantity& quantity);

}  // namespace saltus
