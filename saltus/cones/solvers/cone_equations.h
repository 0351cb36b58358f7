// The laws of conic_problem.h as equations F(r, u) = 0, block by block, with their derivatives:
// what semismooth Newton methods solve. ρ = d / tr A_cc makes ρ u an impulse; F is an impulse too.
//
// Natural map (any cone), with û = u + μ|u_T| n for friction, û = u otherwise:
//   F = r − P_K(r − ρ û)                                                                       (1)
//
// Alart–Curnier [@cite AlartCurnier1991] (friction), with z = r_N − ρ u_N, y = r_T − ρ u_T:
//   F_N = r_N − max(z, 0),   F_T = r_T − P_D(y),   D = disc of radius μ max(z, 0)              (2)
// Rolling and spinning moments are further groups beside T, each with its own disc.
//
// Fischer–Burmeister on the second-order cone (friction with μ > 0) [@cite FacchineiPang2003], with
// x = (μ r_N, r_T), y = ρ (û_N, μ u_T), both in L = {x₀ ≥ |x_T|}, and x∘y = (x·y, x₀ y_T + y₀ x_T):
//   F = x + y − (x∘x + y∘y)^½                                                                  (3)
//   dF = dx + dy − L_w⁻¹(L_x dx + L_y dy),   w = (x∘x + y∘y)^½,   L_x y = x∘y                  (4)
// Where w lies on the boundary of L, its smaller eigenvalue is raised to 1e-8 of the larger in (4).
// Rows without friction use min(r, ρ u), which (1) and (2) are there; rolling blocks, whose cone is
// not a second-order cone, use (2) in place of (3). Pyramids, and associated blocks except for (3),
// always use (1).
#pragma once

#include "saltus/cones/conic_solver.h"

namespace saltus {

/// F of one block and dF = A dr + B du.
struct BlockEquation {
  static constexpr int kMaxDimension = 6;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMaxDimension, 1>;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor,
                               kMaxDimension, kMaxDimension>;
  Vector F;
  Matrix A, B;
};

/// @param bound  s of a box at the present impulses (its derivative is left out)
/// @param r, u  the d numbers of the block
void CalcBlockEquation(ConeFunction function, const Cone& cone, double bound, double rho,
                       const double* r, const double* u, BlockEquation* equation);

}  // namespace saltus
