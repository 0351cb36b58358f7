#include "saltus/cones/solvers/body_lu.h"

#include <algorithm>

#include <Eigen/LU>

namespace saltus {
namespace {

constexpr int kMinRows = 150;  // below it, forming A and dense LU are cheaper
constexpr int kMaxRefinements = 3;
constexpr double kRefined = 1e-10;  // error of (1) beside |f| that is small enough

using Matrix = BlockEquation::Matrix;
using Rows = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 12, Eigen::RowMajor>>;
using ThreeRows = Eigen::Map<const Eigen::Matrix<double, 3, 12, Eigen::RowMajor>>;

bool Invert(const Matrix& F, Matrix* inverse) {
  if (F.rows() == 3) {
    const Matrix3 fixed = F;
    *inverse = fixed.inverse();
  } else {
    *inverse = F.inverse();
  }
  return inverse->allFinite();
}

}  // namespace

const BodyDelassus* BodyLu::FindBodyForm(const ConicProblem& problem) {
  const auto* body = dynamic_cast<const BodyDelassus*>(problem.A);
  if (body == nullptr || problem.size() < kMinRows || problem.size() < 6 * body->num_bodies()) {
    return nullptr;
  }
  const bool regular = std::none_of(problem.cones.begin(), problem.cones.end(), [](const Cone& c) {
    return c.kind == ConeKind::kFree;  // E = 0 there
  });
  return regular ? body : nullptr;
}

void BodyLu::Prepare(const ConicProblem& problem) {
  problem_ = &problem;
  A_ = static_cast<const BodyDelassus*>(problem.A);
  const int num_bodies = A_->num_bodies(), num_blocks = A_->num_blocks();
  std::vector<std::array<int, 2>> couplings;
  for (int c = 0; c < num_blocks; ++c) {
    const BodyDelassus::Sides& sides = A_->sides(c);
    if (sides.a < num_bodies && sides.b < num_bodies) couplings.push_back({sides.a, sides.b});
  }
  pattern_ = std::make_shared<BlockPattern>(
      std::vector<int>(static_cast<std::size_t>(num_bodies), 6), couplings);
  matrix_ = BlockMatrix(pattern_);
  lu_.Analyze(pattern_);
  diagonal_.resize(static_cast<std::size_t>(num_bodies));
  for (int b = 0; b < num_bodies; ++b) diagonal_[b] = pattern_->FindSlot(b, b);
  slots_.resize(static_cast<std::size_t>(num_blocks));
  for (int c = 0; c < num_blocks; ++c) {
    const BodyDelassus::Sides& sides = A_->sides(c);
    const bool a = sides.a < num_bodies, b = sides.b < num_bodies;
    slots_[c] = {a ? diagonal_[sides.a] : -1, a && b ? pattern_->FindSlot(sides.a, sides.b) : -1,
                 a && b ? pattern_->FindSlot(sides.b, sides.a) : -1, b ? diagonal_[sides.b] : -1};
  }
  inverse_.resize(slots_.size());
  factor_.resize(slots_.size());
}

// Adds Tᵀ F⁻¹ B R of a block to (2).
void BodyLu::AddBlock(int c) {
  const Cone& cone = problem_->cones[c];
  const double* R = A_->rows()[cone.offset].x;
  const double* T = A_->transposed_rows()[cone.offset].x;
  Eigen::Matrix<double, 12, 12> K;
  if (cone.dimension == 3) {
    const Matrix3 middle = factor_[c];
    const Eigen::Matrix<double, 3, 12> right = middle * ThreeRows(R);
    K.noalias() = ThreeRows(T).transpose().lazyProduct(right);
  } else {
    K.noalias() =
        Rows(T, cone.dimension, 12).transpose() * (factor_[c] * Rows(R, cone.dimension, 12)).eval();
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const int slot = slots_[c][2 * i + j];
      if (slot >= 0) matrix_.block(slot) += K.block<6, 6>(6 * i, 6 * j);
    }
  }
}

