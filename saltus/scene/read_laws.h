// What materials, pairs and named contacts say about contact.
#pragma once

#include <optional>

#include "saltus/multibody/model_spec.h"
#include "saltus/scene/field.h"

namespace saltus {

/// The keys that materials, pairs and contacts share; what is not given is absent.
struct LawKeys {
  std::optional<double> friction, restitution, restitution_tangential;
  std::optional<RestitutionLaw> restitution_law;
  std::optional<FrictionLaw> friction_law;
  std::optional<double> rolling_friction, spinning_friction;
};
LawKeys ReadLawKeys(const MapField& map);

/// Writes what is given to a spec whose members bear the names of the keys.
template <typename Spec>
void SetLaw(const LawKeys& keys, Spec* spec) {
  const auto set = [](const auto& from, auto* to) {
    if (from) *to = *from;
  };
  set(keys.friction, &spec->friction);
  set(keys.restitution, &spec->restitution);
  set(keys.restitution_tangential, &spec->restitution_tangential);
  set(keys.restitution_law, &spec->restitution_law);
  set(keys.friction_law, &spec->friction_law);
  set(keys.rolling_friction, &spec->rolling_friction);
  set(keys.spinning_friction, &spec->spinning_friction);
}

/// The keys `compliance` and `cohesion` of pairs and contacts.
std::optional<ComplianceSpec> ReadCompliance(const MapField& map);
std::optional<CohesionSpec> ReadCohesion(const MapField& map);

}  // namespace saltus
