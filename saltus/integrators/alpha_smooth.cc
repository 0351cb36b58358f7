#include "saltus/integrators/alpha_smooth.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/linalg/rank.h"

namespace saltus {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
/// Couplings (13) count from this ratio of h D and h²K to the mass.
constexpr double kStiff = 0.05;
/// Differences for ∂M/∂q: central, so that √[3]ε balances their error and rounding.
constexpr double kDifference = 6e-6;
/// Inner passes of a linear solve go on while they leave more than this.
constexpr int kMaxPasses = 2;
constexpr double kPassProgress = 0.01;
/// From this number of unknowns on it pays to keep a factorisation.
constexpr int kLarge = 60;

/// Keys of State::integrator.
const char kVd[] = "nonsmooth-alpha.vd";
const char kA[] = "nonsmooth-alpha.a";
const char kLambda[] = "nonsmooth-alpha.lambda";
const char kDrivePower[] = "nonsmooth-alpha.drive-power";

/// out += factor A B, with sizes known at compile time for rigid bodies.
void AddProduct(double factor, const BlockMatrix::ConstBlock& A, const BlockMatrix::ConstBlock& B,
                BlockMatrix::Block* out) {
  if (A.rows() == 6 && A.cols() == 6) {
    const Eigen::Map<const Matrix6> a(A.data()), b(B.data());
    Eigen::Map<Matrix6>(out->data()) += factor * a.lazyProduct(b);
  } else {
    *out += factor * A.lazyProduct(B);
  }
}

/// Sets of blocks such that no row of the pattern touches two blocks of a set (greedy).
/// @cite CurtisPowellReid1974
std::vector<std::vector<int>> FindUncoupledBlocks(const BlockPattern& pattern) {
  std::vector<std::vector<int>> sets;
  std::vector<int> set_of(pattern.num_blocks(), -1);
  std::vector<bool> taken;
  for (int b = 0; b < pattern.num_blocks(); ++b) {
    taken.assign(sets.size() + 1, false);
    for (const int row : pattern.FindNeighbours(b)) {
      for (const int other : pattern.FindNeighbours(row)) {
        if (set_of[other] >= 0) taken[set_of[other]] = true;
      }
    }
    const auto free = std::find(taken.begin(), taken.end(), false);
    set_of[b] = static_cast<int>(free - taken.begin());
    if (set_of[b] == static_cast<int>(sets.size())) sets.emplace_back();
    sets[set_of[b]].push_back(b);
  }
  return sets;
}

const VectorX* FindMemory(const State& state, const char* key, Eigen::Index size) {
  const auto found = state.integrator.find(key);
  return found != state.integrator.end() && found->second.size() == size ? &found->second : nullptr;
}

}  // namespace

void SmoothNewton::Prepare(System& system, AlphaTerms* terms) {
  if (system_ == &system && kkt_M_ && K_.shared_pattern() == system.pattern()) return;
  system_ = &system;
  const SystemTraits& traits = system.traits();
  for (BlockMatrix* matrix : {&K_, &D_, &S_, &T_, &terms->M}) {
    *matrix = BlockMatrix(system.pattern());
  }
  const BlockPattern& pattern = *system.pattern();
  uncoupled_blocks_.clear();
  diagonal_slots_.resize(pattern.num_blocks());
  for (int b = 0; b < pattern.num_blocks(); ++b) diagonal_slots_[b] = pattern.FindSlot(b, b);
  // Pivots are chosen at the initial state, so that restarts repeat the run.
  const State initial = system.MakeInitialState();
  terms->g.resize(traits.num_constraints);
  terms->g_t.resize(traits.num_constraints);
  terms->G.resize(traits.num_constraints, traits.num_velocities);
  if (traits.num_constraints > 0) {
    system.CalcConstraintJacobian(initial.time, initial.q, &terms->G);
  }
  kkt_M_.emplace(system.pattern(), terms->G);
  system.CalcMass(initial.q, &terms->M);
  kkt_M_->Factor(terms->M, terms->G);
  linear_ = !traits.has_tangents && traits.constant_mass && traits.num_constraints == 0;
  large_ = traits.num_velocities + traits.num_constraints > kLarge;
  full_rank_ = traits.num_constraints > 0 && FindRedundantRows(terms->G).empty();
  kkt_S_.reset();
  if (!linear_) {
    kkt_S_.emplace(system.pattern(), terms->G);
    kkt_S_->Factor(terms->M, terms->G);
  }
}

