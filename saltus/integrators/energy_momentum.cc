#include "saltus/integrators/energy_momentum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/integrators/position_level.h"
#include "saltus/linalg/diagonal.h"

namespace saltus {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
/// Differences of energies and gaps below so many roundings of their terms are not corrected for.
constexpr double kRoundings = 8;
/// Times that contacts are added to a step.
constexpr int kMaxRounds = 30;
/// Differences of potentials this many roundings of them cannot be told from noise while a system
/// hardly moves, and may keep Newton's method from settling after so many iterations.
constexpr double kNoise = 1e4;
constexpr int kSettled = 12;
/// Memory of the state: a run has begun.
constexpr char kBegun[] = "energy-momentum";

std::string Describe(const Contact& c) {
  if (c.poisson > 0) return "has restitution_law: poisson";
  const bool friction = c.friction > 0;
  std::ostringstream text;
  text.precision(15);
  text << "has " << (friction ? "friction " : "restitution ")
       << (friction ? c.friction : c.restitution);
  return text.str();
}

}  // namespace

class EnergyMomentum::Impl {
 public:
  explicit Impl(const EnergyMomentumOptions& options)
      : options_(options), work_(options.solver, options.solver_options) {}

  const StepReport& Step(System& system, double h, State* state);

 private:
  void RefuseLaws(const System& system, const ContactSet& set) const;
  void Place(System& system, const State& state);
  void FindClosing(System& system, const State& state);
  void CalcDiscreteForce(System& system, const State& state, double h, int iteration);
  void MakeConsistent(System& system, State* state);
  void CalcDiscreteRows(System& system, const State& state, double h);
  double CalcStartGap(const ContactKey& key) const;
  bool Converged();
  bool Iterate(System& system, const State& state, double h);
  void Solve(System& system, const State& state, double h);
  bool AddClosedContacts(System& system, const State& state, double h);
  void CalcExactWork(System& system, const State& state, double h);

  const EnergyMomentumOptions options_;
  PositionLevel work_;
  ContactSet start_, end_;          // contacts at q₀ and q₁
  std::vector<ContactKey> closed_;  // (6), sorted
  VectorX delta_, q_, q_mid_, v_mid_, v_, M_delta_;
  VectorX f_, load_, f_star_, g_, g_change_, gap_left_;
  VectorX residual_, rhs_, c_, increment_, scratch_;
  double weight_ = 0;         // 1/(δᵀMδ), or 0 if that is no number
  double excess_weight_ = 0;  // factor of Mδ in (4)
  double row_excess_ = 0;     // factor of Mδ in B*ᵀΛ and H*ᵀP
  double potential_start_ = 0;
  double margin_ = 0, length_ = 0, last_residual_ = 0;
};

void EnergyMomentum::Impl::RefuseLaws(const System& system, const ContactSet& set) const {
  const char* advice = "it keeps the energy: choose nonsmooth-alpha or moreau-jean, or set ";
  for (const Contact& c : set.contacts) {
    if (c.restitution == 1 && c.friction == 0) continue;
    throw InputError("contact '" + system.ContactName(c.key) + "'",
                     Describe(c) + ", which energy-momentum cannot treat",
                     advice + std::string(c.poisson > 0    ? "restitution_law: newton"
                                          : c.friction > 0 ? "friction: 0"
                                                           : "restitution: 1"));
  }
  for (const DryFriction& f : set.frictions) {
    throw InputError("joint '" + system.ContactName(f.key) + "'",
                     "has dry friction, which energy-momentum cannot treat",
                     "it keeps the energy: choose nonsmooth-alpha or moreau-jean");
  }
}

/// (1) from δ.
void EnergyMomentum::Impl::Place(System& system, const State& state) {
  system.Retract(state.q, delta_, &q_);
  scratch_ = 0.5 * delta_;
  system.Retract(state.q, scratch_, &q_mid_);
  work_.M.Multiply(delta_, &M_delta_);
  const double size = delta_.dot(M_delta_);
  weight_ = size > std::numeric_limits<double>::min() ? 1 / size : 0;
}

