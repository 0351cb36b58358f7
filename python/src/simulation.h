// A Simulation with all that Python adds to it: recording, user systems, functions as observers,
// Ctrl-C.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "saltus/base/stop_request.h"
#include "saltus/base/timing.h"
#include "saltus/multibody/multibody_system.h"
#include "saltus/output/output_interval.h"
#include "saltus/output/result_writer.h"
#include "saltus/scene/scene.h"
#include "saltus/simulation/inputs.h"

#include "python/src/lagrangian_system.h"
#include "python/src/recorder.h"

namespace saltus::python {

namespace py = pybind11;

/// A function that is called during a run; true stops it.
struct RunObserver {
  PyObject* function = nullptr;  // borrowed for the time of the run
  OutputSchedule schedule;
  double wall_interval = 0;  // s of computing; > 0 replaces the schedule
  Stopwatch since_call;
};

/// Lets Python look for signals now and then: what their handlers raise ends the run.
class SignalWatch final : public StopRequest {
 public:
  /// @param worker  the thread that runs; others have nothing to do with signals
  explicit SignalWatch(const std::atomic<std::thread::id>* worker) : worker_(worker) {}
  void Check() const override;

 private:
  const std::atomic<std::thread::id>* worker_;
  mutable Stopwatch since_;
};

/// Calls the observers.
class CallbackObserver final : public Observer {
 public:
  void OnStart(const StepView& view) override;
  void OnStep(const StepView& view) override;
  void OnEnd(const Checkpoint& checkpoint, const RunOutcome& outcome) override;

  std::vector<RunObserver> observers;
  StopFlag stop;  // raised by an observer that returns true
  const StopRequest* signals = nullptr;

 private:
  void Call(const RunObserver& observer);
};

class PySimulation {
 public:
  /// @param system  of equations written in Python, or null for the bodies of the scene
  /// @param output  result file, or empty; an older one is replaced if `force`
  /// @param user_forces  list of (name, body, function of (t, BodyMotion))
  /// @param kept  what the functions live in: the simulation keeps it alive
  static std::unique_ptr<PySimulation> Make(const std::shared_ptr<Scene>& scene,
                                            const LagrangianSystem* system,
                                            const std::string& output, int compression,
                                            double checkpoint_every, bool force, bool record,
                                            const py::list& user_forces, py::object kept);

  RunOutcome Run(std::vector<RunObserver> observers);
  void Start() { loop().Start(); }
  bool Advance(std::string* failure);
  RunOutcome Finish(RunOutcome outcome) { return loop().Finish(std::move(outcome)); }
  /// Ends after an exception.
  void Abandon(const std::string& message);

  /// Throws InputError if the checkpoint belongs to another system.
  void Restore(const Checkpoint& checkpoint);
  /// Sets coordinates and velocities; the energy this takes counts as work of loads.
  void SetState(const VectorX& q, const VectorX& v);
  py::dict CalcBodyMotion(const std::string& name);
  py::dict CalcJointMotion(const std::string& name);
  Inputs& inputs() { return *inputs_; }
  /// Into the result file, if there is one.
  void AddEvent(const RunEvent& event);

  /// Throws std::runtime_error while another thread runs it: a step changes what would be read.
  Simulation& loop();
  System& system() { return loop().system(); }
  Recorder& recorder() { return *recorder_; }
  /// After the arrays were taken: an empty record.
  void ForgetRecord();

  py::object kept;

 private:
  /// While it lives, only this thread may use the simulation. Made and destroyed under Python's
  /// lock or before it is released.
  class Turn;

  std::shared_ptr<Inputs> inputs_ = std::make_shared<Inputs>();  // outlives the model
  std::unique_ptr<Simulation> loop_;
  std::atomic<std::thread::id> worker_{};  // that runs it, without Python's lock
  SignalWatch signals_{&worker_};
  OutputInterval interval_;
  bool with_contacts_ = true;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<ResultWriter> writer_;
  CallbackObserver callbacks_;
};

/// Names of bodies, joints, coordinates and constraints.
py::dict MakeLayout(const FrameLayout& layout);
/// The table of contacts as arrays that take over its vectors.
py::dict MakeContactArrays(ContactRows&& rows);

}  // namespace saltus::python
