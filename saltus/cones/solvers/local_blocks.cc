#include "saltus/cones/solvers/local_blocks.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "saltus/base/error.h"

namespace saltus {
namespace {

LocalBlocks::FreeMatrix InvertFree(LocalBlocks::FreeMatrix W) {
  // A proximal step (see coulomb_block.h) where constraints within the block repeat each other.
  const double mean = W.trace() / static_cast<double>(W.rows());
  const Eigen::FullPivLU<LocalBlocks::FreeMatrix> probe(W);
  const auto pivots = probe.matrixLU().diagonal().cwiseAbs();
  if (!(pivots.minCoeff() > kSingularBlock * pivots.maxCoeff())) {
    W.diagonal().array() += kSingularBlock * mean;
  }
  return W.inverse();
}

bool IsWellConditioned(const Matrix3& W) {
  const Eigen::SelfAdjointEigenSolver<Matrix3> eigen(W, Eigen::EigenvaluesOnly);
  return W.isApprox(W.transpose()) && eigen.eigenvalues()[0] > kSingularBlock * W.trace() / 3;
}

}  // namespace

bool LocalBlocks::Factor(const ConicProblem& problem, LocalMethod method) {
  blocks_.clear();
  means_.clear();
  reciprocals_.clear();
  inverses_.clear();
  friction2_.clear();
  friction3_.clear();
  isotropic3_.clear();
  associated3_.clear();
  isotropic_associated3_.clear();
  newton_.clear();
  discs_.clear();
  loads_.clear();
  load_columns_.clear();
  load_values_.clear();

  CalcDiagonal(problem, &diagonal_);
  if (!diagonal_.allFinite()) return false;
  double largest = 0;
  int row = 0;
  for (const Cone& cone : problem.cones) {
    SALTUS_CHECK(cone.offset == row, "cone blocks must follow each other without gaps");
    largest = std::max(largest, diagonal_.segment(cone.offset, CountForceRows(cone)).sum());
    row += cone.dimension;
  }
  SALTUS_CHECK(row == problem.size(), "cone blocks must cover all rows");
  for (const Cone& cone : problem.cones) {
    AddBlock(problem, cone, kImmovableTrace * largest, method);
  }
  return true;
}

void LocalBlocks::AddFriction(const Cone& cone, const FreeMatrix& W, LocalMethod method,
                              LocalBlock* block) {
  const int d = cone.dimension;
  const bool plain = cone.kind == ConeKind::kFriction && !cone.associated;
  if (!plain || method == LocalMethod::kSemismooth) {
    SALTUS_CHECK(d <= 6, "a frictional block has at most six rows");
    const bool convex = cone.kind == ConeKind::kFriction && cone.associated && d == 3 &&
                        method != LocalMethod::kSemismooth && IsWellConditioned(W);
    if (convex && IsotropicBlock3::Applies(W)) {
      block->kind = LocalKind::kIsotropicAssociated3;
      block->index = static_cast<int>(isotropic_associated3_.size());
      isotropic_associated3_.emplace_back().Factor(W, cone.friction);
      return;
    }
    block->kind = LocalKind::kNewton;
    block->index = static_cast<int>(newton_.size());
    newton_.emplace_back().Factor(W, cone);
    if (convex) {
      block->kind = LocalKind::kAssociated3;
      const int fallback = block->index;
      block->index = static_cast<int>(associated3_.size());
      associated3_.emplace_back().Factor(W, cone.friction, fallback);
    }
    return;
  }
  SALTUS_CHECK(d == 2 || d == 3, "a friction block has two or three rows");
  if (d == 3 && method == LocalMethod::kAngle && IsotropicBlock3::Applies(W)) {
    block->kind = LocalKind::kIsotropic3;
    block->index = static_cast<int>(isotropic3_.size());
    isotropic3_.emplace_back().Factor(W, cone.friction);
    return;
  }
  block->kind = d == 2 ? LocalKind::kFriction2 : LocalKind::kFriction3;
  if (d == 2) {
    block->index = static_cast<int>(friction2_.size());
    friction2_.emplace_back().Factor(W, cone.friction);
  } else {
    block->index = static_cast<int>(friction3_.size());
    friction3_.emplace_back().Factor(W, cone.friction, method == LocalMethod::kQuartic);
  }
}

void LocalBlocks::AddBlock(const ConicProblem& problem, const Cone& cone, double smallest_trace,
                           LocalMethod method) {
  const int d = cone.dimension;
  LocalBlock& block = blocks_.emplace_back();
  block.offset = cone.offset;
  block.dimension = d;
  const int num_forces = CountForceRows(cone);
  const double trace = diagonal_.segment(cone.offset, num_forces).sum();
  const bool movable = trace > smallest_trace &&
                       (!IsFrictional(cone) || diagonal_[cone.offset] > smallest_trace / d);
  means_.push_back(movable ? trace / num_forces : 0.0);
  if (!movable) return;
  FreeMatrix W(d, d);
  problem.A->CalcDiagonalBlock(cone.offset, d, W);
  if (problem.compliance.size() > 0) W.diagonal() += problem.compliance.segment(cone.offset, d);
  switch (cone.kind) {
    case ConeKind::kNonnegative:
      SALTUS_CHECK(d == 1, "a nonnegative block has one row");
      block.kind = LocalKind::kNonnegative;
      block.index = static_cast<int>(reciprocals_.size());
      reciprocals_.push_back(1 / W(0, 0));
      break;
    case ConeKind::kFree:
      SALTUS_CHECK(d <= kMaxFreeDimension, "a free block has at most six rows");
      block.kind = LocalKind::kFree;
      block.index = static_cast<int>(inverses_.size());
      inverses_.push_back(InvertFree(W));
      break;
    case ConeKind::kFriction:
    case ConeKind::kRollingFriction:
    case ConeKind::kPolyhedralFriction:
      AddFriction(cone, W, method, &block);
      break;
    case ConeKind::kBox:
      SALTUS_CHECK(d <= 3, "a box block has at most three rows");
      block.kind = LocalKind::kBox;
      block.index = static_cast<int>(discs_.size());
      discs_.emplace_back().Factor(W);
      AddLoad(problem, cone);
      break;
  }
}

void LocalBlocks::AddLoad(const ConicProblem& problem, const Cone& cone) {
  SparseLoad& load = loads_.emplace_back();
  load.bound = cone.bound;
  if (cone.load < 0) return;
  const ConeLoad& source = problem.loads[cone.load];
  load.coefficient = source.coefficient;
  load.num_rows = static_cast<int>(source.rows.rows());
  load.constant = static_cast<int>(load_values_.size());
  load_values_.insert(load_values_.end(), source.constant.begin(), source.constant.end());
  load.first_column = static_cast<int>(load_columns_.size());
  load.values = static_cast<int>(load_values_.size());
  for (int j = 0; j < source.rows.cols(); ++j) {
    const auto column = source.rows.col(j);
    if (column.isZero(0)) continue;
    load_columns_.push_back(j);
    load_values_.insert(load_values_.end(), column.begin(), column.end());
    ++load.num_columns;
  }
}

double LocalBlocks::CalcBound(int index, const double* r) const {
  const SparseLoad& load = loads_[index];
  double sum = 0;
  for (int i = 0; i < load.num_rows; ++i) {
    double value = load_values_[load.constant + i];
    for (int k = 0; k < load.num_columns; ++k) {
      value += load_values_[load.values + k * load.num_rows + i] *
               r[load_columns_[load.first_column + k]];
    }
    sum += value * value;
  }
  return load.bound + load.coefficient * std::sqrt(sum);
}

}  // namespace saltus
