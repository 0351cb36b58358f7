#include "saltus/integrators/generalized_alpha_index3.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/integrators/position_level.h"
#include "saltus/linalg/diagonal.h"

namespace saltus {
namespace {

constexpr char kAcceleration[] = "generalized-alpha-index3.vdot";
constexpr char kHistory[] = "generalized-alpha-index3.a";
/// Gaps are met to this share of the displacements of a step: the tolerance of the contact solver.
constexpr double kGapTolerance = 1e-8;
constexpr double kRounding = 1e-14;

GeneralizedAlphaIndex3Options Checked(const GeneralizedAlphaIndex3Options& o) {
  if (!(o.rho_inf >= 0 && o.rho_inf <= 1)) {
    throw InputError("rho_inf", "is " + std::to_string(o.rho_inf), "choose a value in [0, 1]");
  }
  return o;
}

}  // namespace

class GeneralizedAlphaIndex3::Impl {
 public:
  explicit Impl(const GeneralizedAlphaIndex3Options& options)
      : options_(Checked(options)), work_(options.solver, options.solver_options) {
    const double rho = options_.rho_inf;  // (5)
    alpha_m_ = (2 * rho - 1) / (rho + 1);
    alpha_f_ = rho / (rho + 1);
    gamma_ = 0.5 + alpha_f_ - alpha_m_;
    beta_ = 0.25 * (gamma_ + 0.5) * (gamma_ + 0.5);
  }

  const StepReport& Step(System& system, double h, State* state);

 private:
  void RecallAccelerations(System& system, const State& state);
  void Predict(System& system, const State& state, double h);
  void FindContacts(System& system, double t);
  void CalcGaps();
  bool Converged(System& system, double t);
  bool Iterate(System& system, const State& state, double h);
  void Solve(System& system, const State& state, double h);

