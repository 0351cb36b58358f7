#include "saltus/integrators/moreau_jean.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/integrators/moreau_jean_impl.h"
#include "saltus/linalg/diagonal.h"

namespace saltus {
namespace {

/// |g| below this is rounding: joints are not projected any further.
constexpr double kConstraintRounding = 1e-14;
/// Of a contact problem that was given up at an earlier iterate of the step.
constexpr int kFollowingSweeps = 100;
/// Memory of problems that were given up: steps that are left to sweeps from now on, and after the
/// next failure. A collapsing wall fails the second-order methods in every step, in seconds each,
/// and ends where the sweeps alone end in a tenth of them.
const std::string kPauses = "moreau-jean.pauses";  // not allocated in every step
constexpr double kPauseGrowth = 4, kLongestPause = 64;

MoreauJeanOptions Checked(const MoreauJeanOptions& o) {
  if (!(o.theta >= 0.5 && o.theta <= 1)) {
    throw InputError("theta", "is " + std::to_string(o.theta), "choose a value in [0.5, 1]");
  }
  if (!(o.gamma >= 0 && o.gamma <= 1)) {
    throw InputError("activation", "factor is " + std::to_string(o.gamma),
                     "choose none, half, full, linearized or a factor in [0, 1]");
  }
  if (!(o.tangential_stiffness >= 0 && std::isfinite(o.tangential_stiffness))) {
    throw InputError("tangential_stiffness", "is " + std::to_string(o.tangential_stiffness),
                     "choose a stiffness > 0 in N/m, or leave it out for rigid friction");
  }
  return o;
}

/// Null for solvers that were chosen for what they are.
std::unique_ptr<ConicSolver> MakeSweeps(const MoreauJeanOptions& o, bool following) {
  if (o.solver != "auto" && o.solver != "hybrid") return nullptr;
  ConicSolverOptions options = o.solver_options;
  if (following) {
    options.dump = nullptr;
    options.max_iterations = std::min(options.max_iterations, kFollowingSweeps);
  }
  return MakeConicSolver("nsgs", options);
}

}  // namespace

MoreauJean::Impl::Impl(const MoreauJeanOptions& options)
    : options_(Checked(options)),
      solver_(MakeConicSolver(options.solver, options.solver_options)),
      sweeps_(MakeSweeps(options, /*following=*/false)),
      following_sweeps_(MakeSweeps(options, /*following=*/true)),
      projection_(options.projection_tolerance, options.solver_options.stop) {}

/// Of the problem at hand.
ConicSolver& MoreauJean::Impl::ChooseSolver() {
  if (sweeps_ == nullptr || problem_.size() <= kHardProblem) return *solver_;
  if (!solver_ok_) return *following_sweeps_;  // given up at an earlier iterate
  return pause_ > 0 ? *sweeps_ : *solver_;
}

void MoreauJean::Impl::RememberPause(State* state) {
  if (solver_ok_ || problem_.size() <= kHardProblem) {
    state->integrator.erase(kPauses);
    return;
  }
  if (pause_ > 0) {
    --pause_;
  } else {
    pause_ = next_pause_;
    next_pause_ = std::min(kPauseGrowth * next_pause_, kLongestPause);
  }
  VectorX& pauses = state->integrator[kPauses];
  pauses.resize(2);
  pauses << pause_, next_pause_;
}

void MoreauJean::Impl::Prepare(System& system) {
  if (system_ == &system && kkt_ && M_.shared_pattern() == system.pattern()) return;
  system_ = &system;
  const SystemTraits& traits = system.traits();
  M_ = BlockMatrix(system.pattern());
  K_ = BlockMatrix(system.pattern());
  D_ = BlockMatrix(system.pattern());
  S_ = BlockMatrix(system.pattern());
  // The order of pivots is chosen at the initial state, whatever the state of the first step: a
  // restarted run then repeats the uninterrupted one bit for bit.
  const State initial = system.MakeInitialState();
  G_.resize(traits.num_constraints, traits.num_velocities);
  if (traits.num_constraints > 0) system.CalcConstraintJacobian(initial.time, initial.q, &G_);
  G_theta_ = G_;
  kkt_.emplace(system.pattern(), G_);
  system.CalcMass(initial.q, &M_);
  kkt_->Factor(M_, G_);
  found_margin_ = -1;
  rounding_speed_ = 0;
}

/// q_ = q_n ⊕ h v_θ (2), with the joints closed by the last factorised (S, G) if asked for, and
/// G_theta_ and a mass that is not constant at the intermediate configuration (1), (3).
void MoreauJean::Impl::MoveTo(System& system, const State& start, double h, const VectorX& v,
                              bool project) {
  const double theta = options_.theta;
  delta_ = h * ((1 - theta) * start.v + theta * v);
  system.Retract(start.q, delta_, &q_);
  const SystemTraits& traits = system.traits();
  if (traits.num_constraints == 0 && traits.constant_mass) return;
  const double t = start.time + h;
  if (project && traits.num_constraints > 0) {
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 20; ++k) {
      system.CalcConstraint(t, q_, &g_);
      const double size = g_.lpNorm<Eigen::Infinity>();
      if (!(size > kConstraintRounding) || (k > 2 && size > 0.5 * last)) break;
      last = size;
      g_ = -g_;
      scratch_.setZero(system.traits().num_velocities);
      kkt_->Solve(scratch_, g_, &correction_, nullptr);
      system.Retract(q_, correction_, &q_);
    }
    system.CalcDifference(start.q, q_, &delta_);
  }
  scratch_ = theta * delta_;
  system.Retract(start.q, scratch_, &q_theta_);
  if (!traits.constant_mass) system.CalcMass(q_theta_, &M_);
  if (traits.num_constraints == 0) return;
  system.CalcConstraintJacobian(start.time + theta * h, q_theta_, &G_theta_);
}

