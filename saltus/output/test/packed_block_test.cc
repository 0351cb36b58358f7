// Packed blocks read back to their stated error; JSON that may stand inside a page.
#include "saltus/output/packed_block.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "saltus/output/json_writer.h"

namespace saltus {
namespace {

/// A smooth motion of `columns` coordinates.
std::vector<double> MakeMotion(std::size_t rows, std::size_t columns) {
  std::vector<double> values;
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t c = 0; c < columns; ++c) {
      const auto t = 0.01 * static_cast<double>(k), phase = static_cast<double>(c);
      values.push_back(phase + std::sin(t + phase) - 4.9 * t * t);
    }
  }
  return values;
}

TEST(PackedBlock, QuantisedNumbersReadBackToHalfTheStep) {
  const std::vector<double> motion = MakeMotion(200, 7);
  const double epsilon = 1e-6;
  const std::string block = PackBlock(Packing::kQuantised, motion, 7, epsilon);
  EXPECT_EQ(BlockStep(block), 2 * epsilon);
  std::size_t columns = 0;
  const std::vector<double> back = UnpackBlock(block, &columns);
  ASSERT_EQ(columns, 7u);
  ASSERT_EQ(back.size(), motion.size());
  for (std::size_t i = 0; i < motion.size(); ++i) EXPECT_NEAR(back[i], motion[i], 1.0001 * epsilon);
}

TEST(PackedBlock, SmoothMotionTakesLessThanAThirdOfItsNumbers) {
  const std::vector<double> motion = MakeMotion(1000, 30);
  EXPECT_LT(PackBlock(Packing::kQuantised, motion, 30, 1e-6).size(), motion.size() * 8 / 3);
}

TEST(PackedBlock, StepGrowsWithNumbersThatAreTooLargeForIt) {
  const std::vector<double> far = {1e9, -2e9, 0, 1};
  const std::string block = PackBlock(Packing::kQuantised, far, 1, 1e-9);
  EXPECT_DOUBLE_EQ(BlockStep(block), 2e9 / (1 << 30));
  std::size_t columns = 0;
  const std::vector<double> back = UnpackBlock(block, &columns);
  for (std::size_t i = 0; i < far.size(); ++i) EXPECT_NEAR(back[i], far[i], BlockStep(block) / 2);
}

TEST(PackedBlock, WhatIsNotFiniteIsNotANumber) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {1, std::nan(""), 2, kInfinity, 3};
  std::size_t columns = 0;
  const std::vector<double> back =
      UnpackBlock(PackBlock(Packing::kQuantised, values, 1, 1e-3), &columns);
  EXPECT_NEAR(back[2], 2, 1e-3);
  EXPECT_TRUE(std::isnan(back[1]) && std::isnan(back[3]));
  EXPECT_NEAR(back[4], 3, 1e-3);
}

TEST(PackedBlock, SingleAndExactNumbers) {
  const std::vector<double> values = {0.1, -1e30, 1.0 / 3, 0, 5e-300, 7};
  std::size_t columns = 0;
  EXPECT_EQ(UnpackBlock(PackBlock(Packing::kExact, values, 2), &columns), values);
  const std::vector<double> single = UnpackBlock(PackBlock(Packing::kSingle, values, 3), &columns);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(single[i], static_cast<double>(static_cast<float>(values[i])));
  }
}

TEST(PackedBlock, DamageIsNoticed) {
  std::string block = PackBlock(Packing::kSingle, {1, 2, 3, 4}, 2);
  std::size_t columns = 0;
  EXPECT_THROW(UnpackBlock(block.substr(0, 12), &columns), std::runtime_error);
  EXPECT_THROW(UnpackBlock(block.substr(0, block.size() - 3), &columns), std::runtime_error);
  block[4] = 77;  // rows
  EXPECT_THROW(UnpackBlock(block, &columns), std::runtime_error);
}

TEST(PackedBlock, Base64HasThePaddingOfItsStandard) {
  EXPECT_EQ(EncodeBase64(""), "");
  EXPECT_EQ(EncodeBase64("f"), "Zg==");
  EXPECT_EQ(EncodeBase64("fo"), "Zm8=");
  EXPECT_EQ(EncodeBase64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(EncodeBase64("\xff\xfe\xfd"), "//79");
}

TEST(JsonWriter, NestsAndSeparates) {
  JsonWriter json;
  json.BeginObject().Key("a").Value(1).Key("b").BeginArray().Value(0.5).Null().BeginObject();
  json.EndObject().EndArray().Key("c").Value(true).EndObject();
  EXPECT_EQ(json.text(), R"({"a":1,"b":[0.5,null,{}],"c":true})");
}

TEST(JsonWriter, TextCannotLeaveItsStringNorThePage) {
  JsonWriter json;
  json.Value(std::string("</script> \"\\\n\x01 \xe2\x80\xa8 \xff \xc0\xaf \xf0\x9f\x98\x80"));
  EXPECT_EQ(json.text(),
            "\"\\u003c/script> \\\"\\\\\\u000a\\u0001 \\u2028 \\ufffd \\ufffd\\ufffd "
            "\xf0\x9f\x98\x80\"");
}

TEST(JsonWriter, NumbersReadBackExactlyAndInfinityIsNull) {
  JsonWriter json;
  json.BeginArray().Value(0.1).Value(1.0 / 3).Value(std::numeric_limits<double>::infinity());
  json.EndArray();
  EXPECT_EQ(json.text(), "[0.1,0.3333333333333333,null]");
}

}  // namespace
}  // namespace saltus
