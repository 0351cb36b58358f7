#include "saltus/cones/delassus.h"

namespace saltus {

void Delassus::CalcDiagonalEntries(double* diagonal) const {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 1, 1> entry(1, 1);
  for (int i = 0; i < size(); ++i) {
    CalcDiagonalBlock(i, 1, entry);
    diagonal[i] = entry(0, 0);
  }
}

MatrixX MakeDense(const Delassus& A) {
  const int n = A.size();
  MatrixX dense(n, n);
  VectorX unit = VectorX::Zero(n), column(n);
  for (int j = 0; j < n; ++j) {
    unit[j] = 1;
    A.Multiply(unit, &column);
    dense.col(j) = column;
    unit[j] = 0;
  }
  return dense;
}

}  // namespace saltus
