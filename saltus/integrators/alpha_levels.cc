#include "saltus/integrators/alpha_levels.h"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

/// Position problems with many contacts are solved to this share of the error of the gaps: their
/// rows at the next iterate differ by about as much. Coarse velocity problems are solved to
/// kCoarse, relative.
constexpr double kForcing = 1e-3, kCoarse = 1e-4;
/// The share of the tolerance of the gaps that a solver may leave.
constexpr double kFinal = 0.01;
/// A velocity problem is accepted if no law is broken by more than this share of what the forces do
/// in one step. The error is reported.
constexpr double kAccepted = 1e-2;
/// Poisson's law acts on contacts that approach faster than this share of what forces do in a step.
constexpr double kSlowImpact = 0.01;

/// u += H'v of (20) in the rows of a velocity problem.
void AddRowRates(const TurningTerms& turning, const std::vector<int>& active,
                 const ContactProblem& problem, VectorX* u) {
  const ContactSet& rates = *turning.contacts;
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const int d = problem.cone(i).dimension, f = i - problem.num_contacts();
    const Vector6 rate = f < 0 ? CalcVelocity(rates, rates.contacts[active[i]], turning.v)
                               : CalcRows(rates, rates.frictions[f], d, turning.v);
    u->segment(problem.offset(i), d) += rate.head(d);
  }
}

/// P, u and the shift of û from the rows of a velocity problem.
void TakeImpulses(const ContactProblem& problem, const std::vector<int>& active, const VectorX& P,
                  const VectorX& u, const VectorX& shift, std::vector<ContactUnknown>* unknowns) {
  for (ContactUnknown& unknown : *unknowns) {
    unknown.P.setZero();
    if (!unknown.active) unknown.c.setZero();
  }
  for (int i = 0; i < problem.num_contacts(); ++i) {
    const int d = problem.cone(i).dimension, o = problem.offset(i);
    ContactUnknown& unknown = (*unknowns)[active[i]];
    unknown.P.head(d) = P.segment(o, d);
    unknown.shift = shift[o];
    unknown.u.head(d) = u.segment(o, d);
  }
}

bool HasRestitution(const Contact& c) {
  return c.restitution != 0 || c.restitution_tangential != 0;
}

}  // namespace

ContactLevel::ContactLevel(const std::string& solver, const ConicSolverOptions& options)
    : solver_(MakeConicSolver(solver, options)) {}

void ContactLevel::SolveFree(const KktSolver& kkt, const VectorX& force, const VectorX& rows) {
  force_ = force;
  rows_ = rows;
  if (rows.size() > 0 || !force.isZero(0)) {
    kkt.Solve(force_, rows_, &X_, &multipliers_);
  } else {
    X_.setZero(force.size());
    multipliers_.resize(0);
  }
}

VectorX ContactLevel::CalcMotion(const SmoothNewton& smooth, const DelassusCorrection* coupling,
                                 const VectorX& base, const VectorX& X_before) const {
  VectorX motion = base + X_;
  if (coupling != nullptr) motion -= smooth.CalcCoupling(*coupling, X_ - X_before);
  return motion;
}

LevelOutcome ContactLevel::SolveContacts(const KktSolver& kkt, const DelassusCorrection* coupling,
                                         const VectorX& fixed, const SolveTarget& target,
                                         VectorX* r) {
  problem_.FormDelassus(kkt, coupling);
  ConicProblem& problem = problem_.problem();
  if (!fixed.isZero(0)) {
    VectorX by_fixed;
    problem.A->Multiply(fixed, &by_fixed);
    problem.b += by_fixed;
  }
  const SolveReport report = solver_->Solve(problem, target, r);
  LevelOutcome outcome;
  outcome.finite = report.status != SolveStatus::kNotFinite;
  outcome.solved = report.accepted();
  outcome.residual = report.residual.relative;
  outcome.error = report.error;
  outcome.worst_block = report.worst_block;
  outcome.iterations = report.iterations;
  if (!outcome.finite) return outcome;
  problem_.AddForce(*r + fixed, &force_);
  kkt.Solve(force_, rows_, &X_, &multipliers_);
  return outcome;
}

AlphaLevels::AlphaLevels(const NonsmoothAlphaOptions& options)
    : modified_(options.position_law == NonsmoothAlphaOptions::PositionLaw::kModifiedLcp),
      position_tolerance_(options.position_tolerance),
      target_(MakeTarget(options.solver_options)),
      positions_(options.solver, options.solver_options),
      velocities_(options.solver, options.solver_options) {}

/// Contacts that the motion without ν closes, up to the deepest penetration; others that the push
/// closes are found at the next iterate, and stay.
std::vector<int> AlphaLevels::ChooseCandidates(const VectorX& gaps, AlphaContacts* contacts) const {
  std::vector<int> candidates;
  const double depth = gaps.size() > 0 ? -gaps.minCoeff() : 0;
  if (!(depth > 0)) return candidates;
  for (int i = 0; i < contacts->size(); ++i) {
    ContactUnknown& unknown = contacts->unknowns()[i];
    unknown.candidate = unknown.candidate || gaps[i] <= depth || unknown.nu > 0 ||
                        contacts->set().contacts[i].gap < 0;
    if (unknown.candidate) candidates.push_back(i);
  }
  return candidates;
}

