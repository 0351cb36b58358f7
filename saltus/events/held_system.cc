#include "saltus/events/held_system.h"

namespace saltus {
namespace {

/// Time over which γ is differenced, as a share of what moves a unit: the error of the extrapolated
/// quotient is its fourth power.
constexpr double kDifference = 1e-3;

}  // namespace

double CalcNormalVelocity(const ContactSet& set, const Contact& c, const VectorX& v) {
  double u = c.bias[0];
  for (int k = c.first_block; k < c.first_block + c.num_blocks; ++k) {
    const RowBlock& b = set.blocks[static_cast<std::size_t>(k)];
    u += set.rows(b, 1).row(0).dot(v.segment(b.dof, b.columns));
  }
  return u;
}

void AddNormalForce(const ContactSet& set, const Contact& c, double P, VectorX* f) {
  for (int k = c.first_block; k < c.first_block + c.num_blocks; ++k) {
    const RowBlock& b = set.blocks[static_cast<std::size_t>(k)];
    f->segment(b.dof, b.columns) += P * set.rows(b, 1).row(0).transpose();
  }
}

HeldSystem::HeldSystem(System* system, const ContactSet& closed, const VectorX& q)
    : system_(system),
      closed_(closed),
      q_reference_(q),
      num_joint_rows_(system->traits().num_constraints),
      traits_(system->traits()) {
  traits_.num_constraints += num_closed();
}

std::unique_ptr<System> HeldSystem::Clone() const { return std::make_unique<HeldSystem>(*this); }

const ContactSet& HeldSystem::Update(double t, const VectorX& q) const {
  system_->UpdateContacts(t, q, q_reference_, closed_, &scratch_);
  return scratch_;
}

void HeldSystem::CalcConstraint(double t, const VectorX& q, VectorX* g) const {
  system_->CalcConstraint(t, q, &part_);
  g->resize(traits_.num_constraints);
  g->head(num_joint_rows_) = part_;
  if (num_closed() == 0) return;
  const ContactSet& set = Update(t, q);
  for (int i = 0; i < num_closed(); ++i) {
    (*g)[num_joint_rows_ + i] = set.contacts[static_cast<std::size_t>(i)].gap;
  }
}

void HeldSystem::CalcConstraintJacobian(double t, const VectorX& q, SparseRows* G) const {
  if (num_joint_rows_ > 0) system_->CalcConstraintJacobian(t, q, &G_joints_);
  if (num_closed() == 0) {
    if (num_joint_rows_ > 0) *G = G_joints_;
    return;
  }
  const ContactSet& set = Update(t, q);
  std::vector<Triplet> entries;
  for (int i = 0; i < num_joint_rows_; ++i) {
    for (SparseRows::InnerIterator entry(G_joints_, i); entry; ++entry) {
      entries.emplace_back(i, static_cast<int>(entry.col()), entry.value());
    }
  }
  for (int i = 0; i < num_closed(); ++i) {
    const Contact& c = set.contacts[static_cast<std::size_t>(i)];
    for (int k = c.first_block; k < c.first_block + c.num_blocks; ++k) {
      const RowBlock& b = set.blocks[static_cast<std::size_t>(k)];
      for (int j = 0; j < b.columns; ++j) {
        entries.emplace_back(num_joint_rows_ + i, b.dof + j, set.rows(b, 1)(0, j));
      }
    }
  }
  G->resize(traits_.num_constraints, traits_.num_velocities);
  G->setFromTriplets(entries.begin(), entries.end());
  G->makeCompressed();
}

void HeldSystem::CalcConstraintRate(double t, const VectorX& q, VectorX* g_t) const {
  system_->CalcConstraintRate(t, q, &part_);
  g_t->resize(traits_.num_constraints);
  g_t->head(num_joint_rows_) = part_;
  if (num_closed() == 0) return;
  const ContactSet& set = Update(t, q);
  for (int i = 0; i < num_closed(); ++i) {
    (*g_t)[num_joint_rows_ + i] = set.contacts[static_cast<std::size_t>(i)].bias[0];
  }
}

void HeldSystem::CalcNormalVelocity(double t, const VectorX& q, const VectorX& v,
                                    VectorX* u) const {
  const ContactSet& set = Update(t, q);
  u->resize(num_closed());
  for (int i = 0; i < num_closed(); ++i) {
    (*u)[i] = saltus::CalcNormalVelocity(set, set.contacts[static_cast<std::size_t>(i)], v);
  }
}

void HeldSystem::CalcConstraintBias(double t, const VectorX& q, const VectorX& v,
                                    VectorX* gamma) const {
  system_->CalcConstraintBias(t, q, v, &part_);
  gamma->resize(traits_.num_constraints);
  gamma->head(num_joint_rows_) = part_;
  if (num_closed() == 0) return;
  const double epsilon = kDifference / (1 + v.norm());
  int k = 0;
  for (const double step : {epsilon, -epsilon, 2 * epsilon, -2 * epsilon}) {
    delta_ = step * v;
    system_->Retract(q, delta_, &q_);
    CalcNormalVelocity(t + step, q_, v, &u_[k++]);
  }
  gamma->tail(num_closed()) = (8 * (u_[0] - u_[1]) - (u_[2] - u_[3])) / (12 * epsilon);  // (1)
}

void HeldSystem::AddGeometricStiffness(double t, const VectorX& q, const VectorX& lambda,
                                       BlockMatrix* K) const {
  part_ = lambda.head(num_joint_rows_);
  system_->AddGeometricStiffness(t, q, part_, K);
}

std::string HeldSystem::ConstraintName(int row) const {
  if (row < num_joint_rows_) return system_->ConstraintName(row);
  return system_->ContactName(
      closed_.contacts[static_cast<std::size_t>(row - num_joint_rows_)].key);
}

}  // namespace saltus
