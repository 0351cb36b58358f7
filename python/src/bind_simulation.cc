// Simulations: run to the end, or step by step; state, contacts, reports, audit and checkpoints.
#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "saltus/base/error.h"
#include "saltus/output/checkpoint_record.h"
#include "saltus/simulation/ledger.h"
#include "saltus/simulation/run_notices.h"

#include "python/src/bindings.h"
#include "python/src/convert.h"
#include "python/src/simulation.h"

namespace saltus::python {
namespace {

py::list ListAudit(const Audit& audit) {
  py::list entries;
  for (const AuditEntry& entry : ListEntries(audit)) {
    entries.append(py::make_tuple(entry.key, entry.value, entry.unit, entry.meaning));
  }
  return entries;
}

py::dict MakeEnergy(const Energy& energy) {
  py::dict dict;
  dict["kinetic"] = energy.kinetic;
  dict["potential"] = energy.potential;
  dict["elastic"] = energy.elastic;
  dict["total"] = energy.total();
  return dict;
}

py::dict MakeReport(const StepReport& report) {
  py::dict dict, work;
  dict["status"] = StatusName(report.status);
  dict["culprit"] = report.culprit;
  dict["step"] = report.step;
  dict["newton_iterations"] = report.newton_iterations;
  dict["solver_iterations"] = report.solver_iterations;
  dict["solver_residual"] = report.solver_residual;
  dict["max_penetration"] = report.max_penetration;
  dict["max_constraint"] = report.max_constraint;
  dict["max_constraint_rate"] = report.max_constraint_rate;
  dict["max_complementarity"] = report.max_complementarity;
  dict["solver_error"] = report.solver_error;
  dict["impacts"] = report.impacts;
  dict["tunnelled"] = report.tunnelled;
  for (const LedgerEntry& entry : kLedger) work[entry.name] = report.work.*entry.work;
  dict["work"] = work;
  return dict;
}

/// The active contacts of the last step, one array per quantity.
py::dict MakeContacts(const StepView& view) {
  const std::vector<ContactResult>& contacts = view.report.contacts;
  const auto count = static_cast<py::ssize_t>(contacts.size());
  py::list names;
  std::vector<double> gap, point, frame, impulse, velocity;
  std::vector<std::uint64_t> key;
  std::vector<std::int32_t> dimension;
  std::vector<std::uint8_t> impact;
  const auto append = [](const auto& values, std::vector<double>* rows) {
    rows->insert(rows->end(), values.data(), values.data() + values.size());
  };
  for (const ContactResult& c : contacts) {
    names.append(view.system.ContactName(c.key));
    key.insert(key.end(), {c.key.pair, c.key.feature});
    dimension.push_back(c.dimension);
    gap.push_back(c.gap);
    impact.push_back(c.impact ? 1 : 0);
    append(c.point, &point);
    append(c.frame, &frame);  // column major: rows of the array are n, t1, t2
    append(c.impulse, &impulse);
    append(c.velocity, &velocity);
  }
  py::dict dict;
  dict["name"] = names;
  dict["key"] = MakeArray(std::move(key), {count, 2});
  dict["dimension"] = MakeArray(std::move(dimension), {count});
  dict["gap"] = MakeArray(std::move(gap), {count});
  dict["impact"] = MakeArray(std::move(impact), {count}).attr("astype")("bool");
  dict["point"] = MakeArray(std::move(point), {count, 3});
  dict["frame"] = MakeArray(std::move(frame), {count, 3, 3});
  dict["impulse"] = MakeArray(std::move(impulse), {count, 3});
  dict["velocity"] = MakeArray(std::move(velocity), {count, 3});
  return dict;
}

py::tuple MakeOutcome(const RunOutcome& outcome) {
  const char* kinds[] = {"finished", "interrupted", "failed"};
  return py::make_tuple(kinds[static_cast<int>(outcome.kind)], outcome.message, outcome.violations,
                        outcome.verdict);
}

/// Runs without Python's lock; observers and functions take it when they are called.
/// @param list  of (function, every n steps, or each dt seconds, or each `wall` seconds of
///              computing)
py::tuple Run(PySimulation& self, const py::list& list) {
  std::vector<RunObserver> observers;
  for (const py::handle item : list) {
    const auto entry = item.cast<py::tuple>();
    observers.push_back({entry[0].ptr(),
                         OutputSchedule({entry[1].cast<long>(), entry[2].cast<double>()}),
                         entry[3].cast<double>()});
  }
  RunOutcome outcome;
  {
    const py::gil_scoped_release release;
    outcome = self.Run(observers);
  }
  return MakeOutcome(outcome);
}

py::object Advance(PySimulation& self) {
  std::string failure;
  bool good = false;
  {
    const py::gil_scoped_release release;
    good = self.Advance(&failure);
  }
  return good ? py::object(py::none()) : py::object(py::str(failure));
}

VectorX ReadVector(const py::array_t<double, py::array::c_style | py::array::forcecast>& array,
                   Eigen::Index size, const char* name) {
  if (array.size() != size) {
    throw InputError(name, "has " + std::to_string(array.size()) + " numbers",
                     "the system has " + std::to_string(size));
  }
  return Eigen::Map<const VectorX>(array.data(), size);
}

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!py::detail::get_type_info(Py_TYPE(self))) return 0;
  auto* holder = reinterpret_cast<py::detail::instance*>(self);
  if (holder->get_value_and_holder().value_ptr() == nullptr) return 0;
  Py_VISIT(py::cast<PySimulation&>(py::handle(self)).kept.ptr());
  return 0;
}

