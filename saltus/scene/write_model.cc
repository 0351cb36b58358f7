#include "saltus/scene/write_model.h"

#include <cmath>
#include <utility>

#include "saltus/base/error.h"

namespace saltus {
namespace {

// --- Small values --------------------------------------------------------------------------------

Value MakeBool(bool flag) { return MakeScalar(flag ? "true" : "false"); }

Value MakeVector(const Vector3& v) {
  return MakeList({MakeNumber(v.x()), MakeNumber(v.y()), MakeNumber(v.z())});
}

Value MakePoints(const std::vector<Vector3>& points) {
  std::vector<Value> items;
  for (const Vector3& point : points) items.push_back(MakeVector(point));
  return MakeList(std::move(items));
}

Value MakeTwo(const std::string& a, const std::string& b) {
  return MakeList({MakeScalar(a), MakeScalar(b)});
}

Value MakeOrientation(const Quaternion& q) {
  Value map = MakeMap();
  map.Add("quaternion",
          MakeList({MakeNumber(q.w()), MakeNumber(q.x()), MakeNumber(q.y()), MakeNumber(q.z())}));
  return map;
}

Value MakeFunction(const TimeFunction& function, const std::string& item) {
  if (function.is_constant()) return MakeNumber(function.Value(0));
  if (function.text().empty()) {
    throw InputError(item, "a function of time made of a C++ callable has no text",
                     "make it from a formula to write it into a scene");
  }
  return MakeScalar(function.text());
}

Value MakeFunctions(const std::array<TimeFunction, 3>& functions, const std::string& item) {
  return MakeList({MakeFunction(functions[0], item), MakeFunction(functions[1], item),
                   MakeFunction(functions[2], item)});
}

void AddNonzero(const char* key, double number, Value* map) {
  if (number != 0) map->Add(key, MakeNumber(number));
}
void AddNonzero(const char* key, const Vector3& vector, Value* map) {
  if (!vector.isZero(0)) map->Add(key, MakeVector(vector));
}
void AddIf(const char* key, const std::optional<double>& number, Value* map) {
  if (number) map->Add(key, MakeNumber(*number));
}
void AddIf(const char* key, const std::optional<Vector3>& vector, Value* map) {
  if (vector) map->Add(key, MakeVector(*vector));
}
void AddRotation(const char* key, const Quaternion& q, Value* map) {
  if (!(q.w() == 1 && q.vec().isZero(0))) map->Add(key, MakeOrientation(q));
}

// --- Shapes --------------------------------------------------------------------------------------

struct ShapeWriter {
  Value* map;  // of the shape: one entry named after the kind is added

  Value& Add(const char* kind) const { return map->Add(kind, MakeMap()); }

