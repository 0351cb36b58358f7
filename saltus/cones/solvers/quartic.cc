#include "saltus/cones/solvers/quartic.h"

#include <cmath>
#include <limits>

namespace saltus {
namespace {

using Coefficients = std::array<double, 5>;

double Evaluate(const Coefficients& p, int degree, double x) {
  double value = p[degree];
  for (int i = degree - 1; i >= 0; --i) value = value * x + p[i];
  return value;
}

// Size of the rounding errors of Evaluate.
double EvaluateNoise(const Coefficients& p, int degree, double x) {
  double value = std::abs(p[degree]);
  for (int i = degree - 1; i >= 0; --i) value = value * std::abs(x) + std::abs(p[i]);
  return 4 * std::numeric_limits<double>::epsilon() * value;
}

Coefficients Differentiate(const Coefficients& p, int degree) {
  Coefficients result{};
  for (int i = 1; i <= degree; ++i) result[i - 1] = i * p[i];
  return result;
}

// The root in [a, b] where p changes sign: Newton, and bisection where it leaves the bracket.
double FindBracketed(const Coefficients& p, const Coefficients& slope, int degree, double a,
                     double b) {
  const bool rising = Evaluate(p, degree, a) < 0;
  double x = 0.5 * (a + b);
  for (int pass = 0; pass < 200; ++pass) {
    const double value = Evaluate(p, degree, x);
    if (value == 0) return x;
    ((value < 0) == rising ? a : b) = x;
    double next = x - value / Evaluate(slope, degree - 1, x);
    if (!(next > a && next < b)) next = 0.5 * (a + b);
    if (next == x || next <= a || next >= b) return next;
    x = next;
  }
  return x;
}

int FindRoots(const Coefficients& p, int degree, double lower, double upper,
              std::array<double, 4>* roots) {
  if (degree == 0) return 0;
  const Coefficients slope = Differentiate(p, degree);
  std::array<double, 4> critical;
  const int num_critical = FindRoots(slope, degree - 1, lower, upper, &critical);
  int count = 0;
  double a = lower, value_a = Evaluate(p, degree, a);
  if (value_a == 0) (*roots)[count++] = a;
  for (int i = 0; i <= num_critical && count < degree; ++i) {
    const double b = i < num_critical ? critical[i] : upper;
    const double value_b = Evaluate(p, degree, b);
    const bool touches = i < num_critical && std::abs(value_b) <= EvaluateNoise(p, degree, b);
    if (touches || value_b == 0) {
      (*roots)[count++] = b;
    } else if ((value_a < 0 && value_b > 0) || (value_a > 0 && value_b < 0)) {
      (*roots)[count++] = FindBracketed(p, slope, degree, a, b);
    }
    a = b;
    value_a = touches ? 0.0 : value_b;
  }
  return count;
}

}  // namespace

int FindQuarticRoots(const std::array<double, 5>& p, double lower, double upper,
                     std::array<double, 4>* roots) {
  return FindRoots(p, 4, lower, upper, roots);
}

}  // namespace saltus
