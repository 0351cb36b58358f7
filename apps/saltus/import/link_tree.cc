#include "apps/saltus/import/link_tree.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "saltus/base/error.h"

namespace saltus {
namespace {

constexpr std::size_t kLongestName = 200;  // as scenes admit
constexpr double kWaterDensity = 1000;     // kg/m³, for links that nothing else gives a mass

/// E of (1).
Pose CalcDisplacement(const TreeJoint& joint, double value) {
  const Vector3 axis = joint.axis.normalized();
  if (joint.type == JointType::kPrismatic) return {value * axis, Quaternion::Identity()};
  if (joint.type != JointType::kRevolute) return {};
  const Quaternion turn(Eigen::AngleAxisd(value, axis));
  return {joint.at - turn * joint.at, turn};
}

double FindStart(const TreeJoint& joint) {
  if (!joint.limits || joint.type == JointType::kSpherical) return joint.drawn;
  return std::clamp(joint.drawn, joint.limits->lower, joint.limits->upper);
}

/// The nearest inertia that a body can have: moments at least kThinnest of the largest, and the
/// largest at most the sum of the others. True: it was changed.
bool MendInertia(double mass, Matrix3* inertia) {
  constexpr double kThinnest = 1e-6;
  const Eigen::SelfAdjointEigenSolver<Matrix3> eigen(0.5 * (*inertia + inertia->transpose()));
  Vector3 moments = eigen.eigenvalues();  // ascending
  const Vector3 before = moments;
  if (!(moments[2] > 0)) {  // A ball of water of this mass.
    const double radius = std::cbrt(3 * mass / (4 * std::numbers::pi * kWaterDensity));
    *inertia = 0.4 * mass * radius * radius * Matrix3::Identity();
    return true;
  }
  moments = moments.cwiseMax(kThinnest * moments[2]);
  if (moments[2] > moments[0] + moments[1]) {
    // The smaller ones grow by the same factor until the sum is reached.
    const double factor = moments[2] / (moments[0] + moments[1]);
    moments.head<2>() *= factor * (1 + 1e-12);
  }
  const bool changed = (moments - before).cwiseAbs().maxCoeff() > 1e-9 * before[2];
  if (changed) {
    *inertia = eigen.eigenvectors() * moments.asDiagonal() * eigen.eigenvectors().transpose();
  }
  return changed;
}

class TreeBuilder {
 public:
  TreeBuilder(const LinkTree& tree, bool self_contact, ModelSpec* model, Notes* notes)
      : tree_(tree), self_contact_(self_contact), model_(*model), notes_(*notes) {}

  std::vector<BuiltLink> Build() {
    PlaceLinks();
    MergeLinks();
    GiveMasses();
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
      if (owner_[i] == static_cast<int>(i)) AddLink(i);
    }
    AddGroundShapes();
    return MakePlaces();
  }

 private:
  void PlaceLinks() {
    for (const TreeLink& link : tree_.links) {
      SALTUS_CHECK(link.parent < static_cast<int>(pose_.size()), "parents come first");
      Pose pose =
          (link.parent < 0 ? Pose() : pose_[static_cast<std::size_t>(link.parent)]) * link.pose;
      for (const TreeJoint& joint : link.joints) {
        const double start = FindStart(joint);
        if (start != joint.drawn) {
          notes_.Add(
              fmt::format("joint '{}' starts at its limit {:.4g}: the file draws it at {:.4g}",
                          joint.name, start, joint.drawn));
        }
        pose = pose * CalcDisplacement(joint, start - joint.drawn);
      }
      pose_.push_back(pose);
    }
  }

  void MergeLinks() {
    int merged = 0;
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
      const TreeLink& link = tree_.links[i];
      const bool moves = link.free || !link.joints.empty();
      const int parent = link.parent < 0 ? -1 : owner_[static_cast<std::size_t>(link.parent)];
      owner_.push_back(moves ? static_cast<int>(i) : parent);
      mass_.emplace_back();
      root_.push_back(link.free || link.parent < 0 ? static_cast<int>(i)
                                                   : root_[static_cast<std::size_t>(link.parent)]);
      if (owner_[i] >= 0 && link.mass && link.mass->mass > 0) {
        const auto owner = static_cast<std::size_t>(owner_[i]);
        AddMass(*link.mass, pose_[owner].Inverse() * pose_[i], &mass_[owner]);
      }
      merged += !moves && parent >= 0;
    }
    if (merged > 0) {
      notes_.Add(fmt::format("links that a fixed joint holds are part of the body before them: {}",
                             merged));
    }
  }

