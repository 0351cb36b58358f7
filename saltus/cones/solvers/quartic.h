// All real roots of a polynomial of degree ≤ 4 in an interval, safely.
//
// Between two neighbouring critical points a polynomial is monotone, so a change of sign brackets
// exactly one root. The critical points are the roots of the derivative: the same method one degree
// lower, down to a line. Nothing here cancels, as closed formulas for the quartic do.
#pragma once

#include <array>

namespace saltus {

/// Roots of p₀ + p₁x + … + p₄x⁴ in [lower, upper], ascending; a double root that touches zero
/// without crossing is reported at its critical point if it does so to rounding.
/// @return their number
int FindQuarticRoots(const std::array<double, 5>& p, double lower, double upper,
                     std::array<double, 4>* roots);

}  // namespace saltus
