#include "saltus/integrators/schatzman_paoli.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/integrators/position_level.h"
#include "saltus/linalg/diagonal.h"

namespace saltus {
namespace {

/// Memory of the state: h, then q_{k−1}.
constexpr char kMemory[] = "schatzman-paoli";
/// Gaps are met to this share of the displacements of a step: the tolerance of the contact solver.
constexpr double kGapTolerance = 1e-8;
constexpr double kRounding = 1e-14;

SchatzmanPaoliOptions Checked(const SchatzmanPaoliOptions& o) {
  if (!(o.beta >= 0 && o.beta <= 0.5)) {
    throw InputError("beta", "is " + std::to_string(o.beta), "choose a value in [0, 0.5]");
  }
  return o;
}

bool HasOnly(const ContactSet& set, double e) {
  return std::all_of(set.contacts.begin(), set.contacts.end(),
                     [e](const Contact& c) { return c.restitution == e; });
}

}  // namespace

class SchatzmanPaoli::Impl {
 public:
  explicit Impl(const SchatzmanPaoliOptions& options)
      : options_(Checked(options)), work_(options.solver, options.solver_options) {}

  const StepReport& Step(System& system, double h, State* state);

 private:
  void RecallPrevious(System& system, const State& state, double h);
  void CalcStartAcceleration(System& system, const State& state, VectorX* a);
  void CalcForce(System& system, const State& state, double h);
  void FindContacts(System& system, const State& state, double h);
  void Merge(System& system, const State& state, double h, ContactSet* set);
  void FindAt(System& system, const State& state, double h, double e, ContactSet* set);
  void CalcLaw(double h);
  bool Converged(System& system, const State& state, double h);
  bool Iterate(System& system, const State& state, double h);
  void Solve(System& system, const State& state, double h);
  void CalcVelocity(double h);

