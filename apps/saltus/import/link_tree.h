// LinkTree: what URDF and MJCF have in common. Links hang on parents, drawn in a reference
// configuration; joints lie between a link and its parent.
//
// With X_P the placement of the parent, D the placement of the link as drawn and q_k, q0_k the
// values of its joints at the start and in the drawing, the link stands at
//
//   X = X_P D E_1(q_1 − q0_1) E_2(q_2 − q0_2) …                                                (1)
//
// where E_k turns or shifts along the axis of joint k. A start q_k = q0_k that a limit forbids
// moves to that limit.
//
// What becomes of it:
//   links without a joint     one body with their parent, masses added: m = Σ m_i,
//                             J = Σ J_i + m_i (|d_i|² I − d_i d_iᵀ), d_i from the centre       (2)
//   several joints in a link  a chain with bodies between them. These take kShare of the mass of
//                             the link each, so that the sum stays                             (3)
//   links without a mass      take kShare of the mass of a link that is joined to them         (4)
//   inertias that no body can have (J₁ > J₂ + J₃, or J ≤ 0) are mended, and a note names them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "saltus/multibody/model_spec.h"

#include "apps/saltus/import/notes.h"

namespace saltus {

struct TreeMass {
  double mass = 0;                    // kg
  Vector3 center = Vector3::Zero();   // link frame, m
  Matrix3 inertia = Matrix3::Zero();  // about the centre, link axes, kg m²
};
/// (2), with the second one given in a frame at `pose`.
void AddMass(const TreeMass& part, const Pose& pose, TreeMass* sum);

struct TreeJoint {
  std::string name;
  JointType type = JointType::kRevolute;  // revolute, prismatic, spherical or planar
  Vector3 at = Vector3::Zero();           // link frame as drawn, m
  Vector3 axis = Vector3::UnitX();        // link frame as drawn, ≠ 0
  double drawn = 0;                       // q0, rad or m
  std::optional<JointLimits> limits{};    // of q
  double stiffness = 0, rest = 0;         // −stiffness (q − rest); N m/rad or N/m
  double damping = 0;                     // −damping q̇
  double friction = 0;                    // dry, N m or N
  std::optional<double> motor{};          // an actuator with this effort, N m or N
};

struct TreeLink {
  std::string name;
  int parent = -1;  // an earlier link; −1: the ground
  Pose pose;        // as drawn, in the frame of the parent
  bool free = false;
  std::vector<TreeJoint> joints;  // the first one is next to the parent
  std::optional<TreeMass> mass;
  std::vector<ShapeSpec> shapes;  // poses in the link frame
};

struct LinkTree {
  std::vector<TreeLink> links;
  std::vector<ShapeSpec> ground_shapes;
};

inline constexpr double kShare = 0.01;  // of (3) and (4): light, but no worse than 100 to 1

/// Names as scenes admit them: other characters become '_', and equal names get numbers.
class TreeNames {
 public:
  std::string Make(const std::string& wanted, const std::string& fallback, Notes* notes);

 private:
  std::vector<std::string> used_;
};

/// Where a link ended up: for constraints and loads that a file adds.
struct BuiltLink {
  std::string body;  // or "ground"
  Pose pose;         // of the link, world
};

/// Adds bodies, joints and forces to `model`.
std::vector<BuiltLink> BuildTree(const LinkTree& tree, bool self_contact, ModelSpec* model,
                                 Notes* notes);

}  // namespace saltus
