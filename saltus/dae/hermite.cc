#include "saltus/dae/hermite.h"

namespace saltus {
namespace {

/// Share of the step over which δ''₁ is differenced: the error is its square.
constexpr double kShare = 1e-4;

}  // namespace

void HermiteStep::Build(DaeTerms* terms, double h, const VectorX& q0, const VectorX& v0,
                        const VectorX& a0, const VectorX& delta, const VectorX& v1,
                        const VectorX& a1) {
  h_ = h;
  q0_ = q0;
  v0_ = v0;
  a0_ = a0;
  delta1_ = delta;
  terms->CalcChartRate(delta, v1, &rate1_);
  if (terms->traits().flat) {
    second1_ = a1;
    return;
  }
  const double epsilon = kShare * h;
  delta_ = delta + epsilon * rate1_;
  scratch_ = v1 + epsilon * a1;
  terms->CalcChartRate(delta_, scratch_, &second1_);
  delta_ = delta - epsilon * rate1_;
  scratch_ = v1 - epsilon * a1;
  terms->CalcChartRate(delta_, scratch_, &rate_);
  second1_ = (second1_ - rate_) / (2 * epsilon);
}

void HermiteStep::Calc(DaeTerms* terms, double s, VectorX* q, VectorX* v) {
  const double s2 = s * s, s3 = s2 * s, s4 = s3 * s, s5 = s4 * s;
  delta_ = (h_ * (s - 6 * s3 + 8 * s4 - 3 * s5)) * v0_ +
           (h_ * h_ * 0.5 * (s2 - 3 * s3 + 3 * s4 - s5)) * a0_ +
           (h_ * h_ * 0.5 * (s3 - 2 * s4 + s5)) * second1_ +
           (h_ * (-4 * s3 + 7 * s4 - 3 * s5)) * rate1_ + (10 * s3 - 15 * s4 + 6 * s5) * delta1_;
  rate_ = (1 - 18 * s2 + 32 * s3 - 15 * s4) * v0_ +
          (h_ * 0.5 * (2 * s - 9 * s2 + 12 * s3 - 5 * s4)) * a0_ +
          (h_ * 0.5 * (3 * s2 - 8 * s3 + 5 * s4)) * second1_ +
          (-12 * s2 + 28 * s3 - 15 * s4) * rate1_ + ((30 * s2 - 60 * s3 + 30 * s4) / h_) * delta1_;
  terms->Retract(q0_, delta_, q);
  terms->CalcVelocity(delta_, rate_, v);
}

}  // namespace saltus
