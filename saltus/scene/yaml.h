// YAML text to a tree of Values and back. The only file pair that knows the YAML library.
//
// Stricter than YAML where leniency hides mistakes: a key may appear only once in a map, keys are
// plain texts, a file holds one document, control characters and malformed UTF-8 are refused. The
// merge key `<<: *base` fills in the entries that a map does not have itself.
#pragma once

#include <string>

#include "saltus/scene/value.h"

namespace saltus {

/// Throws InputError with the place of the fault. `file` is the name that places refer to.
Value ParseYaml(const std::string& text, const std::string& file, const SceneLimits& limits,
                ValueBudget* budget);

/// Block style; lists and maps without inner structure are written on one line.
std::string FormatYaml(const Value& value);

}  // namespace saltus
