// The values that one step of nonsmooth_alpha.h passes from function to function: what is known at
// its start, the iterate with its kinematics (5)-(7), the terms of the System at an iterate. The
// numbers are those of nonsmooth_alpha.h.
// @cite BrulsAcaryCardona2014
#pragma once

#include "saltus/dynamics/system.h"
#include "saltus/integrators/nonsmooth_alpha.h"

namespace saltus {

/// Known at t_n.
struct AlphaStart {
  double h = 0, t = 0;           // t: end of the step, s
  const State* state = nullptr;  // q_n, v_n
  VectorX vd, a, lambda;         // ṽ̇_n, a_n, and λ̃ to start Newton's method with
  VectorX g_t;                   // of the joints at t_n
  double drive_power = 0;        // −λ̃_n·g_t, W
  double force_speed = 0;        // h |f/M|∞
  double speed = 0;              // scale of the velocities of the step, known before it: m/s
};

/// The unknowns of a step, and what (5)-(7) make of them.
struct AlphaIterate {
  VectorX vd, lambda;  // ṽ̇, λ̃
  VectorX U, nu;       // position correction and its joint multipliers, kg m
  VectorX W, Lambda;   // velocity correction and its joint impulses, N s
  VectorX a, move;     // q̃ = q_n ⊕ move
  VectorX q_smooth, v_smooth, q, v;

  bool IsFinite() const { return q.allFinite() && v.allFinite(); }
};
/// (5)-(7) from ṽ̇, U and W.
void Place(const System& system, const AlphaCoefficients& k, const AlphaStart& start,
           AlphaIterate* x);

/// The System at an iterate.
struct AlphaTerms {
  BlockMatrix M;
  VectorX f, g, g_t;
  SparseRows G;

  bool has_joints() const { return g.size() > 0; }
  /// f_i/M_ii, its largest entry.
  double CalcMassScaled(VectorX force) const;
  /// |G v + g_t|∞.
  double CalcJointRate(const VectorX& v) const;
};
void Evaluate(const System& system, double t, const VectorX& q, const VectorX& v,
              AlphaTerms* terms);

/// Newton's method starts from the steps before, as long as no contact is near: ṽ̇ and λ̃ by a
/// straight line, or by a parabola where that would have been better in the last step; U and ν,
/// which are of order h³ there, by a straight line.
void Predict(const AlphaStart& start, bool free, AlphaIterate* x);
/// Writes into the state what Predict() of the next step needs; forgets it after contacts.
void RememberForPredict(const AlphaStart& start, const AlphaIterate& x, bool free, State* state);

}  // namespace saltus
