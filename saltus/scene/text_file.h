// Files that a scene refers to.
#pragma once

#include <string>

#include "saltus/scene/field.h"

namespace saltus {

/// The path that `field` names, relative to `base_dir`. Throws if base_dir is empty.
std::string FindFile(const Field& field, const std::string& base_dir);

/// The whole file. `origin` is blamed if it is missing, no regular file or too large.
std::string ReadTextFile(const std::string& path, const Field& origin, const SceneLimits& limits);

}  // namespace saltus
