// Scenes: trees of dicts and lists in Python, plain structs in C++.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "saltus/base/error.h"
#include "saltus/scene/scene.h"
#include "saltus/scene/yaml.h"

#include "python/src/bindings.h"
#include "python/src/callback.h"
#include "python/src/convert.h"

namespace saltus::python {
namespace {

Value Parse(const std::string& text, const std::string& file) {
  const SceneLimits limits;
  ValueBudget budget(limits.max_values);
  return ParseYaml(text, file, limits, &budget);
}

/// One call of a function of time: a number, or (value, rate, acceleration).
TimeJet CallTimeFunction(const std::string& path, PyObject* function, double t, bool* has_rates) {
  const PythonLock lock;
  const auto fail = [&](const std::string& what) {
    return InputError(path, what + " " + FormatTime(t),
                      "return a number, or (value, rate, acceleration)");
  };
  py::object result;
  try {
    result = py::reinterpret_borrow<py::object>(function)(t);
  } catch (py::error_already_set& error) {
    error.restore();
    ThrowPythonError("in the function at '" + path + "' of a scene, " + FormatTime(t));
  }
  TimeJet jet;
  *has_rates = PySequence_Check(result.ptr()) != 0;
  try {
    if (*has_rates) {
      const auto numbers = result.cast<std::array<double, 3>>();
      jet = {numbers[0], numbers[1], numbers[2]};
    } else {
      jet.value = result.cast<double>();
    }
  } catch (const py::cast_error&) {
    throw fail("returned " + std::string(py::repr(result)));
  }
  if (!std::isfinite(jet.value + jet.rate + jet.acceleration)) throw fail("returned nan or inf");
  return jet;
}

/// t ↦ function(t). Loads need the value alone; drives also the derivatives: given by the function,
/// or by differences of fourth order over ±2·10⁻⁴ s.
TimeFunction MakeTimeFunction(const ScenePath& entry, bool with_rates) {
  PyObject* function = entry.function.ptr();  // borrowed: the simulation keeps it
  return TimeFunction([path = entry.path, function, with_rates](double t) {
    bool has_rates = false;
    TimeJet jet = CallTimeFunction(path, function, t, &has_rates);
    if (has_rates || !with_rates) return jet;
    constexpr double kStep = 1e-4;  // s
    std::array<double, 5> f{};
    for (int k = -2; k <= 2; ++k) {
      const bool middle = k == 0;
      f[k + 2] =
          middle ? jet.value : CallTimeFunction(path, function, t + k * kStep, &has_rates).value;
    }
    jet.rate = (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * kStep);
    jet.acceleration = (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * kStep * kStep);
    return jet;
  });
}

template <typename Items>
auto* FindNamed(Items* items, const std::string& name) {
  for (auto& item : *items) {
    if (item.name == name) return &item;
  }
  return static_cast<decltype(items->data())>(nullptr);
}

/// The place of a function of time in a force, at "force.0", "torque.2" or "effort"; or null.
TimeFunction* FindForceFunction(ForceSpec* force, const std::string& key) {
  const auto component = [&](std::array<TimeFunction, 3>* functions, const std::string& prefix) {
    const bool fits = key.size() == prefix.size() + 2 && key.starts_with(prefix + ".") &&
                      key.back() >= '0' && key.back() <= '2';
    return fits ? &(*functions)[static_cast<std::size_t>(key.back() - '0')] : nullptr;
  };
  if (auto* load = std::get_if<ForceLoadSpec>(force)) return component(&load->force, "force");
  if (auto* load = std::get_if<TorqueLoadSpec>(force)) return component(&load->torque, "torque");
  if (auto* motor = std::get_if<ActuatorSpec>(force)) {
    return key == "effort" ? &motor->effort : nullptr;
  }
  return nullptr;
}

/// Puts a Python function where the scene has its placeholder.
void SetFunction(const ScenePath& entry, ModelSpec* model) {
  const std::string& path = entry.path;
  const std::size_t first = path.find('.'), second = path.find('.', first + 1);
  if (second != std::string::npos) {
    const std::string section = path.substr(0, first), key = path.substr(second + 1);
    const std::string name = path.substr(first + 1, second - first - 1);
    JointSpec* joint = section == "joints" ? FindNamed(&model->joints, name) : nullptr;
    if (joint != nullptr && key.starts_with("drive.")) {
      std::optional<TimeFunction>& drive = key == "drive.angle"          ? joint->drive_angle
                                           : key == "drive.displacement" ? joint->drive_displacement
                                                                         : joint->drive_length;
      drive = MakeTimeFunction(entry, true);
      return;
    }
    if (section == "forces") {
      for (ForceSpec& force : model->forces) {
        const bool found = std::visit([&](const auto& f) { return f.name == name; }, force);
        TimeFunction* function = found ? FindForceFunction(&force, key) : nullptr;
        if (function == nullptr) continue;
        *function = MakeTimeFunction(entry, false);
        return;
      }
    }
  }
  throw InputError(path, "a Python function cannot stand here",
                   "functions of t may be drives of joints, components of loads and efforts of "
                   "actuators");
}

py::tuple MakeScene(const py::object& tree, const std::vector<std::string>& overrides,
                    const std::string& base_dir) {
  std::vector<ScenePath> functions;
  const Value value = MakeValue(tree, "", &functions);
  auto scene = std::make_shared<Scene>(ReadSceneText(FormatYaml(value), "", overrides, base_dir));
  py::list kept;  // (path, function)
  for (const ScenePath& entry : functions) {
    SetFunction(entry, &scene->model);
    kept.append(py::make_tuple(entry.path, entry.function));
  }
  return py::make_tuple(scene, kept);
}

}  // namespace

void BindScene(py::module_& m) {
  py::class_<Scene, std::shared_ptr<Scene>>(m, "Scene")
      .def_property_readonly("name", [](const Scene& s) { return s.model.name; })
      .def_property_readonly("integrator", [](const Scene& s) { return s.integrator.name; })
      .def_property_readonly("step", [](const Scene& s) { return s.simulation.step; })
      .def_property_readonly("until", [](const Scene& s) { return s.simulation.until; })
      .def_readonly("parameters", &Scene::parameters)
      .def_readwrite("source", &Scene::source)
      .def("to_yaml", &WriteScene);
  m.def("read_scene", [](const std::string& path, const std::vector<std::string>& overrides) {
    return std::make_shared<Scene>(ReadScene(path, overrides));
  });
  m.def("read_scene_text", [](const std::string& text, const std::vector<std::string>& overrides,
                              const std::string& base_dir) {
    return std::make_shared<Scene>(ReadSceneText(text, "", overrides, base_dir));
  });
  m.def("make_scene", &MakeScene);
  m.def("parse_yaml", [](const std::string& text, const std::string& file) {
    return MakeObject(Parse(text, file));
  });
  m.def("format_yaml",
        [](const py::object& tree) { return FormatYaml(MakeValue(tree, "", nullptr)); });
}

}  // namespace saltus::python