/// (4).
void EnergyMomentum::Impl::CalcDiscreteForce(System& system, const State& state, double h,
                                             int iteration) {
  const double t_mid = state.time + 0.5 * h;
  v_mid_ = delta_ / h;
  system.CalcForce(t_mid, q_mid_, v_mid_, &f_);
  system.CalcNonconservativeForce(t_mid, q_mid_, v_mid_, &load_);
  f_star_ = f_;
  const Energy end = system.CalcEnergy(state.time + h, q_, v_mid_);
  const double potential = end.potential + end.elastic;
  const double by_force = (f_ - load_).dot(delta_);
  const double terms = std::abs(potential_start_) + std::abs(potential) + std::abs(by_force);
  const double noise = kNoise * kEpsilon * (std::abs(end.potential) + std::abs(end.elastic));
  const double excess = potential_start_ - potential - by_force;
  if (iteration <= kSettled || std::abs(excess) > noise) {
    const bool rounding = std::abs(excess) <= kRoundings * kEpsilon * terms;
    const bool rests = !(delta_.dot(M_delta_) > h * h * noise);
    excess_weight_ = rounding || rests ? 0 : excess * weight_;
  }
  f_star_ += excess_weight_ * M_delta_;
}

double EnergyMomentum::Impl::CalcStartGap(const ContactKey& key) const {
  const auto found =
      std::lower_bound(start_.contacts.begin(), start_.contacts.end(), key,
                       [](const Contact& c, const ContactKey& k) { return c.key < k; });
  return found != start_.contacts.end() && found->key == key ? found->gap : 0;
}

/// The rows of (6) in the middle of the step, those of other contacts left out. Contacts of
/// features that do not meet there have their rows from the end of the step.
void EnergyMomentum::Impl::FindClosing(System& system, const State& state) {
  if (closed_.empty()) return;
  const double t_mid = state.time + 0.5 * work_.report.step;
  work_.Refind([&](ContactSet* set) {
    system.FindContacts(t_mid, q_mid_, margin_, set);
    const auto is_open = [&](const Contact& c) {
      return !std::binary_search(closed_.begin(), closed_.end(), c.key);
    };
    const auto by_key = [](const Contact& a, const Contact& b) { return a.key < b.key; };
    std::erase_if(set->contacts, is_open);
    if (set->contacts.size() == closed_.size()) return;
    system.FindContacts(state.time + work_.report.step, q_, margin_, &end_);
    const std::size_t found = set->contacts.size();
    for (const Contact& c : end_.contacts) {
      const auto last = set->contacts.begin() + static_cast<std::ptrdiff_t>(found);
      if (is_open(c) || std::binary_search(set->contacts.begin(), last, c, by_key)) continue;
      Contact copy = c;
      copy.first_block = set->CopyBlocks(end_, c);
      set->contacts.push_back(copy);
    }
    std::sort(set->contacts.begin(), set->contacts.end(), by_key);
  });
}

/// (5): g and the gaps left at q₁, and the factor of Mδ in the forces.
void EnergyMomentum::Impl::CalcDiscreteRows(System& system, const State& state, double h) {
  row_excess_ = 0;
  g_.resize(work_.G.rows());
  const double t_mid = state.time + 0.5 * h;
  const double rounding = kRoundings * kEpsilon * (1 + q_.lpNorm<Eigen::Infinity>());
  if (work_.G.rows() > 0) {
    system.CalcConstraint(state.time + h, q_, &g_);
    system.CalcConstraintJacobian(t_mid, q_mid_, &work_.G);
    system.CalcConstraint(t_mid, q_, &g_change_);
    system.CalcConstraint(t_mid, state.q, &scratch_);
    g_change_ -= scratch_;
    scratch_ = g_change_ - work_.G * delta_;
    for (Eigen::Index i = 0; i < scratch_.size(); ++i) {
      if (std::abs(scratch_[i]) > rounding) row_excess_ += scratch_[i] * work_.lambda[i];
    }
  }
  const int contacts = work_.problem.num_contacts();
  gap_left_.setZero(work_.problem.size());
  if (contacts > 0) {
    system.FindContacts(state.time + h, q_, margin_, &end_);
    work_.problem.CalcVelocity(delta_, &scratch_);
    auto end = end_.contacts.begin();
    for (int i = 0; i < contacts; ++i) {
      const Contact& c = work_.contacts.contacts[i];
      while (end != end_.contacts.end() && end->key < c.key) ++end;
      const bool found = end != end_.contacts.end() && end->key == c.key;
      const int o = work_.problem.offset(i);
      const double gap = found ? end->gap : c.gap + 0.5 * scratch_[o];
      gap_left_[o] = gap - CalcStartGap(c.key);
      const double excess = gap_left_[o] - scratch_[o];
      if (std::abs(excess) > rounding) row_excess_ += excess * work_.r[o];
    }
  }
  row_excess_ *= weight_;
}

