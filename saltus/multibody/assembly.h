// How ModelBuilder::Build turns a ModelSpec into a Model: one function per kind of item, in the
// order below. Internal to this module.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/multibody/model.h"
#include "saltus/multibody/model_spec.h"

namespace saltus {

struct Assembly {
  const ModelSpec& spec;
  Model* model;
  std::vector<std::string> body_names;  // for suggestions; "ground" last
  std::vector<Vector3> frame_shift;     // per body: centre of mass in the frame of the spec
};

// --- Steps of Build, in order --------------------------------------------------------------------
void AssembleMaterials(Assembly* assembly);  // laws of material pairs
void AssembleBodies(Assembly* assembly);     // bodies with their places in q and v
void AssembleJoints(Assembly* assembly);     // joints with their rows, limits, frictions
void AssembleForces(Assembly* assembly);
void AssembleContacts(Assembly* assembly);  // colliders, named contacts
void AssembleLayout(Assembly* assembly);    // patterns, slots, mass, gravity

// --- Checks: each throws InputError(item, …) -----------------------------------------------------
std::string FormatNumber(double value);
std::string FormatVector(const Vector3& value);
void CheckFinite(const std::string& item, double value);
void CheckFinite(const std::string& item, const Vector3& value);
void CheckPositive(const std::string& item, double value, const char* unit);
void CheckNonnegative(const std::string& item, double value, const char* unit);
void CheckInterval(const std::string& item, double value, double lower, double upper);
/// Names must not be empty nor repeat; `what` is the section ("bodies").
void CheckUniqueNames(const std::string& what, const std::vector<std::string>& names);
/// The unit vector along `value`, which must be finite and not zero.
Vector3 CheckDirection(const std::string& item, const Vector3& value);
/// Parameters of a shape; `moving`: it is carried by a body.
void CheckShape(const std::string& item, const ShapeSpec& spec, bool moving);
void CheckFunction(const std::string& item, const TimeFunction& function);

/// Index of a body by name, kGround for "ground"; throws with the nearest name.
int FindBodyOrThrow(const Assembly& assembly, const std::string& item, const std::string& name);
/// A local point of the spec in the body frame (moved by frame_shift).
Vector3 MakeLocalPoint(const Assembly& assembly, int body, const Vector3& point);
Placement InitialPlacement(const Model& model, int body);
/// Frames such that both bodies see `axes` at the given local points, at the initial configuration.
PairFrames MakeFrames(const Model& model, int body_a, int body_b, const Vector3& a,
                      const Vector3& b, const Matrix3& axes);
/// Right-handed axes with column 2 along `axis` (unit); in a planar model column 0 is the normal
/// of the plane if the axis lies in it.
Matrix3 MakeAxesAlong(const Model& model, const Vector3& axis);
/// Measure value at the initial configuration.
double CalcInitialValue(const Model& model, const Pair& pair, const Measure& measure);
/// Which measures no motion of a planar model can change (none in space): tried at perturbed
/// placements.
std::vector<bool> FindVoidMeasures(const Model& model, const Pair& pair,
                                   const std::vector<Measure>& measures);
/// Lets an angle count turns where the bodies are planar; `axis` is the unit axis, world, initial.
void CountTurns(const Model& model, const Pair& pair, const Vector3& axis, Coordinate* coordinate);

}  // namespace saltus