void MoreauJean::Impl::FormIterationMatrix(System& system, double t, double h, const VectorX& v) {
  const double a = options_.theta * h;
  S_.values() = M_.values();
  if (system.traits().has_tangents) {
    system.CalcTangents(t, q_, v, TangentKind::kExact, &K_, &D_);
    S_.values() += a * D_.values() + a * a * K_.values();
    rounding_speed_ = std::numeric_limits<double>::epsilon() * h * CalcLargestRatio(K_, M_) *
                      (1 + q_.lpNorm<Eigen::Infinity>());
  }
  if (system.traits().num_constraints > 0) system.CalcConstraintJacobian(t, q_, &G_);
}

/// Impulses by Poisson's law at v_n (9), in the metric of the first iteration, or of the one in
/// which contacts were admitted.
void MoreauJean::Impl::SolveImpact(const State& start) {
  impact_due_ = false;
  closed_.clear();
  if (!may_impact_) return;
  for (int i = 0; i < problem_.num_contacts(); ++i) {
    if (!by_gap_[i] || contacts_.contacts[active_[i]].gap <= 0) closed_.push_back(active_[i]);
  }
  if (!impact_.Solve(contacts_, closed_, *kkt_, start.v, kRest * force_speed_, solver_.get())) {
    return;
  }
  impact_r_.setZero(problem_.size());
  int o = 0;
  for (int i = 0, j = 0; i < problem_.num_contacts() && j < static_cast<int>(closed_.size()); ++i) {
    if (active_[i] != closed_[j]) continue;
    const int d = problem_.cone(i).dimension;
    impact_r_.segment(problem_.offset(i), d) = impact_.impulse().segment(o, d);
    if (impact_.rebound()[j] > 0) shift_[problem_.offset(i)] = -impact_.rebound()[j];
    o += d;
    ++j;
  }
}

