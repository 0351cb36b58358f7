#include "saltus/dae/dae_terms.h"

#include <algorithm>
#include <cmath>

#include "saltus/linalg/lu.h"
#include "saltus/linalg/rank.h"

namespace saltus {
namespace {

/// Difference quotients of M(q) w: the error is ε² and the rounding 1e-16/ε.
constexpr double kDifference = 1e-6;
constexpr int kMaxProjections = 20;

BlockMatrix MakeDiagonalMatrix(const BlockPattern& pattern) {
  std::vector<int> sizes;
  for (int b = 0; b < pattern.num_blocks(); ++b) sizes.push_back(pattern.size(b));
  return BlockMatrix(std::make_shared<BlockPattern>(sizes, std::vector<std::array<int, 2>>{}));
}

VectorX CalcDiagonal(const BlockMatrix& M) {
  const BlockPattern& pattern = M.pattern();
  VectorX diagonal(pattern.num_dofs());
  for (int b = 0; b < pattern.num_blocks(); ++b) {
    diagonal.segment(pattern.offset(b), pattern.size(b)) =
        M.block(pattern.FindSlot(b, b)).diagonal();
  }
  return diagonal;
}

/// The rows `kept` of `all`, values and pattern.
SparseRows SelectPattern(const SparseRows& all, const std::vector<int>& kept) {
  SparseRows G(static_cast<int>(kept.size()), static_cast<int>(all.cols()));
  if (kept.empty()) return G;
  std::vector<Triplet> entries;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (SparseRows::InnerIterator entry(all, kept[i]); entry; ++entry) {
      entries.emplace_back(static_cast<int>(i), entry.col(), entry.value());
    }
  }
  G.setFromTriplets(entries.begin(), entries.end());
  G.makeCompressed();
  return G;
}

void CopyValues(const SparseRows& all, const std::vector<int>& kept, SparseRows* G) {
  double* value = G->valuePtr();
  for (const int row : kept) {
    for (int k = all.outerIndexPtr()[row]; k < all.outerIndexPtr()[row + 1]; ++k) {
      *value++ = all.valuePtr()[k];
    }
  }
}

}  // namespace

DaeTerms::DaeTerms(System* system, const Baumgarte& baumgarte, Formulation formulation)
    : system_(system),
      baumgarte_(baumgarte),
      formulation_(formulation),
      M_(system->pattern()),
      T_(MakeDiagonalMatrix(*system->pattern())) {
  int largest = 0;
  for (int b = 0; b < T_.pattern().num_blocks(); ++b) {
    largest = std::max(largest, T_.pattern().size(b));
  }
  inverse_.resize(static_cast<std::size_t>(largest * largest));
}

void DaeTerms::Start(double t, const VectorX& q) {
  CalcMass(q);
  SelectRows(t, q);
}

void DaeTerms::SelectRows(double t, const VectorX& q) {
  const int m = traits().num_constraints;
  std::vector<int> kept;
  if (m > 0) {
    system_->CalcConstraintJacobian(t, q, &G_all_);
    const std::vector<int> left_out = FindRedundantRows(G_all_, CalcDiagonal(M_));
    for (int i = 0; i < m; ++i) {
      if (!std::binary_search(left_out.begin(), left_out.end(), i)) kept.push_back(i);
    }
  }
  if (is_started_ && kept == kept_) return;
  is_started_ = true;
  kept_ = std::move(kept);
  if (is_reduced()) {
    G_ = SelectPattern(G_all_, kept_);
  } else if (m > 0) {
    G_ = G_all_;
  } else {
    G_ = SparseRows(0, num_velocities());
  }
  is_small_ = num_velocities() + num_rows() <= DenseSaddle::kMaxSize;
  if (is_small_) {
    dense_.Start(M_, G_);
  } else {
    kkt_ = std::make_unique<KktSolver>(system_->pattern(), G_);
  }
}

void DaeTerms::KeepRows(const VectorX& all, VectorX* kept) const {
  kept->resize(num_rows());
  for (int i = 0; i < num_rows(); ++i) (*kept)[i] = all[kept_[static_cast<std::size_t>(i)]];
}

