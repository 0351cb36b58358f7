#include "problems/equations.h"

#include <array>
#include <utility>

#include "saltus/base/error.h"

namespace saltus {

EquationSystem::EquationSystem(Equations equations)
    : equations_(std::make_shared<const Equations>(std::move(equations))),
      pattern_(std::make_shared<BlockPattern>(equations_->block_sizes, equations_->couplings)) {
  const Equations& e = *equations_;
  SALTUS_CHECK(e.q0.size() == pattern_->num_dofs() && e.v0.size() == e.q0.size(),
               e.name + ": sizes of q0, v0 and the blocks differ");
  traits_.num_coordinates = traits_.num_velocities = pattern_->num_dofs();
  traits_.num_constraints = static_cast<int>(e.constraint_names.size());
  traits_.has_tangents = static_cast<bool>(e.tangents);
  traits_.has_contacts = !e.contacts.empty();
}

std::unique_ptr<System> EquationSystem::Clone() const {
  return std::make_unique<EquationSystem>(*this);
}

State EquationSystem::MakeInitialState() const {
  State state;
  state.q = equations_->q0;
  state.v = equations_->v0;
  return state;
}

void EquationSystem::Retract(const VectorX& q, const VectorX& delta, VectorX* q_new) const {
  *q_new = q + delta;
}

void EquationSystem::CalcDifference(const VectorX& q, const VectorX& q_other,
                                    VectorX* delta) const {
  *delta = q_other - q;
}

void EquationSystem::CalcMass(const VectorX&, BlockMatrix* M) const {
  M->SetZero();
  equations_->mass(M);
}

void EquationSystem::CalcForce(double t, const VectorX& q, const VectorX& v, VectorX* f) const {
  f->resize(q.size());
  equations_->force(t, q, v, f);
}

void EquationSystem::CalcNonconservativeForce(double t, const VectorX& q, const VectorX& v,
                                              VectorX* f) const {
  f->setZero(q.size());
  if (equations_->nonconservative) equations_->nonconservative(t, q, v, f);
}

void EquationSystem::CalcTangents(double t, const VectorX& q, const VectorX& v, TangentKind,
                                  BlockMatrix* K, BlockMatrix* D) const {
  K->SetZero();
  D->SetZero();
  if (equations_->tangents) equations_->tangents(t, q, v, K, D);
}

void EquationSystem::CalcConstraint(double, const VectorX& q, VectorX* g) const {
  g->resize(traits_.num_constraints);
  if (g->size() > 0) equations_->constraint(q, g);
}

void EquationSystem::CalcConstraintJacobian(double, const VectorX& q, SparseRows* G) const {
  const int m = traits_.num_constraints, n = traits_.num_velocities;
  G->resize(m, n);
  if (m == 0) return;  // Eigen may not compress a matrix without rows.
  MatrixX dense = MatrixX::Zero(m, n);
  equations_->jacobian(q, &dense);
  G->reserve(Eigen::VectorXi::Constant(m, n));
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) G->insert(i, j) = dense(i, j);  // zeros too: one pattern for all q
  }
  G->makeCompressed();
}

void EquationSystem::CalcConstraintRate(double, const VectorX&, VectorX* g_t) const {
  g_t->setZero(traits_.num_constraints);
}

void EquationSystem::CalcConstraintBias(double, const VectorX& q, const VectorX& v,
                                        VectorX* gamma) const {
  gamma->setZero(traits_.num_constraints);
  if (gamma->size() > 0) equations_->bias(q, v, gamma);
}

void EquationSystem::AddGeometricStiffness(double, const VectorX& q, const VectorX& lambda,
                                           BlockMatrix* K) const {
  if (traits_.num_constraints > 0) equations_->geometric_stiffness(q, lambda, K);
}

bool EquationSystem::AddConstraintTangents(double t, const VectorX& q, const VectorX& v,
                                           const VectorX& lambda, BlockMatrix* K,
                                           SparseRows* C) const {
  AddGeometricStiffness(t, q, lambda, K);
  const int m = traits_.num_constraints;
  CalcConstraintJacobian(t, q, C);
  BlockMatrix H(pattern_);
  VectorX row;
  for (int i = 0; i < m; ++i) {  // second derivatives commute: row i is −K(eᵢ) v
    H.SetZero();
    equations_->geometric_stiffness(q, VectorX::Unit(m, i), &H);
    H.Multiply(v, &row);
    for (SparseRows::InnerIterator entry(*C, i); entry; ++entry) {
      entry.valueRef() = -row[entry.col()];
    }
  }
  return true;
}

void EquationSystem::FindContacts(double, const VectorX& q, double margin, ContactSet* contacts) {
  contacts->Clear();
  for (std::size_t i = 0; i < equations_->contacts.size(); ++i) {
    const ContactEquation& equation = equations_->contacts[i];
    int columns = 0;
    for (const int b : equation.blocks) columns += pattern_->size(b);
    std::array<double, 32> rows{};
    SALTUS_CHECK(columns * equation.dimension <= static_cast<int>(rows.size()),
                 equation.name + ": rows are too long");
    const double gap = equation.gap(q, rows.data());
    if (gap >= margin) continue;
    Contact contact;
    contact.key = {i, 0};
    contact.dimension = equation.dimension;
    contact.gap = gap;
    contact.friction = equation.friction;
    contact.restitution = equation.restitution;
    contact.first_block = static_cast<int>(contacts->blocks.size());
    contact.num_blocks = static_cast<int>(equation.blocks.size());
    contacts->contacts.push_back(contact);
    const double* source = rows.data();
    for (const int b : equation.blocks) {
      const int count = pattern_->size(b) * equation.dimension;
      double* values =
          contacts->AddBlock(b, pattern_->offset(b), pattern_->size(b), equation.dimension);
      std::copy_n(source, count, values);
      source += count;
    }
  }
}

double EquationSystem::CalcSpeedBound(const VectorX& q, const VectorX& v) const {
  return equations_->speed_bound ? equations_->speed_bound(q, v) : v.norm();
}

Energy EquationSystem::CalcEnergy(double, const VectorX& q, const VectorX& v) const {
  return equations_->energy(q, v);
}

std::string EquationSystem::ConstraintName(int row) const {
  return equations_->constraint_names[static_cast<std::size_t>(row)];
}

std::string EquationSystem::ContactName(const ContactKey& key) const {
  return equations_->contacts[static_cast<std::size_t>(key.pair)].name;
}

}  // namespace saltus