  /// (4). Children first: a chain of links without mass is fed from its end.
  void GiveMasses() {
    for (std::size_t i = tree_.links.size(); i-- > 0;) {
      if (owner_[i] != static_cast<int>(i) || mass_[i].mass > 0) continue;
      const int giver = FindGiver(i);
      if (giver >= 0) {
        TakeShare(static_cast<std::size_t>(giver), i);
        notes_.Add(fmt::format("link '{}' has no mass: it takes {:.0f} % of '{}'",
                               tree_.links[i].name, 100 * kShare,
                               tree_.links[static_cast<std::size_t>(giver)].name));
      } else {
        MassFromShapes(i);
      }
    }
  }

  int FindGiver(std::size_t link) const {
    for (std::size_t k = link + 1; k < tree_.links.size(); ++k) {
      const int parent = tree_.links[k].parent;
      const bool child = owner_[k] == static_cast<int>(k) && !tree_.links[k].free && parent >= 0 &&
                         owner_[static_cast<std::size_t>(parent)] == static_cast<int>(link);
      if (child && mass_[k].mass > 0) return static_cast<int>(k);
    }
    const int parent = tree_.links[link].parent;
    if (parent < 0 || tree_.links[link].free) return -1;
    const int owner = owner_[static_cast<std::size_t>(parent)];
    return owner >= 0 && mass_[static_cast<std::size_t>(owner)].mass > 0 ? owner : -1;
  }

  void TakeShare(std::size_t giver, std::size_t taker) {
    TreeMass part = mass_[giver];
    part.mass *= kShare;
    part.inertia *= kShare;
    mass_[giver].mass -= part.mass;
    mass_[giver].inertia -= part.inertia;
    AddMass(part, pose_[taker].Inverse() * pose_[giver], &mass_[taker]);
  }

  void MassFromShapes(std::size_t i) {
    for (const ShapeSpec& shape : tree_.links[i].shapes) {
      if (std::holds_alternative<HalfSpace>(shape.shape)) continue;
      const MassProperties unit = CalcUnitDensityMass(shape.shape);
      AddMass({kWaterDensity * unit.mass, unit.center, kWaterDensity * unit.inertia}, shape.pose,
              &mass_[i]);
    }
    if (!(mass_[i].mass > 0)) {  // Its inertia is mended later.
      mass_[i] = {1, Vector3::Zero(), Matrix3::Zero()};
      notes_.Add("link '" + tree_.links[i].name +
                 "' has neither mass nor shape: it is taken as 1 kg of water");
      return;
    }
    notes_.Add(fmt::format("link '{}' has no mass: its shapes are taken as water, {:.4g} kg",
                           tree_.links[i].name, mass_[i].mass));
  }

  /// The bodies between the joints of a link, the link itself, and its joints.
  void AddLink(std::size_t i) {
    const TreeLink& link = tree_.links[i];
    TreeMass mass = mass_[i];
    const std::size_t between = link.joints.empty() ? 0 : link.joints.size() - 1;
    const double part = kShare;
    std::string before = FindBodyBefore(link);
    const std::string name = names_.Make(link.name, "body", &notes_);
    body_of_link_.resize(tree_.links.size());
    body_of_link_[i] = name;
    for (std::size_t k = 0; k < between; ++k) {
      const std::string middle = names_.Make(name + "_" + link.joints[k].name, "body", &notes_);
      AddBody(middle, pose_[i], {part * mass.mass, mass.center, part * mass.inertia});
      AddJoint(link.joints[k], before, middle, pose_[i]);
      before = middle;
    }
    if (between > 0) {
      const double rest = 1 - part * static_cast<double>(between);
      mass = {rest * mass.mass, mass.center, rest * mass.inertia};
      notes_.Add(
          fmt::format("several joints in one link: a body with {:.0f} % of its mass lies "
                      "between each two",
                      100 * kShare));
    }
    AddBody(name, pose_[i], mass);
    AddShapes(i, mass.center);
    if (!link.joints.empty()) AddJoint(link.joints.back(), before, name, pose_[i]);
  }

