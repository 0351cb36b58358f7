// From the terms that saltus/systems.py has checked to a LagrangianSystem.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "python/src/bindings.h"
#include "python/src/convert.h"
#include "python/src/lagrangian_system.h"

namespace saltus::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

VectorX ReadVector(const py::handle& object) {
  const auto array = object.cast<Numbers>();
  return Eigen::Map<const VectorX>(array.data(), array.size());
}

RowMatrix ReadMatrix(const py::handle& object) {
  const auto array = object.cast<Numbers>();
  return Eigen::Map<const RowMatrix>(array.data(), array.shape(0), array.shape(1));
}

/// (name, function, bits of its arguments)
Callback ReadCallback(const py::handle& object, ResultShape shape) {
  const auto entry = object.cast<py::tuple>();
  return Callback(entry[0].cast<std::string>(), py::object(entry[1]).ptr(),
                  entry[2].cast<unsigned>(), std::move(shape));
}

/// None, an array of the right shape, or a callback.
Term ReadTerm(const py::dict& dict, const char* key, ResultShape shape) {
  const py::object object = dict[key];
  if (object.is_none()) return Term();
  if (py::isinstance<py::tuple>(object)) return Term(ReadCallback(object, std::move(shape)));
  return Term(RowMatrix(ReadVector(object).transpose()));
}

/// {"A", "b"}, or {"value", "rows", "jacobian", "rate"}, or None.
UserFunction ReadFunction(const py::object& object, long n) {
  if (object.is_none()) return UserFunction(RowMatrix(0, n), VectorX(0));
  const auto dict = object.cast<py::dict>();
  if (dict.contains("A")) return UserFunction(ReadMatrix(dict["A"]), ReadVector(dict["b"]));
  const long rows = dict["rows"].cast<long>();
  return UserFunction(ReadCallback(dict["value"], {{rows}}), rows,
                      ReadTerm(dict, "jacobian", {{rows, n}}), ReadTerm(dict, "rate", {{rows}}));
}

UserContacts ReadContacts(const py::dict& dict, long n) {
  UserContacts contacts;
  contacts.gap = ReadFunction(dict["gap"], n);
  const long count = contacts.gap.num_rows();
  const long slips = dict["dimension"].cast<long>() - 1;
  contacts.dimension = static_cast<int>(slips) + 1;
  contacts.tangent = ReadTerm(
      dict, "tangent", slips == 1 ? ResultShape{{count, n}} : ResultShape{{count, slips, n}});
  contacts.drift = ReadTerm(dict, "drift", {{count, slips}});
  contacts.point = ReadTerm(dict, "point", {{count, 3}});
  contacts.friction = ReadVector(dict["friction"]);
  contacts.restitution = ReadVector(dict["restitution"]);
  contacts.restitution_tangential = ReadVector(dict["restitution_tangential"]);
  contacts.names = dict["names"].cast<std::vector<std::string>>();
  return contacts;
}

std::shared_ptr<LagrangianSystem> MakeSystem(const py::dict& dict) {
  UserTerms terms;
  terms.q0 = ReadVector(dict["q0"]);
  terms.v0 = ReadVector(dict["v0"]);
  const long n = terms.q0.size();
  terms.mass = ReadTerm(dict, "mass", {{n, n}, true});
  terms.force = ReadTerm(dict, "force", {{n}});
  terms.stiffness = ReadTerm(dict, "stiffness", {{n, n}});
  terms.damping = ReadTerm(dict, "damping", {{n, n}});
  terms.loads = ReadTerm(dict, "loads", {{n}});
  terms.loads_are_force = dict["loads_are_force"].cast<bool>();
  terms.constraints = ReadFunction(dict["constraints"], n);
  terms.bias = ReadTerm(dict, "bias", {{terms.constraints.num_rows()}});
  for (const py::handle group : dict["contacts"]) {
    terms.contacts.push_back(ReadContacts(group.cast<py::dict>(), n));
  }
  terms.energy_size = dict["energy_size"].cast<int>();
  terms.energy = ReadTerm(dict, "energy", {{terms.energy_size}});
  terms.names = dict["names"].cast<std::vector<std::string>>();
  terms.constraint_names = dict["constraint_names"].cast<std::vector<std::string>>();
  return std::make_shared<LagrangianSystem>(std::move(terms));
}

}  // namespace

void BindUserSystem(py::module_& m) {
  py::class_<LagrangianSystem, std::shared_ptr<LagrangianSystem>>(m, "LagrangianSystem")
      .def(py::init(&MakeSystem));
}

}  // namespace saltus::python
