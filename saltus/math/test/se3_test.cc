#include "saltus/math/se3.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "saltus/math/so3.h"

namespace saltus {
namespace {

using Matrix4 = Eigen::Matrix4d;

Matrix4 ToMatrix(const Pose& H) {
  Matrix4 m = Matrix4::Identity();
  m.topLeftCorner<3, 3>() = H.R.toRotationMatrix();
  m.topRightCorner<3, 1>() = H.p;
  return m;
}

/// δ̃ ∈ se(3).
Matrix4 HatSE3(const Vector6& delta) {
  Matrix4 m = Matrix4::Zero();
  m.topLeftCorner<3, 3>() = Hat(delta.tail<3>());
  m.topRightCorner<3, 1>() = delta.head<3>();
  return m;
}

Vector6 VeeSE3(const Matrix4& m) {
  Vector6 delta;
  delta << m.topRightCorner<3, 1>(), Vee(m.topLeftCorner<3, 3>());
  return delta;
}

/// Σ A^k/k!, term by term.
template <typename Matrix>
Matrix SumSeries(const Matrix& A, double sign, int first_factorial) {
  Matrix sum = Matrix::Zero();
  Matrix term = Matrix::Identity();
  for (int k = 0; k < 60; ++k) {
    sum += term;
    term = sign / (k + first_factorial) * term * A;
  }
  return sum;
}

Vector6 MakeVector(double phi, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  Vector6 delta;
  for (double& x : delta) x = normal(engine);
  delta.tail<3>() *= phi / delta.tail<3>().norm();
  return delta;
}

const double kAngles[] = {0, 1e-8, 1e-3, 0.1, 0.4999, 0.5001, 1, 2, 3, 3.14159};

TEST(Se3Test, ExponentialEqualsMatrixSeries) {
  for (const double phi : kAngles) {
    for (unsigned seed = 1; seed < 5; ++seed) {
      const Vector6 delta = MakeVector(phi, seed);
      // The terms of the series reach e^φ ≈ 20.
      EXPECT_LT((ToMatrix(ExpSE3(delta)) - SumSeries(HatSE3(delta), 1, 1)).norm(), 1e-13);
    }
  }
}

TEST(Se3Test, LogarithmInvertsExponential) {
  for (const double phi : kAngles) {
    for (unsigned seed = 1; seed < 5; ++seed) {
      const Vector6 delta = MakeVector(phi, seed);
      EXPECT_LT((LogSE3(ExpSE3(delta)) - delta).norm(), 1e-14) << phi;
    }
  }
}

TEST(Se3Test, TangentEqualsSeriesInAd) {
  for (const double phi : kAngles) {
    for (unsigned seed = 1; seed < 5; ++seed) {
      const Vector6 delta = MakeVector(phi, seed);
      Matrix6 ad = Matrix6::Zero();
      ad.topLeftCorner<3, 3>() = ad.bottomRightCorner<3, 3>() = Hat(delta.tail<3>());
      ad.topRightCorner<3, 3>() = Hat(delta.head<3>());
      const Matrix6 T = TangentSE3(delta);
      EXPECT_LT((T - SumSeries(ad, -1, 2)).norm(), 1e-13) << phi;
      EXPECT_LT((T * TangentInverseSE3(delta) - Matrix6::Identity()).norm(), 1e-13) << phi;
    }
  }
}

TEST(Se3Test, TangentByDifferences) {
  // As for SO(3): central differences, truncation and rounding about 1e-11 each, times |δ| ≈ 3.
  const double eps = 1e-5;
  for (const double phi : kAngles) {
    const Vector6 delta = MakeVector(phi, 7);
    const Matrix6 T = TangentSE3(delta);
    const Matrix4 inverse = ToMatrix(ExpSE3(delta).Inverse());
    for (int k = 0; k < 6; ++k) {
      const Vector6 step = eps * Vector6::Unit(k);
      const Matrix4 dH =
          (ToMatrix(ExpSE3(delta + step)) - ToMatrix(ExpSE3(delta - step))) / (2 * eps);
      EXPECT_LT((VeeSE3(inverse * dH) - T.col(k)).norm(), 3e-10) << phi;
    }
  }
}

TEST(Se3Test, AdjointMovesTwists) {
  const Pose H = ExpSE3(MakeVector(2, 3));
  const Vector6 v = MakeVector(1, 4);
  const Matrix4 moved = ToMatrix(H) * HatSE3(v) * ToMatrix(H.Inverse());
  EXPECT_LT((AdjointSE3(H) * v - VeeSE3(moved)).norm(), 1e-14);
}

TEST(Se3Test, RetractionFollowsTheBodyTwist) {
  // A constant body twist for unit time, in one step and in a thousand.
  const Vector6 v = MakeVector(3, 5);
  const Pose start = ExpSE3(MakeVector(1, 6));
  Pose H = start;
  for (int k = 0; k < 1000; ++k) H = RetractPose(H, 1e-3 * v);
  const Pose at_once = RetractPose(start, v);
  EXPECT_LT((ToMatrix(H) - ToMatrix(at_once)).norm(), 1e-12);  // a thousand roundings
  EXPECT_NEAR(H.R.norm(), 1, 1e-15);
}

}  // namespace
}  // namespace saltus
