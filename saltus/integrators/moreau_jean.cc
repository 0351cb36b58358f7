#include "saltus/integrators/moreau_jean.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/integrators/moreau_jean_stepper.h"

namespace saltus {
namespace {

using Rows = MoreauJeanOptions::Rows;
using Activation = MoreauJeanOptions::Activation;

/// Memory of the step before, for the first iterate.
const std::string kChange = "moreau-jean.change";  // v_n − v_{n−1}; 0 after impacts
const std::string kLambda = "moreau-jean.lambda";  // Λ

/// Share of the tolerance on gaps to which the law of positions is iterated.
constexpr double kPositionShare = 1e-2;
/// Corrections of positions after the velocities have converged.
constexpr int kMaxCorrections = 20;
/// Passes of each Coupling before the next is tried, should the velocities have stopped converging.
constexpr int kFreePasses = 3;
/// Growth of the velocity change over one iteration that no convergent iteration shows.
constexpr double kRunaway = 1e4;
/// Share of the velocities below which a change that stays the same is rounding: the effect of the
/// rounding of q, h K/M times as large as that of v, is far below it.
constexpr double kRounding = 1e-8;
/// Velocities settle to about this times the error of the laws.
constexpr double kSolverShare = 10;
/// Errors of joints that an accepted step may leave, relative to the size of q and to the
/// velocities.
constexpr double kJointTolerance = 1e-9;

MoreauJeanOptions Checked(MoreauJeanOptions o) {
  if (!(o.theta >= 0 && o.theta <= 1)) {
    throw InputError("theta", "is " + std::to_string(o.theta), "choose a value in [0, 1]");
  }
  if (!(o.gamma >= 0 && o.gamma <= 1)) {
    throw InputError("activation", "factor is " + std::to_string(o.gamma),
                     "choose free-end, none, half, full, linearized or a factor in [0, 1]");
  }
  if (o.activation == Activation::kDefault) {
    o.activation = o.projection ? Activation::kFreeEnd : Activation::kPredicted;
  }
  // The plain law of the literature bounces at any speed.
  if (!o.projection && o.restitution_threshold < 0) o.restitution_threshold = 0;
  return o;
}

}  // namespace

MoreauJean::Stepper::Stepper(const MoreauJeanOptions& options)
    : options_(Checked(options)),
      impact_solver_(MakeConicSolver(options.solver, options.solver_options)),
      laws_(options.solver, options.solver_options),
      position_(options.solver, options.solver_options,
                kPositionShare * options.projection_tolerance),
      net_(options.projection_tolerance, options.solver_options.stop) {}

const StepReport& MoreauJean::Stepper::Step(System& system, double h, State* state) {
  system.BeginStep(*state);
  report_.Clear(h);
  laws_.ClearCount();
  const bool turn = options_.theta == 0.5 && (options_.contact_rows == Rows::kMidpoint ||
                                              options_.contact_rows == Rows::kPredicted);
  equations_.Begin(system, *state, h, options_.theta, turn);
  scales_.Calc(equations_.system(), equations_.M(), equations_.h(), state->time, state->q,
               state->v);
  if (system.traits().has_contacts) found_.Find(system, state->time, state->q, scales_.margin);
  Predict();
  Iterate();
  if (report_.status == StepStatus::kNotFinite || !v_.allFinite() || !equations_.q().allFinite()) {
    Fail(StepStatus::kNotFinite, kNotFiniteCulprit);
    return report_;
  }
  ReportContacts();
  ReportWork();
  ProjectRest();
  Judge();
  Finish(state);
  return report_;
}

/// The first iterate: the last step once more.
void MoreauJean::Stepper::Predict() {
  const State& start = equations_.start();
  const auto recall = [&](const std::string& name, Eigen::Index size, VectorX* x) {
    const auto found = start.integrator.find(name);
    if (found != start.integrator.end() && found->second.size() == size) {
      *x = found->second;
    } else {
      x->setZero(size);
    }
  };
  recall(kChange, start.v.size(), &v_);
  v_ += start.v;
  recall(kLambda, equations_.system().traits().num_constraints, &lambda_);
  x_.setZero(v_.size());
  impact_.exists = false;
  admissions_ = 0;
}

void MoreauJean::Stepper::Iterate() {
  equations_.MoveTo(v_, x_);
  const bool one_pass = options_.contact_rows == Rows::kPredicted && !equations_.has_joints();
  double last = scales_.velocity;  // change of v in the last pass
  coupling_ = Coupling::kTwoRows;
  int same = 0;  // passes with the same set of contacts and coupling
  for (int pass = 1; pass <= options_.max_newton_iterations; ++pass) {
    ++report_.newton_iterations;
    if (!BeginPass()) return Fail(StepStatus::kNotFinite, "");
    if (pass == 1) {
      Activate();
      if (contacts_.has_impact() && !StartFromImpact()) return Fail(StepStatus::kNotFinite, "");
    }
    ++same;
    if (coupling_ != Coupling::kHeld) SetRows();
    if (impact_.exists) rhs_ += impact_.momentum;  // (12)
    v_new_ = v_;
    if (!laws_.Solve(equations_.kkt(), rhs_, c_, equations_.h(), CalcTarget(), &v_new_, &lambda_)) {
      return Fail(StepStatus::kNotFinite, "");
    }
    if (coupling_ != Coupling::kHeld) SetDirections(same);
    const double change = (v_new_ - v_).lpNorm<Eigen::Infinity>();
    if (pass > 2 && change > kRunaway * std::max(last, scales_.velocity)) break;
    v_.swap(v_new_);
    CalcAllowance();
    Place(/*corrections=*/1);
    const bool fixed_rows = contacts_.size() == 0 || options_.contact_rows == Rows::kStart;
    // Where the change no longer halves, rounding is reached.
    const bool rounding = change <= kRounding * scales_.velocity && change > 0.5 * last;
    const bool converged = (equations_.is_linear() && fixed_rows) || one_pass || rounding ||
                           change <= CalcNewtonTolerance();
    if (same > kFreePasses && change > 0.5 * last && coupling_ != Coupling::kHeld) {
      coupling_ = coupling_ == Coupling::kTwoRows ? Coupling::kOneRow : Coupling::kHeld;
      same = 0;
    }
    last = change;
    if (!converged) continue;
    Place(kMaxCorrections);
    if (!Admit()) return;
    same = 0;
    coupling_ = Coupling::kTwoRows;
  }
  Fail(StepStatus::kNewtonNotConverged, "");
}

/// Of the change of v. With contacts no better than their impulses: iterates differ by as much as
/// the solver leaves.
double MoreauJean::Stepper::CalcNewtonTolerance() const {
  const double smooth =
      options_.newton_tolerance * scales_.velocity + 4 * equations_.rounding_speed();
  if (contacts_.size() == 0) return smooth;
  return std::max(
      {smooth, options_.solver_options.tolerance * scales_.velocity, kSolverShare * laws_.error()});
}

/// Newton's matrix and right-hand side at the iterate.
bool MoreauJean::Stepper::BeginPass() {
  if (!equations_.Factor(v_, lambda_)) return false;
  equations_.CalcRightHandSide(v_, lambda_, &rhs_, &c_);
  return true;
}

/// The iterate of a step with an impact: v_n, since extrapolation over an impact misleads.
bool MoreauJean::Stepper::StartFromImpact() {
  v_ = equations_.start().v;
  if (!SolveImpact()) return false;
  equations_.MoveTo(v_, x_);
  return BeginPass();
}

/// Positions of the iterate (2): joints closed (3), gaps by the law (5).
void MoreauJean::Stepper::Place(int corrections) {
  System& system = equations_.system();
  equations_.MoveTo(v_, x_);
  if (!options_.projection) return;
  if (equations_.has_joints()) equations_.CloseJoints(v_, &x_);
  if (contacts_.size() == 0) return;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0;; ++k) {
    contacts_.MoveEndTo(system, equations_.t(), equations_.q());
    const double violation = position_.CalcViolation(contacts_.end(), allowance_);
    if (std::isnan(violation)) return Fail(StepStatus::kNotFinite, kNotFiniteCulprit);
    if (k == corrections || violation <= kPositionShare * options_.projection_tolerance) return;
    if (violation > last && coupling_ == Coupling::kTwoRows) coupling_ = Coupling::kOneRow;
    last = violation;
    if (!position_.Correct(contacts_.end(), push_rows(), allowance_, equations_.kkt(), &scratch_)) {
      return;
    }
    x_ += scratch_;
    equations_.MoveTo(v_, x_);
    if (equations_.has_joints()) equations_.CloseJoints(v_, &x_);
  }
}

