// saltus._core: the compiled part of the package. The names that users see are in saltus/*.py.
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "saltus/base/error.h"
#include "saltus/cones/conic_solver.h"
#include "saltus/output/result_file.h"
#include "saltus/scene/integrator_registry.h"
#include "saltus/scene/schema.h"

#include "python/src/bindings.h"
#include "python/src/numpy.h"

namespace saltus::python {
namespace {

namespace py = pybind11;

using Rows = std::vector<std::pair<std::string, std::string>>;

/// saltus.InputError with the parts of the message as attributes.
void SetInputError(const py::object& type, const InputError& error) {
  py::object exception = type(error.what());
  exception.attr("item") = error.item();
  exception.attr("reason") = error.message();
  exception.attr("suggestion") = error.suggestion();
  exception.attr("file") = error.location().file;
  exception.attr("line") = error.location().line;
  PyErr_SetObject(type.ptr(), exception.ptr());
}

void TranslateErrors(const py::module_& m) {
  // The types live as long as the interpreter: a translator cannot be taken back.
  static PyObject* input_error =
      PyErr_NewExceptionWithDoc("saltus.InputError",
                                "Bad input: names the file, line and key (or the function of a "
                                "user system), the value, and what would be right.",
                                PyExc_ValueError, nullptr);
  static PyObject* output_error = PyErr_NewExceptionWithDoc(
      "saltus.OutputError", "A result could not be written any further (disk full).", PyExc_OSError,
      nullptr);
  m.attr("InputError") = py::handle(input_error);
  m.attr("OutputError") = py::handle(output_error);
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const InputError& error) {
      SetInputError(py::reinterpret_borrow<py::object>(input_error), error);
    } catch (const OutputError& error) {
      PyErr_SetString(output_error, error.what());
    }
  });
}

Rows ListKindRows(const std::vector<Kind>& kinds) {
  Rows rows;
  for (const Kind& kind : kinds) rows.emplace_back(kind.name, kind.summary);
  return rows;
}

py::dict ListKinds(const std::vector<Kind>& kinds) {
  py::dict names;
  for (const Kind& kind : kinds) names[py::str(kind.name)] = kind.keys;
  return names;
}

py::list ListIntegratorRows() {
  py::list rows;
  for (const IntegratorInfo& info : ListIntegrators()) {
    py::dict options;
    for (const auto& option : info.options) options[py::str(option.key)] = option.summary;
    rows.append(py::make_tuple(info.name, info.summary, options));
  }
  return rows;
}

Rows ListSolverRows() {
  Rows rows;
  for (const ConicSolverInfo& info : ListConicSolvers()) rows.emplace_back(info.name, info.summary);
  return rows;
}

py::dict ListSectionKeys() {
  py::dict sections;
  for (const Section& section : ListSections()) sections[py::str(section.name)] = section.keys;
  return sections;
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  m.doc() = "The compiled part of saltus; use the package 'saltus'.";
  if (!ImportNumpy()) throw py::error_already_set();
  TranslateErrors(m);
  m.attr("__version__") = LibraryVersion();
  m.def("list_integrators", &ListIntegratorRows);
  m.def("list_solvers", &ListSolverRows);
  m.def("list_sections", &ListSectionKeys);
  m.def("list_joints", [] { return ListKindRows(ListJointKinds()); });
  m.def("list_forces", [] { return ListKindRows(ListForceKinds()); });
  m.def("list_shapes", [] { return ListKindRows(ListShapeKinds()); });
  m.def("list_laws", [] { return ListKindRows(ListLawKinds()); });
  m.def("list_surfaces", [] { return ListKindRows(ListSurfaceKinds()); });
  m.def("list_joint_keys", [] { return ListKinds(ListJointKinds()); });
  m.def("list_force_keys", [] { return ListKinds(ListForceKinds()); });
  BindScene(m);
  BindSimulation(m);
  BindUserSystem(m);
  BindContactProblems(m);
  BindResults(m);
  BindView(m);
}

}  // namespace saltus::python