  const GeneralizedAlphaIndex3Options options_;
  double alpha_m_, alpha_f_, gamma_, beta_;
  double c_ = 0;  // ∂v̇/∂D
  PositionLevel work_;
  VectorX v_dot_n_, a_n_, q_, v_, v_dot_, a_, motion_;  // motion_: D of (2)
  VectorX f_, residual_, rhs_, g_, w_, increment_, scratch_;
  double margin_ = 0, length_ = 0;
};

/// v̇_n and a_n from memory, or from (1) without contacts.
void GeneralizedAlphaIndex3::Impl::RecallAccelerations(System& system, const State& state) {
  const auto v_dot = state.integrator.find(kAcceleration);
  const auto history = state.integrator.find(kHistory);
  const Eigen::Index n = state.v.size();
  if (v_dot != state.integrator.end() && history != state.integrator.end() &&
      v_dot->second.size() == n && history->second.size() == n) {
    v_dot_n_ = v_dot->second;
    a_n_ = history->second;
    return;
  }
  g_.resize(system.traits().num_constraints);
  if (g_.size() > 0) {
    system.CalcConstraintJacobian(state.time, state.q, &work_.G);
    system.CalcConstraintBias(state.time, state.q, state.v, &g_);
    g_ = -g_;
  }
  work_.kkt->Factor(work_.M, work_.G);
  work_.kkt->Solve(f_, g_, &v_dot_n_, nullptr);
  if (!v_dot_n_.allFinite()) v_dot_n_.setZero(n);  // the step itself will report it
  a_n_ = v_dot_n_;
}

/// v̇ = 0.
void GeneralizedAlphaIndex3::Impl::Predict(System& system, const State& state, double h) {
  v_dot_.setZero(state.v.size());
  a_ = (alpha_f_ * v_dot_n_ - alpha_m_ * a_n_) / (1 - alpha_m_);
  motion_ = h * state.v + h * h * ((0.5 - beta_) * a_n_ + beta_ * a_);
  v_ = state.v + h * ((1 - gamma_) * a_n_ + gamma_ * a_);
  system.Retract(state.q, motion_, &q_);
  c_ = (1 - alpha_m_) / ((1 - alpha_f_) * beta_ * h * h);
}

void GeneralizedAlphaIndex3::Impl::FindContacts(System& system, double t) {
  work_.Refind([&](ContactSet* set) { system.FindContacts(t, q_, margin_, set); });
  for (const Contact& contact : work_.contacts.contacts) {
    if (contact.dimension > 1 && contact.friction > 0) {
      throw InputError("contact '" + system.ContactName(contact.key) + "'",
                       "has friction " + std::to_string(contact.friction) +
                           ", which generalized-alpha-index3 cannot treat",
                       "set friction: 0 or choose nonsmooth-alpha or moreau-jean");
    }
  }
  for (const DryFriction& friction : work_.contacts.frictions) {
    throw InputError("joint '" + system.ContactName(friction.key) + "'",
                     "has dry friction, which generalized-alpha-index3 cannot treat",
                     "remove it or choose nonsmooth-alpha or moreau-jean");
  }
}

void GeneralizedAlphaIndex3::Impl::CalcGaps() {
  w_.resize(work_.problem.size());
  for (int i = 0; i < work_.problem.num_contacts(); ++i) {
    w_[work_.problem.offset(i)] = work_.contacts.contacts[i].gap;
  }
}

bool GeneralizedAlphaIndex3::Impl::Converged(System& system, double t) {
  const double tolerance = options_.newton_tolerance * length_;
  if (work_.G.rows() > 0) {
    system.CalcConstraint(t, q_, &g_);
    if (!(g_.lpNorm<Eigen::Infinity>() <= tolerance + kRounding)) return false;
  }
  work_.M.Multiply(v_dot_, &residual_);
  residual_ -= f_;
  residual_ /= c_;
  scratch_.setZero(residual_.size());
  work_.problem.AddForce(work_.r, &scratch_);
  residual_ -= scratch_;
  if (work_.G.rows() > 0) {
    system.CalcConstraintJacobian(t, q_, &work_.G);
    residual_.noalias() -= work_.G.transpose() * work_.lambda;
  }
  DivideByDiagonal(work_.M, &residual_);
  if (!(residual_.lpNorm<Eigen::Infinity>() <= tolerance + 1e-16)) return false;
  return work_.LawHolds(w_, kGapTolerance * length_ + kRounding);
}

/// (6).
bool GeneralizedAlphaIndex3::Impl::Iterate(System& system, const State& state, double h) {
  const SystemTraits& traits = system.traits();
  const double t = state.time + h;
  work_.S.values() = work_.M.values();
  const bool joints = traits.num_constraints > 0;
  if (traits.has_tangents || joints) {
    work_.K.SetZero();
    work_.D.SetZero();
    if (traits.has_tangents) {
      system.CalcTangents(t, q_, v_, TangentKind::kExact, &work_.K, &work_.D);
    }
    if (joints) {
      scratch_ = c_ * work_.lambda;
      system.AddGeometricStiffness(t, q_, scratch_, &work_.K);
    }
    work_.S.values() += gamma_ / (beta_ * h * c_) * work_.D.values() + work_.K.values() / c_;
  }
  work_.M.Multiply(v_dot_, &rhs_);
  rhs_ = (f_ - rhs_) / c_;
  g_.resize(traits.num_constraints);
  if (joints) {
    system.CalcConstraintJacobian(t, q_, &work_.G);
    system.CalcConstraint(t, q_, &g_);
    g_ = -g_;
  }
  if (!work_.Solve(rhs_, g_, w_, 0, &increment_)) return false;
  motion_ += increment_;
  v_ += gamma_ / (beta_ * h) * increment_;
  v_dot_ += c_ * increment_;
  system.Retract(state.q, motion_, &q_);
  return q_.allFinite();
}

void GeneralizedAlphaIndex3::Impl::Solve(System& system, const State& state, double h) {
  const double t = state.time + h;
  work_.lambda.setZero(system.traits().num_constraints);
  work_.ClearContacts();
  const auto evaluate = [&](int) {
    system.CalcForce(t, q_, v_, &f_);
    if (!system.traits().constant_mass) system.CalcMass(q_, &work_.M);
    if (system.traits().has_contacts) FindContacts(system, t);
    CalcGaps();
  };
  work_.RunNewton(
      options_.max_newton_iterations, evaluate, [&] { return Converged(system, t); },
      [&] { return Iterate(system, state, h); });
}

const StepReport& GeneralizedAlphaIndex3::Impl::Step(System& system, double h, State* state) {
  work_.Begin(system, h);
  system.BeginStep(*state);
  if (!system.traits().constant_mass) system.CalcMass(state->q, &work_.M);
  system.CalcForce(state->time, state->q, state->v, &f_);
  margin_ = work_.CalcMargin(system, state->q, state->v, f_, h);
  scratch_ = f_;
  DivideByDiagonal(work_.M, &scratch_);
  length_ =
      std::max(h * state->v.lpNorm<Eigen::Infinity>(), h * h * scratch_.lpNorm<Eigen::Infinity>());
  RecallAccelerations(system, *state);
  Predict(system, *state, h);
  Solve(system, *state, h);
  if (work_.report.status == StepStatus::kNotFinite) {
    work_.report.culprit = kNotFiniteCulprit;
    return work_.report;
  }
  a_ = ((1 - alpha_f_) * v_dot_ + alpha_f_ * v_dot_n_ - alpha_m_ * a_n_) / (1 - alpha_m_);  // (4)
  state->integrator[kAcceleration] = v_dot_;
  state->integrator[kHistory] = a_;
  work_.Finish(system, h, q_, v_, h * c_, state);
  return work_.report;
}

GeneralizedAlphaIndex3::GeneralizedAlphaIndex3(const GeneralizedAlphaIndex3Options& options)
    : impl_(std::make_unique<Impl>(options)) {}
GeneralizedAlphaIndex3::~GeneralizedAlphaIndex3() = default;

const StepReport& GeneralizedAlphaIndex3::Step(System& system, double h, State* state) {
  return impl_->Step(system, h, state);
}

}  // namespace saltus
