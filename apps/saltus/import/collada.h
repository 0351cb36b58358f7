// COLLADA (.dae) as far as collision shapes need it: geometries and where the scene puts them.
#pragma once

#include <string>

#include "saltus/collision/shape.h"

namespace saltus {

/// In meters, z up. Throws InputError if the text is not COLLADA.
MeshData ReadCollada(const std::string& text, const std::string& path);

}  // namespace saltus