  void operator()(const HalfSpace& s) const {
    Value& to = Add("half_space");
    to.Add("normal", MakeVector(s.normal));
    to.Add("offset", MakeNumber(s.offset));
  }
  void operator()(const Sphere& s) const { Add("sphere").Add("radius", MakeNumber(s.radius)); }
  void operator()(const Capsule& s) const {
    Value& to = Add("capsule");
    to.Add("radius", MakeNumber(s.radius));
    to.Add("length", MakeNumber(2 * s.half_length));
  }
  void operator()(const Box& s) const { Add("box").Add("size", MakeVector(2 * s.half_size)); }
  void operator()(const Cylinder& s) const {
    Value& to = Add("cylinder");
    to.Add("radius", MakeNumber(s.radius));
    to.Add("length", MakeNumber(2 * s.half_length));
  }
  void operator()(const ConvexHull& s) const {
    Add("convex").Add("points", MakePoints(s.polyhedron->vertices));
  }
  void operator()(const TriangleMesh& s) const {
    Value& to = Add("mesh");
    to.Add("vertices", MakePoints(s.mesh->vertices));
    std::vector<Value> triangles;
    for (const auto& corners : s.mesh->triangles) {
      triangles.push_back(
          MakeList({MakeNumber(corners[0]), MakeNumber(corners[1]), MakeNumber(corners[2])}));
    }
    to.Add("triangles", MakeList(std::move(triangles)));
  }
  void operator()(const HeightField& s) const {
    const HeightFieldData& data = *s.field;
    Value& to = Add("height_field");
    to.Add("spacing", MakeList({MakeNumber(data.dx), MakeNumber(data.dy)}));
    std::vector<Value> rows;
    for (int j = 0; j < data.ny; ++j) {
      std::vector<Value> row;
      for (int i = 0; i < data.nx; ++i) {
        row.push_back(MakeNumber(data.heights[static_cast<std::size_t>(i + data.nx * j)]));
      }
      rows.push_back(MakeList(std::move(row)));
    }
    to.Add("heights", MakeList(std::move(rows)));
  }
};

Value MakeShapes(const std::vector<ShapeSpec>& shapes) {
  std::vector<Value> items;
  for (const ShapeSpec& shape : shapes) {
    Value map = MakeMap();
    std::visit(ShapeWriter{&map}, shape.shape);
    if (!shape.material.empty()) map.Add("material", MakeScalar(shape.material));
    AddNonzero("at", shape.pose.p, &map);
    AddRotation("orientation", shape.pose.R, &map);
    AddNonzero("group", shape.group, &map);
    items.push_back(std::move(map));
  }
  return MakeList(std::move(items));
}

// --- Materials and bodies ------------------------------------------------------------------------

/// Keys beyond friction and restitution, where they are not the default.
template <typename Spec>
void AddLaw(const Spec& spec, Value* map) {
  AddNonzero("restitution_tangential", spec.restitution_tangential, map);
  if (spec.restitution_law == RestitutionLaw::kPoisson) {
    map->Add("restitution_law", MakeScalar("poisson"));
  }
  if (spec.friction_law == FrictionLaw::kAssociated) {
    map->Add("friction_law", MakeScalar("associated"));
  }
  AddNonzero("rolling_friction", spec.rolling_friction, map);
  AddNonzero("spinning_friction", spec.spinning_friction, map);
}

/// `compliance` and `cohesion`.
template <typename Spec>
void AddForceLaws(const Spec& spec, Value* owner) {
  if (spec.compliance) {
    const ComplianceSpec& law = *spec.compliance;
    Value& map = owner->Add("compliance", MakeMap());
    map.Add("law", MakeScalar(ComplianceLawName(law.law)));
    AddIf("stiffness", law.stiffness, &map);
    AddIf("modulus", law.modulus, &map);
    AddIf("radius", law.radius, &map);
    AddIf("damping", law.damping, &map);
    AddIf("restitution", law.restitution, &map);
    if (law.restitution) map.Add("impact_speed", MakeNumber(law.impact_speed));
    map.Add("slip_speed", MakeNumber(law.slip_speed));
  }
  if (spec.cohesion) {
    const CohesionSpec& law = *spec.cohesion;
    Value& map = owner->Add("cohesion", MakeMap());
    if (law.law == CohesionLaw::kTriangular) {
      map.Add("law", MakeScalar("triangular"));
      map.Add("strength", MakeNumber(law.strength));
    }
    map.Add("normal_stiffness", MakeNumber(law.normal_stiffness));
    map.Add("tangential_stiffness", MakeNumber(law.tangential_stiffness));
    map.Add("energy", MakeNumber(law.energy));
    AddNonzero("viscosity", law.viscosity, &map);
    AddIf("area", law.area, &map);
    map.Add("reach", MakeNumber(law.reach));
  }
}

Value MakeMaterials(const std::vector<MaterialSpec>& materials) {
  Value items = MakeMap();
  for (const MaterialSpec& material : materials) {
    Value& map = items.Add(material.name, MakeMap());
    map.Add("density", MakeNumber(material.density));
    map.Add("friction", MakeNumber(material.friction));
    map.Add("restitution", MakeNumber(material.restitution));
    AddLaw(material, &map);
  }
  return items;
}

Value MakePairs(const std::vector<MaterialPairSpec>& pairs) {
  std::vector<Value> items;
  for (const MaterialPairSpec& pair : pairs) {
    Value map = MakeMap();
    map.Add("materials", MakeTwo(pair.materials[0], pair.materials[1]));
    AddIf("friction", pair.friction, &map);
    AddIf("restitution", pair.restitution, &map);
    AddIf("restitution_tangential", pair.restitution_tangential, &map);
    if (pair.restitution_law) {
      const bool poisson = *pair.restitution_law == RestitutionLaw::kPoisson;
      map.Add("restitution_law", MakeScalar(poisson ? "poisson" : "newton"));
    }
    if (pair.friction_law) {
      const bool associated = *pair.friction_law == FrictionLaw::kAssociated;
      map.Add("friction_law", MakeScalar(associated ? "associated" : "coulomb"));
    }
    AddIf("rolling_friction", pair.rolling_friction, &map);
    AddIf("spinning_friction", pair.spinning_friction, &map);
    AddForceLaws(pair, &map);
    items.push_back(std::move(map));
  }
  return MakeList(std::move(items));
}

Value MakeInertia(const Matrix3& J) {
  std::vector<Value> rows;
  for (int i = 0; i < 3; ++i) rows.push_back(MakeVector(J.row(i).transpose()));
  return MakeList(std::move(rows));
}

Value MakeBodies(const ModelSpec& model) {
  Value items = MakeMap();
  for (const RigidBodySpec& body : model.rigid_bodies) {
    Value& map = items.Add(body.name, MakeMap());
    AddIf("mass", body.mass, &map);
    if (body.inertia) map.Add("inertia", MakeInertia(*body.inertia));
    map.Add("position", MakeVector(body.position));
    AddRotation("orientation", body.orientation, &map);
    AddNonzero("velocity", body.velocity, &map);
    AddNonzero("angular_velocity", body.angular_velocity, &map);
    if (!body.shapes.empty()) map.Add("shapes", MakeShapes(body.shapes));
    if (body.recenter) map.Add("recenter", MakeBool(true));
  }
  for (const PointMassSpec& body : model.point_masses) {
    Value& map = items.Add(body.name, MakeMap());
    map.Add("point_mass", MakeNumber(body.mass));
    map.Add("position", MakeVector(body.position));
    AddNonzero("velocity", body.velocity, &map);
    if (!body.shapes.empty()) map.Add("shapes", MakeShapes(body.shapes));
  }
  return items;
}

// --- Joints --------------------------------------------------------------------------------------

Value MakeLimits(const JointLimits& limits) {
  Value map = MakeMap();
  if (std::isfinite(limits.lower)) map.Add("lower", MakeNumber(limits.lower));
  if (std::isfinite(limits.upper)) map.Add("upper", MakeNumber(limits.upper));
  AddNonzero("restitution", limits.restitution, &map);
  return map;
}

void AddDrive(const JointSpec& joint, Value* map) {
  Value drive = MakeMap();
  const auto add = [&](const char* key, const std::optional<TimeFunction>& function) {
    if (function) drive.Add(key, MakeFunction(*function, "joints." + joint.name + ".drive"));
  };
  add("angle", joint.drive_angle);
  add("displacement", joint.drive_displacement);
  add("length", joint.drive_length);
  if (!drive.entries.empty()) map->Add("drive", std::move(drive));
}

Value MakeJoints(const std::vector<JointSpec>& joints) {
  const JointSpec usual;
  Value items = MakeMap();
  for (const JointSpec& joint : joints) {
    Value& map = items.Add(joint.name, MakeMap());
    map.Add("type", MakeScalar(JointTypeName(joint.type)));
    map.Add("between", MakeTwo(joint.body_a, joint.body_b));
    AddIf("at", joint.at, &map);
    if (joint.points) map.Add("points", MakePoints({(*joint.points)[0], (*joint.points)[1]}));
    AddIf("axis", joint.axis, &map);
    AddIf("axis2", joint.axis2, &map);
    AddNonzero("initial_angle", joint.initial_angle, &map);
    AddNonzero("initial_displacement", joint.initial_displacement, &map);
    AddDrive(joint, &map);
    AddIf("length", joint.length, &map);
    if (joint.limits) map.Add("limits", MakeLimits(*joint.limits));
    if (joint.angle_limits) map.Add("angle_limits", MakeLimits(*joint.angle_limits));
    AddNonzero("friction", joint.friction, &map);
    if (joint.friction_radius != usual.friction_radius) {
      map.Add("friction_radius", MakeNumber(joint.friction_radius));
    }
    AddNonzero("friction_torque", joint.friction_torque, &map);
    AddNonzero("friction_force", joint.friction_force, &map);
    if (joint.collide) map.Add("collide", MakeBool(true));
  }
  return items;
}

// --- Forces and contacts -------------------------------------------------------------------------

struct ForceWriter {
  Value* items;

