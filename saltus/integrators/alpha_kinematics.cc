#include "saltus/integrators/alpha_kinematics.h"

#include <algorithm>

#include "saltus/linalg/diagonal.h"

namespace saltus {
namespace {

/// Keys of State::integrator: (ṽ̇, λ̃) of up to three steps before, (U, ν) of up to two.
const char kBefore[] = "nonsmooth-alpha.before";
const char kPush[] = "nonsmooth-alpha.push";

/// ṽ̇ and λ̃ from those of t_n and of t_{n−1}, t_{n−2}, t_{n−3} as far as known.
void ExtrapolateForces(const AlphaStart& start, const VectorX& before, AlphaIterate* x) {
  const Eigen::Index n = x->vd.size(), size = n + x->lambda.size();
  if (before.size() % size != 0) return;
  x->vd += start.vd - before.head(n);
  x->lambda += start.lambda - before.segment(n, size - n);
  if (before.size() < 3 * size) return;
  const auto at = [&](int k) { return before.segment(k * size, size); };
  VectorX second = at(1) - 2 * at(0);
  second.head(n) += start.vd;
  second.tail(size - n) += start.lambda;
  const double third = (second - (at(2) - 2 * at(1) + at(0))).squaredNorm();
  if (!(third < second.squaredNorm())) return;
  x->vd += second.head(n);
  x->lambda += second.tail(size - n);
}

/// U and ν from those of the last two steps.
void ExtrapolatePush(const VectorX& push, AlphaIterate* x) {
  const Eigen::Index n = x->U.size(), size = n + x->nu.size();
  if (push.size() % size != 0) return;
  x->U = push.head(n);
  x->nu = push.segment(n, size - n);
  if (push.size() < 2 * size) return;
  x->U += push.head(n) - push.segment(size, n);
  x->nu += push.segment(n, size - n) - push.segment(size + n, size - n);
}

/// Puts (a, b) before the `max_steps` − 1 newest entries of *list.
void PutBefore(const VectorX& a, const VectorX& b, int max_steps, VectorX* list) {
  const Eigen::Index size = a.size() + b.size();
  const Eigen::Index kept = std::min(list->size(), (max_steps - 1) * size);
  VectorX longer(size + kept);
  longer << a, b, list->head(kept);
  list->swap(longer);
}

}  // namespace

void Place(const System& system, const AlphaCoefficients& k, const AlphaStart& start,
           AlphaIterate* x) {
  const double h = start.h;
  const VectorX& v_n = start.state->v;
  x->a = ((1 - k.alpha_f) * x->vd + k.alpha_f * start.vd - k.alpha_m * start.a) /
         (1 - k.alpha_m);                                                  // (7)
  x->move = h * v_n + h * h * ((0.5 - k.beta) * start.a + k.beta * x->a);  // (5)
  system.Retract(start.state->q, x->move, &x->q_smooth);
  system.Retract(x->q_smooth, x->U, &x->q);
  x->v_smooth = v_n + h * ((1 - k.gamma) * start.a + k.gamma * x->a);  // (6)
  x->v = x->v_smooth + x->W;
}

double AlphaTerms::CalcMassScaled(VectorX force) const {
  DivideByDiagonal(M, &force);
  return force.size() > 0 ? force.lpNorm<Eigen::Infinity>() : 0.0;
}

double AlphaTerms::CalcJointRate(const VectorX& v) const {
  return has_joints() ? (g_t + G * v).lpNorm<Eigen::Infinity>() : 0.0;
}

void Evaluate(const System& system, double t, const VectorX& q, const VectorX& v,
              AlphaTerms* terms) {
  const SystemTraits& traits = system.traits();
  system.CalcForce(t, q, v, &terms->f);
  if (!traits.constant_mass) system.CalcMass(q, &terms->M);
  if (traits.num_constraints == 0) return;
  system.CalcConstraint(t, q, &terms->g);
  system.CalcConstraintJacobian(t, q, &terms->G);
  system.CalcConstraintRate(t, q, &terms->g_t);
}

void Predict(const AlphaStart& start, bool free, AlphaIterate* x) {
  x->vd = start.vd;
  x->lambda = start.lambda;
  x->U.setZero(start.vd.size());
  x->W.setZero(start.vd.size());
  x->nu.setZero(start.lambda.size());
  x->Lambda.setZero(start.lambda.size());
  const auto& memory = start.state->integrator;
  if (const auto before = memory.find(kBefore); before != memory.end()) {
    ExtrapolateForces(start, before->second, x);
  }
  if (!free) return;
  if (const auto push = memory.find(kPush); push != memory.end()) ExtrapolatePush(push->second, x);
}

void RememberForPredict(const AlphaStart& start, const AlphaIterate& x, bool free, State* state) {
  if (!free) {
    state->integrator.erase(kBefore);
    state->integrator.erase(kPush);
    return;
  }
  PutBefore(start.vd, start.lambda, 3, &state->integrator[kBefore]);
  if (x.nu.size() > 0) PutBefore(x.U, x.nu, 2, &state->integrator[kPush]);
}

}  // namespace saltus
