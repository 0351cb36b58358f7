#include "saltus/cones/solvers/associated_block.h"

#include <cmath>

#include <Eigen/LU>

namespace saltus {
namespace {

constexpr int kMaxPasses = 20;
constexpr double kMaxStep = 0.5;          // rad, where Newton's method would go uphill
constexpr double kAngleTolerance = 1e-8;  // Newton squares the error: 1e-16 after the step.
constexpr double kNoise = 1e-13;          // of u_T beside the terms that cancel in it

}  // namespace

void AssociatedBlock3::Factor(const Matrix3& W, double friction, int fallback) {
  W_ = W;
  mu_ = friction;
  fallback_ = fallback;
  inverse_ = W.inverse();
}

bool AssociatedBlock3::Solve(const Vector3& u, const Vector3& r, Vector3* solution) const {
  const Vector3 q = u - W_ * r;
  if (q[0] >= mu_ * q.tail<2>().norm()) {  // (2)
    solution->setZero();
    return true;
  }
  *solution = r - inverse_ * u;  // (3)
  const Vector3& x = *solution;
  if (x[0] >= 0 && x.tail<2>().squaredNorm() <= mu_ * mu_ * x[0] * x[0]) return true;
  Vector2 start = r.tail<2>();
  // With −q_T the impulse is positive, e·q = q_N − μ|q_T| < 0.
  if (start.norm() * q[0] + mu_ * start.dot(q.tail<2>()) >= 0) start = -q.tail<2>();
  return SolveSlip(q, start, solution);
}

bool AssociatedBlock3::SolveSlip(const Vector3& q, const Vector2& start, Vector3* solution) const {
  const double length = start.norm();
  if (!(length > 0)) return false;
  Vector2 d = start / length;
  bool last = false;
  for (int pass = 0; pass < kMaxPasses; ++pass) {  // (4)
    const Vector3 e(1, mu_ * d[0], mu_ * d[1]), side(0, -mu_ * d[1], mu_ * d[0]);
    const Vector3 We = W_ * e;
    const double k = e.dot(We), a = -e.dot(q) / k;
    const Vector3 u = a * We + q;
    const double along = d.dot(u.tail<2>());
    if (!(a > 0)) return false;
    if (last) {
      *solution = a * e;
      return along <= kNoise * (a * We.norm() + q.norm());
    }
    const double coupling = side.dot(We);
    const double a_slope = (-side.dot(q) - 2 * a * coupling) / k;
    const double slope = -mu_ * along + a * side.dot(W_ * side) + a_slope * coupling;
    // Downhill in any case: f is the slope of the energy over the angle, up to the factor a > 0.
    const double f = side.dot(u);
    const double step = slope > 0 ? -f / slope : -std::copysign(kMaxStep, f);
    d = (d + step * Vector2(-d[1], d[0])) / std::sqrt(1 + step * step);
    last = std::abs(step) <= kAngleTolerance;
  }
  return false;
}

}  // namespace saltus