/// Overlap that the step could not know of is removed after it; normally there is none.
void MoreauJean::Stepper::ProjectRest() {
  System& system = equations_.system();
  const auto overlaps = [&](const Contact& c) { return c.gap < -options_.projection_tolerance; };
  if (!options_.projection || !system.traits().has_contacts ||
      std::none_of(ended_.set.contacts.begin(), ended_.set.contacts.end(), overlaps)) {
    return;
  }
  const double t = equations_.t();
  VectorX& q = q_free_;
  q = equations_.q();
  const double before = system.CalcEnergy(t, q, v_).total();
  const auto find = [&] { ended_.Find(system, t, q, end_scales_.margin); };
  const auto bounces = [](const Contact&) { return false; };
  if (!net_.Project(system, t, std::ref(bounces), equations_.kkt(), std::ref(find), &ended_.set,
                    &q)) {
    return;
  }
  system.CalcDifference(equations_.start().q, q, &scratch_);
  x_ += scratch_ - equations_.delta();
  equations_.MoveTo(v_, x_);
  if (equations_.has_joints()) equations_.CloseJoints(v_, &x_);
  ended_.Find(system, t, equations_.q(), end_scales_.margin);
  report_.work.projection += system.CalcEnergy(t, equations_.q(), v_).total() - before;
}

