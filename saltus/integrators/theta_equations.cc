#include "saltus/integrators/theta_equations.h"

#include <algorithm>
#include <limits>

#include "saltus/linalg/diagonal.h"
#include "saltus/linalg/rank.h"

namespace saltus {
namespace {

/// Corrections of the joints per call; each gains digits until rounding is reached.
constexpr int kMaxClosings = 20;

double FindLargest(const VectorX& x, int* where) {
  *where = -1;
  if (x.size() == 0) return 0;
  Eigen::Index i = 0;
  const double largest = x.cwiseAbs().maxCoeff(&i);
  *where = static_cast<int>(i);
  return largest;
}

}  // namespace

void ThetaEquations::Prepare(System& system) {
  if (system_ == &system && kkt_ && M_.shared_pattern() == system.pattern()) return;
  system_ = &system;
  const SystemTraits& traits = system.traits();
  for (BlockMatrix* matrix : {&M_, &K_, &D_, &S_}) *matrix = BlockMatrix(system.pattern());
  // The order of pivots is chosen at the initial state, whatever the state of the first step: a
  // restarted run then repeats the uninterrupted one bit for bit.
  const State initial = system.MakeInitialState();
  G_.resize(traits.num_constraints, traits.num_velocities);
  if (has_joints()) system.CalcConstraintJacobian(initial.time, initial.q, &G_);
  full_rank_ = !has_joints() || FindRedundantRows(G_).empty();
  G_theta_ = C_ = L_ = G_;
  g_t_.setZero(traits.num_constraints);
  kkt_.emplace(system.pattern(), G_);
  system.CalcMass(initial.q, &M_);
  kkt_->Factor(M_, G_);
}

void ThetaEquations::Begin(System& system, const State& start, double h, double theta, bool turn) {
  Prepare(system);
  start_ = &start;
  h_ = h;
  theta_ = theta;
  turns_ = turn && !system.traits().flat;
  if (!system.traits().constant_mass) system.CalcMass(start.q, &M_);
  system.CalcForce(start.time, start.q, start.v, &f0_);
}

bool ThetaEquations::is_linear() const {
  const SystemTraits& traits = system_->traits();
  return !traits.has_tangents && traits.constant_mass && traits.num_constraints == 0 && !turns_;
}

void ThetaEquations::MoveTo(const VectorX& v, const VectorX& x) {
  delta_ = h_ * ((1 - theta_) * start_->v + theta_ * v) + x;  // (2)
  system_->Retract(start_->q, delta_, &q_);
  scratch_ = theta_ * delta_;
  system_->Retract(start_->q, scratch_, &q_theta_);
  system_->CalcForce(t(), q_, v, &f1_);
  turn_.setZero(v.size());
  // Turned by the motion alone: x moves bodies without time passing, and momenta that followed it
  // would tie the velocities to the last digit of the gaps.
  scratch_ = delta_ - x;
  if (turns_) system_->CalcTurnImpulse(h_, scratch_, start_->v, v, &turn_);
  if (!system_->traits().constant_mass) system_->CalcMass(q_theta_, &M_);
  if (!has_joints()) return;
  system_->CalcConstraintJacobian(t(), q_, &G_);
  system_->CalcConstraintRate(t(), q_, &g_t_);
  system_->CalcConstraintJacobian(start_->time + theta_ * h_, q_theta_, &G_theta_);
}

double ThetaEquations::CloseJoints(const VectorX& v, VectorX* x) {
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0;; ++k) {
    system_->CalcConstraint(t(), q_, &g_);
    const double size = g_.lpNorm<Eigen::Infinity>();
    // Rounding is reached where a correction no longer halves the error.
    if (!(size > 0) || k == kMaxClosings || (k > 0 && size > 0.5 * last)) {
      if (k > 0) MoveTo(v, *x);
      return size;
    }
    last = size;
    g_ = -g_;
    scratch_.setZero(v.size());
    kkt_->Solve(scratch_, g_, &correction_, nullptr);
    system_->Retract(q_, correction_, &q_);
    VectorX& moved = scratch_;
    system_->CalcDifference(start_->q, q_, &moved);
    *x = moved - h_ * ((1 - theta_) * start_->v + theta_ * v);
  }
}

bool ThetaEquations::Factor(const VectorX& v, const VectorX& lambda) {
  const double a = theta_ * h_;
  S_.values() = M_.values();
  if (system_->traits().has_tangents) {
    system_->CalcTangents(t(), q_, v, TangentKind::kExact, &K_, &D_);
    S_.values() += a * D_.values() + a * a * K_.values();
    rounding_speed_ = std::numeric_limits<double>::epsilon() * h_ * CalcLargestRatio(K_, M_) *
                      (1 + q_.lpNorm<Eigen::Infinity>());
  }
  if (!has_joints()) return kkt_->Factor(S_, G_);
  K_.SetZero();
  system_->AddGeometricStiffness(start_->time + a, q_theta_, lambda, &K_);
  S_.values() += a * theta_ * K_.values();
  L_ = G_;
  if (full_rank_) {
    scratch_.setZero(lambda.size());
    if (system_->AddConstraintTangents(t(), q_, v, scratch_, &K_, &C_)) L_ += a * C_;
  }
  return kkt_->Factor(S_, G_, L_);
}

bool ThetaEquations::FactorAtStart() {
  if (!system_->traits().constant_mass) system_->CalcMass(start_->q, &M_);
  if (has_joints()) {
    system_->CalcConstraintJacobian(start_->time, start_->q, &L_);
    return kkt_->Factor(M_, L_);
  }
  return kkt_->Factor(M_, G_);
}

void ThetaEquations::CalcRightHandSide(const VectorX& v, const VectorX& lambda, VectorX* rhs,
                                       VectorX* c) {
  S_.Multiply(v, rhs);  // (5)
  scratch_ = start_->v - v;
  M_.AddMultiply(1.0, scratch_, rhs);
  *rhs += h_ * ((1 - theta_) * f0_ + theta_ * f1_) + turn_;
  c->resize(lambda.size());
  if (!has_joints()) return;
  rhs->noalias() += G_theta_.transpose() * lambda;
  *c = L_ * v - G_ * v - g_t_;  // (6)
}

double ThetaEquations::CalcJointRate(const VectorX& v, int* worst) const {
  *worst = -1;
  if (!has_joints()) return 0;
  scratch_ = g_t_;
  scratch_.noalias() += G_ * v;
  return FindLargest(scratch_, worst);
}

double ThetaEquations::CalcJointError(int* worst) const {
  *worst = -1;
  if (!has_joints()) return 0;
  system_->CalcConstraint(t(), q_, &g_);
  return FindLargest(g_, worst);
}

}  // namespace saltus