/// One Newton step (8): v_new_, lambda_ and r_ from the iterate v_, q_.
bool MoreauJean::Impl::SolveVelocity(System& system, const State& start, double h) {
  const double t = start.time + h;
  const double theta = options_.theta;
  const int m = system.traits().num_constraints;
  FormIterationMatrix(system, t, h, v_);
  if (!kkt_->Factor(S_, G_)) return false;
  // rhs = S v^k − M (v^k − v_n) + h f_θ + (G_θ − G)ᵀ Λ^k
  S_.Multiply(v_, &rhs_);
  scratch_ = start.v - v_;
  M_.AddMultiply(1.0, scratch_, &rhs_);
  rhs_ += h * ((1 - theta) * f0_ + theta * f1_);
  c_.resize(m);
  if (m > 0) {
    rhs_.noalias() += G_theta_.transpose() * lambda_;
    rhs_.noalias() -= G_.transpose() * lambda_;
    system.CalcConstraintRate(t, q_, &g_t_);
    c_ = -g_t_;  // (3)
  }
  if (impact_due_) SolveImpact(start);
  if (impact_r_.size() > 0) problem_.AddForce(impact_r_, &rhs_);
  if (!kkt_->Solve(rhs_, c_, &v_new_, &lambda_free_)) {
    if (kkt_->outcome() == KktOutcome::kInconsistent) {
      report_.status = StepStatus::kConstraintFailed;
    } else {
      return false;
    }
  }
  if (problem_.num_blocks() == 0) {
    lambda_ = lambda_free_;
    return v_new_.allFinite();
  }
  problem_.FormDelassus(*kkt_);
  problem_.SetFrictionBounds(h, lambda_free_);
  problem_.CalcVelocity(v_new_, &u_free_);
  u_free_ += bias_;
  problem_.problem().b = u_free_ + shift_;
  const SolveReport solve = ChooseSolver().Solve(problem_.problem(), &r_);  // (4)
  report_.solver_iterations += solve.iterations;
  report_.solver_residual = solve.residual.relative;
  solver_ok_ = solve.ok() && (impact_r_.size() == 0 || impact_.ok());
  worst_block_ = solve.residual.worst_block;
  if (solve.status == SolveStatus::kNotFinite) return false;
  problem_.AddForce(r_, &rhs_);
  kkt_->Solve(rhs_, c_, &v_new_, &lambda_);
  return v_new_.allFinite();
}

/// True if v_, q_, lambda_ and r_ satisfy (1) and (3) to the Newton tolerance. Judged by these
/// equations rather than by the last correction, in which the tolerance of the contact solver
/// shows.
bool MoreauJean::Impl::StepEquationsHold(System& system, const State& start, double h) {
  const double theta = options_.theta;
  const double t = start.time + h;
  const double scale =
      std::max({v_.lpNorm<Eigen::Infinity>(), start.v.lpNorm<Eigen::Infinity>(), force_speed_});
  if (system.traits().num_constraints > 0) {
    system.CalcConstraintJacobian(t, q_, &G_);
    system.CalcConstraintRate(t, q_, &g_t_);
    scratch_ = g_t_;
    scratch_.noalias() += G_ * v_;
    if (!(scratch_.lpNorm<Eigen::Infinity>() <= options_.newton_tolerance * scale)) return false;
  }
  scratch_ = v_ - start.v;
  M_.Multiply(scratch_, &rhs_);
  rhs_ -= h * ((1 - theta) * f0_ + theta * f1_);
  scratch_.setZero(rhs_.size());
  problem_.AddForce(r_, &scratch_);
  if (impact_r_.size() > 0) problem_.AddForce(impact_r_, &scratch_);
  rhs_ -= scratch_;
  if (system.traits().num_constraints > 0) rhs_.noalias() -= G_theta_.transpose() * lambda_;
  DivideByDiagonal(M_, &rhs_);
  return rhs_.lpNorm<Eigen::Infinity>() <= options_.newton_tolerance * scale + 4 * rounding_speed_;
}

void MoreauJean::Impl::Iterate(System& system, const State& start, double h) {
  const SystemTraits& traits = system.traits();
  const bool linear = !traits.has_tangents && traits.constant_mass && traits.num_constraints == 0;
  v_ = start.v;
  lambda_.setZero(traits.num_constraints);
  // The predictor is not projected: no factorisation of this step exists yet.
  MoveTo(system, start, h, v_, /*project=*/false);
  system.CalcForce(start.time + h, q_, v_, &f1_);
  for (int k = 1; k <= options_.max_newton_iterations; ++k) {
    report_.status = StepStatus::kOk;
    ++report_.newton_iterations;
    bool good = SolveVelocity(system, start, h);
    while (good && AdmitWaiting(start, v_new_, h)) {
      impact_r_.resize(0);
      impact_due_ = true;  // the rows and laws are new
      good = SolveVelocity(system, start, h);
    }
    if (!good) {
      report_.status = StepStatus::kNotFinite;
      return;
    }
    v_.swap(v_new_);
    MoveTo(system, start, h, v_, options_.projection);
    system.CalcForce(start.time + h, q_, v_, &f1_);
    if (linear || StepEquationsHold(system, start, h)) return;
  }
  report_.status = StepStatus::kNewtonNotConverged;
}

