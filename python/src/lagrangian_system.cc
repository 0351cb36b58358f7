#include "python/src/lagrangian_system.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "saltus/base/error.h"

namespace saltus::python {
namespace {

/// Makes *matrix a matrix on `pattern` without touching the heap if it is one already.
void Prepare(const std::shared_ptr<const BlockPattern>& pattern, BlockMatrix* matrix) {
  if (matrix->shared_pattern() != pattern) *matrix = BlockMatrix(pattern);
}

constexpr double kStartTolerance = 1e-4;  // m, m/s or what the rows count in

std::string FormatNumber(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

Eigen::Map<const RowMatrix> MapSquare(const double* values, int n) { return {values, n, n}; }

}  // namespace

LagrangianSystem::LagrangianSystem(UserTerms terms)
    : terms_(std::move(terms)),
      pattern_(std::make_shared<BlockPattern>(std::vector<int>{static_cast<int>(terms_.q0.size())},
                                              std::vector<std::array<int, 2>>{})) {
  traits_.num_coordinates = traits_.num_velocities = static_cast<int>(terms_.q0.size());
  traits_.num_constraints = static_cast<int>(terms_.constraints.num_rows());
  traits_.constant_mass = terms_.mass.is_constant();
  traits_.flat = true;
  traits_.has_tangents = terms_.stiffness.present() || terms_.damping.present() ||
                         terms_.force.takes(kTakesQ) || terms_.force.takes(kTakesV);
  traits_.has_contacts = !terms_.contacts.empty();
}

State LagrangianSystem::MakeInitialState() const {
  State state;
  state.q = terms_.q0;
  state.v = terms_.v0;
  return state;
}

void LagrangianSystem::CalcMass(const VectorX& q, BlockMatrix* M) const {
  Prepare(pattern_, M);
  M->block(0) = MapSquare(terms_.mass.Calc(0, q), n());
  if (traits_.constant_mass) return;
  factor_.compute(M->block(0));
  if (factor_.info() != Eigen::Success) {
    throw InputError("mass", "returned a matrix that is not positive definite",
                     "all eigenvalues of M(q) are > 0");
  }
}

void LagrangianSystem::CalcForce(double t, const VectorX& q, const VectorX& v, VectorX* f) const {
  *f = Eigen::Map<const VectorX>(terms_.force.Calc(t, q, &v), n());
}

void LagrangianSystem::CalcNonconservativeForce(double t, const VectorX& q, const VectorX& v,
                                                VectorX* f) const {
  if (terms_.loads.present()) {
    *f = Eigen::Map<const VectorX>(terms_.loads.Calc(t, q, &v), n());
  } else if (terms_.loads_are_force) {
    CalcForce(t, q, v, f);
  } else {
    f->setZero(n());
  }
}

void LagrangianSystem::CalcTangents(double t, const VectorX& q, const VectorX& v, TangentKind,
                                    BlockMatrix* K, BlockMatrix* D) const {
  Prepare(pattern_, K);
  Prepare(pattern_, D);
  K->SetZero();
  D->SetZero();
  Term& force = terms_.force;
  const auto differentiate = [&](const VectorX& x, bool by_q, BlockMatrix* tangent) {  // (1)
    static const double kRoot = std::sqrt(std::numeric_limits<double>::epsilon());
    f_ = Eigen::Map<const VectorX>(force.Calc(t, q, &v), n());
    w_ = x;
    for (int i = 0; i < n(); ++i) {
      w_[i] = x[i] + kRoot * std::max(1.0, std::abs(x[i]));
      const double* shifted = by_q ? force.Calc(t, w_, &v) : force.Calc(t, q, &w_);
      tangent->block(0).col(i) = (f_ - Eigen::Map<const VectorX>(shifted, n())) / (w_[i] - x[i]);
      w_[i] = x[i];
    }
  };
  if (terms_.stiffness.present()) {
    K->block(0) = MapSquare(terms_.stiffness.Calc(t, q, &v), n());
  } else if (force.takes(kTakesQ)) {
    differentiate(q, true, K);
  }
  if (terms_.damping.present()) {
    D->block(0) = MapSquare(terms_.damping.Calc(t, q, &v), n());
  } else if (force.takes(kTakesV)) {
    differentiate(v, false, D);
  }
}

void LagrangianSystem::CalcConstraint(double t, const VectorX& q, VectorX* g) const {
  terms_.constraints.Calc(t, q, g);
}

/// All entries are stored, so that the sparsity never changes.
void LagrangianSystem::CalcConstraintJacobian(double t, const VectorX& q, SparseRows* G) const {
  const int m = traits_.num_constraints;
  terms_.constraints.CalcJacobian(t, q, &J_);
  if (G->rows() != m || G->cols() != n() || G->nonZeros() != m * n()) {
    G->resize(m, n());
    G->reserve(Eigen::VectorXi::Constant(m, n()));
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n(); ++j) G->insert(i, j) = 0;
    }
    G->makeCompressed();
  }
  std::copy_n(J_.data(), m * n(), G->valuePtr());
}

