// The smallest System with an impact: a ball above a floor, q = height of its lowest point.
#pragma once

#include <memory>
#include <string>

#include "saltus/dynamics/system.h"

namespace saltus {

class BallSystem final : public System {
 public:
  struct Data {
    double mass = 1, gravity = 9.81, restitution = 0.9, height = 1, velocity = 0;
  };
  explicit BallSystem(const Data& data)
      : data_(data),
        pattern_(std::make_shared<BlockPattern>(std::vector<int>{1},
                                                std::vector<std::array<int, 2>>{})) {
    traits_.num_coordinates = traits_.num_velocities = 1;
    traits_.has_contacts = true;
  }
  std::unique_ptr<System> Clone() const override { return std::make_unique<BallSystem>(*this); }
  const SystemTraits& traits() const override { return traits_; }
  const std::shared_ptr<const BlockPattern>& pattern() const override { return pattern_; }
  State MakeInitialState() const override {
    State s;
    s.q = VectorX::Constant(1, data_.height);
    s.v = VectorX::Constant(1, data_.velocity);
    return s;
  }
  void Retract(const VectorX& q, const VectorX& delta, VectorX* q_new) const override {
    *q_new = q + delta;
  }
  void CalcDifference(const VectorX& q, const VectorX& other, VectorX* delta) const override {
    *delta = other - q;
  }
  void CalcMass(const VectorX&, BlockMatrix* M) const override { M->block(0)(0, 0) = data_.mass; }
  void CalcForce(double, const VectorX&, const VectorX&, VectorX* f) const override {
    *f = VectorX::Constant(1, -data_.mass * data_.gravity);
  }
  void CalcNonconservativeForce(double, const VectorX&, const VectorX&, VectorX* f) const override {
    f->setZero(1);
  }
  void CalcTangents(double, const VectorX&, const VectorX&, TangentKind, BlockMatrix* K,
                    BlockMatrix* D) const override {
    K->SetZero();
    D->SetZero();
  }
  void CalcConstraint(double, const VectorX&, VectorX* g) const override { g->resize(0); }
  void CalcConstraintJacobian(double, const VectorX&, SparseRows* G) const override {
    G->resize(0, 1);
  }
  void CalcConstraintRate(double, const VectorX&, VectorX* g_t) const override { g_t->resize(0); }
  void CalcConstraintBias(double, const VectorX&, const VectorX&, VectorX* gamma) const override {
    gamma->resize(0);
  }
  void AddGeometricStiffness(double, const VectorX&, const VectorX&, BlockMatrix*) const override {}
  void FindContacts(double, const VectorX& q, double margin, ContactSet* set) override {
    set->Clear();
    if (q[0] > margin) return;
    Contact c;
    c.dimension = 1;
    c.gap = q[0];
    c.restitution = data_.restitution;
    c.num_blocks = 1;
    set->contacts.push_back(c);
    set->AddBlock(0, 0, 1, 1)[0] = 1;
  }
  double CalcSpeedBound(const VectorX&, const VectorX& v) const override { return v.norm(); }
  Energy CalcEnergy(double, const VectorX& q, const VectorX& v) const override {
    Energy e;
    e.kinetic = 0.5 * data_.mass * v[0] * v[0];
    e.potential = data_.mass * data_.gravity * q[0];
    return e;
  }
  std::string ConstraintName(int) const override { return ""; }
  std::string ContactName(const ContactKey&) const override { return "floor"; }

 private:
  Data data_;
  SystemTraits traits_;
  std::shared_ptr<const BlockPattern> pattern_;
};

}  // namespace saltus
