#include "saltus/scene/yaml.h"

#include <gtest/gtest.h>

#include "saltus/scene/utf8.h"

namespace saltus {
namespace {

Value Parse(const std::string& text) {
  ValueBudget budget(100'000);
  return ParseYaml(text, "test.yaml", SceneLimits{}, &budget);
}

InputError ParseFault(const std::string& text) {
  try {
    Parse(text);
  } catch (const InputError& error) {
    return error;
  }
  ADD_FAILURE() << "accepted: " << text;
  return InputError("", "");
}

TEST(Yaml, KeepsOrderTextsAndPlaces) {
  const Value root = Parse("b: 1\na: [x, 'two words', ~]\nc:\n  d: {}\n");
  ASSERT_EQ(root.entries.size(), 3U);
  EXPECT_EQ(root.entries[0].key, "b");
  EXPECT_EQ(root.entries[0].value.text, "1");
  const Value& list = root.entries[1].value;
  ASSERT_EQ(list.items.size(), 3U);
  EXPECT_EQ(list.items[1].text, "two words");
  EXPECT_TRUE(list.items[2].is_null());
  EXPECT_EQ(list.items[1].place.line, 2);
  EXPECT_EQ(list.items[1].place.column, 8);
  EXPECT_EQ(root.Find("c")->value.Find("d")->place.line, 4);
  EXPECT_EQ(root.Find("c")->value.Find("d")->place.column, 3);
  EXPECT_EQ(*root.place.file, "test.yaml");
}

TEST(Yaml, QuotedNullIsAText) {
  EXPECT_TRUE(Parse("a: null\n").Find("a")->value.is_null());
  EXPECT_TRUE(Parse("a:\n").Find("a")->value.is_null());
  EXPECT_EQ(Parse("a: 'null'\n").Find("a")->value.text, "null");
}

TEST(Yaml, AliasesAreCopies) {
  const Value root = Parse("a: &x {p: 1}\nb: *x\n");
  EXPECT_EQ(root.Find("b")->value.Find("p")->value.text, "1");
}

TEST(Yaml, MergeKeyFillsIn) {
  const Value root = Parse("a: &x {p: 1, q: 2}\nb: &y {q: 3, r: 4}\nc: {<<: [*x, *y], p: 5}\n");
  const Value& c = root.Find("c")->value;
  EXPECT_EQ(c.entries.size(), 3U);
  EXPECT_EQ(c.Find("p")->value.text, "5");  // its own
  EXPECT_EQ(c.Find("q")->value.text, "2");  // of the first base
  EXPECT_EQ(c.Find("r")->value.text, "4");
}

TEST(Yaml, DuplicateKeysAreRefused) {
  const InputError error = ParseFault("a: 1\nb: 2\na: 3\n");
  EXPECT_EQ(error.location().line, 3);
  EXPECT_NE(error.suggestion().find("line 1"), std::string::npos);
}

TEST(Yaml, GrowthIsLimited) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before +
            ", " + before + ", " + before + ", " + before + ", " + before + "]\n";
  }
  EXPECT_NE(ParseFault(bomb).message().find("more than 100000 values"), std::string::npos);
  // Few values, long texts.
  std::string texts = "a: &a " + std::string(60'000, 'x') + "\nb: [";
  for (int i = 0; i < 200; ++i) texts += "*a, ";
  EXPECT_NE(ParseFault(texts + "*a]\n").message().find("more than"), std::string::npos);
}

TEST(Yaml, DepthIsLimitedThroughAliases) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 80; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
            "]\n";
  }
  EXPECT_NE(ParseFault(text).message().find("nested"), std::string::npos);
}

TEST(Yaml, FormatReadsBack) {
  const std::string text =
      "plain: abc\n"
      "number: -1.5e-07\n"
      "formula: \"${2*r} + \\\"x\\\"\"\n"
      "lines: \"a\\nb\\tc\\\\\"\n"
      "nothing: ~\n"
      "word: \"null\"\n"
      "dots: \"...\"\n"
      "dash: \"-\"\n"
      "empty: [{}, [], \"\"]\n"
      "\"odd: key\": {\"#\": \"- a\", b: [[1, 2], [3, 4]]}\n"
      "block:\n"
      "  - {a: {b: [1, 2]}, c: 3}\n"
      "  - a:\n"
      "      b:\n"
      "        c:\n"
      "          d: {e: f}\n";
  const Value root = Parse(text);
  const std::string written = FormatYaml(root);
  EXPECT_EQ(FormatYaml(Parse(written)), written);
  const Value again = Parse(written);
  ASSERT_EQ(again.entries.size(), root.entries.size());
  EXPECT_EQ(again.Find("lines")->value.text, "a\nb\tc\\");
  EXPECT_EQ(again.Find("formula")->value.text, "${2*r} + \"x\"");
  EXPECT_TRUE(again.Find("nothing")->value.is_null());
  EXPECT_EQ(again.Find("word")->value.text, "null");
  EXPECT_EQ(again.Find("empty")->value.items[2].text, "");
  EXPECT_EQ(again.Find("odd: key")->value.Find("#")->value.text, "- a");
}

TEST(Yaml, NumbersReadBackExactly) {
  for (const double x : {0.1, 1.0 / 3.0, -1e-300, 123456789.125, 1e22, 2.5e-308}) {
    EXPECT_EQ(std::stod(MakeNumber(x).text), x);
  }
}

TEST(Utf8, FindsTheFirstFault) {
  EXPECT_TRUE(FindTextFault("plain, tab\t, ä, €, 𝄞\r\n").message.empty());
  EXPECT_EQ(FindTextFault("ab\ncd\xff").line, 2);
  EXPECT_EQ(FindTextFault("ab\ncd\xff").column, 3);
  for (const char* bad : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                          "\xE2\x82", "\x80", "\x7f", "\x01", "\xC2\x85"}) {
    EXPECT_FALSE(FindTextFault(bad).message.empty()) << bad;
  }
}

}  // namespace
}  // namespace saltus
