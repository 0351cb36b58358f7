// Inputs: values that whoever runs a simulation sets between its steps, in place of the functions
// of time of the scene. Connected before the model is built:
//
//   ModelSpec spec = …;
//   const auto inputs = Inputs::Connect(&spec);
//   … build, Start …
//   inputs->Set("motor", {2.5}, time);        from now on, until another value or Release
//
// An actuator takes its effort [N or N m], a force or torque its three components, a driven joint
// the rate of its coordinate [rad/s or m/s]: its target goes on from where it is,
//   target(t) = target(t₀) + rate (t − t₀),                                                   (1)
// so that a position never jumps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saltus/math/time_function.h"
#include "saltus/multibody/model_spec.h"

namespace saltus {

class Inputs {
 public:
  /// Puts an input in front of every actuator, load and drive of the model. Without a Set they are
  /// the functions that they were, bit for bit.
  static std::shared_ptr<Inputs> Connect(ModelSpec* spec);

  std::vector<std::string> names() const;
  /// Number of values that an input takes, 1 or 3. Throws InputError if there is no such input.
  int size(const std::string& name) const;
  /// Throws InputError if there is no such input, or if the values are too many, too few or not
  /// finite. @param time  from which they hold, s: that of the state
  void Set(const std::string& name, const std::vector<double>& values, double time);
  /// The values in force at a time: efforts, components, or the rate of a drive.
  std::vector<double> Calc(const std::string& name, double time) const;
  /// Back to the function of the scene. A drive would jump: it keeps its place and stands still.
  void Release(const std::string& name, double time);

 private:
  struct Signal {
    TimeFunction original;
    bool set = false;
    double value = 0;             // the effort or component; for drives the rate
    double from = 0, target = 0;  // drives: t₀ and target(t₀) of (1)
    bool is_drive = false;
    TimeJet operator()(double t) const;
  };
  struct Entry {
    std::string name;
    std::vector<std::shared_ptr<Signal>> signals;
  };
  void Add(const std::string& name, std::vector<TimeFunction*> functions, bool is_drive);
  const Entry& Find(const std::string& name) const;

  std::vector<Entry> entries_;
};

}  // namespace saltus
