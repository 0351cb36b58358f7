#include "saltus/dae/runge_kutta.h"

#include <cmath>

#include "saltus/dae/half_explicit.h"

namespace saltus {

RungeKuttaTableau MakeRk4Tableau() {
  return {{0, 0.5, 0.5, 1},
          {{}, {0.5}, {0, 0.5}, {0, 0, 1}},
          {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0},
          {},
          4};
}

RungeKuttaTableau MakeRkf45Tableau() {
  return {{0, 1 / 4.0, 3 / 8.0, 12 / 13.0, 1, 1 / 2.0},
          {{},
           {1 / 4.0},
           {3 / 32.0, 9 / 32.0},
           {1932 / 2197.0, -7200 / 2197.0, 7296 / 2197.0},
           {439 / 216.0, -8, 3680 / 513.0, -845 / 4104.0},
           {-8 / 27.0, 2, -3544 / 2565.0, 1859 / 4104.0, -11 / 40.0}},
          {25 / 216.0, 0, 1408 / 2565.0, 2197 / 4104.0, -1 / 5.0, 0},
          {16 / 135.0, 0, 6656 / 12825.0, 28561 / 56430.0, -9 / 50.0, 2 / 55.0},
          4};
}

RungeKuttaTableau MakeDopri5Tableau() {
  return {
      {0, 1 / 5.0, 3 / 10.0, 4 / 5.0, 8 / 9.0, 1, 1},
      {{},
       {1 / 5.0},
       {3 / 40.0, 9 / 40.0},
       {44 / 45.0, -56 / 15.0, 32 / 9.0},
       {19372 / 6561.0, -25360 / 2187.0, 64448 / 6561.0, -212 / 729.0},
       {9017 / 3168.0, -355 / 33.0, 46732 / 5247.0, 49 / 176.0, -5103 / 18656.0},
       {35 / 384.0, 0, 500 / 1113.0, 125 / 192.0, -2187 / 6784.0, 11 / 84.0}},
      {35 / 384.0, 0, 500 / 1113.0, 125 / 192.0, -2187 / 6784.0, 11 / 84.0, 0},
      {5179 / 57600.0, 0, 7571 / 16695.0, 393 / 640.0, -92097 / 339200.0, 187 / 2100.0, 1 / 40.0},
      5};
}

// --- Embedded pairs ------------------------------------------------------------------------------

EmbeddedRungeKutta::EmbeddedRungeKutta(Method method)
    : method_(method),
      stages_(method == Method::kRkf45 ? MakeRkf45Tableau() : MakeDopri5Tableau()) {}

DaeTrial EmbeddedRungeKutta::Step() {
  dense_is_ready_ = false;
  const VectorX* first = start_is_known_ ? &a_start_ : nullptr;
  if (!stages_.Step(&terms(), start_, h_, first, &end_.q, &end_.v)) {
    return {DaeStatus::kSingular};
  }
  a_start_ = stages_.accelerations().front();
  start_is_known_ = true;
  end_is_known_ = first_is_last();
  if (end_is_known_) a_end_ = stages_.accelerations().back();
  const RungeKuttaTableau& tableau = stages_.tableau();
  Combine(h_, tableau.embedded, stages_.rates(), &error_);
  error_ -= stages_.delta();
  double square = error_.squaredNorm();
  Combine(h_, tableau.embedded, stages_.accelerations(), &error_);
  error_ += start_.v - end_.v;
  square += error_.squaredNorm();
  return {DaeStatus::kOk, std::sqrt(square)};
}

void EmbeddedRungeKutta::OnAdvance(bool moved) {
  start_is_known_ = end_is_known_ && !moved;
  if (start_is_known_) a_start_.swap(a_end_);
}

/// Coefficients of Hairer's nested form: y = y_n + θ(p₀ + (1−θ)(p₁ + θ(p₂ + (1−θ) p₃))).
void EmbeddedRungeKutta::BuildPolynomial() {
  static const std::vector<double> d = {
      -12715105075.0 / 11282082432.0,  0,
      87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
      701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
      69997945.0 / 29380423.0};
  const auto build = [&](const std::vector<VectorX>& k, std::array<VectorX, 4>* p) {
    Combine(h_, stages_.tableau().weights, k, &(*p)[0]);
    (*p)[1] = h_ * k.front() - (*p)[0];
    (*p)[2] = (*p)[0] - h_ * k.back() - (*p)[1];
    Combine(h_, d, k, &(*p)[3]);
  };
  build(stages_.rates(), &q_poly_);
  build(stages_.accelerations(), &v_poly_);
}

void EmbeddedRungeKutta::Interpolate(double theta, VectorX* q, VectorX* v) {
  if (!first_is_last()) {
    if (!dense_is_ready_) {
      if (!end_is_known_) {
        end_is_known_ = terms().CalcAcceleration(end_.t, end_.q, end_.v, &a_end_, &lambda_);
      }
      hermite_.Build(&terms(), h_, start_.q, start_.v, a_start_, stages_.delta(), end_.v, a_end_);
      dense_is_ready_ = true;
    }
    hermite_.Calc(&terms(), theta, q, v);
    return;
  }
  if (!dense_is_ready_) BuildPolynomial();
  dense_is_ready_ = true;
  const double rest = 1 - theta;
  const auto calc = [&](const std::array<VectorX, 4>& p, VectorX* y) {
    *y = theta * (p[0] + rest * (p[1] + theta * (p[2] + rest * p[3])));
  };
  calc(q_poly_, &delta_);
  terms().Retract(start_.q, delta_, q);
  calc(v_poly_, v);
  *v += start_.v;
}

// --- Step halving --------------------------------------------------------------------------------

HalvedRungeKutta::HalvedRungeKutta(Method method)
    : method_(method), explicit_(MakeRk4Tableau()), half_explicit_(MakeHem4Tableau()) {}

bool HalvedRungeKutta::StepOnce(const DaePoint& start, double h, DaePoint* end) {
  end->t = start.t + h;
  return method_ == Method::kRk4 ? explicit_.Step(&terms(), start, h, nullptr, &end->q, &end->v)
                                 : half_explicit_.Step(&terms(), start, h, &end->q, &end->v);
}

DaeTrial HalvedRungeKutta::Step() {
  dense_is_ready_ = false;
  if (!StepOnce(start_, h_, &whole_) || !StepOnce(start_, 0.5 * h_, &middle_) ||
      !StepOnce(middle_, 0.5 * h_, &end_)) {
    return {DaeStatus::kSingular};
  }
  end_.t = start_.t + h_;
  terms().system().CalcDifference(whole_.q, end_.q, &error_);
  double square = error_.squaredNorm();
  if (method_ == Method::kRk4) square += (end_.v - whole_.v).squaredNorm();
  return {DaeStatus::kOk, std::sqrt(square)};
}

void HalvedRungeKutta::BuildHermites() {
  const DaePoint* points[] = {&start_, &middle_, &end_};
  for (int i = 0; i < 3; ++i) {
    const DaePoint& p = *points[i];
    if (!terms().CalcAcceleration(p.t, p.q, p.v, &a_[i], &lambda_)) a_[i].setZero(p.v.size());
  }
  for (int i = 0; i < 2; ++i) {
    const DaePoint &p0 = *points[i], &p1 = *points[i + 1];
    terms().system().CalcDifference(p0.q, p1.q, &deltas_[i]);
    hermites_[i].Build(&terms(), 0.5 * h_, p0.q, p0.v, a_[i], deltas_[i], p1.v, a_[i + 1]);
  }
  dense_is_ready_ = true;
}

void HalvedRungeKutta::Interpolate(double theta, VectorX* q, VectorX* v) {
  if (!dense_is_ready_) BuildHermites();
  const int half = theta < 0.5 ? 0 : 1;
  hermites_[half].Calc(&terms(), 2 * theta - half, q, v);
}

}  // namespace saltus
