// From the specs of materials, pairs and named contacts to laws. Internal to this module.
#pragma once

#include <string>

#include "saltus/multibody/contact/contact_tables.h"
#include "saltus/multibody/model_spec.h"

namespace saltus {

struct Model;

/// Row of a material in the table of laws; 0 is the default material.
int FindMaterialOrThrow(const ModelSpec& spec, const std::string& item, const std::string& name);

/// Checks the law of a named contact.
ContactLaw MakeNamedLaw(const std::string& item, const ContactSpec& spec);

/// Makes the bonds of all cohesive contacts that are closed at the start.
void AssembleBonds(Model* model);

}  // namespace saltus
