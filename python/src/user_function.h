// A vector-valued function x(t, q) of a user system with its derivatives: constraints and gaps.
//
//   linear:    x = A q + b, nothing is ever called                                             (1)
//   callback:  x, and where given ∂x/∂q and ∂x/∂t; what is not given comes from differences of
//              fourth order along each coordinate, with steps ε_i = ε^(1/5) max(1, |q_i|): their
//              rounding, about 3e-13, stays below the tolerances of the integrators            (2)
#pragma once

#include <optional>
#include <string>

#include "saltus/base/types.h"

#include "python/src/callback.h"

namespace saltus::python {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A number, vector or matrix that is constant or comes from a function; row major.
class Term {
 public:
  Term() = default;  // absent
  explicit Term(RowMatrix constant) : constant_(std::move(constant)) {}
  explicit Term(Callback callback) : callback_(std::move(callback)) {}

  bool present() const { return constant_ || callback_; }
  bool is_constant() const { return constant_.has_value(); }
  bool takes(ArgumentBits bit) const { return callback_ && callback_->takes(bit); }
  const double* Calc(double t, const VectorX& q, const VectorX* v = nullptr) {
    return constant_ ? constant_->data() : callback_->Call(t, q, v);
  }

 private:
  std::optional<RowMatrix> constant_;
  std::optional<Callback> callback_;
};

class UserFunction {
 public:
  UserFunction() = default;  // no rows
  /// (1)
  UserFunction(RowMatrix A, VectorX b);
  /// (2)
  UserFunction(Callback value, long num_rows, Term jacobian, Term rate);

  long num_rows() const { return num_rows_; }
  bool is_linear() const { return !value_; }
  bool takes_time() const { return value_ && (value_->takes(kTakesTime) || rate_.present()); }

  void Calc(double t, const VectorX& q, VectorX* x);
  /// num_rows × n
  void CalcJacobian(double t, const VectorX& q, RowMatrix* J);
  void CalcRate(double t, const VectorX& q, VectorX* x_t);
  /// d²/ds² x(t + s, q + s v) at s = 0: all of ẍ that does not contain v̇.
  void CalcBias(double t, const VectorX& q, const VectorX& v, VectorX* bias);

 private:
  void CalcJacobianByDifferences(double t, const VectorX& q, RowMatrix* J);

  long num_rows_ = 0;
  RowMatrix A_;
  VectorX b_;
  std::optional<Callback> value_;
  Term jacobian_, rate_;
  VectorX q_, plus_, minus_, plus2_, minus2_;
  RowMatrix J_plus_, J_minus_;
};

/// ε_i of (2).
double DifferenceStep(double x);

}  // namespace saltus::python
