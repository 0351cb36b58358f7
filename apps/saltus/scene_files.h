// Scenes as commands take them: a scene file, or a robot of another program.
#pragma once

#include <string>
#include <vector>

#include "saltus/scene/scene.h"

#include "apps/saltus/import/import.h"

namespace saltus {

/// The model of a robot file with a simulation around it. `result` has the notes.
Scene MakeScene(const Import& result);

/// Reads YAML, URDF or MJCF. What an import leaves out is printed as warnings.
Scene ReadAnyScene(const std::string& path, const std::vector<std::string>& overrides = {});

}  // namespace saltus
