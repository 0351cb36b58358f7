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
  dict["impacts"] = report.impacts;
  work["loads"] = report.work.loads;
  work["drives"] = report.work.drives;
  work["impact_loss"] = report.work.impact_loss;
  work["friction_loss"] = report.work.friction_loss;
  work["joint_friction_loss"] = report.work.joint_friction_loss;
  work["contact_loss"] = report.work.contact_loss;
  work["decohesion_loss"] = report.work.decohesion_loss;
  work["projection"] = report.work.projection;
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
  return py::make_tuple(kinds[static_cast<int>(outcome.kind)], outcome.message, outcome.violations);
}

/// Runs without Python's lock; observers and functions take it when they are called.
/// @param list  of (function, every n steps, or each dt seconds, or each `wall` seconds of
/// computing)
py::tuple Run(PySimulation& self, const py::list& list) {
  std::vector<RunObserver> observers;
  for (const py::handle item : list) {
    const auto entry = item.cast<py::tuple>();
    observers.push_back({entry[0].ptr(),
                         OutputSchedule({entry[1].cast<long>(), entry[2].cast<double>()}),
                         entry[3].cast<double>()});
  }
  RunOutcome outcome;
  std::exception_ptr interruption;
  {
    const py::gil_scoped_release release;
    outcome = self.Run(observers, &interruption);
  }
  if (interruption) std::rethrow_exception(interruption);
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

py::tuple TakeRecord(PySimulation& self) {
  Recorder& recorder = self.recorder();
  py::dict tables;
  const auto num_frames = static_cast<py::ssize_t>(recorder.tables["time"].values.size());
  for (auto& [name, table] : recorder.tables) {
    std::vector<py::ssize_t> shape = {num_frames};
    for (const long d : table.row_shape) shape.push_back(d);
    tables[py::str(name)] = MakeArray(std::move(table.values), shape);
  }
  py::tuple record =
      py::make_tuple(tables, MakeContactArrays(std::move(recorder.contacts)),
                     recorder.contact_names, MakeLayout(recorder.layout), recorder.outcome);
  self.ForgetRecord();
  return record;
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
      .def_readonly("step_index", &Checkpoint::step_index, "full steps done");
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
      .def_property_readonly("notices", [](PySimulation& self) {
        py::list notices;
        for (const Notice& notice : self.system().MakeNotices()) {
          notices.append(py::make_tuple(notice.severity == Severity::kWarning ? "warning" : "note",
                                        notice.item, notice.message));
        }
        return notices;
      });
}

}  // namespace saltus::python