/// The promises of the step, at what it hands on.
void MoreauJean::Stepper::Judge() {
  const System& system = equations_.system();
  const Contact* deepest = nullptr;
  if (system.traits().has_contacts) {
    for (const Contact& c : ended_.set.contacts) {
      if (-c.gap > report_.max_penetration) {
        report_.max_penetration = -c.gap;
        deepest = &c;
      }
    }
  }
  int worst = -1, worst_rate = -1;
  report_.max_constraint = equations_.CalcJointError(&worst);
  report_.max_constraint_rate = equations_.CalcJointRate(v_, &worst_rate);
  report_.solver_residual = laws_.relative();
  report_.solver_error = laws_.error();
  report_.solver_iterations = laws_.iterations();
  const double size = 1 + equations_.q().lpNorm<Eigen::Infinity>();
  if (report_.status != StepStatus::kOk) {
    const bool rate = report_.max_constraint_rate > report_.max_constraint;
    const int row = rate ? worst_rate : worst;
    report_.culprit =
        row >= 0 ? "largest joint error at '" + system.ConstraintName(row) + "'; " : "";
    report_.culprit += "try a smaller step or on_failure: halve";
  } else if (!laws_.accepted() || !impact_.ok) {
    Fail(StepStatus::kSolverNotConverged,
         "worst at " + laws_.NameWorst(system) + "; try solver.effort: high or a smaller step");
  } else if (options_.projection && report_.max_constraint > kJointTolerance * size) {
    Fail(StepStatus::kConstraintFailed, "joint '" + system.ConstraintName(worst) +
                                            "' cannot be closed; try a smaller step, and see "
                                            "whether drives or limits contradict each other");
  } else if (report_.max_constraint_rate > kJointTolerance * scales_.velocity) {
    Fail(StepStatus::kConstraintFailed, "the velocity of joint '" +
                                            system.ConstraintName(worst_rate) +
                                            "' cannot be reached; try a smaller step, and see "
                                            "whether drives or limits contradict each other");
  } else if (options_.projection && report_.tunnelled > 0) {
    Fail(StepStatus::kOverlap, "bodies passed through each other; try a smaller step");
  } else if (options_.projection && deepest != nullptr &&
             report_.max_penetration > 2 * options_.projection_tolerance) {
    Fail(StepStatus::kOverlap,
         "contact '" + system.ContactName(deepest->key) + "'; try a smaller step");
  }
}

void MoreauJean::Stepper::Fail(StepStatus status, const std::string& culprit) {
  report_.status = status;
  report_.culprit = culprit;
}

void MoreauJean::Stepper::Finish(State* state) {
  laws_.Store(contacts_.size() > 0 ? contacts_.end() : contacts_.start(), &state->contacts);
  if (options_.contact_rows != Rows::kStart) {
    VectorX& change = state->integrator[kChange];
    change = v_ - state->v;
    if (contacts_.has_impact()) change.setZero();
  }
  report_.constraint_impulse = lambda_;
  if (equations_.has_joints()) {
    state->integrator[kLambda] = lambda_;
    if (impact_.exists) report_.constraint_impulse += impact_.lambda;
  }
  std::swap(found_, ended_);
  state->time = equations_.t();
  state->q = equations_.q();
  state->v = v_;
  report_.work.decohesion_loss = equations_.system().EndStep(state);
}

MoreauJean::MoreauJean(const MoreauJeanOptions& options)
    : stepper_(std::make_unique<Stepper>(options)), holds_positions_(options.projection) {}
MoreauJean::~MoreauJean() = default;

const StepReport& MoreauJean::Step(System& system, double h, State* state) {
  return stepper_->Step(system, h, state);
}

}  // namespace saltus
