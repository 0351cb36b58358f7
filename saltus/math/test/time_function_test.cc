#include "saltus/math/time_function.h"

#include <gtest/gtest.h>

namespace saltus {
namespace {

TEST(TimeFunctionTest, ConstantsHaveNoDerivatives) {
  const TimeFunction zero;
  EXPECT_TRUE(zero.is_constant());
  EXPECT_EQ(zero.Value(3), 0);
  const TimeFunction five = 5;
  EXPECT_EQ(five(1).value, 5);
  EXPECT_EQ(five(1).rate, 0);
  EXPECT_EQ(five(1).acceleration, 0);
}

TEST(TimeFunctionTest, CallablesGiveJets) {
  const TimeFunction square([](double t) { return TimeJet{t * t, 2 * t, 2}; }, "t^2");
  EXPECT_FALSE(square.is_constant());
  EXPECT_EQ(square.text(), "t^2");
  EXPECT_EQ(square.Value(3), 9);
  EXPECT_EQ(square(3).rate, 6);
  EXPECT_EQ(square(3).acceleration, 2);
  const TimeFunction copy = square;
  EXPECT_EQ(copy.Value(2), 4);
}

}  // namespace
}  // namespace saltus
