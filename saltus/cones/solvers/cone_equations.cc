#include "saltus/cones/solvers/cone_equations.h"

#include <algorithm>
#include <cmath>

#include "saltus/cones/friction_groups.h"

namespace saltus {
namespace {

using Vector = BlockEquation::Vector;
using Matrix = BlockEquation::Matrix;
using ConstMap = Eigen::Map<const VectorX>;

constexpr double kBoundaryEigenvalue = 1e-8;  // of w, eq. (4)

// P_K of a frictional block at x and its derivative.
void ProjectWithDerivative(const FrictionGroups& groups, Vector* x, Matrix* dP) {
  const int d = static_cast<int>(x->size());
  double norms[FrictionGroup::kMaxGroups];
  bool active[FrictionGroup::kMaxGroups];
  const double normal = FindGroupNormal(groups.group, groups.count, x->data(), norms, active);
  dP->setZero(d, d);
  if (!(normal > 0)) {
    x->setZero();
    return;
  }
  Vector dN = Vector::Unit(d, 0);
  double weight = 1;
  for (int k = 0; k < groups.count; ++k) {
    const FrictionGroup& g = groups.group[k];
    if (!active[k] || !(norms[k] > 0)) continue;
    dN.segment(g.first, g.dimension) = g.coefficient / norms[k] * x->segment(g.first, g.dimension);
    weight += g.coefficient * g.coefficient;
  }
  dN /= weight;
  dP->row(0) = dN.transpose();
  (*x)[0] = normal;
  for (int k = 0; k < groups.count; ++k) {
    const auto [first, size, m] = groups.group[k];
    if (!active[k]) {
      dP->block(first, first, size, size).setIdentity();
      continue;
    }
    if (!(norms[k] > 0)) continue;
    const Vector s = x->segment(first, size) / norms[k];
    dP->middleRows(first, size) = m * s * dN.transpose();
    dP->block(first, first, size, size) +=
        m * normal / norms[k] * (Matrix::Identity(size, size) - s * s.transpose());
    x->segment(first, size) = m * normal * s;
  }
}

// ∂û/∂u.
Matrix CalcShiftDerivative(const Cone& cone, const double* u) {
  const int d = cone.dimension;
  Matrix D = Matrix::Identity(d, d);
  for (const FrictionGroup& k : ListGroups(cone)) {
    const double speed = CalcNorm(u + k.first, k.dimension);
    for (int i = k.first; i < k.first + k.dimension && speed > 0; ++i) {
      D(0, i) = k.coefficient * u[i] / speed;
    }
  }
  return D;
}

// (1)
void CalcNaturalMap(const Cone& cone, double rho, const double* r, const double* u,
                    BlockEquation* e) {
  const int d = cone.dimension;
  Vector x = ConstMap(r, d) - rho * ConstMap(u, d);
  x[0] -= rho * CalcDeSaxceShift(cone, u);
  Matrix dP;
  ProjectWithDerivative(ListGroups(cone), &x, &dP);
  e->F = ConstMap(r, d) - x;
  e->A = Matrix::Identity(d, d) - dP;
  e->B = rho * dP * CalcShiftDerivative(cone, u);
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
  for (const auto [first, size, m] : ListGroups(cone)) {
    const Vector y = ConstMap(r + first, size) - rho * ConstMap(u + first, size);
    const double length = y.norm(), radius = m * z;
    if (length <= radius) {  // stick: F_k = ρ u_k
      e->F.segment(first, size) = rho * ConstMap(u + first, size);
      e->A.block(first, first, size, size).setZero();
      e->B.block(first, first, size, size).diagonal().setConstant(rho);
      continue;
    }
    const Vector s = y / length;
    const Matrix turn = radius / length * (Matrix::Identity(size, size) - s * s.transpose());
    e->F.segment(first, size) -= radius * s;
    e->A.block(first, first, size, size) -= turn;
    e->B.block(first, first, size, size) = rho * turn;
    e->A.block(first, 0, size, 1) = -m * s;
    e->B.block(first, 0, size, 1) = rho * m * s;
  }
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
  Matrix dx = Matrix::Identity(d, d), dy = rho * CalcShiftDerivative(cone, u);
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
  if (!IsFrictional(cone)) return CalcPlain(cone, bound, rho, r, u, equation);
  if (function == ConeFunction::kNaturalMap) return CalcNaturalMap(cone, rho, r, u, equation);
  if (function == ConeFunction::kAlartCurnier || cone.kind != ConeKind::kFriction ||
      !(cone.friction > 0)) {
    return CalcAlartCurnier(cone, rho, r, u, equation);
  }
  CalcFischerBurmeister(cone, rho, r, u, equation);
}

}  // namespace saltus
