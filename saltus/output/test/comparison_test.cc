#include "saltus/output/comparison.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "saltus/base/error.h"

namespace saltus {
namespace {

/// x = t² and its rate at 0, 0.5, …, 2; y = 3 t, without a rate.
Trace MakeTrace() {
  Trace trace;
  trace.columns = {{"a.position.x", "m", {}}, {"a.velocity.x", "m/s", {}}, {"y", "m", {}}};
  for (int i = 0; i <= 4; ++i) {
    const double t = 0.5 * i;
    trace.times.push_back(t);
    trace.columns[0].values.push_back(t * t);
    trace.columns[1].values.push_back(2 * t);
    trace.columns[2].values.push_back(3 * t);
  }
  return trace;
}

TEST(Comparison, ErrorNorms) {
  const Trace trace = MakeTrace();
  const std::vector<KnownChannel> known = {
      {"a.position.x", {}, [](double t) { return t * t + t; }}};  // differs by t
  EXPECT_DOUBLE_EQ(*CalcError(trace, known, ErrorNorm::kMean), 1.0);
  EXPECT_DOUBLE_EQ(*CalcError(trace, known, ErrorNorm::kMax), 2.0);
  EXPECT_DOUBLE_EQ(*CalcError(trace, known, ErrorNorm::kEnd), 2.0);
}

TEST(Comparison, TimesBetweenStepsAreInterpolatedByCubics) {
  const Trace trace = MakeTrace();
  const std::vector<KnownChannel> known = {
      {"a.position.x", {0.3, 1.7}, [](double t) { return t * t; }}};
  EXPECT_NEAR(*CalcError(trace, known, ErrorNorm::kMax), 0, 1e-15);
}

TEST(Comparison, WhatIsNotKnownIsNotCompared) {
  const Trace trace = MakeTrace();
  const auto only_early = [](double t) { return t < 0.7 ? 3 * t + 1 : std::nan(""); };
  EXPECT_DOUBLE_EQ(*CalcError(trace, {{"y", {}, only_early}}, ErrorNorm::kMean), 1.0);
  EXPECT_FALSE(CalcError(trace, {{"y", {10}, [](double) { return 0.0; }}}, ErrorNorm::kMean));
  EXPECT_FALSE(CalcError(trace, {{"y", {}, [](double) { return std::nan(""); }}}, ErrorNorm::kEnd));
}

TEST(Comparison, FittedOrderOfAPowerLaw) {
  std::vector<double> steps, errors;
  for (const double h : {0.1, 0.03, 0.01, 0.002}) {
    steps.push_back(h);
    errors.push_back(7 * std::pow(h, 1.5));
  }
  EXPECT_NEAR(*FitOrder(steps, errors), 1.5, 1e-12);
  EXPECT_FALSE(FitOrder({0.1}, {0.2}));
  EXPECT_FALSE(FitOrder({0.1, 0.1}, {0.2, 0.3}));
  EXPECT_FALSE(FitOrder({0.1, 0.2}, {0, 0.3}));
}

TEST(Comparison, TableShowsFailuresAsRows) {
  ComparedRun good, bad;
  good.label = "scheme";
  good.step = 0.1;
  good.error = 0.01;
  bad = good;
  bad.step = 0.2;
  bad.error.reset();
  bad.failure = "step at t = 0.4 s failed";
  const std::string table = FormatComparison({bad, good});
  EXPECT_THAT(table, testing::HasSubstr("FAILED: step at t = 0.4 s failed"));
  EXPECT_THAT(table, testing::HasSubstr("1.000e-02"));
  EXPECT_THAT(table, testing::Not(testing::HasSubstr("fit"))) << "one good run has no order";
  const std::string svg = MakeErrorPlot({bad, good}, ErrorAxis::kStep, "x");
  EXPECT_THAT(svg, testing::Not(testing::HasSubstr("nan")));
}

TEST(Comparison, CsvOfATraceReadsBackExactly) {
  const Trace trace = MakeTrace();
  const auto path = std::filesystem::temp_directory_path() /
                    ("saltus_comparison_" + std::to_string(getpid()) + ".csv");
  std::ofstream(path) << FormatTraceCsv(trace, 100);
  const Trace back = ReadTraceCsv(path.string());
  EXPECT_EQ(back.times, trace.times);
  ASSERT_EQ(back.columns.size(), 3U);
  EXPECT_EQ(back.columns[2].name, "y");
  EXPECT_EQ(back.columns[2].values, trace.columns[2].values);
  std::ofstream(path) << "time,x\n0,1\n1,abc\n";
  EXPECT_THROW(ReadTraceCsv(path.string()), InputError);
  std::ofstream(path) << "x,y\n0,1\n";
  EXPECT_THROW(ReadTraceCsv(path.string()), InputError);
  std::filesystem::remove(path);
  EXPECT_THROW(ReadTraceCsv(path.string()), InputError);
}

TEST(SvgPlot, LogarithmicTicks) {
  const std::vector<double> wide = MakeLogTicks(-3.2, 1.1);
  EXPECT_EQ(wide.front(), -4);
  EXPECT_EQ(wide.back(), 2);
  EXPECT_EQ(wide.size(), 7U);
  EXPECT_EQ(MakeLogTicks(-1.5, -0.5).size(), 7U);  // 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1
}

}  // namespace
}  // namespace saltus
