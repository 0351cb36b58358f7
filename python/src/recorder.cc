#include "python/src/recorder.h"

#include <limits>
#include <utility>

#include "saltus/output/channel.h"

namespace saltus::python {
namespace {

template <typename Vector>
void Append(const Vector& values, std::vector<double>* rows) {
  rows->insert(rows->end(), values.data(), values.data() + values.size());
}

}  // namespace

void Recorder::Reset() {
  tables.clear();
  contacts = {};
  contact_names.clear();
  impacts.clear();
  name_index_.clear();
  if (with_contacts_) contacts.offset.push_back(0);
  outcome = "running";
  recorded_step_ = -1;
}

void Recorder::OnStart(const StepView& view) {
  system_ = &view.system;
  layout = MakeFrameLayout(view.system);
  schedule_.IsDue(view.step_index, view.state.time);
  Record(view);
}

void Recorder::OnStep(const StepView& view) {
  for (const ImpactEvent& impact : view.impacts) {
    impacts.push_back({impact.time, view.system.ContactName(impact.key), impact.impulse, "impact"});
  }
  if (schedule_.IsDue(view.step_index, view.state.time)) {
    Record(view);
  } else {
    last_report_ = view.report;
  }
}

void Recorder::OnEnd(const Checkpoint& checkpoint, const RunOutcome& end) {
  if (recorded_step_ != checkpoint.step_index) {
    Record({*system_, checkpoint.state, last_report_, checkpoint.audit,
            checkpoint.audit.final_energy, checkpoint.step_index});
  }
  outcome = end.text();
}

std::vector<double>* Recorder::AddTable(const std::string& dataset, std::vector<long> row_shape) {
  Table& table = tables[dataset];
  table.row_shape = std::move(row_shape);
  return &table.values;
}

void Recorder::MakeTables(const StepView& view) {
  run_.clear();
  for (const Quantity& quantity : ListQuantities()) {
    if (quantity.owner == ChannelOwner::kRun) {
      run_.emplace_back(&quantity, AddTable(quantity.dataset, {}));
    }
  }
  const long num_bodies = static_cast<long>(layout.bodies.size());
  const long num_joints = static_cast<long>(layout.joints.size());
  position_ = AddTable("bodies/position", {num_bodies, 3});
  orientation_ = AddTable("bodies/orientation", {num_bodies, 4});
  velocity_ = AddTable("bodies/velocity", {num_bodies, 3});
  angular_velocity_ = AddTable("bodies/angular_velocity", {num_bodies, 3});
  joint_coordinate_ = AddTable("joints/coordinate", {num_joints});
  joint_force_ = AddTable("joints/force", {num_joints, 3});
  joint_torque_ = AddTable("joints/torque", {num_joints, 3});
  q_ = AddTable("coordinates/q", {view.state.q.size()});
  v_ = AddTable("coordinates/v", {view.state.v.size()});
  lambda_ = AddTable("constraints/lambda", {view.system.traits().num_constraints});
}

void Recorder::Record(const StepView& view) {
  if (tables.empty()) MakeTables(view);
  recorded_step_ = view.step_index;
  CalcFrame(view, &frame_);
  for (const auto& [quantity, rows] : run_) rows->push_back(CalcRunChannel(frame_, *quantity));
  AddBodies();
  AddState(view);
  if (with_contacts_) AddContacts();
}

void Recorder::AddBodies() {
  for (const Frame::Body& body : frame_.bodies) {
    const Quaternion& q = body.orientation;
    Append(body.position, position_);
    Append(Vector4(q.w(), q.x(), q.y(), q.z()), orientation_);
    Append(body.velocity, velocity_);
    Append(body.angular_velocity, angular_velocity_);
  }
  for (const Frame::Joint& joint : frame_.joints) {
    joint_coordinate_->push_back(joint.coordinate);
    Append(joint.force, joint_force_);
    Append(joint.torque, joint_torque_);
  }
}

/// Coordinates, velocities and the mean multipliers of the step, also of a multibody system.
void Recorder::AddState(const StepView& view) {
  Append(view.state.q, q_);
  Append(view.state.v, v_);
  const long num_constraints = view.system.traits().num_constraints;
  const VectorX& impulse = view.report.constraint_impulse;
  const bool loaded = impulse.size() == num_constraints && view.report.step > 0;
  for (long i = 0; i < num_constraints; ++i) {
    lambda_->push_back(loaded ? impulse[i] / view.report.step
                              : std::numeric_limits<double>::quiet_NaN());
  }
}

void Recorder::AddContacts() {
  for (const Frame::Contact& contact : frame_.contacts) {
    const auto [entry, is_new] =
        name_index_.try_emplace(contact.name, static_cast<std::uint32_t>(name_index_.size()));
    if (is_new) contact_names.push_back(contact.name);
    contacts.name.push_back(entry->second);
    contacts.key.push_back(contact.key.pair);
    contacts.key.push_back(contact.key.feature);
    contacts.gap.push_back(contact.gap);
    Append(contact.point, &contacts.point);
    Append(contact.normal, &contacts.normal);
    Append(contact.tangent, &contacts.tangent);
    Append(contact.force, &contacts.force);
    Append(contact.impulse, &contacts.impulse);
    contacts.adhesion.push_back(contact.adhesion);
    Append(contact.moment, &contacts.moment);
  }
  contacts.offset.push_back(static_cast<std::int64_t>(contacts.gap.size()));
}

}  // namespace saltus::python
