#include "saltus/scene/result_text.h"

#include <algorithm>

#include "saltus/scene/value.h"

namespace saltus {
namespace {

bool NamesFiles(const Value& value) {
  const auto in_entry = [](const Value::Entry& entry) {
    return (entry.key == "file" && entry.value.is_scalar()) || NamesFiles(entry.value);
  };
  return std::any_of(value.items.begin(), value.items.end(), NamesFiles) ||
         std::any_of(value.entries.begin(), value.entries.end(), in_entry);
}

}  // namespace

std::string MakeResultText(const Scene& scene) {
  return scene.origin && NamesFiles(*scene.origin) ? WriteScene(scene) : scene.source;
}

}  // namespace saltus
