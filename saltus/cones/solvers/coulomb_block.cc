#include "saltus/cones/solvers/coulomb_block.h"

#include <algorithm>
#include <array>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "saltus/cones/projections.h"
#include "saltus/cones/solvers/quartic.h"

namespace saltus {
namespace {

using Matrix2 = Eigen::Matrix2d;

// Relative. A W that is slightly off does not change the answer, eq. (1).
constexpr double kIsotropyTolerance = 1e-12;
constexpr int kMaxNewtonPasses = 12;
constexpr double kNoise = 1e-13;          // Relative to the terms of (5).
constexpr double kAngleTolerance = 1e-8;  // Newton squares the error: 1e-16 after the step.

Vector2 Turn(const Vector2& d) { return {-d[1], d[0]}; }

// A lower estimate of the smallest eigenvalue of the symmetric part of a 2 × 2 matrix.
double CalcSmallestEigenvalue(const Matrix2& S) {
  const double mean = 0.5 * (S(0, 0) + S(1, 1));
  const double half = 0.5 * (S(0, 0) - S(1, 1));
  const double side = 0.5 * (S(0, 1) + S(1, 0));
  return mean - std::hypot(half, side);
}

// One step of the natural map, r ← P_K(r − ρ û): defined for every W, the way out of degenerate
// blocks for which no case of (2)–(4) holds.
template <int d>
Eigen::Matrix<double, d, 1> ProjectedStep(const Eigen::Matrix<double, d, d>& W, double mu,
                                          const Eigen::Matrix<double, d, 1>& u,
                                          const Eigen::Matrix<double, d, 1>& r) {
  const double rho = d / W.trace();
  Eigen::Matrix<double, d, 1> x = r - rho * u;
  x[0] -= rho * mu * u.template tail<d - 1>().norm();
  ProjectOntoFrictionCone(mu, d, x.data());
  return x;
}

// A symmetric positive definite block near W, and its inverse, from the eigenvalues: eigenvalues
// below kSingularBlock of the mean are raised to it.
template <int d>
void RegulariseBlock(Eigen::Matrix<double, d, d>* W, Eigen::Matrix<double, d, d>* inverse) {
  using Matrix = Eigen::Matrix<double, d, d>;
  const double least = kSingularBlock * W->trace() / d;
  const Matrix symmetric = 0.5 * (*W + W->transpose());
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(symmetric);
  const auto lambda = eigen.eigenvalues().cwiseMax(least).eval();
  const Matrix& Q = eigen.eigenvectors();
  *W = Q * lambda.asDiagonal() * Q.transpose();
  *inverse = Q * lambda.cwiseInverse().asDiagonal() * Q.transpose();
}

// Equation (5): a + μ B d = −σ d on the unit circle.
struct SlipEquation {
  Vector2 a;
  Matrix2 B;  // already times μ
  Vector2 w;  // times μ
  double w_nn;
  double scale;  // |a| + |μB|
  double noise;  // rounding of a + μ B d, which may cancel to far below its terms

  // w_nn + μ w·d > 0 keeps r_N positive, σ ≥ 0 makes friction oppose the slip.
  bool IsAdmissible(const Vector2& d) const {
    return w_nn + w.dot(d) > 0 && d.dot(a + B * d) <= noise;
  }

  bool FindByNewton(Vector2* d) const {
    for (int pass = 0; pass < kMaxNewtonPasses; ++pass) {
      const Vector2 side = Turn(*d);
      const Vector2 Bd = B * *d;
      const double value = side.dot(a + Bd);
      const double slope = -d->dot(a + Bd) + side.dot(B * side);
      if (!(slope > 0)) return false;
      const double step = -value / slope;
      *d = (*d + step * side) / std::sqrt(1 + step * step);
      if (std::abs(step) <= kAngleTolerance) return IsAdmissible(*d);
    }
    return false;
  }

  // Newton on f alone, to the last digits, from a root of (6).
  void Polish(Vector2* d) const {
    for (int pass = 0; pass < 3; ++pass) {
      const Vector2 side = Turn(*d);
      const Vector2 Bd = B * *d;
      const double slope = -d->dot(a + Bd) + side.dot(B * side);
      const double step = -side.dot(a + Bd) / slope;
      if (!(std::abs(step) < 1e-3)) return;
      *d = (*d + step * side) / std::sqrt(1 + step * step);
    }
  }

