#include "saltus/simulation/inputs.h"

#include <cmath>
#include <utility>
#include <variant>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"

namespace saltus {

TimeJet Inputs::Signal::operator()(double t) const {
  if (!set) return original(t);
  if (is_drive) return {target + value * (t - from), value, 0};  // (1)
  return {value, 0, 0};
}

void Inputs::Add(const std::string& name, std::vector<TimeFunction*> functions, bool is_drive) {
  Entry entry{name, {}};
  for (TimeFunction* function : functions) {
    auto signal = std::make_shared<Signal>();
    signal->original = *function;
    signal->is_drive = is_drive;
    entry.signals.push_back(signal);
    *function = TimeFunction([signal](double t) { return (*signal)(t); }, function->text());
  }
  entries_.push_back(std::move(entry));
}

std::shared_ptr<Inputs> Inputs::Connect(ModelSpec* spec) {
  auto inputs = std::make_shared<Inputs>();
  for (ForceSpec& force : spec->forces) {
    if (auto* actuator = std::get_if<ActuatorSpec>(&force)) {
      inputs->Add(actuator->name, {&actuator->effort}, false);
    } else if (auto* load = std::get_if<ForceLoadSpec>(&force)) {
      inputs->Add(load->name, {&load->force[0], &load->force[1], &load->force[2]}, false);
    } else if (auto* torque = std::get_if<TorqueLoadSpec>(&force)) {
      inputs->Add(torque->name, {&torque->torque[0], &torque->torque[1], &torque->torque[2]},
                  false);
    }
  }
  for (JointSpec& joint : spec->joints) {
    for (auto* drive : {&joint.drive_angle, &joint.drive_displacement, &joint.drive_length}) {
      if (*drive) inputs->Add(joint.name, {&**drive}, true);
    }
  }
  return inputs;
}

std::vector<std::string> Inputs::names() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) names.push_back(entry.name);
  return names;
}

const Inputs::Entry& Inputs::Find(const std::string& name) const {
  for (const Entry& entry : entries_) {
    if (entry.name == name) return entry;
  }
  throw InputError("input '" + name + "'", "there is no such actuator, load or drive",
                   SuggestName(name, names()));
}

int Inputs::size(const std::string& name) const {
  return static_cast<int>(Find(name).signals.size());
}

void Inputs::Set(const std::string& name, const std::vector<double>& values, double time) {
  const Entry& entry = Find(name);
  if (values.size() != entry.signals.size()) {
    throw InputError("input '" + name + "'", "got " + std::to_string(values.size()) + " numbers",
                     "it takes " + std::to_string(entry.signals.size()));
  }
  for (const double value : values) {
    if (!std::isfinite(value)) {
      throw InputError("input '" + name + "'", "a number is nan or inf", "must be finite");
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    Signal& signal = *entry.signals[i];
    signal.target = signal(time).value;
    signal.from = time;
    signal.value = values[i];
    signal.set = true;
  }
}

std::vector<double> Inputs::Calc(const std::string& name, double time) const {
  std::vector<double> values;
  for (const auto& signal : Find(name).signals) {
    const TimeJet jet = (*signal)(time);
    values.push_back(signal->is_drive ? jet.rate : jet.value);
  }
  return values;
}

void Inputs::Release(const std::string& name, double time) {
  for (const auto& signal : Find(name).signals) {
    if (signal->is_drive) {
      Set(name, {0}, time);
    } else {
      signal->set = false;
    }
  }
}

}  // namespace saltus
