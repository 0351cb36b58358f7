// A System whose closed contacts are joints: the rows of a phase between two events.
//
//   g = (g_joints, g_N of the closed contacts),   G = (G_joints; H_N),
//   g_t = (g_t, bias_N),   γ_N = d/dt (H_N v + bias_N) at constant v                            (1)
//
// The contacts are those of a reference set, by key, at every configuration that is asked for,
// whatever the sign of their gap (System::UpdateContacts). γ_N is differenced along the motion,
// centrally with two steps and Richardson's extrapolation: its error is about 1e-9 of its terms.
#pragma once

#include <memory>
#include <string>

#include "saltus/dynamics/system.h"

namespace saltus {

class HeldSystem final : public System {
 public:
  /// `system` outlives this. `closed`: contacts found at q; only their normal rows are used.
  HeldSystem(System* system, const ContactSet& closed, const VectorX& q);

  int num_joint_rows() const { return num_joint_rows_; }
  const ContactSet& closed() const { return closed_; }

  std::unique_ptr<System> Clone() const override;
  const SystemTraits& traits() const override { return traits_; }
  const std::shared_ptr<const BlockPattern>& pattern() const override { return system_->pattern(); }
  State MakeInitialState() const override { return system_->MakeInitialState(); }
  void Retract(const VectorX& q, const VectorX& delta, VectorX* q_new) const override {
    system_->Retract(q, delta, q_new);
  }
  void CalcDifference(const VectorX& q, const VectorX& q_other, VectorX* delta) const override {
    system_->CalcDifference(q, q_other, delta);
  }
  void CalcRetractTangent(const VectorX& delta, BlockMatrix* T) const override {
    system_->CalcRetractTangent(delta, T);
  }
  void CalcMass(const VectorX& q, BlockMatrix* M) const override { system_->CalcMass(q, M); }
  void CalcForce(double t, const VectorX& q, const VectorX& v, VectorX* f) const override {
    system_->CalcForce(t, q, v, f);
  }
  void CalcNonconservativeForce(double t, const VectorX& q, const VectorX& v,
                                VectorX* f) const override {
    system_->CalcNonconservativeForce(t, q, v, f);
  }
  void CalcContactForce(double t, const VectorX& q, const VectorX& v, VectorX* f) const override {
    system_->CalcContactForce(t, q, v, f);
  }
  void CalcTangents(double t, const VectorX& q, const VectorX& v, TangentKind kind, BlockMatrix* K,
                    BlockMatrix* D) const override {
    system_->CalcTangents(t, q, v, kind, K, D);
  }
  void CalcConstraint(double t, const VectorX& q, VectorX* g) const override;
  void CalcConstraintJacobian(double t, const VectorX& q, SparseRows* G) const override;
  void CalcConstraintRate(double t, const VectorX& q, VectorX* g_t) const override;
  void CalcConstraintBias(double t, const VectorX& q, const VectorX& v,
                          VectorX* gamma) const override;
  /// Of the joints; that of contacts is left out, which slows Newton's method.
  void AddGeometricStiffness(double t, const VectorX& q, const VectorX& lambda,
                             BlockMatrix* K) const override;
  void FindContacts(double t, const VectorX& q, double margin, ContactSet* contacts) override {
    system_->FindContacts(t, q, margin, contacts);
  }
  double CalcSpeedBound(const VectorX& q, const VectorX& v) const override {
    return system_->CalcSpeedBound(q, v);
  }
  Energy CalcEnergy(double t, const VectorX& q, const VectorX& v) const override {
    return system_->CalcEnergy(t, q, v);
  }
  std::string ConstraintName(int row) const override;
  std::string ContactName(const ContactKey& key) const override {
    return system_->ContactName(key);
  }

 private:
  int num_closed() const { return static_cast<int>(closed_.contacts.size()); }
  /// The closed contacts at (t, q).
  const ContactSet& Update(double t, const VectorX& q) const;
  /// H_N v + bias_N of each.
  void CalcNormalVelocity(double t, const VectorX& q, const VectorX& v, VectorX* u) const;

  System* system_;
  ContactSet closed_;
  VectorX q_reference_;
  int num_joint_rows_;
  SystemTraits traits_;
  mutable ContactSet scratch_;
  mutable SparseRows G_joints_;
  mutable VectorX part_, u_[4], q_, delta_;
};

/// H_N v + bias_N of contact `c` of a set.
double CalcNormalVelocity(const ContactSet& set, const Contact& c, const VectorX& v);
/// f += P H_Nᵀ.
void AddNormalForce(const ContactSet& set, const Contact& c, double P, VectorX* f);

}  // namespace saltus
