// Newton's method on the face of the cones that an iterate lies on, for problems of moderate size.
//
// Gauss–Seidel finds soon which contacts are open, stick and slip, and then refines slowly where
// contacts load each other (stacks, hyperstatic supports, mechanisms). With the states fixed, the
// laws are smooth equations, and one Newton step from r, u solves them all at once:
//
//   open      δ = 0
//   stick     (A δ)_c = −u_c                        also free rows, loaded nonnegative rows, and
//                                                   dry friction below its bound               (1)
//   slip      δ_c = (1, μ d) α + (0, d⊥) β,   r_T = μ r_N d:
//             (A δ)_N = −u_N                                                                   (2)
//             d⊥·(A δ)_T + κ β = −d⊥·u_T,   κ = |u_T| / |r_T|                                  (3)
//
// (3) linearises u_T = −κ r_T. Rolling and spinning moments stick or slip likewise, each on its
// own. The system is singular where impulses are not unique: its diagonal is raised by a 1e-10th,
// which picks a step of moderate size. The step only proposes a starting point for the next sweep,
// and the caller judges what comes out of it by the natural map.
#pragma once

#include <vector>

#include "saltus/cones/conic_problem.h"

namespace saltus {

class FaceNewton {
 public:
  /// Larger problems are left to the sweeps: a step costs size³/3 operations.
  static constexpr int kMaxRows = 240;

  /// Copies the operator. Allocates only if the problem is larger than ever before.
  void Prepare(const ConicProblem& problem);
  /// r ← r + δ from u = A r + b. False if the step cannot be computed.
  bool Step(const ConicProblem& problem, const double* u, double* r);

 private:
  struct Unknown {
    int row;              // first row of the block
    int dimension;        // components of `direction`
    double direction[6];  // of δ
    double equation[6];   // of the row that is solved
    double stiffness;     // κ of eq. (3), else 0
  };

  void CollectUnknowns(const ConicProblem& problem, const double* u, const double* r);
  void AddUnit(int row);
  void AddFriction(const Cone& cone, const double* u, const double* r);
  bool SolveLinear(int size);

  int size_ = 0;
  std::vector<double> A_;             // row major
  std::vector<double> product_;       // A times the directions, size × unknowns
  std::vector<double> matrix_, rhs_;  // of the reduced system, row major
  std::vector<Unknown> unknowns_;
  GrowingVector unit_, column_;
};

}  // namespace saltus
