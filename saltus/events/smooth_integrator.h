// A smooth solver of saltus/dae as an integrator of its own: hem5, phem56, dopri5, … by name.
// @cite Haddouni2015
//
// The solver chooses its own steps t_0 < t_1 < …; Step(h) asks it for as many as reach t + h and
// returns its dense output there, so that output instants change neither the steps nor the order.
// Solvers without an error estimate take the step h itself (or first_step, if it is smaller).
//
// Energy ledger and joint impulses, by Gauss's rule with three points on the dense output of every
// piece of a solver step:
//   loads = ∫ f_nonconservative · v dt,   drives = −∫ λ·g_t dt,   constraint_impulse = ∫ λ dt   (1)
//
// Contacts. The motion must be smooth: when a gap closes (looked at in quarters of each step), or
// if a joint has dry friction, the run stops with an error that names it and the integrators for
// it.
//
// State memory: the start of the solver step that covers the present instant and what the solver
// needs to repeat it, so that a continued run goes on with the same steps.
//
// Deviation: none in the solvers; sampling by dense output is ours.
#pragma once

#include <memory>
#include <string>

#include "saltus/dae/dae_solvers.h"
#include "saltus/dae/step_control.h"
#include "saltus/integrators/integrator.h"

namespace saltus {

struct SmoothIntegratorOptions {
  std::string solver = "hem5";  // a name of ListDaeSolvers()
  StepControlOptions control;
  DaeSolverOptions method;
  Baumgarte baumgarte;                          // of index-1 solvers
  Formulation formulation = Formulation::kKkt;  // of index-1 solvers
};

class SmoothIntegrator final : public Integrator {
 public:
  explicit SmoothIntegrator(const SmoothIntegratorOptions& options);

  std::string name() const override { return options_.solver; }
  /// Most solvers hold velocities, and positions only at the ends of their own steps.
  bool holds_positions() const override { return false; }
  /// Throws InputError at the first contact or joint friction.
  [[nodiscard]] const StepReport& Step(System& system, double h, State* state) override;

  const DaeStatistics& statistics() const { return run_.statistics(); }

 private:
  void Prepare(System* system, const State& state);
  bool Resume(const State& state);
  void Remember(State* state) const;
  bool AdvanceOnce(double target);
  void AddWork(double t0, double t1);
  /// Looks at the quarters of the last solver step inside (t0, t1], and at t1.
  void RefuseContacts(double t0, double t1);
  void RefuseContactsAt(double t, const VectorX& q);

  SmoothIntegratorOptions options_;
  DaeRun run_;
  System* system_ = nullptr;
  std::unique_ptr<DaeTerms> terms_;
  StepReport report_;
  // What the last call returned: a state that differs from it starts the solver again.
  double last_time_ = 0;
  VectorX last_q_, last_v_;
  VectorX q_, v_, a_, lambda_, f_, g_t_;
  ContactSet contacts_;
};

}  // namespace saltus
