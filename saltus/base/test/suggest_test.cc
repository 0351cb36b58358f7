#include "saltus/base/suggest.h"

#include <string>

#include <gtest/gtest.h>

namespace saltus {
namespace {

TEST(SuggestTest, EditDistance) {
  EXPECT_EQ(CalcEditDistance("", ""), 0);
  EXPECT_EQ(CalcEditDistance("", "abc"), 3);
  EXPECT_EQ(CalcEditDistance("abc", ""), 3);
  EXPECT_EQ(CalcEditDistance("kitten", "sitting"), 3);
  EXPECT_EQ(CalcEditDistance("mass", "masss"), 1);
  EXPECT_EQ(CalcEditDistance("radius", "raduis"), 1);  // neighbours swapped
  EXPECT_EQ(CalcEditDistance("Mass", "mass"), 0);
  EXPECT_EQ(CalcEditDistance("flaw", "lawn"), CalcEditDistance("lawn", "flaw"));
}

TEST(SuggestTest, NearestName) {
  EXPECT_EQ(NearestName("mas", {"density", "mass", "inertia"}), "mass");
  EXPECT_EQ(NearestName("fricton", {"friction", "restitution"}), "friction");
  EXPECT_EQ(NearestName("xyz", {"density", "mass", "inertia"}), "");
  EXPECT_EQ(NearestName("a", {"b"}), "");  // nothing in common
  EXPECT_EQ(NearestName("anything", {}), "");
  EXPECT_EQ(NearestName("", {"a"}), "");
  EXPECT_EQ(NearestName(std::string(100000, 'x'), {"mass"}), "");
}

TEST(SuggestTest, SuggestName) {
  EXPECT_EQ(SuggestName("mas", {"density", "mass"}), "did you mean 'mass'?");
  EXPECT_EQ(SuggestName("zzz", {"density", "mass"}), "known names: density, mass");
  EXPECT_EQ(SuggestName("zzz", {}), "");
}

}  // namespace
}  // namespace saltus
