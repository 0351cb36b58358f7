#include "saltus/cones/body_delassus.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Cholesky>

#include "saltus/base/error.h"
#include "saltus/cones/body_kernels.h"

namespace saltus {
namespace {

using Map6 = Eigen::Map<Matrix6>;
using ConstMap6 = Eigen::Map<const Matrix6>;
using RowMap6 = Eigen::Map<Eigen::Matrix<double, 1, 6>>;
using ConstRowMap6 = Eigen::Map<const Eigen::Matrix<double, 1, 6>>;

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
  factors_.clear();
  sides_.clear();
  offsets_.assign(1, 0);
  block_of_row_.clear();
  rows_.clear();
  transposed_.clear();
  diagonal_.clear();
  symmetric_ = true;
}

int BodyDelassus::AddBody(const InverseRef& inverse) {
  const int n = static_cast<int>(inverse.rows());
  SALTUS_CHECK(n >= 1 && n <= 6 && inverse.cols() == n, "a body has 1 to 6 degrees of freedom");
  Body& body = bodies_.emplace_back();
  body.size = n;
  body.factors = -1;
  std::fill(body.scale, body.scale + 6, 1.0);
  if (IsPositiveDiagonal(inverse)) {  // spheres and point masses: no factorisation
    for (int k = 0; k < n; ++k) body.scale[k] = std::sqrt(inverse(k, k));
  } else {
    AddFactors(inverse, &body);
  }
  return num_bodies() - 1;
}

void BodyDelassus::AddFactors(const InverseRef& inverse, Body* body) {
  body->factors = static_cast<int>(factors_.size());
  Factors& factors = factors_.emplace_back();
  const auto n = inverse.rows();
  Matrix6 S_inverse = Matrix6::Identity();  // The padding meets only zero columns of H.
  S_inverse.topLeftCorner(n, n) = inverse;
  factors.symmetric = IsSymmetric(inverse);
  if (factors.symmetric) {
    const Eigen::LLT<Matrix6> cholesky(S_inverse);
    factors.symmetric = cholesky.info() == Eigen::Success;
    Map6(factors.left) = cholesky.matrixL();
  }
  if (factors.symmetric) {
    Map6(factors.right) = ConstMap6(factors.left);
    return;
  }
  Map6(factors.left).setIdentity();
  Map6(factors.right) = S_inverse.transpose();
  if (symmetric_) transposed_ = rows_;  // of symmetric bodies both tables are equal
  symmetric_ = false;
}

int BodyDelassus::AddBlock(int dimension, int body_a, const RowsRef& Ha, int body_b,
                           const RowsRef& Hb) {
  SALTUS_CHECK(body_a < num_bodies() && body_b < num_bodies(), "the block names an unknown body");
  const bool self = body_a == body_b;  // Both sides on one body: one row, H_a + H_b.
  const Sides sides{body_a, self ? -1 : body_b};
  for (int i = 0; i < dimension; ++i) {
    double h[kRowSize] = {};
    Row left{}, right{};
    for (int k = 0; body_a >= 0 && k < bodies_[body_a].size; ++k) h[k] = Ha(i, k);
    for (int k = 0; body_b >= 0 && k < bodies_[body_b].size; ++k) h[self ? k : 6 + k] += Hb(i, k);
    ScaleRow(sides, h, left.x, right.x);
    rows_.push_back(left);
    if (!symmetric_) transposed_.push_back(right);
    diagonal_.push_back(std::inner_product(left.x, left.x + kRowSize, right.x, 0.0));
    block_of_row_.push_back(num_blocks());
  }
  sides_.push_back(sides);
  offsets_.push_back(size());
  return num_blocks() - 1;
}

void BodyDelassus::ScaleRow(const Sides& sides, const double* h, double* left,
                            double* right) const {
  const int bodies[2] = {sides.a, sides.b};
  for (int side = 0; side < 2; ++side, h += 6, left += 6, right += 6) {
    if (bodies[side] < 0) continue;
    const Body& body = bodies_[bodies[side]];
    if (body.factors < 0) {
      for (int k = 0; k < 6; ++k) left[k] = right[k] = h[k] * body.scale[k];
      continue;
    }
    const Factors& factors = factors_[body.factors];
    const ConstRowMap6 row(h);
    if (factors.symmetric) {
      RowMap6(left).noalias() = row * ConstMap6(factors.left).triangularView<Eigen::Lower>();
      std::copy_n(left, 6, right);
    } else {
      std::copy_n(h, 6, left);
      RowMap6(right).noalias() = row * ConstMap6(factors.right);
    }
  }
}

void BodyDelassus::Finalize() {
  for (Sides& sides : sides_) {
    if (sides.a < 0) sides.a = num_bodies();
    if (sides.b < 0) sides.b = num_bodies();
  }
}

void BodyDelassus::CalcVelocities(const double* x, std::vector<Velocity>* z) const {
  z->assign(bodies_.size() + 1, Velocity{});
  const Row* rows = transposed_rows();
  for (int block = 0; block < num_blocks(); ++block) {
    const int begin = offsets_[block], end = offsets_[block + 1];
    if (std::all_of(x + begin, x + end, [](double value) { return value == 0; })) continue;
    double* z_a = (*z)[sides_[block].a].x;
    double* z_b = (*z)[sides_[block].b].x;
    SidesVelocity sum(z_a, z_b);
    for (int row = begin; row < end; ++row) sum.Add(rows[row], x[row]);
    sum.Store(z_a, z_b);
  }
}

void BodyDelassus::Apply(const double* x, double* y) const {
  CalcVelocities(x, &scratch_);
  if (std::all_of(x, x + size(), [](double value) { return value == 0; })) {  // a cold start
    std::fill(y, y + size(), 0.0);
    return;
  }
  for (int block = 0; block < num_blocks(); ++block) {
    const SidesVelocity z(scratch_[sides_[block].a].x, scratch_[sides_[block].b].x);
    for (int row = offsets_[block]; row < offsets_[block + 1]; ++row) {
      y[row] = z.Dot(rows_[row]);
    }
  }
}

void BodyDelassus::CalcDiagonalBlock(int offset, int dimension, Eigen::Ref<MatrixX> block) const {
  SALTUS_CHECK(block_of_row_[offset] == block_of_row_[offset + dimension - 1],
               "the rows are not in one block");
  const Row* transposed = transposed_rows();
  for (int j = 0; j < dimension; ++j) {
    const Row& column = transposed[offset + j];
    const SidesVelocity z(column);
    for (int i = 0; i < dimension; ++i) block(i, j) = z.Dot(rows_[offset + i]);
  }
}

// R and T are the tables of (3), K = I.
bool BodyDelassus::MakeBodySpace(BodySpace* space) const {
  space->node_sizes.assign(bodies_.size(), 6);
  space->K.clear();
  for (int b = 0; b < num_bodies(); ++b) {
    for (int k = 0; k < 6; ++k) space->K.push_back({b, k, b, k, 1.0});
  }
  space->part_begin.assign(1, 0);
  space->parts.clear();
  for (int c = 0; c < num_blocks(); ++c) {
    const double* left = rows_[offsets_[c]].x;
    const double* right = transposed_rows()[offsets_[c]].x;
    if (sides_[c].a < num_bodies()) {
      space->parts.push_back({sides_[c].a, 6, kRowSize, left, right});
    }
    if (sides_[c].b < num_bodies()) {
      space->parts.push_back({sides_[c].b, 6, kRowSize, left + 6, right + 6});
    }
    space->part_begin.push_back(static_cast<int>(space->parts.size()));
  }
  return true;
}

Delassus::Graph BodyDelassus::MakeGraph() const {
  Graph graph;
  graph.sizes.assign(bodies_.size(), 6);
  for (const Sides& sides : sides_) {
    if (std::max(sides.a, sides.b) < num_bodies()) graph.couplings.push_back({sides.a, sides.b});
  }
  return graph;
}

void BodyDelassus::CalcDiagonalEntries(double* diagonal) const {
  std::copy(diagonal_.begin(), diagonal_.end(), diagonal);
}

}  // namespace saltus