void DaeTerms::ExpandMultipliers(const VectorX& lambda, VectorX* all) const {
  all->setZero(traits().num_constraints);
  for (int i = 0; i < num_rows(); ++i) (*all)[kept_[static_cast<std::size_t>(i)]] = lambda[i];
}

void DaeTerms::CalcJacobian(double t, const VectorX& q, SparseRows* G) {
  if (!is_reduced()) {
    if (num_rows() == 0 && G->cols() != num_velocities()) *G = G_;
    if (num_rows() > 0) system_->CalcConstraintJacobian(t, q, G);
    return;
  }
  system_->CalcConstraintJacobian(t, q, &G_all_);
  if (G->nonZeros() != G_.nonZeros()) *G = G_;
  CopyValues(G_all_, kept_, G);
}

void DaeTerms::CalcConstraint(double t, const VectorX& q, VectorX* g) {
  if (num_rows() == 0) return g->resize(0);
  if (!is_reduced()) return system_->CalcConstraint(t, q, g);
  system_->CalcConstraint(t, q, &all_rows_);
  KeepRows(all_rows_, g);
}

void DaeTerms::CalcRate(double t, const VectorX& q, VectorX* g_t) {
  if (num_rows() == 0) return g_t->resize(0);
  if (!is_reduced()) return system_->CalcConstraintRate(t, q, g_t);
  system_->CalcConstraintRate(t, q, &all_rows_);
  KeepRows(all_rows_, g_t);
}

void DaeTerms::CalcBias(double t, const VectorX& q, const VectorX& v, VectorX* gamma) {
  if (num_rows() == 0) return gamma->resize(0);
  if (!is_reduced()) return system_->CalcConstraintBias(t, q, v, gamma);
  system_->CalcConstraintBias(t, q, v, &all_rows_);
  KeepRows(all_rows_, gamma);
}

void DaeTerms::CalcHiddenConstraint(double t, const VectorX& q, const VectorX& v, VectorX* g_dot) {
  CalcRate(t, q, g_dot);
  if (num_rows() == 0) return;
  CalcJacobian(t, q, &G_);
  g_dot->noalias() += G_ * v;
}

bool DaeTerms::AddConstraintTangents(double t, const VectorX& q, const VectorX& v,
                                     const VectorX& lambda, BlockMatrix* K, SparseRows* C) {
  if (num_rows() == 0) return false;
  ExpandMultipliers(lambda, &expanded_);
  if (!is_reduced()) return system_->AddConstraintTangents(t, q, v, expanded_, K, C);
  const bool known = system_->AddConstraintTangents(t, q, v, expanded_, K, &C_all_);
  if (!known) return false;
  if (C->nonZeros() != G_.nonZeros()) *C = G_;
  CopyValues(C_all_, kept_, C);
  return true;
}

void DaeTerms::AddMassTangent(const VectorX& q, const VectorX& w, BlockMatrix* K) {
  if (traits().constant_mass) return;
  const BlockPattern& pattern = K->pattern();
  delta_.setZero(num_velocities());
  for (int b = 0; b < pattern.num_blocks(); ++b) {
    for (int j = 0; j < pattern.size(b); ++j) {
      for (int side = 0; side < 2; ++side) {
        delta_[pattern.offset(b) + j] = side == 0 ? kDifference : -kDifference;
        Retract(q, delta_, &q_);
        CalcMass(q_).Multiply(w, &w_[side]);
      }
      delta_[pattern.offset(b) + j] = 0;
      w_[0] = (w_[0] - w_[1]) / (2 * kDifference);
      for (int s = 0; s < pattern.num_slots(); ++s) {
        const auto [row, column] = pattern.slot(s);
        if (column != b) continue;
        K->block(s).col(j) += w_[0].segment(pattern.offset(row), pattern.size(row));
      }
    }
  }
}

const BlockMatrix& DaeTerms::CalcMass(const VectorX& q) {
  if (!mass_is_known_) {
    system_->CalcMass(q, &M_);
    mass_is_known_ = traits().constant_mass;
  }
  return M_;
}

void DaeTerms::CalcForce(double t, const VectorX& q, const VectorX& v, VectorX* f) {
  ++counts_.evaluations;
  system_->CalcForce(t, q, v, f);
}

