// Position projection of contacts: the smallest move that removes penetration and keeps the joints.
//
//   min ½ |Δ|²_S   with   G Δ = 0   and   g_i + H_i Δ ≥ 0                                      (1)
//
// i.e. the linear complementarity problem 0 ≤ H S⁻¹Hᵀ ν + g ⟂ ν ≥ 0, repeated on the new
// configuration because gaps are not linear (moves below kLinearMove update the gaps by H Δ; larger
// ones look for contacts anew). It is solved until no gap is wrong by more than a small part of the
// tolerance: sweeps that would refine ν further along slow modes of a tall pile move no gap. A
// contact in the midst of a bounce is not pushed: to lift it before its impact, or after it, would
// add to the energy that the impact law keeps. It stays where it is, with max(g_i, 0) in place of
// g_i. @cite Acary2013
#pragma once

#include <functional>
#include <vector>

#include "saltus/cones/conic_solver.h"
#include "saltus/dynamics/system.h"
#include "saltus/integrators/contact_problem.h"
#include "saltus/linalg/kkt_solver.h"

namespace saltus {

class PositionProjection {
 public:
  /// @param tolerance  penetration that may stay, m
  /// @param stop  for ConicSolverOptions::stop, may be null
  PositionProjection(double tolerance, const StopRequest* stop);

  /// Opens the penetrated contacts of *contacts, those at t, q. If q was changed, the contacts have
  /// been found anew by `find` when the function returns. kkt is factored with the metric S and the
  /// Jacobian G near q.
  /// @param bounces  true for a contact of *contacts that is left alone
  /// @return true if q was changed
  using Bounces = std::function<bool(const Contact&)>;
  bool Project(System& system, double t, const Bounces& bounces, const KktSolver& kkt,
               const std::function<void()>& find, ContactSet* contacts, VectorX* q);

  /// What the first pass of the last projection pushed with: ν n of the contacts with ν > 0, world,
  /// kg m, sorted by key if the contacts were.
  struct Push {
    ContactKey key;
    Vector3 value;
  };
  const std::vector<Push>& pushes() const { return pushes_; }

 private:
  /// gap += H Δ for every contact.
  static void MoveGaps(const VectorX& delta, ContactSet* contacts);
  /// True if some contact must be opened; fills candidates_ and gaps_.
  bool FindPenetrated(const ContactSet& contacts, const Bounces& bounces);

  double tolerance_;
  std::unique_ptr<ConicSolver> solver_;
  ContactProblem problem_;
  std::vector<int> candidates_;
  std::vector<Push> pushes_;
  GrowingVector gaps_, nu_;
  VectorX force_, delta_, no_rows_;
};

}  // namespace saltus
