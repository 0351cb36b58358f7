#include "problems/equations.h"

#include <array>
#include <utility>

#include <Eigen/Eigenvalues>

#include "saltus/base/error.h"

namespace saltus {
namespace {

/// Symmetric and positive semidefinite to rounding.
bool IsSemidefinite(const MatrixX& A) {
  const double scale = 1 + A.norm();
  if ((A - A.transpose()).norm() > 1e-14 * scale) return false;
  return Eigen::SelfAdjointEigenSolver<MatrixX>(A).eigenvalues().minCoeff() >= -1e-13 * scale;
}

}  // namespace

void AddDifferenceTangents(Equations* e) {
  constexpr double kStep = 1e-6;  // error of a central difference: its square
  const BlockPattern pattern(e->block_sizes, e->couplings);
  const auto force = e->force;
  // One column of K or D: −(f₊ − f₋)/(2 step).
  const auto add_column = [](const VectorX& difference, int b, int j, BlockMatrix* A) {
    const BlockPattern& of_A = A->pattern();
    for (int s = 0; s < of_A.num_slots(); ++s) {
      const auto [row, column] = of_A.slot(s);
      if (column != b) continue;
      A->block(s).col(j) -= difference.segment(of_A.offset(row), of_A.size(row)) / (2 * kStep);
    }
  };
  e->tangents = [force, pattern, add_column](double t, const VectorX& q, const VectorX& v,
                                             BlockMatrix* K, BlockMatrix* D) {
    VectorX x[] = {q, v}, f[] = {q, q};
    BlockMatrix* matrices[] = {K, D};
    for (int kind = 0; kind < 2; ++kind) {
      for (int b = 0; b < pattern.num_blocks(); ++b) {
        for (int j = 0; j < pattern.size(b); ++j) {
          double& entry = x[kind][pattern.offset(b) + j];
          const double saved = entry;
          for (int side = 0; side < 2; ++side) {
            entry = saved + (side == 0 ? kStep : -kStep);
            force(t, x[0], x[1], &f[side]);
          }
          entry = saved;
          add_column(f[0] - f[1], b, j, matrices[kind]);
        }
      }
    }
  };
}

EquationSystem::EquationSystem(Equations equations)
    : equations_(std::make_shared<const Equations>(std::move(equations))),
      pattern_(std::make_shared<BlockPattern>(equations_->block_sizes, equations_->couplings)) {
  const Equations& e = *equations_;
  SALTUS_CHECK(e.q0.size() == pattern_->num_dofs() && e.v0.size() == e.q0.size(),
               e.name + ": sizes of q0, v0 and the blocks differ");
  traits_.num_coordinates = traits_.num_velocities = pattern_->num_dofs();
  traits_.num_constraints = static_cast<int>(e.constraint_names.size());
  traits_.constant_mass = e.constant_mass;
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

void EquationSystem::CalcMass(const VectorX& q, BlockMatrix* M) const {
  M->SetZero();
  equations_->mass(q, M);
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

void EquationSystem::CalcTangents(double t, const VectorX& q, const VectorX& v, TangentKind kind,
                                  BlockMatrix* K, BlockMatrix* D) const {
  K->SetZero();
  D->SetZero();
  if (equations_->tangents) equations_->tangents(t, q, v, K, D);
  if (kind == TangentKind::kExact) return;
  for (BlockMatrix* A : {K, D}) {
    if (!IsSemidefinite(A->ToDense())) A->SetZero();
  }
}

void EquationSystem::CalcConstraint(double t, const VectorX& q, VectorX* g) const {
  g->resize(traits_.num_constraints);
  if (g->size() > 0) equations_->constraint(t, q, g);
}

void EquationSystem::CalcConstraintJacobian(double t, const VectorX& q, SparseRows* G) const {
  const int m = traits_.num_constraints, n = traits_.num_velocities;
  if (G->rows() != m || G->cols() != n || G->nonZeros() != m * n || !G->isCompressed()) {
    G->resize(m, n);
    if (m == 0) return;  // Eigen may not compress a matrix without rows.
    G->reserve(Eigen::VectorXi::Constant(m, n));
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) G->insert(i, j) = 0;  // zeros too: one pattern for all q
    }
    G->makeCompressed();
  }
  if (m == 0) return;
  dense_G_.setZero(m, n);
  equations_->jacobian(t, q, &dense_G_);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<RowMajor>(G->valuePtr(), m, n) = dense_G_;
}

void EquationSystem::CalcConstraintRate(double t, const VectorX& q, VectorX* g_t) const {
  g_t->setZero(traits_.num_constraints);
  if (g_t->size() > 0 && equations_->rate) equations_->rate(t, q, g_t);
}

void EquationSystem::CalcConstraintBias(double t, const VectorX& q, const VectorX& v,
                                        VectorX* gamma) const {
  gamma->setZero(traits_.num_constraints);
  if (gamma->size() > 0) equations_->bias(t, q, v, gamma);
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
