#include "saltus/integrators/integrator.h"

#include <cstdio>

namespace saltus {

const char* StatusName(StepStatus status) {
  switch (status) {
    case StepStatus::kOk:
      return "ok";
    case StepStatus::kNewtonNotConverged:
      return "Newton's method did not converge";
    case StepStatus::kSolverNotConverged:
      return "the contact problem was not solved to tolerance";
    case StepStatus::kConstraintFailed:
      return "the joints are inconsistent";
    case StepStatus::kOverlap:
      return "bodies overlap";
    case StepStatus::kNotFinite:
      return "NaN or infinity";
  }
  return "unknown";
}

std::string DescribeUnsolved(const System& system, double residual, const ContactKey* worst) {
  char text[48];
  std::snprintf(text, sizeof(text), "residual %.1e, worst at ", residual);
  return text +
         (worst != nullptr ? "contact '" + system.ContactName(*worst) + "'" : "a joint friction") +
         "; try a larger solver.max_iterations or solver.tolerance, a smaller step, "
         "or on_failure: flag";
}

void StepReport::Clear(double h) {
  status = StepStatus::kOk;
  culprit.clear();
  step = h;
  newton_iterations = solver_iterations = impacts = tunnelled = 0;
  solver_residual = solver_error = 0;
  max_penetration = max_constraint = max_constraint_rate = max_complementarity = 0;
  work = StepWork{};
  contacts.clear();
}

StepWork& StepWork::operator+=(const StepWork& other) {
  loads += other.loads;
  drives += other.drives;
  impact_loss += other.impact_loss;
  friction_loss += other.friction_loss;
  joint_friction_loss += other.joint_friction_loss;
  lasting += other.lasting;
  projection += other.projection;
  contact_loss += other.contact_loss;
  decohesion_loss += other.decohesion_loss;
  return *this;
}

void CalcLoadWork(const System& system, const State& start, double h, double theta,
                  const VectorX& q, const VectorX& v, VectorX* scratch, StepWork* work) {
  const auto power = [&] { return 0.5 * (scratch->dot(start.v) + scratch->dot(v)); };
  const double t = start.time + h;
  system.CalcNonconservativeForce(start.time, start.q, start.v, scratch);
  double total = (1 - theta) * power();
  system.CalcNonconservativeForce(t, q, v, scratch);
  total += theta * power();
  double by_contacts = 0;
  if (system.traits().has_contact_forces) {
    system.CalcContactForce(start.time, start.q, start.v, scratch);
    by_contacts = (1 - theta) * power();
    system.CalcContactForce(t, q, v, scratch);
    by_contacts += theta * power();
  }
  work->loads = h * (total - by_contacts);
  work->contact_loss = -h * by_contacts;
}

}  // namespace saltus
