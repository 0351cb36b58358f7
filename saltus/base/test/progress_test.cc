#include "saltus/base/progress.h"

#include <limits>

#include <gtest/gtest.h>

#include "saltus/base/timing.h"

namespace saltus {
namespace {

TEST(ProgressTest, FractionRateAndRemainder) {
  ProgressMeter meter(0, 2);
  EXPECT_EQ(meter.fraction(), 0);
  EXPECT_LT(meter.remaining_seconds(), 0);  // not known yet
  EXPECT_EQ(meter.rate(), 0);
  meter.Update(0.5, 2000, 4);
  EXPECT_DOUBLE_EQ(meter.fraction(), 0.25);
  EXPECT_DOUBLE_EQ(meter.rate(), 500);
  EXPECT_DOUBLE_EQ(meter.remaining_seconds(), 12);
  meter.Update(2, 8000, 16);
  EXPECT_EQ(meter.fraction(), 1);
  EXPECT_EQ(meter.remaining_seconds(), 0);
}

TEST(ProgressTest, Line) {
  ProgressMeter meter(0, 2);
  EXPECT_EQ(meter.MakeLine(), "  0%  t=0/2 s  0 steps/s  ETA ?");
  meter.Update(0.84, 2520, 2.1);
  EXPECT_EQ(meter.MakeLine(), " 42%  t=0.84/2 s  1.2k steps/s  ETA 0:03");
  meter.Update(1.99999, 1, 1);
  EXPECT_EQ(meter.MakeLine().substr(0, 4), " 99%");  // not finished is not 100 %
  meter.Update(2, 6000, 5);
  EXPECT_EQ(meter.MakeLine(), "100%  t=2/2 s  1.2k steps/s  ETA 0:00");
}

TEST(ProgressTest, StrangeInputIsHarmless) {
  ProgressMeter empty(1, 1);
  EXPECT_EQ(empty.fraction(), 1);
  ProgressMeter meter(0, 1);
  meter.Update(std::numeric_limits<double>::quiet_NaN(), 1, 1);
  EXPECT_EQ(meter.fraction(), 0);
  meter.Update(-1, 0, 1);
  EXPECT_EQ(meter.fraction(), 0);
  meter.Update(1e-300, 1, 1e6);
  EXPECT_NE(meter.MakeLine().find("ETA ?"), std::string::npos);
}

TEST(ProgressTest, Formats) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(3.21), "3.2");
  EXPECT_EQ(FormatCount(950), "950");
  EXPECT_EQ(FormatCount(999.7), "1.0k");
  EXPECT_EQ(FormatCount(1234), "1.2k");
  EXPECT_EQ(FormatCount(56789), "57k");
  EXPECT_EQ(FormatCount(5.6e6), "5.6M");
  EXPECT_EQ(FormatDuration(3), "0:03");
  EXPECT_EQ(FormatDuration(59.6), "1:00");
  EXPECT_EQ(FormatDuration(75), "1:15");
  EXPECT_EQ(FormatDuration(3700), "1:01:40");
  EXPECT_EQ(FormatDuration(90000), "1d 1h");
}

TEST(StopwatchTest, RunsForward) {
  Stopwatch watch;
  const double first = watch.seconds();
  EXPECT_GE(first, 0);
  EXPECT_GE(watch.seconds(), first);
  watch.Restart();
  EXPECT_LT(watch.seconds(), 60);
}

}  // namespace
}  // namespace saltus
