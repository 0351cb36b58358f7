// PositionLaw: the gaps at the end of a step are admissible, inside the step.
//
// The displacement of a step gets a part S⁻¹H_νᵀ ν along the normals, with
//
//   0 ≤ a + ν ⟂ g_N(q) ≥ 0                                                                      (1)
//
// a = θ h P_N for contacts that last or close: as long as they carry load, ν may be negative and
// the contact is bilateral, g = 0. With a = 0 (contacts that bounce) bodies are pushed apart and
// never pulled together. One correction solves the linear complementarity problem of y = a + ν,
//
//   g + W (y⁺ − y),   W = H_N S⁻¹H_Nᵀ at the end of the step                                    (2)
//
// and is repeated at the gaps it leaves. @cite AcaryBrogliato2008
#pragma once

#include <memory>
#include <vector>

#include "saltus/cones/conic_solver.h"
#include "saltus/dynamics/contact_set.h"
#include "saltus/integrators/contact_problem.h"
#include "saltus/linalg/kkt_solver.h"

namespace saltus {

class PositionLaw {
 public:
  PositionLaw(const std::string& solver, const ConicSolverOptions& options, double tolerance);

  /// ν = 0 for `size` contacts.
  void Reset(int size) { nu_.setZero(size); }
  /// ν of the contacts that had an index before, 0 for new ones (index −1).
  void Reorder(const std::vector<int>& before);

  /// How far (1) is from true at the gaps of `end`, m.
  double CalcViolation(const ContactSet& end, const GrowingVector& a) const;
  /// (2): the displacement that corrects the gaps, along the rows of `push`. False if the problem
  /// could not be solved.
  bool Correct(const ContactSet& end, const ContactSet& push, const GrowingVector& a,
               const KktSolver& kkt, VectorX* displacement);

  const GrowingVector& nu() const { return nu_; }

 private:
  std::unique_ptr<ConicSolver> solver_;
  SolveTarget target_;
  ContactProblem end_rows_, push_rows_;
  std::vector<int> all_;
  GrowingVector nu_, old_, y_, change_;
  VectorX force_, none_;
};

}  // namespace saltus
