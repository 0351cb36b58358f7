// The audit: every run carries its own proof. Accumulated step by step, plain values.
//
// Ledger over the run (J):   E(t) − E(0) = Σ loads + Σ drives − Σ impact_loss − Σ friction_loss
//                   − Σ joint_friction_loss − Σ contact_loss − Σ decohesion_loss + Σ projection
//                   + closure                                                                  (1)
// turnover = Σ over steps of |ΔT| + |ΔV| + |ΔU|: the energy that changed hands; closure is judged
// relative to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "saltus/dynamics/system.h"
#include "saltus/integrators/integrator.h"

namespace saltus {

struct Audit {
  double max_penetration = 0;      // m
  double max_constraint = 0;       // |g|∞, m or rad
  double max_constraint_rate = 0;  // |G v + g_t|∞
  double max_complementarity = 0;  // J
  double max_cone_residual = 0;    // natural map, relative
  Energy initial_energy, final_energy;
  StepWork work;           // sums over the run
  double turnover = 0;     // J
  double max_closure = 0;  // largest |closure| over the run, J
  long steps = 0, rejected = 0, flagged = 0, events = 0;
  long at_min_step = 0;  // adaptive: pieces of the smallest step accepted above the tolerance
  double min_step = 0;   // adaptive: smallest step done, s; 0: steps are constant
  long newton_iterations = 0, solver_iterations = 0;
  double wall_time = 0;  // s

  /// closure of (1) at the end, J.
  double Closure() const;
  /// Closure relative to the turnover, or to the energy if it is no more than rounding of that.
  double RelativeClosure() const;

  /// Adds one accepted step.
  void AddStep(const StepReport& report, const Energy& before, const Energy& after);
};

/// Limits of the scene's `audit:` section; exceeding one makes a run fail (exit code 1).
struct AuditLimits {
  std::optional<double> max_penetration, max_constraint, max_constraint_rate, max_complementarity;
  std::optional<double> energy_closure;  // relative to the turnover
};
/// One sentence per exceeded limit; empty if all hold.
std::vector<std::string> FindViolations(const Audit& audit, const AuditLimits& limits);

/// Name, value, unit and meaning of each entry, in print order (for `saltus info`, JSON and files).
struct AuditEntry {
  std::string key;  // contract names of the scene format: max_penetration, energy_closure, …
  double value = 0;
  std::string unit;
  std::string meaning;
};
std::vector<AuditEntry> ListEntries(const Audit& audit);

}  // namespace saltus
