// Moreau–Jean: which contacts take part in a step, their laws, and what is remembered of them.
#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/integrators/moreau_jean_impl.h"
#include "saltus/linalg/diagonal.h"

namespace saltus {
namespace {

const std::string kSprings = "moreau-jean.springs";  // f_T of (10)

/// The memory of a contact, or the end.
std::vector<ContactMemory>::const_iterator FindMemory(const State& state, const ContactKey& key) {
  const auto found =
      std::lower_bound(state.contacts.begin(), state.contacts.end(), key,
                       [](const ContactMemory& m, const ContactKey& k) { return m.key < k; });
  return found != state.contacts.end() && found->key == key ? found : state.contacts.end();
}

/// Without projection only rounding is forgiven, m: the textbook scheme.
constexpr double kGapRounding = 1e-12;
/// Of the speed bound: by how much a step may change the normal velocity of a contact before one
/// that was left out has to be admitted. Smaller values admit more often and solve the step again.
constexpr double kReserve = 0.1;

/// Steps of free motion: a contact that approaches no faster than its forces make it in this time
/// does not bounce. Its flight could not be resolved, and the projection, which lifts it after each
/// one, would keep it going for ever.
constexpr double kUnresolvedSteps = 2;

double CalcNormalVelocity(const ContactSet& set, const Contact& c, const VectorX& v) {
  double u_n = c.bias[0];
  for (int k = c.first_block; k < c.first_block + c.num_blocks; ++k) {
    const RowBlock& rb = set.blocks[k];
    const double* H = set.values.data() + rb.values;
    for (int j = 0; j < rb.columns; ++j) u_n += H[j] * v[rb.dof + j];
  }
  return u_n;
}

}  // namespace

/// The margin covers what can close within one step: twice the distance that the fastest point
/// travels, with the acceleration that the forces give it. `touching`: the last term only, which is
/// enough to see what penetrates and what a small push could close.
void MoreauJean::Impl::FindContacts(System& system, double t, const VectorX& q, const VectorX& v,
                                    double h, bool touching) {
  if (!system.traits().has_contacts) return;
  system.CalcForce(t, q, v, &f_);
  acceleration_ = f_;
  DivideByDiagonal(M_, &acceleration_);
  acceleration_bound_ = system.CalcSpeedBound(q, acceleration_);
  speed_bound_ = system.CalcSpeedBound(q, v);
  const double speed = touching ? 0 : speed_bound_;
  const double margin = 2 * h * (speed + h * acceleration_bound_) + 1e-9;
  if (found_time_ == t && found_margin_ == margin && found_q_ == q) return;
  system.FindContacts(t, q, margin, &contacts_);
  found_time_ = t;
  found_margin_ = margin;
  found_q_ = q;
}

/// The normal speed that the forces on the bodies of a contact can give it in kUnresolvedSteps; one
/// of the bodies may be held, so that their accelerations count apart.
double MoreauJean::Impl::CalcUnresolvedSpeed(const Contact& c, double h) const {
  double sum = 0;
  for (int k = c.first_block; k < c.first_block + c.num_blocks; ++k) {
    const RowBlock& rb = contacts_.blocks[k];
    sum += std::abs(contacts_.rows(rb, 1).row(0).dot(acceleration_.segment(rb.dof, rb.columns)));
  }
  return kUnresolvedSteps * h * sum;
}

/// At the end of a step: a contact with restitution that opens by itself within h, or that will hit
/// in the next step. To lift a body of weight m g by δ ≤ h u/2 before each of its impacts would add
/// m g δ, which is more than the impact takes where u < g h/(1 − e²): it would bounce for ever.
bool MoreauJean::Impl::Bounces(const Contact& c, double h) const {
  if (!(c.restitution + c.poisson > 0)) return false;
  const double u_n = CalcNormalVelocity(contacts_, c, v_);
  return c.gap + h * u_n >= -options_.projection_tolerance || -u_n > CalcUnresolvedSpeed(c, h);
}

void MoreauJean::Impl::ChooseActive(const State& state, double h) {
  active_.clear();
  by_gap_.clear();
  waiting_.clear();
  may_impact_ = false;
  const double reserve = kReserve * speed_bound_ + 2 * h * acceleration_bound_;
  const double rest_speed = kRest * h * acceleration_bound_;
  const bool all = options_.activation == MoreauJeanOptions::Activation::kLinearized;
  for (int i = 0; i < static_cast<int>(contacts_.contacts.size()); ++i) {
    const Contact& c = contacts_.contacts[i];
    const double u_n = CalcNormalVelocity(contacts_, c, state.v);
    const bool has_restitution = c.restitution + c.poisson > 0;
    // Linearized activation has all contacts that are near rest, with law (7), but those that
    // bounce.
    const bool asks = options_.projection && (!all || has_restitution);
    const double unresolved = asks ? CalcUnresolvedSpeed(c, h) : 0.0;
    const double near_rest = std::max(rest_speed, unresolved);
    const bool rests = options_.projection && c.gap <= h * near_rest && std::abs(u_n) <= near_rest;
    const bool slow = asks && has_restitution && -u_n <= unresolved;
    if (!all && !rests && c.gap + options_.gamma * h * u_n > kGapRounding) continue;  // (6)
    if (all && !rests && c.gap + h * (u_n - reserve) > 0) {
      waiting_.push_back(i);
      continue;
    }
    active_.push_back(i);
    may_impact_ = may_impact_ || (c.poisson > 0 && !slow);
    by_gap_.push_back(rests || slow || (all && !(has_restitution && c.gap + h * u_n <= 0)));
  }
  LayOutRows(state, h);
}

/// Adds the waiting contacts that v would close, all of them if it is not for the first time; they
/// start without impulse, the others with the one that was found. False if there is none.
bool MoreauJean::Impl::AdmitWaiting(const State& start, const VectorX& v, double h) {
  admitted_.clear();
  for (const int i : waiting_) {
    const Contact& c = contacts_.contacts[i];
    if (c.gap + h * CalcNormalVelocity(contacts_, c, v) < 0) admitted_.push_back(i);
  }
  if (admitted_.empty()) return false;
  if (has_admitted_) admitted_ = waiting_;
  has_admitted_ = true;
  const auto is_admitted = [&](int i) {
    return std::binary_search(admitted_.begin(), admitted_.end(), i);
  };
  std::erase_if(waiting_, is_admitted);
  // A waiting contact has not closed at v_n: law (7).
  merged_.clear();
  for (int i = 0; i < static_cast<int>(active_.size()); ++i) {
    merged_.push_back({active_[i], by_gap_[i], problem_.offset(i)});
  }
  for (const int i : admitted_) merged_.push_back({i, 1, -1});
  std::sort(merged_.begin(), merged_.end(),
            [](const Merged& a, const Merged& b) { return a.contact < b.contact; });
  active_.clear();
  by_gap_.clear();
  for (const Merged& m : merged_) {
    active_.push_back(m.contact);
    by_gap_.push_back(m.by_gap);
  }
  r_found_.swap(r_);
  LayOutRows(start, h);
  WarmStart(start, h);
  for (std::size_t i = 0; i < merged_.size(); ++i) {
    const Cone& cone = problem_.cone(static_cast<int>(i));
    if (merged_[i].offset < 0) continue;
    r_.segment(cone.offset, cone.dimension) = r_found_.segment(merged_[i].offset, cone.dimension);
  }
  return true;
}

/// The rows of the active contacts, with their laws at v_n.
void MoreauJean::Impl::LayOutRows(const State& state, double h) {
  problem_.SetRows(contacts_, active_, ContactProblem::Rows::kAll);
  const int n = problem_.size();
  bias_.resize(n);
  shift_.setZero(n);
  for (int i = 0; i < problem_.num_blocks(); ++i) {
    const Cone& cone = problem_.cone(i);
    const int o = cone.offset;
    if (i >= problem_.num_contacts()) {
      const DryFriction& f = contacts_.frictions[i - problem_.num_contacts()];
      bias_.segment(o, cone.dimension) = f.bias.head(cone.dimension);
      continue;
    }
    const Contact& c = contacts_.contacts[active_[i]];
    bias_.segment(o, cone.dimension).setZero();
    const int d = std::min(cone.dimension, c.dimension);
    bias_.segment(o, d) = c.bias.head(d);
  }
  const auto bounces = [&](int i) {
    const Contact& c = contacts_.contacts[i];
    return c.restitution != 0 || c.restitution_tangential != 0;
  };
  if (std::any_of(active_.begin(), active_.end(), bounces)) {
    problem_.CalcVelocity(state.v, &u_minus_);
    u_minus_ += bias_;
  } else {
    u_minus_.setZero(n);  // until it is reported
  }
  for (int i = 0; i < problem_.num_contacts(); ++i) {
    const Contact& c = contacts_.contacts[active_[i]];
    const int o = problem_.offset(i);
    if (!by_gap_[i]) {
      shift_[o] = c.restitution * u_minus_[o];  // (5)
    } else if (c.gap > 0) {
      shift_[o] = c.gap / h;  // (7)
    }
    for (int k = 1; k < std::min(problem_.cone(i).dimension, c.dimension); ++k) {
      shift_[o + k] = c.restitution_tangential * u_minus_[o + k];
    }
  }
}

void MoreauJean::Impl::WarmStart(const State& state, double h) {
  r_.setZero(problem_.size());
  auto memory = state.contacts.begin();
  const auto find = [&](const ContactKey& key) {
    memory =
        std::lower_bound(memory, state.contacts.end(), key,
                         [](const ContactMemory& m, const ContactKey& k) { return m.key < k; });
    return memory != state.contacts.end() && memory->key == key;
  };
  for (int i = 0; i < problem_.num_contacts(); ++i) {
    const Contact& c = contacts_.contacts[active_[i]];
    if (!find(c.key)) continue;
    const Vector3 impulse = c.frame.transpose() * memory->impulse;
    const Vector3 moment = c.frame.transpose() * memory->moment;
    for (int k = 0; k < problem_.cone(i).dimension; ++k) {
      r_[problem_.offset(i) + k] = JoinRow(c, impulse, moment, k);
    }
  }
  for (int i = problem_.num_contacts(); i < problem_.num_blocks(); ++i) {
    const DryFriction& f = contacts_.frictions[i - problem_.num_contacts()];
    memory = state.contacts.begin();
    if (!find(f.key)) continue;
    const int d = problem_.cone(i).dimension;
    r_.segment(problem_.offset(i), d) = memory->impulse.head(d);
  }
  if (options_.tangential_stiffness > 0) SetSprings(state, h);
}

/// (10).
void MoreauJean::Impl::SetSprings(const State& state, double h) {
  const auto springs = state.integrator.find(kSprings);
  const bool stored =
      springs != state.integrator.end() && springs->second.size() == 3 * std::ssize(state.contacts);
  const double C = 1 / (options_.tangential_stiffness * h * h);
  GrowingVector& compliance = problem_.problem().compliance;
  compliance.setZero(problem_.size());
  for (int i = 0; i < problem_.num_contacts(); ++i) {
    const Contact& c = contacts_.contacts[active_[i]];
    const int o = problem_.offset(i);
    const int d = std::min(problem_.cone(i).dimension, c.dimension);
    if (c.restitution_tangential != 0) {
      throw InputError("tangential_stiffness",
                       "a contact has restitution_tangential " +
                           std::to_string(c.restitution_tangential) + ", which would change it",
                       "set restitution_tangential to 0, or leave tangential_stiffness out");
    }
    compliance.segment(o + 1, d - 1).setConstant(C);
    const auto memory = FindMemory(state, c.key);
    if (!stored || memory == state.contacts.end()) continue;
    const Eigen::Index at = 3 * (memory - state.contacts.begin());
    const Vector3 f = c.frame.transpose() * springs->second.segment<3>(at);
    shift_.segment(o + 1, d - 1) -= C * h * f.segment(1, d - 1);
  }
}

/// The tangential forces f_T of the step in world axes, in the order of state->contacts. Impulses
/// by Poisson's law have not stretched any spring.
void MoreauJean::Impl::RememberSprings(State* state) const {
  VectorX& springs = state->integrator[kSprings];
  springs.setZero(3 * std::ssize(state->contacts));
  for (int i = 0; i < problem_.num_contacts(); ++i) {
    const Contact& c = contacts_.contacts[active_[i]];
    const auto memory = FindMemory(*state, c.key);
    if (memory == state->contacts.end()) continue;
    const int o = problem_.offset(i);
    Vector3 P = Vector3::Zero();
    for (int k = 1; k < std::min(problem_.cone(i).dimension, c.dimension); ++k) {
      P[k] = r_[o + k] - (impact_r_.size() > 0 ? impact_r_[o + k] : 0.0);
    }
    const Eigen::Index at = 3 * (memory - state->contacts.begin());
    springs.segment<3>(at) = c.frame * P / report_.step;
  }
}

/// Impulses for the next warm start, in world axes; contacts without impulse are forgotten.
void MoreauJean::Impl::Remember(State* state) const {
  state->contacts.clear();
  for (int i = 0; i < problem_.num_blocks(); ++i) {
    const int o = problem_.offset(i);
    const int d = problem_.cone(i).dimension;
    if (r_.segment(o, d).isZero(0)) continue;
    if (i < problem_.num_contacts()) {
      const Contact& c = contacts_.contacts[active_[i]];
      state->contacts.push_back(MakeMemory(c, r_.segment(o, d), d));
      continue;
    }
    ContactMemory& memory = state->contacts.emplace_back();
    memory.key = contacts_.frictions[i - problem_.num_contacts()].key;
    memory.impulse.head(d) = r_.segment(o, d);
  }
  std::sort(state->contacts.begin(), state->contacts.end(),
            [](const ContactMemory& a, const ContactMemory& b) { return a.key < b.key; });
  if (options_.tangential_stiffness > 0) {
    RememberSprings(state);
  } else {
    state->integrator.erase(kSprings);  // of a run with springs that goes on without
  }
}

/// What the projection had to push is what the impulses of the step, solved to a tolerance, did not
/// carry: ν = θ h ΔP. The next step starts with it, so that a pile does not sink and is not lifted
/// in every step alike.
void MoreauJean::Impl::RememberPushes(double h, State* state) const {
  auto memory = state->contacts.begin();
  for (const PositionProjection::Push& push : projection_.pushes()) {
    memory =
        std::lower_bound(memory, state->contacts.end(), push.key,
                         [](const ContactMemory& m, const ContactKey& k) { return m.key < k; });
    if (memory == state->contacts.end()) break;
    if (memory->key == push.key) memory->impulse += push.value / (options_.theta * h);
  }
}

}  // namespace saltus
