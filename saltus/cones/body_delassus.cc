#include "saltus/cones/body_delassus.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "saltus/base/error.h"
#include "saltus/cones/body_kernels.h"

namespace saltus {
namespace {

using Map6 = Eigen::Map<Matrix6>;
using ConstMap6 = Eigen::Map<const Matrix6>;
using RowMap6 = Eigen::Map<Eigen::Matrix<double, 1, 6>>;

// Rounding of an inverse is not a gyroscopic term: relative asymmetry below this is symmetric.
constexpr double kSymmetryTolerance = 1e-13;

bool IsSymmetric(const BodyDelassus::InverseRef& S_inverse) {
  const double largest = S_inverse.cwiseAbs().maxCoeff();
  for (int j = 0; j < S_inverse.cols(); ++j) {
    for (int i = 0; i < j; ++i) {
      const double difference = std::abs(S_inverse(i, j) - S_inverse(j, i));
      if (!(difference <= kSymmetryTolerance * largest)) return false;
    }
  }
  return true;
}

bool IsPositiveDiagonal(const BodyDelassus::InverseRef& S_inverse) {
  for (int j = 0; j < S_inverse.cols(); ++j) {
    for (int i = 0; i < S_inverse.rows(); ++i) {
      if (i == j ? !(S_inverse(i, i) > 0) : S_inverse(i, j) != 0) return false;
    }
  }
  return true;
}

}  // namespace

void BodyDelassus::Reset() {
  bodies_.clear();
  sides_.clear();
  offsets_.assign(1, 0);
  block_of_row_.clear();
  rows_.clear();
  transposed_.clear();
  symmetric_ = true;
}

int BodyDelassus::AddBody(const InverseRef& inverse) {
  const int n = static_cast<int>(inverse.rows());
  SALTUS_CHECK(n >= 1 && n <= 6 && inverse.cols() == n, "a body has 1 to 6 degrees of freedom");
  Body& body = bodies_.emplace_back();
  body.size = n;
  body.diagonal = IsPositiveDiagonal(inverse);
  if (body.diagonal) {  // spheres and point masses: no factorisation
    body.symmetric = true;
    Map6(body.left).setIdentity();
    for (int k = 0; k < n; ++k) body.left[7 * k] = std::sqrt(inverse(k, k));
    Map6(body.right) = ConstMap6(body.left);
    return num_bodies() - 1;
  }
  Matrix6 S_inverse = Matrix6::Identity();  // The padding meets only zero columns of H.
  S_inverse.topLeftCorner(n, n) = inverse;
  body.symmetric = IsSymmetric(inverse);
  if (body.symmetric) {
    const Eigen::LLT<Matrix6> cholesky(S_inverse);
    body.symmetric = cholesky.info() == Eigen::Success;
    Map6(body.left) = cholesky.matrixL();
  }
  if (body.symmetric) {
    Map6(body.right) = ConstMap6(body.left);
  } else {
    Map6(body.left).setIdentity();
    Map6(body.right) = S_inverse.transpose();
    symmetric_ = false;
  }
  return num_bodies() - 1;
}

int BodyDelassus::AddBlock(int dimension, int body_a, const RowsRef& Ha, int body_b,
                           const RowsRef& Hb) {
  SALTUS_CHECK(body_a < num_bodies() && body_b < num_bodies(), "the block names an unknown body");
  const bool self = body_a == body_b;  // Both sides on one body: one row, H_a + H_b.
  for (int i = 0; i < dimension; ++i) {
    Row& row = rows_.emplace_back();
    std::fill(row.x, row.x + 12, 0.0);
    for (int k = 0; body_a >= 0 && k < bodies_[body_a].size; ++k) row.x[k] = Ha(i, k);
    for (int k = 0; body_b >= 0 && k < bodies_[body_b].size; ++k) {
      (self ? row.x[k] : row.x[6 + k]) += Hb(i, k);
    }
    block_of_row_.push_back(num_blocks());
  }
  sides_.push_back({body_a, self ? -1 : body_b});
  offsets_.push_back(size());
  return num_blocks() - 1;
}

void BodyDelassus::ScaleRow(int row, const Sides& sides) {
  double* x = rows_[row].x;
  double* y = symmetric_ ? nullptr : transposed_[row].x;
  const int bodies[2] = {sides.a, sides.b};
  for (int side = 0; side < 2; ++side, x += 6) {
    if (bodies[side] < 0) continue;
    const Body& body = bodies_[bodies[side]];
    if (body.diagonal && y == nullptr) {
      for (int k = 0; k < 6; ++k) x[k] *= body.left[7 * k];
      continue;
    }
    const Eigen::Matrix<double, 1, 6> h = RowMap6(x);
    if (y != nullptr) RowMap6(y + 6 * side).noalias() = h * ConstMap6(body.right);
    if (body.symmetric) {
      RowMap6(x).noalias() = h * ConstMap6(body.left).triangularView<Eigen::Lower>();
    }
  }
}

void BodyDelassus::Finalize() {
  if (!symmetric_) transposed_.assign(rows_.size(), Row{});
  for (int block = 0; block < num_blocks(); ++block) {
    Sides& sides = sides_[block];
    for (int row = offsets_[block]; row < offsets_[block + 1]; ++row) ScaleRow(row, sides);
    if (sides.a < 0) sides.a = num_bodies();
    if (sides.b < 0) sides.b = num_bodies();
  }
}

void BodyDelassus::CalcVelocities(const double* x, std::vector<Velocity>* z) const {
  z->assign(bodies_.size() + 1, Velocity{});
  const Row* rows = transposed_rows();
  for (int block = 0; block < num_blocks(); ++block) {
    double* z_a = (*z)[sides_[block].a].x;
    double* z_b = (*z)[sides_[block].b].x;
    for (int row = offsets_[block]; row < offsets_[block + 1]; ++row) {
      AddScaledRow(rows[row], x[row], z_a, z_b);
    }
  }
}

void BodyDelassus::Multiply(const VectorX& x, VectorX* y) const {
  CalcVelocities(x.data(), &scratch_);
  y->resize(size());
  for (int block = 0; block < num_blocks(); ++block) {
    const SidesVelocity z(scratch_[sides_[block].a].x, scratch_[sides_[block].b].x);
    for (int row = offsets_[block]; row < offsets_[block + 1]; ++row) {
      (*y)[row] = z.Dot(rows_[row]);
    }
  }
}

void BodyDelassus::CalcDiagonalBlock(int offset, int dimension, Eigen::Ref<MatrixX> block) const {
  SALTUS_CHECK(block_of_row_[offset] == block_of_row_[offset + dimension - 1],
               "the rows are not in one block");
  const Row* transposed = transposed_rows();
  for (int j = 0; j < dimension; ++j) {
    const Row& column = transposed[offset + j];
    const SidesVelocity z(column.x, column.x + 6);
    for (int i = 0; i < dimension; ++i) block(i, j) = z.Dot(rows_[offset + i]);
  }
}

void BodyDelassus::CalcDiagonal(VectorX* diagonal) const {
  diagonal->resize(size());
  const Row* transposed = transposed_rows();
  for (int i = 0; i < size(); ++i) {
    (*diagonal)[i] = SidesVelocity(transposed[i].x, transposed[i].x + 6).Dot(rows_[i]);
  }
}

}  // namespace saltus
