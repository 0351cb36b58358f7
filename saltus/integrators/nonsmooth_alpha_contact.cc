// The contacts of nonsmooth_alpha.h and the velocity problem (12).
#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/integrators/nonsmooth_alpha_impl.h"

namespace saltus {
namespace {

/// Iterations with the narrow margin for contacts.
constexpr int kNarrow = 5;

/// Of the methods that are tried when the chosen solver has failed.
constexpr int kNewtonIterations = 3000;
constexpr int kMaxNewtonRows = 3000;
/// Sweeps over few contacts cost little: as many as give this number of contacts visited.
constexpr int kSweepWork = 400000, kFewSweeps = 5000, kManySweeps = 20000;

bool SetHasRestitution(const Contact& c) {
  return c.restitution != 0 || c.restitution_tangential != 0;
}

}  // namespace

/// What x does to the gap.
double NonsmoothAlpha::Impl::CalcNormalRow(const ContactSet& set, const Contact& contact,
                                           const VectorX& x) const {
  double sum = 0;
  for (int k = contact.first_block; k < contact.first_block + contact.num_blocks; ++k) {
    const RowBlock& rb = set.blocks[k];
    const double* values = set.values.data() + rb.values;
    for (int j = 0; j < rb.columns; ++j) sum += values[j] * x[rb.dof + j];
  }
  return sum;
}

/// Contacts at q_, with the unknowns of those that were there before. A frozen set only moves.
void NonsmoothAlpha::Impl::FindContacts(System& system, bool frozen) {
  if (frozen) {
    system.CalcDifference(q_contacts_, q_, &delta_);
    for (Contact& c : contacts_.contacts) c.gap += CalcNormalRow(contacts_, c, delta_);
    q_contacts_ = q_;
    lost_ = false;
    return;
  }
  keys_before_.clear();
  for (const Contact& c : contacts_.contacts) keys_before_.push_back(c.key);
  unknowns_before_.swap(unknowns_);
  // Contacts that come and go from iterate to iterate are seen by the wider margin.
  const bool late = report_.newton_iterations > kNarrow;
  search_margin_ = late ? 2 * margin_ : margin_;
  system.FindContacts(t_, q_, search_margin_, &contacts_);
  q_contacts_ = q_;
  unknowns_.assign(contacts_.contacts.size(), ContactUnknowns{});
  lost_ = false;
  std::size_t j = 0;
  const auto check_lost = [&](std::size_t k) {
    lost_ = lost_ || unknowns_before_[k].nu[0] != 0 || unknowns_before_[k].P[0] != 0;
  };
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    const ContactKey& key = contacts_.contacts[i].key;
    while (j < keys_before_.size() && keys_before_[j] < key) check_lost(j++);
    if (j < keys_before_.size() && keys_before_[j] == key) unknowns_[i] = unknowns_before_[j++];
  }
  while (j < keys_before_.size()) check_lost(j++);
}

/// Impulses of the last step, by key: the start of the conic solvers. ν ≈ hP/2 in contacts at rest.
void NonsmoothAlpha::Impl::WarmStart() {
  auto memory = start_->contacts.begin();
  const auto find = [&](const ContactKey& key) {
    memory =
        std::lower_bound(start_->contacts.begin(), start_->contacts.end(), key,
                         [](const ContactMemory& m, const ContactKey& k) { return m.key < k; });
    return memory != start_->contacts.end() && memory->key == key;
  };
  if (start_->contacts.empty()) return;
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    const Contact& c = contacts_.contacts[i];
    if (!find(c.key)) continue;
    const Vector3 impulse = c.frame.transpose() * memory->impulse;
    const Vector3 moment = c.frame.transpose() * memory->moment;
    for (int k = 0; k < c.rows(); ++k) unknowns_[i].P[k] = JoinRow(c, impulse, moment, k);
    unknowns_[i].nu[0] = 0.5 * h_ * unknowns_[i].P[0];
  }
  Eigen::Index size = 0;
  for (const DryFriction& f : contacts_.frictions) size += f.dimension;
  friction_P_.setZero(size);
  size = 0;
  for (const DryFriction& f : contacts_.frictions) {
    if (find(f.key)) friction_P_.segment(size, f.dimension) = memory->impulse.head(f.dimension);
    size += f.dimension;
  }
}

/// u⁻ of (4). Contacts that are not found at q_n take their rows at q.
Vector6 NonsmoothAlpha::Impl::CalcStartVelocity(System& system, const Contact& contact) {
  if (SetHasRestitution(contact)) {
    if (!start_found_) {
      // Both bodies may move by the margin within the step.
      system.FindContacts(start_->time, start_->q, 2 * margin_, &start_contacts_);
      start_found_ = true;
    }
    const auto& list = start_contacts_.contacts;
    const auto found =
        std::lower_bound(list.begin(), list.end(), contact.key,
                         [](const Contact& c, const ContactKey& key) { return c.key < key; });
    if (found != list.end() && found->key == contact.key) {
      return CalcVelocity(start_contacts_, *found, start_->v);
    }
  }
  return CalcVelocity(contacts_, contact, start_->v);
}

