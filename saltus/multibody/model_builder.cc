#include "saltus/multibody/model_builder.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/multibody/assembly.h"
#include "saltus/multibody/model.h"

namespace saltus {
namespace {

void AssemblePlane(Assembly* assembly) {
  Model& model = *assembly->model;
  if (!assembly->spec.planar) return;
  PlaneSpec plane;
  plane.first = CheckDirection("planar", assembly->spec.planar->first);
  plane.second = CheckDirection("planar", assembly->spec.planar->second);
  if (std::abs(plane.first.dot(plane.second)) > 1e-9) {
    throw InputError("planar",
                     "the axes " + FormatVector(plane.first) + " and " +
                         FormatVector(plane.second) + " are not perpendicular",
                     "use for instance xz");
  }
  model.plane_normal = plane.first.cross(plane.second).normalized();
  plane.second = model.plane_normal.cross(plane.first);
  model.plane = plane;
}

/// Bodies that may touch by a compliant law: any two, as nobody knows yet which ones will.
void AddCompliantCouplings(const Model& model, std::vector<std::array<int, 2>>* couplings) {
  constexpr std::size_t kMaxCouplings = 50000;
  const ContactTables& tables = model.contact;
  std::vector<std::array<int, 2>> found;
  const auto add = [&found](int a, int b) {
    if (a != kGround && b != kGround && a != b) found.push_back({std::min(a, b), std::max(a, b)});
  };
  for (const NamedContact& named : tables.named) {
    if (named.law.compliance) add(named.surface_body, named.point_body);
  }
  for (std::size_t i = 0; i < tables.compliant_colliders.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int a = tables.compliant_colliders[i], b = tables.compliant_colliders[j];
      if (tables.law(a, b).compliance) add(tables.collider_body[a], tables.collider_body[b]);
    }
    if (found.size() > kMaxCouplings) {
      throw InputError(
          "pairs",
          "compliant laws couple more than " + std::to_string(kMaxCouplings) + " pairs of bodies",
          "use them for contact with the ground, or between fewer bodies");
    }
  }
  couplings->insert(couplings->end(), found.begin(), found.end());
}

/// Every pair of bodies that an element couples: blocks (a, b) of M, K or D that may not vanish.
std::vector<std::array<int, 2>> ListCouplings(const Model& model) {
  std::vector<std::array<int, 2>> couplings;
  const auto add = [&couplings](const Pair& pair) {
    if (pair.a != kGround && pair.b != kGround) couplings.push_back({pair.a, pair.b});
  };
  for (const Joint& joint : model.joints) {
    const bool couples = std::any_of(joint.rows.begin(), joint.rows.end(),
                                     [](const JointRow& row) { return row.measure.couples(); });
    if (couples) add(joint.pair);
  }
  for (const SpringElement& spring : model.springs) add(spring.pair);
  for (const Actuator& actuator : model.actuators) add(actuator.pair);
  for (const Bond& bond : model.bonds) add(bond.pair);
  AddCompliantCouplings(model, &couplings);
  return couplings;
}

void AssembleMass(Model* model) {
  model->mass = BlockMatrix(model->pattern);
  model->gravity_force.setZero(model->num_velocities);
  for (std::size_t b = 0; b < model->bodies.size(); ++b) {
    const Body& body = model->bodies[b];
    const int n = body.num_velocities;
    const auto T = body.map.leftCols(n);
    Matrix6 spatial = Matrix6::Zero();
    spatial.topLeftCorner<3, 3>() = body.mass * Matrix3::Identity();
    spatial.bottomRightCorner<3, 3>() = body.inertia;
    const int slot = model->pattern->FindSlot(static_cast<int>(b), static_cast<int>(b));
    model->mass.block(slot) = T.transpose() * spatial * T;
    Vector6 weight;
    weight << body.mass * model->gravity, Vector3::Zero();
    model->gravity_force.segment(body.first_velocity, n) = T.transpose() * weight;
  }
}

void AssembleJacobianPattern(Model* model) {
  std::vector<Triplet> entries;
  for (std::size_t j = 0; j < model->joints.size(); ++j) {
    const Joint& joint = model->joints[j];
    for (std::size_t r = 0; r < joint.rows.size(); ++r) {
      model->joint_of_row.push_back(static_cast<int>(j));
      for (const int b : {joint.pair.a, joint.pair.b}) {
        if (b == kGround) continue;
        for (int k = 0; k < model->bodies[b].num_velocities; ++k) {
          entries.emplace_back(joint.first_row + static_cast<int>(r),
                               model->bodies[b].first_velocity + k, 0.0);
        }
      }
    }
  }
  model->jacobian_pattern.resize(model->num_constraints, model->num_velocities);
  model->jacobian_pattern.setFromTriplets(entries.begin(), entries.end());
  model->jacobian_pattern.makeCompressed();
}

}  // namespace

PlaneSpec MakePlane(const std::string& name) {
  const std::string axes = "xyz";
  if (name.size() == 2 && name[0] != name[1]) {
    const std::size_t first = axes.find(name[0]);
    const std::size_t second = axes.find(name[1]);
    if (first != std::string::npos && second != std::string::npos) {
      return {Vector3::Unit(static_cast<int>(first)), Vector3::Unit(static_cast<int>(second))};
    }
  }
  throw InputError("planar", "is '" + name + "'", "must be one of xy, xz, yz, yx, zx, zy");
}

