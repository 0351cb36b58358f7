// The scalar functions of the angle φ ≥ 0 in the closed forms of SO(3) and SE(3):
//
//   a(φ) = sin φ / φ                          b(φ) = (1 − cos φ)/φ²      c(φ) = (φ − sin φ)/φ³
//   d(φ) = (1 − (φ/2) cot(φ/2))/φ²            b′(φ)/φ = (a − 2b)/φ²      c′(φ)/φ = (b − 3c)/φ²
//
// Below kSeriesAngle the quotients that cancel are replaced by their power series in φ².
#pragma once

namespace saltus {

inline constexpr double kSeriesAngle = 0.5;

double Sinc(double phi);                    // a
double CosineCoefficient(double phi);       // b
double SineCoefficient(double phi);         // c
double CotangentCoefficient(double phi);    // d, singular at φ = 2π
double CosineCoefficientSlope(double phi);  // b′/φ
double SineCoefficientSlope(double phi);    // c′/φ

}  // namespace saltus
