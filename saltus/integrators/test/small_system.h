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

/// The bouncing pendulum of the method page 1.9b: q = (x, y, θ), wall at x = √2/2.
inline SmallSystem::Data MakeBouncingPendulum() {
  SmallSystem::Data d;
  const double angle = M_PI / 12;
  d.q = Vector3(std::cos(angle), std::sin(angle), angle);
  d.v = Vector3::Zero();
  d.mass = Vector3(1, 1, 0.1);
  d.force = [](const VectorX&, const VectorX&) -> VectorX { return Vector3(0, -10, 0); };
  d.potential = [](const VectorX& q) { return 10 * q[1]; };
  d.num_constraints = 2;
  d.g = [](const VectorX& q) -> VectorX {
    return Vector2(q[0] - std::cos(q[2]), q[1] - std::sin(q[2]));
  };
  d.G = [](const VectorX& q) -> MatrixX {
    MatrixX G(2, 3);
    G << 1, 0, std::sin(q[2]), 0, 1, -std::cos(q[2]);
    return G;
  };
  d.gamma = [](const VectorX& q, const VectorX& v) -> VectorX {
    return v[2] * v[2] * Vector2(std::cos(q[2]), std::sin(q[2]));
  };
  d.geometric = [](const VectorX& q, const VectorX& lambda) -> MatrixX {
    MatrixX K = MatrixX::Zero(3, 3);
    K(2, 2) = -(lambda[0] * std::cos(q[2]) + lambda[1] * std::sin(q[2]));
    return K;
  };
  SmallSystem::ContactData wall;
  wall.gap = [](const VectorX& q) { return q[0] - std::sqrt(0.5); };
  wall.rows = [](const VectorX&) -> MatrixX { return Vector3(1, 0, 0).transpose(); };
  wall.restitution = 0.8;
  d.contacts = {wall};
  return d;
}

/// The rocking block of the method page 1.9d: q = (x, y, θ), two corners above the floor.
inline SmallSystem::Data MakeRockingBlock() {
  SmallSystem::Data d;
  const double L = 1, l = 1.5;
  d.q = Vector3(0, 1, 0.2);
  d.v = Vector3::Zero();
  d.mass = Vector3(1, 1, (L * L + l * l) / 12);
  d.force = [](const VectorX&, const VectorX&) -> VectorX { return Vector3(0, -9.81, 0); };
  d.potential = [](const VectorX& q) { return 9.81 * q[1]; };
  for (const double side : {1.0, -1.0}) {
    SmallSystem::ContactData corner;
    corner.gap = [=](const VectorX& q) {
      return q[1] - l / 2 * std::cos(q[2]) + side * L / 2 * std::sin(q[2]);
    };
    corner.rows = [=](const VectorX& q) -> MatrixX {
      return Vector3(0, 1, l / 2 * std::sin(q[2]) + side * L / 2 * std::cos(q[2])).transpose();
    };
    corner.restitution = 0.5;
    d.contacts.push_back(corner);
  }
  return d;
}

/// Two unit balls with a spring, the lower one above the floor (method page 2.5).
inline SmallSystem::Data MakeTwoBallOscillator(double k) {
  SmallSystem::Data d;
  d.q = Vector2(1, 2);
  d.v = Vector2::Zero();
  d.mass = Vector2(1, 1);
  d.force = [k](const VectorX& q, const VectorX&) -> VectorX {
    const double pull = k * (q[1] - q[0] - 1);
    return Vector2(pull - 10, -pull - 10);
  };
  d.stiffness = [k](const VectorX&, const VectorX&) -> MatrixX {
    MatrixX K(2, 2);
    K << k, -k, -k, k;
    return K;
  };
  d.potential = [k](const VectorX& q) {
    const double stretch = q[1] - q[0] - 1;
    return 10 * (q[0] + q[1]) + 0.5 * k * stretch * stretch;
  };
  SmallSystem::ContactData floor;
  floor.gap = [](const VectorX& q) { return q[0]; };
  floor.rows = [](const VectorX&) -> MatrixX { return Vector2(1, 0).transpose(); };
  floor.restitution = 0.8;
  d.contacts = {floor};
  return d;
}

}  // namespace saltus
