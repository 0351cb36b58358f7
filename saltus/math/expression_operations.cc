#include "saltus/math/expression_operations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>

namespace saltus {
namespace {

using Operation = ExpressionOperation;

constexpr ExpressionFunction kFunctions[] = {
    {"sin", Operation::kSin, 1, 1},
    {"cos", Operation::kCos, 1, 1},
    {"tan", Operation::kTan, 1, 1},
    {"asin", Operation::kAsin, 1, 1},
    {"acos", Operation::kAcos, 1, 1},
    {"atan", Operation::kAtan, 1, 1},
    {"atan2", Operation::kAtan2, 2, 2},
    {"sinh", Operation::kSinh, 1, 1},
    {"cosh", Operation::kCosh, 1, 1},
    {"tanh", Operation::kTanh, 1, 1},
    {"exp", Operation::kExp, 1, 1},
    {"log", Operation::kLog, 1, 1},
    {"sqrt", Operation::kSqrt, 1, 1},
    {"abs", Operation::kAbs, 1, 1},
    {"floor", Operation::kFloor, 1, 1},
    {"ceil", Operation::kCeil, 1, 1},
    {"sign", Operation::kSign, 1, 1},
    {"step", Operation::kStep, 1, 1},
    {"ramp", Operation::kRamp, 1, 1},
    {"pulse", Operation::kPulse, 1, 1},
    {"pow", Operation::kPower, 2, 2},
    {"min", Operation::kMin, 1, kManyArguments},
    {"max", Operation::kMax, 1, kManyArguments},
    {"clamp", Operation::kClamp, 3, 3},
};

const Jet& Larger(const Jet& a, const Jet& b) { return a.x >= b.x ? a : b; }
const Jet& Smaller(const Jet& a, const Jet& b) { return a.x <= b.x ? a : b; }

double Sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }  // keeps NaN
double Step(double x) { return std::isnan(x) ? x : x >= 0 ? 1 : 0; }
double Pulse(double x) { return std::isnan(x) ? x : x >= 0 && x < 1 ? 1 : 0; }

template <typename Choose>
Jet Fold(std::span<const Jet> a, Choose choose) {
  Jet result = a[0];
  for (const Jet& next : a.subspan(1)) {
    if (std::isnan(result.x)) break;
    result = std::isnan(next.x) ? next : choose(result, next);
  }
  return result;
}

}  // namespace

std::span<const ExpressionFunction> ExpressionFunctions() { return kFunctions; }

const ExpressionFunction* FindExpressionFunction(std::string_view name) {
  const auto* found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                   [&](const ExpressionFunction& f) { return f.name == name; });
  return found == std::end(kFunctions) ? nullptr : found;
}

std::optional<double> FindExpressionConstant(std::string_view name) {
  if (name == "pi") return std::numbers::pi;
  if (name == "e") return std::numbers::e;
  return std::nullopt;
}

Jet ApplyOperation(Operation operation, std::span<const Jet> a) {
  const Jet zero{};
  switch (operation) {
    case Operation::kAdd:
      return a[0] + a[1];
    case Operation::kSubtract:
      return a[0] - a[1];
    case Operation::kMultiply:
      return a[0] * a[1];
    case Operation::kDivide:
      return a[0] / a[1];
    case Operation::kPower:
      return Pow(a[0], a[1]);
    case Operation::kNegate:
      return -a[0];
    case Operation::kSin:
      return Sin(a[0]);
    case Operation::kCos:
      return Cos(a[0]);
    case Operation::kTan:
      return Tan(a[0]);
    case Operation::kAsin:
      return Asin(a[0]);
    case Operation::kAcos:
      return Acos(a[0]);
    case Operation::kAtan:
      return Atan(a[0]);
    case Operation::kAtan2:
      return Atan2(a[0], a[1]);
    case Operation::kSinh:
      return Sinh(a[0]);
    case Operation::kCosh:
      return Cosh(a[0]);
    case Operation::kTanh:
      return Tanh(a[0]);
    case Operation::kExp:
      return Exp(a[0]);
    case Operation::kLog:
      return Log(a[0]);
    case Operation::kSqrt:
      return Sqrt(a[0]);
    case Operation::kAbs:
      return Abs(a[0]);
    case Operation::kFloor:
      return {std::floor(a[0].x), 0, 0};
    case Operation::kCeil:
      return {std::ceil(a[0].x), 0, 0};
    case Operation::kSign:
      return {Sign(a[0].x), 0, 0};
    case Operation::kStep:
      return {Step(a[0].x), 0, 0};
    case Operation::kPulse:
      return {Pulse(a[0].x), 0, 0};
    case Operation::kRamp:
      return std::isnan(a[0].x) ? a[0] : Larger(a[0], zero);
    case Operation::kMin:
      return Fold(a, Smaller);
    case Operation::kMax:
      return Fold(a, Larger);
    case Operation::kClamp: {
      const std::array<Jet, 2> capped = {Fold(std::array<Jet, 2>{a[0], a[2]}, Smaller), a[1]};
      return Fold(capped, Larger);
    }
  }
  return zero;
}

}  // namespace saltus
