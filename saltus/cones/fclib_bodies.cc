#include "saltus/cones/fclib_bodies.h"

#include <Eigen/LU>

namespace saltus {
namespace {

// The rows of each body, and M⁻¹.
struct Bodies {
  std::vector<std::vector<int>> rows;
  std::vector<int> body_of_row, place_of_row;
  std::vector<MatrixX> inverse;
  bool valid = true;
};

// Six or three rows in a row are a body if M connects no others: bodies in space or in the plane,
// point masses. The first row of the body of each row, or nothing.
std::vector<int> GroupRows(const FclibMatrix& M, int size) {
  std::vector<int> first;
  if (M.rows() % size != 0) return first;
  for (int j = 0; j < M.outerSize(); ++j) {
    for (FclibMatrix::InnerIterator it(M, j); it; ++it) {
      if (it.row() / size != j / size) return first;
    }
  }
  for (int i = 0; i < M.rows(); ++i) first.push_back(i / size * size);
  return first;
}

Bodies FindBodies(const FclibMatrix& M, const std::vector<int>& root) {
  Bodies bodies;
  bodies.body_of_row.resize(root.size());
  bodies.place_of_row.resize(root.size());
  for (std::size_t i = 0; i < root.size(); ++i) {
    if (root[i] == static_cast<int>(i)) bodies.rows.emplace_back();
    const int body = root[i] == static_cast<int>(i) ? static_cast<int>(bodies.rows.size()) - 1
                                                    : bodies.body_of_row[root[i]];
    bodies.body_of_row[i] = body;
    bodies.place_of_row[i] = static_cast<int>(bodies.rows[body].size());
    bodies.rows[body].push_back(static_cast<int>(i));
  }
  for (const std::vector<int>& rows : bodies.rows) {
    bodies.inverse.push_back(
        MatrixX::Zero(static_cast<int>(rows.size()), static_cast<int>(rows.size())));
  }
  for (int j = 0; j < M.outerSize(); ++j) {
    for (FclibMatrix::InnerIterator it(M, j); it; ++it) {
      bodies.inverse[bodies.body_of_row[j]](bodies.place_of_row[it.row()], bodies.place_of_row[j]) =
          it.value();
    }
  }
  for (MatrixX& mass : bodies.inverse) {
    const Eigen::FullPivLU<MatrixX> lu(mass);
    bodies.valid = bodies.valid && lu.isInvertible();
    if (bodies.valid) mass = lu.inverse();
  }
  return bodies;
}

FclibMatrix MakeInverse(const Bodies& bodies) {
  std::vector<Triplet> entries;
  for (std::size_t b = 0; b < bodies.rows.size(); ++b) {
    const std::vector<int>& rows = bodies.rows[b];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < rows.size(); ++j) {
        entries.emplace_back(rows[i], rows[j],
                             bodies.inverse[b](static_cast<int>(i), static_cast<int>(j)));
      }
    }
  }
  const int n = static_cast<int>(bodies.body_of_row.size());
  FclibMatrix inverse(n, n);
  inverse.setFromTriplets(entries.begin(), entries.end());
  return inverse;
}

// A for these bodies, or null if a contact touches more than two of them.
std::unique_ptr<BodyDelassus> MakeBodyForm(const Bodies& bodies, const FclibMatrix& H, int d) {
  auto A = std::make_unique<BodyDelassus>();
  for (const MatrixX& inverse : bodies.inverse) A->AddBody(inverse);
  for (int c = 0; c < H.cols() / d; ++c) {
    int touched[2] = {-1, -1};
    BodyDelassus::RowMajorX rows[2] = {BodyDelassus::RowMajorX::Zero(d, 6),
                                       BodyDelassus::RowMajorX::Zero(d, 6)};
    for (int k = 0; k < d; ++k) {
      for (FclibMatrix::InnerIterator it(H, c * d + k); it; ++it) {
        const int body = bodies.body_of_row[it.row()];
        int side = 0;
        while (side < 2 && touched[side] != body && touched[side] >= 0) ++side;
        if (side == 2) return nullptr;
        touched[side] = body;
        rows[side](k, bodies.place_of_row[it.row()]) = it.value();
      }
    }
    const auto used = [&](int side) {
      return touched[side] < 0 ? 0 : static_cast<Eigen::Index>(bodies.rows[touched[side]].size());
    };
    A->AddBlock(d, touched[0], rows[0].leftCols(used(0)), touched[1], rows[1].leftCols(used(1)));
  }
  A->Finalize();
  return A;
}

}  // namespace

std::unique_ptr<BodyDelassus> MakeBodyForm(const FclibMatrix& M, const FclibMatrix& H, int d,
                                           FclibMatrix* inverse) {
  if (H.cols() % d != 0) return nullptr;
  for (const int size : {6, 3}) {
    const std::vector<int> first = GroupRows(M, size);
    if (first.empty()) continue;
    const Bodies bodies = FindBodies(M, first);
    if (!bodies.valid) return nullptr;
    std::unique_ptr<BodyDelassus> A = MakeBodyForm(bodies, H, d);
    if (A == nullptr) continue;
    *inverse = MakeInverse(bodies);
    return A;
  }
  return nullptr;
}

FclibMatrix MakeScaledRows(const BodyDelassus& A, const std::vector<int>& column, int num_columns) {
  std::vector<Triplet> entries;
  int row = 0;
  for (int c = 0; c < A.num_blocks(); ++c) {
    const BodyDelassus::Sides& sides = A.sides(c);
    for (; row < A.offset(c + 1); ++row) {
      for (int k = 0; k < 12; ++k) {
        const int body = k < 6 ? sides.a : sides.b;
        const double value = A.rows()[row].x[k];
        if (body == A.num_bodies() || value == 0) continue;
        entries.emplace_back(6 * body + k % 6, column[row], value);
      }
    }
  }
  FclibMatrix H(6 * A.num_bodies(), num_columns);
  H.setFromTriplets(entries.begin(), entries.end());
  return H;
}

}  // namespace saltus
