#include "saltus/integrators/alpha_contacts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/LU>

#include "saltus/dynamics/contact_memory.h"

namespace saltus {
namespace {

/// A closed contact: its gap is below this share of what the forces of one step can do, and it
/// lasts if it approaches or leaves by no more than this share of the speed that they make.
constexpr double kClosed = 1e-6, kSlow = 1e-3;
/// Rounding of velocities, relative to those of the step.
constexpr double kRounding = 1e-12;
/// Slip below this share of what forces do in a step begins or ends in it: no direction to follow.
constexpr double kSlip = 1e-3;

/// The island that x belongs to.
int FindRoot(std::vector<int>* parents, int x) {
  while ((*parents)[x] != x) x = (*parents)[x] = (*parents)[(*parents)[x]];
  return x;
}

}  // namespace

/// Where the contact stands at q_n.
void AlphaContacts::Describe(ContactUnknown* unknown, int contact) const {
  const Contact& c = start_set().contacts[contact];
  unknown->u_start = CalcVelocity(start_set(), c, start_->state->v);
  const double slow = kSlow * start_->force_speed + kRounding * start_->speed;
  unknown->lasting =
      second_order_ && c.gap <= closed_gap_ && std::abs(unknown->u_start[0]) <= slow && !c.lost;
}

void AlphaContacts::Begin(System& system, const AlphaStart& start, const VectorX& acceleration,
                          double position_tolerance, bool second_order) {
  start_ = &start;
  second_order_ = second_order;
  set_.Begin(system, start, acceleration);
  closed_gap_ = std::max(10 * position_tolerance, kClosed * set_.force_distance());
  unknowns_.assign(start_set().contacts.size(), ContactUnknown{});
  for (int i = 0; i < size(); ++i) Describe(&unknowns_[i], i);
  Eigen::Index friction_rows = 0;
  for (const DryFriction& f : start_set().frictions) friction_rows += f.dimension;
  friction_P_.setZero(friction_rows);
  impacts_.clear();
  carry_ = BlockMatrix();
  turn_.resize(0);
  for (ContactUnknown& unknown : unknowns_) unknown.smooth = unknown.lasting;
  smooth_friction_.assign(start_set().frictions.size(), second_order);
  smooth_rows_.assign(system.traits().num_constraints, second_order);
  if (empty()) return;
  if (system.traits().num_constraints > 0) {
    G_start_.resize(system.traits().num_constraints, system.traits().num_velocities);
    system.CalcConstraintJacobian(start.state->time, start.state->q, &G_start_);
  }
  WarmStart();
}

void AlphaContacts::MoveTo(System& system, const VectorX& q, const VectorX& v) {
  set_.MoveTo(system, q);
  if (system.traits().flat || !second_order_ || empty()) return;
  VectorX delta;
  system.CalcDifference(start_->state->q, q, &delta);
  system.CalcTurnImpulse(start_->h, delta, start_->state->v, v, &turn_);
  BlockMatrix back(system.pattern());
  if (carry_.shared_pattern() != system.pattern()) carry_ = BlockMatrix(system.pattern());
  system.CalcRetractTangent(0.5 * delta, &carry_);
  system.CalcRetractTangent(-0.5 * delta, &back);
  const BlockPattern& pattern = carry_.pattern();
  for (int b = 0; b < pattern.num_blocks(); ++b) {
    const int slot = pattern.FindSlot(b, b);
    BlockMatrix::Block C = carry_.block(slot);
    if (pattern.size(b) == 6) {
      const Matrix6 inverse = Eigen::Map<const Matrix6>(back.block(slot).data()).inverse();
      Eigen::Map<Matrix6> C6(C.data());
      C6 = (C6 * inverse).eval();
    } else {
      C = (C * MatrixX(back.block(slot)).inverse()).eval();
    }
  }
}

VectorX AlphaContacts::Carry(const VectorX& x, bool back) const {
  if (carry_.values().size() == 0) return x;
  const BlockPattern& pattern = carry_.pattern();
  VectorX y(x.size());
  for (int b = 0; b < pattern.num_blocks(); ++b) {
    const int first = pattern.offset(b), n = pattern.size(b);
    const BlockMatrix::ConstBlock C = carry_.block(pattern.FindSlot(b, b));
    if (back) {
      y.segment(first, n) = C.transpose().lazyProduct(x.segment(first, n));
    } else {
      y.segment(first, n) = C.lazyProduct(x.segment(first, n));
    }
  }
  return y;
}

/// Impulses of the last step, by key: the start of the conic solvers. ν ≈ hP/2 in contacts at rest.
void AlphaContacts::WarmStart() {
  const std::vector<ContactMemory>& memory = start_->state->contacts;
  for (int i = 0; i < size(); ++i) {
    const Contact& c = start_set().contacts[i];
    const ContactMemory* known = FindMemory(memory, c.key);
    if (known == nullptr) continue;
    const Vector3 impulse = c.frame.transpose() * known->impulse;
    const Vector3 moment = c.frame.transpose() * known->moment;
    for (int k = 0; k < c.rows(); ++k) unknowns_[i].P[k] = JoinRow(c, impulse, moment, k);
    unknowns_[i].nu = 0.5 * start_->h * unknowns_[i].P[0];
  }
  Eigen::Index o = 0;
  for (const DryFriction& f : start_set().frictions) {
    const ContactMemory* known = FindMemory(memory, f.key);
    if (known != nullptr) friction_P_.segment(o, f.dimension) = known->impulse.head(f.dimension);
    o += f.dimension;
  }
}

ContactVerdict AlphaContacts::Judge(System& system, const VectorX& q, const VectorX& v,
                                    double tolerance) {
  std::vector<ContactKey> keys;
  for (const Contact& c : start_set().contacts) keys.push_back(c.key);
  const ContactVerdict verdict = set_.Judge(system, q, tolerance);
  if (!verdict.changed) return verdict;
  std::vector<ContactUnknown> before(start_set().contacts.size());
  before.swap(unknowns_);
  for (int i = 0; i < size(); ++i) {
    const ContactKey& key = start_set().contacts[i].key;
    const auto found = std::lower_bound(keys.begin(), keys.end(), key);
    if (found != keys.end() && *found == key) {
      unknowns_[i] = before[found - keys.begin()];
    } else {
      Describe(&unknowns_[i], i);
      unknowns_[i].smooth = unknowns_[i].lasting;
    }
  }
  MoveTo(system, q, v);
  return verdict;
}

template <class Item>
bool AlphaContacts::TouchesImpact(const Item& item, const KktSolver& kkt) const {
  for (int k = item.first_block; k < item.first_block + item.num_blocks; ++k) {
    if (impacts_[kkt.component_of_block(set().blocks[k].block)]) return true;
  }
  return false;
}

void AlphaContacts::FindImpacts(const KktSolver& kkt) {
  if (!second_order_) return;
  impacts_.resize(kkt.num_components(), false);
  bool news = false;
  std::vector<int> parents(kkt.num_components());
  std::iota(parents.begin(), parents.end(), 0);
  const auto component = [&](int block) {
    return kkt.component_of_block(set().blocks[block].block);
  };
  for (int i = 0; i < size(); ++i) {
    if (!unknowns_[i].loaded()) continue;
    const Contact& c = set().contacts[i];
    for (int k = c.first_block; k < c.first_block + c.num_blocks; ++k) {
      parents[FindRoot(&parents, component(k))] = FindRoot(&parents, component(c.first_block));
      if (unknowns_[i].lasting || impacts_[component(k)]) continue;
      impacts_[component(k)] = news = true;
    }
  }
  if (!news) return;
  std::vector<char> roots(impacts_.size(), false);
  for (std::size_t i = 0; i < impacts_.size(); ++i) {
    if (impacts_[i]) roots[FindRoot(&parents, static_cast<int>(i))] = true;
  }
  for (std::size_t i = 0; i < impacts_.size(); ++i) {
    impacts_[i] = impacts_[i] || roots[FindRoot(&parents, static_cast<int>(i))];
  }
  for (int i = 0; i < size(); ++i) {
    ContactUnknown& unknown = unknowns_[i];
    unknown.smooth = unknown.lasting && !TouchesImpact(set().contacts[i], kkt);
    if (!unknown.smooth) {
      unknown.P -= unknown.c;
      unknown.c.setZero();
    }
  }
  for (std::size_t i = 0; i < smooth_friction_.size(); ++i) {
    smooth_friction_[i] = !TouchesImpact(set().frictions[i], kkt);
  }
  for (std::size_t i = 0; i < smooth_rows_.size(); ++i) {
    smooth_rows_[i] = !impacts_[kkt.component_of_row(static_cast<int>(i))];
  }
}

void AlphaContacts::CalcSlipDirections() {
  const double slow = kSlip * start_->force_speed + kRounding * start_->speed;
  for (int i = 0; i < size(); ++i) {
    ContactUnknown& unknown = unknowns_[i];
    const Contact& contact = set().contacts[i];
    if (!unknown.smooth || contact.dimension < 3 || !(contact.friction > 0) || contact.associated) {
      continue;
    }
    const Vector6 P = unknown.P - unknown.c;
    unknown.c.setZero();
    if (unknown.active && P[0] > 0) {
      const Eigen::Vector2d now = unknown.u.segment<2>(1);
      const Eigen::Vector2d before = unknown.u_start.segment<2>(1);
      // A contact that sticks has no direction, whatever rounding leaves of its slip.
      const bool slips = P.segment<2>(1).norm() > (1 - 1e-9) * contact.friction * P[0];
      // c is found by iteration, which contracts if friction changes the slip less than by half.
      const double slip = std::min(now.norm(), before.norm());
      unknown.turns = unknown.turns && (now - before).norm() <= slip;
      if (slips && unknown.turns && slip > slow) {
        const Eigen::Vector2d t = now.normalized();
        const Eigen::Vector2d mean = (t + before.normalized()).normalized();
        unknown.c.segment<2>(1) = -contact.friction * P[0] * (mean - t);
      }
    }
    unknown.P = P + unknown.c;
  }
}

void AlphaContacts::AddSlipPush(VectorX* f) const {
  const double half = 0.5 * start_->h;
  VectorX at_start = VectorX::Zero(f->size()), at_end = at_start;
  const auto add = [&](const auto& now, const auto& before, int first, int rows, const double* P) {
    AddRows(set(), now, first, rows, 0.5 * half, P, &at_end);
    AddRows(start_set(), before, first, rows, 0.5 * half, P, &at_start);
  };
  for (int i = 0; i < size(); ++i) {
    const ContactUnknown& unknown = unknowns_[i];
    if (!unknown.smooth || unknown.P.tail<5>().isZero(0)) continue;
    const Contact& c = set().contacts[i];
    add(c, start_set().contacts[i], 1, c.rows(), unknown.P.data());
  }
  Eigen::Index o = 0;
  for (std::size_t i = 0; i < set().frictions.size(); ++i) {
    const DryFriction& friction = set().frictions[i];
    if (smooth_friction_[i]) {
      add(friction, start_set().frictions[i], 0, friction.dimension, friction_P_.data() + o);
    }
    o += friction.dimension;
  }
  *f += Carry(at_start, false) + Carry(at_end, true);
}

void AlphaContacts::AddPositionForce(VectorX* f) const {
  for (int i = 0; i < size(); ++i) {
    if (unknowns_[i].nu != 0) {
      AddRows(set(), set().contacts[i], 0, 1, 1, &unknowns_[i].nu, f);
    }
  }
  AddSlipPush(f);
}

/// τ of the bodies that a smooth contact touches.
void AlphaContacts::AddTurn(VectorX* f) const {
  if (turn_.size() == 0) return;
  std::vector<char> done(carry_.pattern().num_blocks(), false);
  for (int i = 0; i < size(); ++i) {
    const Contact& c = set().contacts[i];
    if (!unknowns_[i].smooth || !unknowns_[i].loaded()) continue;
    for (int k = c.first_block; k < c.first_block + c.num_blocks; ++k) {
      const RowBlock& rb = set().blocks[k];
      if (done[rb.block]) continue;
      done[rb.block] = true;
      f->segment(rb.dof, rb.columns) += turn_.segment(rb.dof, rb.columns);
    }
  }
}

void AlphaContacts::AddMeanRows(const SparseRows& G, const VectorX& Lambda, VectorX* f) const {
  if (empty()) return;
  VectorX at_start = VectorX::Zero(f->size()), at_end = at_start;
  const auto add = [&](const auto& now, const auto& before, int rows, const double* P) {
    AddRows(set(), now, 0, rows, 0.5, P, &at_end);
    AddRows(start_set(), before, 0, rows, 0.5, P, &at_start);
  };
  for (int i = 0; i < size(); ++i) {
    const ContactUnknown& unknown = unknowns_[i];
    if (!unknown.smooth || unknown.P.isZero(0)) continue;
    const Contact& c = set().contacts[i];
    add(c, start_set().contacts[i], c.rows(), unknown.P.data());
  }
  Eigen::Index o = 0;
  for (std::size_t i = 0; i < set().frictions.size(); ++i) {
    const DryFriction& friction = set().frictions[i];
    if (smooth_friction_[i]) {
      add(friction, start_set().frictions[i], friction.dimension, friction_P_.data() + o);
    }
    o += friction.dimension;
  }
  if (Lambda.size() > 0) {
    VectorX half = 0.5 * Lambda;
    for (Eigen::Index i = 0; i < half.size(); ++i) half[i] *= smooth_rows_[i] ? 1 : 0;
    at_start.noalias() += G_start_.transpose() * half;
    at_end.noalias() += G.transpose() * half;
  }
  *f -= 2 * at_end;  // HᵀP, which (12) has
  *f += Carry(at_start, false) + Carry(at_end, true);
  AddTurn(f);
}

void AlphaContacts::AddVelocityForce(VectorX* f) const {
  for (int i = 0; i < size(); ++i) {
    if (unknowns_[i].P.isZero(0)) continue;
    const Contact& c = set().contacts[i];
    AddRows(set(), c, 0, c.rows(), 1, unknowns_[i].P.data(), f);
  }
  Eigen::Index o = 0;
  for (const DryFriction& friction : set().frictions) {
    AddRows(set(), friction, 0, friction.dimension, 1, friction_P_.data() + o, f);
    o += friction.dimension;
  }
}

Vector6 AlphaContacts::CalcMeanRows(int contact, const Motion& x) const {
  const Contact& c = set().contacts[contact];
  if (!unknowns_[contact].smooth) return CalcRows(set(), c, c.rows(), x.x);
  return 0.5 * (CalcRows(set(), c, c.rows(), x.end) +
                CalcRows(start_set(), start_set().contacts[contact], c.rows(), x.start));
}

Vector3 AlphaContacts::CalcMeanFrictionRows(int friction, const Motion& x) const {
  const DryFriction& f = set().frictions[friction];
  if (!smooth_friction_[friction]) return CalcRows(set(), f, f.dimension, x.x).head<3>();
  const DryFriction& before = start_set().frictions[friction];
  return 0.5 * (CalcRows(set(), f, f.dimension, x.end) +
                CalcRows(start_set(), before, f.dimension, x.start))
                   .head<3>();
}

VectorX AlphaContacts::CalcMeanJointRows(const SparseRows& G, const Motion& x) const {
  VectorX u = G * x.x;
  if (empty() || u.size() == 0) return u;
  const VectorX mean = 0.5 * (G_start_ * x.start + G * x.end);
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    if (smooth_rows_[i]) u[i] = mean[i];
  }
  return u;
}

}  // namespace saltus
