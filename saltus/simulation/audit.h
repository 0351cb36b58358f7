// The audit: every run carries its own proof. Accumulated step by step, plain values; verdict.h
// judges it.
//
// Ledger over the run (J):   E(t) − E(0) = Σ loads + Σ drives − Σ losses + Σ lasting + Σ projection
//                   + closure                                                (1) of ledger.h
// turnover = Σ over steps of |ΔT| + |ΔV| + |ΔU|: the energy that changed hands; closure, projection
// and lasting are judged relative to it.
#pragma once

#include <string>
#include <vector>

#include "saltus/dynamics/system.h"
#include "saltus/integrators/integrator.h"

namespace saltus {

/// When and where a worst value was seen: a contact, or for joint errors the row of G in key.pair.
struct AuditPlace {
  double time = 0;  // s, the end of the step
  ContactKey key{};
};

/// The tangential path of a contact point since it began to stick.
struct CreepPath {
  ContactKey key{};
  double path = 0;  // m
};

struct Audit {
  double max_penetration = 0;      // m, the start included
  double max_constraint = 0;       // |g|∞, m or rad, the start included
  double max_constraint_rate = 0;  // |G v + g_t|∞
  double max_complementarity = 0;  // J
  double max_cone_residual = 0;    // natural map, relative
  double max_solver_error = 0;     // m/s, worst error of a contact law in an accepted solution
  double max_creep = 0;            // m, longest tangential path of a point that sticks
  AuditPlace penetration_at, constraint_at, solver_error_at, creep_at;
  long tunnelled = 0;    // pairs that passed through each other
  double max_speed = 0;  // m/s, bound of the approach speeds; only where the verdict needs it
  Energy initial_energy, final_energy;
  StepWork work;                  // sums over the run
  double turnover = 0;            // J
  double energy_scale = 0;        // J, of the model: what counts as rounding where nothing moves
  double max_closure = 0;         // largest |closure| over the run, J
  double worst_step_closure = 0;  // largest |change of the closure| in one step, J …
  double worst_step_time = 0;     // … and the end of that step, s
  long steps = 0, rejected = 0, flagged = 0, events = 0;
  long at_min_step = 0;  // adaptive: pieces of the smallest step accepted above the tolerance
  double min_step = 0;   // adaptive: smallest step done, s; 0: steps are constant
  long newton_iterations = 0, solver_iterations = 0;
  double wall_time = 0;             // s
  std::vector<CreepPath> creeping;  // of the contacts that stick now, sorted by key

  /// closure of (1) at the end, J.
  double Closure() const;
  /// |energy| relative to the turnover. What is no more than rounding of the energies, or of the
  /// energy scale of the model, is judged by those: a system that does not move is fine.
  double CalcRelative(double energy) const;
  double RelativeClosure() const { return CalcRelative(Closure()); }

  /// Adds one accepted step that ended at `time`.
  void AddStep(const StepReport& report, const Energy& before, const Energy& after, double time);
};

/// Name, value, unit and meaning of each entry, in print order (for `saltus info`, JSON and files).
struct AuditEntry {
  std::string key;  // contract names of the scene format: max_penetration, energy_closure, …
  double value = 0;
  std::string unit;
  std::string meaning;
};
std::vector<AuditEntry> ListEntries(const Audit& audit);

}  // namespace saltus
