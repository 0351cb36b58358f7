#include "saltus/linalg/component_kkt.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "saltus/linalg/kkt_ordering.h"

namespace saltus {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
/// A residual of so few roundings of its terms need not be improved; one of so many may be the best
/// that can be reached.
constexpr double kFewRoundings = 4;
constexpr double kManyRoundings = 64;
/// Residuals relative to their terms above this are not rounding: no solution was found.
constexpr double kVanishing = 1e-9;
/// Passes go on as long as they shrink the residual by this factor.
constexpr double kGoodProgress = 0.1;
constexpr int kMaxCombined = 30;  // passes combined at once
constexpr int kMaxCycles = 4;
/// |A A_δ⁻¹ v| of a unit v: where A reaches v this is σ/(σ + δ); rounding over δ is 2e-7.
constexpr double kUnreachable = 1e-6;

/// A power of two within a factor √2 of 1/√a, a > 0. From the bits: frexp and ldexp are calls.
double InverseRootPowerOfTwo(double a) {
  constexpr int kBias = 1023, kMantissaBits = 52;
  // a = m 2^exponent, ½ ≤ m < 1
  const int exponent =
      static_cast<int>(std::bit_cast<std::uint64_t>(a) >> kMantissaBits) - kBias + 1;
  const int half = exponent % 2 == 0 ? -exponent / 2 : (1 - exponent) / 2;
  return std::bit_cast<double>(static_cast<std::uint64_t>(kBias + half) << kMantissaBits);
}

}  // namespace

ComponentKkt::ComponentKkt(const std::vector<int>& block_of_dof, int num_rows,
                           std::vector<KktEntry> entries, bool dense)
    : n_(static_cast<int>(block_of_dof.size())), m_(num_rows), sources_(std::move(entries)) {
  const int size = n_ + m_;
  for (int i = n_; i < size; ++i) sources_.push_back({i, i, -1, 1, true});
  std::sort(sources_.begin(), sources_.end(), [](const KktEntry& a, const KktEntry& b) {
    return std::pair(a.column, a.row) < std::pair(b.column, b.row);
  });
  column_begin_.assign(size + 1, 0);
  row_index_.reserve(sources_.size());
  for (const KktEntry& entry : sources_) {
    row_index_.push_back(entry.row);
    ++column_begin_[entry.column + 1];
  }
  for (int j = 0; j < size; ++j) column_begin_[j + 1] += column_begin_[j];

  // NaN differs from every number: the first Factor() finds everything changed.
  raw_.assign(sources_.size(), std::numeric_limits<double>::quiet_NaN());
  scaled_.assign(sources_.size(), 0);
  for (VectorX* v : {&column_size_, &scale_, &y_, &b_, &z_, &work_}) *v = VectorX::Zero(size);
  delta_ = VectorX::Zero(m_);
  if (dense) {
    dense_ = std::make_unique<DenseLu>(size);
  } else {
    sparse_ =
        std::make_unique<SparseLu>(CompressedColumns{column_begin_, row_index_, scaled_},
                                   OrderSaddlePoint(block_of_dof, m_, column_begin_, row_index_));
  }
}

ComponentKkt::~ComponentKkt() = default;

bool ComponentKkt::Factor(const double* S_values, const double* G_values, const double* L_values) {
  if (!GatherValues(S_values, G_values, L_values)) return regular_;
  CalcScaling();
  regular_ = FactorMatrix();
  return regular_;
}

/// Copies the numbers of the component; true if one of them differs from the last ones.
bool ComponentKkt::GatherValues(const double* S_values, const double* G_values,
                                const double* L_values) {
  bool changed = false;
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    const KktEntry& source = sources_[k];
    const double* values = !source.from_G ? S_values : source.sign < 0 ? G_values : L_values;
    const double value = source.index < 0 ? 0 : source.sign * values[source.index];
    changed |= value != raw_[k];
    raw_[k] = value;
  }
  return changed;
}

