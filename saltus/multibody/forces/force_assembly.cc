// Checks force specs and makes elements of them.
#include <cmath>

#include "saltus/base/suggest.h"
#include "saltus/multibody/assembly.h"

namespace saltus {
namespace {

bool IsPoint(const Model& model, int body) {
  return body != kGround && (model.bodies[body].kind == BodyKind::kPoint ||
                             model.bodies[body].kind == BodyKind::kPlanarPoint);
}

Pair MakePair(const Assembly& assembly, const std::string& item, const std::string& body_a,
              const std::string& body_b) {
  Pair pair;
  pair.a = FindBodyOrThrow(assembly, item + ".between", body_a);
  pair.b = FindBodyOrThrow(assembly, item + ".between", body_b);
  if (pair.a == pair.b) {
    throw InputError(item + ".between", "acts between '" + body_a + "' and itself",
                     "name two different bodies");
  }
  return pair;
}

const Joint& FindJointOrThrow(const Model& model, const std::string& item,
                              const std::string& name) {
  const int joint = model.FindJoint(name);
  if (joint >= 0) return model.joints[joint];
  std::vector<std::string> names;
  for (const Joint& candidate : model.joints) names.push_back(candidate.name);
  throw InputError(item, "there is no joint '" + name + "'", SuggestName(name, names));
}

/// A pair with points, and their initial distance.
Pair MakePointPair(const Assembly& assembly, const std::string& item, const std::string& body_a,
                   const std::string& body_b, const std::array<Vector3, 2>& points,
                   double* distance) {
  Pair pair = MakePair(assembly, item, body_a, body_b);
  CheckFinite(item + ".points", points[0]);
  CheckFinite(item + ".points", points[1]);
  const Model& model = *assembly.model;
  pair.frames = MakeFrames(model, pair.a, pair.b, MakeLocalPoint(assembly, pair.a, points[0]),
                           MakeLocalPoint(assembly, pair.b, points[1]), Matrix3::Identity());
  *distance = CalcInitialValue(model, pair, {MeasureKind::kDistance, 0, 0});
  return pair;
}

void Assemble(const SpringSpec& spec, const std::string& item, Assembly* assembly) {
  CheckNonnegative(item + ".stiffness", spec.stiffness, "N/m");
  CheckNonnegative(item + ".damping", spec.damping, "N s/m");
  if (spec.rest_length) CheckNonnegative(item + ".rest_length", *spec.rest_length, "m");
  double distance = 0;
  SpringElement element{.name = spec.name};
  element.pair = MakePointPair(*assembly, item, spec.body_a, spec.body_b, spec.points, &distance);
  element.stiffness = spec.stiffness;
  element.damping = spec.damping;
  element.rest = spec.rest_length.value_or(distance);
  if (element.rest > 0) {
    if (distance == 0) {
      throw InputError(item + ".points", "the points coincide, so the direction is undefined",
                       "move them apart or set rest_length: 0");
    }
    element.coordinate.measure = {MeasureKind::kDistance, 0, 0};
    assembly->model->springs.push_back(element);
    return;
  }
  // ½ k |d|² is smooth at d = 0 where |d| is not: one spring along each fixed axis.
  element.damping = 0;
  for (const int i : {0, 1, 2}) {
    element.coordinate.measure = {MeasureKind::kWorldOffset, i, 0};
    assembly->model->springs.push_back(element);
  }
  if (spec.damping == 0) return;
  element.stiffness = 0;
  element.damping = spec.damping;
  element.coordinate.measure = {MeasureKind::kDistance, 0, 0};
  assembly->model->springs.push_back(element);
}

void Assemble(const DamperSpec& spec, const std::string& item, Assembly* assembly) {
  CheckNonnegative(item + ".damping", spec.damping, "N s/m");
  double distance = 0;
  SpringElement element{.name = spec.name};
  element.pair = MakePointPair(*assembly, item, spec.body_a, spec.body_b, spec.points, &distance);
  element.damping = spec.damping;
  element.coordinate.measure = {MeasureKind::kDistance, 0, 0};
  assembly->model->springs.push_back(element);
}

void Assemble(const TorsionSpringSpec& spec, const std::string& item, Assembly* assembly) {
  const Model& model = *assembly->model;
  CheckNonnegative(item + ".stiffness", spec.stiffness, "N m/rad");
  CheckNonnegative(item + ".damping", spec.damping, "N m s/rad");
  CheckFinite(item + ".rest_angle", spec.rest_angle);
  SpringElement element{.name = spec.name};
  if (!spec.joint.empty()) {
    const Joint& joint = FindJointOrThrow(model, item + ".joint", spec.joint);
    const auto& angle = joint.angle ? joint.angle : joint.coordinate;
    if (!angle || !angle->measure.is_angle()) {
      throw InputError(item + ".joint", "joint '" + spec.joint + "' has no angle",
                       "name a revolute or cylindrical joint");
    }
    element.pair = joint.pair;
    element.coordinate = *angle;
  } else {
    element.pair = MakePair(*assembly, item, spec.body_a, spec.body_b);
    if (!spec.axis && !model.plane) {
      throw InputError(item + ".axis", "is missing", "give an axis, or name a joint");
    }
    const Vector3 axis =
        spec.axis ? CheckDirection(item + ".axis", *spec.axis) : model.plane_normal;
    element.pair.frames = MakeFrames(model, element.pair.a, element.pair.b, Vector3::Zero(),
                                     Vector3::Zero(), MakeAxesAlong(model, axis));
    element.coordinate.measure = {MeasureKind::kAngle, 0, 0};
    CountTurns(model, element.pair, axis, &element.coordinate);
  }
  if (IsPoint(model, element.pair.a) || IsPoint(model, element.pair.b)) {
    throw InputError(item + ".between", "a point mass cannot carry a torque", "");
  }
  element.stiffness = spec.stiffness;
  element.damping = spec.damping;
  element.rest = spec.rest_angle;
  assembly->model->springs.push_back(element);
}

void Assemble(const BushingSpec& spec, const std::string& item, Assembly* assembly) {
  const Model& model = *assembly->model;
  SpringElement element{.name = spec.name};
  element.pair = MakePair(*assembly, item, spec.body_a, spec.body_b);
  CheckFinite(item + ".at", spec.at);
  const double norm = spec.axes.norm();
  if (!(norm > 0) || !std::isfinite(norm)) {
    throw InputError(item + ".orientation", "its quaternion has length " + FormatNumber(norm),
                     "must be finite and > 0");
  }
  for (const int i : {0, 1, 2}) {
    CheckNonnegative(item + ".stiffness", spec.stiffness[i], "N/m");
    CheckNonnegative(item + ".damping", spec.damping[i], "N s/m");
    CheckNonnegative(item + ".angular_stiffness", spec.angular_stiffness[i], "N m/rad");
    CheckNonnegative(item + ".angular_damping", spec.angular_damping[i], "N m s/rad");
  }
  const bool angular = !spec.angular_stiffness.isZero(0) || !spec.angular_damping.isZero(0);
  if (angular && (IsPoint(model, element.pair.a) || IsPoint(model, element.pair.b))) {
    throw InputError(item + ".between", "a point mass cannot carry a torque",
                     "set angular_stiffness and angular_damping to zero");
  }
  const Placement A = InitialPlacement(model, element.pair.a);
  const Placement B = InitialPlacement(model, element.pair.b);
  element.pair.frames =
      MakeFrames(model, element.pair.a, element.pair.b, A.R.transpose() * (spec.at - A.p),
                 B.R.transpose() * (spec.at - B.p), spec.axes.normalized().toRotationMatrix());
  const auto add = [&](MeasureKind kind, int i, double stiffness, double damping) {
    if (stiffness == 0 && damping == 0) return;
    element.coordinate.measure = {kind, i, 0};
    element.stiffness = stiffness;
    element.damping = damping;
    assembly->model->springs.push_back(element);
  };
  for (const int i : {0, 1, 2}) {
    add(MeasureKind::kOffset, i, spec.stiffness[i], spec.damping[i]);
    add(MeasureKind::kRotation, i, spec.angular_stiffness[i], spec.angular_damping[i]);
  }
}

int FindLoadedBody(const Assembly& assembly, const std::string& item, const std::string& name) {
  const int body = FindBodyOrThrow(assembly, item + ".on", name);
  if (body == kGround) {
    throw InputError(item + ".on", "a load on the ground does nothing", "name a body");
  }
  return body;
}

void Assemble(const ForceLoadSpec& spec, const std::string& item, Assembly* assembly) {
  BodyLoad load;
  load.body = FindLoadedBody(*assembly, item, spec.body);
  CheckFinite(item + ".at", spec.at);
  for (const TimeFunction& component : spec.force) CheckFunction(item + ".force", component);
  load.at = MakeLocalPoint(*assembly, load.body, spec.at);
  load.axes = spec.axes;
  load.components = spec.force;
  assembly->model->loads.push_back(load);
}

void Assemble(const TorqueLoadSpec& spec, const std::string& item, Assembly* assembly) {
  BodyLoad load;
  load.body = FindLoadedBody(*assembly, item, spec.body);
  if (IsPoint(*assembly->model, load.body)) {
    throw InputError(item + ".on", "a point mass cannot carry a torque", "use a rigid body");
  }
  for (const TimeFunction& component : spec.torque) CheckFunction(item + ".torque", component);
  load.is_torque = true;
  load.axes = spec.axes;
  load.components = spec.torque;
  assembly->model->loads.push_back(load);
}

void Assemble(const ActuatorSpec& spec, const std::string& item, Assembly* assembly) {
  const Joint& joint = FindJointOrThrow(*assembly->model, item + ".joint", spec.joint);
  if (!joint.coordinate) {
    throw InputError(item + ".joint",
                     std::string("a ") + JointTypeName(joint.type) + " joint has no coordinate",
                     "name a revolute, prismatic, cylindrical, point-on-line or distance joint");
  }
  CheckFunction(item + ".effort", spec.effort);
  assembly->model->actuators.push_back({joint.pair, joint.coordinate->measure, spec.effort});
}

}  // namespace

void AssembleForces(Assembly* assembly) {
  std::vector<std::string> names;
  for (const ForceSpec& force : assembly->spec.forces) {
    names.push_back(std::visit([](const auto& spec) { return spec.name; }, force));
  }
  CheckUniqueNames("forces", names);
  for (const ForceSpec& force : assembly->spec.forces) {
    std::visit([assembly](const auto& spec) { Assemble(spec, "forces." + spec.name, assembly); },
               force);
  }
}

}  // namespace saltus