void LagrangianSystem::CalcConstraintRate(double t, const VectorX& q, VectorX* g_t) const {
  terms_.constraints.CalcRate(t, q, g_t);
}

void LagrangianSystem::CalcConstraintBias(double t, const VectorX& q, const VectorX& v,
                                          VectorX* gamma) const {
  if (terms_.bias.present()) {
    *gamma = Eigen::Map<const VectorX>(terms_.bias.Calc(t, q, &v), traits_.num_constraints);
  } else {
    terms_.constraints.CalcBias(t, q, v, gamma);
  }
}

void LagrangianSystem::AddGeometricStiffness(double t, const VectorX& q, const VectorX& lambda,
                                             BlockMatrix* K) const {
  if (terms_.constraints.is_linear()) return;
  // (2)
  w_ = q;
  for (int i = 0; i < n(); ++i) {
    const double step = 0.1 * DifferenceStep(q[i]);  // second order: 1e-9
    w_[i] = q[i] + step;
    terms_.constraints.CalcJacobian(t, w_, &J_plus_);
    w_[i] = q[i] - step;
    terms_.constraints.CalcJacobian(t, w_, &J_minus_);
    w_[i] = q[i];
    K->block(0).col(i) -= (J_plus_ - J_minus_).transpose() * lambda / (2 * step);
  }
}

void LagrangianSystem::FindContacts(double t, const VectorX& q, double margin,
                                    ContactSet* contacts) {
  contacts->Clear();
  time_ = t;
  for (std::size_t k = 0; k < terms_.contacts.size(); ++k) {
    UserContacts& group = terms_.contacts[k];
    group.gap.Calc(t, q, &gap_);
    if (!(gap_.minCoeff() < margin)) continue;
    group.gap.CalcJacobian(t, q, &J_);
    group.gap.CalcRate(t, q, &gap_rate_);
    for (Eigen::Index c = 0; c < gap_.size(); ++c) {
      if (gap_[c] < margin) {
        AddContact(group, {k, static_cast<std::uint64_t>(c)}, t, q, contacts);
      }
    }
  }
}

/// Row `key.feature` of the group, whose gaps, Jacobian and rates are in gap_, J_ and gap_rate_.
void LagrangianSystem::AddContact(const UserContacts& group, const ContactKey& key, double t,
                                  const VectorX& q, ContactSet* contacts) const {
  const auto c = static_cast<Eigen::Index>(key.feature);
  const int d = group.dimension;
  UserContacts& terms = terms_.contacts[key.pair];
  Contact contact;
  contact.key = key;
  contact.dimension = d;
  contact.gap = gap_[c];
  contact.friction = group.friction[c];
  contact.restitution = group.restitution[c];
  contact.restitution_tangential = group.restitution_tangential[c];
  contact.bias[0] = gap_rate_[c];
  if (terms.drift.present()) {
    const double* drift = terms.drift.Calc(t, q) + c * (d - 1);
    for (int i = 1; i < d; ++i) contact.bias[i] = drift[i - 1];
  }
  if (terms.point.present()) {
    contact.point = Eigen::Map<const Vector3>(terms.point.Calc(t, q) + 3 * c);
  }
  contact.first_block = static_cast<int>(contacts->blocks.size());
  contact.num_blocks = 1;
  contacts->contacts.push_back(contact);
  double* rows = contacts->AddBlock(0, 0, n(), d);  // (3)
  std::copy_n(J_.data() + c * n(), n(), rows);
  if (d > 1) std::copy_n(terms.tangent.Calc(t, q) + c * (d - 1) * n(), (d - 1) * n(), rows + n());
}

