// Functions of (t, q, v) that a user wrote in Python, called from the inside of an integrator.
//
// Lean: arguments are arrays made once, results are read in place, and a call with the arguments of
// the call before is answered from memory (functions of a System are pure). Careful: a wrong shape,
// a NaN or an exception names the function.
#pragma once

#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "saltus/base/stop_request.h"
#include "saltus/base/types.h"

#include "python/src/numpy.h"

namespace saltus::python {

/// Holds Python's lock; cheaper than pybind11's guard, which also serves interpreters of its own.
class PythonLock {
 public:
  PythonLock() : state_(PyGILState_Ensure()) {}
  ~PythonLock() { PyGILState_Release(state_); }
  PythonLock(const PythonLock&) = delete;
  PythonLock& operator=(const PythonLock&) = delete;

 private:
  PyGILState_STATE state_;
};

/// An exception of Python by which somebody wished the end: KeyboardInterrupt, as a rule.
class PythonInterruption final : public pybind11::error_already_set, public Interruption {
 public:
  explicit PythonInterruption(const pybind11::error_already_set& error)
      : pybind11::error_already_set(error) {}
};

/// Throws the exception that Python has set, with a note on where it came from. Ctrl-C in the midst
/// of a function is an Interruption.
[[noreturn]] void ThrowPythonError(const std::string& note);

/// "at t = 0.5 s"
std::string FormatTime(double t);

/// Which of t, q, v a function takes, in this order.
enum ArgumentBits : unsigned { kTakesTime = 1, kTakesQ = 2, kTakesV = 4 };

/// How long a result must be, and how it may be shaped.
struct ResultShape {
  std::vector<long> dims;    // {} for a number, {n}, {m, n}, {c, d, n}
  bool or_diagonal = false;  // {n, n}: {n} stands for a diagonal matrix
  long size() const;         // product of dims
  std::string text() const;  // "(3, 2)"
  bool Fits(int num_dims, const npy_intp* found) const;
};

/// An array that Python sees and cannot write to. Copies start without one.
class ArgumentArray {
 public:
  ArgumentArray() = default;
  ArgumentArray(const ArgumentArray&) {}
  ArgumentArray& operator=(const ArgumentArray&) { return *this; }
  ~ArgumentArray();

  /// Holds a copy of `values`; a new array is made if somebody kept the old one. Needs the lock.
  PyObject* Fill(const VectorX& values);

 private:
  PyObject* array_ = nullptr;
};

class Callback {
 public:
  /// @param function  borrowed: whoever makes the Callback keeps it alive
  Callback(std::string name, PyObject* function, unsigned arguments, ResultShape shape);

  const std::string& name() const { return name_; }
  bool takes(ArgumentBits bit) const { return (arguments_ & bit) != 0; }

  /// shape.size() numbers, row major; valid until the next call. `v` may be null for functions that
  /// do not take it. Throws InputError or the Python exception.
  const double* Call(double t, const VectorX& q, const VectorX* v);

 private:
  bool IsRepeated(double t, const VectorX& q, const VectorX* v) const;
  void Remember(double t, const VectorX& q, const VectorX* v);
  void Evaluate(double t, const VectorX& q, const VectorX* v);
  void ReadResult(PyObject* result, double t);
  [[noreturn]] void ThrowFailure(double t) const;

  std::string name_;
  PyObject* function_;
  unsigned arguments_;
  ResultShape shape_;
  ArgumentArray q_array_, v_array_;
  std::vector<double> values_;
  bool has_values_ = false;
  double last_t_ = 0;
  VectorX last_q_, last_v_;
};

}  // namespace saltus::python