/// e_N u_N⁻ of (4), not below the approach speed H(q) v_n: a body that turns far within one step
/// must not leave faster than it came.
double NonsmoothAlpha::Impl::CalcRebound(const Contact& contact, const Vector6& u_minus) const {
  const double rebound = contact.restitution * u_minus[0];
  if (rebound >= 0) return rebound;
  const double approach = CalcNormalRow(contacts_, contact, start_->v) + contact.bias[0];
  return std::max(rebound, std::min(0.0, approach));
}

DelassusCorrection NonsmoothAlpha::Impl::MakeCorrection(bool position) const {
  DelassusCorrection correction;  // (13)
  correction.kkt = &*kkt_S_;
  correction.tangent = position ? &K_ : &D_;
  correction.factor = position ? h_ * h_ * k_.beta / k_.gamma : h_;
  return correction;
}

void NonsmoothAlpha::Impl::SubtractCoupling(const DelassusCorrection& correction, const VectorX& y,
                                            VectorX* x) {
  correction.tangent->Multiply(y, &rhs_);
  z_.setZero(system_->traits().num_constraints);
  VectorX response;
  correction.kkt->Solve(rhs_, z_, &response, nullptr);
  *x -= correction.factor * response;
}

/// Solves for r_. If that fails, slower methods have a try, and the best result is kept: conjugate
/// gradients if there is no friction, Newton's method and many sweeps of Gauss–Seidel from there,
/// then sweeps from zero.
SolveReport NonsmoothAlpha::Impl::SolveAtAnyCost(ConicSolver& solver, double tolerance,
                                                 const ConicProblem& problem) {
  SolveReport best = solver.Solve(problem, &r_);
  report_.solver_iterations += best.iterations;
  if (best.ok() || best.status == SolveStatus::kNotFinite) return best;
  const int sweeps =
      std::clamp(kSweepWork / static_cast<int>(problem.cones.size()), kFewSweeps, kManySweeps);
  const struct {
    const char* name;
    bool from_zero;
    int iterations;
  } tries[] = {{"projected-cg", false, sweeps},
               {"hybrid", false, kNewtonIterations},
               {"nsgs", false, sweeps},
               {"nsgs", true, sweeps}};
  ConicSolverOptions options = options_.solver_options;
  options.tolerance = tolerance;
  for (const auto& next : tries) {
    if (next.iterations == kNewtonIterations && problem.size() > kMaxNewtonRows) continue;
    options.max_iterations = std::max(options_.solver_options.max_iterations, next.iterations);
    y_ = r_;
    if (next.from_zero) y_.setZero();
    const SolveReport report = MakeConicSolver(next.name, options)->Solve(problem, &y_);
    report_.solver_iterations += report.iterations;
    if (!(report.residual.relative < best.residual.relative)) continue;
    r_ = y_;
    best = report;
    if (best.ok()) break;
  }
  return best;
}

/// The gap at q̃ (for (4)) or at q, whichever is smaller, of the contacts that the iterate has.
void NonsmoothAlpha::Impl::CalcGapsOfIterate(System& system) {
  system.CalcDifference(q_, q_smooth_, &x_);
  gaps_.resize(static_cast<Eigen::Index>(contacts_.contacts.size()));
  for (Eigen::Index i = 0; i < gaps_.size(); ++i) {
    const Contact& c = contacts_.contacts[static_cast<std::size_t>(i)];
    gaps_[i] = c.gap + std::min(0.0, CalcNormalRow(contacts_, c, x_));
  }
}

