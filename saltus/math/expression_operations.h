// What expressions can compute: operators, functions and constants, on jets. Internal to math.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "saltus/math/jet.h"

namespace saltus {

enum class ExpressionOperation : std::uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kPower,
  kNegate,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kAtan2,
  kSinh,
  kCosh,
  kTanh,
  kExp,
  kLog,
  kSqrt,
  kAbs,
  kFloor,
  kCeil,
  kSign,
  kStep,
  kRamp,
  kPulse,
  kMin,
  kMax,
  kClamp,
};

inline constexpr int kManyArguments = 100;  // limit of min and max

struct ExpressionFunction {
  const char* name;
  ExpressionOperation operation;
  int min_arguments;
  int max_arguments;
};

/// All functions that an expression may call.
std::span<const ExpressionFunction> ExpressionFunctions();
/// Null if there is none of that name.
const ExpressionFunction* FindExpressionFunction(std::string_view name);
/// pi or e.
std::optional<double> FindExpressionConstant(std::string_view name);

/// The result of an operation; as many arguments as it takes.
Jet ApplyOperation(ExpressionOperation operation, std::span<const Jet> a);

}  // namespace saltus
