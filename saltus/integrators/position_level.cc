#include "saltus/integrators/position_level.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/dynamics/contact_memory.h"
#include "saltus/linalg/diagonal.h"

namespace saltus {

void PositionLevel::Begin(System& system, double h) {
  report.status = StepStatus::kOk;
  report.culprit.clear();
  report.step = h;
  report.newton_iterations = report.solver_iterations = report.impacts = 0;
  report.solver_residual = report.max_penetration = report.max_complementarity = 0;
  report.max_constraint = report.max_constraint_rate = 0;
  report.work = StepWork{};
  report.contacts.clear();
  solver_ok_ = true;
  if (system_ == &system && kkt && M.shared_pattern() == system.pattern()) return;
  system_ = &system;
  M = BlockMatrix(system.pattern());
  K = BlockMatrix(system.pattern());
  D = BlockMatrix(system.pattern());
  S = BlockMatrix(system.pattern());
  // As in Moreau–Jean: pivots are chosen at the initial state, so that a restart repeats the run.
  const State initial = system.MakeInitialState();
  G.resize(system.traits().num_constraints, system.traits().num_velocities);
  if (G.rows() > 0) system.CalcConstraintJacobian(initial.time, initial.q, &G);
  kkt.emplace(system.pattern(), G);
  system.CalcMass(initial.q, &M);
  kkt->Factor(M, G);
}

double PositionLevel::CalcMargin(const System& system, const VectorX& q, const VectorX& v,
                                 const VectorX& f, double h) {
  acceleration_ = f;
  DivideByDiagonal(M, &acceleration_);
  return 2 * h * (system.CalcSpeedBound(q, v) + h * system.CalcSpeedBound(q, acceleration_)) + 1e-9;
}

ContactKey PositionLevel::key(int block) const {
  return block < problem.num_contacts() ? contacts.contacts[block].key
                                        : contacts.frictions[block - problem.num_contacts()].key;
}

void PositionLevel::ClearContacts() {
  contacts.Clear();
  active_.clear();
  problem.SetRows(contacts, active_, ContactProblem::Rows::kAll);
  r.resize(0);
}

/// Laws that are not those of a position-level scheme.
void PositionLevel::RefuseLaws(const Contact& contact) const {
  const bool poisson = contact.poisson > 0;
  if (!poisson && !contact.associated && contact.angular == 0) return;
  throw InputError("contact '" + system_->ContactName(contact.key) + "'",
                   poisson              ? "has restitution_law: poisson"
                   : contact.associated ? "has friction_law: associated"
                                        : "has rolling or spinning friction",
                   "position-level schemes cannot treat it: choose moreau-jean or nonsmooth-alpha");
}

void PositionLevel::Refind(const std::function<void(ContactSet*)>& find) {
  old_.clear();
  for (int i = 0; i < problem.num_blocks(); ++i) {
    Vector3 p = Vector3::Zero();
    p.head(problem.cone(i).dimension) = r.segment(problem.offset(i), problem.cone(i).dimension);
    if (!p.isZero(0)) old_.emplace_back(key(i), p);
  }
  const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::sort(old_.begin(), old_.end(), less);
  find(&contacts);
  for (const Contact& c : contacts.contacts) RefuseLaws(c);
  active_.resize(contacts.contacts.size());
  std::iota(active_.begin(), active_.end(), 0);
  problem.SetRows(contacts, active_, ContactProblem::Rows::kAll);
  r.setZero(problem.size());
  for (int i = 0; i < problem.num_blocks() && !old_.empty(); ++i) {
    const std::pair<ContactKey, Vector3> wanted{key(i), Vector3::Zero()};
    const auto found = std::lower_bound(old_.begin(), old_.end(), wanted, less);
    if (found == old_.end() || found->first != wanted.first) continue;
    r.segment(problem.offset(i), problem.cone(i).dimension) =
        found->second.head(problem.cone(i).dimension);
  }
}

bool PositionLevel::Solve(const VectorX& rhs, const VectorX& c, const VectorX& b,
                          double bound_scale, VectorX* delta) {
  if (!kkt->Factor(S, G)) return false;
  if (!kkt->Solve(rhs, c, &delta_free_, &lambda_free_)) {
    if (kkt->outcome() != KktOutcome::kInconsistent) return false;
    report.status = StepStatus::kConstraintFailed;
  }
  *delta = delta_free_;
  lambda = lambda_free_;
  if (problem.num_blocks() == 0) return delta->allFinite();
  problem.FormDelassus(*kkt);
  problem.SetFrictionBounds(bound_scale, lambda_free_);
  problem.CalcVelocity(delta_free_, &u_);
  problem.problem().b = u_ + b;
  const SolveReport solve = solver->Solve(problem.problem(), &r);
  report.solver_iterations += solve.iterations;
  report.solver_residual = solve.residual.relative;
  solver_ok_ = solve.ok();
  worst_block_ = solve.residual.worst_block;
  if (solve.status == SolveStatus::kNotFinite) return false;
  rhs_ = rhs;
  problem.AddForce(r, &rhs_);
  kkt->Solve(rhs_, c, delta, &lambda);
  return delta->allFinite();
}

bool PositionLevel::LawHolds(const VectorX& w, double tolerance) const {
  for (int i = 0; i < problem.num_contacts(); ++i) {
    const int o = problem.offset(i);
    if (w[o] < -tolerance || (r[o] > 0 && w[o] > tolerance)) return false;
  }
  return true;
}

void PositionLevel::Finish(System& system, double h, const VectorX& q, const VectorX& v,
                           double to_impulse, State* state) {
  if (report.status == StepStatus::kOk && !solver_ok_) {
    report.status = StepStatus::kSolverNotConverged;
  }
  ReportContacts(*state, v, to_impulse);
  ReportWork(system, *state, h, q, v, to_impulse);
  ReportErrors(system, state->time + h, q, v, h, to_impulse);
  report.constraint_impulse = to_impulse * lambda;
  Remember(to_impulse, state);
  state->time += h;
  state->q = q;
  state->v = v;
  report.work.decohesion_loss = system.EndStep(state);
  if (report.status == StepStatus::kSolverNotConverged && worst_block_ >= 0 &&
      worst_block_ < problem.num_contacts()) {
    report.culprit = "worst at contact '" + system.ContactName(key(worst_block_)) + "'; ";
  }
  if (!report.ok()) report.culprit += "try a smaller step or on_failure: halve";
}

void PositionLevel::ReportContacts(const State& start, const VectorX& v, double to_impulse) {
  problem.CalcVelocity(v, &u_);
  problem.CalcVelocity(start.v, &u_minus_);
  for (int i = 0; i < problem.num_contacts(); ++i) {
    const Contact& c = contacts.contacts[i];
    const int o = problem.offset(i);
    const int d = problem.cone(i).dimension;
    if (!(r[o] > 0)) continue;  // a candidate that stayed open
    const bool closed_before = FindMemory(start.contacts, c.key) != nullptr;
    ContactResult result;
    result.key = c.key;
    result.dimension = c.dimension;
    result.gap = c.gap;
    result.point = c.point;
    result.frame = c.frame;
    result.impulse.head(d) = to_impulse * r.segment(o, d);
    result.velocity.head(d) = u_.segment(o, d) + c.bias.head(d);
    // An impact: newly closed, and the velocity jumps against the motion.
    result.impact = !closed_before && u_minus_[o] + c.bias[0] < 0;
    if (result.impact) ++report.impacts;
    report.contacts.push_back(result);
  }
}

void PositionLevel::ReportWork(System& system, const State& start, double h, const VectorX& q,
                               const VectorX& v, double to_impulse) {
  StepWork& work = report.work;
  v_mid_ = 0.5 * (start.v + v);
  problem.CalcVelocity(v_mid_, &u_);
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const int o = problem.offset(i);
    const int d = problem.cone(i).dimension;
    const double total = -to_impulse * r.segment(o, d).dot(u_.segment(o, d));
    if (i >= problem.num_contacts()) {
      work.joint_friction_loss += total;
      continue;
    }
    const double normal = -to_impulse * r[o] * u_[o];
    work.impact_loss += normal;
    work.friction_loss += total - normal;
  }
  CalcLoadWork(system, start, h, 0.5, q, v, &scratch_, &work);
}

