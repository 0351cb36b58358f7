#include "saltus/cones/solvers/cone_equations.h"

#include <algorithm>
#include <cmath>

#include "saltus/cones/projections.h"

namespace saltus {
namespace {

using Vector = BlockEquation::Vector;
using Matrix = BlockEquation::Matrix;
using ConstMap = Eigen::Map<const VectorX>;

constexpr double kBoundaryEigenvalue = 1e-8;  // of w, eq. (4)

// P_K of the friction cone at x and its derivative.
void ProjectWithDerivative(double mu, Vector* x, Matrix* dP) {
  const int d = static_cast<int>(x->size());
  const double t = x->tail(d - 1).norm(), n = (*x)[0];
  dP->setZero(d, d);
  if (n >= 0 && t <= mu * n) {
    dP->setIdentity(d, d);
    return;
  }
  if (mu * t <= -n) {
    x->setZero();
    return;
  }
  const Vector s = x->tail(d - 1) / t;
  const double N = (n + mu * t) / (1 + mu * mu);
  Vector dN(d);
  dN[0] = 1;
  dN.tail(d - 1) = mu * s;
  dN /= 1 + mu * mu;
  dP->row(0) = dN.transpose();
  dP->bottomRows(d - 1) = mu * s * dN.transpose();
  dP->bottomRightCorner(d - 1, d - 1) +=
      mu * N / t * (Matrix::Identity(d - 1, d - 1) - s * s.transpose());
  (*x)[0] = N;
  x->tail(d - 1) = mu * N * s;
}

// ∂û/∂u.
Matrix CalcShiftDerivative(double mu, int d, const double* u) {
  Matrix D = Matrix::Identity(d, d);
  const double speed = CalcNorm(u + 1, d - 1);
  for (int i = 1; i < d && speed > 0; ++i) D(0, i) = mu * u[i] / speed;
  return D;
}

// (1)
void CalcNaturalMap(const Cone& cone, double rho, const double* r, const double* u,
                    BlockEquation* e) {
  const int d = cone.dimension;
  Vector x = ConstMap(r, d) - rho * ConstMap(u, d);
  x[0] -= rho * cone.friction * CalcNorm(u + 1, d - 1);
  Matrix dP;
  ProjectWithDerivative(cone.friction, &x, &dP);
  e->F = ConstMap(r, d) - x;
  e->A = Matrix::Identity(d, d) - dP;
  e->B = rho * dP * CalcShiftDerivative(cone.friction, d, u);
}

// (2)
void CalcAlartCurnier(const Cone& cone, double rho, const double* r, const double* u,
                      BlockEquation* e) {
  const int d = cone.dimension;
  e->F = ConstMap(r, d);
  e->A.setIdentity(d, d);
  e->B.setZero(d, d);
  const double z = r[0] - rho * u[0];
  if (!(z > 0)) return;  // open: F = r
  e->F[0] = rho * u[0];
  e->A(0, 0) = 0;
  e->B(0, 0) = rho;
  const Vector y = ConstMap(r + 1, d - 1) - rho * ConstMap(u + 1, d - 1);
  const double length = y.norm(), radius = cone.friction * z;
  if (length <= radius) {  // stick: F_T = ρ u_T
    e->F.tail(d - 1) = rho * ConstMap(u + 1, d - 1);
    e->A.setZero();
    e->B.diagonal().setConstant(rho);
    return;
  }
  const Vector s = y / length;
  const Matrix turn = radius / length * (Matrix::Identity(d - 1, d - 1) - s * s.transpose());
  e->F.tail(d - 1) -= radius * s;
  e->A.bottomRightCorner(d - 1, d - 1) -= turn;
  e->B.bottomRightCorner(d - 1, d - 1) = rho * turn;
  e->A.bottomLeftCorner(d - 1, 1) = -cone.friction * s;
  e->B.bottomLeftCorner(d - 1, 1) = rho * cone.friction * s;
}

Matrix MakeArrow(const Vector& x) {
  const int d = static_cast<int>(x.size());
  Matrix L = x[0] * Matrix::Identity(d, d);
  L.row(0).tail(d - 1) = x.tail(d - 1).transpose();
  L.col(0).tail(d - 1) = x.tail(d - 1);
  return L;
}

// L_w⁻¹ for w inside the cone.
Matrix InvertArrow(const Vector& w) {
  const int d = static_cast<int>(w.size());
  const Vector t = w.tail(d - 1);
  const double determinant = w[0] * w[0] - t.squaredNorm();
  Matrix inverse(d, d);
  inverse(0, 0) = w[0] / determinant;
  inverse.row(0).tail(d - 1) = -t.transpose() / determinant;
  inverse.col(0).tail(d - 1) = -t / determinant;
  inverse.bottomRightCorner(d - 1, d - 1) =
      (Matrix::Identity(d - 1, d - 1) + t * t.transpose() / determinant) / w[0];
  return inverse;
}

// (3) and (4)
void CalcFischerBurmeister(const Cone& cone, double rho, const double* r, const double* u,
                           BlockEquation* e) {
  const int d = cone.dimension;
  const double mu = cone.friction;
  Vector x = ConstMap(r, d), y = rho * ConstMap(u, d);
  x[0] *= mu;
  y[0] += mu * y.tail(d - 1).norm();
  y.tail(d - 1) *= mu;
  Matrix dx = Matrix::Identity(d, d), dy = rho * CalcShiftDerivative(mu, d, u);
  dx(0, 0) = mu;
  dy.bottomRows(d - 1) *= mu;
  // Square root by the eigenvalues of x∘x + y∘y.
  const double squares = x.squaredNorm() + y.squaredNorm();
  Vector direction = x[0] * x.tail(d - 1) + y[0] * y.tail(d - 1);
  direction *= 2;
  const double length = direction.norm();
  if (length > 0) {
    direction /= length;
  } else {
    direction.setUnit(0);
  }
  const double high = std::sqrt(squares + length);
  double low = std::sqrt(std::max(squares - length, 0.0));
  e->F = x + y;
  e->F[0] -= 0.5 * (high + low);
  e->F.tail(d - 1) -= 0.5 * (high - low) * direction;
  if (!(high > 0)) {  // r = u = 0: any element of the derivative will do.
    e->A = dx;
    e->B.setZero(d, d);
    return;
  }
  low = std::max(low, kBoundaryEigenvalue * high);
  Vector w(d);
  w[0] = 0.5 * (high + low);
  w.tail(d - 1) = 0.5 * (high - low) * direction;
  const Matrix inverse = InvertArrow(w);
  e->A = dx - inverse * MakeArrow(x) * dx;
  e->B = dy - inverse * MakeArrow(y) * dy;
}

// Rows without coupling of normal and tangential parts.
void CalcPlain(const Cone& cone, double bound, double rho, const double* r, const double* u,
               BlockEquation* e) {
  const int d = cone.dimension;
  e->F = rho * ConstMap(u, d);
  e->A.setZero(d, d);
  e->B = rho * Matrix::Identity(d, d);
  if (cone.kind == ConeKind::kFree) return;
  const Vector x = ConstMap(r, d) - e->F;
  if (cone.kind == ConeKind::kBox) {
    const double length = x.norm();
    if (length <= bound) return;
    const Vector s = x / length;
    const Matrix turn = bound / length * (Matrix::Identity(d, d) - s * s.transpose());
    e->F = ConstMap(r, d) - bound * s;
    e->A = Matrix::Identity(d, d) - turn;
    e->B = rho * turn;
    return;
  }
  if (x[0] > 0 && cone.kind == ConeKind::kNonnegative) return;
  e->F = ConstMap(r, d);  // open
  e->A.setIdentity(d, d);
  e->B.setZero(d, d);
}

}  // namespace

void CalcBlockEquation(ConeFunction function, const Cone& cone, double bound, double rho,
                       const double* r, const double* u, BlockEquation* equation) {
  if (cone.kind != ConeKind::kFriction) return CalcPlain(cone, bound, rho, r, u, equation);
  if (function == ConeFunction::kNaturalMap) return CalcNaturalMap(cone, rho, r, u, equation);
  if (function == ConeFunction::kAlartCurnier || !(cone.friction > 0)) {
    return CalcAlartCurnier(cone, rho, r, u, equation);
  }
  CalcFischerBurmeister(cone, rho, r, u, equation);
}

}  // namespace saltus
