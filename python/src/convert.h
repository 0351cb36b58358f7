// Between Python objects and the values of the library.
//
//   dict, list, text, number  <->  Value, the tree behind a scene (scene/value.h)
//   std::vector               -->  numpy array that owns it: no number is copied
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "saltus/base/types.h"
#include "saltus/scene/value.h"

namespace saltus::python {

namespace py = pybind11;

/// A callable found in a scene, at "joints.hinge.drive.angle" or "forces.push.force.2".
struct ScenePath {
  std::string path;
  py::object function;
};

/// The object as a tree. Numbers keep all their bits. Callables are put into *callables, and a 1
/// takes their place; without `callables` they are refused. Throws InputError with the path of
/// what cannot stand in a scene.
Value MakeValue(py::handle object, const std::string& path, std::vector<ScenePath>* callables);

/// The tree as dicts, lists, numbers, truth values and texts. Entries that are texts by their
/// nature (names, materials, types) stay texts even if they look like numbers.
py::object MakeObject(const Value& value);

/// A read-only array that takes over the vector.
template <typename T>
py::array MakeArray(std::vector<T>&& values, std::vector<py::ssize_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  const T* data = owned->data();
  const py::capsule owner(owned.release(), [](void* p) { delete static_cast<std::vector<T>*>(p); });
  py::array_t<T> array(std::move(shape), data, owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

/// A copy of a vector as an array of one dimension.
inline py::array_t<double> CopyVector(const VectorX& values) {
  return py::array_t<double>(values.size(), values.data());
}

}  // namespace saltus::python