AlphaStart SmoothNewton::Begin(System& system, double h, const State& state, AlphaTerms* terms) {
  const SystemTraits& traits = system.traits();
  const int n = traits.num_velocities, m = traits.num_constraints;
  AlphaStart start;
  start.h = h;
  start.t = state.time + h;
  start.state = &state;
  if (!traits.constant_mass) system.CalcMass(state.q, &terms->M);
  system.CalcForce(state.time, state.q, state.v, &terms->f);
  start.g_t.resize(m);
  if (m > 0) system.CalcConstraintRate(state.time, state.q, &start.g_t);
  const VectorX* vd = FindMemory(state, kVd, n);
  const VectorX* a = FindMemory(state, kA, n);
  const VectorX* lambda = FindMemory(state, kLambda, m);
  const VectorX* power = FindMemory(state, kDrivePower, 1);
  if (vd != nullptr && a != nullptr && lambda != nullptr && power != nullptr) {
    start.vd = *vd;
    start.a = *a;
    start.lambda = *lambda;
    start.drive_power = (*power)[0];
  } else {
    VectorX gamma(m);
    if (m > 0) {
      system.CalcConstraintJacobian(state.time, state.q, &terms->G);
      system.CalcConstraintBias(state.time, state.q, state.v, &gamma);
      gamma = -gamma;
    }
    kkt_M_->Factor(terms->M, terms->G);
    kkt_M_->Solve(terms->f, gamma, &start.vd, &start.lambda);
    start.a = start.vd;
    start.drive_power = -start.lambda.dot(start.g_t);
  }
  start.force_speed = h * terms->CalcMassScaled(terms->f);
  start.speed =
      std::max(state.v.size() > 0 ? state.v.lpNorm<Eigen::Infinity>() : 0.0, start.force_speed);
  if (m > 0) start.speed = std::max(start.speed, start.g_t.lpNorm<Eigen::Infinity>());
  curved_ = full_rank_;
  rounding_speed_ = 0;
  inconsistent_ = false;
  return start;
}

/// K += ∂(M(q) ṽ̇)/∂q, by differences: no System has it in closed form. Blocks that no row of M
/// couples are moved at once, so that the number of evaluations does not grow with the system.
void SmoothNewton::AddMassTangent(System& system, const AlphaIterate& x) {
  if (system.traits().constant_mass) return;
  const BlockPattern& pattern = K_.pattern();
  if (uncoupled_blocks_.empty()) uncoupled_blocks_ = FindUncoupledBlocks(pattern);
  const double step = kDifference * (1 + x.q.lpNorm<Eigen::Infinity>());
  BlockMatrix M(system.pattern());
  VectorX q, d, high, low;
  for (const std::vector<int>& blocks : uncoupled_blocks_) {
    int most = 0;
    for (const int b : blocks) most = std::max(most, pattern.size(b));
    for (int j = 0; j < most; ++j) {
      d.setZero(pattern.num_dofs());
      for (const int b : blocks) {
        if (j < pattern.size(b)) d[pattern.offset(b) + j] = step;
      }
      system.Retract(x.q, d, &q);
      system.CalcMass(q, &M);
      M.Multiply(x.vd, &high);
      system.Retract(x.q, -d, &q);
      system.CalcMass(q, &M);
      M.Multiply(x.vd, &low);
      for (const int b : blocks) {
        if (j >= pattern.size(b)) continue;
        for (const int i : pattern.FindNeighbours(b)) {
          K_.block(pattern.FindSlot(i, b)).col(j) +=
              (high - low).segment(pattern.offset(i), pattern.size(i)) / (2 * step);
        }
      }
    }
  }
}

/// L = G + h(β/γ) C T of (9).
void SmoothNewton::AddConstraintTangents(const AlphaTerms& terms, bool flat, double by_dv) {
  L_ = terms.G;
  const BlockPattern& pattern = K_.pattern();
  for (int i = 0, k = 0; i < L_.rows(); ++i) {
    for (int block = 0; k < L_.outerIndexPtr()[i + 1];) {
      while (pattern.offset(block) + pattern.size(block) <= L_.innerIndexPtr()[k]) ++block;
      const int n = pattern.size(block);  // rows hold all columns of a block
      const Eigen::Map<const Eigen::RowVectorXd> change(C_.valuePtr() + k, n);
      Eigen::Map<Eigen::RowVectorXd> row(L_.valuePtr() + k, n);
      if (flat) {
        row += by_dv * change;
      } else if (n == 6) {
        const Eigen::Map<const Matrix6> T(T_.block(diagonal_slots_[block]).data());
        row.head<6>() += by_dv * change.head<6>().lazyProduct(T);
      } else {
        row += by_dv * change.lazyProduct(T_.block(diagonal_slots_[block]));
      }
      k += n;
    }
  }
}

