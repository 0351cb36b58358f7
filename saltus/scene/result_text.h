// The text of a scene inside a result file.
#pragma once

#include <string>

#include "saltus/scene/scene.h"

namespace saltus {

/// The scene as a result file holds it: its source, or, if that names mesh files, everything worked
/// out with their triangles, so that it runs again wherever the result is carried.
std::string MakeResultText(const Scene& scene);

}  // namespace saltus
