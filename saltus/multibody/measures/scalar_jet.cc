#include "saltus/multibody/measures/scalar_jet.h"

#include <array>

#include "saltus/math/so3.h"

namespace saltus {
namespace {

/// x of (3) with the four 3 × 3 blocks of (4); absent blocks are skipped.
struct VectorJet {
  Vector3 value;
  std::array<Matrix3, 4> J;
  std::array<bool, 4> present;
};

VectorJet CalcVector(const VectorTerm& x, const Placement& A, const Placement& B) {
  VectorJet jet;
  jet.value = x.c_A * A.p + A.R * x.alpha + x.c_B * B.p + B.R * x.beta + x.kappa;
  jet.present = {x.c_A != 0, !x.alpha.isZero(0), x.c_B != 0, !x.beta.isZero(0)};
  if (jet.present[0]) jet.J[0] = x.c_A * Matrix3::Identity();
  if (jet.present[1]) jet.J[1] = -A.R * Hat(x.alpha);
  if (jet.present[2]) jet.J[2] = x.c_B * Matrix3::Identity();
  if (jet.present[3]) jet.J[3] = -B.R * Hat(x.beta);
  return jet;
}

/// H += the curvature (5) of x weighted by w.
void AddCurvature(const VectorTerm& x, const Vector3& w, const Placement& A, const Placement& B,
                  Matrix12* H) {
  if (!x.alpha.isZero(0)) H->block<3, 3>(3, 3) += Hat(x.alpha) * Hat(A.R.transpose() * w);
  if (!x.beta.isZero(0)) H->block<3, 3>(9, 9) += Hat(x.beta) * Hat(B.R.transpose() * w);
}

}  // namespace

void CalcProduct(const VectorTerm& x, const VectorTerm& y, const Placement& A, const Placement& B,
                 JetOrder order, ScalarJet* s) {
  const VectorJet jx = CalcVector(x, A, B);
  const VectorJet jy = CalcVector(y, A, B);
  s->value = jx.value.dot(jy.value);
  if (order == JetOrder::kValue) return;

  s->gradient.setZero();
  for (int i = 0; i < 4; ++i) {
    if (jx.present[i]) s->gradient.segment<3>(3 * i) += jx.J[i].transpose() * jy.value;
    if (jy.present[i]) s->gradient.segment<3>(3 * i) += jy.J[i].transpose() * jx.value;
  }
  if (order == JetOrder::kGradient) return;

  s->hessian.setZero();
  for (int i = 0; i < 4; ++i) {
    if (!jx.present[i]) continue;
    for (int j = 0; j < 4; ++j) {
      if (!jy.present[j]) continue;
      const Matrix3 P = jx.J[i].transpose() * jy.J[j];
      s->hessian.block<3, 3>(3 * i, 3 * j) += P;
      s->hessian.block<3, 3>(3 * j, 3 * i) += P.transpose();
    }
  }
  AddCurvature(x, jy.value, A, B, &s->hessian);
  AddCurvature(y, jx.value, A, B, &s->hessian);
}

void Compose(double f, double f1, double f11, const ScalarJet& s1, JetOrder order, ScalarJet* out) {
  out->value = f;
  if (order == JetOrder::kValue) return;
  if (order == JetOrder::kHessian) {
    out->hessian = f1 * s1.hessian;
    out->hessian.noalias() += f11 * s1.gradient * s1.gradient.transpose();
  }
  out->gradient = f1 * s1.gradient;
}

void Compose(const Partials& f, const ScalarJet& s1, const ScalarJet& s2, JetOrder order,
             ScalarJet* out) {
  out->value = f.f;
  if (order == JetOrder::kValue) return;
  out->gradient = f.f1 * s1.gradient + f.f2 * s2.gradient;
  if (order == JetOrder::kGradient) return;
  out->hessian = f.f1 * s1.hessian + f.f2 * s2.hessian;
  const Vector12 row1 = f.f11 * s1.gradient + f.f12 * s2.gradient;
  const Vector12 row2 = f.f12 * s1.gradient + f.f22 * s2.gradient;
  out->hessian.noalias() += s1.gradient * row1.transpose();
  out->hessian.noalias() += s2.gradient * row2.transpose();
}

}  // namespace saltus