/// (2), times h/2, and (3), (6).
bool EnergyMomentum::Impl::Converged() {
  scratch_.setZero(delta_.size());
  work_.problem.AddForce(work_.r, &scratch_);
  residual_ += scratch_;
  if (work_.G.rows() > 0) residual_.noalias() += work_.G.transpose() * work_.lambda;
  DivideByDiagonal(work_.M, &residual_);
  double left = residual_.lpNorm<Eigen::Infinity>();
  const double position = kRoundings * kEpsilon * (1 + q_.lpNorm<Eigen::Infinity>());
  const auto above = [&](double error) { return std::max(0.0, error - position); };
  if (g_.size() > 0) left = std::max(left, above(g_.lpNorm<Eigen::Infinity>()));
  for (Eigen::Index i = 0; i < gap_left_.size(); ++i) {
    const double error = work_.r[i] > 0 ? std::abs(gap_left_[i]) : std::max(0.0, -gap_left_[i]);
    left = std::max(left, above(error));
  }
  const double tolerance = options_.newton_tolerance * length_;
  // Rounding decides from where a residual no longer shrinks.
  const bool stalled =
      left > 0.5 * last_residual_ && left <= std::max(kNoise * kEpsilon * length_, position);
  last_residual_ = left;
  return left <= tolerance || stalled;
}

/// (7).
bool EnergyMomentum::Impl::Iterate(System& system, const State& state, double h) {
  const SystemTraits& traits = system.traits();
  const double t_mid = state.time + 0.5 * h;
  work_.S.values() = work_.M.values();
  work_.K.SetZero();
  work_.D.SetZero();
  if (traits.has_tangents) {
    system.CalcTangents(t_mid, q_mid_, v_mid_, TangentKind::kExact, &work_.K, &work_.D);
    work_.S.values() += 0.25 * h * h * work_.K.values() + 0.5 * h * work_.D.values();
  }
  if (traits.num_constraints > 0) {
    work_.K.SetZero();
    system.AddGeometricStiffness(t_mid, q_mid_, work_.lambda, &work_.K);
    work_.S.values() += 0.5 * work_.K.values();
  }
  c_ = -g_;
  if (!work_.Solve(rhs_, c_, gap_left_, 0, &increment_)) return false;
  delta_ += increment_;
  Place(system, state);
  return q_.allFinite();
}

void EnergyMomentum::Impl::Solve(System& system, const State& state, double h) {
  work_.lambda.setZero(system.traits().num_constraints);
  work_.ClearContacts();
  last_residual_ = std::numeric_limits<double>::infinity();
  const auto evaluate = [&](int k) {
    FindClosing(system, state);
    CalcDiscreteForce(system, state, h, k);
    CalcDiscreteRows(system, state, h);
    scratch_ = h * state.v - delta_;
    work_.M.Multiply(scratch_, &rhs_);
    rhs_ += 0.5 * h * h * f_star_ + row_excess_ * M_delta_;
    residual_ = rhs_;
  };
  work_.RunNewton(
      options_.max_newton_iterations, evaluate, [&] { return Converged(); },
      [&] { return Iterate(system, state, h); });
}

/// Contacts that the step has closed and (6) does not hold yet. False: there are none; one that has
/// (6) and is closed nevertheless fails the step.
bool EnergyMomentum::Impl::AddClosedContacts(System& system, const State& state, double h) {
  if (!system.traits().has_contacts) return false;
  const auto before = static_cast<std::ptrdiff_t>(closed_.size());
  system.FindContacts(state.time + h, q_, 0, &end_);
  RefuseLaws(system, end_);
  const double rounding = kRoundings * kEpsilon * (1 + q_.lpNorm<Eigen::Infinity>());
  const Contact* deepest = nullptr;
  for (const Contact& c : end_.contacts) {
    if (!(c.gap < 0)) continue;
    if (!std::binary_search(closed_.begin(), closed_.begin() + before, c.key)) {
      closed_.push_back(c.key);
    } else if (c.gap < std::min(0.0, CalcStartGap(c.key)) - rounding &&
               (deepest == nullptr || c.gap < deepest->gap)) {
      deepest = &c;
    }
  }
  std::sort(closed_.begin(), closed_.end());
  if (static_cast<std::ptrdiff_t>(closed_.size()) > before) return true;
  if (deepest != nullptr && work_.report.status == StepStatus::kOk) {
    work_.report.status = StepStatus::kNewtonNotConverged;
    work_.report.culprit = "contact '" + system.ContactName(deepest->key) + "' closes; ";
  }
  return false;
}

