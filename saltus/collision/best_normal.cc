#include "saltus/collision/best_normal.h"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

// Value, gradient and second derivative of a support function where it is smooth.
struct Jet {
  double value = 0;
  Vector3 gradient = Vector3::Zero();
  Vector3 bend = Vector3::Zero();  // ∇² = bend bendᵀ
};

Jet CalcJet(const RoundSupport& s, const Vector3& d) {
  Jet jet;
  jet.gradient = s.x;
  if (s.radius > 0) {
    const double along = s.u.dot(d);
    const Vector3 across = d - along * s.u;
    const double length = std::max(across.norm(), 1e-300);
    const Vector3 m = across / length;
    jet.gradient += std::copysign(s.half_length, along) * s.u + s.radius * m;
    jet.bend = std::sqrt(s.radius / length) * s.u.cross(m);
  }
  jet.value = d.dot(jet.gradient);  // the function is homogeneous
  return jet;
}

// −s(n): penetration along n.
struct Penetration {
  const RoundSupport &A, &B;
  double value = 0;
  Vector3 gradient, bend_A, bend_B;

  void Calc(const Vector3& n) {
    const Jet a = CalcJet(A, n), b = CalcJet(B, -n);
    value = a.value + b.value;
    gradient = a.gradient - b.gradient;
    bend_A = a.bend;
    bend_B = b.bend;
  }
  void Take(const Penetration& other) {
    value = other.value;
    gradient = other.gradient;
    bend_A = other.bend_A;
    bend_B = other.bend_B;
  }
  // Hessian on the sphere: tangent part of ∇² minus the value, as the function is homogeneous.
  double Hessian(const Vector3& s, const Vector3& t) const {
    return bend_A.dot(s) * bend_A.dot(t) + bend_B.dot(s) * bend_B.dot(t) - value * s.dot(t);
  }
};

// Newton's step, or a steep one where the function is not convex.
Vector3 CalcStep(const Penetration& p, const Vector3& e, const Vector3& n, bool* convex) {
  constexpr double kMaxStep = 0.1, kSteep = 1e3;
  const bool on_circle = e.squaredNorm() > 0;
  const Vector3 t1 = on_circle ? Vector3(e.cross(n)) : Vector3(n.unitOrthogonal());
  const double g1 = p.gradient.dot(t1), h11 = p.Hessian(t1, t1);
  Vector3 step;
  if (on_circle) {
    *convex = h11 > 0;
    step = (*convex ? -g1 / h11 : -g1 * kSteep) * t1;
  } else {
    const Vector3 t2 = n.cross(t1);
    const double g2 = p.gradient.dot(t2), h12 = p.Hessian(t1, t2), h22 = p.Hessian(t2, t2);
    const double det = h11 * h22 - h12 * h12;
    *convex = h11 > 0 && det > 0;
    step = *convex ? Vector3((-h22 * g1 + h12 * g2) / det * t1 + (h12 * g1 - h11 * g2) / det * t2)
                   : Vector3(-kSteep * (g1 * t1 + g2 * t2));
  }
  return step.norm() > kMaxStep ? Vector3(kMaxStep / step.norm() * step) : step;
}

}  // namespace

Vector3 CalcRoundPoint(const RoundSupport& support, const Vector3& n) {
  return CalcJet(support, n).gradient;
}

bool FindBestNormal(const RoundSupport& A, const RoundSupport& B, const Vector3& e, Vector3* n) {
  constexpr int kMaxIterations = 30, kMaxHalvings = 20;
  Penetration now{A, B}, next{A, B};
  now.Calc(*n);
  bool convex = false;
  for (int i = 0; i < kMaxIterations; ++i) {
    Vector3 step = CalcStep(now, e, *n, &convex);
    if (!(step.norm() > 0)) return convex;
    for (int halving = 0;; ++halving) {
      const Vector3 moved = (*n + step).normalized();
      next.Calc(moved);
      const bool small = step.norm() < 1e-7;  // below the rounding of the value: accept
      if (next.value < now.value || (small && halving == 0)) {
        *n = moved;
        now.Take(next);
        if (step.norm() < 1e-15) return convex;
        break;
      }
      if (halving > kMaxHalvings) return convex;
      step *= 0.5;
    }
  }
  return convex;
}

}  // namespace saltus
