// Interpolation between two instants; T is double or an Eigen vector.
//
// With s = (t − t₀)/h, h = t₁ − t₀:
//   linear          y = (1 − s) y₀ + s y₁                                       error O(h²)     (1)
//   cubic Hermite   y = h₀₀ y₀ + h₁₀ h d₀ + h₀₁ y₁ + h₁₁ h d₁,                  error O(h⁴)     (2)
//     h₀₀ = (1 + 2s)(1 − s)²,  h₁₀ = s (1 − s)²,  h₀₁ = s² (3 − 2s),  h₁₁ = s² (s − 1)
// Both give the end values exactly. h must not be zero.
#pragma once

namespace saltus {

/// (1).
template <typename T>
T InterpolateLinear(double t0, const T& y0, double t1, const T& y1, double t) {
  const double s = (t - t0) / (t1 - t0);
  return (1 - s) * y0 + s * y1;
}

/// (2), d = ẏ.
template <typename T>
T InterpolateHermite(double t0, const T& y0, const T& d0, double t1, const T& y1, const T& d1,
                     double t) {
  const double h = t1 - t0;
  const double s = (t - t0) / h;
  const double r = 1 - s;
  return (1 + 2 * s) * r * r * y0 + (s * r * r * h) * d0 + s * s * (3 - 2 * s) * y1 -
         (s * s * r * h) * d1;
}

/// The time derivative of (2).
template <typename T>
T InterpolateHermiteRate(double t0, const T& y0, const T& d0, double t1, const T& y1, const T& d1,
                         double t) {
  const double h = t1 - t0;
  const double s = (t - t0) / h;
  return (6 * s * (1 - s) / h) * (y1 - y0) + ((1 - s) * (1 - 3 * s)) * d0 + (s * (3 * s - 2)) * d1;
}

}  // namespace saltus