/// K, D, T, C at the iterate, and S, L of (9).
void SmoothNewton::CalcTangents(System& system, const AlphaStart& start, const AlphaIterate& x,
                                const AlphaTerms& terms) {
  const SystemTraits& traits = system.traits();
  const double h = start.h, by_dv = h * k_.beta / k_.gamma;
  K_.SetZero();
  D_.SetZero();
  if (traits.has_tangents) system.CalcTangents(start.t, x.q, x.v, TangentKind::kExact, &K_, &D_);
  if (curved_) {
    curved_ = system.AddConstraintTangents(start.t, x.q, x.v_smooth, x.lambda, &K_, &C_);
  } else if (traits.num_constraints > 0) {
    system.AddGeometricStiffness(start.t, x.q, x.lambda, &K_);
  }
  AddMassTangent(system, x);
  S_.values() = c() * terms.M.values() + h * D_.values();
  if (traits.flat) {
    S_.values() += h * by_dv * K_.values();
  } else {
    system.CalcRetractTangent(x.move, &T_);
    const BlockPattern& pattern = K_.pattern();
    const BlockMatrix& K = K_;
    const BlockMatrix& T = T_;
    for (int s = 0; s < pattern.num_slots(); ++s) {
      BlockMatrix::Block S_ij = S_.block(s);
      AddProduct(h * by_dv, K.block(s), T.block(diagonal_slots_[pattern.slot(s)[1]]), &S_ij);
    }
  }
  if (curved_) AddConstraintTangents(terms, traits.flat, by_dv);
}

/// Is S far from c M, and what does rounding of q do to f?
void SmoothNewton::CheckStiffness(const AlphaTerms& terms, double h, double q_size) {
  double rounding = 0;
  const BlockMatrix& M = terms.M;
  const BlockPattern& pattern = M.pattern();
  for (int s = 0; s < pattern.num_slots(); ++s) {
    const auto [i, j] = pattern.slot(s);
    const auto M_ii = M.block(diagonal_slots_[i]);
    const auto M_jj = M.block(diagonal_slots_[j]);
    const auto K_ij = K_.block(s), S_ij = S_.block(s);
    const auto M_ij = M.block(s);
    for (int y = 0; y < pattern.size(j); ++y) {
      for (int x = 0; x < pattern.size(i); ++x) {
        const double difference = S_ij(x, y) - c() * M_ij(x, y);
        const double mass = kStiff * c();
        stiff_ = stiff_ || difference * difference > mass * mass * M_ii(x, x) * M_jj(y, y);
        rounding = std::max(rounding, std::abs(K_ij(x, y)) / M_ii(x, x));
      }
    }
  }
  rounding_speed_ = kEpsilon * h * rounding * (1 + q_size);
  if (!std::isfinite(rounding_speed_)) rounding_speed_ = 0;
}

void SmoothNewton::Form(System& system, const AlphaStart& start, const AlphaIterate& x,
                        const AlphaTerms& terms, bool free) {
  free_ = free;
  if (!free || linear_) kkt_M_->Factor(terms.M, terms.G);
  if (linear_) return;
  CalcTangents(system, start, x, terms);
  kkt_S_->Factor(S_, terms.G, curved_ ? L_ : terms.G);
  stiff_ = false;
  rounding_speed_ = 0;
  if (free && large_ && !system.traits().has_tangents) return;
  CheckStiffness(terms, start.h, x.q.lpNorm<Eigen::Infinity>());
}

void SmoothNewton::FactorWithoutTangents(const AlphaTerms& terms) {
  curved_ = false;
  if (kkt_S_) kkt_S_->Factor(S_, terms.G);
}

bool SmoothNewton::FormMetric(const AlphaTerms& terms, double weight, bool position) {
  S_.values() = terms.M.values() + weight * (position ? K_ : D_).values();
  return matrix().Factor(S_, terms.G);
}

VectorX SmoothNewton::CalcMove(double h, const VectorX& dv) const {
  VectorX dq = h * k_.beta / k_.gamma * dv;
  if (linear_ || system_->traits().flat) return dq;
  const BlockPattern& pattern = T_.pattern();
  for (int b = 0; b < pattern.num_blocks(); ++b) {
    const BlockMatrix::ConstBlock T = T_.block(diagonal_slots_[b]);
    if (pattern.size(b) == 6) {
      auto part = dq.segment<6>(pattern.offset(b));
      part = (Eigen::Map<const Matrix6>(T.data()) * part).eval();
    } else {
      auto part = dq.segment(pattern.offset(b), pattern.size(b));
      part = (T * part).eval();
    }
  }
  return dq;
}