  template <typename Spec>
  Value& Start(const Spec& spec, const char* type) const {
    Value& map = items->Add(spec.name, MakeMap());
    map.Add("type", MakeScalar(type));
    return map;
  }
  template <typename Spec>
  Value& StartLine(const Spec& spec, const char* type) const {
    Value& map = Start(spec, type);
    map.Add("between", MakeTwo(spec.body_a, spec.body_b));
    map.Add("points", MakePoints({spec.points[0], spec.points[1]}));
    return map;
  }

  void operator()(const SpringSpec& spring) const {
    Value& map = StartLine(spring, "spring");
    map.Add("stiffness", MakeNumber(spring.stiffness));
    AddNonzero("damping", spring.damping, &map);
    AddIf("rest_length", spring.rest_length, &map);
  }
  void operator()(const DamperSpec& damper) const {
    StartLine(damper, "damper").Add("damping", MakeNumber(damper.damping));
  }
  void operator()(const TorsionSpringSpec& spring) const {
    Value& map = Start(spring, "torsion-spring");
    if (!spring.joint.empty()) {
      map.Add("joint", MakeScalar(spring.joint));
    } else {
      map.Add("between", MakeTwo(spring.body_a, spring.body_b));
    }
    AddIf("axis", spring.axis, &map);
    map.Add("stiffness", MakeNumber(spring.stiffness));
    AddNonzero("damping", spring.damping, &map);
    AddNonzero("rest_angle", spring.rest_angle, &map);
  }
  void operator()(const BushingSpec& bushing) const {
    Value& map = Start(bushing, "bushing");
    map.Add("between", MakeTwo(bushing.body_a, bushing.body_b));
    map.Add("at", MakeVector(bushing.at));
    AddRotation("orientation", bushing.axes, &map);
    map.Add("stiffness", MakeVector(bushing.stiffness));
    map.Add("damping", MakeVector(bushing.damping));
    map.Add("angular_stiffness", MakeVector(bushing.angular_stiffness));
    map.Add("angular_damping", MakeVector(bushing.angular_damping));
  }
  void operator()(const ForceLoadSpec& load) const {
    Value& map = Start(load, "force");
    map.Add("on", MakeScalar(load.body));
    AddNonzero("at", load.at, &map);
    map.Add("force", MakeFunctions(load.force, "forces." + load.name));
    if (load.axes == LoadAxes::kBody) map.Add("axes", MakeScalar("body"));
  }
  void operator()(const TorqueLoadSpec& load) const {
    Value& map = Start(load, "torque");
    map.Add("on", MakeScalar(load.body));
    map.Add("torque", MakeFunctions(load.torque, "forces." + load.name));
    if (load.axes == LoadAxes::kBody) map.Add("axes", MakeScalar("body"));
  }
  void operator()(const ActuatorSpec& actuator) const {
    Value& map = Start(actuator, "actuator");
    map.Add("joint", MakeScalar(actuator.joint));
    map.Add("effort", MakeFunction(actuator.effort, "forces." + actuator.name));
  }
};

struct SurfaceWriter {
  Value* contact;

