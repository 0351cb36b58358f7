// Checks body specs and makes bodies of them: mass properties, kinds, places in q and v.
#include <cmath>
#include <utility>

#include <Eigen/Eigenvalues>

#include "saltus/multibody/assembly.h"

namespace saltus {
namespace {

/// A centroid farther than this times the radius of gyration from the origin is an error. The
/// parallel-axis term of what passes is 1e-12 of the inertia.
constexpr double kCentroidTolerance = 1e-6;
/// The triangle inequality may fail by this much: data are often rounded to three digits.
constexpr double kTriangleTolerance = 1e-3;

double FindDensity(const ModelSpec& spec, const std::string& material) {
  for (const MaterialSpec& candidate : spec.materials) {
    if (candidate.name == material) return candidate.density;
  }
  return MaterialSpec().density;  // AssembleContacts reports unknown names
}

/// Sum over shapes with densities; `center` and `inertia` in the frame the shapes are given in.
MassProperties SumShapes(const ModelSpec& spec, const std::vector<ShapeSpec>& shapes) {
  MassProperties sum;
  Matrix3 about_origin = Matrix3::Zero();
  for (const ShapeSpec& shape : shapes) {
    const MassProperties unit = CalcUnitDensityMass(shape.shape);
    const double m = unit.mass * FindDensity(spec, shape.material);
    const Vector3 c = shape.pose * unit.center;
    const Matrix3 R = shape.pose.R.normalized().toRotationMatrix();
    const Matrix3 central = R * unit.inertia * R.transpose() * (m / unit.mass);
    sum.mass += m;
    sum.center += m * c;
    about_origin += central + m * (c.squaredNorm() * Matrix3::Identity() - c * c.transpose());
  }
  if (sum.mass > 0) sum.center /= sum.mass;
  const Vector3& c = sum.center;
  sum.inertia =
      about_origin - sum.mass * (c.squaredNorm() * Matrix3::Identity() - c * c.transpose());
  return sum;
}

void CheckInertia(const std::string& item, const Matrix3& J) {
  if (!J.allFinite()) throw InputError(item, "holds numbers that are not finite", "");
  if ((J - J.transpose()).norm() > 1e-9 * J.norm()) {
    throw InputError(item, "is not symmetric", "must be a symmetric matrix");
  }
  const Vector3 principal = Eigen::SelfAdjointEigenSolver<Matrix3>(J).eigenvalues();
  const std::string moments = "has principal moments " + FormatVector(principal) + " kg m^2";
  if (!(principal[0] > 0)) throw InputError(item, moments, "all must be > 0");
  if (principal[2] > (principal[0] + principal[1]) * (1 + kTriangleTolerance)) {
    throw InputError(item, moments,
                     "no body has them: the largest must not exceed the sum of the others");
  }
}

/// Mass, inertia and the shift of the frame, from the spec or from the shapes.
void SetMass(const ModelSpec& spec, const RigidBodySpec& source, const std::string& item,
             Body* body, Vector3* shift) {
  for (std::size_t i = 0; i < source.shapes.size(); ++i) {
    CheckShape(item + ".shapes[" + std::to_string(i) + "]", source.shapes[i], true);
  }
  const bool needs_shapes = !source.mass || !source.inertia || source.recenter;
  MassProperties shapes;
  if (needs_shapes) {
    if (source.shapes.empty()) {
      const std::string missing = source.mass ? ".inertia" : ".mass";
      throw InputError(item + missing, "is missing and the body has no shapes to compute it from",
                       "give mass and inertia, or shapes with a material");
    }
    shapes = SumShapes(spec, source.shapes);
    CheckPositive(item + ".shapes: mass", shapes.mass, "kg");
    const double size = std::sqrt(shapes.inertia.trace() / shapes.mass);
    if (source.recenter) {
      *shift = shapes.center;
    } else if (shapes.center.norm() > kCentroidTolerance * size) {
      throw InputError(item + ".shapes",
                       "their centroid is at " + FormatVector(shapes.center) +
                           ", but shapes are given relative to the centre of mass",
                       "move them by " + FormatVector(-shapes.center) + " or set recenter: true");
    }
  }
  if (source.mass) CheckPositive(item + ".mass", *source.mass, "kg");
  body->mass = source.mass ? *source.mass : shapes.mass;
  body->inertia =
      source.inertia ? *source.inertia : Matrix3(shapes.inertia * (body->mass / shapes.mass));
  CheckInertia(item + ".inertia", body->inertia);
  body->inertia = 0.5 * (body->inertia + body->inertia.transpose()).eval();
}

/// In a planar model: sets the plane and refuses velocities that leave it.
void SetPlane(const Model& model, const std::string& item, Body* body) {
  if (!model.plane) return;
  body->kind = body->kind == BodyKind::kRigid ? BodyKind::kPlanar : BodyKind::kPlanarPoint;
  body->first_axis = model.plane->first;
  body->second_axis = model.plane->second;
  body->normal = model.plane_normal;
  const Vector3& v = body->initial_velocity;
  if (std::abs(v.dot(model.plane_normal)) > 1e-9 * v.norm()) {
    throw InputError(
        item + ".velocity", "is " + FormatVector(v) + " and leaves the plane",
        "in a planar model it must be perpendicular to " + FormatVector(model.plane_normal));
  }
  const Vector3& w = body->initial_angular_velocity;
  if (w.cross(model.plane_normal).norm() > 1e-9 * w.norm()) {
    throw InputError(item + ".angular_velocity", "is " + FormatVector(w) + " and leaves the plane",
                     "in a planar model it must be along " + FormatVector(model.plane_normal));
  }
}

Body MakeRigidBody(const Assembly& assembly, const RigidBodySpec& source, Vector3* shift) {
  const std::string item = "bodies." + source.name;
  Body body;
  body.name = source.name;
  body.kind = BodyKind::kRigid;
  CheckFinite(item + ".position", source.position);
  CheckFinite(item + ".velocity", source.velocity);
  CheckFinite(item + ".angular_velocity", source.angular_velocity);
  const double norm = source.orientation.norm();
  if (!(norm > 0) || !std::isfinite(norm)) {
    throw InputError(item + ".orientation", "its quaternion has length " + FormatNumber(norm),
                     "must be finite and > 0");
  }
  SetMass(assembly.spec, source, item, &body, shift);
  body.initial_pose.R = source.orientation.normalized();
  const Vector3 lever = body.initial_pose.R * *shift;  // reference point to centre of mass
  body.initial_pose.p = source.position + lever;
  body.initial_velocity = source.velocity;
  body.initial_angular_velocity = source.angular_velocity;
  SetPlane(*assembly.model, item, &body);
  return body;
}

Body MakePointMass(const Assembly& assembly, const PointMassSpec& source) {
  const std::string item = "bodies." + source.name;
  Body body;
  body.name = source.name;
  body.kind = BodyKind::kPoint;
  CheckPositive(item + ".point_mass", source.mass, "kg");
  CheckFinite(item + ".position", source.position);
  CheckFinite(item + ".velocity", source.velocity);
  body.mass = source.mass;
  body.initial_pose.p = source.position;
  body.initial_velocity = source.velocity;
  SetPlane(*assembly.model, item, &body);
  return body;
}

void AddBody(Body body, const Vector3& shift, Assembly* assembly) {
  Model& model = *assembly->model;
  FinishBody(&body);
  body.first_coordinate = model.num_coordinates;
  body.first_velocity = model.num_velocities;
  model.num_coordinates += body.num_coordinates;
  model.num_velocities += body.num_velocities;
  const int index = static_cast<int>(model.bodies.size());
  if (body.gyroscopic) model.gyroscopic_bodies.push_back(index);
  model.body_index.emplace(body.name, index);
  assembly->frame_shift.push_back(shift);
  model.bodies.push_back(std::move(body));
}

}  // namespace

void AssembleBodies(Assembly* assembly) {
  std::vector<std::string>& names = assembly->body_names;
  for (const RigidBodySpec& body : assembly->spec.rigid_bodies) names.push_back(body.name);
  for (const PointMassSpec& body : assembly->spec.point_masses) names.push_back(body.name);
  CheckUniqueNames("bodies", names);
  for (const std::string& name : names) {
    if (name == kGroundName) {
      throw InputError("bodies." + name, "this name is reserved for the fixed world",
                       "choose another name");
    }
  }
  names.push_back(kGroundName);
  for (const RigidBodySpec& source : assembly->spec.rigid_bodies) {
    Vector3 shift = Vector3::Zero();
    Body body = MakeRigidBody(*assembly, source, &shift);
    AddBody(std::move(body), shift, assembly);
  }
  for (const PointMassSpec& source : assembly->spec.point_masses) {
    AddBody(MakePointMass(*assembly, source), Vector3::Zero(), assembly);
  }
}

}  // namespace saltus
