#include "python/src/simulation.h"

#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include <pybind11/stl.h>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/multibody/multibody_system.h"
#include "saltus/scene/solver_options.h"

#include "python/src/convert.h"

namespace saltus::python {
namespace {

constexpr double kSignalInterval = 0.05;  // s of computing between looks for signals

/// A Python function as a force on a body. It returns a force, or a force and a torque.
std::function<Wrench(double, const BodyMotion&)> MakeUserForce(const std::string& name,
                                                               PyObject* function) {
  return [name, function](double t, const BodyMotion& motion) {
    const PythonLock lock;
    py::object result;
    try {
      result = py::reinterpret_borrow<py::object>(function)(t, motion);
    } catch (py::error_already_set& error) {
      error.restore();
      ThrowPythonError("in the user force '" + name + "', " + FormatTime(t));
    }
    const auto fail = [&](const std::string& what) {
      return InputError("forces." + name, what + " " + FormatTime(t),
                        "return a force (3 numbers) or a force and a torque (2 × 3 numbers)");
    };
    using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
    const Numbers numbers = Numbers::ensure(result);
    const bool pair = numbers && numbers.ndim() == 2 && numbers.shape(0) == 2;
    if (!numbers || numbers.size() != (pair ? 6 : 3)) {
      PyErr_Clear();
      throw fail("returned " + std::string(py::repr(result)));
    }
    const double* values = numbers.data();
    Wrench wrench;
    wrench.force = Eigen::Map<const Vector3>(values);
    if (pair) wrench.torque = Eigen::Map<const Vector3>(values + 3);
    if (!wrench.force.allFinite() || !wrench.torque.allFinite()) throw fail("returned nan or inf");
    return wrench;
  };
}

}  // namespace

// --- Callbacks -----------------------------------------------------------------------------------

void CallbackObserver::OnStart(const StepView& view) {
  for (RunObserver& observer : observers) {
    observer.schedule.IsDue(view.step_index, view.state.time);
    Call(observer);
  }
}

void CallbackObserver::OnStep(const StepView& view) {
  for (RunObserver& observer : observers) {
    if (observer.wall_interval > 0) {
      if (observer.since_call.seconds() < observer.wall_interval) continue;
      observer.since_call.Restart();
    } else if (!observer.schedule.IsDue(view.step_index, view.state.time)) {
      continue;
    }
    Call(observer);
  }
  signals->Check();
}

void CallbackObserver::OnEnd(const Checkpoint&, const RunOutcome&) {
  for (RunObserver& observer : observers) {
    if (observer.wall_interval > 0) Call(observer);  // progress ends at 100 %
  }
}

void CallbackObserver::Call(const RunObserver& observer) {
  const PythonLock lock;
  try {
    const py::object result = py::reinterpret_borrow<py::object>(observer.function)();
    if (result.is(py::bool_(true))) stop.Raise();
  } catch (py::error_already_set& error) {
    error.restore();
    ThrowPythonError("");
  }
}

void SignalWatch::Check() const {
  if (*worker_ != std::this_thread::get_id() || since_.seconds() < kSignalInterval) return;
  since_.Restart();
  const PythonLock lock;
  if (PyErr_CheckSignals() != 0) throw PythonInterruption(py::error_already_set());
}

// --- The simulation ------------------------------------------------------------------------------

class PySimulation::Turn {
 public:
  explicit Turn(PySimulation* simulation) : worker_(simulation->worker_) {
    simulation->loop();  // throws if it is another thread's turn
    before_ = worker_.exchange(std::this_thread::get_id());
  }
  ~Turn() { worker_ = before_; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<std::thread::id>& worker_;
  std::thread::id before_;
};

Simulation& PySimulation::loop() {
  const std::thread::id worker = worker_;
  if (worker != std::thread::id() && worker != std::this_thread::get_id()) {
    throw std::runtime_error(
        "the simulation is running in another thread: wait for its end, or look at it from an "
        "observer");
  }
  return *loop_;
}

std::unique_ptr<PySimulation> PySimulation::Make(const std::shared_ptr<Scene>& scene,
                                                 const LagrangianSystem* system,
                                                 const std::string& output, int compression,
                                                 double checkpoint_every, bool force, bool record,
                                                 const py::list& user_forces, py::object kept) {
  auto self = std::make_unique<PySimulation>();
  self->kept = std::move(kept);
  self->interval_ = {scene->output.every, scene->output.dt.value_or(0)};
  self->with_contacts_ = scene->output.contacts;
  Scene watched = *scene;
  if (ConicSolverOptions* options = FindSolverOptions(&watched)) options->stop = &self->signals_;
  std::unique_ptr<Integrator> integrator = MakeIntegrator(watched);
  if (system != nullptr) {
    self->loop_ =
        std::make_unique<Simulation>(system->Clone(), std::move(integrator), scene->simulation);
  } else {
    self->inputs_ = Inputs::Connect(&watched.model);
    auto bodies = std::make_unique<MultibodySystem>(BuildModel(watched));
    for (const py::handle item : user_forces) {
      const auto entry = item.cast<py::tuple>();
      bodies->AddUserForce(entry[1].cast<std::string>(),
                           MakeUserForce(entry[0].cast<std::string>(), py::object(entry[2]).ptr()));
    }
    self->loop_ =
        std::make_unique<Simulation>(std::move(bodies), std::move(integrator), scene->simulation);
  }
  if (record) {
    self->recorder_ = std::make_unique<Recorder>(self->interval_, self->with_contacts_);
    self->loop_->AddObserver(self->recorder_.get());
  }
  if (!output.empty()) {
    ResultOptions options;
    options.interval = self->interval_;
    options.file = {scene->model.name, scene->source, scene->output.contacts, compression, force};
    options.checkpoint_interval = checkpoint_every;
    self->writer_ = std::make_unique<ResultWriter>(output, options);
    self->loop_->AddObserver(self->writer_.get());
  }
  self->callbacks_.signals = &self->signals_;
  self->loop_->AddObserver(&self->callbacks_);
  return self;
}

RunOutcome PySimulation::Run(std::vector<RunObserver> observers) {
  struct Cleaner {  // The functions are borrowed for this run only.
    CallbackObserver& callbacks;
    ~Cleaner() { callbacks.observers.clear(); }
  } const cleaner{callbacks_};
  const Turn turn(this);
  callbacks_.observers = std::move(observers);
  callbacks_.stop.Lower();
  return loop_->Run(&callbacks_.stop);
}

bool PySimulation::Advance(std::string* failure) {
  const Turn turn(this);
  return loop_->Advance(failure);
}

void PySimulation::Abandon(const std::string& message) {
  loop().FinishAfter(std::runtime_error(message));
}

void PySimulation::Restore(const Checkpoint& checkpoint) {
  const SystemTraits& traits = system().traits();
  const State& state = checkpoint.state;
  if (state.q.size() != traits.num_coordinates || state.v.size() != traits.num_velocities) {
    throw InputError("checkpoint", "it belongs to another mechanism",
                     "continue with the scene or system that made it");
  }
  // Only the last step of a run may be shorter than the others.
  const double steps = state.time / loop().options().step;
  const auto index = static_cast<double>(checkpoint.step_index);
  if (steps > index + 1e-6 || steps < index - 1 + 1e-6) {
    throw InputError("checkpoint", "it was made with another step size",
                     "continue with the same step");
  }
  loop().Restore(checkpoint);
}

void PySimulation::SetState(const VectorX& q, const VectorX& v) {
  if (!q.allFinite() || !v.allFinite()) {
    throw InputError("set_state", "a number is nan or inf",
                     "coordinates and velocities are finite");
  }
  Checkpoint checkpoint = loop().checkpoint();
  checkpoint.state.q = q;
  checkpoint.state.v = v;
  const Energy energy = system().CalcEnergy(checkpoint.state.time, q, v);
  checkpoint.audit.work.loads += energy.total() - checkpoint.audit.final_energy.total();
  checkpoint.audit.final_energy = energy;
  loop().Restore(checkpoint);
}

py::dict PySimulation::CalcBodyMotion(const std::string& name) {
  const auto* multibody = dynamic_cast<const MultibodySystem*>(&system());
  if (multibody == nullptr) {
    throw InputError("body '" + name + "'", "this system has no bodies", "use q and v");
  }
  const Model& model = multibody->model();
  const int body = model.FindBody(name);
  if (body < 0) {
    std::vector<std::string> names;
    for (const Body& b : model.bodies) names.push_back(b.name);
    throw InputError("body '" + name + "'", "there is no such body", SuggestName(name, names));
  }
  const State& s = loop_->state();
  const BodyMotion motion = multibody->CalcBodyMotion(body, s.q, s.v);
  const Quaternion& R = motion.pose.R;
  const auto make = [](const auto& values) { return CopyVector(VectorX(values)); };
  py::dict dict;
  dict["position"] = make(motion.pose.p);
  dict["orientation"] = make(Vector4(R.w(), R.x(), R.y(), R.z()));
  dict["velocity"] = make(motion.velocity);
  dict["angular_velocity"] = make(motion.angular_velocity);
  return dict;
}

py::dict PySimulation::CalcJointMotion(const std::string& name) {
  const auto* multibody = dynamic_cast<const MultibodySystem*>(&system());
  if (multibody == nullptr) {
    throw InputError("joint '" + name + "'", "this system has no joints", "use q, v, multipliers");
  }
  const Model& model = multibody->model();
  const int index = model.FindJoint(name);
  if (index < 0) {
    std::vector<std::string> names;
    for (const Joint& j : model.joints) names.push_back(j.name);
    throw InputError("joint '" + name + "'", "there is no such joint", SuggestName(name, names));
  }
  const StepView view = loop_->MakeView();
  const State& s = view.state;
  py::dict dict;
  const std::string coordinate = CoordinateName(model.joints[index].type);
  if (!coordinate.empty()) {
    const JointMotion motion = multibody->CalcJointMotion(index, s.q, s.v);
    dict[py::str(coordinate)] = motion.value;
    dict["rate"] = motion.rate;
  }
  if (model.joints[index].angle) {
    const JointMotion motion = multibody->CalcJointAngle(index, s.q, s.v);
    dict["angle"] = motion.value;
    dict["angle_rate"] = motion.rate;
  }
  const VectorX& impulse = view.report.constraint_impulse;
  const bool loaded = impulse.size() == multibody->traits().num_constraints && view.report.step > 0;
  Vector3 force = Vector3::Constant(std::numeric_limits<double>::quiet_NaN()), torque = force;
  if (loaded) {
    const JointReaction reaction = multibody->CalcJointReaction(index, s.q, impulse);
    force = reaction.force / view.report.step;
    torque = reaction.torque / view.report.step;
  }
  dict["force"] = CopyVector(VectorX(force));
  dict["torque"] = CopyVector(VectorX(torque));
  return dict;
}

void PySimulation::AddEvent(const RunEvent& event) {
  if (writer_ != nullptr) writer_->AddEvent(event);
}

void PySimulation::ForgetRecord() { recorder_->Reset(); }

// --- What results share --------------------------------------------------------------------------

py::dict MakeLayout(const FrameLayout& layout) {
  py::list joints, coordinates, units;
  for (const FrameLayout::Joint& joint : layout.joints) {
    joints.append(joint.name);
    coordinates.append(joint.coordinate);
    units.append(joint.unit);
  }
  py::dict dict;
  dict["bodies"] = layout.bodies;
  dict["joints"] = joints;
  dict["joint_coordinates"] = coordinates;
  dict["joint_units"] = units;
  dict["coordinates"] = layout.coordinates;
  dict["constraints"] = layout.constraints;
  return dict;
}

py::dict MakeContactArrays(ContactRows&& rows) {
  const auto count = static_cast<py::ssize_t>(rows.gap.size());
  const auto num_offsets = static_cast<py::ssize_t>(rows.offset.size());
  py::dict dict;
  dict["offset"] = MakeArray(std::move(rows.offset), {num_offsets});
  dict["name"] = MakeArray(std::move(rows.name), {count});
  dict["key"] = MakeArray(std::move(rows.key), {count, 2});
  dict["gap"] = MakeArray(std::move(rows.gap), {count});
  dict["point"] = MakeArray(std::move(rows.point), {count, 3});
  dict["normal"] = MakeArray(std::move(rows.normal), {count, 3});
  const auto num_tangents = static_cast<py::ssize_t>(rows.tangent.size()) / 3;
  dict["tangent"] = MakeArray(std::move(rows.tangent), {num_tangents, 3});
  dict["force"] = MakeArray(std::move(rows.force), {count, 3});
  dict["impulse"] = MakeArray(std::move(rows.impulse), {count, 3});
  const auto num_adhesions = static_cast<py::ssize_t>(rows.adhesion.size());
  dict["adhesion"] = MakeArray(std::move(rows.adhesion), {num_adhesions});
  const auto num_moments = static_cast<py::ssize_t>(rows.moment.size()) / 3;
  dict["moment"] = MakeArray(std::move(rows.moment), {num_moments, 3});
  return dict;
}

}  // namespace saltus::python
