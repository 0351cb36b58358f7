// ContactStep: the contact laws of one step, from rows to impulses, report and memory.
//
// With the smooth equations factored as S v − GᵀΛ = rhs, L v = c (theta_equations.h):
//
//   S v − GᵀΛ = rhs + H_φᵀ P,     u = H_c v + bias,     K* ∋ û(u + shift) ⟂ P ∈ K               (1)
//
// H_φ are the rows along which impulses act, H_c those of the condition: of one configuration, or
// of two (middle and end of a step). A = H_c S⁻¹ H_cᵀ is formed of the condition alone and stays
// symmetric; (H_φ − H_c)ᵀ P is taken from the last iterate. Impulses follow contacts by key.
// @cite AcaryBrogliato2008
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "saltus/cones/conic_solver.h"
#include "saltus/integrators/contact_problem.h"
#include "saltus/integrators/integrator.h"
#include "saltus/linalg/kkt_solver.h"

namespace saltus {

class ContactStep {
 public:
  ContactStep(const std::string& solver, const ConicSolverOptions& options)
      : solver_(MakeConicSolver(solver, options)), options_(options) {}

  /// Rows of the same contacts at the configurations of condition and force; both stay alive. The
  /// impulses are kept if the contacts are the same as before, see Recall.
  void SetRows(const ContactSet& condition, const ContactSet& force);
  /// Impulses from memory, by key; 0 for contacts that are not in it.
  void Recall(const std::vector<ContactMemory>& memory);
  /// Impulses in world axes with the frames of `set` (the same contacts), sorted by key; contacts
  /// without impulse are left out.
  void Store(const ContactSet& set, std::vector<ContactMemory>* memory) const;

  /// What the solver aims at and what is accepted, m/s.
  struct Target {
    double aim = 0;
    double limit = 0;
  };
  /// Solves (1). lambda is Λ at which rhs was formed; it and v become the solution. False if there
  /// are no numbers.
  bool Solve(const KktSolver& kkt, const VectorX& rhs, const VectorX& c, double h,
             const Target& target, VectorX* v, VectorX* lambda);

  /// Per row: restitution, gap and direction terms of the law. Zero after SetRows with new
  /// contacts.
  GrowingVector& shift() { return shift_; }
  const GrowingVector& r() const { return r_; }
  GrowingVector& r() { return r_; }
  /// u of (1) at the solution, per row.
  const GrowingVector& u() const { return u_; }
  const ContactProblem& rows() const { return condition_; }
  const ContactProblem& force_rows() const { return separate_ ? force_ : condition_; }
  Vector3 impulse(int contact) const { return Pick(contact, r_); }
  Vector3 velocity(int contact) const { return Pick(contact, u_); }
  /// Whether P_T of a loaded contact is inside its cone.
  bool sticks(int contact) const;

  bool accepted() const { return accepted_; }
  double error() const { return error_; }         // m/s
  double relative() const { return relative_; }   // of the natural map
  int iterations() const { return iterations_; }  // since ClearCount
  void ClearCount() { iterations_ = 0; }
  /// "contact 'a-b'" or "a joint friction": where the law is broken most.
  std::string NameWorst(const System& system) const;

 private:
  Vector3 Pick(int contact, const GrowingVector& x) const;

  std::unique_ptr<ConicSolver> solver_;
  ConicSolverOptions options_;
  const ContactSet* set_ = nullptr;
  ContactProblem condition_, force_;
  std::vector<int> all_;
  bool separate_ = false;  // H_φ ≠ H_c
  GrowingVector r_, u_, shift_, bias_;
  VectorX rhs_, v_free_, change_;
  bool accepted_ = true;
  double error_ = 0, relative_ = 0;
  int iterations_ = 0, worst_ = -1;
};

}  // namespace saltus