/// Fills active_, and bias and shift of (4).
void NonsmoothAlpha::Impl::ChooseActive(System& system) {
  SALTUS_CHECK(gaps_.size() == static_cast<Eigen::Index>(contacts_.contacts.size()),
               "the gaps are those of another set of contacts");
  active_.clear();
  for (int i = 0; i < static_cast<int>(contacts_.contacts.size()); ++i) {
    // A contact whose impulse opens it by way of f, and which closes again without: (4) has no
    // solution then, and in a frozen set it stays in.
    ContactUnknowns& unknown = unknowns_[i];
    unknown.active = gaps_[i] <= gap_closed_ + 2 * lift_ || (frozen_ && unknown.was_active);
    unknown.was_active = unknown.was_active || unknown.active;
    if (unknown.active) active_.push_back(i);
  }
  velocity_problem_.SetRows(contacts_, active_, ContactProblem::Rows::kAll);
  bias_.setZero(velocity_problem_.size());
  shift_.setZero(velocity_problem_.size());
  for (int i = 0; i < velocity_problem_.num_blocks(); ++i) {
    const Cone& cone = velocity_problem_.cone(i);
    const int d = cone.dimension;
    if (i >= velocity_problem_.num_contacts()) {
      const DryFriction& f = contacts_.frictions[i - velocity_problem_.num_contacts()];
      bias_.segment(cone.offset, d) = f.bias.head(d);
      continue;
    }
    const Contact& c = contacts_.contacts[active_[i]];
    const int linear = std::min(d, c.dimension);  // the other rows are angular
    bias_.segment(cone.offset, linear) = c.bias.head(linear);
    if (!SetHasRestitution(c)) continue;
    const Vector6 u_minus = CalcStartVelocity(system, c);
    shift_[cone.offset] = CalcRebound(c, u_minus);
    for (int k = 1; k < linear; ++k)
      shift_[cone.offset + k] = c.restitution_tangential * u_minus[k];
  }
}

/// Impulses by Poisson's law at v_n (18), and what they ask of u_N. False: none.
bool NonsmoothAlpha::Impl::SolveImpact(const KktSolver& kkt) {
  impact_r_.setZero(velocity_problem_.size());
  constexpr double kSlow = 0.01;  // share of what the forces of one step do
  if (!impact_.Solve(contacts_, active_, kkt, start_->v, kSlow * force_speed_, solver_.get())) {
    return false;
  }
  impact_r_.head(impact_.impulse().size()) = impact_.impulse();
  for (int i = 0; i < velocity_problem_.num_contacts(); ++i) {
    if (impact_.rebound()[i] > 0) shift_[velocity_problem_.offset(i)] = -impact_.rebound()[i];
  }
  return true;
}

/// u += H'v of the active contacts and of the frictions (20).
void NonsmoothAlpha::Impl::AddCurvedRows(VectorX* u) const {
  const ContactSet& rates = rates_.contacts();
  if (!curvature_.present || rates.blocks.empty()) return;
  const int contacts = velocity_problem_.num_contacts();
  for (int i = 0; i < velocity_problem_.num_blocks(); ++i) {
    const Vector6 rate = i < contacts
                             ? CalcVelocity(rates, rates.contacts[active_[i]], curvature_.v)
                             : CalcVelocity(rates, rates.frictions[i - contacts], curvature_.v);
    const int d = velocity_problem_.cone(i).dimension;
    u->segment(velocity_problem_.offset(i), d) += rate.head(d);
  }
}

/// r_ of the velocity problem from the last one; returns how many rows joint frictions have.
Eigen::Index NonsmoothAlpha::Impl::StartFromKnownImpulses() {
  r_.setZero(velocity_problem_.size());
  const int contacts = velocity_problem_.num_contacts();
  Eigen::Index used = 0;
  for (int i = 0; i < contacts; ++i) {
    const int d = velocity_problem_.cone(i).dimension;
    r_.segment(used, d) = unknowns_[active_[i]].P.head(d);
    used += d;
  }
  const Eigen::Index friction_size = r_.size() - used;
  if (friction_P_.size() == friction_size) r_.tail(friction_size) = friction_P_;
  return friction_size;
}

