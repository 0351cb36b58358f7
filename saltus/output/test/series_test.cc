// Interpolation, output schedule, CSV text and plots.
#include <cmath>
#include <cstdlib>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/output/csv.h"
#include "saltus/output/output_interval.h"
#include "saltus/output/result_file.h"
#include "saltus/output/sampler.h"
#include "saltus/output/svg_plot.h"
#include "saltus/output/test/sample_frames.h"

namespace saltus {
namespace {

// x(t) = 1 − 2 t + 3 t² − t³ and its rate.
double Cubic(double t) { return 1 + t * (-2 + t * (3 - t)); }
double CubicRate(double t) { return -2 + t * (6 - 3 * t); }

class SamplerTest : public testing::Test {
 protected:
  SamplerTest() : scratch_("run.h5") {
    FrameLayout layout;
    layout.bodies = {"ball"};
    ResultFile file(scratch_.path(), layout, {});
    Frame frame;
    frame.bodies.resize(1);
    for (const double t : {0.0, 0.3, 0.5, 0.5, 1.1}) {  // an event at 0.5
      frame.time = t;
      frame.step_size = t;
      frame.energy.kinetic = 2 * t;
      frame.bodies[0] = {
          {Cubic(t), 0, 0}, Quaternion::Identity(), {CubicRate(t), 0, 0}, Vector3::Zero()};
      if (jumped_ && t == 0.5) frame.energy.kinetic = 5;
      jumped_ = t == 0.5;
      file.AddFrame(frame);
    }
    file.Close();
  }
  ChannelSampler MakeSampler(const char* name) {
    const ResultReader reader(scratch_.path());
    return {reader, reader.catalog().Find(name)};
  }

