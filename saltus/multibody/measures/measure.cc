#include "saltus/multibody/measures/measure.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/math/so3.h"

namespace saltus {
namespace {

VectorTerm SpanTerm(const PairFrames& f) {
  return {.c_A = -1, .c_B = 1, .alpha = -f.a, .beta = f.b, .kappa = Vector3::Zero()};
}
VectorTerm AxisTermA(const PairFrames& f, int i) { return {.alpha = f.F_A.col(i)}; }
VectorTerm AxisTermB(const PairFrames& f, int j) { return {.beta = f.F_B.col(j)}; }

/// d·w: a sum of a term of A and one of B, so that its Hessian has two blocks of 3 × 3.
void CalcWorldOffset(const PairFrames& f, const Vector3& w, const Placement& A, const Placement& B,
                     JetOrder order, ScalarJet* jet) {
  jet->value = (B * f.b - A * f.a).dot(w);
  if (order == JetOrder::kValue) return;
  const Vector3 w_A = A.R.transpose() * w, w_B = B.R.transpose() * w;
  jet->gradient << -w, -f.a.cross(w_A), w, f.b.cross(w_B);
  if (order == JetOrder::kGradient) return;
  jet->hessian.setZero();
  jet->hessian.block<3, 3>(3, 3) = -Hat(f.a) * Hat(w_A);
  jet->hessian.block<3, 3>(9, 9) = Hat(f.b) * Hat(w_B);
}

/// C_ij.
void CalcCosine(const PairFrames& f, int i, int j, const Placement& A, const Placement& B,
                JetOrder order, ScalarJet* jet) {
  CalcProduct(AxisTermA(f, i), AxisTermB(f, j), A, B, order, jet);
}

/// weight_1 C_ij + weight_2 C_kl.
void CalcCosineSum(const PairFrames& f, double weight_1, int i, int j, double weight_2, int k,
                   int l, const Placement& A, const Placement& B, JetOrder order, ScalarJet* jet) {
  ScalarJet c1, c2;
  CalcCosine(f, i, j, A, B, order, &c1);
  CalcCosine(f, k, l, A, B, order, &c2);
  Compose({.f = weight_1 * c1.value + weight_2 * c2.value, .f1 = weight_1, .f2 = weight_2}, c1, c2,
          order, jet);
}

void CalcSkew(const PairFrames& f, int i, const Placement& A, const Placement& B, JetOrder order,
              ScalarJet* jet) {
  const int j = (i + 1) % 3;
  const int k = (i + 2) % 3;
  CalcCosineSum(f, 0.5, k, j, -0.5, j, k, A, B, order, jet);
}

void CalcDistance(const PairFrames& f, const Placement& A, const Placement& B, JetOrder order,
                  ScalarJet* jet) {
  ScalarJet square;
  const VectorTerm d = SpanTerm(f);
  CalcProduct(d, d, A, B, order, &square);
  const double l = std::sqrt(square.value);
  // Where the points coincide the direction is undefined; no derivative is the symmetric choice.
  const double inverse = l > 0 ? 1 / l : 0;
  Compose(l, 0.5 * inverse, -0.25 * inverse * inverse * inverse, square, order, jet);
}

void CalcAngle(const PairFrames& f, const Placement& A, const Placement& B, JetOrder order,
               ScalarJet* jet) {
  ScalarJet s, c;
  CalcCosineSum(f, 1, 1, 0, -1, 0, 1, A, B, order, &s);
  CalcCosineSum(f, 1, 0, 0, 1, 1, 1, A, B, order, &c);
  const double r2 = s.value * s.value + c.value * c.value;
  const double w = r2 > 0 ? 1 / r2 : 0;  // r = 0: axes opposite, the twist is undefined
  const double w2 = w * w;
  Compose({.f = std::atan2(s.value, c.value),
           .f1 = c.value * w,
           .f2 = -s.value * w,
           .f11 = -2 * s.value * c.value * w2,
           .f12 = (s.value * s.value - c.value * c.value) * w2,
           .f22 = 2 * s.value * c.value * w2},
          s, c, order, jet);
}

/// κ(x) = φ / sin φ with x = cos φ, and its first two derivatives in x, from
///   (1 − x²) κ′ = x κ − 1,   (1 − x²) κ″ = κ + 3 x κ′;   near x = 1 the power series in 1 − x.
struct AngleOverSine {
  double k, k1, k2;
};
AngleOverSine CalcAngleOverSine(double x) {
  const double y = 1 - x;
  if (y < 0.1) {
    // κ = Σ c_n yⁿ with c_{n+1} = c_n (n + 1)/(2 n + 3), from the same equation.
    double c = 1, power = 1, k = 0, k1 = 0, k2 = 0, previous = 0, before = 0;
    for (int n = 0; n < 16; ++n) {
      k += c * power;
      if (n >= 1) k1 -= n * c * previous;
      if (n >= 2) k2 += n * (n - 1) * c * before;
      before = previous;
      previous = power;
      power *= y;
      c *= (n + 1.0) / (2.0 * n + 3.0);
    }
    return {k, k1, k2};
  }
  const double sine2 = std::max(1 - x * x, 1e-12);  // φ → π: the vector's direction is undefined
  const double k = std::acos(std::clamp(x, -1.0, 1.0)) / std::sqrt(sine2);
  const double k1 = (x * k - 1) / sine2;
  return {k, k1, (k + 3 * x * k1) / sine2};
}

void CalcRotation(const PairFrames& f, int i, const Placement& A, const Placement& B,
                  JetOrder order, ScalarJet* jet) {
  // θ_i = κ(cos φ) s_i with s = sin φ · axis and cos φ = ½(C_00 + C_11 + C_22 − 1).
  ScalarJet s, c01, c2, trace;
  CalcSkew(f, i, A, B, order, &s);
  CalcCosineSum(f, 1, 0, 0, 1, 1, 1, A, B, order, &c01);
  CalcCosine(f, 2, 2, A, B, order, &c2);
  Compose({.f = 0.5 * (c01.value + c2.value - 1), .f1 = 0.5, .f2 = 0.5}, c01, c2, order, &trace);
  const auto [k, k1, k2] = CalcAngleOverSine(trace.value);
  Compose({.f = k * s.value, .f1 = k, .f2 = k1 * s.value, .f12 = k1, .f22 = k2 * s.value}, s, trace,
          order, jet);
}

void CalcTilt(const PairFrames& f, const Placement& A, const Placement& B, JetOrder order,
              ScalarJet* jet) {
  ScalarJet c;
  CalcCosine(f, 2, 2, A, B, order, &c);
  const double x = std::clamp(c.value, -1.0, 1.0);
  const double sine2 = 1 - x * x;
  // Parallel axes: the direction of tilting is undefined; no derivative is the symmetric choice.
  const double inverse = sine2 > 0 ? 1 / std::sqrt(sine2) : 0;
  Compose(std::acos(x), -inverse, -x * inverse * inverse * inverse, c, order, jet);
}

}  // namespace

void CalcMeasure(const Measure& measure, const PairFrames& frames, const Placement& A,
                 const Placement& B, JetOrder order, ScalarJet* jet) {
  const int i = measure.i;
  switch (measure.kind) {
    case MeasureKind::kWorldOffset:
      CalcWorldOffset(frames, frames.W.col(i), A, B, order, jet);
      return;
    case MeasureKind::kOffset:
      CalcProduct(SpanTerm(frames), AxisTermA(frames, i), A, B, order, jet);
      return;
    case MeasureKind::kDistance:
      CalcDistance(frames, A, B, order, jet);
      return;
    case MeasureKind::kAlignment:
      CalcCosine(frames, i, measure.j, A, B, order, jet);
      return;
    case MeasureKind::kSkew:
      CalcSkew(frames, i, A, B, order, jet);
      return;
    case MeasureKind::kAngle:
      CalcAngle(frames, A, B, order, jet);
      return;
    case MeasureKind::kTilt:
      CalcTilt(frames, A, B, order, jet);
      return;
    case MeasureKind::kRotation:
      CalcRotation(frames, i, A, B, order, jet);
      return;
  }
}

void CalcMeasureTangents(const Measure& measure, const PairFrames& frames, const Placement& A,
                         const Placement& B, double lambda, const Vector12& V, Matrix12* H,
                         Vector12* change) {
  if (measure.kind == MeasureKind::kWorldOffset) {  // without the zeros of its Hessian
    const Vector3 w = frames.W.col(measure.i);
    const Vector3 w_A = A.R.transpose() * w, w_B = B.R.transpose() * w;
    H->block<3, 3>(3, 3) += Hat(frames.a) * Hat(lambda * w_A);
    H->block<3, 3>(9, 9) -= Hat(frames.b) * Hat(lambda * w_B);
    const Vector3 omega_A = V.segment<3>(3), omega_B = V.segment<3>(9);
    *change << Vector3::Zero(), -w_A.cross(frames.a.cross(omega_A)), Vector3::Zero(),
        w_B.cross(frames.b.cross(omega_B));
    return;
  }
  ScalarJet jet;
  CalcMeasure(measure, frames, A, B, JetOrder::kHessian, &jet);
  *H -= lambda * jet.hessian;
  change->noalias() = jet.hessian.transpose() * V;
}

double CalcCoordinateValue(const Coordinate& c, double phi, const VectorX& q,
                           const VectorX& turns) {
  if (!c.measure.is_angle()) return phi + c.shift;
  if (c.turn_slot >= 0) return WrapNear(phi + c.shift, turns[c.turn_slot]);
  if (c.turn_sign == 0) return phi + c.shift;
  const double angle_a = c.turn_a < 0 ? 0 : q[c.turn_a];
  const double angle_b = c.turn_b < 0 ? 0 : q[c.turn_b];
  return WrapNear(phi, c.turn_sign * (angle_b - angle_a)) + c.shift;
}

double WrapNear(double angle, double reference) {
  constexpr double kTurn = 2 * std::numbers::pi;
  return angle - kTurn * std::round((angle - reference) / kTurn);
}

}  // namespace saltus