  std::string FindBodyBefore(const TreeLink& link) const {
    if (link.parent < 0) return kGroundName;
    const int owner = owner_[static_cast<std::size_t>(link.parent)];
    return owner < 0 ? kGroundName : body_of_link_[static_cast<std::size_t>(owner)];
  }

  void AddBody(const std::string& name, const Pose& pose, const TreeMass& mass) {
    RigidBodySpec body;
    body.name = name;
    body.mass = mass.mass;
    Matrix3 inertia = mass.inertia;
    if (MendInertia(mass.mass, &inertia)) {
      notes_.Add(
          fmt::format("the inertia of '{}' is one that no body can have: the nearest "
                      "possible one is taken",
                      name));
    }
    body.inertia = inertia;
    body.position = pose * mass.center;
    body.orientation = pose.R.normalized();
    model_.rigid_bodies.push_back(std::move(body));
  }

  void AddShapes(std::size_t i, const Vector3& center) {
    RigidBodySpec& body = model_.rigid_bodies.back();
    for (std::size_t k = i; k < tree_.links.size(); ++k) {
      if (owner_[k] != static_cast<int>(i)) continue;
      const Pose relative = pose_[i].Inverse() * pose_[k];
      for (ShapeSpec shape : tree_.links[k].shapes) {
        if (std::holds_alternative<HalfSpace>(shape.shape)) {
          notes_.Add("a plane that moves with '" + tree_.links[k].name + "' is left out");
          continue;
        }
        shape.pose = relative * shape.pose;
        shape.pose.p -= center;
        if (!self_contact_) shape.group = root_[i] + 1;
        body.shapes.push_back(std::move(shape));
      }
    }
  }

  void AddJoint(const TreeJoint& joint, const std::string& before, const std::string& after,
                const Pose& pose) {
    JointSpec spec;
    spec.name = joint_names_.Make(joint.name, after + "_joint", &notes_);
    spec.type = joint.type;
    spec.body_a = before;
    spec.body_b = after;
    spec.at = pose * joint.at;
    const Vector3 axis = pose.R * joint.axis.normalized();
    if (joint.type != JointType::kSpherical || joint.limits) spec.axis = axis;
    const double start = FindStart(joint);
    if (joint.type == JointType::kRevolute) spec.initial_angle = start;
    if (joint.type == JointType::kPrismatic) spec.initial_displacement = start;
    spec.limits = joint.limits;
    if (joint.type == JointType::kRevolute || joint.type == JointType::kSpherical) {
      spec.friction_torque = joint.friction;
    } else {
      spec.friction_force = joint.friction;
    }
    model_.joints.push_back(spec);
    AddForces(joint, spec, axis, pose);
  }

  void AddForces(const TreeJoint& joint, const JointSpec& spec, const Vector3& axis,
                 const Pose& pose) {
    const std::string name = spec.name + "_spring";
    if (joint.stiffness > 0 || joint.damping > 0) {
      if (joint.type == JointType::kRevolute) {
        model_.forces.push_back(TorsionSpringSpec{.name = name,
                                                  .joint = spec.name,
                                                  .stiffness = joint.stiffness,
                                                  .damping = joint.damping,
                                                  .rest_angle = joint.rest});
      } else if (joint.type == JointType::kPrismatic) {
        AddSlideSpring(joint, spec, axis);
      } else {
        model_.forces.push_back(BushingSpec{.name = name,
                                            .body_a = spec.body_a,
                                            .body_b = spec.body_b,
                                            .at = pose * joint.at,
                                            .angular_stiffness = Vector3::Constant(joint.stiffness),
                                            .angular_damping = Vector3::Constant(joint.damping)});
      }
    }
    if (joint.motor) {
      model_.forces.push_back(ActuatorSpec{
          .name = spec.name + "_motor", .joint = spec.name, .effort = TimeFunction(*joint.motor)});
    }
  }

