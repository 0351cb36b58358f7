// Measures against closed forms; their derivatives are covered by the contract test.
#include "saltus/multibody/measures/measure.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "saltus/math/so3.h"

namespace saltus {
namespace {

constexpr double kPi = std::numbers::pi;

double Evaluate(const Measure& measure, const PairFrames& frames, const Placement& A,
                const Placement& B) {
  ScalarJet jet;
  CalcMeasure(measure, frames, A, B, JetOrder::kHessian, &jet);
  EXPECT_TRUE(jet.gradient.allFinite());
  EXPECT_TRUE(jet.hessian.allFinite());
  return jet.value;
}

TEST(Measure, AngleIsTheTwistAboutTheAxis) {
  const Placement A{Vector3::Zero(), ExpSO3({0.3, -0.2, 0.9})};
  for (double angle = -3.1; angle < 3.2; angle += 0.31) {
    const Placement B{Vector3::Zero(), A.R * ExpSO3({0, 0, angle})};
    EXPECT_NEAR(Evaluate({MeasureKind::kAngle, 0, 0}, {}, A, B), angle, 1e-14);
  }
}

TEST(Measure, RotationIsTheRotationVector) {
  const Placement A{Vector3::Zero(), ExpSO3({0.3, -0.2, 0.9})};
  const Vector3 axis = Vector3(1, -2, 2) / 3;
  for (const double angle : {0.0, 1e-9, 1e-4, 0.1, 0.4, 0.5, 1.5, 3.0}) {
    const Placement B{Vector3::Zero(), A.R * ExpSO3(angle * axis)};
    for (const int i : {0, 1, 2}) {
      // Near π the vector is recovered from sin φ, which loses a factor 1/sin φ.
      EXPECT_NEAR(Evaluate({MeasureKind::kRotation, i, 0}, {}, A, B), angle * axis[i],
                  1e-15 * (1 + angle / std::sin(std::max(angle, 0.5)) * 10));
    }
  }
}

TEST(Measure, TiltIsTheAngleBetweenTheAxes) {
  const Placement A{Vector3::Zero(), ExpSO3({0.3, -0.2, 0.9})};
  EXPECT_NEAR(Evaluate({MeasureKind::kTilt, 0, 0}, {}, A, A), 0, 1e-7);  // acos near 1
  const Placement B{Vector3::Zero(), A.R * ExpSO3({0.6, 0.8, 0})};
  EXPECT_NEAR(Evaluate({MeasureKind::kTilt, 0, 0}, {}, A, B), 1, 1e-14);
}

TEST(Measure, DistanceAndOffsets) {
  const Placement A{Vector3(1, 0, 0), ExpSO3({0, 0, kPi / 2})};
  const Placement B{Vector3(1, 3, 4), Matrix3::Identity()};
  EXPECT_NEAR(Evaluate({MeasureKind::kDistance, 0, 0}, {}, A, B), 5, 1e-15);
  EXPECT_NEAR(Evaluate({MeasureKind::kOffset, 0, 0}, {}, A, B), 3, 1e-15);  // x of A is world y
  EXPECT_NEAR(Evaluate({MeasureKind::kWorldOffset, 2, 0}, {}, A, B), 4, 1e-15);
  EXPECT_EQ(Evaluate({MeasureKind::kDistance, 0, 0}, {}, A, A), 0);  // no NaN where they meet
}

// The short forms of d·w against the product rule that all other measures use.
TEST(Measure, TangentsAreThoseOfTheHessian) {
  PairFrames frames;
  frames.a = {0.3, -0.4, 0.2};
  frames.b = {-0.1, 0.5, 0.7};
  frames.F_A = ExpSO3({0.2, 0.1, -0.3});
  frames.W = ExpSO3({-0.7, 0.4, 0.2});
  const Placement A{Vector3(1, 0.5, -2), ExpSO3({0.3, -0.2, 0.9})};
  const Placement B{Vector3(-0.3, 3, 4), ExpSO3({1.1, 0.4, -0.5})};
  const Vector12 V = Vector12::LinSpaced(-1, 2);
  const double lambda = 1.7;
  for (const MeasureKind kind : {MeasureKind::kWorldOffset, MeasureKind::kOffset,
                                 MeasureKind::kDistance, MeasureKind::kAlignment}) {
    const Measure measure{kind, 1, 2};
    ScalarJet jet;
    CalcMeasure(measure, frames, A, B, JetOrder::kHessian, &jet);
    Matrix12 H = Matrix12::Ones();
    Vector12 change;
    CalcMeasureTangents(measure, frames, A, B, lambda, V, &H, &change);
    EXPECT_LT((H - (Matrix12::Ones() - lambda * jet.hessian)).norm(), 1e-14);
    EXPECT_LT((change - jet.hessian.transpose() * V).norm(), 1e-14);
    const bool vanishes = jet.hessian.topRightCorner<6, 6>().isZero(0) &&
                          jet.hessian.bottomLeftCorner<6, 6>().isZero(0);
    EXPECT_EQ(measure.couples(), !vanishes);
  }
  ScalarJet product, offset;
  CalcProduct({.c_A = -1, .c_B = 1, .alpha = -frames.a, .beta = frames.b},
              {.kappa = frames.W.col(1)}, A, B, JetOrder::kHessian, &product);
  CalcMeasure({MeasureKind::kWorldOffset, 1, 0}, frames, A, B, JetOrder::kHessian, &offset);
  EXPECT_NEAR(offset.value, product.value, 1e-15);
  EXPECT_LT((offset.gradient - product.gradient).norm(), 1e-15);
  EXPECT_LT((offset.hessian - product.hessian).norm(), 1e-15);
}

TEST(Measure, WrapNear) {
  EXPECT_NEAR(WrapNear(0.1 + 6 * kPi, 0), 0.1, 1e-14);
  EXPECT_NEAR(WrapNear(0.1, 6 * kPi), 0.1 + 6 * kPi, 1e-14);
  EXPECT_EQ(WrapNear(3, 0), 3);
}

}  // namespace
}  // namespace saltus
