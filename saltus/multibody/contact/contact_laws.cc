// Checks materials and pairs, and makes the laws of contact of them.
#include "saltus/multibody/contact/contact_laws.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/suggest.h"
#include "saltus/multibody/assembly.h"

namespace saltus {
namespace {

std::vector<std::string> ListMaterials(const ModelSpec& spec) {
  std::vector<std::string> names;
  for (const MaterialSpec& material : spec.materials) names.push_back(material.name);
  return names;
}

}  // namespace

int FindMaterialOrThrow(const ModelSpec& spec, const std::string& item, const std::string& name) {
  if (name.empty()) return 0;
  for (std::size_t i = 0; i < spec.materials.size(); ++i) {
    if (spec.materials[i].name == name) return static_cast<int>(i) + 1;
  }
  throw InputError(item, "there is no material '" + name + "'",
                   SuggestName(name, ListMaterials(spec)));
}

namespace {

void CheckLaw(const std::string& item, const ContactLaw& law) {
  CheckNonnegative(item + ".friction", law.friction, "");
  CheckInterval(item + ".restitution", law.restitution, 0, 1);
  CheckInterval(item + ".restitution_tangential", law.restitution_tangential, -1, 1);
  CheckNonnegative(item + ".rolling_friction", law.rolling, "m");
  CheckNonnegative(item + ".spinning_friction", law.spinning, "m");
  if (law.restitution_law == RestitutionLaw::kPoisson && law.restitution_tangential != 0) {
    throw InputError(item + ".restitution_tangential",
                     "is " + FormatNumber(law.restitution_tangential),
                     "must be 0 with Poisson's law: remove it or choose restitution_law: newton");
  }
  if (law.friction_law == FrictionLaw::kAssociated && (law.rolling > 0 || law.spinning > 0)) {
    throw InputError(item + ".friction_law", "is associated where there is rolling friction",
                     "rolling and spinning friction need friction_law: coulomb");
  }
  if (law.friction == 0 && (law.rolling > 0 || law.spinning > 0)) {
    throw InputError(
        item + (law.rolling > 0 ? ".rolling_friction" : ".spinning_friction"),
        "is positive where friction is 0",
        "surfaces that do not rub resist neither rolling nor spinning: give 'friction'");
  }
}

CohesionSpec CheckCohesion(const std::string& item, const CohesionSpec& spec) {
  CheckPositive(item + ".normal_stiffness", spec.normal_stiffness, "N/m^3");
  CheckNonnegative(item + ".tangential_stiffness", spec.tangential_stiffness, "N/m^3");
  CheckPositive(item + ".energy", spec.energy, "J/m^2");
  CheckNonnegative(item + ".viscosity", spec.viscosity, "J s/m^2");
  if (spec.area) CheckPositive(item + ".area", *spec.area, "m^2");
  CheckNonnegative(item + ".reach", spec.reach, "m");
  if (spec.law == CohesionLaw::kTriangular) {
    CheckPositive(item + ".strength", spec.strength, "N/m^2");
    const double largest = std::sqrt(2 * spec.energy * spec.normal_stiffness);
    if (!(spec.strength < largest)) {
      throw InputError(item + ".strength", "is " + FormatNumber(spec.strength) + " N/m^2",
                       "must be less than sqrt(2 energy normal_stiffness) = " +
                           FormatNumber(largest) + ", at which the bond breaks at once");
    }
    if (spec.viscosity > 0) {
      throw InputError(item + ".viscosity", "is given for the triangular law",
                       "remove it or choose law: fremond");
    }
  } else if (spec.strength != 0) {
    throw InputError(item + ".strength", "is given for Fremond's law",
                     "its strength is sqrt(energy normal_stiffness): remove it or choose law: "
                     "triangular");
  }
  return spec;
}

/// Checks a compliance and finds what follows from its modulus and restitution.
Compliance MakeCompliance(const std::string& item, const ComplianceSpec& spec) {
  const bool linear = spec.law == ComplianceLaw::kSpringDamper;
  const auto refuse = [&](const char* key, bool given) {
    if (!given) return;
    throw InputError(item + "." + key,
                     std::string("is not a parameter of ") + ComplianceLawName(spec.law),
                     "remove it or choose another law");
  };
  refuse("modulus", linear && spec.modulus);
  refuse("radius", linear && spec.radius);
  refuse("damping", spec.law == ComplianceLaw::kHertz && spec.damping);
  refuse("restitution", spec.law != ComplianceLaw::kHuntCrossley && spec.restitution);
  Compliance law;
  law.law = spec.law;
  if (spec.stiffness && (spec.modulus || spec.radius)) {
    throw InputError(item + ".stiffness", "is given together with modulus or radius",
                     "give the stiffness, or modulus and radius");
  }
  if (spec.stiffness) {
    CheckPositive(item + ".stiffness", *spec.stiffness, linear ? "N/m" : "N/m^1.5");
    law.stiffness = *spec.stiffness;
  } else {
    if (!spec.modulus || !spec.radius) {
      throw InputError(item, "has no stiffness",
                       linear ? "give 'stiffness'" : "give 'stiffness', or 'modulus' and 'radius'");
    }
    CheckPositive(item + ".modulus", *spec.modulus, "Pa");
    CheckPositive(item + ".radius", *spec.radius, "m");
    law.stiffness = 4.0 / 3 * *spec.modulus * std::sqrt(*spec.radius);
  }
  if (spec.damping && spec.restitution) {
    throw InputError(item + ".restitution", "is given together with damping", "give one of them");
  }
  if (spec.damping) CheckNonnegative(item + ".damping", *spec.damping, linear ? "N s/m" : "s/m");
  law.damping = spec.damping.value_or(0);
  if (spec.restitution) {
    CheckPositive(item + ".restitution", *spec.restitution, "");
    CheckInterval(item + ".restitution", *spec.restitution, 0, 1);
    CheckPositive(item + ".impact_speed", spec.impact_speed, "m/s");
    law.damping = CalcHuntCrossleyDamping(*spec.restitution, spec.impact_speed);
  }
  CheckPositive(item + ".slip_speed", spec.slip_speed, "m/s");
  law.slip_speed = spec.slip_speed;
  return law;
}

/// What a material (with itself) or a named contact says.
template <typename Spec>
ContactLaw MakeLaw(const Spec& spec) {
  ContactLaw law;
  law.friction = spec.friction;
  law.restitution = spec.restitution;
  law.restitution_tangential = spec.restitution_tangential;
  law.restitution_law = spec.restitution_law;
  law.friction_law = spec.friction_law;
  law.rolling = spec.rolling_friction;
  law.spinning = spec.spinning_friction;
  return law;
}

ContactLaw Combine(const ContactLaw& a, const ContactLaw& b) {
  ContactLaw law;
  law.friction = std::sqrt(a.friction * b.friction);
  law.restitution = std::max(a.restitution, b.restitution);
  law.restitution_tangential = 0.5 * (a.restitution_tangential + b.restitution_tangential);
  law.restitution_law = std::max(a.restitution_law, b.restitution_law);
  law.friction_law = std::max(a.friction_law, b.friction_law);
  if (law.restitution_law == RestitutionLaw::kPoisson) law.restitution_tangential = 0;
  if (law.friction > 0) {
    law.rolling = std::max(a.rolling, b.rolling);
    law.spinning = std::max(a.spinning, b.spinning);
  }
  return law;
}

/// What a pair says replaces what follows from its materials.
void Override(const MaterialPairSpec& pair, const std::string& item, ContactLaw* law) {
  law->friction = pair.friction.value_or(law->friction);
  law->restitution = pair.restitution.value_or(law->restitution);
  law->restitution_tangential = pair.restitution_tangential.value_or(law->restitution_tangential);
  law->restitution_law = pair.restitution_law.value_or(law->restitution_law);
  law->friction_law = pair.friction_law.value_or(law->friction_law);
  if (law->friction == 0) law->rolling = law->spinning = 0;
  law->rolling = pair.rolling_friction.value_or(law->rolling);
  law->spinning = pair.spinning_friction.value_or(law->spinning);
  CheckLaw(item, *law);
  if (pair.compliance) law->compliance = MakeCompliance(item + ".compliance", *pair.compliance);
  if (pair.cohesion) law->cohesion = CheckCohesion(item + ".cohesion", *pair.cohesion);
}

}  // namespace

ContactLaw MakeNamedLaw(const std::string& item, const ContactSpec& spec) {
  ContactLaw law = MakeLaw(spec);
  CheckLaw(item, law);
  if (spec.compliance) law.compliance = MakeCompliance(item + ".compliance", *spec.compliance);
  if (spec.cohesion) law.cohesion = CheckCohesion(item + ".cohesion", *spec.cohesion);
  return law;
}

void AssembleMaterials(Assembly* assembly) {
  const ModelSpec& spec = assembly->spec;
  ContactTables& tables = assembly->model->contact;
  CheckUniqueNames("materials", ListMaterials(spec));
  std::vector<ContactLaw> all = {MakeLaw(MaterialSpec{})};
  for (const MaterialSpec& material : spec.materials) {
    const std::string item = "materials." + material.name;
    CheckPositive(item + ".density", material.density, "kg/m^3");
    all.push_back(MakeLaw(material));
    CheckLaw(item, all.back());
  }
  const std::size_t n = all.size();
  tables.num_materials = static_cast<int>(n);
  tables.laws.resize(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) tables.laws[i * n + j] = Combine(all[i], all[j]);
  }
  for (std::size_t p = 0; p < spec.pairs.size(); ++p) {
    const MaterialPairSpec& pair = spec.pairs[p];
    const std::string item = "pairs[" + std::to_string(p) + "]";
    const auto i =
        static_cast<std::size_t>(FindMaterialOrThrow(spec, item + ".materials", pair.materials[0]));
    const auto j =
        static_cast<std::size_t>(FindMaterialOrThrow(spec, item + ".materials", pair.materials[1]));
    ContactLaw law = tables.laws[i * n + j];
    Override(pair, item, &law);
    tables.laws[i * n + j] = tables.laws[j * n + i] = law;
  }
}

}  // namespace saltus
