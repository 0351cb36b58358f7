// PoissonImpact: the impulses of an impact by Poisson's law, at a given velocity v⁻.
// @cite PfeifferGlocker1996
//
// With the metric S of the step (joints eliminated exactly) and u = H v + bias:
//   compression  S (v_C − v⁻) = Gᵀ… + HᵀP_C,    K* ∋ û_C ⟂ P_C ∈ K,  û_C = u_C + μ|u_CT| n      (1)
//   expansion    S (v⁺ − v_C) = Gᵀ… + HᵀP_E,    0 ≤ u_N⁺ ⟂ (P_EN − e P_CN) ≥ 0,
//                −u_T⁺ ∈ N_D(P_ET),  D the disc of radius μ P_EN                               (2)
// e is that of each contact, 0 for those of Newton's law, which take part in (1) as supports.
// An integrator adds P_C + P_E to the impulses of its step and asks u_N ≥ u_N⁺ of the contacts that
// have been hit: forces of the step do not change the outcome, as with Newton's law.
//
// In (2) the bound of friction depends on P_EN, which exceeds e P_CN only where a neighbour drives
// a contact back: (2) is solved with fixed bounds, which are then corrected, until they agree.
//
// One contact without friction: u_N⁺ = −e u_N⁻, Newton's law. With friction, or with several
// contacts of one body, the two differ; Poisson's impulse never depends on the speed that friction
// gives the contact, so that P = 0 follows from u_N⁻ = 0.
//
// Deviation: no tangential restitution (the source's ε_T), and no expansion of rolling and spinning
// moments. Deviation: the source has M; S = M unless springs, dampers or gyroscopic terms act.
#pragma once

#include <span>
#include <vector>

#include "saltus/cones/conic_solver.h"
#include "saltus/integrators/contact_problem.h"

namespace saltus {

class PoissonImpact {
 public:
  /// True if a contact of `active` with poisson > 0 approaches faster than `slowest` [m/s]; the
  /// impulses and velocities below are then set. kkt is the factored metric.
  bool Solve(const ContactSet& set, std::span<const int> active, const KktSolver& kkt,
             const VectorX& v, double slowest, ConicSolver* solver);

  /// The same for contacts of both laws, whatever their speed: Newton's take part in (1) with
  ///   û_N = u_CN + e u_N⁻,   û_T = u_CT + e_T u_T⁻.
  /// @param newton  e of each contact of `active`, 0 where it does not bounce
  /// @param tangential  e_T likewise
  void SolveAll(const ContactSet& set, std::span<const int> active, std::span<const double> newton,
                std::span<const double> tangential, const KktSolver& kkt, const VectorX& v,
                ConicSolver* solver);
  /// v⁺, and the impulses of the joints.
  const VectorX& velocity() const { return v_after_; }
  const VectorX& joint_impulse() const { return lambda_; }

  /// P_C + P_E in the rows of the contacts, laid out as by ContactProblem::SetRows of `active`.
  const VectorX& impulse() const { return total_; }
  /// u_N⁺ of the contacts with an impulse, 0 of the others.
  const VectorX& rebound() const { return rebound_; }
  /// Whether every solver converged.
  bool ok() const { return ok_; }

 private:
  void CalcVelocity(const KktSolver& kkt, const VectorX& v, VectorX* v_after);
  void Compress(const ContactSet& set, std::span<const int> active, std::span<const double> newton,
                std::span<const double> tangential, const KktSolver& kkt, const VectorX& v,
                ConicSolver* solver);
  void CalcRebound(const KktSolver& kkt, const VectorX& v);
  void Expand(const KktSolver& kkt, const VectorX& v, ConicSolver* solver);

  ContactProblem compression_, expansion_;
  const ContactSet* set_ = nullptr;
  std::vector<int> active_;
  bool ok_ = true;
  VectorX total_, rebound_, bias_, force_, no_rate_, delta_, v_after_, lambda_, u_, r_, p_;
};

}  // namespace saltus