bool SmoothNewton::Solve(const AlphaStart& start, const AlphaIterate& x, const AlphaTerms& terms,
                         const SmoothTurning* turning, VectorX* dv, VectorX* lambda) {
  const bool joints = terms.has_joints();
  VectorX force, rows(terms.g.size()), change;
  terms.M.Multiply(x.vd, &force);
  force = terms.f - force;
  // Of redundant joints all of λ̃ is solved for: the rounding of increments would add up in the way
  // they share the load.
  if (joints && !full_rank_) lambda->setZero();
  if (joints) force.noalias() += terms.G.transpose() * *lambda;
  force *= start.h;
  if (joints) rows = -(terms.G * x.v_smooth) - terms.g_t;
  if (turning != nullptr) {
    force += turning->force;
    rows += turning->rows;
  }
  bool solved =
      matrix().Solve(force, rows, dv, &change, linear_ ? KktPasses::kToRounding : passes());
  if (!solved && curved_) {  // a configuration where rows of G become dependent
    FactorWithoutTangents(terms);
    solved = kkt_S_->Solve(force, rows, dv, &change, passes());
  }
  if (linear_) *dv /= c();
  if (joints) *lambda += change / start.h;
  inconsistent_ = !solved && matrix().outcome() == KktOutcome::kInconsistent;
  return (solved || inconsistent_) && dv->allFinite();
}

/// ΔU of (11) without contacts: G (dq + ΔU) = −g_left. Increments, so that the errors of passes()
/// and of L in place of G shrink from pass to pass. The first solve of an iteration brings U and ν
/// to S U = c Gᵀν, later ones keep them there.
void SmoothNewton::AddPositionIncrement(const AlphaTerms& terms, const VectorX& g_left, bool first,
                                        double enough, VectorX* dq, VectorX* dU, AlphaIterate* x) {
  VectorX force, rows, step, multipliers;
  dU->setZero(x->U.size());
  double first_left = 0;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    rows = -g_left - terms.G * *dq;
    const double left = rows.lpNorm<Eigen::Infinity>();
    if (pass == 0) first_left = left;
    if (pass > 0 && (!curved_ || left <= std::max(enough, kPassProgress * first_left))) break;
    force.setZero(x->U.size());
    if (first && pass == 0) {
      force.noalias() = c() * (terms.G.transpose() * x->nu);
      S_.AddMultiply(-1, x->U, &force);
    }
    kkt_S_->Solve(force, rows, &step, &multipliers, passes());
    x->U += step;
    *dq += step;
    *dU += step;
    x->nu += multipliers / c();
  }
}

/// The effect hKΔU of the small U on (10) and CΔU on the rows of the joints, a share of about h|ω|,
/// is answered by further solves with the same factors, which cost little next to an evaluation.
bool SmoothNewton::SolvePositionsWithoutContacts(const AlphaStart& start, const AlphaTerms& terms,
                                                 double tolerance, VectorX* dv, AlphaIterate* x) {
  x->W.setZero();
  x->Lambda.setZero();
  if (!terms.has_joints()) {
    x->U.setZero();
    return true;
  }
  const double enough = 0.1 * tolerance;
  VectorX dq = CalcMove(start.h, *dv), dU, force, rows, step, multipliers;
  AddPositionIncrement(terms, terms.g, true, start.h * enough, &dq, &dU, x);
  const VectorX closed = VectorX::Zero(terms.g.size());
  double effect = 0;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    K_.Multiply(dU, &force);
    double last = effect;
    effect = start.h * terms.CalcMassScaled(force);
    rows.setZero(terms.g.size());
    if (curved_) {
      rows = -(C_ * dU);
      effect = std::max(effect, rows.lpNorm<Eigen::Infinity>());
    }
    if (pass == 0) last = effect;
    if (!(effect > std::max(enough, pass == 0 ? 0 : kPassProgress * last))) break;
    force *= -start.h;
    kkt_S_->Solve(force, rows, &step, &multipliers, passes());
    *dv += step;
    x->lambda += multipliers / start.h;
    dq = CalcMove(start.h, step);
    AddPositionIncrement(terms, closed, false, start.h * enough, &dq, &dU, x);
  }
  return x->U.allFinite() && dv->allFinite();
}

const DelassusCorrection* SmoothNewton::coupling(bool position, double h) {
  if (!coupled_ || !stiff_ || linear_) return nullptr;
  coupling_.kkt = &*kkt_S_;
  coupling_.tangent = position ? &K_ : &D_;
  coupling_.factor = position ? h * h * k_.beta / k_.gamma : h;
  return &coupling_;
}

VectorX SmoothNewton::CalcCoupling(const DelassusCorrection& coupling, const VectorX& y) const {
  VectorX force, response;
  coupling.tangent->Multiply(y, &force);
  coupling.kkt->Solve(force, VectorX::Zero(coupling.kkt->num_rows()), &response, nullptr);
  return coupling.factor * response;
}

}  // namespace saltus
