#include "saltus/simulation/audit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace saltus {
namespace {

/// Of the energies, that closure may be off by: about √steps of them add up.
constexpr double kRoundings = 1e4;

/// The energy that the entries of the ledger explain, J.
double CalcExplained(const StepWork& w) {
  return w.loads + w.drives - w.impact_loss - w.friction_loss - w.joint_friction_loss -
         w.contact_loss - w.decohesion_loss + w.lasting + w.projection;
}

void CheckLimit(const char* name, double value, const std::optional<double>& limit,
                const char* unit, std::vector<std::string>* violations) {
  if (!limit || value <= *limit) return;  // a NaN value fails the comparison and is reported
  char text[160];
  std::snprintf(text, sizeof(text), "%s = %.3e %s exceeds its limit %.3e %s", name, value, unit,
                *limit, unit);
  violations->push_back(text);
}

}  // namespace

double Audit::Closure() const {
  return final_energy.total() - initial_energy.total() - CalcExplained(work);
}

double Audit::RelativeClosure() const {
  const double closure = std::abs(Closure());
  if (closure == 0) return 0;
  // Where hardly any energy changes hands, the rounding of its amount is judged by the amount.
  const double amount =
      std::abs(final_energy.kinetic) + std::abs(final_energy.potential) + final_energy.elastic;
  const bool is_rounding = closure <= kRoundings * std::numeric_limits<double>::epsilon() * amount;
  const double scale = is_rounding ? std::max(turnover, amount) : turnover;
  return scale > 0 ? closure / scale : 0.0;
}

void Audit::AddStep(const StepReport& report, const Energy& before, const Energy& after) {
  max_penetration = std::max(max_penetration, report.max_penetration);
  max_constraint = std::max(max_constraint, report.max_constraint);
  max_constraint_rate = std::max(max_constraint_rate, report.max_constraint_rate);
  max_complementarity = std::max(max_complementarity, report.max_complementarity);
  max_cone_residual = std::max(max_cone_residual, report.solver_residual);
  work += report.work;
  // Checkpoints and result files hold no entry of its own for it: it counts as projection.
  work.projection += work.lasting;
  work.lasting = 0;
  turnover += std::abs(after.kinetic - before.kinetic) +
              std::abs(after.potential - before.potential) +
              std::abs(after.elastic - before.elastic);
  final_energy = after;
  max_closure = std::max(max_closure, std::abs(Closure()));
  ++steps;
  events += report.impacts;
  newton_iterations += report.newton_iterations;
  solver_iterations += report.solver_iterations;
}

std::vector<std::string> FindViolations(const Audit& audit, const AuditLimits& limits) {
  std::vector<std::string> found;
  CheckLimit("max_penetration", audit.max_penetration, limits.max_penetration, "m", &found);
  CheckLimit("max_constraint", audit.max_constraint, limits.max_constraint, "m", &found);
  CheckLimit("max_constraint_rate", audit.max_constraint_rate, limits.max_constraint_rate, "m/s",
             &found);
  CheckLimit("max_complementarity", audit.max_complementarity, limits.max_complementarity, "J",
             &found);
  CheckLimit("energy_closure", audit.RelativeClosure(), limits.energy_closure, "of the turnover",
             &found);
  return found;
}

std::vector<AuditEntry> ListEntries(const Audit& a) {
  return {
      {"max_penetration", a.max_penetration, "m", "deepest overlap at the end of any step"},
      {"max_constraint", a.max_constraint, "m|rad", "largest joint error |g|"},
      {"max_constraint_rate", a.max_constraint_rate, "m/s|rad/s",
       "largest joint velocity error |G v + g_t|"},
      {"max_complementarity", a.max_complementarity, "J", "largest |P_N (u_N + e u_N-)|"},
      {"max_cone_residual", a.max_cone_residual, "1", "largest relative natural-map residual"},
      {"energy_initial", a.initial_energy.total(), "J", "kinetic + potential + elastic, start"},
      {"energy_final", a.final_energy.total(), "J", "kinetic + potential + elastic, end"},
      {"energy_kinetic", a.final_energy.kinetic, "J", "kinetic energy at the end"},
      {"energy_potential", a.final_energy.potential, "J", "potential energy at the end"},
      {"energy_elastic", a.final_energy.elastic, "J", "elastic energy at the end"},
      {"work_loads", a.work.loads, "J", "work of loads, dampers and torques"},
      {"work_drives", a.work.drives, "J", "work of prescribed motions"},
      {"loss_impact", a.work.impact_loss, "J", "lost in normal impacts"},
      {"loss_friction", a.work.friction_loss, "J", "lost in contact friction"},
      {"loss_joint_friction", a.work.joint_friction_loss, "J", "lost in joint friction"},
      {"loss_contact", a.work.contact_loss, "J",
       "lost in dampers and friction of compliant contacts"},
      {"loss_decohesion", a.work.decohesion_loss, "J", "spent on breaking bonds"},
      {"energy_projection", a.work.projection, "J", "changed by position projection"},
      {"energy_closure", a.RelativeClosure(), "1", "unexplained energy / turnover"},
      {"energy_closure_joule", a.Closure(), "J", "unexplained energy"},
      {"energy_turnover", a.turnover, "J", "energy that changed hands"},
      {"steps", static_cast<double>(a.steps), "1", "accepted steps"},
      {"rejected", static_cast<double>(a.rejected), "1", "rejected steps"},
      {"flagged", static_cast<double>(a.flagged), "1", "steps accepted above tolerance"},
      {"at_min_step", static_cast<double>(a.at_min_step), "1",
       "smallest adaptive steps accepted above tolerance"},
      {"min_step", a.min_step, "s", "smallest adaptive step, 0 if steps are constant"},
      {"events", static_cast<double>(a.events), "1", "impacts"},
      {"newton_iterations", static_cast<double>(a.newton_iterations), "1", "Newton iterations"},
      {"solver_iterations", static_cast<double>(a.solver_iterations), "1",
       "contact solver iterations"},
      {"wall_time", a.wall_time, "s", "time spent in steps"},
  };
}

}  // namespace saltus