  Value& Start(const char* kind, const std::string& body) const {
    Value& map = contact->Add(kind, MakeMap());
    map.Add("on", MakeScalar(body));
    return map;
  }
  void operator()(const PlaneSurface& plane) const {
    Value& map = Start("plane", plane.body);
    map.Add("normal", MakeVector(plane.normal));
    map.Add("offset", MakeNumber(plane.offset));
  }
  void operator()(const LineSurface& line) const {
    Value& map = Start("line", line.body);
    map.Add("from", MakeVector(line.from));
    map.Add("to", MakeVector(line.to));
    AddIf("up", line.up, &map);
  }
  void operator()(const CircleSurface& circle) const {
    Value& map = Start("circle", circle.body);
    map.Add("center", MakeVector(circle.center));
    map.Add("radius", MakeNumber(circle.radius));
    if (circle.hollow) map.Add("hollow", MakeBool(true));
    AddIf("up", circle.up, &map);
    AddIf("reference", circle.reference, &map);
    map.Add("start", MakeNumber(circle.start));
    map.Add("sweep", MakeNumber(circle.sweep));
  }
  void operator()(const CurveSurface& curve) const {
    Value& map = Start("curve", curve.body);
    map.Add("points", MakePoints(curve.points));
    if (curve.closed) map.Add("closed", MakeBool(true));
    AddIf("up", curve.up, &map);
  }
};

Value MakeContacts(const std::vector<ContactSpec>& contacts) {
  Value items = MakeMap();
  for (const ContactSpec& contact : contacts) {
    Value& map = items.Add(contact.name, MakeMap());
    Value& point = map.Add("point", MakeMap());
    point.Add("on", MakeScalar(contact.body));
    point.Add("at", MakeVector(contact.at));
    std::visit(SurfaceWriter{&map}, contact.surface);
    map.Add("friction", MakeNumber(contact.friction));
    map.Add("restitution", MakeNumber(contact.restitution));
    AddLaw(contact, &map);
    AddForceLaws(contact, &map);
  }
  return items;
}

/// "xz" from the two directions of a plane along axes.
std::string PlaneName(const PlaneSpec& plane) {
  constexpr const char* kAxes = "xyz";
  std::string name;
  for (const Vector3& direction : {plane.first, plane.second}) {
    Eigen::Index axis = 0;
    if (direction.maxCoeff(&axis) != 1 || direction.cwiseAbs().sum() != 1) {
      throw InputError("planar", "the plane is not spanned by two coordinate axes",
                       "a scene can name xy, yz, zx, yx, zy or xz");
    }
    name += kAxes[axis];
  }
  return name;
}

}  // namespace

void AddModel(const ModelSpec& model, Value* root) {
  if (!model.name.empty()) root->Add("name", MakeScalar(model.name));
  root->Add("gravity", MakeVector(model.gravity));
  if (model.planar) root->Add("planar", MakeScalar(PlaneName(*model.planar)));
  root->Add("materials", MakeMaterials(model.materials));
  root->Add("pairs", MakePairs(model.pairs));
  root->Add("bodies", MakeBodies(model));
  root->Add("ground", MakeMap()).Add("shapes", MakeShapes(model.ground_shapes));
  root->Add("joints", MakeJoints(model.joints));
  Value forces = MakeMap();
  for (const ForceSpec& force : model.forces) std::visit(ForceWriter{&forces}, force);
  root->Add("forces", std::move(forces));
  root->Add("contacts", MakeContacts(model.contacts));
}

}  // namespace saltus
