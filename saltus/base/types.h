// Vector and matrix aliases and index types that every module shares.
#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/SparseCore>

namespace saltus {

using Vector2 = Eigen::Vector2d;
using Vector3 = Eigen::Vector3d;
using Vector4 = Eigen::Vector4d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using VectorX = Eigen::VectorXd;
using Matrix3 = Eigen::Matrix3d;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using MatrixX = Eigen::MatrixXd;
using Matrix3X = Eigen::Matrix3Xd;
using Quaternion = Eigen::Quaterniond;

/// Compressed row storage: a Jacobian G or H is assembled and read row by row.
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;
using Triplet = Eigen::Triplet<double, int>;

/// A rigid placement: x_W = p_WB + R_WB x_B.
struct Pose {
  Vector3 p = Vector3::Zero();
  Quaternion R = Quaternion::Identity();

  Vector3 operator*(const Vector3& x) const { return p + R * x; }
  Pose operator*(const Pose& other) const { return {p + R * other.p, R * other.R}; }
  Pose Inverse() const {
    const Quaternion R_inverse = R.conjugate();
    return {-(R_inverse * p), R_inverse};
  }
};

}  // namespace saltus