/// Σ |∂gap/∂q_i| |v_i|, the largest of all contacts.
double LagrangianSystem::CalcSpeedBound(const VectorX& q, const VectorX& v) const {
  double bound = 0;
  for (UserContacts& group : terms_.contacts) {
    group.gap.CalcJacobian(time_, q, &J_);
    group.gap.CalcRate(time_, q, &gap_rate_);
    for (Eigen::Index c = 0; c < J_.rows(); ++c) {
      const double speed = J_.row(c).cwiseAbs().dot(v.cwiseAbs()) + std::abs(gap_rate_[c]);
      bound = std::max(bound, speed);
    }
  }
  return bound;
}

Energy LagrangianSystem::CalcEnergy(double t, const VectorX& q, const VectorX& v) const {
  Energy energy;
  const double* given = terms_.energy.present() ? terms_.energy.Calc(t, q, &v) : nullptr;
  if (terms_.energy_size >= 2) {
    energy.kinetic = given[0];
    energy.potential = given[1];
    if (terms_.energy_size == 3) energy.elastic = given[2];
    return energy;
  }
  energy.kinetic = 0.5 * v.dot(MapSquare(terms_.mass.Calc(t, q), n()) * v);  // (4)
  if (given != nullptr) energy.potential = given[0];
  return energy;
}

/// What the start does not fulfil. The first steps repair it, and nobody may have meant that.
Notices LagrangianSystem::MakeNotices() const {
  Notices notices;
  const VectorX &q = terms_.q0, &v = terms_.v0;
  const auto warn = [&](const std::string& item, const char* what, double amount) {
    notices.push_back({Severity::kWarning, item, std::string(what) + FormatNumber(amount)});
  };
  VectorX g, rate;
  terms_.constraints.Calc(0, q, &g);
  terms_.constraints.CalcJacobian(0, q, &J_);
  terms_.constraints.CalcRate(0, q, &rate);
  if (g.size() > 0) rate.noalias() += J_ * v;
  for (int i = 0; i < static_cast<int>(g.size()); ++i) {
    const std::string item = "constraint '" + ConstraintName(i) + "'";
    if (std::abs(g[i]) > kStartTolerance) warn(item, "q0 breaks it: g = ", g[i]);
    if (std::abs(rate[i]) > kStartTolerance) warn(item, "v0 breaks it: dg/dt = ", rate[i]);
  }
  for (std::size_t k = 0; k < terms_.contacts.size(); ++k) {
    terms_.contacts[k].gap.Calc(0, q, &g);
    for (Eigen::Index c = 0; c < g.size(); ++c) {
      const std::string item = "contact '" + terms_.contacts[k].names[c] + "'";
      if (g[c] < -kStartTolerance) warn(item, "q0 is inside: gap = ", g[c]);
    }
  }
  return notices;
}

std::string LagrangianSystem::ConstraintName(int row) const {
  return terms_.constraint_names[static_cast<std::size_t>(row)];
}

std::string LagrangianSystem::ContactName(const ContactKey& key) const {
  return terms_.contacts[key.pair].names[key.feature];
}

std::string LagrangianSystem::CoordinateName(int coordinate) const {
  return terms_.names[static_cast<std::size_t>(coordinate)];
}

}  // namespace saltus::python
