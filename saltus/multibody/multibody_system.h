// MultibodySystem: a Model seen through the seam (dynamics/system.h), and physical read-outs.
//
// Coordinates and velocities per body: bodies/body.h. f = gravity − (ω × Jω) + springs + loads;
// constraints: joints/joint.h; contacts: contact/contact_finder.h.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "saltus/dynamics/system.h"
#include "saltus/multibody/contact/bond.h"
#include "saltus/multibody/contact/compliant_contact.h"
#include "saltus/multibody/contact/contact_finder.h"
#include "saltus/multibody/forces/user_force.h"
#include "saltus/multibody/model.h"

namespace saltus {

/// Value and rate of a joint's coordinate (rad or m; CoordinateName says which).
struct JointMotion {
  double value = 0;
  double rate = 0;
};

/// What a joint exerts on its second body at that body's joint point, world axes. From multipliers
/// λ [N]: a force and torque; from impulses Λ [N s]: an impulse and an angular impulse.
struct JointReaction {
  Vector3 force = Vector3::Zero();
  Vector3 torque = Vector3::Zero();
};

class MultibodySystem final : public System {
 public:
  explicit MultibodySystem(std::shared_ptr<const Model> model);

  const Model& model() const { return *model_; }
  const std::shared_ptr<const Model>& shared_model() const { return model_; }

  /// Adds a force that is given as a function. Throws InputError if there is no such body.
  void AddUserForce(const std::string& body,
                    std::function<Wrench(double t, const BodyMotion& motion)> function);

  // --- System ------------------------------------------------------------------------------------
  std::unique_ptr<System> Clone() const override;
  const SystemTraits& traits() const override { return traits_; }
  const std::shared_ptr<const BlockPattern>& pattern() const override { return model_->pattern; }
  State MakeInitialState() const override;
  void Retract(const VectorX& q, const VectorX& delta, VectorX* q_new) const override;
  void CalcDifference(const VectorX& q, const VectorX& q_other, VectorX* delta) const override;
  void CalcRetractTangent(const VectorX& delta, BlockMatrix* T) const override;
  void CalcMass(const VectorX& q, BlockMatrix* M) const override;
  void CalcForce(double t, const VectorX& q, const VectorX& v, VectorX* f) const override;
  void CalcNonconservativeForce(double t, const VectorX& q, const VectorX& v,
                                VectorX* f) const override;
  void CalcContactForce(double t, const VectorX& q, const VectorX& v, VectorX* f) const override;
  void CalcTurnImpulse(double h, const VectorX& delta, const VectorX& v0, const VectorX& v1,
                       VectorX* tau) const override;
  void CalcTangents(double t, const VectorX& q, const VectorX& v, TangentKind kind, BlockMatrix* K,
                    BlockMatrix* D) const override;
  void CalcConstraint(double t, const VectorX& q, VectorX* g) const override;
  void CalcConstraintJacobian(double t, const VectorX& q, SparseRows* G) const override;
  void CalcConstraintRate(double t, const VectorX& q, VectorX* g_t) const override;
  void CalcConstraintBias(double t, const VectorX& q, const VectorX& v,
                          VectorX* gamma) const override;
  void AddGeometricStiffness(double t, const VectorX& q, const VectorX& lambda,
                             BlockMatrix* K) const override;
  bool AddConstraintTangents(double t, const VectorX& q, const VectorX& v, const VectorX& lambda,
                             BlockMatrix* K, SparseRows* C) const override;
  void FindContacts(double t, const VectorX& q, double margin, ContactSet* contacts) override;
  void FindContactsAlong(double t, const VectorX& q, double margin, std::span<const HeldAxis> held,
                         ContactSet* contacts) override;
  void FindTunnelled(double t, const VectorX& q0, const VectorX& q1,
                     std::vector<HeldAxis>* axes) override;
  void UpdateContacts(double t, const VectorX& q, const VectorX& q_reference,
                      const ContactSet& reference, ContactSet* contacts) override;
  double CalcSpeedBound(const VectorX& q, const VectorX& v) const override;
  void BeginStep(const State& state) override;
  double EndStep(State* state) override;
  Energy CalcEnergy(double t, const VectorX& q, const VectorX& v) const override;
  std::string ConstraintName(int row) const override;
  /// "stop", "ball-ground", "hinge.limit", "hinge.friction".
  std::string ContactName(const ContactKey& key) const override;
  Notices MakeNotices() const override;

  // --- Read-outs for channels --------------------------------------------------------------------
  BodyMotion CalcBodyMotion(int body, const VectorX& q, const VectorX& v) const;
  /// Zero for joints without a coordinate.
  JointMotion CalcJointMotion(int joint, const VectorX& q, const VectorX& v) const;
  /// The angle of a cylindrical joint, whose coordinate is its displacement.
  JointMotion CalcJointAngle(int joint, const VectorX& q, const VectorX& v) const;
  /// @param lambda  all multipliers (or impulses) of the constraint rows, in the order of G
  JointReaction CalcJointReaction(int joint, const VectorX& q, const VectorX& lambda) const;
  /// The closed contacts whose law is a force (they are not among those of FindContacts), each with
  /// the force along n, t₁, t₂ on its second body. Valid until the system is used again.
  struct ContactForce {
    ContactKey key;
    double gap = 0;  // m, negative
    Vector3 point;   // world
    Matrix3 frame;   // columns n (from the first to the second body), t₁, t₂
    Vector3 force;   // along n, t₁, t₂, N
  };
  std::vector<ContactForce> ListContactForces(const VectorX& q, const VectorX& v) const;
  /// The bonds of each pair of surfaces, put together.
  std::vector<BondReport> ListBonds(const State& state) const;
  /// World position of the joint point of the second body.
  Vector3 CalcJointPoint(int joint, const VectorX& q) const;

 private:
  void AddTangents(const VectorX& q, const VectorX& lambda, const VectorX* v, BlockMatrix* K,
                   SparseRows* C) const;
  void AddColliderContacts(double margin, std::span<const HeldAxis> held, ContactSet* contacts);
  void AddAxes(std::span<const HeldAxis> held, ContactSet* contacts) const;
  void AddNamedContacts(double margin, ContactSet* contacts) const;
  void PlaceContactBodies(const VectorX& q);
  bool UpdateColliderContact(const Contact& reference, ContactSet* contacts);
  bool UpdateNamedContact(const Contact& reference, ContactSet* contacts);
  void MoveContact(const Contact& reference, double gap, const Vector3& point_A,
                   const Vector3& point_B, const Vector3& n, int body_a, int body_b,
                   ContactSet* contacts);
  /// The values of the angles in space at q, each nearest to the remembered one.
  VectorX CalcTurns(const VectorX& q) const;

  std::shared_ptr<const Model> model_;
  SystemTraits traits_;
  std::vector<UserForce> user_forces_;
  mutable CompliantContacts compliant_;  // holds scratch
  BondMemory bond_memory_;
  CollisionWorld world_;                       // own copy: holds scratch
  std::vector<double> reaches_;                // of the bodies, for CalcSpeedBound
  std::vector<Pose> poses_, reference_poses_;  // scratch of FindContacts, UpdateContacts
  VectorX difference_;
  VectorX turns_;  // values of the angles in space at the start of the step, rad
  std::vector<ContactBody> contact_bodies_;
  std::vector<Witness> witnesses_;
};

}  // namespace saltus