int Clear(PyObject* self) {
  py::cast<PySimulation&>(py::handle(self)).kept = py::none();
  return 0;
}

/// Functions of the user may lead back to the simulation: the garbage collector must see them.
void MakeCollectable(PyHeapTypeObject* heap_type) {
  PyTypeObject* type = &heap_type->ht_type;
  type->tp_flags |= Py_TPFLAGS_HAVE_GC;
  type->tp_traverse = Traverse;
  type->tp_clear = Clear;
}

/// The arrays take over what was recorded; `keep`: they are copies, and the recording goes on.
py::tuple TakeRecord(PySimulation& self, bool keep) {
  self.loop();
  Recorder& recorder = self.recorder();
  py::dict tables;
  const auto time = recorder.tables.find("time");  // missing before the start
  const bool empty = time == recorder.tables.end();
  const auto num_frames = empty ? 0 : static_cast<py::ssize_t>(time->second.values.size());
  if (empty) tables["time"] = MakeArray(std::vector<double>(), {0});
  for (auto& [name, table] : recorder.tables) {
    std::vector<py::ssize_t> shape = {num_frames};
    for (const long d : table.row_shape) shape.push_back(d);
    std::vector<double> values = keep ? table.values : std::move(table.values);
    tables[py::str(name)] = MakeArray(std::move(values), shape);
  }
  ContactRows contacts = keep ? recorder.contacts : std::move(recorder.contacts);
  py::list impacts;
  for (const RunEvent& event : recorder.impacts) {
    impacts.append(py::make_tuple(event.time, event.kind, event.name, event.value));
  }
  py::tuple record =
      py::make_tuple(tables, MakeContactArrays(std::move(contacts)), recorder.contact_names,
                     MakeLayout(recorder.layout), recorder.outcome, impacts);
  if (!keep) self.ForgetRecord();
  return record;
}

/// All of it as plain Python values, for pickle and copy: numbers keep their bits.
py::tuple PackCheckpoint(const Checkpoint& checkpoint) {
  const State& state = checkpoint.state;
  py::list contacts;
  for (const ContactMemory& memory : state.contacts) {
    const Vector3 &p = memory.impulse, &m = memory.moment;
    contacts.append(
        py::make_tuple(memory.key.pair, memory.key.feature, p[0], p[1], p[2], m[0], m[1], m[2]));
  }
  py::dict integrator;
  for (const auto& [name, values] : state.integrator)
    integrator[py::str(name)] = CopyVector(values);
  return py::make_tuple(state.time, CopyVector(state.q), CopyVector(state.v), contacts, integrator,
                        PackAudit(checkpoint.audit), checkpoint.step_index,
                        CopyVector(state.internal),
                        CopyVector(PackCreep(checkpoint.audit.creeping)));
}

Checkpoint UnpackCheckpoint(const py::tuple& packed) {
  Checkpoint checkpoint;
  State& state = checkpoint.state;
  const auto read = [](const py::handle& object) -> VectorX {
    const auto array = object.cast<Numbers>();
    return Eigen::Map<const VectorX>(array.data(), array.size());
  };
  state.time = packed[0].cast<double>();
  state.q = read(packed[1]);
  state.v = read(packed[2]);
  for (const py::handle item : packed[3]) {
    const auto row = item.cast<py::tuple>();
    state.contacts.push_back(
        {{row[0].cast<std::uint64_t>(), row[1].cast<std::uint64_t>()},
         {row[2].cast<double>(), row[3].cast<double>(), row[4].cast<double>()},
         {row[5].cast<double>(), row[6].cast<double>(), row[7].cast<double>()}});
  }
  for (const auto& [name, values] : packed[4].cast<py::dict>()) {
    state.integrator[name.cast<std::string>()] = read(values);
  }
  checkpoint.audit = UnpackAudit(packed[5].cast<std::vector<double>>());
  checkpoint.step_index = packed[6].cast<long>();
  state.internal = read(packed[7]);
  checkpoint.audit.creeping = UnpackCreep(read(packed[8]));
  return checkpoint;
}

