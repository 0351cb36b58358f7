#include "saltus/math/expression.h"

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "saltus/base/error.h"

namespace saltus {
namespace {

using testing::HasSubstr;

double Evaluate(const std::string& text, const VariableValues& values = {}) {
  return Expression::Parse(text).Evaluate(values);
}

/// The message of the error that parsing and evaluating throws; "" if none.
std::string ErrorOf(const std::string& text, const VariableValues& values = {}) {
  try {
    Evaluate(text, values);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ExpressionTest, PrecedenceAndAssociativity) {
  EXPECT_EQ(Evaluate("2+3*4"), 14);
  EXPECT_EQ(Evaluate("(2+3)*4"), 20);
  EXPECT_EQ(Evaluate("10-4-3"), 3);
  EXPECT_EQ(Evaluate("16/4/2"), 2);
  EXPECT_EQ(Evaluate("-2^2"), -4);
  EXPECT_EQ(Evaluate("(-2)^2"), 4);
  EXPECT_EQ(Evaluate("2^3^2"), 512);
  EXPECT_EQ(Evaluate("2^-1"), 0.5);
  EXPECT_EQ(Evaluate("2*-3"), -6);
  EXPECT_EQ(Evaluate("--3"), 3);
  EXPECT_EQ(Evaluate("-+-+-3"), -3);
  EXPECT_EQ(Evaluate(" 1 +\t2\n"), 3);
}

TEST(ExpressionTest, Numbers) {
  EXPECT_EQ(Evaluate("0.1"), 0.1);
  EXPECT_EQ(Evaluate(".5"), 0.5);
  EXPECT_EQ(Evaluate("5."), 5);
  EXPECT_EQ(Evaluate("1e-3"), 1e-3);
  EXPECT_EQ(Evaluate("1.5E+2"), 150);
  EXPECT_EQ(Evaluate("2*e"), 2 * std::numbers::e);
  EXPECT_EQ(Evaluate("pi"), std::numbers::pi);
}

TEST(ExpressionTest, Functions) {
  EXPECT_EQ(Evaluate("sin(0.3)"), std::sin(0.3));
  EXPECT_EQ(Evaluate("cos(0.3)"), std::cos(0.3));
  EXPECT_EQ(Evaluate("tan(0.3)"), std::tan(0.3));
  EXPECT_EQ(Evaluate("asin(0.3)"), std::asin(0.3));
  EXPECT_EQ(Evaluate("acos(0.3)"), std::acos(0.3));
  EXPECT_EQ(Evaluate("atan(0.3)"), std::atan(0.3));
  EXPECT_EQ(Evaluate("atan2(1, -1)"), std::atan2(1, -1));
  EXPECT_EQ(Evaluate("sinh(0.3)"), std::sinh(0.3));
  EXPECT_EQ(Evaluate("cosh(0.3)"), std::cosh(0.3));
  EXPECT_EQ(Evaluate("tanh(0.3)"), std::tanh(0.3));
  EXPECT_EQ(Evaluate("exp(0.3)"), std::exp(0.3));
  EXPECT_EQ(Evaluate("log(0.3)"), std::log(0.3));
  EXPECT_EQ(Evaluate("sqrt(2)"), std::sqrt(2));
  EXPECT_EQ(Evaluate("abs(-2)"), 2);
  EXPECT_EQ(Evaluate("floor(-1.5)"), -2);
  EXPECT_EQ(Evaluate("ceil(-1.5)"), -1);
  EXPECT_EQ(Evaluate("sign(-3) + sign(0) + 10*sign(2)"), 9);
  EXPECT_EQ(Evaluate("step(-1e-300) + 10*step(0) + 100*step(1)"), 110);
  EXPECT_EQ(Evaluate("ramp(-2) + ramp(3)"), 3);
  EXPECT_EQ(Evaluate("pulse(-1) + 10*pulse(0) + 100*pulse(0.9) + 1000*pulse(1)"), 110);
  EXPECT_EQ(Evaluate("pow(2, 10)"), 1024);
  EXPECT_EQ(Evaluate("min(3, 1, 2)"), 1);
  EXPECT_EQ(Evaluate("max(3, 1, 7, 2)"), 7);
  EXPECT_EQ(Evaluate("clamp(5, 0, 2) + clamp(-5, -1, 2) + clamp(1, 0, 2)"), 2);
}

TEST(ExpressionTest, Variables) {
  const Expression expression = Expression::Parse("2*r + mu*r_2 - r + pi");
  EXPECT_EQ(expression.variables(), (std::vector<std::string>{"r", "mu", "r_2"}));
  EXPECT_TRUE(expression.uses("mu"));
  EXPECT_FALSE(expression.uses("t"));
  EXPECT_FALSE(expression.uses("pi"));
  EXPECT_DOUBLE_EQ(expression.Evaluate({{"r", 0.1}, {"mu", 0.3}, {"r_2", 2}}),
                   0.7 + std::numbers::pi);
  EXPECT_EQ(Evaluate("t^2", {{"t", 3}}), 9);
  for (const char* name : {"t", "pi", "e", "sin", "clamp"}) {
    EXPECT_TRUE(Expression::IsReservedName(name));
  }
  EXPECT_FALSE(Expression::IsReservedName("r"));
}

TEST(ExpressionTest, JetsMatchDifferences) {
  const std::vector<std::string> formulas = {"sin(3*t)",
                                             "cos(t)*t",
                                             "tan(t/3)",
                                             "asin(t/5)",
                                             "acos(t/5)",
                                             "atan(2*t)",
                                             "atan2(sin(t), 2+t)",
                                             "atan2(1, t)",
                                             "sinh(t)",
                                             "cosh(2*t)",
                                             "tanh(t)",
                                             "exp(-t*t)",
                                             "log(1+t)",
                                             "sqrt(1+t^2)",
                                             "abs(t-5)",
                                             "abs(t)",
                                             "t^3",
                                             "t^2.5",
                                             "t^-1",
                                             "(1+t)^t",
                                             "2^t",
                                             "pow(t, 0.5)",
                                             "(t*t-1)/(t+2)",
                                             "min(t, t^2)",
                                             "max(t, t^2, 3)",
                                             "clamp(t^2, 0, 100)",
                                             "ramp(t-0.5)*t",
                                             "step(t-1)*sin(t)",
                                             "floor(t)*t",
                                             "-t^2 + a*t"};
  for (const std::string& text : formulas) {
    const Expression expression = Expression::Parse(text);
    for (const double t : {0.7, 1.3, 2.2}) {
      const auto f = [&](double s) { return expression.EvaluateJet(s, {{"a", 0.3}}).value; };
      const TimeJet jet = expression.EvaluateJet(t, {{"a", 0.3}});
      EXPECT_EQ(jet.value, Evaluate(text, {{"a", 0.3}, {"t", t}})) << text;
      // Fourth-order differences, h = 1e-3: truncation h⁴ f⁽⁵⁾/30 and h⁴ f⁽⁶⁾/90, with derivatives
      // up to 3⁶ and more for tan; rounding 1e-16/h² = 1e-10 in the second one.
      const double h = 1e-3;
      const double rate = (8 * (f(t + h) - f(t - h)) - (f(t + 2 * h) - f(t - 2 * h))) / (12 * h);
      const double acceleration =
          (16 * (f(t + h) + f(t - h)) - (f(t + 2 * h) + f(t - 2 * h)) - 30 * f(t)) / (12 * h * h);
      const double size = 1 + std::abs(jet.value) + std::abs(jet.acceleration);
      EXPECT_NEAR(jet.rate, rate, 1e-9 * size) << text << " at " << t;
      EXPECT_NEAR(jet.acceleration, acceleration, 1e-7 * size) << text << " at " << t;
    }
  }
}

TEST(ExpressionTest, JetsAtSpecialPoints) {
  const auto jet = [](const std::string& text, double t) {
    return Expression::Parse(text).EvaluateJet(t);
  };
  // Powers at a zero base.
  EXPECT_EQ(jet("t^2", 0).acceleration, 2);
  EXPECT_EQ(jet("t^1", 0).rate, 1);
  EXPECT_EQ(jet("t^1", 0).acceleration, 0);
  EXPECT_EQ(jet("t^0", 0).rate, 0);
  EXPECT_EQ(jet("(-t)^3", 2).rate, -12);
  // At a kink the branch of the larger argument.
  EXPECT_EQ(jet("ramp(t)", 0).rate, 1);
  EXPECT_EQ(jet("abs(t)", 0).rate, 1);
  // A value without a slope is still a value, and constants have no derivative.
  EXPECT_EQ(jet("sqrt(t)", 0).value, 0);
  EXPECT_EQ(jet("sqrt(0) + log(2)/3 + t", 1).rate, 1);
}

TEST(ExpressionTest, TimeFunctions) {
  const TimeFunction constant = MakeTimeFunction(Expression::Parse("2*r"), {{"r", 3}});
  EXPECT_TRUE(constant.is_constant());
  EXPECT_EQ(constant.Value(17), 6);
  const TimeFunction drive = MakeTimeFunction(Expression::Parse("a*sin(3*t)"), {{"a", 0.1}});
  EXPECT_FALSE(drive.is_constant());
  EXPECT_EQ(drive.text(), "a*sin(3*t)");
  EXPECT_DOUBLE_EQ(drive(0.5).value, 0.1 * std::sin(1.5));
  EXPECT_DOUBLE_EQ(drive(0.5).rate, 0.3 * std::cos(1.5));
  EXPECT_DOUBLE_EQ(drive(0.5).acceleration, -0.9 * std::sin(1.5));
  EXPECT_THROW(MakeTimeFunction(Expression::Parse("t + x"), {}), InputError);
  EXPECT_THROW(MakeTimeFunction(Expression::Parse("1/0"), {}), InputError);
}

TEST(ExpressionTest, ErrorsNameColumnAndRemedy) {
  EXPECT_THAT(ErrorOf("2*+"), HasSubstr("column 4: unexpected end"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("column 1: unexpected end"));
  EXPECT_THAT(ErrorOf("(1+2"), HasSubstr("column 5: ')' is missing"));
  EXPECT_THAT(ErrorOf("1+2)"), HasSubstr("column 4: unexpected ')'"));
  EXPECT_THAT(ErrorOf("2 3"), HasSubstr("column 3: unexpected '3'; an operator is missing"));
  EXPECT_THAT(ErrorOf("2e"), HasSubstr("column 2: unexpected 'e'"));
  EXPECT_THAT(ErrorOf("2**3"), HasSubstr("column 2: unknown operator '**'; write '^'"));
  EXPECT_THAT(ErrorOf("1 < 2"), HasSubstr("no comparisons"));
  EXPECT_THAT(ErrorOf("é + 1"), HasSubstr("column 1: unexpected 'é'"));
  EXPECT_THAT(ErrorOf("1 + µ"), HasSubstr("column 5: unexpected 'µ'"));
  EXPECT_THAT(ErrorOf("1e999"), HasSubstr("out of range"));
  EXPECT_THAT(ErrorOf("."), HasSubstr("column 1"));
  EXPECT_THAT(ErrorOf("sine(1)"), HasSubstr("unknown function 'sine'; did you mean 'sin'?"));
  EXPECT_THAT(ErrorOf("sqr(2)"), HasSubstr("did you mean 'sqrt'?"));
  EXPECT_THAT(ErrorOf("sin"), HasSubstr("'sin' is a function"));
  EXPECT_THAT(ErrorOf("sin()"), HasSubstr("unexpected ')'"));
  EXPECT_THAT(ErrorOf("sin(1, 2)"), HasSubstr("takes 1 argument(s), not 2"));
  EXPECT_THAT(ErrorOf("clamp(1)"), HasSubstr("takes 3"));
  EXPECT_THAT(ErrorOf("2*raduis", {{"radius", 1}}), HasSubstr("did you mean 'radius'?"));
  EXPECT_THAT(ErrorOf("2*t", {{"radius", 1}}), HasSubstr("'t' is not known here"));
  EXPECT_THAT(ErrorOf("0/0"), HasSubstr("not a number"));
  EXPECT_THAT(ErrorOf("1/0"), HasSubstr("infinite"));
  EXPECT_THAT(ErrorOf("sqrt(-1)"), HasSubstr("not a number"));
  EXPECT_THAT(ErrorOf("max(1, 0/0)"), HasSubstr("not a number"));
  try {
    Expression::Parse("1 + µ");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.location().column, 5);
  }
}

TEST(ExpressionTest, DeepAndLongInputIsRefused) {
  const std::string open(100000, '(');
  const std::string powers(5000, '^');
  std::string tower = "1";
  for (int k = 0; k < 1000; ++k) tower += "^1";
  std::string nested = "1";
  for (int k = 0; k < 150; ++k) nested = "(" + nested + ")";
  EXPECT_EQ(Evaluate(nested), 1);
  for (int k = 0; k < 100; ++k) nested = "(" + nested + ")";
  EXPECT_THAT(ErrorOf(nested), HasSubstr("nested too deeply"));
  EXPECT_THAT(ErrorOf(tower), HasSubstr("nested too deeply"));
  EXPECT_THAT(ErrorOf(open), HasSubstr("too long"));
  EXPECT_THAT(ErrorOf(open.substr(0, 9999)), HasSubstr("nested too deeply"));
  EXPECT_EQ(Evaluate(std::string(9000, '-') + "1"), 1);
  std::string many = "min(1";
  for (int k = 0; k < 300; ++k) many += ",1";
  EXPECT_NE(ErrorOf(many + ")"), "");
  EXPECT_NE(ErrorOf(std::string(3000, 'x') + "(1)"), "");
}

TEST(ExpressionTest, RandomTextNeverCrashes) {
  const std::vector<std::string> tokens = {
      "1",  "2.5",  ".",        "e",    "t",      "x", "(",   ")",    "+",
      "-",  "*",    "/",        "^",    ",",      " ", "sin", "min(", "clamp(",
      "1e", "\xff", "\xc3\xa9", "pow(", "atan2(", "0", "log("};
  std::mt19937 engine(1);
  int num_valid = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::string text;
    const int length = static_cast<int>(engine() % 12) + 1;
    for (int k = 0; k < length; ++k) text += tokens[engine() % tokens.size()];
    try {
      Expression::Parse(text).EvaluateJet(0.5, {{"x", 2}});
      ++num_valid;
    } catch (const InputError&) {
    }
  }
  EXPECT_GT(num_valid, 100);
}

}  // namespace
}  // namespace saltus
