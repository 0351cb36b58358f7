#include "saltus/simulation/frame.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "saltus/multibody/multibody_system.h"

namespace saltus {
namespace {

/// The feature of the row of a pair's bonds: no collision feature has it.
constexpr std::uint64_t kBondFeature = ~std::uint64_t{0};
/// A force where no step has been done.
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string CoordinateUnit(const std::string& coordinate) {
  if (coordinate.empty()) return "";
  return coordinate == "angle" ? "rad" : "m";
}

void CalcJoints(const MultibodySystem& system, const StepView& view, Frame* frame) {
  const State& s = view.state;
  const StepReport& report = view.report;
  const bool loaded =
      report.constraint_impulse.size() == system.traits().num_constraints && report.step > 0;
  frame->joints.resize(system.model().joints.size());
  for (int j = 0; j < static_cast<int>(frame->joints.size()); ++j) {
    Frame::Joint& joint = frame->joints[j];
    joint.coordinate = system.CalcJointMotion(j, s.q, s.v).value;
    JointReaction impulse;
    if (loaded) impulse = system.CalcJointReaction(j, s.q, report.constraint_impulse);
    joint.force = loaded ? Vector3(impulse.force / report.step) : Vector3::Constant(kNone);
    joint.torque = loaded ? Vector3(impulse.torque / report.step) : Vector3::Constant(kNone);
  }
}

/// Schemes evaluate gaps at instants of their own. Those of the frame are found by key; a feature
/// that is not there any more keeps the gap of the scheme.
void MoveGaps(const StepView& view, Frame* frame) {
  const std::vector<ContactResult>& results = view.report.contacts;
  if (results.empty()) return;
  const double h = view.report.step;
  double margin = 0;
  for (const ContactResult& result : results) {
    margin = std::max(margin, std::abs(result.gap) + 2 * h * std::abs(result.velocity[0]));
  }
  const State& s = view.state;
  view.system.FindContacts(s.time, s.q, margin, &frame->found);
  const std::vector<Contact>& found = frame->found.contacts;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto at = std::lower_bound(
        found.begin(), found.end(), results[i].key,
        [](const Contact& contact, const ContactKey& key) { return contact.key < key; });
    if (at != found.end() && at->key == results[i].key) frame->contacts[i].gap = at->gap;
  }
}

void CalcContacts(const StepView& view, Frame* frame) {
  const StepReport& report = view.report;
  frame->contacts.resize(report.contacts.size());
  for (std::size_t i = 0; i < report.contacts.size(); ++i) {
    const ContactResult& result = report.contacts[i];
    Frame::Contact& contact = frame->contacts[i];
    contact.name = view.system.ContactName(result.key);
    contact.key = result.key;
    contact.gap = result.gap;
    contact.point = result.point;
    contact.normal = result.frame.col(0);
    contact.tangent = result.frame.col(1);
    contact.force.setZero();
    contact.impulse.setZero();
    contact.adhesion = 0;
    if (result.impact) {
      contact.impulse = result.impulse;
    } else if (report.step > 0) {
      contact.force = result.impulse / report.step;
    }
    contact.moment.setZero();
    if (report.step > 0) contact.moment = result.moment / report.step;
  }
  MoveGaps(view, frame);
}

/// Contacts whose law is a force, at the state of the frame.
void AddContactForces(const MultibodySystem& system, const StepView& view, Frame* frame) {
  for (const auto& point : system.ListContactForces(view.state.q, view.state.v)) {
    Frame::Contact& contact = frame->contacts.emplace_back();
    contact.name = system.ContactName(point.key);
    contact.key = point.key;
    contact.gap = point.gap;
    contact.point = point.point;
    contact.normal = point.frame.col(0);
    contact.tangent = point.frame.col(1);
    contact.force = point.force;
    contact.impulse.setZero();
    contact.adhesion = 0;
  }
}

/// One row for the bonds of each pair of surfaces.
void AddBonds(const MultibodySystem& system, const StepView& view, Frame* frame) {
  for (const BondReport& bond : system.ListBonds(view.state)) {
    ContactKey key = bond.key;
    key.feature = kBondFeature;
    frame->contacts.push_back({system.ContactName(bond.key), key, bond.opening, bond.point,
                               bond.frame.col(0), bond.frame.col(1), bond.force, Vector3::Zero(),
                               bond.adhesion});
  }
}

/// Names that appear several times are numbered: "loop.0", "loop.1".
std::vector<std::string> ListConstraints(const System& system) {
  std::vector<std::string> names;
  std::map<std::string, int> count, next;
  for (int i = 0; i < system.traits().num_constraints; ++i) {
    names.push_back(system.ConstraintName(i));
    ++count[names.back()];
  }
  for (std::string& name : names) {
    if (count[name] > 1) name += "." + std::to_string(next[name]++);
  }
  return names;
}

void CalcCoordinates(const StepView& view, Frame* frame) {
  const StepReport& report = view.report;
  const int num_constraints = view.system.traits().num_constraints;
  frame->q = view.state.q;
  frame->v = view.state.v;
  frame->lambda.setConstant(num_constraints, kNone);
  if (report.step > 0 && report.constraint_impulse.size() == num_constraints) {
    frame->lambda = report.constraint_impulse / report.step;
  }
}

}  // namespace

FrameLayout MakeFrameLayout(const System& system) {
  FrameLayout layout;
  const auto* multibody = dynamic_cast<const MultibodySystem*>(&system);
  if (multibody == nullptr) {
    for (int i = 0; i < system.traits().num_coordinates; ++i) {
      layout.coordinates.push_back(system.CoordinateName(i));
    }
    layout.constraints = ListConstraints(system);
    return layout;
  }
  for (const Body& body : multibody->model().bodies) layout.bodies.push_back(body.name);
  for (const Joint& joint : multibody->model().joints) {
    const std::string coordinate = CoordinateName(joint.type);
    layout.joints.push_back({joint.name, coordinate, CoordinateUnit(coordinate)});
  }
  return layout;
}

void CalcFrame(const StepView& view, Frame* frame) {
  frame->time = view.state.time;
  frame->step_index = view.step_index;
  frame->step_size = view.report.step;
  frame->energy = view.energy;
  frame->work = view.audit.work;
  frame->closure = view.audit.Closure();
  CalcContacts(view, frame);
  const auto* multibody = dynamic_cast<const MultibodySystem*>(&view.system);
  if (multibody == nullptr) return CalcCoordinates(view, frame);
  frame->bodies.resize(multibody->model().bodies.size());
  for (int b = 0; b < static_cast<int>(frame->bodies.size()); ++b) {
    const BodyMotion motion = multibody->CalcBodyMotion(b, view.state.q, view.state.v);
    frame->bodies[b] = {motion.pose.p, motion.pose.R, motion.velocity, motion.angular_velocity};
  }
  CalcJoints(*multibody, view, frame);
  AddContactForces(*multibody, view, frame);
  AddBonds(*multibody, view, frame);
}

}  // namespace saltus
