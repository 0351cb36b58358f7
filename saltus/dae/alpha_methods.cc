#include "saltus/dae/alpha_methods.h"

#include "saltus/base/error.h"

namespace saltus {
namespace {

/// The iteration matrix is renewed after so many corrections with the same one.
constexpr int kKeepMatrix = 3;

AlphaMethodOptions Checked(const AlphaMethodOptions& o) {
  if (!(o.rho_inf >= 0 && o.rho_inf <= 1)) {
    throw InputError("rho_inf", "is " + std::to_string(o.rho_inf), "choose a value in [0, 1]");
  }
  if (!(o.alpha >= -1.0 / 3 - 1e-12 && o.alpha <= 0)) {
    throw InputError("alpha", "is " + std::to_string(o.alpha), "choose a value in [-1/3, 0]");
  }
  return o;
}

}  // namespace

AlphaMethod::AlphaMethod(const AlphaMethodOptions& options) : options_(Checked(options)) {
  if (is_hht()) {  // (4)
    gamma_ = 0.5 - options_.alpha;
    beta_ = 0.25 * (1 - options_.alpha) * (1 - options_.alpha);
    kappa_ = 1 / (1 + options_.alpha);
    return;
  }
  const double rho = options_.rho_inf;  // (3)
  alpha_m_ = (2 * rho - 1) / (rho + 1);
  alpha_f_ = rho / (rho + 1);
  gamma_ = 0.5 - alpha_m_ + alpha_f_;
  beta_ = 0.25 * (gamma_ + 0.5) * (gamma_ + 0.5);
  kappa_ = (1 - alpha_m_) / (1 - alpha_f_);
}

std::string AlphaMethod::name() const {
  switch (options_.method) {
    case Method::kIndex2:
      return "alpha-index2";
    case Method::kIndex3:
      return "alpha-index3";
    case Method::kHhtI3:
      return "hht-i3";
  }
  return "";
}

VectorX AlphaMethod::MakeMemory() const {
  const History& h = start_history_;
  VectorX memory(h.a.size() + h.v_dot.size() + h.lambda.size() + h.force.size());
  memory << h.a, h.v_dot, h.lambda, h.force;
  return memory;
}

void AlphaMethod::Recall(const VectorX& memory) {
  const Eigen::Index n = terms().num_velocities(), m = terms().num_rows();
  if (memory.size() != 3 * n + m) return;
  start_history_ = {memory.head(n), memory.segment(n, n), memory.segment(2 * n, m), memory.tail(n)};
  history_is_known_ = true;
}

/// v̇_n and λ_n by the index-1 equations; a_n = v̇_n.
bool AlphaMethod::StartHistory() {
  History& h = start_history_;
  if (!terms().CalcAcceleration(start_.t, start_.q, start_.v, &h.v_dot, &h.lambda)) return false;
  h.a = h.v_dot;
  terms().CalcMass(start_.q).Multiply(h.v_dot, &h.force);
  history_is_known_ = true;
  return true;
}

void AlphaMethod::OnAdvance(bool) { std::swap(start_history_, end_history_); }

/// a = a_n.
void AlphaMethod::Predict() {
  a_ = start_history_.a;
  lambda_ = start_history_.lambda;
  CalcEnd();
}

/// (1), (3), (4) for the present a.
void AlphaMethod::CalcEnd() {
  const History& n = start_history_;
  D_ = h_ * start_.v + h_ * h_ * ((0.5 - beta_) * n.a + beta_ * a_);
  terms().Retract(start_.q, D_, &end_.q);
  end_.v = start_.v + h_ * ((1 - gamma_) * n.a + gamma_ * a_);
  w_ = kappa_ * a_;
  if (is_hht()) {
    y_ = (1 + options_.alpha) * D_;
    terms().Retract(start_.q, y_, &q_mass_);
  } else {
    q_mass_ = end_.q;
  }
  if (!is_hht()) w_ += (alpha_m_ * n.a - alpha_f_ * n.v_dot) / (1 - alpha_f_);
}

/// R of (2) and c of (5). True: both are small enough.
bool AlphaMethod::CalcResidual() {
  terms().CalcForce(end_.t, end_.q, end_.v, &f_);
  terms().CalcMass(q_mass_).Multiply(w_, &residual_);
  const double size = residual_.norm() + lambda_.norm() + 1;
  residual_ -= f_;
  if (is_hht()) {
    residual_ += options_.alpha / (1 + options_.alpha) * start_history_.force;
  }
  terms().CalcJacobian(end_.t, end_.q, &G_);
  if (terms().num_rows() > 0) residual_.noalias() -= G_.transpose() * lambda_;
  if (is_index2()) {
    terms().CalcRate(end_.t, end_.q, &c_);
    if (c_.size() > 0) c_.noalias() += G_ * end_.v;
  } else {
    terms().CalcConstraint(end_.t, end_.q, &c_);
  }
  const double joint = c_.size() > 0 ? c_.norm() : 0;
  return residual_.norm() <= options_.newton_tolerance * size && joint <= options_.joint_tolerance;
}

/// The matrix of (6).
bool AlphaMethod::FactorMatrix() {
  const System& system = terms().system();
  S_.values() = kappa_ * terms().CalcMass(q_mass_).values();
  K_.SetZero();
  if (system.traits().has_tangents) {
    damping_.SetZero();
    system.CalcTangents(end_.t, end_.q, end_.v, TangentKind::kExact, &K_, &damping_);
    S_.values() += h_ * gamma_ * damping_.values();
  }
  terms().AddMassTangent(q_mass_, w_, &K_);
  const bool exact = terms().AddConstraintTangents(end_.t, end_.q, end_.v, lambda_, &K_, &C_);
  S_.values() += h_ * h_ * beta_ * K_.values();
  if (terms().num_rows() > 0 || L_.cols() == 0) L_ = G_;
  if (exact && is_index2()) {
    Eigen::Map<VectorX>(L_.valuePtr(), L_.nonZeros()) +=
        h_ * beta_ / gamma_ * Eigen::Map<const VectorX>(C_.valuePtr(), C_.nonZeros());
  }
  scratch_.setZero(terms().num_velocities());
  mu_.setZero(terms().num_rows());
  return true;
}

/// One iteration of (6).
bool AlphaMethod::Correct(bool factor) {
  const double scale = is_index2() ? h_ * gamma_ : h_ * h_ * beta_;
  scratch_ = -scale * residual_;
  c_ = -c_;
  bool good;
  if (factor) {
    if (!FactorMatrix()) return false;
    scratch_ = -scale * residual_;
    good = terms().Solve(S_, G_, L_, scratch_, c_, &y_, &mu_);
  } else {
    good = terms().SolveAgain(scratch_, c_, &y_, &mu_);
  }
  if (!good) return false;
  a_ += y_ / scale;
  lambda_ += mu_ / scale;
  CalcEnd();
  return a_.allFinite();
}

DaeTrial AlphaMethod::Step() {
  dense_is_ready_ = false;
  if (S_.values().size() == 0) {
    S_ = K_ = damping_ = BlockMatrix(terms().system().pattern());
  }
  if (!history_is_known_ && !StartHistory()) return {DaeStatus::kSingular};
  Predict();
  for (int k = 0; k <= options_.max_iterations; ++k) {
    if (CalcResidual() && k > 0) return Finish();
    if (k == options_.max_iterations) break;
    if (!Correct(k % kKeepMatrix == 0)) return {DaeStatus::kSingular};
  }
  return {DaeStatus::kNewtonFailed};
}

DaeTrial AlphaMethod::Finish() {
  History& h = end_history_;
  h.a = a_;
  h.lambda = lambda_;
  h.v_dot = is_hht() ? a_ : w_;
  h.force = f_;
  if (terms().num_rows() > 0) h.force.noalias() += G_.transpose() * lambda_;
  const VectorX& v_dot_n = start_history_.v_dot;
  scratch_ = D_ - h_ * start_.v - h_ * h_ * (v_dot_n / 3 + h.v_dot / 6);  // (7)
  return {DaeStatus::kOk, scratch_.norm()};
}

void AlphaMethod::Interpolate(double theta, VectorX* q, VectorX* v) {
  if (!dense_is_ready_) {
    hermite_.Build(&terms(), h_, start_.q, start_.v, start_history_.v_dot, D_, end_.v,
                   end_history_.v_dot);
    dense_is_ready_ = true;
  }
  hermite_.Calc(&terms(), theta, q, v);
}

}  // namespace saltus
