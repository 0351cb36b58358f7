// Joints, forces and named contacts.
#include <array>
#include <optional>
#include <utility>

#include "saltus/scene/read_laws.h"
#include "saltus/scene/read_model.h"
#include "saltus/scene/read_shape.h"

namespace saltus {
namespace {

std::array<std::string, 2> ReadBetween(const MapField& map) {
  const Field field = map.Require("between", "the names of two bodies; 'ground' is the world");
  const std::vector<Field> names = field.ReadList(2, 2);
  std::array<std::string, 2> bodies = {names[0].ReadText(), names[1].ReadText()};
  if (bodies[0] == bodies[1]) {
    field.Fail("both ends are '" + bodies[0] + "'", "it must join two different bodies");
  }
  return bodies;
}

std::array<Vector3, 2> ReadTwoPoints(const Field& field) {
  const std::vector<Field> points = field.ReadList(2, 2);
  return {points[0].ReadVector3(), points[1].ReadVector3()};
}

/// Reads "type" and refuses keys that this type does not use. `common` are allowed for all.
std::string ReadType(const MapField& map, const std::vector<Kind>& kinds, const std::string& what,
                     std::vector<std::string> common) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.push_back(kind.name);
  const Field type = map.Require("type", "the type of the " + what);
  const Kind& kind = kinds[type.ReadChoice(names)];
  common.insert(common.end(), kind.keys.begin(), kind.keys.end());
  for (const Value::Entry& entry : map.field().value().entries) {
    bool known = false;
    for (const std::string& key : common) known = known || key == entry.key;
    if (known) continue;
    throw InputError(map.field().path() + "." + entry.key,
                     "a " + what + " of type '" + kind.name + "' has no '" + entry.key + "'",
                     SuggestChoice(entry.key, common), entry.place.location());
  }
  return kind.name;
}

// --- Joints --------------------------------------------------------------------------------------

/// A number, or .inf, -.inf or nothing for an open end.
double ReadLimit(const Field& field, double open) {
  const std::string& text = field.value().text;
  if (field.value().is_null() || text == ".inf" || text == "-.inf") return open;
  return field.ReadNumber();
}

/// [lower, upper] or {lower, upper, restitution}.
JointLimits ReadLimits(const Field& field) {
  JointLimits limits;
  if (field.value().is_list()) {
    const std::vector<Field> ends = field.ReadList(2, 2);
    limits.lower = ReadLimit(ends[0], limits.lower);
    limits.upper = ReadLimit(ends[1], limits.upper);
  } else {
    const MapField map(field, "limits");
    if (const auto key = map.Find("lower")) limits.lower = ReadLimit(*key, limits.lower);
    if (const auto key = map.Find("upper")) limits.upper = ReadLimit(*key, limits.upper);
    limits.restitution = map.ReadNumber("restitution", 0, kUnit);
  }
  if (!(limits.lower < limits.upper)) {
    field.Fail("the lower limit " + MakeNumber(limits.lower).text +
                   " is not below the upper limit " + MakeNumber(limits.upper).text,
               "lower < upper is required");
  }
  return limits;
}

void ReadDrive(const Field& field, const std::string& type, JointSpec* joint) {
  const MapField map(field, "drive");
  const bool angular = type == "revolute" || type == "cylindrical";
  const bool sliding = type == "prismatic" || type == "cylindrical" || type == "point-on-line";
  const auto read = [&](const char* key, bool allowed, std::optional<TimeFunction>* drive) {
    const std::optional<Field> found = map.Find(key);
    if (!found) return;
    if (!allowed) {
      found->Fail("a joint of type '" + type + "' has no " + key + " to drive",
                  angular && sliding ? "drive its 'angle' or 'displacement'"
                  : angular          ? "drive its 'angle'"
                  : sliding          ? "drive its 'displacement'"
                                     : "drive its 'length'");
    }
    *drive = found->ReadTimeFunction();
  };
  read("angle", angular, &joint->drive_angle);
  read("displacement", sliding, &joint->drive_displacement);
  read("length", type == "distance", &joint->drive_length);
  if (field.value().entries.empty()) {
    field.Fail("the drive is empty", "for instance {angle: \"0.1*sin(3*t)\"}");
  }
}

void ReadJointFriction(const MapField& map, JointSpec* joint) {
  joint->friction = map.ReadNumber("friction", joint->friction, kAtLeastZero);
  joint->friction_radius = map.ReadNumber("friction_radius", joint->friction_radius, kPositive);
  joint->friction_torque = map.ReadNumber("friction_torque", joint->friction_torque, kAtLeastZero);
  joint->friction_force = map.ReadNumber("friction_force", joint->friction_force, kAtLeastZero);
}

JointSpec ReadJoint(const std::string& name, const MapField& map) {
  JointSpec joint;
  joint.name = name;
  const std::string type = ReadType(map, ListJointKinds(), "joint", {"type", "between", "collide"});
  joint.type = *FindJointType(type);
  const std::array<std::string, 2> bodies = ReadBetween(map);
  joint.body_a = bodies[0];
  joint.body_b = bodies[1];
  if (type == "distance") {
    joint.points = ReadTwoPoints(map.Require("points", "a point in the frame of each body"));
  } else if (map.RequireOneOf({"at", "points"}) == "at") {
    joint.at = map.Find("at")->ReadVector3();
  } else {
    joint.points = ReadTwoPoints(*map.Find("points"));
  }
  if (const auto key = map.Find("axis")) joint.axis = key->ReadDirection();
  if (const auto key = map.Find("axis2")) joint.axis2 = key->ReadDirection();
  joint.initial_angle = map.ReadNumber("initial_angle", 0);
  joint.initial_displacement = map.ReadNumber("initial_displacement", 0);
  if (const auto key = map.Find("drive")) ReadDrive(*key, type, &joint);
  if (const auto key = map.Find("length")) joint.length = key->ReadNumber(kPositive);
  if (const auto key = map.Find("limits")) joint.limits = ReadLimits(*key);
  if (const auto key = map.Find("angle_limits")) joint.angle_limits = ReadLimits(*key);
  ReadJointFriction(map, &joint);
  joint.collide = map.ReadBool("collide", false);
  return joint;
}

// --- Forces --------------------------------------------------------------------------------------

/// Three numbers, or one for all three axes.
Vector3 ReadPerAxis(const MapField& map, const std::string& key) {
  const std::optional<Field> field = map.Find(key);
  if (!field) return Vector3::Zero();
  if (field->value().is_list()) return field->ReadVector3(kAtLeastZero);
  return Vector3::Constant(field->ReadNumber(kAtLeastZero));
}

std::array<TimeFunction, 3> ReadTimeVector(const Field& field) {
  const std::vector<Field> parts = field.ReadList(3, 3);
  return {parts[0].ReadTimeFunction(), parts[1].ReadTimeFunction(), parts[2].ReadTimeFunction()};
}

LoadAxes ReadAxes(const MapField& map) {
  const std::optional<Field> field = map.Find("axes");
  return field && field->ReadChoice({"world", "body"}) == 1 ? LoadAxes::kBody : LoadAxes::kWorld;
}

template <typename Spec>
void ReadLine(const MapField& map, Spec* spec) {
  const std::array<std::string, 2> bodies = ReadBetween(map);
  spec->body_a = bodies[0];
  spec->body_b = bodies[1];
  spec->points = ReadTwoPoints(map.Require("points", "a point in the frame of each body"));
}

SpringSpec ReadSpring(const std::string& name, const MapField& map) {
  SpringSpec spring;
  spring.name = name;
  ReadLine(map, &spring);
  spring.stiffness = map.Require("stiffness", "a number >= 0 [N/m]").ReadNumber(kAtLeastZero);
  spring.damping = map.ReadNumber("damping", 0, kAtLeastZero);
  if (const auto key = map.Find("rest_length")) spring.rest_length = key->ReadNumber(kAtLeastZero);
  return spring;
}

DamperSpec ReadDamper(const std::string& name, const MapField& map) {
  DamperSpec damper;
  damper.name = name;
  ReadLine(map, &damper);
  damper.damping = map.Require("damping", "a number >= 0 [N s/m]").ReadNumber(kAtLeastZero);
  return damper;
}

TorsionSpringSpec ReadTorsionSpring(const std::string& name, const MapField& map) {
  TorsionSpringSpec spring;
  spring.name = name;
  if (map.RequireOneOf({"joint", "between"}) == "joint") {
    spring.joint = map.Find("joint")->ReadText();
    if (const auto key = map.Find("axis")) {
      key->Fail("the joint already has an axis", "remove it, or give 'between' and 'axis'");
    }
  } else {
    const std::array<std::string, 2> bodies = ReadBetween(map);
    spring.body_a = bodies[0];
    spring.body_b = bodies[1];
    spring.axis = map.Require("axis", "a direction in world axes").ReadDirection();
  }
  spring.stiffness = map.ReadNumber("stiffness", 0, kAtLeastZero);
  spring.damping = map.ReadNumber("damping", 0, kAtLeastZero);
  spring.rest_angle = map.ReadNumber("rest_angle", 0);
  return spring;
}

BushingSpec ReadBushing(const std::string& name, const MapField& map) {
  BushingSpec bushing;
  bushing.name = name;
  const std::array<std::string, 2> bodies = ReadBetween(map);
  bushing.body_a = bodies[0];
  bushing.body_b = bodies[1];
  bushing.at = map.Require("at", "a world point at the start [m]").ReadVector3();
  if (const auto key = map.Find("orientation")) bushing.axes = ReadOrientation(*key);
  bushing.stiffness = ReadPerAxis(map, "stiffness");
  bushing.damping = ReadPerAxis(map, "damping");
  bushing.angular_stiffness = ReadPerAxis(map, "angular_stiffness");
  bushing.angular_damping = ReadPerAxis(map, "angular_damping");
  return bushing;
}

ForceSpec ReadForce(const std::string& name, const MapField& map) {
  const std::string type = ReadType(map, ListForceKinds(), "force", {"type"});
  if (type == "spring") return ReadSpring(name, map);
  if (type == "damper") return ReadDamper(name, map);
  if (type == "torsion-spring") return ReadTorsionSpring(name, map);
  if (type == "bushing") return ReadBushing(name, map);
  if (type == "actuator") {
    return ActuatorSpec{
        name, map.Require("joint", "the name of a joint").ReadText(),
        map.Require("effort", "a number or a formula in t [N or N m]").ReadTimeFunction()};
  }
  const std::string body = map.Require("on", "the name of a body").ReadText();
  if (type == "torque") {
    return TorqueLoadSpec{
        name, body, ReadTimeVector(map.Require("torque", "three numbers or formulas in t [N m]")),
        ReadAxes(map)};
  }
  return ForceLoadSpec{name, body, map.ReadVector3("at", Vector3::Zero()),
                       ReadTimeVector(map.Require("force", "three numbers or formulas in t [N]")),
                       ReadAxes(map)};
}

// --- Named contacts ------------------------------------------------------------------------------

std::optional<Vector3> ReadUp(const MapField& map, const char* key) {
  const std::optional<Field> field = map.Find(key);
  return field ? std::optional<Vector3>(field->ReadDirection()) : std::nullopt;
}

SurfaceSpec ReadSurface(const std::string& kind, const Field& field) {
  const MapField map(field, kind);
  std::string body = kGroundName;
  if (const auto key = map.Find("on")) body = key->ReadText();
  if (kind == "plane") {
    return PlaneSurface{body, map.Require("normal", "a direction").ReadDirection(),
                        map.ReadNumber("offset", 0)};
  }
  if (kind == "line") {
    return LineSurface{body, map.Require("from", "a point [m]").ReadVector3(),
                       map.Require("to", "a point [m]").ReadVector3(), ReadUp(map, "up")};
  }
  if (kind == "curve") {
    return CurveSurface{body, map.Require("points", "at least three points [m]").ReadPoints(3),
                        map.ReadBool("closed", false), ReadUp(map, "up")};
  }
  constexpr double kTurn = 6.283185307179586;
  CircleSurface circle;
  circle.body = body;
  circle.center = map.ReadVector3("center", Vector3::Zero());
  circle.radius = map.Require("radius", "a number > 0 [m]").ReadNumber(kPositive);
  circle.hollow = map.ReadBool("hollow", false);
  circle.up = ReadUp(map, "up");
  circle.reference = ReadUp(map, "reference");
  circle.start = map.ReadNumber("start", 0);
  circle.sweep = map.ReadNumber("sweep", kTurn, {.min = 0, .max = kTurn, .min_open = true});
  return circle;
}

ContactSpec ReadContact(const std::string& name, const MapField& map) {
  ContactSpec contact;
  contact.name = name;
  const MapField point(map.Require("point", "{on: BODY, at: [x, y, z]}"), "point");
  contact.body = point.Require("on", "the name of a body").ReadText();
  contact.at = point.ReadVector3("at", Vector3::Zero());
  std::vector<std::string> kinds;
  for (const Kind& kind : ListSurfaceKinds()) kinds.push_back(kind.name);
  const std::string kind = map.RequireOneOf(kinds);
  contact.surface = ReadSurface(kind, *map.Find(kind));
  SetLaw(ReadLawKeys(map), &contact);
  contact.compliance = ReadCompliance(map);
  contact.cohesion = ReadCohesion(map);
  return contact;
}

}  // namespace

void ReadJoints(const Field& field, ModelSpec* model) {
  for (const auto& [name, item] : field.ReadItems()) {
    model->joints.push_back(ReadJoint(name, MapField(item, "joint")));
  }
}

void ReadForces(const Field& field, ModelSpec* model) {
  for (const auto& [name, item] : field.ReadItems()) {
    model->forces.push_back(ReadForce(name, MapField(item, "force")));
  }
}

void ReadContacts(const Field& field, ModelSpec* model) {
  for (const auto& [name, item] : field.ReadItems()) {
    model->contacts.push_back(ReadContact(name, MapField(item, "contact")));
  }
}

}  // namespace saltus