  const SchatzmanPaoliOptions options_;
  PositionLevel work_;
  double common_e_ = 0;  // restitution of all contacts found last, if it is one
  ContactSet at_one_e_;
  SparseRows G0_;  // G(q_k)
  VectorX q_, q_minus_, delta_, delta_minus_, z_, v_mid_, v_new_;
  VectorX f0_, f_, f_side_, residual_, rhs_, c_, b_, w_, increment_, scratch_, gamma_;
  double margin_ = 0, length_ = 0;
};

/// q_minus_ and δ⁻ from memory, or made up by (7).
void SchatzmanPaoli::Impl::RecallPrevious(System& system, const State& state, double h) {
  const auto memory = state.integrator.find(kMemory);
  const bool known = memory != state.integrator.end() &&
                     memory->second.size() == state.q.size() + 1 &&
                     std::abs(memory->second[0] - h) <= 1e-9 * h;
  if (known) {
    q_minus_ = memory->second.tail(state.q.size());
    system.CalcDifference(state.q, q_minus_, &delta_minus_);
    return;
  }
  delta_minus_ = -h * state.v;
  if (options_.parabolic_start) {
    CalcStartAcceleration(system, state, &scratch_);
    delta_minus_ += 0.5 * h * h * scratch_;
  }
  system.Retract(state.q, delta_minus_, &q_minus_);
}

void SchatzmanPaoli::Impl::CalcStartAcceleration(System& system, const State& state, VectorX* a) {
  c_.resize(system.traits().num_constraints);
  if (c_.size() > 0) {
    system.CalcConstraintBias(state.time, state.q, state.v, &gamma_);
    c_ = -gamma_;
  }
  work_.kkt->Factor(work_.M, G0_);
  work_.kkt->Solve(f0_, c_, a, nullptr);
  if (!a->allFinite()) a->setZero();  // the step itself will report it
}

/// f_ = F of (2) at the iterate.
void SchatzmanPaoli::Impl::CalcForce(System& system, const State& state, double h) {
  const double t = state.time, beta = options_.beta;
  v_mid_ = (delta_ - delta_minus_) / (2 * h);  // (3)
  system.CalcForce(t, state.q, v_mid_, &f_);
  if (beta == 0) return;
  f_ *= 1 - 2 * beta;
  system.CalcForce(t + h, q_, v_mid_, &f_side_);
  f_ += beta * f_side_;
  system.CalcForce(t - h, q_minus_, v_mid_, &f_side_);
  f_ += beta * f_side_;
}

/// Contacts with restitution e at z of (5).
void SchatzmanPaoli::Impl::FindAt(System& system, const State& state, double h, double e,
                                  ContactSet* set) {
  scratch_ = (delta_ + e * delta_minus_) / (1 + e);
  system.Retract(state.q, scratch_, &z_);
  system.FindContacts(state.time + h * (1 - e) / (1 + e), z_, margin_, set);
}

/// All contacts, each at the z of its own restitution. Mostly there is one e for all of them.
void SchatzmanPaoli::Impl::FindContacts(System& system, const State& state, double h) {
  work_.Refind([&](ContactSet* set) {
    FindAt(system, state, h, common_e_, set);
    if (set->contacts.empty() || HasOnly(*set, common_e_)) return;
    common_e_ = set->contacts[0].restitution;
    FindAt(system, state, h, common_e_, set);
    if (HasOnly(*set, common_e_)) return;
    Merge(system, state, h, set);
  });
}

/// Contacts of *set with different restitution, each found anew at its own z.
void SchatzmanPaoli::Impl::Merge(System& system, const State& state, double h, ContactSet* set) {
  std::vector<double> restitutions;
  const auto note = [&restitutions](const ContactSet& found) {
    for (const Contact& c : found.contacts) {
      if (std::find(restitutions.begin(), restitutions.end(), c.restitution) ==
          restitutions.end()) {
        restitutions.push_back(c.restitution);
      }
    }
  };
  note(*set);
  ContactSet merged;
  for (const DryFriction& friction : set->frictions) {
    DryFriction copy = friction;
    copy.first_block = merged.CopyBlocks(*set, friction);
    merged.frictions.push_back(copy);
  }
  for (std::size_t i = 0; i < restitutions.size(); ++i) {  // the list may grow on the way
    FindAt(system, state, h, restitutions[i], &at_one_e_);
    note(at_one_e_);
    for (const Contact& contact : at_one_e_.contacts) {
      if (contact.restitution != restitutions[i]) continue;
      Contact copy = contact;
      copy.first_block = merged.CopyBlocks(at_one_e_, contact);
      merged.contacts.push_back(copy);
    }
  }
  std::sort(merged.contacts.begin(), merged.contacts.end(),
            [](const Contact& a, const Contact& b) { return a.key < b.key; });
  *set = std::move(merged);
}

/// w_ of (6) at the iterate.
void SchatzmanPaoli::Impl::CalcLaw(double h) {
  const ContactProblem& problem = work_.problem;
  problem.CalcVelocity(delta_, &w_);
  problem.CalcVelocity(delta_minus_, &scratch_);
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const int o = problem.offset(i);
    const int d = problem.cone(i).dimension;
    if (i >= problem.num_contacts()) {
      const DryFriction& f = work_.contacts.frictions[i - problem.num_contacts()];
      w_.segment(o, d) += h * f.bias.head(d);
      continue;
    }
    const Contact& c = work_.contacts.contacts[i];
    w_[o] = (1 + c.restitution) * c.gap;
    for (int k = 1; k < d; ++k) {
      w_[o + k] += h * c.bias[k] - c.restitution_tangential * scratch_[o + k];
    }
  }
}

bool SchatzmanPaoli::Impl::Converged(System& system, const State& state, double h) {
  const double tolerance = options_.newton_tolerance * length_;
  if (work_.G.rows() > 0) {
    system.CalcConstraint(state.time + h, q_, &c_);
    if (!(c_.lpNorm<Eigen::Infinity>() <= tolerance + kRounding)) return false;
  }
  residual_ = -h * h * f_;
  scratch_ = delta_ + delta_minus_;
  work_.M.AddMultiply(1.0, scratch_, &residual_);
  scratch_.setZero(residual_.size());
  work_.problem.AddForce(work_.r, &scratch_);
  residual_ -= scratch_;
  if (work_.G.rows() > 0) residual_.noalias() -= G0_.transpose() * work_.lambda;
  DivideByDiagonal(work_.M, &residual_);
  if (!(residual_.lpNorm<Eigen::Infinity>() <= tolerance + 1e-16)) return false;
  return work_.LawHolds(w_, kGapTolerance * length_ + kRounding);
}

