// Second-order jets: a number x(t) with ẋ and ẍ. Each operation applies
//   f(x)˙ = f′ ẋ,   f(x)¨ = f″ ẋ² + f′ ẍ                                                       (1)
// so that an expression in jets yields its exact time derivatives.
#pragma once

#include <cmath>

#include "saltus/math/time_function.h"

namespace saltus {

struct Jet {
  double x = 0;    // value
  double dx = 0;   // ẋ
  double ddx = 0;  // ẍ

  bool is_constant() const { return dx == 0 && ddx == 0; }
  explicit operator TimeJet() const { return {x, dx, ddx}; }
};

/// f(a) from f, f′ and f″ at a.x, (1). A constant stays one even where f′ is infinite.
inline Jet Chain(const Jet& a, double f, double slope, double curvature) {
  if (a.is_constant()) return {f, 0, 0};
  const double curved = curvature == 0 ? 0 : curvature * a.dx * a.dx;
  return {f, slope * a.dx, curved + slope * a.ddx};
}

inline Jet operator-(const Jet& a) { return {-a.x, -a.dx, -a.ddx}; }
inline Jet operator+(const Jet& a, const Jet& b) { return {a.x + b.x, a.dx + b.dx, a.ddx + b.ddx}; }
inline Jet operator-(const Jet& a, const Jet& b) { return {a.x - b.x, a.dx - b.dx, a.ddx - b.ddx}; }
inline Jet operator*(const Jet& a, const Jet& b) {
  return {a.x * b.x, a.dx * b.x + a.x * b.dx, a.ddx * b.x + 2 * a.dx * b.dx + a.x * b.ddx};
}
inline Jet operator/(const Jet& a, const Jet& b) {
  // From a = q b:  ȧ = q̇ b + q ḃ,  ä = q̈ b + 2 q̇ ḃ + q b̈.
  const double q = a.x / b.x;
  if (a.is_constant() && b.is_constant()) return {q, 0, 0};
  const double dq = (a.dx - q * b.dx) / b.x;
  return {q, dq, (a.ddx - 2 * dq * b.dx - q * b.ddx) / b.x};
}

inline Jet Sin(const Jet& a) {
  const double s = std::sin(a.x);
  return Chain(a, s, std::cos(a.x), -s);
}
inline Jet Cos(const Jet& a) {
  const double c = std::cos(a.x);
  return Chain(a, c, -std::sin(a.x), -c);
}
inline Jet Tan(const Jet& a) {
  const double y = std::tan(a.x);
  return Chain(a, y, 1 + y * y, 2 * y * (1 + y * y));
}
inline Jet Asin(const Jet& a) {
  const double slope = 1 / std::sqrt((1 - a.x) * (1 + a.x));
  return Chain(a, std::asin(a.x), slope, a.x * slope * slope * slope);
}
inline Jet Acos(const Jet& a) {
  const double slope = -1 / std::sqrt((1 - a.x) * (1 + a.x));
  return Chain(a, std::acos(a.x), slope, a.x * slope * slope * slope);
}
inline Jet Atan(const Jet& a) {
  const double slope = 1 / (1 + a.x * a.x);
  return Chain(a, std::atan(a.x), slope, -2 * a.x * slope * slope);
}
inline Jet Sinh(const Jet& a) {
  const double s = std::sinh(a.x);
  return Chain(a, s, std::cosh(a.x), s);
}
inline Jet Cosh(const Jet& a) {
  const double c = std::cosh(a.x);
  return Chain(a, c, std::sinh(a.x), c);
}
inline Jet Tanh(const Jet& a) {
  const double y = std::tanh(a.x);
  const double slope = 1 - y * y;
  return Chain(a, y, slope, -2 * y * slope);
}
inline Jet Exp(const Jet& a) {
  const double y = std::exp(a.x);
  return Chain(a, y, y, y);
}
inline Jet Log(const Jet& a) { return Chain(a, std::log(a.x), 1 / a.x, -1 / (a.x * a.x)); }
inline Jet Sqrt(const Jet& a) {
  const double y = std::sqrt(a.x);
  return Chain(a, y, 0.5 / y, -0.25 / (y * a.x));
}
inline Jet Abs(const Jet& a) { return a.x >= 0 ? a : -a; }
/// The polar angle of (x, y): θ̇ = (x ẏ − y ẋ)/r², r² = x² + y².
inline Jet Atan2(const Jet& y, const Jet& x) {
  const double angle = std::atan2(y.x, x.x);
  if (y.is_constant() && x.is_constant()) return {angle, 0, 0};
  const double r2 = x.x * x.x + y.x * y.x;
  const double dr2 = 2 * (x.x * x.dx + y.x * y.dx);
  const double rate = (x.x * y.dx - y.x * x.dx) / r2;
  return {angle, rate, (x.x * y.ddx - y.x * x.ddx - rate * dr2) / r2};
}
/// a^b. With a constant exponent every real base is welcome that std::pow takes.
inline Jet Pow(const Jet& a, const Jet& b) {
  if (b.is_constant()) {
    const double n = b.x;
    const double slope = n == 0 ? 0 : n * std::pow(a.x, n - 1);
    const double curvature = n == 0 || n == 1 ? 0 : n * (n - 1) * std::pow(a.x, n - 2);
    return Chain(a, std::pow(a.x, n), slope, curvature);
  }
  Jet result = Exp(b * Log(a));
  result.x = std::pow(a.x, b.x);  // exact for integers
  return result;
}

}  // namespace saltus
