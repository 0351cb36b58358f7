#include "saltus/integrators/alpha_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "saltus/linalg/rank.h"

namespace saltus {
namespace {

/// P_T inside its cone by this share of its radius: the contact sticks.
constexpr double kInside = 1e-6;
/// Rows of joints that depend on each other but for this share: near a singular position.
constexpr double kSingular = 0.02;

bool Sticks(const Contact& c, const ContactUnknown& known) {
  if (!(known.P[0] > 0) || !(c.friction > 0) || c.dimension < 2) return false;
  const Vector6 P = known.P - known.c;
  return P.segment(1, c.dimension - 1).norm() <= (1 - kInside) * c.friction * P[0];
}

/// Joints whose rows become dependent at q_n, at the end of an explicit step, or at the last
/// iterate: names, or nothing.
std::string NameSingularJoints(const System& system, const AlphaStart& start, const VectorX& q) {
  const State initial = system.MakeInitialState();
  SparseRows G(system.traits().num_constraints, system.traits().num_velocities);
  system.CalcConstraintJacobian(initial.time, initial.q, &G);
  const std::vector<int> always = FindRedundantRows(G);
  VectorX ahead;
  system.Retract(start.state->q, start.h * start.state->v, &ahead);
  std::string names;
  for (const VectorX* at : {&start.state->q, &std::as_const(ahead), &q}) {
    if (!at->allFinite()) continue;
    system.CalcConstraintJacobian(start.t, *at, &G);
    for (const int row : FindRedundantRows(G, VectorX(), kSingular)) {
      if (std::find(always.begin(), always.end(), row) != always.end()) continue;
      const std::string name = "'" + system.ConstraintName(row) + "'";
      if (names.find(name) == std::string::npos) names += (names.empty() ? "" : ", ") + name;
    }
  }
  return names;
}

}  // namespace

void ResetReport(double h, StepReport* report) {
  std::vector<ContactResult> contacts;
  contacts.swap(report->contacts);
  contacts.clear();
  *report = StepReport{};
  report->contacts.swap(contacts);
  report->step = h;
}

void ReportContacts(System& system, const AlphaStart& start, const AlphaIterate& x,
                    const AlphaContacts& contacts, StepReport* report, VectorX* nu) {
  VectorX way;
  system.CalcDifference(start.state->q, x.q, &way);
  nu->resize(contacts.size());
  auto memory = start.state->contacts.begin();
  int count = 0;
  for (int i = 0; i < contacts.size(); ++i) {
    const ContactUnknown& known = contacts.unknowns()[i];
    if (!known.active) continue;
    const Contact& c = contacts.set().contacts[i];
    while (memory != start.state->contacts.end() && memory->key < c.key) ++memory;
    const bool loaded_before = memory != start.state->contacts.end() && memory->key == c.key;
    ContactResult result;
    result.key = c.key;
    result.dimension = c.dimension;
    result.gap = c.gap;
    result.point = c.point;
    result.frame = c.frame;
    Vector3 spin;
    SplitRows(c, known.P, c.rows(), &result.impulse, &result.moment);
    SplitRows(c, CalcVelocity(contacts.set(), c, x.v), c.rows(), &result.velocity, &spin);
    // An impact: newly closed, and approaching faster than the forces of one step explain.
    const Vector6 u_smooth = CalcVelocity(contacts.set(), c, x.v_smooth);
    const double by_forces = std::abs(u_smooth[0] - known.u_start[0]);
    result.impact = known.P[0] > 0 && !loaded_before && -known.u_start[0] > by_forces;
    if (result.impact) ++report->impacts;
    result.sticks = Sticks(c, known);
    if (result.sticks && loaded_before) {
      const Vector6 move = contacts.CalcMeanRows(i, {way, way, way});
      const int d = c.dimension - 1;
      result.creep = (move.segment(1, d) + start.h * c.bias.segment(1, d)).norm();
    }
    report->max_complementarity = std::max(
        report->max_complementarity, std::abs(known.P[0] * (result.velocity[0] + known.shift)));
    report->contacts.push_back(result);
    (*nu)[count++] = known.nu;
  }
  nu->conservativeResize(count);
}

void ReportWork(System& system, const AlphaStart& start, const AlphaTerms& terms,
                const AlphaIterate& x, const AlphaContacts& contacts, StepReport* report) {
  StepWork& work = report->work;
  const double h = start.h;
  const AlphaContacts::Motion v_mean = contacts.CalcMotion(0.5 * (start.state->v + x.v));
  bool pushed = false;
  for (int i = 0; i < contacts.size(); ++i) {
    const ContactUnknown& known = contacts.unknowns()[i];
    pushed = pushed || known.loaded();
    if (known.P.isZero(0)) continue;
    const Vector6 u = contacts.CalcMeanRows(i, v_mean);
    (known.smooth ? work.lasting : work.impact_loss) += (known.smooth ? 1 : -1) * known.P[0] * u[0];
    work.friction_loss -= known.P.tail<5>().dot(u.tail<5>());
  }
  Eigen::Index o = 0;
  const VectorX& friction = contacts.friction_impulses();
  for (std::size_t i = 0; i < contacts.set().frictions.size() && o < friction.size(); ++i) {
    const int d = contacts.set().frictions[i].dimension;
    const Vector3 u = contacts.CalcMeanFrictionRows(static_cast<int>(i), v_mean);
    work.joint_friction_loss -= friction.segment(o, d).dot(u.head(d));
    o += d;
  }
  VectorX scratch;
  CalcLoadWork(system, *start.state, h, 0.5, x.q, x.v, &scratch, &work);
  report->constraint_impulse = x.Lambda + h * x.lambda;
  if (terms.has_joints()) {
    // λ̃ by the trapezoidal rule, Λ on what the mean velocity does along its rows.
    work.drives = 0.5 * h * (start.drive_power - x.lambda.dot(terms.g_t));
    const VectorX rates = contacts.CalcMeanJointRows(terms.G, v_mean);
    for (Eigen::Index i = 0; i < rates.size(); ++i) {
      if (terms.g_t[i] != 0 || start.g_t[i] != 0) work.drives += x.Lambda[i] * rates[i];
    }
  }
  if (pushed) {
    VectorX q;
    system.Retract(start.state->q, h * v_mean.x, &q);
    work.projection =
        system.CalcEnergy(start.t, x.q, x.v).total() - system.CalcEnergy(start.t, q, x.v).total();
  }
}

void RememberContacts(const AlphaContacts& contacts, State* state) {
  state->contacts.clear();
  for (int i = 0; i < contacts.size(); ++i) {
    const ContactUnknown& known = contacts.unknowns()[i];
    if (known.P.isZero(0)) continue;
    const Contact& c = contacts.set().contacts[i];
    state->contacts.push_back(MakeMemory(c, known.P, c.rows()));
  }
  Eigen::Index o = 0;
  const VectorX& P = contacts.friction_impulses();
  for (const DryFriction& friction : contacts.set().frictions) {
    if (o + friction.dimension > P.size()) break;
    ContactMemory memory;
    memory.key = friction.key;
    memory.impulse.head(friction.dimension) = P.segment(o, friction.dimension);
    o += friction.dimension;
    if (!memory.impulse.isZero(0)) state->contacts.push_back(memory);
  }
  std::sort(state->contacts.begin(), state->contacts.end(),
            [](const ContactMemory& a, const ContactMemory& b) { return a.key < b.key; });
}

std::string DescribeFailure(const System& system, const AlphaStart& start, const AlphaTerms& terms,
                            const VectorX& q, const AlphaContacts& contacts,
                            const LevelOutcome& velocities, const StepReport& report) {
  if (report.status == StepStatus::kSolverNotConverged) {
    return DescribeUnsolved(system, velocities.residual,
                            velocities.worst ? &*velocities.worst : nullptr);
  }
  const char advice[] = "try a smaller step or on_failure: halve";
  if (report.tunnelled > 0) {
    return std::to_string(report.tunnelled) + " pairs of bodies pass through each other; " + advice;
  }
  if (terms.has_joints()) {
    const std::string singular = NameSingularJoints(system, start, q);
    if (!singular.empty()) return "singular position of joints " + singular + "; " + advice;
  }
  const Contact* deepest = nullptr;
  for (const Contact& c : contacts.set().contacts) {
    if (deepest == nullptr || c.gap < deepest->gap) deepest = &c;
  }
  if (deepest != nullptr && -deepest->gap > std::max(1e-10, report.max_constraint)) {
    char text[64];
    std::snprintf(text, sizeof(text), "penetration %.1e m at contact '", -deepest->gap);
    return text + system.ContactName(deepest->key) + "'; " + advice;
  }
  if (!terms.has_joints()) return advice;
  Eigen::Index worst = 0;
  (terms.g.cwiseAbs()).maxCoeff(&worst);
  return "largest joint error at '" + system.ConstraintName(static_cast<int>(worst)) + "'; " +
         advice;
}

}  // namespace saltus
