#include "saltus/linalg/component_kkt.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace saltus {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
/// A residual below this many roundings of its terms cannot be improved.
constexpr double kRoundings = 4;
/// Residuals relative to their terms above this are not rounding: no solution was found.
constexpr double kVanishing = 1e-9;
constexpr int kMaxPasses = 40;

/// The power of two next to 1/√a.
double InverseRootPowerOfTwo(double a) { return std::exp2(std::round(-0.5 * std::log2(a))); }

}  // namespace

ComponentKkt::ComponentKkt(int num_dofs, int num_rows, std::vector<KktEntry> entries, bool dense)
    : n_(num_dofs), m_(num_rows), sources_(std::move(entries)) {
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
  for (VectorX* v : {&column_size_, &scale_, &y_, &b_, &z_}) *v = VectorX::Zero(size);
  delta_ = VectorX::Zero(m_);
  if (dense) {
    dense_ = std::make_unique<DenseLu>(size);
  } else {
    sparse_ = std::make_unique<SparseLu>(CompressedColumns{column_begin_, row_index_, scaled_});
  }
}

ComponentKkt::~ComponentKkt() = default;

bool ComponentKkt::Factor(const double* S_values, const double* G_values) {
  if (!GatherValues(S_values, G_values)) return regular_;
  CalcScaling();
  regular_ = FactorMatrix();
  return regular_;
}

/// Copies the numbers of the component; true if one of them differs from the last ones.
bool ComponentKkt::GatherValues(const double* S_values, const double* G_values) {
  bool changed = false;
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    const KktEntry& source = sources_[k];
    const double value =
        source.index < 0 ? 0 : source.sign * (source.from_G ? G_values : S_values)[source.index];
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
  return sparse_->FactorWithFreshPivots({column_begin_, row_index_, scaled_});
}

void ComponentKkt::ApplyInverse() {
  if (dense_) {
    dense_->SolveInPlace(&z_);
  } else {
    sparse_->SolveInPlace(&z_);
  }
}

/// z = b − A y for the matrix without its regularisation, and the sizes to judge it by.
void ComponentKkt::CalcResidual() {
  z_ = b_;
  VectorX& size = column_size_;  // free after CalcScaling()
  size = b_.cwiseAbs();
  for (int j = 0; j < n_ + m_; ++j) {
    const double y_j = y_[j];
    for (int k = column_begin_[j]; k < column_begin_[j + 1]; ++k) {
      if (sources_[k].index < 0) continue;
      const double term = scaled_[k] * y_j;
      z_[row_index_[k]] -= term;
      size[row_index_[k]] += std::abs(term);
    }
  }
  residual_f_ = z_.head(n_).lpNorm<Eigen::Infinity>();
  size_f_ = size.head(n_).lpNorm<Eigen::Infinity>();
  residual_c_ = z_.tail(m_).lpNorm<Eigen::Infinity>();
  size_c_ = size.tail(m_).lpNorm<Eigen::Infinity>();
}

/// The passes (1) until the residual is rounding or does not shrink any more. False if the first
/// row of (1) is not solved; the second row is left to the caller.
bool ComponentKkt::IteratePasses() {
  y_.setZero();
  z_ = b_;
  double previous = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    ApplyInverse();
    y_ += z_;
    CalcResidual();
    // Rounding of the first row reaches the second through x.
    const double residual = std::max(residual_f_, residual_c_);
    if (!std::isfinite(residual)) return false;
    if (residual_f_ <= kRoundings * kEpsilon * size_f_ &&
        residual_c_ <= kRoundings * kEpsilon * (size_c_ + size_f_)) {
      break;
    }
    if (pass > 0 && residual > 0.7 * previous) break;
    previous = residual;
  }
  return residual_f_ <= kVanishing * size_f_;
}

KktOutcome ComponentKkt::Solve() {
  constraint_residual_ = 0;
  if (!regular_) return KktOutcome::kSingular;
  b_ = y_.cwiseProduct(scale_);
  if (!b_.allFinite()) return KktOutcome::kSingular;

  bool solved = IteratePasses();
  if (!solved && RepeatWithFreshPivots()) solved = IteratePasses();
  if (!solved) return KktOutcome::kSingular;

  KktOutcome outcome = KktOutcome::kSolved;
  const VectorX& scale = scale_;
  for (int i = n_; i < n_ + m_; ++i) {
    constraint_residual_ = std::max(constraint_residual_, std::abs(z_[i]) / scale[i]);
  }
  if (residual_c_ > kVanishing * size_c_ + 64 * kEpsilon * size_f_) {
    outcome = KktOutcome::kInconsistent;
    b_.tail(m_) -= z_.tail(m_);
    if (!IteratePasses()) return KktOutcome::kSingular;
  }
  y_ = y_.cwiseProduct(scale_);
  return outcome;
}

}  // namespace saltus