const StepReport& MoreauJean::Impl::Step(System& system, double h, State* state) {
  Prepare(system);
  system.BeginStep(*state);
  report_.status = StepStatus::kOk;
  report_.culprit.clear();
  report_.step = h;
  report_.newton_iterations = report_.solver_iterations = report_.impacts = 0;
  report_.solver_residual = report_.max_penetration = report_.max_complementarity = 0;
  report_.work = StepWork{};
  report_.contacts.clear();
  solver_ok_ = true;
  has_admitted_ = false;
  const auto pauses = state->integrator.find(kPauses);
  const bool paused = pauses != state->integrator.end() && pauses->second.size() == 2;
  pause_ = paused ? pauses->second[0] : 0;
  next_pause_ = paused ? pauses->second[1] : 1;

  const double t = state->time + h;
  if (!system.traits().constant_mass) system.CalcMass(state->q, &M_);
  system.CalcForce(state->time, state->q, state->v, &f0_);
  scratch_ = f0_;
  DivideByDiagonal(M_, &scratch_);
  force_speed_ = h * scratch_.lpNorm<Eigen::Infinity>();
  FindContacts(system, state->time, state->q, state->v, h);
  ChooseActive(*state, h);
  WarmStart(*state, h);
  impact_r_.resize(0);
  impact_due_ = true;
  Iterate(system, *state, h);
  if (impact_r_.size() > 0) r_ += impact_r_;
  if (report_.status == StepStatus::kNotFinite || !q_.allFinite()) {
    report_.status = StepStatus::kNotFinite;
    report_.culprit = kNotFiniteCulprit;
    return report_;
  }
  if (report_.status == StepStatus::kOk && !solver_ok_) {
    report_.status = StepStatus::kSolverNotConverged;
  }
  ReportContacts(*state);
  ReportWork(system, *state, h);
  RememberPause(state);
  Finish(system, t, h, state);
  report_.work.decohesion_loss = system.EndStep(state);
  if (!report_.ok()) NameCulprit(system);
  return report_;
}

/// (3) again, at the configuration that the contact projection chose: v_ ← v_ + S⁻¹Gᵀ(…).
void MoreauJean::Impl::ProjectVelocity(System& system, double t) {
  const int m = system.traits().num_constraints;
  if (m == 0) return;
  system.CalcConstraintJacobian(t, q_, &G_);
  system.CalcConstraintRate(t, q_, &g_t_);
  // The factors belong to G before the projection, which is close: a few passes are enough.
  constexpr int kPasses = 4;
  for (int k = 0; k < kPasses; ++k) {
    c_ = -g_t_;
    c_.noalias() -= G_ * v_;
    if (!(c_.lpNorm<Eigen::Infinity>() > options_.newton_tolerance)) break;
    scratch_.setZero(v_.size());
    kkt_->Solve(scratch_, c_, &correction_, nullptr);
    v_ += correction_;
  }
}

/// Contact projection, audit numbers at (t, q_), and the new state.
void MoreauJean::Impl::Finish(System& system, double t, double h, State* state) {
  const int m = system.traits().num_constraints;
  if (options_.projection && m > 0) {  // what closing the joints in (2) did to the energy
    delta_ = h * ((1 - options_.theta) * state->v + options_.theta * v_);
    system.Retract(state->q, delta_, &q_theta_);
    report_.work.projection +=
        system.CalcEnergy(t, q_, v_).total() - system.CalcEnergy(t, q_theta_, v_).total();
  }
  Remember(state);
  if (system.traits().has_contacts) {
    // A projection that moves q looks for all contacts in the end.
    FindContacts(system, t, q_, v_, h, /*touching=*/options_.projection);
    if (options_.projection) {
      const Energy before = system.CalcEnergy(t, q_, v_);
      const auto find = [&] { FindContacts(system, t, q_, v_, h); };
      const auto bounces = [&](const Contact& c) { return Bounces(c, h); };
      if (projection_.Project(system, t, std::ref(bounces), *kkt_, std::ref(find), &contacts_,
                              &q_)) {
        ProjectVelocity(system, t);
        RememberPushes(h, state);
        const Energy after = system.CalcEnergy(t, q_, v_);
        report_.work.projection += after.total() - before.total();
      }
    }
    for (const Contact& c : contacts_.contacts) {
      report_.max_penetration = std::max(report_.max_penetration, -c.gap);
    }
  }
  report_.max_constraint = report_.max_constraint_rate = 0;
  if (m > 0) {
    system.CalcConstraint(t, q_, &g_);
    report_.max_constraint = g_.lpNorm<Eigen::Infinity>();
    system.CalcConstraintJacobian(t, q_, &G_);
    system.CalcConstraintRate(t, q_, &g_t_);
    scratch_ = G_ * v_ + g_t_;
    report_.max_constraint_rate = scratch_.lpNorm<Eigen::Infinity>();
  }
  report_.constraint_impulse = lambda_;
  state->time = t;
  state->q = q_;
  state->v = v_;
}

