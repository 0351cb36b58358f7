#include "python/src/recorder.h"

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
  if (schedule_.IsDue(view.step_index, view.state.time)) {
    Record(view);
  } else {
    last_report_ = view.report;
  }
}

void Recorder::OnEnd(const Checkpoint& checkpoint, const std::string& text) {
  if (recorded_step_ != checkpoint.step_index) {
    Record({*system_, checkpoint.state, last_report_, checkpoint.audit,
            checkpoint.audit.final_energy, checkpoint.step_index});
  }
  outcome = text;
}

std::vector<double>& Recorder::Rows(const char* dataset, std::vector<long> row_shape) {
  const auto [entry, is_new] = tables.try_emplace(dataset);
  if (is_new) entry->second.row_shape = std::move(row_shape);
  return entry->second.values;
}

void Recorder::Record(const StepView& view) {
  recorded_step_ = view.step_index;
  CalcFrame(view, &frame_);
  for (const Quantity& quantity : ListQuantities()) {
    if (quantity.owner != ChannelOwner::kRun) continue;
    Rows(quantity.dataset.c_str()).push_back(CalcRunChannel(frame_, quantity));
  }
  AddBodies();
  AddJoints();
  AddState(view);
  if (with_contacts_) AddContacts();
}

void Recorder::AddBodies() {
  const long count = static_cast<long>(frame_.bodies.size());
  std::vector<double>& position = Rows("bodies/position", {count, 3});
  std::vector<double>& orientation = Rows("bodies/orientation", {count, 4});
  std::vector<double>& velocity = Rows("bodies/velocity", {count, 3});
  std::vector<double>& angular_velocity = Rows("bodies/angular_velocity", {count, 3});
  for (const Frame::Body& body : frame_.bodies) {
    const Quaternion& q = body.orientation;
    Append(body.position, &position);
    Append(Vector4(q.w(), q.x(), q.y(), q.z()), &orientation);
    Append(body.velocity, &velocity);
    Append(body.angular_velocity, &angular_velocity);
  }
}

void Recorder::AddJoints() {
  const long count = static_cast<long>(frame_.joints.size());
  std::vector<double>& coordinate = Rows("joints/coordinate", {count});
  std::vector<double>& force = Rows("joints/force", {count, 3});
  std::vector<double>& torque = Rows("joints/torque", {count, 3});
  for (const Frame::Joint& joint : frame_.joints) {
    coordinate.push_back(joint.coordinate);
    Append(joint.force, &force);
    Append(joint.torque, &torque);
  }
}

/// Coordinates, velocities and the mean multipliers of the step, also of a multibody system.
void Recorder::AddState(const StepView& view) {
  const State& state = view.state;
  const long num_constraints = view.system.traits().num_constraints;
  Append(state.q, &Rows("coordinates/q", {state.q.size()}));
  Append(state.v, &Rows("coordinates/v", {state.v.size()}));
  std::vector<double>& lambda = Rows("constraints/lambda", {num_constraints});
  const VectorX& impulse = view.report.constraint_impulse;
  const bool loaded = impulse.size() == num_constraints && view.report.step > 0;
  for (long i = 0; i < num_constraints; ++i) {
    lambda.push_back(loaded ? impulse[i] / view.report.step : 0.0);
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
    Append(contact.force, &contacts.force);
    Append(contact.impulse, &contacts.impulse);
  }
  contacts.offset.push_back(static_cast<std::int64_t>(contacts.gap.size()));
}

}  // namespace saltus::python