LevelOutcome AlphaLevels::SolvePositions(const AlphaStart& start, const AlphaTerms& terms,
                                         SmoothNewton& smooth, const KktSolver& kkt,
                                         const VectorX& force, const TurningTerms* turning,
                                         double error, const AlphaIterate& x,
                                         AlphaContacts* contacts, VectorX* dv, AlphaIterate* next) {
  const double h = start.h;
  const ContactSet& set = contacts->set();
  std::vector<ContactUnknown>& unknowns = contacts->unknowns();
  const DelassusCorrection* coupling =
      &kkt == &smooth.metric() ? smooth.coupling(true, h) : nullptr;
  VectorX push = force;
  if (turning != nullptr) push += turning->push;
  contacts->AddSlipPush(&push);
  if (modified_) {  // (16): the part hP of ν = κ + hP
    for (int i = 0; i < contacts->size(); ++i) {
      const double known = h * unknowns[i].P[0];
      AddRows(set, set.contacts[i], 0, 1, 1, &known, &push);
    }
  }
  const auto calc_base = [&]() -> VectorX {  // to q̃, from the iterate
    VectorX base = smooth.CalcMove(h, *dv) - x.U;
    if (turning != nullptr) base += turning->offset;
    return base;
  };
  VectorX base = calc_base();
  VectorX rows(terms.g.size());
  if (terms.has_joints()) rows = -(terms.G * base) - terms.g;
  positions_.SolveFree(kkt, push, rows);
  VectorX motion = positions_.CalcMotion(smooth, coupling, base, x.U);
  VectorX gaps(contacts->size());
  for (int i = 0; i < contacts->size(); ++i) {
    gaps[i] = set.contacts[i].gap + CalcNormal(set, set.contacts[i], motion);
  }
  const std::vector<int> candidates = ChooseCandidates(gaps, contacts);
  LevelOutcome outcome;
  VectorX r(candidates.size());
  if (!candidates.empty()) {
    ContactProblem& problem = positions_.problem();
    problem.SetRows(set, candidates, ContactProblem::Rows::kNormalOnly);
    for (int k = 0; k < r.size(); ++k) {
      const ContactUnknown& known = unknowns[candidates[k]];
      problem.problem().b[k] = gaps[candidates[k]];
      r[k] = known.nu - (modified_ ? h * known.P[0] : 0);
    }
    SolveTarget target = target_;
    target.relative = 0;
    target.velocity_aim = kFinal * position_tolerance_;
    if (contacts->size() > kManyContacts) {
      target.velocity_aim = std::max(target.velocity_aim, kForcing * error);
    }
    outcome = positions_.SolveContacts(kkt, coupling, VectorX::Zero(r.size()), target, &r);
    if (!outcome.finite) return outcome;
  }
  for (ContactUnknown& unknown : unknowns) unknown.nu = modified_ ? h * unknown.P[0] : 0;
  for (int k = 0; k < r.size(); ++k) unknowns[candidates[k]].nu += r[k];
  next->U = positions_.X();
  next->nu = positions_.multipliers();
  if (coupling != nullptr) {  // hKΔU of (10)
    *dv -= h / coupling->factor * smooth.CalcCoupling(*coupling, next->U - x.U);
  }
  base = calc_base();
  motion = base + next->U;
  for (int i = 0; i < contacts->size(); ++i) {
    const Contact& c = set.contacts[i];
    unknowns[i].gap = c.gap + std::min(CalcNormal(set, c, base), CalcNormal(set, c, motion));
  }
  outcome.finite = next->U.allFinite();
  return outcome;
}

std::vector<int> AlphaLevels::ChooseActive(bool keep_active, AlphaContacts* contacts) const {
  std::vector<int> active;
  for (int i = 0; i < contacts->size(); ++i) {
    ContactUnknown& unknown = contacts->unknowns()[i];
    unknown.active = unknown.gap <= contacts->closed_gap() || (keep_active && unknown.was_active);
    unknown.was_active = unknown.was_active || unknown.active;
    if (unknown.active) active.push_back(i);
  }
  return active;
}

double AlphaLevels::CalcRebound(const AlphaContacts& contacts, int contact,
                                const VectorX& v_start) {
  const Contact& c = contacts.set().contacts[contact];
  const ContactUnknown& known = contacts.unknowns()[contact];
  const double rebound = c.restitution * known.u_start[0];
  if (rebound >= 0) return rebound;
  const double approach = CalcNormal(contacts.set(), c, v_start) + c.bias[0];
  return std::max(rebound, std::min(0.0, approach));
}

