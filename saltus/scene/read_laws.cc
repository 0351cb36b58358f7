#include "saltus/scene/read_laws.h"

#include <string>
#include <vector>

namespace saltus {
namespace {

std::optional<double> ReadIf(const MapField& map, const char* key, const Range& range) {
  const std::optional<Field> found = map.Find(key);
  return found ? std::optional<double>(found->ReadNumber(range)) : std::nullopt;
}

}  // namespace

LawKeys ReadLawKeys(const MapField& map) {
  LawKeys keys;
  keys.friction = ReadIf(map, "friction", kAtLeastZero);
  keys.restitution = ReadIf(map, "restitution", kUnit);
  keys.restitution_tangential = ReadIf(map, "restitution_tangential", {.min = -1, .max = 1});
  if (const auto law = map.Find("restitution_law")) {
    keys.restitution_law = static_cast<RestitutionLaw>(law->ReadChoice({"newton", "poisson"}));
  }
  if (const auto law = map.Find("friction_law")) {
    keys.friction_law = static_cast<FrictionLaw>(law->ReadChoice({"coulomb", "associated"}));
  }
  keys.rolling_friction = ReadIf(map, "rolling_friction", kAtLeastZero);
  keys.spinning_friction = ReadIf(map, "spinning_friction", kAtLeastZero);
  return keys;
}

std::optional<ComplianceSpec> ReadCompliance(const MapField& owner) {
  const std::optional<Field> field = owner.Find("compliance");
  if (!field) return std::nullopt;
  const MapField map(*field, "compliance");
  std::vector<std::string> names;
  for (int i = 0; i < kNumComplianceLaws; ++i) {
    names.emplace_back(ComplianceLawName(static_cast<ComplianceLaw>(i)));
  }
  ComplianceSpec spec;
  const Field law = map.Require("law", "spring-damper, hertz or hunt-crossley");
  spec.law = static_cast<ComplianceLaw>(law.ReadChoice(names));
  spec.stiffness = ReadIf(map, "stiffness", kPositive);
  spec.modulus = ReadIf(map, "modulus", kPositive);
  spec.radius = ReadIf(map, "radius", kPositive);
  spec.damping = ReadIf(map, "damping", kAtLeastZero);
  spec.restitution = ReadIf(map, "restitution", {.min = 0, .max = 1, .min_open = true});
  spec.impact_speed = map.ReadNumber("impact_speed", spec.impact_speed, kPositive);
  spec.slip_speed = map.ReadNumber("slip_speed", spec.slip_speed, kPositive);
  return spec;
}

std::optional<CohesionSpec> ReadCohesion(const MapField& owner) {
  const std::optional<Field> field = owner.Find("cohesion");
  if (!field) return std::nullopt;
  const MapField map(*field, "cohesion");
  CohesionSpec spec;
  if (const auto law = map.Find("law")) {
    spec.law = static_cast<CohesionLaw>(law->ReadChoice({"fremond", "triangular"}));
  }
  if (spec.law == CohesionLaw::kTriangular) {
    map.Require("strength", "a number > 0 [N/m^2]");
  }
  spec.strength = map.ReadNumber("strength", spec.strength, kPositive);
  spec.normal_stiffness =
      map.Require("normal_stiffness", "a number > 0 [N/m^3]").ReadNumber(kPositive);
  spec.tangential_stiffness =
      map.ReadNumber("tangential_stiffness", spec.normal_stiffness, kAtLeastZero);
  spec.energy = map.Require("energy", "a number > 0 [J/m^2]").ReadNumber(kPositive);
  spec.viscosity = map.ReadNumber("viscosity", spec.viscosity, kAtLeastZero);
  spec.area = ReadIf(map, "area", kPositive);
  spec.reach = map.ReadNumber("reach", spec.reach, kAtLeastZero);
  return spec;
}

}  // namespace saltus
