// Reads one shape of a body or of the ground, and where it sits.
#pragma once

#include <string>

#include "saltus/multibody/model_spec.h"
#include "saltus/scene/field.h"

namespace saltus {

/// Mesh files are relative to `base_dir`; if it is empty, files are refused.
ShapeSpec ReadShape(const Field& field, const std::string& base_dir, const SceneLimits& limits);

/// {axis, angle} or {quaternion: [w, x, y, z]} or {rpy: [roll, pitch, yaw]} (R = Rz Ry Rx).
Quaternion ReadOrientation(const Field& field);

}  // namespace saltus
