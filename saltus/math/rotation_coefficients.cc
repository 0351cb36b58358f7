#include "saltus/math/rotation_coefficients.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace saltus {
namespace {

/// Σ_k c[k] x^k by Horner's rule.
template <std::size_t N>
double EvaluateSeries(const std::array<double, N>& c, double x) {
  double sum = 0;
  for (std::size_t k = N; k-- > 0;) sum = sum * x + c[k];
  return sum;
}

// c = Σ (−1)^k φ^{2k}/(2k+3)!. At φ = ½ the first term left out is below 2e-18.
constexpr std::array<double, 6> kSineSeries = {1.0 / 6,       -1.0 / 120,      1.0 / 5040,
                                               -1.0 / 362880, 1.0 / 39916800., -1.0 / 6227020800.};

// d = Σ |B_{2k+2}| φ^{2k}/(2k+2)! with Bernoulli numbers B; terms fall like (φ/2π)^{2k}.
constexpr std::array<double, 7> kCotangentSeries = {1.0 / 12,          1.0 / 720,
                                                    1.0 / 30240,       1.0 / 1209600,
                                                    1.0 / 47900160.,   691.0 / 1307674368000.,
                                                    1.0 / 74724249600.};

// b′/φ = Σ_{k≥1} (−1)^k 2k φ^{2k−2}/(2k+2)!.
constexpr std::array<double, 6> kCosineSlopeSeries = {
    -2.0 / 24, 4.0 / 720, -6.0 / 40320, 8.0 / 3628800., -10.0 / 479001600., 12.0 / 87178291200.};

// c′/φ = Σ_{k≥1} (−1)^k 2k φ^{2k−2}/(2k+3)!.
constexpr std::array<double, 6> kSineSlopeSeries = {-2.0 / 120,          4.0 / 5040,
                                                    -6.0 / 362880.,      8.0 / 39916800.,
                                                    -10.0 / 6227020800., 12.0 / 1307674368000.};

}  // namespace

double Sinc(double phi) { return phi == 0 ? 1 : std::sin(phi) / phi; }

double CosineCoefficient(double phi) {
  const double half_sinc = Sinc(0.5 * phi);  // 1 − cos φ = 2 sin²(φ/2) does not cancel.
  return 0.5 * half_sinc * half_sinc;
}

double SineCoefficient(double phi) {
  if (phi < kSeriesAngle) return EvaluateSeries(kSineSeries, phi * phi);
  return (phi - std::sin(phi)) / (phi * phi * phi);
}

double CotangentCoefficient(double phi) {
  if (phi < kSeriesAngle) return EvaluateSeries(kCotangentSeries, phi * phi);
  const double half = 0.5 * phi;
  return (1 - half * std::cos(half) / std::sin(half)) / (phi * phi);
}

double CosineCoefficientSlope(double phi) {
  if (phi < kSeriesAngle) return EvaluateSeries(kCosineSlopeSeries, phi * phi);
  return (Sinc(phi) - 2 * CosineCoefficient(phi)) / (phi * phi);
}

double SineCoefficientSlope(double phi) {
  if (phi < kSeriesAngle) return EvaluateSeries(kSineSlopeSeries, phi * phi);
  return (CosineCoefficient(phi) - 3 * SineCoefficient(phi)) / (phi * phi);
}

}  // namespace saltus
