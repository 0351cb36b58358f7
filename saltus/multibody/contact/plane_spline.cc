// PlaneSpline: natural or periodic cubic spline in the plane, and its nearest point to a point.
#include <algorithm>
#include <cmath>

#include <Eigen/SparseLU>

#include "saltus/multibody/contact/surface.h"

namespace saltus {
namespace {

/// Second derivatives m_i at the knots from continuity of the first derivative,
///   h_{i−1} m_{i−1} + 2 (h_{i−1} + h_i) m_i + h_i m_{i+1} = 6 (Δ_i − Δ_{i−1}),
/// with m = 0 at the ends, or cyclic indices.
MatrixX SolveCurvatures(const std::vector<double>& h, const MatrixX& slopes, bool closed) {
  const int n = static_cast<int>(h.size());  // intervals
  const int size = closed ? n : n + 1;
  std::vector<Triplet> entries;
  MatrixX rhs = MatrixX::Zero(size, 2);
  for (int i = 0; i < size; ++i) {
    if (!closed && (i == 0 || i == n)) {
      entries.emplace_back(i, i, 1.0);
      continue;
    }
    const int before = (i + n - 1) % n;
    entries.emplace_back(i, (i + size - 1) % size, h[before]);
    entries.emplace_back(i, i, 2 * (h[before] + h[i]));
    entries.emplace_back(i, (i + 1) % size, h[i]);
    rhs.row(i) = 6 * (slopes.row(i) - slopes.row(before));
  }
  Eigen::SparseMatrix<double> A(size, size);
  A.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(A);
  return lu.solve(rhs);
}

}  // namespace

PlaneSpline::PlaneSpline(const std::vector<Vector2>& points, bool closed)
    : points_(points), closed_(closed) {
  if (closed) points_.push_back(points.front());
  const int n = static_cast<int>(points_.size()) - 1;
  std::vector<double> h(n);
  MatrixX slopes(n, 2);
  knots_.assign(1, 0.0);
  for (int i = 0; i < n; ++i) {
    const Vector2 chord = points_[i + 1] - points_[i];
    h[i] = chord.norm();
    slopes.row(i) = chord.transpose() / h[i];
    knots_.push_back(knots_.back() + h[i]);
  }
  const MatrixX m = SolveCurvatures(h, slopes, closed);
  for (int i = 0; i <= n; ++i) curvatures_.push_back(m.row(closed ? i % n : i).transpose());
}

PlaneSpline::Sample PlaneSpline::Evaluate(double s) const {
  if (closed_) s -= length() * std::floor(s / length());
  const auto next = std::upper_bound(knots_.begin() + 1, knots_.end() - 1, s);
  const std::size_t i = static_cast<std::size_t>(next - knots_.begin()) - 1;
  const double h = knots_[i + 1] - knots_[i];
  const double a = (knots_[i + 1] - s) / h;
  const double b = (s - knots_[i]) / h;
  const Vector2 &m0 = curvatures_[i], &m1 = curvatures_[i + 1];
  Sample sample;
  sample.x = a * points_[i] + b * points_[i + 1] +
             ((a * a * a - a) * m0 + (b * b * b - b) * m1) * (h * h / 6);
  sample.dx =
      (points_[i + 1] - points_[i]) / h + ((1 - 3 * a * a) * m0 + (3 * b * b - 1) * m1) * (h / 6);
  sample.ddx = a * m0 + b * m1;
  return sample;
}

double PlaneSpline::FindNearest(const Vector2& x) const {
  // Coarse search, eight samples an interval; then Newton on ½|c(s) − x|², kept near the best.
  constexpr int kPerInterval = 8;
  double best = 0, best_distance = (Evaluate(0).x - x).squaredNorm(), spacing = 0;
  for (std::size_t i = 0; i + 1 < knots_.size(); ++i) {
    const double step = (knots_[i + 1] - knots_[i]) / kPerInterval;
    for (int k = 1; k <= kPerInterval; ++k) {
      const double s = knots_[i] + k * step;
      const double distance = (Evaluate(s).x - x).squaredNorm();
      if (distance < best_distance) {
        best = s;
        best_distance = distance;
      }
    }
    spacing = std::max(spacing, step);
  }
  double low = best - spacing, high = best + spacing;
  if (!closed_) {
    low = std::max(low, 0.0);
    high = std::min(high, length());
  }
  double s = best;
  for (int iteration = 0; iteration < 60; ++iteration) {
    const Sample c = Evaluate(s);
    const double slope = c.dx.dot(c.x - x);
    if (slope > 0) high = s;
    if (slope < 0) low = s;
    const double curvature = c.dx.squaredNorm() + c.ddx.dot(c.x - x);
    double next = curvature > 0 ? s - slope / curvature : 0.5 * (low + high);
    if (next < low || next > high) next = 0.5 * (low + high);
    if (slope == 0 || std::abs(next - s) <= 1e-15 * length()) return next;
    s = next;
  }
  return s;
}

}  // namespace saltus
