// The mechanism as the viewer draws it: shapes, joints, springs and surfaces of named contacts.
#pragma once

#include "saltus/multibody/model.h"
#include "saltus/multibody/model_spec.h"
#include "saltus/output/json_writer.h"

namespace saltus {

/// Adds the members gravity, plane_normal, bodies, meshes, shapes, joints, elements and surfaces to
/// the object that is open in *json. Points are in the frame of their body (centre of mass), m;
/// body −1 is the ground. viewer/src/data/header.ts describes the same members.
void AddModel(const Model& model, const ModelSpec& spec, JsonWriter* json);

}  // namespace saltus
