// Compliance: laws of smooth contact forces. With the depth δ = −gap > 0 and its rate δ̇:
//
//   spring-damper  N = k δ + clamp(c δ̇, −k δ, k δ)                                          (1)
//   hertz          N = k δ^{3/2},   k = (4/3) E* √R                       @cite Hertz1882     (2)
//   hunt-crossley  N = k δ^{3/2} max(0, 1 + χ δ̇)                   @cite HuntCrossley1975     (3)
//   elastic energy U = ½ k δ²,  (2/5) k δ^{5/2};    N = 0 for δ ≤ 0: no law pulls            (4)
//
// With w the velocity of body B relative to A at the contact point, n from A to B, u_N = n·w = −δ̇,
// u_T = w − u_N n, friction is Coulomb's law made smooth below the slip speed v_s:
//   F = N n − μ N φ,   φ = u_T / √(|u_T|² + v_s²)                                            (5)
//
// A body of mass m that hits (3) with speed v leaves with e v; along the impact m v dv = −N dδ, so
//   a − ln(1 + a) = −e a − ln(1 − e a),   a = χ v:   e does not depend on m, k or the exponent (6)
//
// Deviation: the damper of (1) never exceeds the spring. The classical k δ + c δ̇ jumps at first
// touch, and an implicit step may then have no solution; the difference is an impulse of order
// c²v/k in the first c/k of an impact. Deviation: Hunt and Crossley take χ = (3/2) α with
// e = 1 − α v for small α; (6) is exact for every speed.
#pragma once

#include "saltus/base/types.h"
#include "saltus/multibody/model_spec.h"

namespace saltus {

struct Compliance {
  ComplianceLaw law = ComplianceLaw::kSpringDamper;
  double stiffness = 0;   // k, N/m or N/m^1.5
  double damping = 0;     // c, N s/m; χ, s/m
  double slip_speed = 0;  // v_s, m/s
};

/// N of (1)-(3) and its derivatives.
struct NormalForce {
  double value = 0;     // N
  double by_depth = 0;  // ∂N/∂δ, N/m
  double by_rate = 0;   // ∂N/∂δ̇, N s/m
  double elastic = 0;   // −dU/dδ̸: the part of N that derives from (4), N
  double energy = 0;    // U, J
};
NormalForce CalcNormalForce(const Compliance& law, double depth, double rate);

/// F of (5) on body B and its derivatives.
struct CompliantForce {
  NormalForce normal;
  Vector3 value = Vector3::Zero();
  Vector3 by_gap = Vector3::Zero();       // ∂F/∂gap
  Matrix3 by_velocity = Matrix3::Zero();  // ∂F/∂w
  Matrix3 by_normal = Matrix3::Zero();    // ∂F/∂n
};
CompliantForce CalcCompliantForce(const Compliance& law, double friction, double gap,
                                  const Vector3& n, const Vector3& w);

/// χ of (6) for a restitution e ∈ (0, 1] at the impact speed v > 0.
double CalcHuntCrossleyDamping(double restitution, double impact_speed);

}  // namespace saltus