/// (12): W_, Λ, P. kkt is the factored metric (M, G), rhs a force.
bool NonsmoothAlpha::Impl::SolveVelocity(System& system, const KktSolver& kkt, const VectorX& rhs,
                                         bool coupled) {
  const int m = system.traits().num_constraints;
  c_rows_.resize(m);
  x_ = v_smooth_ + dv_;
  if (m > 0) {
    c_rows_.noalias() = G_ * x_;
    c_rows_ = -c_rows_ - g_t_;
    if (curvature_.present) c_rows_ -= curvature_.joint_rates;
  }
  force_end_ = rhs;
  if (m > 0 || rhs.squaredNorm() > 0) {
    kkt.Solve(force_end_, c_rows_, &W_free_, &Lambda_);
  } else {
    W_free_ = no_force_;
  }
  ChooseActive(system);
  AddCurvedRows(&bias_);
  const bool impact = SolveImpact(kkt);
  if (impact) {
    velocity_problem_.AddForce(impact_r_, &force_end_);
    kkt.Solve(force_end_, c_rows_, &W_free_, &Lambda_);
  }
  if (velocity_problem_.num_blocks() > 0) {
    DelassusCorrection correction;
    if (coupled) correction = MakeCorrection(false);
    velocity_problem_.FormDelassus(kkt, coupled ? &correction : nullptr);
    y_ = h_ * lambda_ + Lambda_;
    velocity_problem_.SetFrictionBounds(h_, y_);
    dq_ = x_ + W_free_;
    if (coupled) {
      y_ = W_free_ - W_;
      SubtractCoupling(correction, y_, &dq_);
    }
    velocity_problem_.CalcVelocity(dq_, &velocity_problem_.problem().b);
    velocity_problem_.problem().b += bias_ + shift_;
    const Eigen::Index friction_size = StartFromKnownImpulses();
    const SolveReport solve =
        SolveAtAnyCost(*solver_, options_.solver_options.tolerance, velocity_problem_.problem());
    report_.solver_residual = solve.residual.relative;
    solver_ok_ = solve.ok() && (!impact || impact_.ok());
    const int worst = solve.residual.worst_block;
    worst_contact_.reset();
    if (worst >= 0 && worst < velocity_problem_.num_contacts()) {
      worst_contact_ = contacts_.contacts[active_[worst]].key;
    }
    if (solve.status == SolveStatus::kNotFinite) return false;
    friction_P_ = r_.tail(friction_size);
    velocity_problem_.AddForce(r_, &force_end_);
    kkt.Solve(force_end_, c_rows_, &W_free_, &Lambda_);
    if (coupled) {  // hD ΔW of (10)
      y_ = W_free_ - W_;
      SubtractCoupling(correction, y_, &dv_);
    }
  } else {
    solver_ok_ = true;
    friction_P_.resize(0);
  }
  W_ = W_free_;
  x_ = v_smooth_ + dv_ + W_;
  velocity_problem_.CalcVelocity(x_, &u_);
  u_ += bias_;
  for (ContactUnknowns& unknown : unknowns_) unknown.P.setZero();
  for (int i = 0; i < velocity_problem_.num_contacts(); ++i) {
    const int d = velocity_problem_.cone(i).dimension;
    unknowns_[active_[i]].P.head(d) = r_.segment(velocity_problem_.offset(i), d) +
                                      impact_r_.segment(velocity_problem_.offset(i), d);
    unknowns_[active_[i]].shift = shift_[velocity_problem_.offset(i)];
    unknowns_[active_[i]].u.head(d) = u_.segment(velocity_problem_.offset(i), d);
  }
  return W_.allFinite();
}

/// (4) at the iterate: the velocities are those that the last velocity problem saw, and contacts
/// that have closed since then do not approach.
bool NonsmoothAlpha::Impl::ContactVelocitiesHold(System& system) {
  if (contacts_.contacts.empty()) return true;
  const double tolerance = 10 * options_.newton_tolerance * CalcVelocityScale();
  system.CalcDifference(q_, q_smooth_, &x_);
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    const Contact& c = contacts_.contacts[i];
    const ContactUnknowns& known = unknowns_[i];
    const double gap = c.gap + std::min(0.0, CalcNormalRow(contacts_, c, x_));
    if (gap > gap_closed_ && !(frozen_ && known.was_active)) {
      if (known.P[0] != 0) return false;
      continue;
    }
    const Vector6 u = CalcVelocity(contacts_, c, v_);
    if (known.active) {
      const int d = c.friction > 0 ? c.rows() : 1;
      if (!((u - known.u).head(d).lpNorm<Eigen::Infinity>() <= tolerance)) return false;
    } else {
      const double rebound =
          SetHasRestitution(c) ? CalcRebound(c, CalcStartVelocity(system, c)) : 0;
      if (!(u[0] + rebound >= -tolerance)) return false;
    }
  }
  return true;
}

void NonsmoothAlpha::Impl::SubtractContactForces(const ContactSet& set, bool position,
                                                 VectorX* f) const {
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    const Vector6& p = position ? unknowns_[i].nu : unknowns_[i].P;
    if (p.isZero(0)) continue;
    const Contact& c = set.contacts[i];
    for (int k = c.first_block; k < c.first_block + c.num_blocks; ++k) {
      const RowBlock& rb = set.blocks[k];
      const auto rows = set.rows(rb, c.rows());
      f->segment(rb.dof, rb.columns).noalias() -= rows.transpose().lazyProduct(p.head(c.rows()));
    }
  }
  if (position) return;
  Eigen::Index o = 0;
  for (const DryFriction& friction : set.frictions) {
    if (o + friction.dimension > friction_P_.size()) break;
    for (int k = friction.first_block; k < friction.first_block + friction.num_blocks; ++k) {
      const RowBlock& rb = set.blocks[k];
      const auto rows = set.rows(rb, friction.dimension);
      f->segment(rb.dof, rb.columns).noalias() -=
          rows.transpose().lazyProduct(friction_P_.segment(o, friction.dimension));
    }
    o += friction.dimension;
  }
}

}  // namespace saltus
