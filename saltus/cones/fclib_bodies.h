// Global problems of FCLib whose mass matrix consists of bodies: to and from the body form.
#pragma once

#include <memory>
#include <vector>

#include <Eigen/SparseCore>

#include "saltus/cones/body_delassus.h"

namespace saltus {

using FclibMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

/// A = Hᵀ M⁻¹ H in body form if M is made of bodies of six or of three rows, one after the other,
/// and each contact (d columns of H) touches two of them at most; otherwise null.
/// @param inverse  M⁻¹
std::unique_ptr<BodyDelassus> MakeBodyForm(const FclibMatrix& M, const FclibMatrix& H, int d,
                                           FclibMatrix* inverse);

/// H = Rᵀ of a symmetric body form, six rows for each body.
/// @param column  of H for each row of the problem
FclibMatrix MakeScaledRows(const BodyDelassus& A, const std::vector<int>& column, int num_columns);

}  // namespace saltus
