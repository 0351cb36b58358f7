#include "saltus/simulation/audit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/simulation/ledger.h"

namespace saltus {
namespace {

/// Of the energies, that closure may be off by: about √steps of them add up.
constexpr double kRoundings = 1e4;

/// The energy that the entries of the ledger explain, J.
double CalcExplained(const StepWork& work) {
  double sum = 0;
  for (const LedgerEntry& entry : kLedger) sum += entry.sign * work.*entry.work;
  return sum;
}

double CalcAmount(const Energy& e) {
  return std::abs(e.kinetic) + std::abs(e.potential) + std::abs(e.elastic);
}

/// Both lists are sorted by key: a contact that sticks on adds to its path, one that begins to
/// stick starts at 0, all others are dropped.
void AddCreep(const StepReport& report, double time, Audit* audit) {
  std::vector<CreepPath>& paths = audit->creeping;
  const std::size_t num_before = paths.size();
  std::size_t old = 0;
  for (const ContactResult& contact : report.contacts) {
    if (!contact.sticks) continue;
    while (old < num_before && paths[old].key < contact.key) ++old;
    const bool goes_on = old < num_before && paths[old].key == contact.key;
    const double path = (goes_on ? paths[old].path : 0) + contact.creep;
    paths.push_back({contact.key, path});
    if (path > audit->max_creep) {
      audit->max_creep = path;
      audit->creep_at = {time, contact.key};
    }
  }
  paths.erase(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(num_before));
}

}  // namespace

double Audit::Closure() const {
  return final_energy.total() - initial_energy.total() - CalcExplained(work);
}

double Audit::CalcRelative(double energy) const {
  const double size = std::abs(energy);
  if (size == 0) return 0;
  const double amount =
      std::max({CalcAmount(initial_energy), CalcAmount(final_energy), energy_scale});
  const bool is_rounding = size <= kRoundings * std::numeric_limits<double>::epsilon() * amount;
  return size / (is_rounding ? std::max(turnover, amount) : turnover);
}

void Audit::AddStep(const StepReport& report, const Energy& before, const Energy& after,
                    double time) {
  const auto raise = [](double value, double* largest) {
    if (value > *largest) *largest = value;
    return value == *largest && value > 0;
  };
  const double closure_before = Closure();
  raise(report.max_penetration, &max_penetration);
  raise(report.max_constraint, &max_constraint);
  raise(report.max_constraint_rate, &max_constraint_rate);
  raise(report.max_complementarity, &max_complementarity);
  raise(report.solver_residual, &max_cone_residual);
  if (raise(report.solver_error, &max_solver_error)) solver_error_at.time = time;
  tunnelled += report.tunnelled;
  AddCreep(report, time, this);
  work += report.work;
  turnover += std::abs(after.kinetic - before.kinetic) +
              std::abs(after.potential - before.potential) +
              std::abs(after.elastic - before.elastic);
  final_energy = after;
  raise(std::abs(Closure()), &max_closure);
  if (raise(std::abs(Closure() - closure_before), &worst_step_closure)) worst_step_time = time;
  ++steps;
  events += report.impacts;
  newton_iterations += report.newton_iterations;
  solver_iterations += report.solver_iterations;
}

std::vector<AuditEntry> ListEntries(const Audit& a) {
  std::vector<AuditEntry> entries = {
      {"max_penetration", a.max_penetration, "m", "deepest overlap at the end of any step"},
      {"max_constraint", a.max_constraint, "m|rad", "largest joint error |g|"},
      {"max_constraint_rate", a.max_constraint_rate, "m/s|rad/s",
       "largest joint velocity error |G v + g_t|"},
      {"max_complementarity", a.max_complementarity, "J", "largest |P_N (u_N + e u_N-)|"},
      {"max_cone_residual", a.max_cone_residual, "1", "largest relative natural-map residual"},
      {"max_solver_error", a.max_solver_error, "m/s", "largest error of a contact law"},
      {"max_creep", a.max_creep, "m", "longest path of a contact point that sticks"},
      {"tunnelled", static_cast<double>(a.tunnelled), "1", "pairs that passed through each other"},
      {"energy_initial", a.initial_energy.total(), "J", "kinetic + potential + elastic, start"},
      {"energy_final", a.final_energy.total(), "J", "kinetic + potential + elastic, end"},
      {"energy_kinetic", a.final_energy.kinetic, "J", "kinetic energy at the end"},
      {"energy_potential", a.final_energy.potential, "J", "potential energy at the end"},
      {"energy_elastic", a.final_energy.elastic, "J", "elastic energy at the end"},
  };
  for (const LedgerEntry& entry : kLedger) {
    entries.push_back({entry.audit_key, a.work.*entry.work, "J", entry.meaning});
  }
  const std::vector<AuditEntry> rest = {
      {"projection_relative", a.CalcRelative(a.work.projection), "1",
       "energy changed by projection / turnover"},
      {"lasting_relative", a.CalcRelative(a.work.lasting), "1",
       "work of normal forces without impact / turnover"},
      {"energy_closure", a.RelativeClosure(), "1", "unexplained energy / turnover"},
      {"energy_closure_joule", a.Closure(), "J", "unexplained energy"},
      {"energy_turnover", a.turnover, "J", "energy that changed hands"},
      {"worst_step_closure", a.worst_step_closure, "J", "largest unexplained energy of one step"},
      {"worst_step_time", a.worst_step_time, "s", "end of that step"},
      {"steps", static_cast<double>(a.steps), "1", "accepted steps"},
      {"rejected", static_cast<double>(a.rejected), "1", "rejected steps"},
      {"flagged", static_cast<double>(a.flagged), "1", "failed steps accepted by on_failure: flag"},
      {"at_min_step", static_cast<double>(a.at_min_step), "1",
       "smallest adaptive steps accepted above tolerance"},
      {"min_step", a.min_step, "s", "smallest adaptive step, 0 if steps are constant"},
      {"events", static_cast<double>(a.events), "1", "impacts"},
      {"newton_iterations", static_cast<double>(a.newton_iterations), "1", "Newton iterations"},
      {"solver_iterations", static_cast<double>(a.solver_iterations), "1",
       "contact solver iterations"},
      {"wall_time", a.wall_time, "s", "time spent in steps"},
  };
  entries.insert(entries.end(), rest.begin(), rest.end());
  return entries;
}

}  // namespace saltus
