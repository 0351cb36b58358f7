// What the schemes that enforce contact at position level share: one increment of Newton's method
// with joints and contacts, and the report of a step. @cite AcaryBrogliato2008
//
//   S Δ = rhs + GᵀΛ + HᵀP,     G Δ = c,     K* ∋ ŵ(H Δ + b) ⟂ P ∈ K                            (1)
//
// Contacts are found anew at each iterate (their gaps and rows are functions of q); impulses follow
// by key.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "saltus/integrators/contact_problem.h"
#include "saltus/integrators/integrator.h"
#include "saltus/linalg/kkt_solver.h"

namespace saltus {

struct PositionLevel {
  PositionLevel(const std::string& solver_name, const ConicSolverOptions& solver_options)
      : solver(MakeConicSolver(solver_name, solver_options)) {}

  /// Matrices and the order of pivots, once per system; at every call the report is cleared.
  void Begin(System& system, double h);
  /// Twice the distance that the fastest point can travel in h, with the acceleration f/M.
  double CalcMargin(const System& system, const VectorX& q, const VectorX& v, const VectorX& f,
                    double h);

  /// Replaces `contacts` by what `find` fills in; r is carried over by key, 0 for new contacts.
  void Refind(const std::function<void(ContactSet*)>& find);
  void ClearContacts();

  /// Newton's method: evaluates the iterate, ends where it has converged (from the first iteration
  /// on), else goes on by iterate(), which returns false if that gave no numbers. The outcome is
  /// the status of the report.
  template <class Evaluate, class Converged, class Iterate>
  void RunNewton(int max_iterations, const Evaluate& evaluate, const Converged& converged,
                 const Iterate& iterate) {
    for (int k = 0;; ++k) {
      evaluate(k);
      if (k > 0 && converged()) return;
      if (k == max_iterations) {
        if (report.status == StepStatus::kOk) report.status = StepStatus::kNewtonNotConverged;
        return;
      }
      report.status = StepStatus::kOk;
      ++report.newton_iterations;
      if (!iterate()) {
        report.status = StepStatus::kNotFinite;
        return;
      }
    }
  }

  /// Factors (S, G) and solves (1). b is u at Δ = 0; lambda and r become Λ and P.
  /// @param bound_scale  dry friction of joints is at most bound·bound_scale
  bool Solve(const VectorX& rhs, const VectorX& c, const VectorX& b, double bound_scale,
             VectorX* delta);

  /// The normal law at the iterate: w_N ≈ 0 where P_N > 0, w_N ≥ 0 elsewhere. `w` has all rows.
  bool LawHolds(const VectorX& w, double tolerance) const;

  /// Fills the report and the memory of contacts, and moves *state to (t, q, v).
  /// @param to_impulse  impulses [N s] are to_impulse·r and to_impulse·lambda
  void Finish(System& system, double h, const VectorX& q, const VectorX& v, double to_impulse,
              State* state);

  std::unique_ptr<ConicSolver> solver;
  std::optional<KktSolver> kkt;
  BlockMatrix M, K, D, S;
  SparseRows G;
  ContactSet contacts;
  ContactProblem problem;
  VectorX r, lambda;  // P and Λ of (1)
  StepReport report;

 private:
  void RefuseLaws(const Contact& contact) const;
  void ReportContacts(const State& start, const VectorX& v, double to_impulse);
  void ReportWork(System& system, const State& start, double h, const VectorX& q, const VectorX& v,
                  double to_impulse);
  void ReportErrors(System& system, double t, const VectorX& q, const VectorX& v, double h,
                    double to_impulse);
  void Remember(double to_impulse, State* state) const;
  ContactKey key(int block) const;

  const System* system_ = nullptr;
  bool solver_ok_ = true;
  int worst_block_ = -1;
  std::vector<int> active_;
  std::vector<std::pair<ContactKey, Vector3>> old_;  // impulses before Refind, sorted
  ContactSet penetrated_;
  VectorX rhs_, delta_free_, lambda_free_, u_, u_minus_, v_mid_, scratch_, acceleration_, g_t_, g_;
};

}  // namespace saltus
