// Triangle meshes from Wavefront .obj text: the `v` and `f` lines; everything else is skipped.
#pragma once

#include <string>

#include "saltus/collision/shape.h"

namespace saltus {

/// Faces with more than three corners are split into a fan. Throws InputError with the line of the
/// fault in `file`.
MeshData ParseObj(const std::string& text, const std::string& file);

}  // namespace saltus
