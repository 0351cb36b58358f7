// Plain descriptions of everything a model may hold: what scenes, Python and C++ fill in.
//
// SI units, radians, right-handed axes. A body's own frame B has its origin in the centre of mass;
// "local" means this frame. Names must be unique within their kind; "ground" is reserved for the
// fixed world. Every range below is checked by ModelBuilder::Build(), which throws InputError whose
// item() is the key path of the scene format ("bodies.ball.mass", "joints.hinge.axis"), so that a
// reader can add the place in its file.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "saltus/base/types.h"
#include "saltus/collision/shape.h"
#include "saltus/math/time_function.h"

namespace saltus {

/// The name of the fixed world where a body name is asked for.
inline constexpr const char* kGroundName = "ground";

/// What e_N means: ratio of the normal speeds after and before an impact, or of the normal impulses
/// of its expansion and its compression.
enum class RestitutionLaw { kNewton, kPoisson };
/// Coulomb's law, or its convex relaxation: the velocity of a sliding contact is normal to the cone
/// of the impulses, so that it opens by μ|u_T|. Quicker to solve to many digits, but not dry
/// friction.
enum class FrictionLaw { kCoulomb, kAssociated };

/// Two materials i, j meet with μ = √(μ_i μ_j), e_N = max(e_i, e_j), e_T = (e_Ti + e_Tj)/2, the
/// larger rolling and spinning friction, and Poisson's law or associated friction if one of them
/// has it, unless a MaterialPairSpec says otherwise.
struct MaterialSpec {
  std::string name{};
  double density = 1000;              // kg/m³, > 0
  double friction = 0.5;              // μ ≥ 0
  double restitution = 0;             // e_N ∈ [0, 1]
  double restitution_tangential = 0;  // e_T ∈ [−1, 1]; 0 with Poisson's law
  RestitutionLaw restitution_law = RestitutionLaw::kNewton;
  FrictionLaw friction_law = FrictionLaw::kCoulomb;
  double rolling_friction = 0;   // m, ≥ 0
  double spinning_friction = 0;  // m, ≥ 0
};

/// A bond between surfaces that touch at the start; see contact/bond.h. It breaks for good.
enum class CohesionLaw { kFremond, kTriangular };
struct CohesionSpec {
  double normal_stiffness = 0;      // c_N, N/m³, > 0
  double tangential_stiffness = 0;  // c_T, N/m³, ≥ 0
  double energy = 0;                // w, J/m², > 0
  double viscosity = 0;             // b, J s/m², ≥ 0
  /// m², > 0: of the whole pair of shapes, shared equally by its contact points. Absent: the area
  /// of the polygon of these points.
  std::optional<double> area{};
  double reach = 1e-6;  // surfaces with a gap up to this are bonded, m, ≥ 0
  CohesionLaw law = CohesionLaw::kFremond;
  double strength = 0;  // σ of the triangular law, N/m², > 0 and σ² < 2 w c_N; else 0
};

/// Contact by a smooth force instead of a constraint; see contact/compliance.h for the laws.
enum class ComplianceLaw { kSpringDamper, kHertz, kHuntCrossley };
inline constexpr int kNumComplianceLaws = 3;
/// "spring-damper", "hertz", "hunt-crossley".
const char* ComplianceLawName(ComplianceLaw law);
/// One line for lists.
const char* ComplianceLawSummary(ComplianceLaw law);

struct ComplianceSpec {
  ComplianceLaw law = ComplianceLaw::kSpringDamper;
  std::optional<double> stiffness{};  // N/m; N/m^1.5 for hertz and hunt-crossley. > 0
  /// Instead of the stiffness of hertz and hunt-crossley: (4/3) modulus √radius.
  std::optional<double> modulus{};  // E*, 1/E* = (1 − ν₁²)/E₁ + (1 − ν₂²)/E₂, Pa, > 0
  std::optional<double> radius{};   // 1/R = 1/R₁ + 1/R₂, m, > 0
  std::optional<double> damping{};  // spring-damper: N s/m; hunt-crossley: s/m; ≥ 0
  /// Instead of the damping of hunt-crossley: the ratio of the speeds after and before an impact…
  std::optional<double> restitution{};  // ∈ (0, 1]
  double impact_speed = 1;              // … with this speed, m/s, > 0
  double slip_speed = 1e-3;             // m/s, > 0: friction is viscous below, Coulomb's above
};

/// Overrides the combination rule for one pair (or for a material with itself). What is not given
/// follows the rule.
struct MaterialPairSpec {
  std::array<std::string, 2> materials{};
  std::optional<double> friction{};
  std::optional<double> restitution{};
  std::optional<double> restitution_tangential{};
  std::optional<RestitutionLaw> restitution_law{};
  std::optional<FrictionLaw> friction_law{};
  std::optional<double> rolling_friction{};
  std::optional<double> spinning_friction{};
  std::optional<ComplianceSpec> compliance{};  // absent: rigid
  std::optional<CohesionSpec> cohesion{};      // absent: none
};

struct ShapeSpec {
  Shape shape{};
  Pose pose{};             // shape frame in the body frame (in the world for the ground)
  std::string material{};  // empty: the default material (a MaterialSpec as constructed)
  int group = 0;           // shapes of equal nonzero groups never collide
};

/// A rigid body in space (6 degrees of freedom; 3 in a planar model).
struct RigidBodySpec {
  std::string name{};
  /// kg, > 0. Absent: from the shapes and the densities of their materials; overlaps count twice.
  std::optional<double> mass{};
  /// About the centre of mass, body axes, kg m². Symmetric positive definite, principal moments
  /// obey the triangle inequality J₁ ≤ J₂ + J₃. Absent: from the shapes, scaled to `mass` if given.
  std::optional<Matrix3> inertia{};
  Vector3 position = Vector3::Zero();               // centre of mass, world, m
  Quaternion orientation = Quaternion::Identity();  // R_WB; normalised by Build
  Vector3 velocity = Vector3::Zero();               // of the centre of mass, world axes, m/s
  Vector3 angular_velocity = Vector3::Zero();       // WORLD axes, rad/s
  std::vector<ShapeSpec> shapes{};
  /// Where mass or inertia come from the shapes, their common centroid must be the local origin;
  /// otherwise Build throws and says by how much to move them. With recenter = true the centroid
  /// may be anywhere: `position`, shapes and all local points of this body refer to the frame the
  /// shapes are given in, and Build moves them to the centre of mass (state and channels then
  /// report the centre of mass).
  bool recenter = false;
};

/// A point mass (3 degrees of freedom; 2 in a planar model). Its frame never rotates.
struct PointMassSpec {
  std::string name{};
  double mass = 1;                     // kg, > 0
  Vector3 position = Vector3::Zero();  // m
  Vector3 velocity = Vector3::Zero();  // m/s
  std::vector<ShapeSpec> shapes{};     // for contact only
};

enum class JointType {
  kFixed,
  kRevolute,
  kPrismatic,
  kCylindrical,
  kUniversal,
  kSpherical,
  kPlanar,
  kDistance,
  kPointOnLine,
};
inline constexpr int kNumJointTypes = 9;
/// "fixed", "revolute", …, "point-on-line".
const char* JointTypeName(JointType type);
/// One line for lists: what the joint keeps, what it leaves free.
const char* JointTypeSummary(JointType type);
std::optional<JointType> FindJointType(const std::string& name);

/// Admissible range of a joint coordinate; ±infinity: open. lower < upper.
struct JointLimits {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double restitution = 0;  // e_N ∈ [0, 1] at the stop
};

/// A joint between body_a and body_b; one of them may be "ground". Its coordinate (angle about the
/// axis, displacement along it, length) is that of b relative to a, measured about/along the axis
/// fixed in a. What each type uses:
///
///   type           place            axis       axis2      limits       drive            friction
///   fixed          at | points      –          –          –            –                –
///   revolute       at | points      hinge      –          angle        angle            yes
///   prismatic      at | points      sliding    –          displacement displacement     yes
///   cylindrical    at | points      common     –          displacement both             yes
///                                                         and angle
///   universal      at | points      fixed in a fixed in b –            –                –
///   spherical      at | points      cone axis  –          cone angle   –                yes
///   planar         at | points      normal     –          –            –                yes
///   distance       points           –          –          length       length           –
///   point-on-line  at | points      line in a  –          displacement displacement     yes
///
/// `axis` and `axis2` are in world axes at the initial configuration (need not be unit).
struct JointSpec {
  std::string name{};
  JointType type = JointType::kSpherical;
  std::string body_a{}, body_b{};
  std::optional<Vector3> at{};                     // world point at the initial configuration, m
  std::optional<std::array<Vector3, 2>> points{};  // one in the local frame of each body, m
  std::optional<Vector3> axis{};
  std::optional<Vector3> axis2{};  // universal: must be ⟂ axis; default: chosen ⟂
  /// The coordinate's value at the initial configuration (default 0: it counts from there).
  double initial_angle = 0;         // rad
  double initial_displacement = 0;  // m

