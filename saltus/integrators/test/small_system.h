// Small flat systems written directly as functions: the examples of the literature in a few lines.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "saltus/dynamics/system.h"

namespace saltus {

/// One velocity block; functions that are not set are zero.
class SmallSystem : public System {
 public:
  struct ContactData {
    std::function<double(const VectorX& q)> gap;
    std::function<MatrixX(const VectorX& q)> rows;  // normal row, then tangential ones
    double restitution = 0, friction = 0, restitution_tangential = 0;
  };
  struct Data {
    VectorX q, v, mass;
    std::function<VectorX(const VectorX& q, const VectorX& v)> force;
    std::function<MatrixX(const VectorX&q, const VectorX&v)> stiffness, damping;
    int num_constraints = 0;
    std::function<VectorX(const VectorX& q)> g;
    std::function<MatrixX(const VectorX& q)> G;
    std::function<VectorX(const VectorX& q, const VectorX& v)> gamma;
    std::function<MatrixX(const VectorX& q, const VectorX& lambda)> geometric;  // −∂(Gᵀλ)/∂q
    std::function<double(const VectorX& q)> potential;
    std::vector<ContactData> contacts;
  };

  explicit SmallSystem(Data data) : data_(std::move(data)) {
    const int n = static_cast<int>(data_.v.size());
    pattern_ =
        std::make_shared<BlockPattern>(std::vector<int>{n}, std::vector<std::array<int, 2>>{});
    traits_.num_coordinates = static_cast<int>(data_.q.size());
    traits_.num_velocities = n;
    traits_.num_constraints = data_.num_constraints;
    traits_.has_tangents = data_.stiffness || data_.damping;
    traits_.has_contacts = !data_.contacts.empty();
  }
  std::unique_ptr<System> Clone() const override { return std::make_unique<SmallSystem>(*this); }
  const SystemTraits& traits() const override { return traits_; }
  const std::shared_ptr<const BlockPattern>& pattern() const override { return pattern_; }
  State MakeInitialState() const override {
    State s;
    s.q = data_.q;
    s.v = data_.v;
    return s;
  }
  void Retract(const VectorX& q, const VectorX& delta, VectorX* q_new) const override {
    *q_new = q + delta;
  }
  void CalcDifference(const VectorX& q, const VectorX& other, VectorX* delta) const override {
    *delta = other - q;
  }
  void CalcMass(const VectorX&, BlockMatrix* M) const override {
    M->block(0) = MatrixX(data_.mass.asDiagonal());
  }
  void CalcForce(double, const VectorX& q, const VectorX& v, VectorX* f) const override {
    *f = data_.force ? data_.force(q, v) : VectorX::Zero(v.size());
  }
  void CalcNonconservativeForce(double, const VectorX&, const VectorX& v,
                                VectorX* f) const override {
    f->setZero(v.size());
  }
  void CalcTangents(double, const VectorX& q, const VectorX& v, TangentKind, BlockMatrix* K,
                    BlockMatrix* D) const override {
    K->SetZero();
    D->SetZero();
    if (data_.stiffness) K->block(0) = data_.stiffness(q, v);
    if (data_.damping) D->block(0) = data_.damping(q, v);
  }
  void CalcConstraint(double, const VectorX& q, VectorX* g) const override {
    *g = data_.g ? data_.g(q) : VectorX(0);
  }
  void CalcConstraintJacobian(double, const VectorX& q, SparseRows* G) const override {
    const int n = traits_.num_velocities;
    const MatrixX dense = data_.G ? data_.G(q) : MatrixX(0, n);
    std::vector<Triplet> entries;  // all of them: the same sparsity at every call
    for (int i = 0; i < dense.rows(); ++i) {
      for (int j = 0; j < n; ++j) entries.emplace_back(i, j, dense(i, j));
    }
    G->resize(dense.rows(), n);
    G->setFromTriplets(entries.begin(), entries.end());
  }
  void CalcConstraintRate(double, const VectorX&, VectorX* g_t) const override {
    g_t->setZero(data_.num_constraints);
  }
  void CalcConstraintBias(double, const VectorX& q, const VectorX& v,
                          VectorX* gamma) const override {
    *gamma = data_.gamma ? data_.gamma(q, v) : VectorX(VectorX::Zero(data_.num_constraints));
  }
  void AddGeometricStiffness(double, const VectorX& q, const VectorX& lambda,
                             BlockMatrix* K) const override {
    if (data_.geometric) K->block(0) += data_.geometric(q, lambda);
  }
  void FindContacts(double, const VectorX& q, double margin, ContactSet* set) override {
    set->Clear();
    const int n = traits_.num_velocities;
    for (std::size_t i = 0; i < data_.contacts.size(); ++i) {
      const ContactData& data = data_.contacts[i];
      Contact c;
      c.gap = data.gap(q);
      if (c.gap > margin) continue;
      const MatrixX rows = data.rows(q);
      c.key.pair = i;
      c.dimension = static_cast<int>(rows.rows());
      c.restitution = data.restitution;
      c.friction = data.friction;
      c.restitution_tangential = data.restitution_tangential;
      c.first_block = static_cast<int>(set->blocks.size());
      c.num_blocks = 1;
      set->contacts.push_back(c);
      double* values = set->AddBlock(0, 0, n, c.dimension);
      for (int k = 0; k < rows.size(); ++k) values[k] = rows(k / n, k % n);
    }
  }
  double CalcSpeedBound(const VectorX&, const VectorX& v) const override { return 2 * v.norm(); }
  Energy CalcEnergy(double, const VectorX& q, const VectorX& v) const override {
    Energy e;
    e.kinetic = 0.5 * v.dot(data_.mass.cwiseProduct(v));
    e.potential = data_.potential ? data_.potential(q) : 0;
    return e;
  }
  std::string ConstraintName(int row) const override { return "joint" + std::to_string(row); }
  std::string ContactName(const ContactKey& key) const override {
    return "contact" + std::to_string(key.pair);
  }

 protected:
  Data data_;
  SystemTraits traits_;
  std::shared_ptr<const BlockPattern> pattern_;
};

}  // namespace saltus
