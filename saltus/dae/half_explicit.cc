#include "saltus/dae/half_explicit.h"

#include <cmath>

namespace saltus {
namespace {

// Stage 10 of the dense output of hem5.
constexpr double kC10 = 0.05;
constexpr double kA106 = 907 / 3600.0, kA107 = -139 / 360.0, kA109 = 221 / 1200.0;
// D_ij: rows i = 1 … 4, columns j = 4 … 8 and the one of stage 10.
constexpr double kD[4][6] = {{-0.2661262387118526, -0.4784628694418738, -0.08492247115792709,
                              0.2500588298423810, -0.1047577768468651, 32 / 19.0},
                             {2.963408265225625, 5.405521925140019, 0.9129165649477744,
                              -2.963932600778991, 1.261033213890067, -144 / 19.0},
                             {-4.141333547260734, -8.533017606960350, -0.8633784567714418,
                              6.403467289689607, -2.971000836599169, 192 / 19.0},
                             {1.690827587510642, 3.816617960011145, 0.2123061778941055,
                              -3.383148874338215, 1.873923464716025, -80 / 19.0}};

/// Σ_i θⁱ D_ij, and its derivative.
double CalcWeight(int j, double theta) {
  return theta * (kD[0][j] + theta * (kD[1][j] + theta * (kD[2][j] + theta * kD[3][j])));
}
double CalcWeightRate(int j, double theta) {
  return kD[0][j] + theta * (2 * kD[1][j] + theta * (3 * kD[2][j] + theta * 4 * kD[3][j]));
}

}  // namespace

RungeKuttaTableau MakeHem4Tableau() {
  const double w = std::sqrt(6.0);
  return {{0, 0.3, (4 - w) / 10, (4 + w) / 10, 1},
          {{},
           {0.3},
           {(1 + w) / 30, (11 - 4 * w) / 30},
           {(-79 - 31 * w) / 150, (-1 - 4 * w) / 30, (24 + 11 * w) / 25},
           {(14 + 5 * w) / 6, (-8 + 7 * w) / 6, (-9 - 7 * w) / 4, (9 - w) / 4}},
          {0, 0, (16 - w) / 36, (16 + w) / 36, 1 / 9.0},
          {},
          4};
}

RungeKuttaTableau MakeHem5Tableau() {
  return {
      {0, 0.1, 0.15, 0.3614787346573635, 0.08535584335486351, 0.5, 0.8, 1},
      {{},
       {0.1},
       {0.0375, 0.1125},
       {0.3222169236216038, -1.188883322987607, 1.228145134023366},
       {-0.03501123898129943, 0.3725420601086163, -0.2721053535582034, 0.01993037578575077},
       {-0.5576547055042005, 1.367307289645883, -1.732236360460725, 0.4587772007467548,
        0.9638065755722880},
       {0.08654517193566155, -0.08810082847945416, 0.1981275547329404, -0.4645422679331083,
        0.1615170091109488, 0.9064533606330119},
       {0, 0, 0, 3.624477248753816, -0.4617724189181256, -3.198024628164272, 1.035319798328740}},
      {0, 0, 0, 0.2467760667636791, 0.2106594087489728, 0.1769218149125021, 0.3064446444147922,
       0.05919806516005373},
      {},
      5};
}

Hem5::Hem5(double c) : c_(c), stages_(MakeHem5Tableau()) {}

DaeTrial Hem5::Step() {
  dense_is_ready_ = forces_are_ready_ = false;
  if (!stages_.Step(&terms(), start_, h_, &end_.q, &end_.v)) return {DaeStatus::kSingular};
  const VectorX& delta = stages_.delta(8);
  const double l1 = (delta - stages_.delta(7)).norm();
  const double l2 = (delta - h_ * (2.5 * stages_.rates()[6] - 1.5 * stages_.rates()[7])).norm();
  const double sum = l1 + c_ * l2;
  return {DaeStatus::kOk, sum > 0 ? l1 * l1 / sum : 0};  // (1)
}

/// Stages 9 and 10.
bool Hem5::PrepareDense() {
  const auto& a = stages_.accelerations();
  const auto& rates = stages_.rates();
  const double t10 = start_.t + kC10 * h_;
  delta10_ = h_ * (kA106 * rates[5] + kA107 * rates[6] + kA109 * rates[8]);
  terms().Retract(start_.q, delta10_, &q10_);
  terms().CalcJacobian(t10, q10_, &G10_);
  base_ = start_.v + h_ * (kA106 * a[5] + kA107 * a[6]);
  terms().CalcRate(t10, q10_, &r_);
  if (r_.size() > 0) {
    r_.noalias() += G10_ * base_;
    r_ /= -h_ * kA109;
  }
  terms().CalcForce(end_.t, end_.q, end_.v, &f_);
  if (!terms().Solve(terms().CalcMass(end_.q), stages_.end_jacobian(), G10_, f_, r_, &a9_,
                     &multiplier_)) {
    return false;
  }
  v10_ = base_ + h_ * kA109 * a9_;
  terms().CalcChartRate(delta10_, v10_, &rate10_);
  terms().CalcForce(t10, q10_, v10_, &f10_);
  return true;
}

void Hem5::CalcDenseChart(double theta, VectorX* delta) const {
  *delta = h_ * CalcWeight(5, theta) * rate10_;
  for (int j = 0; j < 5; ++j) {
    *delta += h_ * CalcWeight(j, theta) * stages_.rates()[static_cast<std::size_t>(j + 3)];
  }
}

void Hem5::Interpolate(double theta, VectorX* q, VectorX* v) {
  if (!dense_is_ready_) dense_is_ready_ = PrepareDense();
  CalcDenseChart(theta, &delta_);  // (2)
  terms().Retract(start_.q, delta_, q);
  *v = start_.v;  // (3)
  for (int j = 0; j < 5; ++j) {
    *v += h_ * CalcWeight(j, theta) * stages_.accelerations()[static_cast<std::size_t>(j + 3)];
  }
  const double t = start_.t + theta * h_;
  terms().CalcJacobian(t, *q, &G_dense_);
  terms().CalcRate(t, *q, &r_);
  if (r_.size() > 0) {
    r_.noalias() += G_dense_ * *v;
    r_ = -r_;
  }
  f_ = h_ * CalcWeight(5, theta) * f10_;
  if (terms().Solve(terms().CalcMass(q10_), G10_, G_dense_, f_, r_, &x_, &multiplier_)) *v += x_;
}

bool Hem5::CalcQuickForces(double theta, VectorX* a, VectorX* lambda) {
  if (!dense_is_ready_) dense_is_ready_ = PrepareDense();
  if (!forces_are_ready_) {
    const double t10 = start_.t + kC10 * h_;
    if (!terms().CalcAcceleration(t10, q10_, v10_, &a10_, &lambda10_)) return false;
    forces_are_ready_ = true;
  }
  *a = CalcWeightRate(5, theta) * a10_;  // (4)
  *lambda = CalcWeightRate(5, theta) * lambda10_;
  for (int j = 0; j < 5; ++j) {
    const double weight = CalcWeightRate(j, theta);
    *a += weight * stages_.accelerations()[static_cast<std::size_t>(j + 3)];
    *lambda += weight * stages_.multipliers()[static_cast<std::size_t>(j + 3)];
  }
  return true;
}

}  // namespace saltus