void PositionLevel::ReportErrors(System& system, double t, const VectorX& q, const VectorX& v,
                                 double h, double to_impulse) {
  if (system.traits().has_contacts) {
    system.FindContacts(t, q, 1e-9 + 1e-3 * h, &penetrated_);
    for (const Contact& c : penetrated_.contacts) {
      report.max_penetration = std::max(report.max_penetration, -c.gap);
    }
    for (int i = 0; i < problem.num_contacts(); ++i) {
      // Mean force times gap: zero if the position law holds.
      report.max_complementarity =
          std::max(report.max_complementarity,
                   std::abs(to_impulse / h * r[problem.offset(i)] * contacts.contacts[i].gap));
    }
  }
  if (system.traits().num_constraints == 0) return;
  system.CalcConstraint(t, q, &g_);
  report.max_constraint = g_.lpNorm<Eigen::Infinity>();
  system.CalcConstraintJacobian(t, q, &G);
  system.CalcConstraintRate(t, q, &g_t_);
  scratch_ = G * v_mid_;
  for (Eigen::Index i = 0; i < g_t_.size(); ++i) {
    if (g_t_[i] != 0) report.work.drives += to_impulse * lambda[i] * scratch_[i];
  }
  scratch_ = G * v + g_t_;
  report.max_constraint_rate = scratch_.lpNorm<Eigen::Infinity>();
}

void PositionLevel::Remember(double to_impulse, State* state) const {
  state->contacts.clear();
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const int d = problem.cone(i).dimension;
    ContactMemory memory;
    memory.key = key(i);
    memory.impulse.head(d) = to_impulse * r.segment(problem.offset(i), d);
    if (memory.impulse.isZero(0)) continue;
    if (i < problem.num_contacts()) memory.impulse = contacts.contacts[i].frame * memory.impulse;
    state->contacts.push_back(memory);
  }
  std::sort(state->contacts.begin(), state->contacts.end(),
            [](const ContactMemory& a, const ContactMemory& b) { return a.key < b.key; });
}

}  // namespace saltus