  ScratchFile scratch_;
  bool jumped_ = false;
};

// Hermite interpolation reproduces a cubic; 1e-15 is a few units of rounding of numbers near 1.
TEST_F(SamplerTest, HermiteIsExactForCubics) {
  const ChannelSampler sampler = MakeSampler("ball.position.x");
  EXPECT_EQ(sampler.interpolation(), Interpolation::kHermite);
  for (const double t : {0.0, 0.1, 0.3, 0.42, 0.5, 0.7, 1.0, 1.1}) {
    EXPECT_NEAR(sampler(t), Cubic(t), 1e-15) << t;
  }
  EXPECT_EQ(sampler(0.3), Cubic(0.3));
  EXPECT_TRUE(sampler.IsFrame(0.3));
  EXPECT_FALSE(sampler.IsFrame(0.31));
}

TEST_F(SamplerTest, LinearAndStepwise) {
  const ChannelSampler energy = MakeSampler("energy.kinetic");
  EXPECT_EQ(energy.interpolation(), Interpolation::kLinear);
  EXPECT_DOUBLE_EQ(energy(0.15), 0.3);
  EXPECT_EQ(energy(0.5), 5) << "after the event";
  const ChannelSampler step = MakeSampler("step.size");
  EXPECT_EQ(step(0.4), 0.5);
  EXPECT_EQ(step(0.3), 0.3);
}

TEST_F(SamplerTest, OutsideTheRunIsBadInput) {
  const ChannelSampler sampler = MakeSampler("time");
  EXPECT_EQ(sampler(0.1 + 0.2), 0.3) << "rounding of a frame's time does not matter";
  for (const double t : {-0.1, 1.2, std::nan("")}) EXPECT_THROW(sampler(t), InputError);
}

TEST(OutputSchedule, EveryNthStep) {
  OutputSchedule schedule({3, 0});
  std::vector<long> due;
  for (long k = 0; k <= 10; ++k) {
    if (schedule.IsDue(k, 0.1 * static_cast<double>(k))) due.push_back(k);
  }
  EXPECT_EQ(due, (std::vector<long>{0, 3, 6, 9}));
  OutputSchedule restarted({3, 0});
  EXPECT_TRUE(restarted.IsDue(4, 0.4));
  EXPECT_FALSE(restarted.IsDue(5, 0.5));
  EXPECT_TRUE(restarted.IsDue(6, 0.6));
}

// 0.1 is not a binary number: 3 · 0.1 < 0.3 < 3 · 0.1 + rounding must not lose or double a frame.
TEST(OutputSchedule, EveryMultipleOfDt) {
  OutputSchedule schedule({1, 0.1});
  int count = 0;
  for (long k = 0; k <= 1000; ++k) count += schedule.IsDue(k, 0.01 * static_cast<double>(k));
  EXPECT_EQ(count, 101);
  OutputSchedule coarse({1, 0.1});  // steps longer than dt: every step
  count = 0;
  for (long k = 0; k <= 10; ++k) count += coarse.IsDue(k, 0.25 * static_cast<double>(k));
  EXPECT_EQ(count, 11);
}

TEST(Csv, NumbersReadBackExactly) {
  for (const double x : {0.1, 1.0 / 3, 1e-300, -5e-324, 1.7976931348623157e308, 0.0, 42.0}) {
    EXPECT_EQ(std::strtod(FormatExact(x).c_str(), nullptr), x);
  }
  EXPECT_EQ(FormatExact(0.1), "0.1");
  EXPECT_EQ(FormatExact(-std::nan("")), "nan");
  EXPECT_EQ(FormatExact(std::numeric_limits<double>::infinity()), "inf");
}

TEST(Csv, FieldsAreQuotedWhereNeeded) {
  EXPECT_EQ(QuoteCsv("ball.position.x"), "ball.position.x");
  EXPECT_EQ(QuoteCsv("a,b"), "\"a,b\"");
  EXPECT_EQ(QuoteCsv("say \"a\""), "\"say \"\"a\"\"\"");
}

TEST(SvgPlot, TicksAreRoundAndCoverTheRange) {
  EXPECT_EQ(MakeTicks(0, 1, 5), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  EXPECT_EQ(MakeTicks(-7, 23, 6), (std::vector<double>{-10, -5, 0, 5, 10, 15, 20, 25}));
  for (const double scale : {1e-9, 1.0, 3e7}) {
    const std::vector<double> ticks = MakeTicks(-0.37 * scale, 1.91 * scale, 6);
    EXPECT_LE(ticks.front(), -0.37 * scale);
    EXPECT_GE(ticks.back(), 1.91 * scale);
    EXPECT_LE(ticks.size(), 8U);
  }
}

int CountOf(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(SvgPlot, OnePanelPerUnitAndNoLostPeak) {
  PlotLine position{"a<b.position.x", "m", {}, {}}, speed{"v", "m/s", {0, 1, 2}, {1, 1, 1}};
  PlotLine other{"c", "m", {0, 1, 2}, {0, std::nan(""), 1}};
  for (int i = 0; i <= 100000; ++i) {
    position.times.push_back(2e-5 * i);
    position.values.push_back(i == 54321 ? 8.0 : 0.0);
  }
  const std::string svg = MakeSvgPlot({position, speed, other}, {"A & B"});
  EXPECT_EQ(CountOf(svg, "fill=\"none\" stroke=\"#444\"/>"), 2) << "panels";
  EXPECT_EQ(CountOf(svg, "<path "), 3);
  EXPECT_THAT(svg, testing::HasSubstr("A &amp; B"));
  EXPECT_THAT(svg, testing::HasSubstr("a&lt;b.position.x"));
  EXPECT_THAT(svg, testing::HasSubstr("time [s]"));
  EXPECT_LT(svg.size(), 100000U) << "far fewer points than samples";
  EXPECT_EQ(CountOf(svg, "nan"), 0);
  EXPECT_EQ(CountOf(svg, "h0"), 2) << "the two points of 'c' stand alone";
  EXPECT_THAT(svg, testing::HasSubstr(" 44.00L")) << "the peak of 8 at the upper edge";
}

TEST(SvgPlot, DegenerateDataGiveAnImage) {
  EXPECT_THAT(MakeSvgPlot({}, {}), testing::EndsWith("</svg>\n"));
  const PlotLine constant{"x", "m", {1}, {0}}, empty{"y", "s", {}, {}};
  const PlotLine lost{"z", "N", {0, 1}, {std::nan(""), std::nan("")}};
  const std::string svg = MakeSvgPlot({constant, empty, lost}, {});
  EXPECT_EQ(CountOf(svg, "nan"), 0);
  EXPECT_EQ(CountOf(svg, "inf"), 0);
}

}  // namespace
}  // namespace saltus
