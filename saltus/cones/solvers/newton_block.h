// The exact solution of one frictional block of any kind while all others rest: rolling contacts,
// pyramids, associated cones, and Coulomb friction where LocalMethod::kSemismooth asks for it.
//
//   u(r) = u° + W (r − r°),     K* ∋ û(u) ⟂ r ∈ K     (friction_groups.h, eqs. 1 and 2)         (1)
//
// W: diagonal block, symmetric part positive definite (eigenvalues below a 1e-8th of the mean are
// raised, as in coulomb_block.h: the fixed points of the sweep do not depend on it). With the
// velocity q = u° − W r° of the open contact:
//
//   take-off   û(q) ∈ K*, for Coulomb's law q_N ≥ 0:  r = 0                                     (2)
//   stick      r = −W⁻¹q if it lies in K                                                        (3)
//   otherwise  semismooth Newton on the equations of cone_equations.h (Alart–Curnier's, or the
//              natural map where they do not hold), damped so that their norm falls; where it does
//              not, a few slow but sure passes lead to a better starting point: Gauss–Seidel over
//              N, T, R, S with exact discs (disc_block.h), or extragradient steps               (4)
//
// Moments are scaled by the levers of conic_problem.h, eq. (6), so that rows are comparable.
#pragma once

#include "saltus/cones/friction_groups.h"
#include "saltus/cones/solvers/cone_equations.h"
#include "saltus/cones/solvers/disc_block.h"

namespace saltus {

class NewtonBlock {
 public:
  using Vector = BlockEquation::Vector;
  using Matrix = BlockEquation::Matrix;

  /// @param W  w_nn > 0
  void Factor(const Matrix& W, const Cone& cone);
  /// Solves (1) from u° and r°.
  Vector Solve(const Vector& u, const Vector& r) const;
  /// True if q_N ≥ 0 is all that (2) asks for.
  bool opens_by_normal() const { return OpensByNormal(cone_); }

 private:
  bool FindByNewton(const Vector& q, Vector* x) const;
  void Relax(const Vector& q, Vector* x) const;
  void RelaxGroups(const Vector& q, Vector* x) const;
  Vector MakeProjectedStep(const Vector& x, const Vector& u) const;
  double CalcEquation(const Vector& q, const Vector& x, BlockEquation* equation) const;

  Cone cone_;     // with offset 0 and scaled coefficients
  Vector scale_;  // r = scale · x, lever of each row
  Matrix W_, inverse_;
  double rho_ = 1;         // of the equations …
  double short_step_ = 1;  // … and of extragradient steps: contractive for the shift too
  FrictionGroups groups_;
  DiscBlock discs_[FrictionGroup::kMaxGroups];
};

}  // namespace saltus
