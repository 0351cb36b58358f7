#include "saltus/scene/schema.h"

#include <algorithm>

#include "saltus/base/error.h"
#include "saltus/multibody/model_spec.h"
#include "saltus/scene/audit_rows.h"

namespace saltus {
namespace {

std::vector<std::string> Names(const std::vector<Kind>& kinds) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.push_back(kind.name);
  return names;
}

std::vector<std::string> Concatenate(std::vector<std::string> first,
                                     const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// What materials, pairs and contacts have in common.
std::vector<std::string> ListLawKeys() {
  return {"friction",     "restitution",      "restitution_tangential", "restitution_law",
          "friction_law", "rolling_friction", "spinning_friction"};
}

std::vector<std::string> ListLimitKeys() {
  std::vector<std::string> keys;
  for (const LimitRow& row : kLimitRows) keys.emplace_back(row.key);
  return keys;
}

/// The union of the keys of all kinds, in the order of their first appearance.
std::vector<std::string> AllKeys(const std::vector<Kind>& kinds) {
  std::vector<std::string> keys;
  for (const Kind& kind : kinds) {
    for (const std::string& key : kind.keys) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

std::vector<Section> MakeSections() {
  std::vector<Section> sections = {
      {"scene",
       {"saltus", "name", "gravity", "planar", "parameters", "include", "materials", "pairs",
        "bodies", "ground", "joints", "forces", "contacts", "simulation", "audit", "output",
        "reference"}},
      {"material", Concatenate({"density"}, ListLawKeys())},
      {"pair", Concatenate(Concatenate({"materials"}, ListLawKeys()), {"compliance", "cohesion"})},
      {"compliance",
       {"law", "stiffness", "modulus", "radius", "damping", "restitution", "impact_speed",
        "slip_speed"}},
      {"cohesion",
       {"law", "strength", "normal_stiffness", "tangential_stiffness", "energy", "viscosity",
        "area", "reach"}},
      {"body",
       {"mass", "inertia", "point_mass", "position", "orientation", "velocity", "angular_velocity",
        "shapes", "recenter"}},
      {"orientation", {"axis", "angle", "quaternion", "rpy"}},
      {"ground", {"shapes"}},
      {"shape", Concatenate(Names(ListShapeKinds()), {"material", "at", "orientation", "group"})},
      {"joint", Concatenate({"type", "between", "collide"}, AllKeys(ListJointKinds()))},
      {"limits", {"lower", "upper", "restitution"}},
      {"drive", {"angle", "displacement", "length"}},
      {"force", Concatenate({"type"}, AllKeys(ListForceKinds()))},
      {"contact", Concatenate(Concatenate({"point"}, Names(ListSurfaceKinds())),
                              Concatenate(ListLawKeys(), {"compliance", "cohesion"}))},
      {"point", {"on", "at"}},
      {"simulation",
       {"integrator", "step", "until", "on_failure", "max_halvings", "start_overlap", "adaptive"}},
      {"adaptive", {"tolerance", "min_step"}},
      {"solver", {"name", "tolerance", "max_iterations", "effort"}},
      {"audit", ListLimitKeys()},
      {"output", {"every", "dt", "contacts"}},
  };
  for (const Kind& kind : ListShapeKinds()) sections.push_back({kind.name, kind.keys});
  for (const Kind& kind : ListSurfaceKinds()) sections.push_back({kind.name, kind.keys});
  return sections;
}

std::vector<Kind> MakeJointKinds() {
  const std::vector<std::string> place = {"at", "points"};
  std::vector<Kind> kinds;
  for (int i = 0; i < kNumJointTypes; ++i) {
    const auto type = static_cast<JointType>(i);
    kinds.push_back({JointTypeName(type), JointTypeSummary(type), place});
    std::vector<std::string>& keys = kinds.back().keys;
    const auto add = [&keys](const std::vector<std::string>& more) {
      keys = Concatenate(std::move(keys), more);
    };
    switch (type) {
      case JointType::kFixed:
        break;
      case JointType::kRevolute:
        add({"axis", "limits", "drive", "initial_angle", "friction", "friction_radius",
             "friction_torque"});
        break;
      case JointType::kPrismatic:
      case JointType::kPointOnLine:
        add({"axis", "limits", "drive", "initial_displacement", "friction", "friction_force"});
        break;
      case JointType::kCylindrical:
        add({"axis", "limits", "angle_limits", "drive", "initial_angle", "initial_displacement",
             "friction", "friction_radius", "friction_force"});
        break;
      case JointType::kUniversal:
        add({"axis", "axis2"});
        break;
      case JointType::kSpherical:
        add({"axis", "limits", "friction", "friction_radius", "friction_torque"});
        break;
      case JointType::kPlanar:
        add({"axis", "friction", "friction_force"});
        break;
      case JointType::kDistance:
        keys = {"points", "length", "limits", "drive"};
        break;
    }
  }
  return kinds;
}

}  // namespace

const std::vector<Section>& ListSections() {
  static const std::vector<Section> sections = MakeSections();
  return sections;
}

const Section& FindSection(std::string_view name) {
  const std::vector<Section>& sections = ListSections();
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const Section& section) { return section.name == name; });
  SALTUS_CHECK(found != sections.end(), "no section '" + std::string(name) + "'");
  return *found;
}

const std::vector<Kind>& ListJointKinds() {
  static const std::vector<Kind> kinds = MakeJointKinds();
  return kinds;
}

const std::vector<Kind>& ListLawKinds() {
  static const std::vector<Kind> kinds = [] {
    std::vector<Kind> list = {
        {"newton",
         "restitution: normal speeds after and before an impact (restitution_law)",
         {"restitution"}},
        {"poisson",
         "restitution: impulses of expansion and compression (restitution_law)",
         {"restitution"}},
        {"coulomb",
         "friction: |P_T| <= friction P_N, with rolling and spinning friction",
         {"friction", "rolling_friction", "spinning_friction"}},
        {"associated",
         "friction: convex relaxation of Coulomb's law, sliding opens contacts (friction_law)",
         {"friction"}},
        {"fremond",
         "bond whose strength falls with the cube of its opening (cohesion)",
         {"normal_stiffness", "energy", "viscosity"}},
        {"triangular",
         "bond whose strength falls on a straight line (cohesion)",
         {"normal_stiffness", "energy", "strength"}}};
    for (int i = 0; i < kNumComplianceLaws; ++i) {
      const auto law = static_cast<ComplianceLaw>(i);
      list.push_back({ComplianceLawName(law),
                      std::string(ComplianceLawSummary(law)) + " (compliance)",
                      {"compliance"}});
    }
    return list;
  }();
  return kinds;
}

const std::vector<Kind>& ListForceKinds() {
  static const std::vector<Kind> kinds = {
      {"spring",
       "spring and damper along the line between two points",
       {"between", "points", "stiffness", "damping", "rest_length"}},
      {"damper", "damper along the line between two points", {"between", "points", "damping"}},
      {"torsion-spring",
       "rotational spring and damper about a joint's axis or a given axis",
       {"joint", "between", "axis", "stiffness", "damping", "rest_angle"}},
      {"bushing",
       "elastic bearing: three translational and three rotational springs and dampers",
       {"between", "at", "orientation", "stiffness", "damping", "angular_stiffness",
        "angular_damping"}},
      {"force", "force at a point of a body, a function of time", {"on", "at", "force", "axes"}},
      {"torque", "torque on a body, a function of time", {"on", "torque", "axes"}},
      {"actuator",
       "force or torque along a joint's coordinate, a function of time",
       {"joint", "effort"}},
  };
  return kinds;
}

const std::vector<Kind>& ListShapeKinds() {
  static const std::vector<Kind> kinds = {
      {"sphere", "ball about the origin of its frame", {"radius"}},
      {"box", "cuboid centred in its frame", {"size"}},
      {"capsule", "segment along z inflated by a radius", {"radius", "length"}},
      {"cylinder", "solid cylinder along z, centred", {"radius", "length"}},
      {"convex", "convex hull of points", {"points"}},
      {"mesh", "triangle mesh, for the ground only", {"vertices", "triangles", "file", "scale"}},
      {"height_field",
       "heights over a rectangular grid, for the ground only",
       {"spacing", "heights"}},
      {"half_space", "everything below a plane, for the ground only", {"normal", "offset"}},
  };
  return kinds;
}

const std::vector<Kind>& ListSurfaceKinds() {
  static const std::vector<Kind> kinds = {
      {"plane", "the point stays above a plane", {"on", "normal", "offset"}},
      {"line",
       "the point stays left of a straight stop of finite length",
       {"on", "from", "to", "up"}},
      {"circle",
       "the point stays outside (or inside) a circle or an arc",
       {"on", "center", "radius", "hollow", "up", "reference", "start", "sweep"}},
      {"curve", "the point stays left of a smooth curve", {"on", "points", "closed", "up"}},
  };
  return kinds;
}

}  // namespace saltus
