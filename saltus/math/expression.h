// Arithmetic expressions of scene files: "${2*r + 0.1}", "0.1*sin(3*t)".
//
//   sum     = product { ("+" | "-") product }
//   product = sign { ("*" | "/") sign }
//   sign    = { "+" | "-" } power                        −2^2 = −4
//   power   = atom [ "^" sign ]                          2^3^2 = 2^9
//   atom    = number | name | name "(" sum { "," sum } ")" | "(" sum ")"
//
// Functions: sin cos tan asin acos atan atan2(y, x) sinh cosh tanh exp log sqrt abs floor ceil
// sign(x) step(x) = (x ≥ 0) ramp(x) = max(x, 0) pulse(x) = (0 ≤ x < 1) pow(x, y) min(x, …)
// max(x, …) clamp(x, low, high). Constants: pi, e. Every other name is a variable; `t` is time.
//
// Derivatives with respect to t are exact, by second-order jets x = (x, ẋ, ẍ):
//   f(x)˙ = f′ ẋ,   f(x)¨ = f″ ẋ² + f′ ẍ                                                       (1)
// Where a function has a kink or a jump the branch of the larger argument is taken, and the jump
// itself (sign, step, floor, ceil, pulse) counts as derivative zero.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/math/time_function.h"

namespace saltus {

using VariableValues = std::map<std::string, double>;

class Expression {
 public:
  static constexpr int kMaxLength = 10000;  // characters
  static constexpr int kMaxDepth = 200;     // nested parentheses, calls, signs and powers

  /// Throws InputError with the column and, for an unknown function, the nearest name. Its
  /// location().column counts characters from 1.
  static Expression Parse(std::string_view text);

  const std::string& text() const { return text_; }
  /// The names that are neither functions nor constants, each once, in order of appearance.
  const std::vector<std::string>& variables() const { return variables_; }
  bool uses(std::string_view name) const;

  /// Throws InputError if a variable has no value (with the nearest name) or the result is not
  /// finite.
  double Evaluate(const VariableValues& values = {}) const;
  /// Value and derivatives at time t; the other variables are constants. Throws InputError if one
  /// has no value. The result may be infinite or NaN (√t has no slope at 0).
  TimeJet EvaluateJet(double t, const VariableValues& values = {}) const;

  /// Is `name` a function, a constant or `t`, so that no parameter may be called so?
  static bool IsReservedName(std::string_view name);

 private:
  friend class ExpressionParser;
  friend TimeFunction MakeTimeFunction(const Expression&, const VariableValues&);

  /// One step of a stack machine.
  struct Instruction {
    enum class Kind : std::uint8_t { kNumber, kTime, kVariable, kCall } kind;
    std::uint8_t operation = 0;  // kCall
    int count = 0;               // kCall: arguments taken from the stack; kVariable: which one
    double number = 0;           // kNumber
  };
  using Program = std::vector<Instruction>;

  /// The program with the values of all variables but `t` filled in; also of `t` if `values` has
  /// it and `fix_time`. Throws InputError if one is missing.
  Program Bind(const VariableValues& values, bool fix_time) const;
  static TimeJet Run(const Program& program, double t);

  std::string text_;
  std::vector<std::string> variables_;
  Program program_;
};

/// t ↦ expression, a constant function if it does not use t. Throws InputError as Evaluate() does.
/// Calls of the result do not allocate.
TimeFunction MakeTimeFunction(const Expression& expression, const VariableValues& values = {});

}  // namespace saltus
