// Newton's method of nonsmooth_alpha.h without its contacts: the smooth system (10) and the joints
// of (11).
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "saltus/integrators/nonsmooth_alpha_impl.h"

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

}  // namespace

/// K += ∂(M(q) ṽ̇)/∂q, by differences: no System has it in closed form. Blocks that no row of M
/// couples are moved at once, so that the number of evaluations does not grow with the system.
void NonsmoothAlpha::Impl::AddMassTangent(System& system) {
  if (system.traits().constant_mass) return;
  const BlockPattern& pattern = K_.pattern();
  if (uncoupled_blocks_.empty()) uncoupled_blocks_ = FindUncoupledBlocks(pattern);
  const double step = kDifference * (1 + q_.lpNorm<Eigen::Infinity>());
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
      system.Retract(q_, d, &q);
      system.CalcMass(q, &M);
      M.Multiply(vd_, &high);
      system.Retract(q_, -d, &q);
      system.CalcMass(q, &M);
      M.Multiply(vd_, &low);
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

/// K, D, T, C at the iterate, and S, L of (9).
void NonsmoothAlpha::Impl::CalcTangents(System& system) {
  const SystemTraits& traits = system.traits();
  const double by_dv = h_ * k_.beta / k_.gamma;
  K_.SetZero();
  D_.SetZero();
  if (traits.has_tangents) system.CalcTangents(t_, q_, v_, TangentKind::kExact, &K_, &D_);
  if (curved_) {
    curved_ = system.AddConstraintTangents(t_, q_, v_smooth_, lambda_, &K_, &C_);
  } else if (traits.num_constraints > 0) {
    system.AddGeometricStiffness(t_, q_, lambda_, &K_);
  }
  AddMassTangent(system);
  S_.values() = c_ * M_.values() + h_ * D_.values();
  if (traits.flat) {
    S_.values() += h_ * by_dv * K_.values();
  } else {
    system.CalcRetractTangent(move_, &T_);
    const BlockPattern& pattern = K_.pattern();
    for (int s = 0; s < pattern.num_slots(); ++s) {
      BlockMatrix::Block S_ij = S_.block(s);
      const BlockMatrix& K = K_;
      const BlockMatrix& T = T_;
      AddProduct(h_ * by_dv, K.block(s), T.block(diagonal_slots_[pattern.slot(s)[1]]), &S_ij);
    }
  }
  if (!curved_) return;
  L_ = G_;
  const BlockPattern& pattern = K_.pattern();
  for (int i = 0, k = 0; i < L_.rows(); ++i) {
    for (int block = 0; k < L_.outerIndexPtr()[i + 1];) {
      while (pattern.offset(block) + pattern.size(block) <= L_.innerIndexPtr()[k]) ++block;
      const int n = pattern.size(block);  // rows hold all columns of a block
      const Eigen::Map<const Eigen::RowVectorXd> change(C_.valuePtr() + k, n);
      Eigen::Map<Eigen::RowVectorXd> row(L_.valuePtr() + k, n);
      if (traits.flat) {
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

/// S of (9), factored.
void NonsmoothAlpha::Impl::FormSmoothMatrix(System& system) {
  if (linear_) return;
  CalcTangents(system);
  if (curved_) {
    kkt_S_->Factor(S_, G_, L_);
  } else {
    kkt_S_->Factor(S_, G_);
  }
  stiff_ = false;
  rounding_speed_ = 0;
  if (no_contacts_ && large_ && !system.traits().has_tangents) return;
  // Is S far from c M, and what does rounding of q do to f?
  double rounding = 0;
  const BlockPattern& pattern = M_.pattern();
  for (int s = 0; s < pattern.num_slots(); ++s) {
    const auto [i, j] = pattern.slot(s);
    const auto M_ii = M_.block(diagonal_slots_[i]);
    const auto M_jj = M_.block(diagonal_slots_[j]);
    const auto K_ij = K_.block(s), S_ij = S_.block(s), M_ij = M_.block(s);
    for (int y = 0; y < pattern.size(j); ++y) {
      for (int x = 0; x < pattern.size(i); ++x) {
        const double difference = S_ij(x, y) - c_ * M_ij(x, y);
        const double mass = kStiff * c_;
        stiff_ = stiff_ || difference * difference > mass * mass * M_ii(x, x) * M_jj(y, y);
        rounding = std::max(rounding, std::abs(K_ij(x, y)) / M_ii(x, x));
      }
    }
  }
  rounding_speed_ = kEpsilon * h_ * rounding * (1 + q_.lpNorm<Eigen::Infinity>());
  if (!std::isfinite(rounding_speed_)) rounding_speed_ = 0;
}

/// dq = h(β/γ) T Δṽ: how q̃ moves with Δṽ.
void NonsmoothAlpha::Impl::CalcMove(const VectorX& dv, VectorX* dq) const {
  *dq = h_ * k_.beta / k_.gamma * dv;
  if (linear_ || system_->traits().flat) return;
  const BlockPattern& pattern = T_.pattern();
  for (int b = 0; b < pattern.num_blocks(); ++b) {
    const BlockMatrix::ConstBlock T = T_.block(diagonal_slots_[b]);
    if (pattern.size(b) == 6) {
      auto part = dq->segment<6>(pattern.offset(b));
      part = (Eigen::Map<const Matrix6>(T.data()) * part).eval();
    } else {
      auto part = dq->segment(pattern.offset(b), pattern.size(b));
      part = (T * part).eval();
    }
  }
}

/// (10) without the terms of U and W: dv_ and λ̃.
bool NonsmoothAlpha::Impl::SolveSmooth(System& system) {
  const int m = system.traits().num_constraints;
  M_.Multiply(vd_, &rhs_);
  rhs_ = f_ - rhs_;
  // Of redundant joints all of λ̃ is solved for: the rounding of increments would add up in the way
  // they share the load.
  if (m > 0 && !full_rank_) lambda_.setZero();
  if (m > 0) rhs_.noalias() += G_.transpose() * lambda_;
  rhs_ *= h_;
  c_rows_.resize(m);
  if (m > 0) {
    c_rows_.noalias() = G_ * v_smooth_;
    c_rows_ = -c_rows_ - g_t_;
  }
  if (curvature_.present) {
    rhs_ += curvature_.force;
    c_rows_ += curvature_.rows;
  }
  bool solved;
  if (linear_) {
    solved = kkt_M_->Solve(rhs_, c_rows_, &dv_, &lambda_);
    dv_ /= c_;
  } else {
    solved = kkt_S_->Solve(rhs_, c_rows_, &dv_, &z_, passes());
    if (!solved && curved_) {  // a configuration where rows of G become dependent
      curved_ = false;
      kkt_S_->Factor(S_, G_);
      solved = kkt_S_->Solve(rhs_, c_rows_, &dv_, &z_, passes());
    }
    lambda_ += z_ / h_;
  }
  if (!solved) {
    const KktSolver& kkt = linear_ ? *kkt_M_ : *kkt_S_;
    if (kkt.outcome() != KktOutcome::kInconsistent) return false;
    report_.status = StepStatus::kConstraintFailed;
  }
  return dv_.allFinite();
}

/// ΔU of (11) without contacts, in the metric S, which is factored already: G (dq_ + ΔU) = −g_left.
/// Increments, so that the errors of passes() and of L in place of G shrink from pass to pass. The
/// first solve of an iteration brings U and ν to S U = c Gᵀν, later ones keep them there.
void NonsmoothAlpha::Impl::AddPositionIncrement(const VectorX& g_left, bool first_of_iteration) {
  const double enough = 0.1 * h_ * options_.newton_tolerance * CalcVelocityScale();
  dU_.setZero(U_.size());
  double first = 0;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    c_rows_.noalias() = G_ * dq_;
    c_rows_ = -g_left - c_rows_;
    const double left = c_rows_.lpNorm<Eigen::Infinity>();
    if (pass == 0) first = left;
    if (pass > 0 && (!curved_ || left <= std::max(enough, kPassProgress * first))) break;
    const bool bring = first_of_iteration && pass == 0;
    if (bring) {
      x_.noalias() = c_ * (G_.transpose() * nu_joint_);
      S_.AddMultiply(-1, U_, &x_);
    }
    kkt_S_->Solve(bring ? x_ : no_force_, c_rows_, &y_, &z_, passes());
    U_ += y_;
    dq_ += y_;
    dU_ += y_;
    nu_joint_ += z_ / c_;
  }
}

/// Without contacts W vanishes, and the small U takes the metric S. Its effect hKΔU on (10) and CΔU
/// on the rows of the joints, a share of about h|ω|, is answered by further solves with the same
/// factors, which cost little next to an evaluation.
bool NonsmoothAlpha::Impl::SolvePositionWithoutContacts(System& system) {
  W_.setZero();
  Lambda_.setZero();
  active_.clear();
  candidates_.clear();
  friction_P_.resize(0);
  if (system.traits().num_constraints == 0) {
    U_.setZero();
    return true;
  }
  no_rows_.setZero(g_.size());
  CalcMove(dv_, &dq_);
  AddPositionIncrement(g_, true);
  const double enough = 0.1 * options_.newton_tolerance * CalcVelocityScale();
  double effect = 0;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    K_.Multiply(dU_, &y_);
    x_ = y_;
    double last = effect;
    effect = h_ * CalcMassScaled(&y_);
    c_rows_.setZero();
    if (curved_) {
      c_rows_.noalias() = C_ * dU_;
      c_rows_ = -c_rows_;
      effect = std::max(effect, c_rows_.lpNorm<Eigen::Infinity>());
    }
    if (pass == 0) last = effect;
    if (!(effect > std::max(enough, pass == 0 ? 0 : kPassProgress * last))) break;
    x_ *= -h_;
    kkt_S_->Solve(x_, c_rows_, &y_, &z_, passes());
    dv_ += y_;
    lambda_ += z_ / h_;
    CalcMove(y_, &dq_);
    AddPositionIncrement(no_rows_, false);
  }
  return U_.allFinite() && dv_.allFinite();
}

}  // namespace saltus