/// A start that the joints do not allow, as a drive that sets in at once, would ring for ever: the
/// first velocities are the nearest ones with G v + g_t = 0.
void EnergyMomentum::Impl::MakeConsistent(System& system, State* state) {
  if (state->integrator.contains(kBegun)) return;
  state->integrator[kBegun] = VectorX::Ones(1);
  if (system.traits().num_constraints == 0) return;
  system.CalcConstraintJacobian(state->time, state->q, &work_.G);
  system.CalcConstraintRate(state->time, state->q, &g_);
  scratch_ = -g_;
  scratch_.noalias() -= work_.G * state->v;
  rhs_.setZero(state->v.size());
  if (!work_.kkt->Factor(work_.M, work_.G) ||
      !work_.kkt->Solve(rhs_, scratch_, &increment_, nullptr) || !increment_.allFinite()) {
    return;  // the step itself will report it
  }
  state->v += increment_;
}

/// The entries of the ledger that (2)·v_m gives exactly, and what is left of (6).
void EnergyMomentum::Impl::CalcExactWork(System& system, const State& state, double h) {
  StepReport& report = work_.report;
  report.max_complementarity = 0;
  if (gap_left_.size() > 0) {
    report.max_complementarity =
        2 / (h * h) * gap_left_.cwiseProduct(work_.r).cwiseAbs().maxCoeff();
  }
  StepWork& work = report.work;
  work.impact_loss = work.friction_loss = 0;
  double by_contacts = 0;
  if (system.traits().has_contact_forces) {
    system.CalcContactForce(state.time + 0.5 * h, q_mid_, v_mid_, &scratch_);
    by_contacts = scratch_.dot(delta_);
  }
  work.loads = load_.dot(delta_) - by_contacts;
  work.contact_loss = -by_contacts;
  work.drives = 0;
  if (work_.lambda.size() > 0) work.drives = 2 / (h * h) * work_.lambda.dot(g_change_);
}

const StepReport& EnergyMomentum::Impl::Step(System& system, double h, State* state) {
  if (!system.traits().constant_mass) {
    throw InputError("simulation.integrator", "is energy-momentum, but the mass is not constant",
                     "choose nonsmooth-alpha or moreau-jean");
  }
  work_.Begin(system, h);
  system.BeginStep(*state);
  const double energy_before = system.CalcEnergy(state->time, state->q, state->v).kinetic;
  const State before = state->integrator.contains(kBegun) ? State{} : *state;
  MakeConsistent(system, state);
  system.CalcForce(state->time, state->q, state->v, &f_);
  margin_ = work_.CalcMargin(system, state->q, state->v, f_, h);
  increment_ = f_;
  DivideByDiagonal(work_.M, &increment_);
  length_ = std::max(h * state->v.lpNorm<Eigen::Infinity>(),
                     h * h * increment_.lpNorm<Eigen::Infinity>());
  delta_ = h * state->v + 0.5 * h * h * increment_;
  const Energy energy = system.CalcEnergy(state->time, state->q, state->v);
  potential_start_ = energy.potential + energy.elastic;
  closed_.clear();
  start_.Clear();
  if (system.traits().has_contacts) system.FindContacts(state->time, state->q, margin_, &start_);
  RefuseLaws(system, start_);
  StepReport& report = work_.report;
  for (int round = 0;; ++round) {
    Place(system, *state);
    Solve(system, *state, h);
    if (report.status == StepStatus::kNotFinite) {
      report.culprit = kNotFiniteCulprit;
      if (before.v.size() > 0) *state = before;
      return report;
    }
    if (!AddClosedContacts(system, *state, h)) break;
    if (round == kMaxRounds) {
      report.status = StepStatus::kNewtonNotConverged;
      break;
    }
  }
  if (!report.ok() && report.culprit.empty() && !closed_.empty()) {
    report.culprit = "while contact '" + system.ContactName(closed_.front()) + "' closes; ";
  }
  v_ = 2 / h * delta_ - state->v;
  const State start = *state;
  work_.Finish(system, h, q_, v_, 2 / h, state);
  CalcExactWork(system, start, h);
  report.work.drives += energy.kinetic - energy_before;
  return report;
}

EnergyMomentum::EnergyMomentum(const EnergyMomentumOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}
EnergyMomentum::~EnergyMomentum() = default;

const StepReport& EnergyMomentum::Step(System& system, double h, State* state) {
  return impl_->Step(system, h, state);
}

}  // namespace saltus
