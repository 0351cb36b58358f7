#include "python/src/callback.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <pybind11/pybind11.h>

#include "saltus/base/error.h"

namespace saltus::python {
namespace {

namespace py = pybind11;

std::string FormatShape(int num_dims, const npy_intp* dims) {
  std::string text = "(";
  for (int i = 0; i < num_dims; ++i) text += (i > 0 ? ", " : "") + std::to_string(dims[i]);
  return text + (num_dims == 1 ? ",)" : ")");
}

}  // namespace

std::string FormatTime(double t) { return "at t = " + std::to_string(t) + " s"; }

void ThrowPythonError(const std::string& note) {
  const py::error_already_set error;
  if (!note.empty() && py::hasattr(error.value(), "add_note")) error.value().attr("add_note")(note);
  if (error.matches(PyExc_KeyboardInterrupt)) throw PythonInterruption(error);
  throw error;
}

ArgumentArray::~ArgumentArray() {
  if (array_ == nullptr) return;
  const PythonLock lock;
  Py_DECREF(array_);
}

PyObject* ArgumentArray::Fill(const VectorX& values) {
  if (array_ == nullptr || Py_REFCNT(array_) > 1) {
    npy_intp size = values.size();
    PyObject* made = PyArray_SimpleNew(1, &size, NPY_DOUBLE);
    if (made == nullptr) throw py::error_already_set();
    PyArray_CLEARFLAGS(reinterpret_cast<PyArrayObject*>(made), NPY_ARRAY_WRITEABLE);
    Py_XDECREF(array_);
    array_ = made;
  }
  void* data = PyArray_DATA(reinterpret_cast<PyArrayObject*>(array_));
  std::memcpy(data, values.data(), sizeof(double) * static_cast<std::size_t>(values.size()));
  return array_;
}

long ResultShape::size() const {
  long product = 1;
  for (const long d : dims) product *= d;
  return product;
}

std::string ResultShape::text() const {
  std::string text = FormatShape(static_cast<int>(dims.size()), dims.data());
  if (or_diagonal) text += " or (" + std::to_string(dims[0]) + ",) for a diagonal matrix";
  return text;
}

bool ResultShape::Fits(int num_dims, const npy_intp* found) const {
  if (num_dims == 0) return size() == 1;
  if (or_diagonal && num_dims == 1) return found[0] == dims[0];
  if (dims.empty()) return num_dims == 1 && found[0] == 1;
  return num_dims == static_cast<int>(dims.size()) && std::equal(dims.begin(), dims.end(), found);
}

Callback::Callback(std::string name, PyObject* function, unsigned arguments, ResultShape shape)
    : name_(std::move(name)),
      function_(function),
      arguments_(arguments),
      shape_(std::move(shape)),
      values_(static_cast<std::size_t>(shape_.size())) {}

bool Callback::IsRepeated(double t, const VectorX& q, const VectorX* v) const {
  return has_values_ && (!takes(kTakesTime) || t == last_t_) && (!takes(kTakesQ) || q == last_q_) &&
         (!takes(kTakesV) || *v == last_v_);
}

void Callback::Remember(double t, const VectorX& q, const VectorX* v) {
  last_t_ = t;
  if (takes(kTakesQ)) last_q_ = q;
  if (takes(kTakesV)) last_v_ = *v;
  has_values_ = true;
}

const double* Callback::Call(double t, const VectorX& q, const VectorX* v) {
  if (!IsRepeated(t, q, v)) {
    has_values_ = false;
    Evaluate(t, q, v);
    Remember(t, q, v);
  }
  return values_.data();
}

void Callback::Evaluate(double t, const VectorX& q, const VectorX* v) {
  const PythonLock lock;
  PyObject* arguments[3];
  std::size_t count = 0;
  PyObject* time = nullptr;
  if (takes(kTakesTime)) arguments[count++] = time = PyFloat_FromDouble(t);
  if (takes(kTakesQ)) arguments[count++] = q_array_.Fill(q);
  if (takes(kTakesV)) arguments[count++] = v_array_.Fill(*v);
  PyObject* result = PyObject_Vectorcall(function_, arguments, count, nullptr);
  Py_XDECREF(time);
  if (result == nullptr) ThrowFailure(t);
  const py::object owner = py::reinterpret_steal<py::object>(result);
  ReadResult(result, t);
}

void Callback::ReadResult(PyObject* result, double t) {
  if (result == Py_None) {
    throw InputError(name_, "returned None " + FormatTime(t), "return the numbers");
  }
  py::object converted;
  const bool is_array = PyArray_Check(result) != 0;
  auto* array = reinterpret_cast<PyArrayObject*>(result);
  if (!is_array || PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(array)) {
    PyObject* made = PyArray_FROMANY(result, NPY_DOUBLE, 0, 0, NPY_ARRAY_CARRAY_RO);
    if (made == nullptr) ThrowFailure(t);
    converted = py::reinterpret_steal<py::object>(made);
    array = reinterpret_cast<PyArrayObject*>(made);
  }
  const int num_dims = PyArray_NDIM(array);
  if (!shape_.Fits(num_dims, PyArray_DIMS(array))) {
    throw InputError(name_,
                     "returned an array of shape " + FormatShape(num_dims, PyArray_DIMS(array)) +
                         " " + FormatTime(t),
                     "the shape must be " + shape_.text());
  }
  const auto* data = static_cast<const double*>(PyArray_DATA(array));
  const auto size = static_cast<std::size_t>(PyArray_SIZE(array));
  for (std::size_t i = 0; i < size; ++i) {
    if (std::isfinite(data[i])) continue;
    throw InputError(name_,
                     "returned " + std::string(std::isnan(data[i]) ? "nan" : "inf") +
                         " in component " + std::to_string(i) + " " + FormatTime(t),
                     "the result must be finite");
  }
  if (size == values_.size()) {
    std::copy_n(data, size, values_.data());
  } else {  // the diagonal of a matrix
    std::fill(values_.begin(), values_.end(), 0.0);
    for (std::size_t i = 0; i < size; ++i) values_[i * (size + 1)] = data[i];
  }
}

void Callback::ThrowFailure(double t) const {
  ThrowPythonError("in the function '" + name_ + "' of a user system, " + FormatTime(t));
}

}  // namespace saltus::python
