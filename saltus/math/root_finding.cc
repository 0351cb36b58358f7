#include "saltus/math/root_finding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace saltus {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Are f_a and f_b of opposite sign (zero counts as both)? False for NaN.
bool ChangesSign(double f_a, double f_b) {
  return (f_a <= 0 && f_b >= 0) || (f_a >= 0 && f_b <= 0);
}

/// The step from b proposed by interpolation through (a, f_a), (b, f_b), (c, f_c) as p/q, p ≥ 0.
std::pair<double, double> InterpolateStep(double a, double f_a, double b, double f_b, double c,
                                          double f_c) {
  const double half = 0.5 * (c - b);
  const double s = f_b / f_a;
  double p;
  double q;
  if (a == c) {  // secant
    p = 2 * half * s;
    q = 1 - s;
  } else {  // inverse quadratic
    const double u = f_a / f_c;
    const double r = f_b / f_c;
    p = s * (2 * half * u * (u - r) - (b - a) * (r - 1));
    q = (u - 1) * (r - 1) * (s - 1);
  }
  if (p > 0) return {p, -q};
  return {-p, q};
}

}  // namespace

Root FindRootBrent(const std::function<double(double)>& f, double a, double b,
                   const RootOptions& options) {
  double f_a = f(a);
  double f_b = f(b);
  int count = 2;
  if (!ChangesSign(f_a, f_b)) return {b, f_b, count, false};
  // b is the best point, [b, c] brackets the root, a is the best point before.
  double c = a;
  double f_c = f_a;
  double step = b - a;
  double previous_step = step;
  while (true) {
    if (std::abs(f_c) < std::abs(f_b)) {
      a = std::exchange(b, c);
      c = a;
      f_a = std::exchange(f_b, f_c);
      f_c = f_a;
    }
    const double tolerance = 2 * kEpsilon * std::abs(b) + 0.5 * options.tolerance;
    const double half = 0.5 * (c - b);
    if (std::abs(half) <= tolerance || f_b == 0) return {b, f_b, count, true};
    if (count >= options.max_evaluations) return {b, f_b, count, false};

    bool interpolates = false;
    if (std::abs(previous_step) >= tolerance && std::abs(f_a) > std::abs(f_b)) {
      const auto [p, q] = InterpolateStep(a, f_a, b, f_b, c, f_c);
      // Inside the bracket, and less than half the step before last.
      interpolates =
          2 * p < std::min(3 * half * q - std::abs(tolerance * q), std::abs(previous_step * q));
      if (interpolates) previous_step = std::exchange(step, p / q);
    }
    if (!interpolates) previous_step = step = half;
    a = b;
    f_a = f_b;
    b += std::abs(step) > tolerance ? step : std::copysign(tolerance, half);
    f_b = f(b);
    ++count;
    if (std::isnan(f_b)) return {b, f_b, count, false};
    if ((f_b > 0) == (f_c > 0) && f_b != 0) {
      c = a;
      f_c = f_a;
      previous_step = step = b - a;
    }
  }
}

Root FindRootNewton(const std::function<ValueAndSlope(double)>& f, double a, double b,
                    const RootOptions& options) {
  const double f_a = f(a).value;
  const double f_b = f(b).value;
  int count = 2;
  if (!ChangesSign(f_a, f_b)) return {b, f_b, count, false};
  if (f_a == 0) return {a, f_a, count, true};
  if (f_b == 0) return {b, f_b, count, true};
  double low = f_a < 0 ? a : b;  // where f < 0
  double high = f_a < 0 ? b : a;
  double x = 0.5 * (a + b);
  double step = std::abs(b - a);
  double previous_step = step;
  while (true) {
    const auto [value, slope] = f(x);
    ++count;
    if (std::isnan(value)) return {x, value, count, false};
    const double tolerance = 2 * kEpsilon * std::abs(x) + 0.5 * options.tolerance;
    if (value == 0) return {x, value, count, true};
    (value < 0 ? low : high) = x;
    double next = x - value / slope;
    const bool inside = (next - low) * (next - high) < 0;  // false for NaN
    if (!inside || std::abs(2 * value) > std::abs(previous_step * slope)) {
      next = low + 0.5 * (high - low);
    }
    previous_step = std::exchange(step, next - x);
    if (std::abs(step) <= tolerance) {
      // Report the point whose value is known.
      return {x, value, count, true};
    }
    if (count >= options.max_evaluations) return {x, value, count, false};
    x = next;
  }
}

}  // namespace saltus
