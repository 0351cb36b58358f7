#include "python/src/convert.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "saltus/base/error.h"

namespace saltus::python {
namespace {

std::string Join(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

[[noreturn]] void Refuse(py::handle object, const std::string& path) {
  throw InputError(path,
                   "a Python object of type '" + std::string(Py_TYPE(object.ptr())->tp_name) +
                       "' cannot stand in a scene",
                   "use numbers, texts, lists, arrays and dicts");
}

Value MakeReal(double number) {
  if (std::isinf(number)) return MakeScalar(number > 0 ? ".inf" : "-.inf");
  return MakeNumber(number);
}

Value MakeMapValue(const py::dict& dict, const std::string& path,
                   std::vector<ScenePath>* callables) {
  Value map = MakeMap();
  for (const auto& [key, item] : dict) {
    if (!py::isinstance<py::str>(key)) {
      throw InputError(path, "the key " + std::string(py::repr(key)) + " is not a text",
                       "keys of a scene are texts");
    }
    const std::string name = py::str(key);
    map.Add(name, MakeValue(item, Join(path, name), callables));
  }
  return map;
}

Value MakeListValue(py::handle sequence, const std::string& path,
                    std::vector<ScenePath>* callables) {
  std::vector<Value> items;
  for (const py::handle item : sequence) {
    items.push_back(MakeValue(item, Join(path, std::to_string(items.size())), callables));
  }
  return MakeList(std::move(items));
}

/// Entries of these keys are texts even if they look like numbers.
bool HoldsTexts(std::string_view key) {
  constexpr std::array<std::string_view, 14> kTexts = {
      "name", "material", "materials",  "type",   "between", "joint", "on",
      "axes", "planar",   "integrator", "solver", "include", "file",  "variant"};
  for (const std::string_view text : kTexts) {
    if (text == key) return true;
  }
  return false;
}

py::object MakeScalarObject(const std::string& text) {
  if (text == "true" || text == "false") return py::bool_(text == "true");
  if (text == ".inf" || text == "-.inf") return py::float_(text == ".inf" ? INFINITY : -INFINITY);
  const char* end = text.data() + text.size();
  long integer = 0;
  if (text == "-0") return py::float_(-0.0);  // whole numbers have no such zero
  if (const auto result = std::from_chars(text.data(), end, integer);
      result.ec == std::errc() && result.ptr == end) {
    return py::int_(integer);
  }
  const char* begin = text.data() + (text.size() > 1 && text[0] == '+' ? 1 : 0);
  const bool is_word = !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0;
  double real = 0;
  const auto result = std::from_chars(begin, end, real);
  if (!is_word && result.ec == std::errc() && result.ptr == end) return py::float_(real);
  return py::str(text);
}

py::object MakeObjectFor(const Value& value, bool is_text) {
  switch (value.kind) {
    case Value::Kind::kNull:
      return py::none();
    case Value::Kind::kScalar:
      return is_text ? py::str(value.text) : MakeScalarObject(value.text);
    case Value::Kind::kList: {
      py::list list;
      for (const Value& item : value.items) list.append(MakeObjectFor(item, is_text));
      return list;
    }
    case Value::Kind::kMap:
      break;
  }
  py::dict dict;
  for (const Value::Entry& entry : value.entries) {
    dict[py::str(entry.key)] = MakeObjectFor(entry.value, HoldsTexts(entry.key));
  }
  return dict;
}

}  // namespace

Value MakeValue(py::handle object, const std::string& path, std::vector<ScenePath>* callables) {
  PyObject* p = object.ptr();
  if (object.is_none()) return {};
  if (PyBool_Check(p)) return MakeScalar(object.cast<bool>() ? "true" : "false");
  if (PyFloat_Check(p)) return MakeReal(PyFloat_AS_DOUBLE(p));
  if (PyLong_Check(p)) return MakeScalar(py::str(object));
  if (PyUnicode_Check(p)) return MakeScalar(object.cast<std::string>());
  if (PyDict_Check(p)) return MakeMapValue(object.cast<py::dict>(), path, callables);
  if (PyList_Check(p) || PyTuple_Check(p)) return MakeListValue(object, path, callables);
  if (py::hasattr(object, "tolist")) {  // numpy arrays and numbers
    return MakeValue(py::object(object.attr("tolist")()), path, callables);
  }
  if (py::hasattr(object, "__fspath__")) return MakeScalar(py::str(object.attr("__fspath__")()));
  if (PyCallable_Check(p) != 0) {
    if (callables == nullptr) {
      throw InputError(path, "a Python function has no text", "write a formula in t instead");
    }
    callables->push_back({path, py::reinterpret_borrow<py::object>(object)});
    return MakeNumber(1);
  }
  Refuse(object, path);
}

py::object MakeObject(const Value& value) { return MakeObjectFor(value, false); }

}  // namespace saltus::python
