#include "saltus/dae/symplectic.h"

#include "saltus/base/error.h"

namespace saltus {
namespace {

constexpr int kMaxIterations = 50;
/// Fixed-point iterations and Newton's method stop at this share of their unknowns.
constexpr double kTolerance = 1e-14;

}  // namespace

std::string SymplecticMethod::name() const {
  switch (method_) {
    case Method::kStormerVerlet:
      return "stormer-verlet";
    case Method::kShake:
      return "shake";
    case Method::kRattle:
      return "rattle";
  }
  return "";
}

VectorX SymplecticMethod::MakeMemory() const { return start_half_; }
void SymplecticMethod::Recall(const VectorX& memory) { start_half_ = memory; }

void SymplecticMethod::OnStart() {
  const SystemTraits& traits = terms().traits();
  if (!traits.flat || !traits.constant_mass) {
    throw InputError("simulation.integrator",
                     name() + " needs a constant mass matrix and coordinates without rotations",
                     "choose hem5, phem56 or dopri5");
  }
  if (method_ == Method::kStormerVerlet && traits.num_constraints > 0) {
    throw InputError("simulation.integrator", "stormer-verlet cannot hold joints",
                     "choose rattle or shake");
  }
  start_half_.resize(0);
}

void SymplecticMethod::OnAdvance(bool moved) {
  start_half_.resize(0);
  if (method_ == Method::kShake && !moved) start_half_ = v_half_;
}

DaeStatus SymplecticMethod::KickOff(const VectorX& base, double kick) {
  const bool joints = terms().num_rows() > 0;
  terms().CalcJacobian(start_.t, start_.q, &G_);
  terms().CalcForce(start_.t, start_.q, start_.v, &f_);
  terms().CalcRate(start_.t, start_.q, &c_);
  if (joints) {  // v_½ meets the hidden constraint at first: a good start for Newton's method
    c_.noalias() += G_ * base;
    c_ /= -kick;
  }
  if (!terms().Solve(terms().CalcMass(start_.q), G_, G_, f_, c_, &a_, &lambda_)) {
    return DaeStatus::kSingular;
  }
  v_half_ = base + kick * a_;
  f_.setZero();
  for (int k = 0; k < kMaxIterations; ++k) {
    end_.q = start_.q + h_ * v_half_;
    if (!joints) return DaeStatus::kOk;
    terms().CalcConstraint(end_.t, end_.q, &c_);
    if (!c_.allFinite()) return DaeStatus::kNotFinite;
    if (c_.norm() <= kTolerance * (1 + end_.q.norm())) return DaeStatus::kOk;
    c_ /= -h_ * kick;
    if (!terms().SolveAgain(f_, c_, &y_, &mu_)) return DaeStatus::kSingular;
    v_half_ += kick * y_;  // in the range of M⁻¹Gᵀ(q_n)
  }
  return DaeStatus::kNewtonFailed;
}

DaeStatus SymplecticMethod::KickHome() {
  terms().CalcJacobian(end_.t, end_.q, &G_);
  terms().CalcRate(end_.t, end_.q, &c_);
  if (c_.size() > 0) {
    c_.noalias() += G_ * v_half_;
    c_ /= -0.5 * h_;
  }
  end_.v = v_half_;
  for (int k = 0; k < kMaxIterations; ++k) {
    terms().CalcForce(end_.t, end_.q, end_.v, &f_);
    if (!terms().Solve(terms().CalcMass(end_.q), G_, G_, f_, c_, &a_, &lambda_)) {
      return DaeStatus::kSingular;
    }
    y_ = end_.v;
    end_.v = v_half_ + 0.5 * h_ * a_;
    y_ -= end_.v;
    if (!terms().traits().has_tangents) return DaeStatus::kOk;
    if (y_.norm() <= kTolerance * (1 + end_.v.norm())) return DaeStatus::kOk;
  }
  return DaeStatus::kNewtonFailed;
}

DaeTrial SymplecticMethod::Step() {
  dense_is_ready_ = false;
  const bool running = start_half_.size() > 0;
  const DaeStatus status = running ? KickOff(start_half_, h_) : KickOff(start_.v, 0.5 * h_);
  if (status != DaeStatus::kOk) return {status};
  if (method_ != Method::kShake) return {KickHome()};
  if (!terms().CalcAcceleration(end_.t, end_.q, v_half_, &a_, &lambda_)) {
    return {DaeStatus::kSingular};
  }
  end_.v = v_half_ + 0.5 * h_ * a_;
  return {};
}

void SymplecticMethod::Interpolate(double theta, VectorX* q, VectorX* v) {
  if (!dense_is_ready_) {
    bool good = terms().CalcAcceleration(start_.t, start_.q, start_.v, &a_start_, &lambda_) &&
                terms().CalcAcceleration(end_.t, end_.q, end_.v, &a_end_, &lambda_);
    if (!good) a_start_ = a_end_ = VectorX::Zero(start_.v.size());
    delta_ = end_.q - start_.q;
    hermite_.Build(&terms(), h_, start_.q, start_.v, a_start_, delta_, end_.v, a_end_);
    dense_is_ready_ = true;
  }
  hermite_.Calc(&terms(), theta, q, v);
}

}  // namespace saltus
