#include "saltus/dae/phem56.h"

#include "saltus/dae/runge_kutta.h"

namespace saltus {
namespace {

/// ā: rows 2 … 6 with their diagonal; the last one is b.
const std::vector<std::vector<double>>& BarRows() {
  static const std::vector<std::vector<double>> rows = {
      {},
      {3 / 40.0, 9 / 40.0},
      {21 / 256.0, 45 / 256.0, 15 / 128.0},
      {19235 / 98784.0, -225 / 392.0, 6235 / 6174.0, 2755 / 32928.0},
      {-293 / 1152.0, 85 / 48.0, -2275 / 1908.0, 35 / 32.0, -2835 / 6784.0},
      {35 / 384.0, 0, 500 / 1113.0, 125 / 192.0, -2187 / 6784.0, 11 / 84.0}};
  return rows;
}
constexpr double kBarNodes[] = {0, 3 / 10.0, 3 / 8.0, 5 / 7.0, 1, 1};

// Dense output (5).
constexpr double kMiddle = 19 / 30.0;
const std::vector<double>& MiddleWeights() {
  static const std::vector<double> weights = {1812923 / 20736000.0, 0,
                                              45847 / 100170.0,     56677 / 414720.0,
                                              -289161 / 13568000.0, -67507 / 4536000.0,
                                              -3971 / 324000.0};
  return weights;
}

}  // namespace

Phem56::Phem56() : tableau_(MakeDopri5Tableau()), rates_(7), accelerations_(7) {}

/// (1), (2) for stage i = 1 … 5, counted from 0. The last one leaves the end in q_bar_ and v_.
bool Phem56::StepStage(std::size_t i) {
  const std::vector<double>& row = BarRows()[i];
  Combine(h_, tableau_.a[i], rates_, &delta_);
  terms().Retract(start_.q, delta_, &q_);
  Combine(h_, tableau_.a[i], accelerations_, &v_);
  v_ += start_.v;
  terms().CalcChartRate(delta_, v_, &rates_[i]);
  Combine(h_, row, rates_, &delta_bar_);
  terms().Retract(start_.q, delta_bar_, &q_bar_);
  const double t = start_.t + tableau_.nodes[i] * h_, t_bar = start_.t + kBarNodes[i] * h_;
  terms().CalcJacobian(t, q_, &G_);
  terms().CalcJacobian(t_bar, q_bar_, &G_bar_);
  base_ = start_.v;
  for (std::size_t j = 0; j < i; ++j) base_ += (h_ * row[j]) * accelerations_[j];
  terms().CalcRate(t_bar, q_bar_, &r_);
  if (r_.size() > 0) {
    r_.noalias() += G_bar_ * base_;
    r_ /= -h_ * row[i];
  }
  terms().CalcForce(t, q_, v_, &f_);
  if (!terms().Solve(terms().CalcMass(q_), G_, G_bar_, f_, r_, &accelerations_[i], &lambda_)) {
    return false;
  }
  v_ = base_ + h_ * row[i] * accelerations_[i];
  return true;
}

DaeTrial Phem56::Step() {
  dense_is_ready_ = end_is_known_ = false;
  rates_[0] = start_.v;
  if (!start_is_known_ &&
      !terms().CalcAcceleration(start_.t, start_.q, start_.v, &accelerations_[0], &lambda_)) {
    return {DaeStatus::kSingular};
  }
  start_is_known_ = true;
  for (std::size_t i = 1; i < 6; ++i) {
    if (!StepStage(i)) return {DaeStatus::kSingular};
  }
  end_.q = q_bar_;  // (3)
  end_.v = v_;
  terms().CalcChartRate(delta_bar_, end_.v, &rates_[6]);
  Combine(h_, tableau_.embedded, rates_, &error_);  // (4)
  return {DaeStatus::kOk, (delta_bar_ - error_).norm()};
}

bool Phem56::CalcEndAcceleration() {
  if (!end_is_known_) {
    end_is_known_ = terms().CalcAcceleration(end_.t, end_.q, end_.v, &accelerations_[6], &lambda_);
  }
  return end_is_known_;
}

void Phem56::OnAdvance(bool moved) {
  if (moved) end_is_known_ = false;
  start_is_known_ = CalcEndAcceleration();
  if (start_is_known_) accelerations_[0].swap(accelerations_[6]);
}

void Phem56::Interpolate(double theta, VectorX* q, VectorX* v) {
  if (!dense_is_ready_) {
    CalcEndAcceleration();
    Combine(h_, MiddleWeights(), rates_, &middle_[0]);
    Combine(h_, MiddleWeights(), accelerations_, &middle_[1]);
    dense_is_ready_ = true;
  }
  constexpr double T = kMiddle;
  const double s = theta, s2 = s * s, r2 = (s - 1) * (s - 1);
  const double start_rate = h_ * s * r2 * (T - s) / T;
  const double end_rate = -h_ * s2 * (s - 1) * (T - s) / (1 - T);
  const double middle = s2 * r2 / (T * T * (1 - T) * (1 - T));
  const double end =
      s2 * (T * (3 * T - 4) + (4 - 2 * T * T) * s + (2 * T - 3) * s2) / ((1 - T) * (1 - T));
  dense_delta_ =
      start_rate * rates_[0] + end_rate * rates_[6] + middle * middle_[0] + end * delta_bar_;
  terms().Retract(start_.q, dense_delta_, q);
  *v = start_.v + start_rate * accelerations_[0] + end_rate * accelerations_[6] +
       middle * middle_[1] + end * (v_ - start_.v);
}

}  // namespace saltus
