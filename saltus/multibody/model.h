// Model: what the mechanism is. Built once by ModelBuilder, then const and shared between threads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "saltus/collision/collision_world.h"
#include "saltus/linalg/block_matrix.h"
#include "saltus/multibody/bodies/body.h"
#include "saltus/multibody/contact/bond.h"
#include "saltus/multibody/contact/contact_tables.h"
#include "saltus/multibody/forces/load.h"
#include "saltus/multibody/forces/spring_element.h"
#include "saltus/multibody/joints/joint.h"
#include "saltus/multibody/model_spec.h"

namespace saltus {

struct Model {
  std::string name;
  Vector3 gravity = Vector3::Zero();  // m/s²
  std::optional<PlaneSpec> plane;     // orthonormal axes of a planar model
  Vector3 plane_normal = Vector3::Zero();

  // Element pools. A body's index is also its velocity block.
  std::vector<Body> bodies;  // rigid bodies, then point masses, in the order added
  std::unordered_map<std::string, int> body_index;
  std::vector<int> gyroscopic_bodies;
  std::vector<Joint> joints;
  std::vector<JointLimit> limits;
  std::vector<JointFriction> frictions;
  std::vector<SpringElement> springs;
  std::vector<BodyLoad> loads;
  std::vector<Actuator> actuators;

  // Contact.
  CollisionWorld world;  // colliders of the ground first, then body by body
  ContactTables contact;
  std::vector<Bond> bonds;  // at the contact points that are cohesive and closed at the start
  CollisionWorld compliant_world;  // the colliders that may meet another one by a compliant law

  // Layout, computed once.
  int num_coordinates = 0, num_velocities = 0, num_constraints = 0;
  std::shared_ptr<const BlockPattern> pattern;
  BlockMatrix mass;
  VectorX gravity_force;        // M-weighted gravity, N
  SparseRows jacobian_pattern;  // G with zero values
  std::vector<int> joint_of_row;

  VectorX initial_q, initial_v;

  // Angles in space whose turns are counted: joints first, then torsion springs.
  struct Turn {
    Pair pair;
    Coordinate coordinate;
  };
  std::vector<Turn> turns;
  VectorX initial_turns;  // their values at the start, rad

  /// Index, or −1 (which is also kGround for "ground").
  int FindBody(const std::string& body_name) const;
  int FindJoint(const std::string& joint_name) const;
  std::string body_name(int body) const;  // "ground" for kGround
};

}  // namespace saltus