void ComponentKkt::CalcScaling() {
  VectorX& s = column_size_;
  double sum = 0;
  int count = 0;
  for (int j = 0; j < n_; ++j) {
    double diagonal = 0;
    double largest = 0;
    for (int k = column_begin_[j]; k < column_begin_[j + 1] && row_index_[k] < n_; ++k) {
      largest = std::max(largest, std::abs(raw_[k]));
      if (row_index_[k] == j) diagonal = std::abs(raw_[k]);
    }
    s[j] = diagonal > 1e-10 * largest ? diagonal : largest;
    if (s[j] > 0) sum += s[j], ++count;
  }
  const double fallback = count > 0 ? sum / count : 1;  // columns where S vanishes
  for (int j = 0; j < n_; ++j) {
    if (!(s[j] > 0)) s[j] = fallback;
  }

  s.tail(m_).setZero();
  for (int j = 0; j < n_; ++j) {
    for (int k = column_begin_[j + 1] - 1; k >= column_begin_[j] && row_index_[k] >= n_; --k) {
      s[row_index_[k]] += raw_[k] * raw_[k] / s[j];  // w_i
    }
  }
  for (int i = n_; i < n_ + m_; ++i) {
    if (!(s[i] > 0)) s[i] = 1;  // a row that vanishes at this configuration
  }

  for (int j = 0; j < n_ + m_; ++j) scale_[j] = InverseRootPowerOfTwo(s[j]);
  for (int i = 0; i < m_; ++i) delta_[i] = kDelta * s[n_ + i] * scale_[n_ + i] * scale_[n_ + i];
}

bool ComponentKkt::FactorMatrix() {
  bool finite = true;
  for (int j = 0; j < n_ + m_; ++j) {
    for (int k = column_begin_[j]; k < column_begin_[j + 1]; ++k) {
      scaled_[k] = raw_[k] * scale_[row_index_[k]] * scale_[j];
      if (sources_[k].index < 0) scaled_[k] = delta_[j - n_];
      finite &= std::isfinite(scaled_[k]);
    }
  }
  if (!finite) return false;
  const CompressedColumns A{column_begin_, row_index_, scaled_};
  return dense_ ? dense_->Factor(A) : sparse_->Factor(A);
}

bool ComponentKkt::RepeatWithFreshPivots() {
  if (dense_ || sparse_->has_fresh_pivots()) return false;
  regular_ = sparse_->FactorWithFreshPivots({column_begin_, row_index_, scaled_});
  return regular_;
}

void ComponentKkt::ApplyInverse(VectorX* z) {
  if (dense_) {
    dense_->SolveInPlace(z);
  } else {
    sparse_->SolveInPlace(z);
  }
}

/// out = A in for the scaled matrix without its regularisation, the last entry of the columns of λ.
void ComponentKkt::Multiply(const VectorX& in, VectorX* out) const {
  out->setZero();
  for (int j = 0; j < n_ + m_; ++j) {
    const int end = column_begin_[j + 1] - (j < n_ ? 0 : 1);
    for (int k = column_begin_[j]; k < end; ++k) (*out)[row_index_[k]] += scaled_[k] * in[j];
  }
}

/// z = b − A y, and the sizes to judge it by.
void ComponentKkt::CalcResidual() {
  z_ = b_;
  work_ = b_.cwiseAbs();
  for (int j = 0; j < n_ + m_; ++j) {
    const int end = column_begin_[j + 1] - (j < n_ ? 0 : 1);
    for (int k = column_begin_[j]; k < end; ++k) {
      const double term = scaled_[k] * y_[j];
      z_[row_index_[k]] -= term;
      work_[row_index_[k]] += std::abs(term);
    }
  }
  residual_f_ = z_.head(n_).lpNorm<Eigen::Infinity>();
  residual_c_ = z_.tail(m_).lpNorm<Eigen::Infinity>();
  size_f_ = work_.head(n_).lpNorm<Eigen::Infinity>();
  size_c_ = work_.tail(m_).lpNorm<Eigen::Infinity>();
}

/// Are both residuals no more than some roundings of their terms? Rounding of the first row reaches
/// the second through x.
bool ComponentKkt::is_rounding(double roundings) const {
  return residual_f_ <= roundings * kEpsilon * size_f_ &&
         residual_c_ <= roundings * kEpsilon * (size_c_ + size_f_);
}

