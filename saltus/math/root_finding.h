// Roots of a scalar function inside a bracket.
#pragma once

#include <functional>

namespace saltus {

struct RootOptions {
  double tolerance = 0;       // absolute, on x; a few roundings of x are always added
  int max_evaluations = 200;  // of the function, those of the bracket's ends included
};

struct Root {
  double x = 0;
  double f = 0;  // at x
  int num_evaluations = 0;
  bool converged = false;  // false: no sign change, a NaN, or out of evaluations
};

/// Brent's method: inverse quadratic interpolation and secants, bisection when these are slow.
/// Needs f(a) f(b) ≤ 0. The root is within `tolerance` of a sign change. @cite Brent1973
Root FindRootBrent(const std::function<double(double)>& f, double a, double b,
                   const RootOptions& options = {});

struct ValueAndSlope {
  double value = 0;
  double slope = 0;
};

/// Newton's method kept inside the shrinking bracket [a, b]; bisection where a Newton step would
/// leave it or does not halve the last but one step. Needs f(a) f(b) ≤ 0.
Root FindRootNewton(const std::function<ValueAndSlope(double)>& f, double a, double b,
                    const RootOptions& options = {});

}  // namespace saltus
