// Overrides of the command line: "r=0.2", "simulation.step=0.01", "ground.shapes.0.material=ice".
#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "saltus/scene/compose.h"
#include "saltus/scene/field.h"
#include "saltus/scene/yaml.h"

namespace saltus {
namespace {

std::vector<std::string> Split(const std::string& path) {
  std::vector<std::string> keys;
  std::size_t start = 0;
  while (true) {
    // A dot inside ${…} belongs to the formula of a repeated name.
    std::size_t end = start;
    for (int depth = 0; end < path.size() && (path[end] != '.' || depth > 0); ++end) {
      depth += path[end] == '{' ? 1 : path[end] == '}' ? -1 : 0;
    }
    keys.push_back(path.substr(start, end - start));
    if (end >= path.size()) return keys;
    start = end + 1;
  }
}

std::vector<std::string> ListKeys(const Value& map) {
  std::vector<std::string> keys;
  for (const Value::Entry& entry : map.entries) keys.push_back(entry.key);
  return keys;
}

/// The value below `value` that `key` names; a missing one is made where that is allowed.
Value* Descend(Value* value, const std::string& key, bool may_make, const std::string& path,
               const Place& place) {
  if (value->is_list()) {
    std::size_t index = 0;
    const auto end = key.data() + key.size();
    const auto result = std::from_chars(key.data(), end, index);
    if (result.ec != std::errc() || result.ptr != end || index >= value->items.size()) {
      throw InputError(
          path, "'" + key + "' is no position in a list of " + std::to_string(value->items.size()),
          "positions count from 0", place.location());
    }
    return &value->items[index];
  }
  if (value->is_scalar()) {
    throw InputError(path, "there is nothing below " + Describe(*value), "remove '" + key + "'",
                     place.location());
  }
  if (Value::Entry* entry = value->Find(key)) return &entry->value;
  if (!may_make) {
    throw InputError(path, "there is no '" + key + "' in the scene",
                     SuggestChoice(key, ListKeys(*value)), place.location());
  }
  return &value->Add(key, Value{}, place);
}

}  // namespace

void ApplyOverride(const std::string& assignment, const SceneLimits& limits, ValueBudget* budget,
                   Value* root) {
  const std::size_t equals = assignment.find('=');
  const std::string file = "--set " + assignment;
  if (equals == std::string::npos || equals == 0) {
    throw InputError("", "'" + assignment + "' is no assignment", "write --set key=value",
                     {file, 1, 1});
  }
  const std::string path = assignment.substr(0, equals);
  Value value = ParseYaml(assignment.substr(equals + 1), file, limits, budget);
  std::vector<std::string> keys = Split(path);
  if (keys.size() == 1) {  // A parameter, unless it is a section or a setting of the scene.
    const std::vector<std::string>& sections = FindSection("scene").keys;
    if (std::find(sections.begin(), sections.end(), keys[0]) == sections.end()) {
      const Value::Entry* parameters = root->Find("parameters");
      if (parameters == nullptr || parameters->value.Find(keys[0]) == nullptr) {
        throw InputError(path, "the scene has no parameter '" + path + "'",
                         parameters ? SuggestChoice(path, ListKeys(parameters->value))
                                    : "it has no parameters; write a path such as simulation.step",
                         value.place.location());
      }
      keys.insert(keys.begin(), "parameters");
    }
  }
  // Below these, every key is known to the reader, which tells a wrong one from a missing one.
  const bool is_setting = keys[0] == "simulation" || keys[0] == "audit" || keys[0] == "output";
  Value* target = root;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool may_make = i + 1 == keys.size() || i == 0 || is_setting;
    target = Descend(target, keys[i], may_make, path, value.place);
  }
  *target = std::move(value);
}

}  // namespace saltus
