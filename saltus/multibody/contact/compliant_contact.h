// CompliantContacts: the contact points of a model whose law is a smooth force (compliance.h), as
// forces with their tangents.
//
// Point x midway between the witnesses of bodies A and B, normal n from A to B, V = (V_A, V_B) the
// spatial velocities (bodies/body.h), levers r = x − p:
//   w = J V,   J = [−I, r̃_A R_A, I, −r̃_B R_B],      f = Jᵀ F(gap, n, w)                       (1)
//   D = −Jᵀ ∂F/∂w J                                                                          (2)
//   −K δ = (dJ)ᵀ F + Jᵀ [∂F/∂gap nᵀJ δ + ∂F/∂n dn + ∂F/∂w dJ V]                               (3)
//   Gauss–Newton: K ≈ ∂N/∂δ (Jᵀn)(Jᵀn)ᵀ, D ≈ ∂N/∂δ̇ (Jᵀn)(Jᵀn)ᵀ + friction: both ≥ 0
// dn and dJ, how the point moves over the surfaces, are central differences of the witness; all
// else is exact. Their share of K is δ/R of the whole (R: radius of curvature), and so is the error
// of a difference that a change of features spoils.
#pragma once

#include <vector>

#include "saltus/collision/collision_world.h"
#include "saltus/dynamics/contact_set.h"
#include "saltus/dynamics/system.h"
#include "saltus/multibody/contact/compliance.h"
#include "saltus/multibody/model.h"

namespace saltus {

/// A compliant contact that is closed.
struct CompliantPoint {
  ContactKey key;
  int body_a = kGround, body_b = kGround;
  const ContactLaw* law = nullptr;
  double gap = 0;    // < 0, m
  Vector3 n, x;      // world
  CompliantForce F;  // at the velocity asked for
};

class CompliantContacts {
 public:
  /// The model must outlive this object, which holds scratch memory: one per thread.
  explicit CompliantContacts(const Model& model);

  bool empty() const { return !any_; }
  /// f += (1), or only the part that does not derive from the elastic energy.
  void AddForces(const VectorX& q, const VectorX& v, bool nonconservative_only, VectorX* f);
  /// K, D += (2), (3).
  void AddTangents(const VectorX& q, const VectorX& v, TangentKind kind, BlockMatrix* K,
                   BlockMatrix* D);
  /// The elastic energy of all points, J.
  double CalcEnergy(const VectorX& q);
  /// All closed points, sorted by kind and key. Valid until the next call.
  const std::vector<CompliantPoint>& Find(const VectorX& q, const VectorX& v);

 private:
  struct Geometry {  // what (1) needs of a configuration of the two bodies
    Vector3 n, x;
    bool found = false;
  };
  using Matrix3x12 = Eigen::Matrix<double, 3, 12>;

  void Place(const VectorX& q);
  void AddPoint(const ContactKey& key, int body_a, int body_b, const ContactLaw& law, double gap,
                const Vector3& n, const Vector3& x, const VectorX& v);
  Matrix3x12 CalcJacobian(const CompliantPoint& point, const Vector3& x) const;
  Geometry FindGeometry(const CompliantPoint& point);
  void AddExactStiffness(const CompliantPoint& point, const VectorX& v, BlockMatrix* K);

  const Model* model_;
  bool any_ = false;
  CollisionWorld world_;
  std::vector<Pose> poses_;
  std::vector<Witness> witnesses_, pair_witnesses_;
  std::vector<CompliantPoint> points_;
};

}  // namespace saltus