void AssembleLayout(Assembly* assembly) {
  Model& model = *assembly->model;
  std::vector<int> sizes;
  for (const Body& body : model.bodies) sizes.push_back(body.num_velocities);
  model.pattern = std::make_shared<const BlockPattern>(sizes, ListCouplings(model));
  for (Joint& joint : model.joints) FindSlots(*model.pattern, &joint.pair);
  for (SpringElement& spring : model.springs) FindSlots(*model.pattern, &spring.pair);
  for (Actuator& actuator : model.actuators) FindSlots(*model.pattern, &actuator.pair);
  for (Bond& bond : model.bonds) FindSlots(*model.pattern, &bond.pair);
  for (BodyLoad& load : model.loads) load.slot = model.pattern->FindSlot(load.body, load.body);
  AssembleMass(&model);
  AssembleJacobianPattern(&model);
  model.initial_q.resize(model.num_coordinates);
  model.initial_v.resize(model.num_velocities);
  for (const Body& body : model.bodies) body.WriteInitialState(&model.initial_q, &model.initial_v);
}

namespace {

/// Every angle in space gets a place where its value is remembered from step to step.
void AssembleTurns(Model* model) {
  std::vector<double> initial;
  const auto add = [&](const Pair& pair, Coordinate* coordinate) {
    if (!coordinate->measure.is_angle() || coordinate->turn_sign != 0) return;
    coordinate->turn_slot = static_cast<int>(model->turns.size());
    model->turns.push_back({pair, *coordinate});
    initial.push_back(CalcInitialValue(*model, pair, coordinate->measure) + coordinate->shift);
  };
  for (Joint& joint : model->joints) {
    if (joint.coordinate) add(joint.pair, &*joint.coordinate);
    if (joint.angle) add(joint.pair, &*joint.angle);
  }
  for (SpringElement& spring : model->springs) add(spring.pair, &spring.coordinate);
  for (JointLimit& limit : model->limits) {
    const Joint& joint = model->joints[limit.joint];
    const auto& angle = joint.angle ? joint.angle : joint.coordinate;
    if (limit.coordinate.measure.is_angle()) limit.coordinate.turn_slot = angle->turn_slot;
  }
  model->initial_turns = Eigen::Map<const VectorX>(initial.data(), std::ssize(initial));
}

}  // namespace

int Model::FindBody(const std::string& body_name) const {
  const auto found = body_index.find(body_name);
  return found == body_index.end() ? -1 : found->second;
}

int Model::FindJoint(const std::string& joint_name) const {
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (joints[i].name == joint_name) return static_cast<int>(i);
  }
  return -1;
}

std::string Model::body_name(int body) const {
  return body == kGround ? kGroundName : bodies[body].name;
}

ModelBuilder& ModelBuilder::SetName(std::string name) {
  spec_.name = std::move(name);
  return *this;
}
ModelBuilder& ModelBuilder::SetGravity(const Vector3& gravity) {
  spec_.gravity = gravity;
  return *this;
}
ModelBuilder& ModelBuilder::SetPlanar(const PlaneSpec& plane) {
  spec_.planar = plane;
  return *this;
}
ModelBuilder& ModelBuilder::Add(MaterialSpec material) {
  spec_.materials.push_back(std::move(material));
  return *this;
}
ModelBuilder& ModelBuilder::Add(MaterialPairSpec pair) {
  spec_.pairs.push_back(std::move(pair));
  return *this;
}
ModelBuilder& ModelBuilder::Add(RigidBodySpec body) {
  spec_.rigid_bodies.push_back(std::move(body));
  return *this;
}
ModelBuilder& ModelBuilder::Add(PointMassSpec body) {
  spec_.point_masses.push_back(std::move(body));
  return *this;
}
ModelBuilder& ModelBuilder::Add(JointSpec joint) {
  spec_.joints.push_back(std::move(joint));
  return *this;
}
ModelBuilder& ModelBuilder::Add(ForceSpec force) {
  spec_.forces.push_back(std::move(force));
  return *this;
}
ModelBuilder& ModelBuilder::Add(ContactSpec contact) {
  spec_.contacts.push_back(std::move(contact));
  return *this;
}
ModelBuilder& ModelBuilder::AddGroundShape(ShapeSpec shape) {
  spec_.ground_shapes.push_back(std::move(shape));
  return *this;
}

std::shared_ptr<const Model> ModelBuilder::Build() const {
  auto model = std::make_shared<Model>();
  model->name = spec_.name;
  CheckFinite("gravity", spec_.gravity);
  model->gravity = spec_.gravity;
  Assembly assembly{spec_, model.get(), {}, {}};
  AssemblePlane(&assembly);
  AssembleMaterials(&assembly);
  AssembleBodies(&assembly);
  AssembleJoints(&assembly);
  AssembleForces(&assembly);
  AssembleContacts(&assembly);
  AssembleLayout(&assembly);
  AssembleTurns(model.get());
  return model;
}

}  // namespace saltus
