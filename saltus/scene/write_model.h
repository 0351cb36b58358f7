// The mechanism as a tree of Values: the inverse of read_model.h.
#pragma once

#include "saltus/multibody/model_spec.h"
#include "saltus/scene/value.h"

namespace saltus {

/// Adds name, gravity, planar, materials, pairs, bodies, ground, joints, forces and contacts.
void AddModel(const ModelSpec& model, Value* root);

}  // namespace saltus