void MoreauJean::Impl::ReportContacts(const State& start) {
  problem_.CalcVelocities(start.v, v_, &u_minus_, &u_);
  u_minus_ += bias_;
  u_ += bias_;
  auto memory = start.contacts.begin();
  for (int i = 0; i < problem_.num_contacts(); ++i) {
    const Contact& c = contacts_.contacts[active_[i]];
    const int o = problem_.offset(i);
    const int d = problem_.cone(i).dimension;
    while (memory != start.contacts.end() && memory->key < c.key) ++memory;
    const bool closed_before = memory != start.contacts.end() && memory->key == c.key;
    ContactResult result;
    result.key = c.key;
    result.dimension = c.dimension;
    result.gap = c.gap;
    result.point = c.point;
    result.frame = c.frame;
    Vector3 spin;
    SplitRows(c, r_.segment(o, d), d, &result.impulse, &result.moment);
    SplitRows(c, u_.segment(o, d), d, &result.velocity, &spin);
    // An impact: newly closed, and approaching faster than the forces of one step explain.
    const double by_forces =
        impact_r_.size() > 0 ? force_speed_ : std::abs(u_free_[o] - u_minus_[o]);
    result.impact = r_[o] > 0 && !closed_before && -u_minus_[o] > by_forces;
    if (result.impact) ++report_.impacts;
    report_.max_complementarity =
        std::max(report_.max_complementarity, std::abs(r_[o] * (u_[o] + shift_[o])));
    report_.contacts.push_back(result);
  }
}

void MoreauJean::Impl::ReportWork(System& system, const State& start, double h) {
  StepWork& work = report_.work;
  u_ = 0.5 * (u_minus_ + u_) - bias_;  // H (v_n + v_{n+1})/2
  for (int i = 0; i < problem_.num_blocks(); ++i) {
    const int o = problem_.offset(i);
    const int d = problem_.cone(i).dimension;
    const double total = -r_.segment(o, d).dot(u_.segment(o, d));
    if (i >= problem_.num_contacts()) {
      work.joint_friction_loss += total;
    } else {
      const double normal = -r_[o] * u_[o];
      work.impact_loss += normal;
      work.friction_loss += total - normal;
    }
  }
  CalcLoadWork(system, start, h, options_.theta, q_, v_, &scratch_, &work);
  if (system.traits().num_constraints > 0) {
    v_mid_ = 0.5 * (start.v + v_);
    scratch_ = G_theta_ * v_mid_;
    for (Eigen::Index i = 0; i < g_t_.size(); ++i) {
      if (g_t_[i] != 0) work.drives += lambda_[i] * scratch_[i];
    }
  }
}

void MoreauJean::Impl::NameCulprit(const System& system) {
  switch (report_.status) {
    case StepStatus::kSolverNotConverged: {
      const bool in_contacts =
          worst_block_ >= 0 && worst_block_ < static_cast<int>(report_.contacts.size());
      report_.culprit =
          DescribeUnsolved(system, report_.solver_residual,
                           in_contacts ? &report_.contacts[worst_block_].key : nullptr);
      break;
    }
    case StepStatus::kNewtonNotConverged:
    case StepStatus::kConstraintFailed: {
      Eigen::Index worst = 0;
      if (scratch_.size() > 0 && system.traits().num_constraints == scratch_.size()) {
        scratch_.cwiseAbs().maxCoeff(&worst);
        report_.culprit =
            "largest joint error at '" + system.ConstraintName(static_cast<int>(worst)) + "'; ";
      }
      report_.culprit += "try a smaller step or on_failure: halve";
      break;
    }
    default:
      break;
  }
}

MoreauJean::MoreauJean(const MoreauJeanOptions& options)
    : impl_(std::make_unique<Impl>(options)), holds_positions_(options.projection) {}
MoreauJean::~MoreauJean() = default;

const StepReport& MoreauJean::Step(System& system, double h, State* state) {
  return impl_->Step(system, h, state);
}

}  // namespace saltus
