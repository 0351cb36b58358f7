#include "saltus/base/growing_vector.h"

#include <utility>

#include <gtest/gtest.h>

namespace saltus {
namespace {

TEST(GrowingVector, KeepsItsMemory) {
  GrowingVector x;
  x.setZero(100);
  const double* memory = x.data();
  for (const int size : {3, 100, 0, 57}) {
    x.resize(size);
    EXPECT_EQ(x.size(), size);
    EXPECT_EQ(x.data(), memory);
  }
  x.resize(1000);
  x.setOnes();
  EXPECT_EQ(x.sum(), 1000);
}

TEST(GrowingVector, IsAnExpressionAndAValue) {
  const VectorX a = VectorX::LinSpaced(5, 0, 4);
  GrowingVector x = a;
  GrowingVector y = 2 * x + a;
  EXPECT_EQ(VectorX(y), 3 * a);
  y = x;
  x[0] = 7;  // a copy shares nothing
  EXPECT_EQ(y[0], 0);
  GrowingVector z = std::move(y);
  EXPECT_EQ(VectorX(z), a);
  x = z.head(2);
  EXPECT_EQ(x.size(), 2);
  x.swap(z);
  EXPECT_EQ(x.size(), 5);
  EXPECT_EQ(z.size(), 2);
  VectorX b;
  b = x;
  EXPECT_EQ(b, a);
}

}  // namespace
}  // namespace saltus
