// A System written in Python: M(q) v̇ = f(t, q, v) + Gᵀλ + Hᵀp with q̇ = v, from constants and
// functions. What is constant is never asked for again; what has no Jacobian is differentiated.
//
//   K = −∂f/∂q, D = −∂f/∂v           forward differences, unless given                        (1)
//   −∂(Gᵀλ)/∂q                       central differences of G                                 (2)
//   H: rows N = ∂gap/∂q, T1, T2 as given; u = H v + (∂gap/∂t, drift)                          (3)
//   E = ½ vᵀM v + V(t, q, v), or as given                                                     (4)
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Cholesky>

#include "saltus/dynamics/system.h"

#include "python/src/user_function.h"

namespace saltus::python {

/// Contacts with common functions; row c of each result belongs to contact c.
struct UserContacts {
  UserFunction gap;
  int dimension = 1;  // 1 frictionless, 2 planar, 3 spatial
  Term tangent;       // {c, n} if planar, {c, 2, n} in space
  Term drift;         // {c, dimension − 1}: slip at v = 0, m/s; may be absent
  Term point;         // {c, 3}: for drawings, m; may be absent
  VectorX friction, restitution, restitution_tangential;
  std::vector<std::string> names;
};

struct UserTerms {
  VectorX q0, v0;
  Term mass;                // {n, n}
  Term force;               // {n}
  Term stiffness, damping;  // {n, n}; may be absent
  Term loads;               // {n}: the part of f without a potential; absent: see loads_are_force
  bool loads_are_force = true;
  UserFunction constraints;
  Term bias;  // γ, {m}; may be absent
  std::vector<UserContacts> contacts;
  Term energy;  // {k}: V, or T and V, or T, V and the elastic part; may be absent
  int energy_size = 0;
  std::vector<std::string> names, constraint_names;
};

class LagrangianSystem final : public System {
 public:
  explicit LagrangianSystem(UserTerms terms);

  std::unique_ptr<System> Clone() const override {
    return std::make_unique<LagrangianSystem>(terms_);
  }
  const SystemTraits& traits() const override { return traits_; }
  const std::shared_ptr<const BlockPattern>& pattern() const override { return pattern_; }
  State MakeInitialState() const override;
  void Retract(const VectorX& q, const VectorX& delta, VectorX* q_new) const override {
    *q_new = q + delta;
  }
  void CalcDifference(const VectorX& q, const VectorX& q_other, VectorX* delta) const override {
    *delta = q_other - q;
  }
  void CalcMass(const VectorX& q, BlockMatrix* M) const override;
  void CalcForce(double t, const VectorX& q, const VectorX& v, VectorX* f) const override;
  void CalcNonconservativeForce(double t, const VectorX& q, const VectorX& v,
                                VectorX* f) const override;
  void CalcTangents(double t, const VectorX& q, const VectorX& v, TangentKind kind, BlockMatrix* K,
                    BlockMatrix* D) const override;
  void CalcConstraint(double t, const VectorX& q, VectorX* g) const override;
  void CalcConstraintJacobian(double t, const VectorX& q, SparseRows* G) const override;
  void CalcConstraintRate(double t, const VectorX& q, VectorX* g_t) const override;
  void CalcConstraintBias(double t, const VectorX& q, const VectorX& v,
                          VectorX* gamma) const override;
  void AddGeometricStiffness(double t, const VectorX& q, const VectorX& lambda,
                             BlockMatrix* K) const override;
  void FindContacts(double t, const VectorX& q, double margin, ContactSet* contacts) override;
  double CalcSpeedBound(const VectorX& q, const VectorX& v) const override;
  Energy CalcEnergy(double t, const VectorX& q, const VectorX& v) const override;
  Notices MakeNotices() const override;
  std::string ConstraintName(int row) const override;
  std::string ContactName(const ContactKey& key) const override;
  std::string CoordinateName(int coordinate) const override;

 private:
  void AddContact(const UserContacts& group, const ContactKey& key, double t, const VectorX& q,
                  ContactSet* contacts) const;

  int n() const { return traits_.num_velocities; }

  mutable UserTerms terms_;  // Calls remember their last result.
  SystemTraits traits_;
  std::shared_ptr<const BlockPattern> pattern_;
  double time_ = 0;  // of the last search for contacts
  mutable VectorX gap_, gap_rate_, f_, w_;
  mutable RowMatrix J_, J_plus_, J_minus_;
  mutable Eigen::LLT<MatrixX> factor_;  // of the mass matrix, to know that it is positive definite
};

}  // namespace saltus::python