void AlphaLevels::FillLaws(const AlphaStart& start, const AlphaContacts& contacts,
                           const std::vector<int>& active, VectorX* bias, VectorX* shift) {
  const ContactProblem& problem = velocities_.problem();
  bias->setZero(problem.size());
  shift->setZero(problem.size());
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const Cone& cone = problem.cone(i);
    const int d = cone.dimension;
    if (i >= problem.num_contacts()) {
      const DryFriction& f = contacts.set().frictions[i - problem.num_contacts()];
      bias->segment(cone.offset, d) = f.bias.head(d);
      continue;
    }
    const Contact& c = contacts.set().contacts[active[i]];
    const int linear = std::min(d, c.dimension);  // the other rows are angular
    bias->segment(cone.offset, linear) = c.bias.head(linear);
    const ContactUnknown& known = contacts.unknowns()[active[i]];
    if (!HasRestitution(c)) continue;
    (*shift)[cone.offset] = CalcRebound(contacts, active[i], start.state->v);
    for (int k = 1; k < linear; ++k) {
      (*shift)[cone.offset + k] = c.restitution_tangential * known.u_start[k];
    }
  }
}

LevelOutcome AlphaLevels::SolveVelocities(const AlphaStart& start, const AlphaTerms& terms,
                                          SmoothNewton& smooth, const KktSolver& kkt,
                                          const VectorX& force, const TurningTerms* turning,
                                          bool keep_active, bool coarse, const AlphaIterate& x,
                                          AlphaContacts* contacts, VectorX* dv,
                                          AlphaIterate* next) {
  const double h = start.h;
  const ContactSet& set = contacts->set();
  std::vector<ContactUnknown>& unknowns = contacts->unknowns();
  const DelassusCorrection* coupling =
      &kkt == &smooth.metric() ? smooth.coupling(false, h) : nullptr;
  VectorX impulse = force;
  if (turning != nullptr) impulse += turning->impulse;
  contacts->AddMeanRows(terms.G, next->Lambda, &impulse);  // Λ of the pass before
  VectorX base = x.v_smooth + *dv;
  VectorX rows(terms.g.size());
  if (terms.has_joints()) rows = -(terms.G * base) - terms.g_t;
  if (terms.has_joints() && turning != nullptr) rows -= turning->joint_rates;
  velocities_.SolveFree(kkt, impulse, rows);

  ContactProblem& problem = velocities_.problem();
  const std::vector<int> active = ChooseActive(keep_active, contacts);
  problem.SetRows(set, active, ContactProblem::Rows::kAll);
  VectorX bias, shift, u;
  FillLaws(start, *contacts, active, &bias, &shift);
  if (turning != nullptr) AddRowRates(*turning, active, problem, &bias);
  VectorX poisson = VectorX::Zero(problem.size());
  const bool impact = impact_.Solve(set, active, kkt, start.state->v,
                                    kSlowImpact * start.force_speed, velocities_.solver());
  if (impact) {  // (19)
    poisson.head(impact_.impulse().size()) = impact_.impulse();
    for (int i = 0; i < problem.num_contacts(); ++i) {
      if (impact_.rebound()[i] > 0) shift[problem.offset(i)] = -impact_.rebound()[i];
    }
    problem.AddForce(poisson, &impulse);
    velocities_.SolveFree(kkt, impulse, rows);
  }
  LevelOutcome outcome;
  VectorX r = VectorX::Zero(problem.size()), c = r;
  if (problem.num_blocks() > 0) {
    const VectorX joints =
        terms.has_joints() ? VectorX(h * next->lambda + velocities_.multipliers()) : VectorX();
    problem.SetFrictionBounds(h, joints);
    const VectorX motion = velocities_.CalcMotion(smooth, coupling, base, x.W);
    problem.CalcVelocity(motion, &u);
    problem.problem().b = u + bias + shift;
    for (int i = 0; i < problem.num_contacts(); ++i) {
      const int d = problem.cone(i).dimension, o = problem.offset(i);
      const ContactUnknown& known = unknowns[active[i]];
      c.segment(o, d) = known.c.head(d);
      r.segment(o, d) = (known.P - known.c).head(d);
    }
    const Eigen::Index frictions = contacts->friction_impulses().size();
    r.tail(frictions) = contacts->friction_impulses();
    SolveTarget target = target_;
    target.velocity_limit = kAccepted * start.force_speed;
    if (coarse) target.relative = std::max(target.relative, kCoarse);
    outcome = velocities_.SolveContacts(kkt, coupling, c, target, &r);
    if (!outcome.finite) return outcome;
    outcome.solved = outcome.solved && (!impact || impact_.ok());
    if (outcome.worst_block >= 0 && outcome.worst_block < problem.num_contacts()) {
      outcome.worst = set.contacts[active[outcome.worst_block]].key;
    }
    contacts->friction_impulses() = r.tail(frictions);
  }
  next->W = velocities_.X();
  next->Lambda = velocities_.multipliers();
  if (coupling != nullptr) *dv -= smooth.CalcCoupling(*coupling, next->W - x.W);  // hDΔW of (10)
  base = x.v_smooth + *dv + next->W;
  problem.CalcVelocity(base, &u);
  u += bias;
  TakeImpulses(problem, active, r + c + poisson, u, shift, &unknowns);
  outcome.finite = next->W.allFinite();
  return outcome;
}

}  // namespace saltus
