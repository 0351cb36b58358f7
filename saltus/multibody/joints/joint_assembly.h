// Limits and dry friction of a joint, added to the pools of the model. Internal to this module.
#pragma once

#include <string>

#include "saltus/multibody/model.h"
#include "saltus/multibody/model_spec.h"

namespace saltus {

void AddJointLimits(const JointSpec& spec, const std::string& item, int joint, Model* model);
void AddJointFriction(const JointSpec& spec, const std::string& item, int joint, Model* model);

}  // namespace saltus