  /// A spring along the sliding axis, from a point far enough behind that it never turns over.
  void AddSlideSpring(const TreeJoint& joint, const JointSpec& spec, const Vector3& axis) {
    double reach = 1 + std::abs(joint.rest) + std::abs(spec.initial_displacement);
    if (joint.limits) reach += std::abs(joint.limits->lower);
    if (!std::isfinite(reach)) reach = 100;
    const Vector3 behind = *spec.at - (reach + spec.initial_displacement) * axis;
    model_.forces.push_back(
        SpringSpec{.name = spec.name + "_spring",
                   .body_a = spec.body_a,
                   .body_b = spec.body_b,
                   .points = {ToLocal(spec.body_a, behind), ToLocal(spec.body_b, *spec.at)},
                   .stiffness = joint.stiffness,
                   .damping = joint.damping,
                   .rest_length = reach + joint.rest});
  }

  Vector3 ToLocal(const std::string& body, const Vector3& point) const {
    for (const RigidBodySpec& spec : model_.rigid_bodies) {
      if (spec.name == body) return Pose{spec.position, spec.orientation}.Inverse() * point;
    }
    return point;
  }

  /// What is fixed belongs to the ground. Half-spaces are written in world axes.
  void AddGroundShape(ShapeSpec shape) {
    if (const auto* plane = std::get_if<HalfSpace>(&shape.shape)) {
      const Vector3 normal = shape.pose.R * plane->normal;
      shape.shape = HalfSpace{normal, plane->offset + normal.dot(shape.pose.p)};
      shape.pose = Pose();
    }
    model_.ground_shapes.push_back(std::move(shape));
  }

  void AddGroundShapes() {
    for (const ShapeSpec& shape : tree_.ground_shapes) AddGroundShape(shape);
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
      if (owner_[i] >= 0) continue;
      for (ShapeSpec shape : tree_.links[i].shapes) {
        shape.pose = pose_[i] * shape.pose;
        if (!self_contact_) shape.group = root_[i] + 1;
        AddGroundShape(std::move(shape));
      }
    }
  }

  std::vector<BuiltLink> MakePlaces() const {
    std::vector<BuiltLink> places;
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
      places.push_back({owner_[i] < 0 ? std::string(kGroundName)
                                      : body_of_link_[static_cast<std::size_t>(owner_[i])],
                        pose_[i]});
    }
    return places;
  }

  const LinkTree& tree_;
  const bool self_contact_;
  ModelSpec& model_;
  Notes& notes_;
  TreeNames names_, joint_names_;
  std::vector<Pose> pose_;  // X of (1)
  std::vector<int> owner_;  // the link whose body it is part of; −1: the ground
  std::vector<int> root_;   // the first link of its tree
  std::vector<TreeMass> mass_;
  std::vector<std::string> body_of_link_;
};

}  // namespace

void AddMass(const TreeMass& part, const Pose& pose, TreeMass* sum) {
  const double mass = sum->mass + part.mass;
  if (!(mass > 0)) return;
  const Vector3 center = pose * part.center;
  const Vector3 common = (sum->mass * sum->center + part.mass * center) / mass;
  const auto steiner = [&](double m, const Vector3& place) {
    const Vector3 d = place - common;
    return Matrix3(m * (d.squaredNorm() * Matrix3::Identity() - d * d.transpose()));
  };
  const Matrix3 R = pose.R.normalized().toRotationMatrix();
  sum->inertia += steiner(sum->mass, sum->center) + R * part.inertia * R.transpose() +
                  steiner(part.mass, center);
  sum->mass = mass;
  sum->center = common;
}

std::string TreeNames::Make(const std::string& wanted, const std::string& fallback, Notes* notes) {
  std::string name = wanted.empty() ? fallback : wanted;
  for (char& c : name) {
    const bool good = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
    if (!good) c = '_';
  }
  if (name == kGroundName) name += "_";
  name = name.substr(0, kLongestName - 10);
  const std::string base = name;
  for (int i = 2; std::find(used_.begin(), used_.end(), name) != used_.end(); ++i) {
    name = base + "_" + std::to_string(i);
  }
  if (!wanted.empty() && name != wanted) {
    notes->Add("'" + wanted + "' is called '" + name + "' here");
  }
  used_.push_back(name);
  return name;
}

std::vector<BuiltLink> BuildTree(const LinkTree& tree, bool self_contact, ModelSpec* model,
                                 Notes* notes) {
  return TreeBuilder(tree, self_contact, model, notes).Build();
}

}  // namespace saltus
