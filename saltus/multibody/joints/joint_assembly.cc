// Checks joint specs and makes joints of them: frames, rows, drives, coordinates. Limits and
// friction: joint_limit_assembly.cc.
#include "saltus/multibody/joints/joint_assembly.h"

#include <cmath>
#include <utility>

#include "saltus/multibody/assembly.h"

namespace saltus {
namespace {

/// A joint may start open by this much of its size (the notices tell); beyond it is an error.
constexpr double kAssemblyTolerance = 1e-3;
/// Perpendicularity and parallelism of given axes.
constexpr double kAxisTolerance = 1e-6;

bool NeedsAxis(JointType type) {
  return type == JointType::kRevolute || type == JointType::kPrismatic ||
         type == JointType::kCylindrical || type == JointType::kUniversal ||
         type == JointType::kPlanar || type == JointType::kPointOnLine;
}

bool HoldsRotation(JointType type) {
  return type != JointType::kSpherical && type != JointType::kDistance &&
         type != JointType::kPointOnLine;
}

void CheckBodies(const Assembly& assembly, const JointSpec& spec, const std::string& item,
                 Pair* pair) {
  pair->a = FindBodyOrThrow(assembly, item + ".between", spec.body_a);
  pair->b = FindBodyOrThrow(assembly, item + ".between", spec.body_b);
  if (pair->a == pair->b) {
    throw InputError(item + ".between", "joins '" + spec.body_a + "' to itself",
                     "name two different bodies");
  }
  if (!HoldsRotation(spec.type)) return;
  for (const int b : {pair->a, pair->b}) {
    if (b == kGround) continue;
    const BodyKind kind = assembly.model->bodies[b].kind;
    if (kind == BodyKind::kPoint || kind == BodyKind::kPlanarPoint) {
      throw InputError(item + ".type",
                       std::string("a ") + JointTypeName(spec.type) +
                           " joint holds rotations, but '" + assembly.model->bodies[b].name +
                           "' is a point mass",
                       "use spherical, distance or point-on-line");
    }
  }
}

/// The local joint points of both bodies.
void SetPoints(const Assembly& assembly, const JointSpec& spec, const std::string& item,
               const Pair& pair, Vector3* a, Vector3* b) {
  const bool distance = spec.type == JointType::kDistance;
  if (spec.points.has_value() == spec.at.has_value() || (distance && spec.at)) {
    throw InputError(item,
                     spec.points && spec.at ? "both 'at' and 'points' are given"
                                            : "the place of the joint is missing",
                     distance ? "give 'points': one in the frame of each body"
                              : "give either 'at' (world) or 'points' (one in each body's frame)");
  }
  if (spec.at) {
    CheckFinite(item + ".at", *spec.at);
    const Placement A = InitialPlacement(*assembly.model, pair.a);
    const Placement B = InitialPlacement(*assembly.model, pair.b);
    *a = A.R.transpose() * (*spec.at - A.p);
    *b = B.R.transpose() * (*spec.at - B.p);
    return;
  }
  CheckFinite(item + ".points", (*spec.points)[0]);
  CheckFinite(item + ".points", (*spec.points)[1]);
  *a = MakeLocalPoint(assembly, pair.a, (*spec.points)[0]);
  *b = MakeLocalPoint(assembly, pair.b, (*spec.points)[1]);
}

/// World axes of the joint frame at the initial configuration; column 2 is the axis.
Matrix3 MakeJointAxes(const Model& model, const JointSpec& spec, const std::string& item) {
  if (!spec.axis) {
    if (NeedsAxis(spec.type)) {
      throw InputError(item + ".axis", "is missing",
                       std::string("a ") + JointTypeName(spec.type) + " joint needs an axis");
    }
    return model.plane ? MakeAxesAlong(model, model.plane_normal) : Matrix3::Identity();
  }
  if (model.plane && !NeedsAxis(spec.type)) return MakeAxesAlong(model, model.plane_normal);
  const Vector3 axis = CheckDirection(item + ".axis", *spec.axis);
  if (model.plane) {
    const double along = std::abs(axis.dot(model.plane_normal));
    const bool normal = along > 1 - kAxisTolerance, inside = along < kAxisTolerance;
    const bool good = spec.type == JointType::kRevolute      ? normal
                      : spec.type == JointType::kPrismatic   ? inside
                      : spec.type == JointType::kPointOnLine ? inside
                      : spec.type == JointType::kUniversal   ? false
                                                             : normal || inside;
    if (!good) {
      throw InputError(item + ".axis",
                       "a " + std::string(JointTypeName(spec.type)) + " joint with axis " +
                           FormatVector(axis) + " does not fit a planar model",
                       "revolute axes are along the normal " + FormatVector(model.plane_normal) +
                           ", sliding axes in the plane");
    }
  }
  Matrix3 axes = MakeAxesAlong(model, axis);
  if (spec.type == JointType::kUniversal && spec.axis2) {
    const Vector3 second = CheckDirection(item + ".axis2", *spec.axis2);
    if (std::abs(second.dot(axis)) > kAxisTolerance) {
      throw InputError(item + ".axis2", "is " + FormatVector(second),
                       "must be perpendicular to axis " + FormatVector(axis));
    }
    axes.col(0) = (second - second.dot(axis) * axis).normalized();
    axes.col(1) = axis.cross(axes.col(0));
  }
  return axes;
}

/// Removes the rows that no motion of a planar model can change.
void RemoveVoidRows(const Model& model, Joint* joint) {
  std::vector<Measure> measures;
  for (const JointRow& row : joint->rows) measures.push_back(row.measure);
  const std::vector<bool> is_void = FindVoidMeasures(model, joint->pair, measures);
  std::vector<JointRow> kept;
  for (std::size_t r = 0; r < joint->rows.size(); ++r) {
    if (!is_void[r]) kept.push_back(joint->rows[r]);
  }
  joint->rows = std::move(kept);
}

void SetCoordinate(const Model& model, const JointSpec& spec, const Vector3& axis, Joint* joint) {
  const auto make = [&](MeasureKind kind, double initial) {
    Coordinate coordinate{.measure = {kind, 2, 0}};
    coordinate.shift = initial - CalcInitialValue(model, joint->pair, coordinate.measure);
    CountTurns(model, joint->pair, axis, &coordinate);
    return coordinate;
  };
  switch (spec.type) {
    case JointType::kRevolute:
      joint->coordinate = make(MeasureKind::kAngle, spec.initial_angle);
      break;
    case JointType::kCylindrical:
      joint->angle = make(MeasureKind::kAngle, spec.initial_angle);
      [[fallthrough]];
    case JointType::kPrismatic:
    case JointType::kPointOnLine:
      joint->coordinate = make(MeasureKind::kOffset, spec.initial_displacement);
      break;
    case JointType::kDistance:
      joint->coordinate = Coordinate{.measure = {MeasureKind::kDistance, 0, 0}};
      break;
    default:
      break;
  }
}

void AddDrive(const std::string& item, const std::optional<TimeFunction>& drive,
              const std::optional<Coordinate>& coordinate, Joint* joint) {
  if (!drive) return;
  if (!coordinate) {
    throw InputError(
        item, std::string("a ") + JointTypeName(joint->type) + " joint has no such coordinate", "");
  }
  CheckFunction(item, *drive);
  joint->rows.push_back({.measure = coordinate->measure,
                         .shift = coordinate->shift,
                         .target = *drive,
                         .translational = !coordinate->measure.is_angle()});
}

/// Drives of the axis coordinates; the length of a distance joint.
void SetDrives(const JointSpec& spec, const std::string& item, Joint* joint) {
  const bool turns = spec.type == JointType::kRevolute;
  const bool distance = spec.type == JointType::kDistance;
  AddDrive(item + ".drive.angle", spec.drive_angle, turns ? joint->coordinate : joint->angle,
           joint);
  AddDrive(item + ".drive.displacement", spec.drive_displacement,
           turns || distance ? std::nullopt : joint->coordinate, joint);
  if (!distance) {
    AddDrive(item + ".drive.length", spec.drive_length, std::nullopt, joint);
    if (spec.length) throw InputError(item + ".length", "is only for distance joints", "remove it");
  }
}

/// Rows of a distance joint: a rod of given length, or none for a rope.
void SetDistanceRow(const Model& model, const JointSpec& spec, const std::string& item,
                    Joint* joint) {
  const int given =
      spec.length.has_value() + spec.drive_length.has_value() + spec.limits.has_value();
  if (given > 1) {
    throw InputError(item, "more than one of length, drive.length and limits is given",
                     "give at most one of them");
  }
  const double initial = CalcInitialValue(model, joint->pair, joint->coordinate->measure);
  if (spec.limits) {
    joint->rows.clear();
    return;
  }
  if (spec.length) CheckPositive(item + ".length", *spec.length, "m");
  if (!(initial > 0)) {
    throw InputError(item + ".points", "the points coincide, so the direction is undefined",
                     "move them apart or use a spherical joint");
  }
  joint->rows[0].target = spec.length ? *spec.length : initial;
  if (spec.drive_length) {
    CheckFunction(item + ".drive.length", *spec.drive_length);
    CheckPositive(item + ".drive.length (at t = 0)", spec.drive_length->Value(0), "m");
    joint->rows[0].target = *spec.drive_length;
  }
}

/// Throws if the initial configuration opens the joint visibly.
void CheckAssembled(const Model& model, const JointSpec& spec, const std::string& item,
                    const Joint& joint) {
  const Placement A = InitialPlacement(model, joint.pair.a);
  const Placement B = InitialPlacement(model, joint.pair.b);
  const Vector3 lever_a = A.R * joint.pair.frames.a, lever_b = B.R * joint.pair.frames.b;
  const double size = lever_a.norm() + lever_b.norm();
  for (int r = 0; r < joint.num_holding_rows; ++r) {
    const JointRow& row = joint.rows[r];
    const double value = CalcInitialValue(model, joint.pair, row.measure) - row.target.Value(0);
    if (std::abs(value) <= kAssemblyTolerance * size || spec.drive_length) continue;
    throw InputError(item + (spec.type == JointType::kDistance ? ".length" : ".points"),
                     "the initial positions of '" + spec.body_a + "' and '" + spec.body_b +
                         "' open the joint by " + FormatNumber(std::abs(value)) +
                         " m: its points are at " + FormatVector(A.p + lever_a) + " and " +
                         FormatVector(B.p + lever_b),
                     "move a body or a point so that they agree");
  }
}

}  // namespace

void AssembleJoints(Assembly* assembly) {
  Model& model = *assembly->model;
  std::vector<std::string> names;
  for (const JointSpec& spec : assembly->spec.joints) names.push_back(spec.name);
  CheckUniqueNames("joints", names);
  for (const JointSpec& spec : assembly->spec.joints) {
    const std::string item = "joints." + spec.name;
    Joint joint;
    joint.name = spec.name;
    joint.collide = spec.collide;
    joint.type = spec.type;
    CheckBodies(*assembly, spec, item, &joint.pair);
    CheckFinite(item + ".initial_angle", spec.initial_angle);
    CheckFinite(item + ".initial_displacement", spec.initial_displacement);
    Vector3 a, b;
    SetPoints(*assembly, spec, item, joint.pair, &a, &b);
    const Matrix3 axes = MakeJointAxes(model, spec, item);
    joint.pair.frames = MakeFrames(model, joint.pair.a, joint.pair.b, a, b, axes);
    joint.rows = MakeHoldingRows(spec.type);
    SetCoordinate(model, spec, axes.col(2), &joint);
    if (spec.type == JointType::kDistance) SetDistanceRow(model, spec, item, &joint);
    RemoveVoidRows(model, &joint);
    joint.num_holding_rows = static_cast<int>(joint.rows.size());
    if (joint.rows.empty() && !spec.limits) {
      throw InputError(item, "holds nothing in a planar model", "remove it");
    }
    CheckAssembled(model, spec, item, joint);
    SetDrives(spec, item, &joint);
    joint.first_row = model.num_constraints;
    model.num_constraints += static_cast<int>(joint.rows.size());
    const int index = static_cast<int>(model.joints.size());
    model.joints.push_back(std::move(joint));
    AddJointLimits(spec, item, index, &model);
    AddJointFriction(spec, item, index, &model);
  }
}

}  // namespace saltus