bool BodyLu::Factor(const Blocks& E, const Blocks* B) {
  E_ = &E;
  B_ = B;
  matrix_.SetZero();
  for (const int slot : diagonal_) matrix_.block(slot).setIdentity();
  const bool compliant = problem_->compliance.size() > 0;
  Matrix F;
  for (std::size_t c = 0; c < E.size(); ++c) {
    const Cone& cone = problem_->cones[c];
    F = E[c];
    if (compliant) {
      const auto compliance = problem_->compliance.segment(cone.offset, cone.dimension);
      if (B == nullptr) {
        F.diagonal() += compliance;
      } else {
        F += (*B)[c] * compliance.asDiagonal();
      }
    }
    if (!Invert(F, &inverse_[c])) return false;
    factor_[c] = inverse_[c];
    if (B != nullptr) factor_[c] *= (*B)[c];
    AddBlock(static_cast<int>(c));
  }
  return lu_.Factor(matrix_);
}

void BodyLu::SolveOnce(VectorX* x) {
  const int num_bodies = A_->num_bodies();
  w_.setZero(6 * (num_bodies + 1));  // the last is the ground
  BlockEquation::Vector y;
  for (std::size_t c = 0; c < inverse_.size(); ++c) {
    const Cone& cone = problem_->cones[c];
    const BodyDelassus::Sides& sides = A_->sides(static_cast<int>(c));
    auto own = x->segment(cone.offset, cone.dimension);
    y = inverse_[c] * own;
    own = y;
    const auto T = Rows(A_->transposed_rows()[cone.offset].x, cone.dimension, 12);
    for (int i = 0; i < cone.dimension; ++i) {
      w_.segment<6>(6 * sides.a) += y[i] * T.block<1, 6>(i, 0).transpose();
      w_.segment<6>(6 * sides.b) += y[i] * T.block<1, 6>(i, 6).transpose();
    }
  }
  lu_.SolveInPlace(&w_);  // leaves the ground alone
  w_.tail<6>().setZero();
  for (std::size_t c = 0; c < inverse_.size(); ++c) {
    const Cone& cone = problem_->cones[c];
    const BodyDelassus::Sides& sides = A_->sides(static_cast<int>(c));
    const auto R = Rows(A_->rows()[cone.offset].x, cone.dimension, 12);
    y.resize(cone.dimension);
    for (int i = 0; i < cone.dimension; ++i) {
      y[i] = R.block<1, 6>(i, 0).dot(w_.segment<6>(6 * sides.a)) +
             R.block<1, 6>(i, 6).dot(w_.segment<6>(6 * sides.b));
    }
    x->segment(cone.offset, cone.dimension) -= factor_[c] * y;
  }
}

// y = (E + B (A + C)) x
void BodyLu::MultiplyAll(const VectorX& x, VectorX* y) const {
  A_->Multiply(x, y);
  if (problem_->compliance.size() > 0) y->array() += problem_->compliance.array() * x.array();
  BlockEquation::Vector z;
  for (std::size_t c = 0; c < E_->size(); ++c) {
    const Cone& cone = problem_->cones[c];
    auto own = y->segment(cone.offset, cone.dimension);
    z = own;
    if (B_ != nullptr) z = ((*B_)[c] * z).eval();
    own = z + (*E_)[c] * x.segment(cone.offset, cone.dimension);
  }
}

void BodyLu::SolveInPlace(VectorX* x) {
  rhs_ = *x;
  SolveOnce(x);
  double last = -1;
  for (int k = 0; k < kMaxRefinements; ++k) {
    MultiplyAll(*x, &product_);
    error_ = rhs_ - product_;
    const double error = error_.norm();
    if (!(error > kRefined * rhs_.norm()) || (last >= 0 && error > 0.5 * last)) return;
    last = error;
    SolveOnce(&error_);
    *x += error_;
  }
}

}  // namespace saltus