/// One increment of Newton's method on (1), (4), (6).
bool SchatzmanPaoli::Impl::Iterate(System& system, const State& state, double h) {
  const SystemTraits& traits = system.traits();
  work_.S.values() = work_.M.values();
  if (traits.has_tangents) {
    system.CalcTangents(state.time + h, q_, v_mid_, TangentKind::kExact, &work_.K, &work_.D);
    work_.S.values() += h * h * options_.beta * work_.K.values() + 0.5 * h * work_.D.values();
  }
  scratch_ = -(delta_ + delta_minus_);
  rhs_ = h * h * f_;
  work_.M.AddMultiply(1.0, scratch_, &rhs_);
  c_.resize(traits.num_constraints);
  if (traits.num_constraints > 0) {
    system.CalcConstraintJacobian(state.time + h, q_, &work_.G);
    rhs_.noalias() += G0_.transpose() * work_.lambda;
    rhs_.noalias() -= work_.G.transpose() * work_.lambda;
    system.CalcConstraint(state.time + h, q_, &c_);
    c_ = -c_;
  }
  if (!work_.Solve(rhs_, c_, w_, h * h, &increment_)) return false;
  delta_ += increment_;
  system.Retract(state.q, delta_, &q_);
  return q_.allFinite();
}

void SchatzmanPaoli::Impl::Solve(System& system, const State& state, double h) {
  work_.lambda.setZero(system.traits().num_constraints);
  work_.ClearContacts();
  const auto evaluate = [&](int) {
    CalcForce(system, state, h);
    if (system.traits().has_contacts) FindContacts(system, state, h);
    CalcLaw(h);
  };
  work_.RunNewton(
      options_.max_newton_iterations, evaluate, [&] { return Converged(system, state, h); },
      [&] { return Iterate(system, state, h); });
}

/// v_new_ of (8).
void SchatzmanPaoli::Impl::CalcVelocity(double h) {
  v_new_ = (3 * delta_ + delta_minus_) / (2 * h);
  const KktSolver& kkt = *work_.kkt;
  for (int i = 0; i < work_.problem.num_contacts(); ++i) {
    if (!(work_.r[work_.problem.offset(i)] > 0)) continue;
    const Contact& c = work_.contacts.contacts[i];
    for (int k = c.first_block; k < c.first_block + c.num_blocks; ++k) {
      const int comp = kkt.component_of_block(work_.contacts.blocks[k].block);
      for (const int dof : kkt.component_dofs(comp)) v_new_[dof] = delta_[dof] / h;
    }
  }
}

const StepReport& SchatzmanPaoli::Impl::Step(System& system, double h, State* state) {
  work_.Begin(system, h);
  system.BeginStep(*state);
  StepReport& report = work_.report;
  if (!system.traits().constant_mass) system.CalcMass(state->q, &work_.M);
  G0_ = work_.G;
  if (G0_.rows() > 0) system.CalcConstraintJacobian(state->time, state->q, &G0_);
  system.CalcForce(state->time, state->q, state->v, &f0_);
  RecallPrevious(system, *state, h);
  margin_ = work_.CalcMargin(system, state->q, state->v, f0_, h);
  scratch_ = f0_;
  DivideByDiagonal(work_.M, &scratch_);
  length_ =
      std::max(delta_minus_.lpNorm<Eigen::Infinity>(), h * h * scratch_.lpNorm<Eigen::Infinity>());
  common_e_ = 0;  // nothing may be remembered outside the state
  delta_ = -delta_minus_;
  system.Retract(state->q, delta_, &q_);
  Solve(system, *state, h);
  if (report.status == StepStatus::kNotFinite) {
    report.culprit = kNotFiniteCulprit;
    return report;
  }
  CalcVelocity(h);
  VectorX& memory = state->integrator[kMemory];
  memory.resize(state->q.size() + 1);
  memory[0] = h;
  memory.tail(state->q.size()) = state->q;
  work_.Finish(system, h, q_, v_new_, 1 / h, state);
  return report;
}

SchatzmanPaoli::SchatzmanPaoli(const SchatzmanPaoliOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}
SchatzmanPaoli::~SchatzmanPaoli() = default;

const StepReport& SchatzmanPaoli::Step(System& system, double h, State* state) {
  return impl_->Step(system, h, state);
}

}  // namespace saltus
