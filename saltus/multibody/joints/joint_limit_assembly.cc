#include <cmath>
#include <limits>
#include <numbers>

#include "saltus/multibody/assembly.h"
#include "saltus/multibody/joints/joint_assembly.h"

namespace saltus {
namespace {

constexpr double kPi = std::numbers::pi;

void CheckRange(const std::string& item, const JointLimits& limits) {
  if (std::isnan(limits.lower) || std::isnan(limits.upper) || !(limits.lower < limits.upper)) {
    throw InputError(item,
                     "is [" + FormatNumber(limits.lower) + ", " + FormatNumber(limits.upper) + "]",
                     "the lower limit must be below the upper one");
  }
  CheckInterval(item + ".restitution", limits.restitution, 0, 1);
}

/// Adds the finite ends of a range; the initial value must lie inside.
void AddRange(const std::string& item, const JointLimits& limits, int joint,
              const Coordinate& coordinate, double initial, Model* model) {
  const bool angular =
      coordinate.measure.is_angle() || coordinate.measure.kind == MeasureKind::kTilt;
  const double slack = 1e-9 * (1 + std::abs(initial));  // rounding of given numbers
  if (initial < limits.lower - slack || initial > limits.upper + slack) {
    throw InputError(item,
                     "is [" + FormatNumber(limits.lower) + ", " + FormatNumber(limits.upper) +
                         "], but the initial value is " + FormatNumber(initial),
                     "the joint must start within its limits");
  }
  JointLimit limit{.joint = joint,
                   .coordinate = coordinate,
                   .bound = limits.lower,
                   .sign = 1,
                   .restitution = limits.restitution,
                   .angular = angular};
  if (std::isfinite(limit.bound)) model->limits.push_back(limit);
  limit.bound = limits.upper;
  limit.sign = -1;
  if (std::isfinite(limit.bound)) model->limits.push_back(limit);
}

/// Largest tilt of a spherical joint.
void AddCone(const JointSpec& spec, const std::string& item, int joint, Model* model) {
  if (!spec.axis) throw InputError(item, "a cone limit needs the joint's axis", "give 'axis'");
  if (model->plane) {
    throw InputError(item, "a cone limit does not fit a planar model", "use a revolute joint");
  }
  if (!(spec.limits->upper > 0 && spec.limits->upper < kPi)) {
    throw InputError(item, "the cone angle is " + FormatNumber(spec.limits->upper),
                     "must be in (0, pi) rad");
  }
  if (spec.limits->lower > 0) {
    throw InputError(item, "the lower limit is " + FormatNumber(spec.limits->lower),
                     "a cone has only an upper limit: use 0");
  }
  JointLimits limits = *spec.limits;
  limits.lower = -std::numeric_limits<double>::infinity();
  AddRange(item, limits, joint, {.measure = {MeasureKind::kTilt, 0, 0}}, 0, model);
}

/// Keeps the slips that a planar motion can have. A joint that leaves none free has no friction.
void RemoveVoidSlips(const Model& model, JointFriction* friction) {
  const std::vector<bool> is_void =
      FindVoidMeasures(model, model.joints[friction->joint].pair, friction->measures);
  JointFriction kept = *friction;
  kept.measures.clear();
  kept.scales.clear();
  for (std::size_t i = 0; i < is_void.size(); ++i) {
    if (is_void[i]) continue;
    kept.measures.push_back(friction->measures[i]);
    kept.scales.push_back(friction->scales[i]);
  }
  *friction = kept;
}

}  // namespace

void AddJointLimits(const JointSpec& spec, const std::string& item, int joint, Model* model) {
  if (spec.angle_limits) {
    const std::optional<Coordinate> angle = model->joints[joint].angle;
    if (!angle) {
      throw InputError(item + ".angle_limits", "is only for cylindrical joints", "use 'limits'");
    }
    CheckRange(item + ".angle_limits", *spec.angle_limits);
    AddRange(item + ".angle_limits", *spec.angle_limits, joint, *angle, spec.initial_angle, model);
  }
  if (!spec.limits) return;
  CheckRange(item + ".limits", *spec.limits);
  if (spec.type == JointType::kSpherical) {
    AddCone(spec, item + ".limits", joint, model);
    return;
  }
  const Joint& owner = model->joints[joint];
  if (!owner.coordinate) {
    throw InputError(item + ".limits",
                     std::string("a ") + JointTypeName(spec.type) + " joint has no limits",
                     "remove them");
  }
  const double initial =
      CalcInitialValue(*model, owner.pair, owner.coordinate->measure) + owner.coordinate->shift;
  if (spec.type == JointType::kDistance) {
    if (spec.limits->lower > 0 && !(initial > 0)) {
      throw InputError(item + ".points", "the points coincide, so the direction is undefined",
                       "move them apart");
    }
    if (!(spec.limits->upper > 0)) {
      throw InputError(item + ".limits", "the upper limit is " + FormatNumber(spec.limits->upper),
                       "a length must be > 0 m");
    }
  }
  JointLimits limits = *spec.limits;
  // |d| ≥ 0 holds by itself and has no gradient where the points meet.
  if (spec.type == JointType::kDistance && limits.lower <= 0) {
    limits.lower = -std::numeric_limits<double>::infinity();
  }
  AddRange(item + ".limits", limits, joint, *owner.coordinate, initial, model);
}

void AddJointFriction(const JointSpec& spec, const std::string& item, int joint, Model* model) {
  CheckNonnegative(item + ".friction", spec.friction, "");
  CheckPositive(item + ".friction_radius", spec.friction_radius, "m");
  CheckNonnegative(item + ".friction_torque", spec.friction_torque, "N m");
  CheckNonnegative(item + ".friction_force", spec.friction_force, "N");
  if (spec.friction == 0 && spec.friction_torque == 0 && spec.friction_force == 0) return;

  const Joint& owner = model->joints[joint];
  JointFriction friction{
      .joint = joint, .bound = spec.friction_force, .coefficient = spec.friction};
  const Measure angle{MeasureKind::kAngle, 0, 0};
  bool turning = false;
  switch (spec.type) {
    case JointType::kSpherical:
      turning = true;
      if (model->plane) friction.measures = {angle};
      break;
    case JointType::kRevolute:
      turning = true;
      friction.measures = {angle};
      break;
    case JointType::kPrismatic:
    case JointType::kPointOnLine:
      friction.measures = {{MeasureKind::kOffset, 2, 0}};
      break;
    case JointType::kCylindrical:
      friction.measures = {{MeasureKind::kOffset, 2, 0}, angle};
      friction.scales = {1, spec.friction_radius};
      break;
    case JointType::kPlanar:
      friction.measures = {{MeasureKind::kOffset, 0, 0}, {MeasureKind::kOffset, 1, 0}};
      break;
    default:
      throw InputError(item + ".friction",
                       std::string("a ") + JointTypeName(spec.type) + " joint has no dry friction",
                       "remove it");
  }
  if ((turning ? spec.friction_force : spec.friction_torque) != 0) {
    throw InputError(item + (turning ? ".friction_force" : ".friction_torque"),
                     std::string("does not apply to a ") + JointTypeName(spec.type) + " joint",
                     turning ? "use friction_torque" : "use friction_force");
  }
  if (turning) {
    friction.bound = spec.friction_torque;
    friction.coefficient = spec.friction * spec.friction_radius;
  }
  friction.scales.resize(friction.measures.size(), 1.0);
  if (model->plane) RemoveVoidSlips(*model, &friction);
  if (friction.coefficient > 0) {
    for (int r = 0; r < owner.num_holding_rows; ++r) {
      if (owner.rows[r].translational) friction.load_rows.push_back(owner.first_row + r);
    }
  }
  if (model->plane && friction.measures.empty()) return;
  model->frictions.push_back(friction);
}

}  // namespace saltus
