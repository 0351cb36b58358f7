#include "saltus/cones/solvers/body_lu.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include <Eigen/LU>

namespace saltus {
namespace {

constexpr int kMinRows = 150;  // below it, forming A and dense LU are cheaper
constexpr int kMaxRefinements = 3;
constexpr double kRefined = 1e-10;  // error of (1) beside |f| that is small enough

using Matrix = BlockEquation::Matrix;
using Rows =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0,
               Eigen::OuterStride<>>;
// A contact with friction of two bodies, by far the most frequent.
using SixColumns =
    Eigen::Map<const Eigen::Matrix<double, 3, 6, Eigen::RowMajor>, 0, Eigen::OuterStride<>>;

Rows LeftRows(const BodySpace::Part& part, int dimension) {
  return {part.left, dimension, part.columns, Eigen::OuterStride<>(part.stride)};
}
Rows RightRows(const BodySpace::Part& part, int dimension) {
  return {part.right, dimension, part.columns, Eigen::OuterStride<>(part.stride)};
}

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

bool BodyLu::FindBodies(const ConicProblem& problem) {
  const bool regular = std::none_of(problem.cones.begin(), problem.cones.end(), [](const Cone& c) {
    return c.kind == ConeKind::kFree;  // E = 0 there
  });
  return regular && problem.A->MakeBodySpace(&space_);
}

bool BodyLu::Prepare(const ConicProblem& problem) {
  if (!FindBodies(problem)) return false;
  Order(problem);
  return true;
}

bool BodyLu::PrepareIfCheaper(const ConicProblem& problem) {
  if (problem.size() < kMinRows || !FindBodies(problem)) return false;
  const int num_unknowns = std::accumulate(space_.node_sizes.begin(), space_.node_sizes.end(), 0);
  if (problem.size() < num_unknowns && problem.A->can_sweep()) return false;
  Order(problem);
  return true;
}

void BodyLu::Order(const ConicProblem& problem) {
  problem_ = &problem;
  MakePattern();
  lu_.Analyze(pattern_);
  matrix_ = BlockMatrix(pattern_);
  matrix_.SetZero();
  for (const BodySpace::Entry& e : space_.K) {
    matrix_.block(pattern_->FindSlot(e.row_node, e.column_node))(e.row, e.column) += e.value;
  }
  K_ = matrix_.values();
  inverse_.resize(problem.cones.size());
  factor_.resize(problem.cones.size());
}

// Couplings by K and by contacts.
void BodyLu::MakePattern() {
  std::vector<std::array<int, 2>> couplings;
  for (const BodySpace::Entry& e : space_.K) {
    if (e.row_node < e.column_node) couplings.push_back({e.row_node, e.column_node});
  }
  const auto each_pair = [&](const auto& visit) {
    for (std::size_t c = 0; c + 1 < space_.part_begin.size(); ++c) {
      for (int i = space_.part_begin[c]; i < space_.part_begin[c + 1]; ++i) {
        for (int j = space_.part_begin[c]; j < space_.part_begin[c + 1]; ++j) {
          visit(c, space_.parts[i].node, space_.parts[j].node);
        }
      }
    }
  };
  each_pair([&](std::size_t, int a, int b) {
    if (a < b) couplings.push_back({a, b});
  });
  pattern_ = std::make_shared<BlockPattern>(space_.node_sizes, couplings);
  slot_begin_.assign(space_.part_begin.size(), 0);
  slots_.clear();
  each_pair([&](std::size_t c, int a, int b) {
    slots_.push_back(pattern_->FindSlot(a, b));
    slot_begin_[c + 1] = static_cast<int>(slots_.size());
  });
  for (std::size_t c = 1; c < slot_begin_.size(); ++c) {  // blocks without bodies
    slot_begin_[c] = std::max(slot_begin_[c], slot_begin_[c - 1]);
  }
}

// Adds Tᵀ F⁻¹ B R of a block to (2).
void BodyLu::AddBlock(int c) {
  const int d = problem_->cones[c].dimension;
  const int begin = space_.part_begin[c], end = space_.part_begin[c + 1];
  const int count = end - begin;
  const auto parts = std::span(space_.parts).subspan(begin, count);
  const bool is_six = d == 3 && std::all_of(parts.begin(), parts.end(),
                                            [](const auto& part) { return part.columns == 6; });
  MatrixX right;
  for (int j = 0; j < count; ++j) {
    if (is_six) {
      const Eigen::OuterStride<> stride(parts[j].stride);
      const Matrix3 middle = factor_[c];
      const Eigen::Matrix<double, 3, 6> product = middle * SixColumns(parts[j].left, stride);
      for (int i = 0; i < count; ++i) {
        const SixColumns T(parts[i].right, Eigen::OuterStride<>(parts[i].stride));
        matrix_.block(slots_[slot_begin_[c] + i * count + j]).topLeftCorner<6, 6>() +=
            T.transpose().lazyProduct(product);
      }
      continue;
    }
    right = factor_[c] * LeftRows(parts[j], d);
    for (int i = 0; i < count; ++i) {
      matrix_.block(slots_[slot_begin_[c] + i * count + j])
          .topLeftCorner(parts[i].columns, parts[j].columns)
          .noalias() += RightRows(parts[i], d).transpose() * right;
    }
  }
}

bool BodyLu::Factor(const Blocks& E, const Blocks* B) {
  E_ = &E;
  B_ = B;
  matrix_.values() = K_;
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
  w_.setZero(pattern_->num_dofs());
  BlockEquation::Vector y;
  for (std::size_t c = 0; c < inverse_.size(); ++c) {
    const Cone& cone = problem_->cones[c];
    auto own = x->segment(cone.offset, cone.dimension);
    y = inverse_[c] * own;
    own = y;
    for (int k = space_.part_begin[c]; k < space_.part_begin[c + 1]; ++k) {
      const BodySpace::Part& part = space_.parts[k];
      const auto T = RightRows(part, cone.dimension);
      auto w = w_.segment(pattern_->offset(part.node), part.columns);
      for (int i = 0; i < cone.dimension; ++i) w += y[i] * T.row(i).transpose();
    }
  }
  lu_.SolveInPlace(&w_);
  for (std::size_t c = 0; c < inverse_.size(); ++c) {
    const Cone& cone = problem_->cones[c];
    y.setZero(cone.dimension);
    for (int k = space_.part_begin[c]; k < space_.part_begin[c + 1]; ++k) {
      const BodySpace::Part& part = space_.parts[k];
      const auto w = w_.segment(pattern_->offset(part.node), part.columns);
      const auto R = LeftRows(part, cone.dimension);
      for (int i = 0; i < cone.dimension; ++i) y[i] += R.row(i).dot(w);
    }
    x->segment(cone.offset, cone.dimension) -= factor_[c] * y;
  }
}

// y = (E + B (A + C)) x
void BodyLu::MultiplyAll(const VectorX& x, VectorX* y) const {
  problem_->A->Multiply(x, y);
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
