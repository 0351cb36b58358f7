// Reads the mechanism: materials, bodies, joints, forces and contacts. One function per section.
#pragma once

#include <string>

#include "saltus/multibody/model_spec.h"
#include "saltus/scene/field.h"

namespace saltus {

/// What reading a section may need besides the value itself.
struct ReadContext {
  std::string base_dir;  // of mesh files; empty: files are refused
  SceneLimits limits;
};

void ReadMaterials(const Field& field, ModelSpec* model);
void ReadPairs(const Field& field, ModelSpec* model);
void ReadBodies(const Field& field, const ReadContext& context, ModelSpec* model);
void ReadGround(const Field& field, const ReadContext& context, ModelSpec* model);
void ReadJoints(const Field& field, ModelSpec* model);
void ReadForces(const Field& field, ModelSpec* model);
void ReadContacts(const Field& field, ModelSpec* model);

}  // namespace saltus