  /// Prescribed motion of the coordinate: one more constraint row.
  std::optional<TimeFunction> drive_angle{};         // rad; revolute, cylindrical
  std::optional<TimeFunction> drive_displacement{};  // m; prismatic, cylindrical, point-on-line
  std::optional<TimeFunction> drive_length{};        // m, > 0; distance. Absent: see `length`
  /// Distance joint: its constant length, m, > 0. Absent: the initial distance.
  std::optional<double> length{};

  /// revolute: angle, turns are counted; prismatic, cylindrical, point-on-line: displacement;
  /// distance: length (a rope has only an upper limit; the joint then has no bilateral row);
  /// spherical: upper = largest angle in (0, π) between the axis as carried by a and by b.
  std::optional<JointLimits> limits{};
  std::optional<JointLimits> angle_limits{};  // cylindrical

  /// Dry friction, −slip ∈ N(force), |force| ≤ constant + load-dependent part:
  ///   revolute, spherical      |τ| ≤ friction_torque + friction·friction_radius·|F|
  ///   prismatic, point-on-line |F_t| ≤ friction_force + friction·|F_⊥|
  ///   cylindrical              |(F_t, τ/friction_radius)| ≤ friction_force + friction·|F_⊥|
  ///   planar                   |F_t| ≤ friction_force + friction·|F_n|
  /// with F the reaction force of the joint.
  double friction = 0;            // coefficient, ≥ 0
  double friction_radius = 0.01;  // pin or ball radius, m, > 0
  double friction_torque = 0;     // N m, ≥ 0; revolute, spherical
  double friction_force = 0;      // N, ≥ 0; prismatic, cylindrical, planar, point-on-line