void BindValues(py::module_& m) {
  py::class_<Checkpoint>(m, "Checkpoint",
                         "Everything needed to go on from an instant, bit for bit.")
      .def_property_readonly(
          "time", [](const Checkpoint& c) { return c.state.time; }, "s")
      .def_property_readonly(
          "q", [](const Checkpoint& c) { return CopyVector(c.state.q); }, "coordinates")
      .def_property_readonly(
          "v", [](const Checkpoint& c) { return CopyVector(c.state.v); }, "velocities")
      .def_readonly("step_index", &Checkpoint::step_index, "full steps done")
      .def(py::pickle(&PackCheckpoint, &UnpackCheckpoint));
  const auto copy = [](const auto& values) { return CopyVector(VectorX(values)); };
  py::class_<BodyMotion>(m, "BodyMotion", "Motion of a body in world axes.")
      .def_property_readonly(
          "position", [copy](const BodyMotion& b) { return copy(b.pose.p); }, "centre of mass [m]")
      .def_property_readonly(
          "orientation",
          [copy](const BodyMotion& b) {
            const Quaternion& R = b.pose.R;
            return copy(Vector4(R.w(), R.x(), R.y(), R.z()));
          },
          "unit quaternion w x y z, body axes to world axes")
      .def_property_readonly(
          "velocity", [copy](const BodyMotion& b) { return copy(b.velocity); },
          "of the centre of mass [m/s]")
      .def_property_readonly(
          "angular_velocity", [copy](const BodyMotion& b) { return copy(b.angular_velocity); },
          "world axes [rad/s]");
}

}  // namespace

void BindSimulation(py::module_& m) {
  BindValues(m);
  py::class_<PySimulation>(m, "Simulation", py::custom_type_setup(MakeCollectable))
      .def(py::init(&PySimulation::Make))
      .def("run", &Run)
      .def("start", &PySimulation::Start)
      .def("advance", &Advance)
      .def("finish",
           [](PySimulation& self, const std::string& kind, const std::string& message) {
             RunOutcome outcome;
             outcome.kind = kind == "failed"        ? RunOutcome::Kind::kFailed
                            : kind == "interrupted" ? RunOutcome::Kind::kInterrupted
                                                    : RunOutcome::Kind::kFinished;
             outcome.message = message;
             return MakeOutcome(self.Finish(std::move(outcome)));
           })
      .def("abandon", &PySimulation::Abandon)
      .def("take_record", &TakeRecord)
      .def("checkpoint", [](PySimulation& self) { return self.loop().checkpoint(); })
      .def("add_event",
           [](PySimulation& self, double time, const std::string& name, double value) {
             self.AddEvent({time, name, value});
           })
      .def("restore", [](PySimulation& self, const Checkpoint& c) { self.Restore(c); })
      .def("set_state",
           [](PySimulation& self, const Numbers& q, const Numbers& v) {
             const State& s = self.loop().state();
             self.SetState(ReadVector(q, s.q.size(), "q"), ReadVector(v, s.v.size(), "v"));
           })
      .def_property_readonly("done", [](PySimulation& self) { return self.loop().done(); })
      .def_property_readonly("time", [](PySimulation& self) { return self.loop().state().time; })
      .def_property_readonly("q",
                             [](PySimulation& self) { return CopyVector(self.loop().state().q); })
      .def_property_readonly("v",
                             [](PySimulation& self) { return CopyVector(self.loop().state().v); })
      .def_property_readonly("step_index",
                             [](PySimulation& self) { return self.loop().checkpoint().step_index; })
      .def_property_readonly(
          "energy", [](PySimulation& self) { return MakeEnergy(self.loop().MakeView().energy); })
      .def_property_readonly("multipliers",
                             [](PySimulation& self) {
                               return CopyVector(self.loop().MakeView().report.constraint_impulse);
                             })
      .def_property_readonly(
          "report", [](PySimulation& self) { return MakeReport(self.loop().MakeView().report); })
      .def_property_readonly(
          "contacts", [](PySimulation& self) { return MakeContacts(self.loop().MakeView()); })
      .def_property_readonly("audit",
                             [](PySimulation& self) { return ListAudit(self.loop().audit()); })
      .def_property_readonly(
          "layout", [](PySimulation& self) { return MakeLayout(MakeFrameLayout(self.system())); })
      .def("body_motion", &PySimulation::CalcBodyMotion)
      .def("joint_motion", &PySimulation::CalcJointMotion)
      .def_property_readonly("verdict",
                             [](PySimulation& self) { return self.loop().MakeVerdict().line(); })
      .def_property_readonly("input_names",
                             [](PySimulation& self) { return self.inputs().names(); })
      .def("input",
           [](PySimulation& self, const std::string& name) {
             return self.inputs().Calc(name, self.loop().state().time);
           })
      .def("set_input",
           [](PySimulation& self, const std::string& name, const std::vector<double>& values) {
             self.inputs().Set(name, values, self.loop().state().time);
           })
      .def("release_input",
           [](PySimulation& self, const std::string& name) {
             self.inputs().Release(name, self.loop().state().time);
           })
      .def_property_readonly("notices", [](PySimulation& self) {
        py::list notices;
        for (const Notice& notice : MakeRunNotices(self.loop())) {
          notices.append(py::make_tuple(notice.severity == Severity::kWarning ? "warning" : "note",
                                        notice.item, notice.message));
        }
        return notices;
      });
}

}  // namespace saltus::python
