// The parts of the module saltus._core, one source file each.
#pragma once

#include <pybind11/pybind11.h>

namespace saltus::python {

void BindScene(pybind11::module_& m);
void BindSimulation(pybind11::module_& m);
void BindUserSystem(pybind11::module_& m);
void BindContactProblems(pybind11::module_& m);
void BindResults(pybind11::module_& m);
void BindView(pybind11::module_& m);

}  // namespace saltus::python
