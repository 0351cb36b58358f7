// A result that is in memory as a file.
#pragma once

#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "saltus/simulation/simulation.h"

namespace saltus::python {

namespace py = pybind11;

/// @param layout, tables, contacts  as a Result holds them; contacts may be None
/// @param events  list of (time, kind, name, value)
void SaveResult(const std::string& path, bool force, const std::string& title,
                const std::string& scene, const py::dict& layout, const py::dict& tables,
                const py::object& contacts, const std::vector<std::string>& contact_names,
                const py::list& events, const Checkpoint& checkpoint, const std::string& outcome,
                const std::string& verdict);

}  // namespace saltus::python
