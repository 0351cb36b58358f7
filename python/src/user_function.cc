#include "python/src/user_function.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace saltus::python {

double DifferenceStep(double x) {
  static const double kRoot = std::pow(std::numeric_limits<double>::epsilon(), 0.2);
  const double step = kRoot * std::max(1.0, std::abs(x));
  return (x + step) - x;  // a step that is exact in the argument
}

UserFunction::UserFunction(RowMatrix A, VectorX b)
    : num_rows_(A.rows()), A_(std::move(A)), b_(std::move(b)) {}

UserFunction::UserFunction(Callback value, long num_rows, Term jacobian, Term rate)
    : num_rows_(num_rows),
      value_(std::move(value)),
      jacobian_(std::move(jacobian)),
      rate_(std::move(rate)) {}

void UserFunction::Calc(double t, const VectorX& q, VectorX* x) {
  if (is_linear()) {
    *x = b_;
    if (num_rows_ > 0) x->noalias() += A_ * q;
    return;
  }
  *x = Eigen::Map<const VectorX>(value_->Call(t, q, nullptr), num_rows_);
}

void UserFunction::CalcJacobian(double t, const VectorX& q, RowMatrix* J) {
  if (is_linear()) {
    *J = A_;
  } else if (jacobian_.present()) {
    *J = Eigen::Map<const RowMatrix>(jacobian_.Calc(t, q), num_rows_, q.size());
  } else {
    CalcJacobianByDifferences(t, q, J);
  }
}

void UserFunction::CalcJacobianByDifferences(double t, const VectorX& q, RowMatrix* J) {
  J->resize(num_rows_, q.size());
  q_ = q;
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const double step = DifferenceStep(q[i]);
    const auto shifted = [&](double shift, VectorX* x) {
      q_[i] = q[i] + shift;
      Calc(t, q_, x);
    };
    shifted(step, &plus_);
    shifted(-step, &minus_);
    shifted(2 * step, &plus2_);
    shifted(-2 * step, &minus2_);
    q_[i] = q[i];
    J->col(i) = (8 * (plus_ - minus_) - (plus2_ - minus2_)) / (12 * step);
  }
}

void UserFunction::CalcRate(double t, const VectorX& q, VectorX* x_t) {
  if (rate_.present()) {
    *x_t = Eigen::Map<const VectorX>(rate_.Calc(t, q), num_rows_);
  } else if (!takes_time()) {
    x_t->setZero(num_rows_);
  } else {
    const double step = DifferenceStep(t);
    Calc(t + step, q, &plus_);
    Calc(t - step, q, &minus_);
    Calc(t + 2 * step, q, &plus2_);
    Calc(t - 2 * step, q, &minus2_);
    *x_t = (8 * (plus_ - minus_) - (plus2_ - minus2_)) / (12 * step);
  }
}

void UserFunction::CalcBias(double t, const VectorX& q, const VectorX& v, VectorX* bias) {
  bias->setZero(num_rows_);
  if (is_linear() || num_rows_ == 0) return;
  const double speed = std::max(1.0, v.lpNorm<Eigen::Infinity>());
  if (jacobian_.present() && !takes_time()) {  // Ġ v by central differences along the motion
    const double step = std::cbrt(std::numeric_limits<double>::epsilon()) / speed;
    q_ = q + step * v;
    CalcJacobian(t, q_, &J_plus_);
    q_ = q - step * v;
    CalcJacobian(t, q_, &J_minus_);
    *bias = (J_plus_ - J_minus_) * v / (2 * step);
    return;
  }
  // Second difference of fourth order; ⁶√ε balances truncation and rounding.
  const double step = std::pow(std::numeric_limits<double>::epsilon(), 1.0 / 6) / speed;
  const double weights[5] = {-1.0 / 12, 4.0 / 3, -5.0 / 2, 4.0 / 3, -1.0 / 12};
  for (int k = -2; k <= 2; ++k) {
    q_ = q + k * step * v;
    Calc(t + k * step, q_, &plus_);
    *bias += weights[k + 2] / (step * step) * plus_;
  }
}

}  // namespace saltus::python
