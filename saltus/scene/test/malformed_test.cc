// Every file of malformed/ must be refused with the line and the words that its first line states:
//   # expect: LINE: words          or          # expect: FILE:LINE: words
// The message must also help: name what would be right, or the admissible range.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/scene/scene.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(SALTUS_SOURCE_DIR) / "saltus/scene/test/malformed";

std::vector<std::string> ListMalformed() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

struct Expectation {
  std::string file;  // end of the file's path
  int line = 0;
  std::string words;
};

Expectation ReadExpectation(const std::string& name) {
  std::ifstream stream(kFolder / name);
  std::string line;
  std::getline(stream, line);
  const std::string mark = "# expect: ";
  EXPECT_EQ(line.substr(0, mark.size()), mark) << name;
  const std::size_t words = line.find(": ", mark.size());
  const std::string place = line.substr(mark.size(), words - mark.size());
  const std::size_t colon = place.find(':');
  Expectation expectation;
  expectation.file = colon == std::string::npos ? name : place.substr(0, colon);
  expectation.line = std::stoi(colon == std::string::npos ? place : place.substr(colon + 1));
  expectation.words = line.substr(words + 2);
  return expectation;
}

class MalformedScene : public testing::TestWithParam<std::string> {};

TEST_P(MalformedScene, IsRefusedWithPlaceAndAdvice) {
  const Expectation expected = ReadExpectation(GetParam());
  try {
    BuildModel(ReadScene((kFolder / GetParam()).string()));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.location().line, expected.line) << text;
    EXPECT_TRUE(error.location().file.ends_with(expected.file)) << text;
    EXPECT_NE(text.find(expected.words), std::string::npos)
        << text << "\nlacks: " << expected.words;
    EXPECT_FALSE(error.message().empty()) << text;
    EXPECT_FALSE(error.suggestion().empty()) << text;
    EXPECT_LT(text.size(), 1000U) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, MalformedScene, testing::ValuesIn(ListMalformed()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(MalformedCorpus, IsLarge) { EXPECT_GE(ListMalformed().size(), 70U); }

}  // namespace
}  // namespace saltus