  /// Shapes of two bodies joined by a joint do not touch each other, unless true. The ground is no
  /// exception.
  bool collide = false;
};

/// Pulls the points together with F = stiffness (l − rest_length) + damping l̇.
struct SpringSpec {
  std::string name{};
  std::string body_a{}, body_b{};
  std::array<Vector3, 2> points = {Vector3::Zero(), Vector3::Zero()};  // local, m
  double stiffness = 0;                                                // N/m, ≥ 0
  double damping = 0;                                                  // N s/m, ≥ 0
  std::optional<double> rest_length{};  // m, ≥ 0. Absent: the initial distance
};

/// Pulls the points together with F = damping l̇.
struct DamperSpec {
  std::string name{};
  std::string body_a{}, body_b{};
  std::array<Vector3, 2> points = {Vector3::Zero(), Vector3::Zero()};  // local, m
  double damping = 0;                                                  // N s/m, ≥ 0
};

/// Torque −stiffness (angle − rest_angle) − damping·rate on b (opposite on a), about an axis.
/// Either `joint` (revolute or cylindrical: its axis and angle) or two bodies and a world axis at
/// the initial configuration (the angle then counts from there; meant for bodies whose relative
/// rotation is about that axis). Turns are counted.
struct TorsionSpringSpec {
  std::string name{};
  std::string joint{};
  std::string body_a{}, body_b{};
  std::optional<Vector3> axis{};
  double stiffness = 0;   // N m/rad, ≥ 0
  double damping = 0;     // N m s/rad, ≥ 0
  double rest_angle = 0;  // rad
};

/// An elastic bearing between the frame (at, axes) carried by a and the same frame carried by b:
/// force −k_i d_i − c_i ḋ_i along the axes of a, torque −k_i θ_i − c_i θ̇_i along them, θ the
/// rotation vector of b relative to a (|θ| < π). Relaxed at the initial configuration.
struct BushingSpec {
  std::string name{};
  std::string body_a{}, body_b{};
  Vector3 at = Vector3::Zero();                 // world point at the initial configuration, m
  Quaternion axes = Quaternion::Identity();     // world axes of the frame there
  Vector3 stiffness = Vector3::Zero();          // N/m, ≥ 0
  Vector3 damping = Vector3::Zero();            // N s/m, ≥ 0
  Vector3 angular_stiffness = Vector3::Zero();  // N m/rad, ≥ 0
  Vector3 angular_damping = Vector3::Zero();    // N m s/rad, ≥ 0
};

/// In which axes a load is given.
enum class LoadAxes { kWorld, kBody };

/// A force at a point of a body.
struct ForceLoadSpec {
  std::string name{};
  std::string body{};
  Vector3 at = Vector3::Zero();         // local, m
  std::array<TimeFunction, 3> force{};  // N
  LoadAxes axes = LoadAxes::kWorld;
};

/// A torque on a rigid body.
struct TorqueLoadSpec {
  std::string name{};
  std::string body{};
  std::array<TimeFunction, 3> torque{};  // N m
  LoadAxes axes = LoadAxes::kWorld;
};

/// A motor with given effort on the coordinate of a joint: torque about the axis of a revolute
/// joint, force along the axis of a prismatic, cylindrical, point-on-line or distance joint. On b;
/// opposite on a.
struct ActuatorSpec {
  std::string name{};
  std::string joint{};
  TimeFunction effort{};  // N or N m
};

using ForceSpec = std::variant<SpringSpec, DamperSpec, TorsionSpringSpec, BushingSpec,
                               ForceLoadSpec, TorqueLoadSpec, ActuatorSpec>;

// --- Named contacts between a point of one body and a surface of another (or of the ground) ------

/// {x : normal·x ≤ offset} is solid, in the local frame of `body`.
struct PlaneSurface {
  std::string body = kGroundName;
  Vector3 normal = Vector3::UnitZ();  // ≠ 0
  double offset = 0;                  // m, along the normalised normal
};
/// A straight stop of finite length in a plane: contact only while the point projects between
/// `from` and `to`; the solid lies to the right when looking from `from` to `to` with `up` (the
/// plane's normal) towards the eye. Extruded along `up`.
struct LineSurface {
  std::string body = kGroundName;
  Vector3 from = Vector3::Zero(), to = Vector3::UnitX();  // local, m, from ≠ to
  std::optional<Vector3> up{};  // local. Absent: the normal of a planar model; needed in space
};
/// A circular arc, extruded along its axis. The solid lies inside, or outside for `hollow`.
struct CircleSurface {
  std::string body = kGroundName;
  Vector3 center = Vector3::Zero();  // local, m
  double radius = 1;                 // m, > 0
  bool hollow = false;               // true: the point moves inside the circle
  std::optional<Vector3> up{};       // axis, local. As in LineSurface
  /// Arc from `start` (counted about `up` from the direction `reference`) over `sweep`.
  std::optional<Vector3> reference{};  // local; needed if sweep < 2π
  double start = 0;                    // rad
  double sweep = 6.283185307179586;    // rad, in (0, 2π]
};
/// A smooth curve (cubic spline) through points of a plane, extruded along `up`. The solid lies to
/// the right when going along the points with `up` towards the eye.
struct CurveSurface {
  std::string body = kGroundName;
  std::vector<Vector3> points{};  // local, m; at least 3, consecutive ones distinct
  bool closed = false;            // true: the last point is joined smoothly to the first
  std::optional<Vector3> up{};    // local. As in LineSurface
};
using SurfaceSpec = std::variant<PlaneSurface, LineSurface, CircleSurface, CurveSurface>;

struct ContactSpec {
  std::string name{};
  std::string body{};            // carries the point
  Vector3 at = Vector3::Zero();  // the point, local, m
  SurfaceSpec surface{};
  double friction = 0;                // μ ≥ 0
  double restitution = 0;             // e_N ∈ [0, 1]
  double restitution_tangential = 0;  // e_T ∈ [−1, 1]; 0 with Poisson's law
  RestitutionLaw restitution_law = RestitutionLaw::kNewton;
  FrictionLaw friction_law = FrictionLaw::kCoulomb;
  double rolling_friction = 0;                 // m, ≥ 0
  double spinning_friction = 0;                // m, ≥ 0
  std::optional<ComplianceSpec> compliance{};  // absent: rigid
  std::optional<CohesionSpec> cohesion{};      // absent: none
};

/// A planar model: every body moves in the plane spanned by `first` and `second` (any depth) and
/// rotates about normal = first × second. Angles count from first to second.
struct PlaneSpec {
  Vector3 first = Vector3::UnitX();
  Vector3 second = Vector3::UnitY();
};
/// "xy", "xz", "yz", "yx", … Throws InputError (item "planar") for anything else.
PlaneSpec MakePlane(const std::string& name);

struct ModelSpec {
  std::string name{};
  Vector3 gravity = Vector3(0, 0, -9.81);  // m/s²
  std::optional<PlaneSpec> planar{};
  std::vector<MaterialSpec> materials{};
  std::vector<MaterialPairSpec> pairs{};
  std::vector<RigidBodySpec> rigid_bodies{};
  std::vector<PointMassSpec> point_masses{};
  std::vector<ShapeSpec> ground_shapes{};
  std::vector<JointSpec> joints{};
  std::vector<ForceSpec> forces{};
  std::vector<ContactSpec> contacts{};
};

}  // namespace saltus