bool DaeTerms::Factor(const BlockMatrix& S, const SparseRows& G, const SparseRows& L) {
  ++counts_.factorisations;
  return is_small_ ? dense_.Factor(S, G, L) : kkt_->Factor(S, G, L);
}

bool DaeTerms::Solve(const BlockMatrix& S, const SparseRows& G, const SparseRows& L,
                     const VectorX& f, const VectorX& c, VectorX* x, VectorX* lambda) {
  return Factor(S, G, L) && SolveAgain(f, c, x, lambda);
}

bool DaeTerms::SolveAgain(const VectorX& f, const VectorX& c, VectorX* x, VectorX* lambda) {
  if (!is_small_) return kkt_->Solve(f, c, x, lambda);
  dense_.Solve(f, c, x, lambda);
  return true;
}

bool DaeTerms::CalcAcceleration(double t, const VectorX& q, const VectorX& v, VectorX* a,
                                VectorX* lambda) {
  CalcMass(q);
  CalcForce(t, q, v, &f_);
  CalcBias(t, q, v, &c_);
  if (num_rows() > 0) CalcJacobian(t, q, &G_);
  if (num_rows() > 0 && (baumgarte_.alpha > 0 || baumgarte_.beta > 0)) {
    CalcRate(t, q, &g_);
    g_.noalias() += G_ * v;
    c_ += 2 * baumgarte_.alpha * g_;
    CalcConstraint(t, q, &g_);
    c_ += baumgarte_.beta * baumgarte_.beta * g_;
  }
  if (formulation_ != Formulation::kKkt && num_rows() > 0) {
    ++counts_.factorisations;
    return saltus::CalcAcceleration(formulation_, M_.ToDense(), f_, MatrixX(G_), c_, a, lambda);
  }
  c_ = -c_;
  return Solve(M_, G_, G_, f_, c_, a, lambda);  // (4)
}

void DaeTerms::CalcChartRate(const VectorX& delta, const VectorX& v, VectorX* rate) {
  *rate = v;
  if (traits().flat) return;
  system_->CalcRetractTangent(delta, &T_);
  const BlockPattern& pattern = T_.pattern();
  for (int b = 0; b < pattern.num_blocks(); ++b) {
    const int n = pattern.size(b), first = pattern.offset(b);
    InvertSmallMatrix(n, T_.block(b).data(), inverse_.data());
    rate->segment(first, n).noalias() =
        Eigen::Map<const MatrixX>(inverse_.data(), n, n) * v.segment(first, n);
  }
}

void DaeTerms::CalcVelocity(const VectorX& delta, const VectorX& rate, VectorX* v) {
  if (traits().flat) {
    *v = rate;
    return;
  }
  system_->CalcRetractTangent(delta, &T_);
  T_.Multiply(rate, v);
}

bool DaeTerms::ProjectPosition(double t, double tolerance, VectorX* q) {
  if (num_rows() == 0) return true;
  CalcConstraint(t, *q, &g_);
  if (g_.lpNorm<Eigen::Infinity>() <= tolerance) return true;
  CalcMass(*q);
  CalcJacobian(t, *q, &G_);
  if (!Factor(M_, G_, G_)) return false;
  f_.setZero(num_velocities());
  for (int k = 0; k < kMaxProjections; ++k) {  // (6) with the matrix of Q
    c_ = -g_;
    if (!SolveAgain(f_, c_, &increment_, &multiplier_)) return false;
    Retract(*q, increment_, q);
    CalcConstraint(t, *q, &g_);
    if (g_.lpNorm<Eigen::Infinity>() <= tolerance) return true;
  }
  return false;
}

bool DaeTerms::ProjectVelocity(double t, const VectorX& q, VectorX* v) {
  if (num_rows() == 0) return true;
  CalcMass(q);
  CalcHiddenConstraint(t, q, *v, &c_);
  c_ = -c_;
  f_.setZero(num_velocities());
  if (!Solve(M_, G_, G_, f_, c_, &increment_, &multiplier_)) return false;
  *v += increment_;
  return true;
}

}  // namespace saltus