  bool FindByQuartic(Vector2* d) const {
    const Matrix2 B1 = B / scale;
    const Vector2 a1 = a / scale;
    Matrix2 adjugate;
    adjugate << B1(1, 1), -B1(0, 1), -B1(1, 0), B1(0, 0);
    const Vector2 c = adjugate * a1;
    const double trace = B1.trace(), det = B1.determinant();
    const std::array<double, 5> p = {det * det - c.dot(c), 2 * trace * det - 2 * a1.dot(c),
                                     trace * trace + 2 * det - a1.dot(a1), 2 * trace, 1.0};  // (6)
    std::array<double, 4> roots;
    const int count = FindQuarticRoots(p, 0.0, 2.0, &roots);
    double best = 0;  // Among admissible roots, the one of the smallest impulse.
    for (int i = 0; i < count; ++i) {
      Vector2 x = -(roots[i] * a1 + c);  // (μB + σI)⁻¹a up to a factor of either sign.
      if (x.squaredNorm() == 0) continue;
      x.normalize();
      for (Vector2 candidate : {x, Vector2(-x)}) {
        Polish(&candidate);
        const double error = std::abs(Turn(candidate).dot(a + B * candidate));
        const double stiffness = w_nn + w.dot(candidate);
        if (!IsAdmissible(candidate) || error > noise || stiffness <= best) continue;
        best = stiffness;
        *d = candidate;
      }
    }
    return best > 0;
  }
};

}  // namespace

void CoulombBlock3::Factor(const Matrix3& W, double friction, bool enumerate) {
  mu_ = friction;
  enumerate_ = enumerate;
  W_ = W;
  const double mean = W.trace() / 3;
  // Smallest eigenvalue after eliminating the normal direction bounds that of W within a factor
  // that does not matter for a threshold.
  const Matrix2 schur =
      W.bottomRightCorner<2, 2>() - W.bottomLeftCorner<2, 1>() * W.topRightCorner<1, 2>() / W(0, 0);
  if (CalcSmallestEigenvalue(schur) > kSingularBlock * mean && W(0, 0) > kSingularBlock * mean) {
    inverse_ = W_.inverse();
  } else {
    RegulariseBlock<3>(&W_, &inverse_);
  }
}

bool IsotropicBlock3::Applies(const Matrix3& W) {
  const double mean = W.trace() / 3;
  const double small = kIsotropyTolerance * mean;
  return W(0, 0) > kSingularBlock * mean && W(1, 1) > kSingularBlock * mean &&
         std::abs(W(0, 1)) <= small && std::abs(W(0, 2)) <= small && std::abs(W(1, 0)) <= small &&
         std::abs(W(2, 0)) <= small && std::abs(W(1, 2)) <= small && std::abs(W(2, 1)) <= small &&
         std::abs(W(1, 1) - W(2, 2)) <= small;
}

Vector3 CoulombBlock3::SolveSlip(const Vector3& q, const Vector3& stick, const Vector3& r,
                                 const Vector3& u) const {
  if (mu_ == 0) return {-q[0] / W_(0, 0), 0, 0};
  const Vector2 q_t = q.tail<2>();
  const Vector2 w = W_.topRightCorner<1, 2>().transpose();
  SlipEquation slip;  // (5)
  slip.a = W_(0, 0) * q_t - q[0] * W_.bottomLeftCorner<2, 1>();
  slip.B = mu_ * (q_t * w.transpose() - q[0] * W_.bottomRightCorner<2, 2>());
  slip.w = mu_ * w;
  slip.w_nn = W_(0, 0);
  slip.scale = slip.a.norm() + slip.B.norm();
  slip.noise =
      kNoise * (W_(0, 0) * q_t.norm() - q[0] * W_.bottomLeftCorner<2, 1>().norm() +
                mu_ * (q_t.norm() * w.norm() - q[0] * W_.bottomRightCorner<2, 2>().norm()));

  Vector2 d = r.tail<2>();
  if (d.squaredNorm() == 0) d = stick.tail<2>();
  const double length = d.norm();
  if (!(length > 0)) return ProjectedStep<3>(W_, mu_, u, r);
  d /= length;
  if ((!enumerate_ && slip.FindByNewton(&d)) || slip.FindByQuartic(&d)) {
    const double r_n = -q[0] / (slip.w_nn + slip.w.dot(d));  // (4)
    return {r_n, mu_ * r_n * d[0], mu_ * r_n * d[1]};
  }
  return ProjectedStep<3>(W_, mu_, u, r);
}

void CoulombBlock2::Factor(const Matrix2& W, double friction) {
  mu_ = friction;
  W_ = W;
  const double mean = W.trace() / 2;
  if (W.determinant() > kSingularBlock * mean * mean) {
    inverse_ = W_.inverse();
  } else {
    RegulariseBlock<2>(&W_, &inverse_);
  }
}

Vector2 CoulombBlock2::Solve(const Vector2& u, const Vector2& r) const {
  const Vector2 q = u - W_ * r;
  if (q[0] >= 0) return Vector2::Zero();   // (2)
  const Vector2 stick = r - inverse_ * u;  // (3)
  if (stick[0] > 0 && std::abs(stick[1]) <= mu_ * stick[0]) return stick;
  const double first = stick[1] < 0 ? -1.0 : 1.0;
  for (const double d : {first, -first}) {
    const double r_n = -q[0] / (W_(0, 0) + mu_ * d * W_(0, 1));  // (4)
    const double slip = q[1] + (W_(1, 0) + mu_ * d * W_(1, 1)) * r_n;
    const double scale = std::abs(q[1]) + W_(1, 1) * std::abs(r_n);
    if (r_n > 0 && slip * d <= 1e-12 * scale) return {r_n, mu_ * d * r_n};
  }
  return ProjectedStep<2>(W_, mu_, u, r);
}

}  // namespace saltus