/// The passes (1) on y and its residual z. True if the residual ends as rounding; false if it
/// shrinks too slowly or is not finite.
bool ComponentKkt::IteratePasses() {
  double previous = std::numeric_limits<double>::infinity();
  while (true) {
    ApplyInverse(&z_);
    y_ += z_;
    CalcResidual();
    const double residual = std::max(residual_f_, residual_c_);
    if (is_rounding(kFewRoundings)) return true;
    if (!(residual < kGoodProgress * previous)) return is_rounding(kManyRoundings);
    previous = residual;
  }
}

/// Combines further passes to the least residual. True if that helped.
bool ComponentKkt::MinimizeResidual() {
  if (gmres_ == nullptr) gmres_ = std::make_unique<FlexibleGmres>(n_ + m_, kMaxCombined);
  const double start = z_.norm();
  if (!std::isfinite(start)) return false;
  gmres_->Start(z_);
  while (!gmres_->is_full() && gmres_->residual_norm() > kEpsilon * start) {
    work_ = gmres_->direction();
    ApplyInverse(&work_);
    Multiply(work_, &z_);
    if (gmres_->Add(work_, &z_) < kUnreachable) break;
  }
  const double previous = std::max(residual_f_, residual_c_);
  gmres_->AddSolution(&y_);
  CalcResidual();
  return std::max(residual_f_, residual_c_) < kGoodProgress * previous;
}

/// Solves for the scaled right-hand side b. False if the first row is not solved; the second row is
/// left to the caller.
bool ComponentKkt::SolveScaled() {
  y_.setZero();
  z_ = b_;
  for (int cycle = 0; cycle < kMaxCycles; ++cycle) {
    if (IteratePasses() || !MinimizeResidual()) break;
  }
  return residual_f_ <= kVanishing * size_f_ && y_.allFinite();
}

/// (2), in scaled unknowns; z is what the passes left.
void ComponentKkt::RemoveInconsistentPart() {
  z_.head(n_).setZero();
  ApplyInverse(&z_);
  const auto nu = z_.tail(m_);
  const auto D = delta_ / kDelta;
  const double factor = nu.dot(b_.tail(m_)) / nu.dot(D.cwiseProduct(nu));
  if (std::isfinite(factor)) b_.tail(m_) -= factor * D.cwiseProduct(nu);
}

KktOutcome ComponentKkt::SolveInOnePass() {
  constraint_residual_ = 0;
  if (!regular_) return KktOutcome::kSingular;
  y_ = y_.cwiseProduct(scale_);
  if (!y_.allFinite()) return KktOutcome::kSingular;
  ApplyInverse(&y_);
  y_ = y_.cwiseProduct(scale_);
  return KktOutcome::kSolved;
}

KktOutcome ComponentKkt::Solve() {
  constraint_residual_ = 0;
  if (!regular_) return KktOutcome::kSingular;
  b_ = y_.cwiseProduct(scale_);
  if (!b_.allFinite()) return KktOutcome::kSingular;
  // Products of numbers near the smallest have no digits to judge a residual by: motions that decay
  // for ever get there.
  b_ = (b_.array().abs() < std::numeric_limits<double>::min() / kEpsilon).select(0, b_);

  bool solved = SolveScaled();
  if (!solved && RepeatWithFreshPivots()) solved = SolveScaled();
  if (!solved) return KktOutcome::kSingular;

  KktOutcome outcome = KktOutcome::kSolved;
  if (residual_c_ > kVanishing * size_c_ + kManyRoundings * kEpsilon * size_f_) {
    outcome = KktOutcome::kInconsistent;
    c_ = b_.tail(m_);
    RemoveInconsistentPart();
    c_ -= b_.tail(m_);
    if (!SolveScaled()) return KktOutcome::kSingular;
    z_.tail(m_) += c_;  // the residual for the given c
  }
  for (int i = n_; i < n_ + m_; ++i) {
    constraint_residual_ = std::max(constraint_residual_, std::abs(z_[i]) / scale_[i]);
  }
  y_ = y_.cwiseProduct(scale_);
  return outcome;
}

}  // namespace saltus
