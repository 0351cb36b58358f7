#include "saltus/math/so3.h"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/math/rotation_coefficients.h"

namespace saltus {
namespace {

constexpr double kPi = std::numbers::pi;

std::vector<Vector3> MakeDirections() {
  return {Vector3::UnitX(), Vector3::UnitY(), -Vector3::UnitZ(), Vector3(1, -2, 3).normalized(),
          Vector3(-1, 1e-9, 0).normalized()};
}

const std::vector<double> kAngles = {0,   1e-300, 1e-160,     1e-9,       1e-5, 1e-3,
                                     0.1, 0.3,    0.5,        0.6,        1,    2,
                                     3,   3.14,   kPi - 1e-6, kPi - 1e-12};

TEST(So3Test, HatAndVee) {
  const Vector3 a(1, 2, 3), b(-4, 5, 6);
  EXPECT_EQ(Hat(a) * b, a.cross(b));
  EXPECT_EQ(Vee(Hat(a)), a);
}

TEST(So3Test, ExponentialIsARotationAboutTheAxis) {
  for (const Vector3& n : MakeDirections()) {
    for (const double phi : kAngles) {
      const Matrix3 R = ExpSO3(phi * n);
      EXPECT_LT((R.transpose() * R - Matrix3::Identity()).norm(), 4e-15);
      EXPECT_LT((R - Eigen::AngleAxisd(phi, n).toRotationMatrix()).norm(), 2e-15);
      EXPECT_LT((R - ExpQuaternion(phi * n).toRotationMatrix()).norm(), 4e-15);
      EXPECT_NEAR(ExpQuaternion(phi * n).norm(), 1, 3e-16);
    }
  }
}

TEST(So3Test, LogarithmInvertsExponential) {
  for (const Vector3& n : MakeDirections()) {
    for (const double phi : kAngles) {
      const Vector3 theta = phi * n;
      const Quaternion q = ExpQuaternion(theta);
      // Relative: small angles come back with all digits.
      EXPECT_LE((LogQuaternion(q) - theta).norm(), 1e-15 * phi) << phi;
      const Quaternion minus_q(-q.w(), -q.x(), -q.y(), -q.z());
      EXPECT_LE((LogQuaternion(minus_q) - theta).norm(), 1e-15 * phi) << phi;
      // A matrix holds small angles to ε absolutely.
      EXPECT_LE((LogSO3(ExpSO3(theta)) - theta).norm(), 2e-15) << phi;
    }
  }
}

TEST(So3Test, LogarithmAtHalfTurnIsOneOfTheTwo) {
  for (const Vector3& n : MakeDirections()) {
    const Matrix3 R = 2 * n * n.transpose() - Matrix3::Identity();
    const Vector3 theta = LogSO3(R);
    EXPECT_NEAR(theta.norm(), kPi, 1e-15);
    EXPECT_NEAR(std::abs(theta.dot(n)), kPi, 1e-14);
  }
  EXPECT_EQ(LogQuaternion(Quaternion(1, 0, 0, 0)), Vector3::Zero());
  EXPECT_EQ(LogQuaternion(Quaternion(-1, 0, 0, 0)), Vector3::Zero());
}

TEST(So3Test, TangentByDifferences) {
  // Rᵀ dR/dε in direction δ is the hat of T(θ) δ. Central differences with ε = 1e-5: truncation
  // ε²/6 ≈ 2e-11, rounding 1e-16/ε = 1e-11.
  const double eps = 1e-5;
  for (const Vector3& n : MakeDirections()) {
    for (const double phi : {0.0, 1e-6, 1e-3, 0.1, 0.49999, 0.50001, 1.0, 2.5, 3.1, 5.0}) {
      const Vector3 theta = phi * n;
      const Matrix3 T = TangentSO3(theta);
      for (int k = 0; k < 3; ++k) {
        const Vector3 delta = eps * Vector3::Unit(k);
        const Matrix3 dR = (ExpSO3(theta + delta) - ExpSO3(theta - delta)) / (2 * eps);
        EXPECT_LT((Vee(ExpSO3(theta).transpose() * dR) - T.col(k)).norm(), 1e-10);
      }
      EXPECT_LT((T * TangentInverseSO3(theta) - Matrix3::Identity()).norm(), 1e-14) << phi;
    }
  }
}

TEST(So3Test, CoefficientsAgreeWhereSeriesEnds) {
  // One rounding of φ apart on the two sides of the switch. The closed forms cancel: their error is
  // about ε/φ² times a few.
  const double below = std::nextafter(kSeriesAngle, 0);
  for (const auto& f : {Sinc, CosineCoefficient, SineCoefficient, CotangentCoefficient,
                        CosineCoefficientSlope, SineCoefficientSlope}) {
    EXPECT_NEAR(f(below), f(kSeriesAngle), 1e-14);
  }
  // Limits at zero.
  EXPECT_EQ(Sinc(0), 1);
  EXPECT_EQ(CosineCoefficient(0), 0.5);
  EXPECT_EQ(SineCoefficient(0), 1.0 / 6);
  EXPECT_EQ(CotangentCoefficient(0), 1.0 / 12);
  EXPECT_EQ(CosineCoefficientSlope(0), -1.0 / 12);
  EXPECT_EQ(SineCoefficientSlope(0), -1.0 / 60);
}

TEST(So3Test, MillionRetractionsStayUnit) {
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> uniform(-0.1, 0.1);
  Quaternion q = Quaternion::Identity();
  double worst = 0;
  for (int k = 0; k < 1000000; ++k) {
    q = RetractQuaternion(q, Vector3(uniform(engine), uniform(engine), uniform(engine)));
    worst = std::max(worst, std::abs(q.norm() - 1));
  }
  EXPECT_LT(worst, 1e-15);
}

TEST(So3Test, RetractionIsInBodyAxes) {
  const Quaternion R = ExpQuaternion(Vector3(0, 0, kPi / 2));
  const Quaternion result = RetractQuaternion(R, Vector3(0.3, 0, 0));
  const Matrix3 expected = R.toRotationMatrix() * ExpSO3(Vector3(0.3, 0, 0));
  EXPECT_LT((result.toRotationMatrix() - expected).norm(), 1e-15);
}

}  // namespace
}  // namespace saltus
