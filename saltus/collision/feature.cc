#include "saltus/collision/feature.h"

#include <cmath>

#include "saltus/collision/best_normal.h"

namespace saltus {
namespace {

constexpr double kParallel = 1e-6;  // sine of an angle below which two lines make no normal

bool IsPoint(const PlacedElement& e) {
  return e.kind == ElementKind::kPoint || e.kind == ElementKind::kMaterial;
}
bool IsPlane(const PlacedElement& e) {
  return e.kind == ElementKind::kFace || e.kind == ElementKind::kTangent;
}

// Inflates the core witness x_A, x_B = x_A + core_gap n.
void Inflate(const PlacedElement& A, const PlacedElement& B, const Vector3& x_A, const Vector3& n,
             double core_gap, ElementWitness* w) {
  w->normal = n;
  w->gap = core_gap - A.radius - B.radius;
  w->point_A = x_A + A.radius * n;
  w->point_B = w->point_A + w->gap * n;
}

void Flip(ElementWitness* w) {
  std::swap(w->point_A, w->point_B);
  w->normal = -w->normal;
}

bool CalcFacePoint(const PlacedElement& A, const PlacedElement& B, ElementWitness* w) {  // (1)
  const double core_gap = A.d.dot(B.x - A.x);
  Inflate(A, B, B.x - core_gap * A.d, A.d, core_gap, w);
  return true;
}

bool CalcFaceRim(const PlacedElement& A, const PlacedElement& B, ElementWitness* w) {  // (5)
  const RoundSupport rim{B.x, B.d, B.rim};
  Vector3 x = CalcRoundPoint(rim, -A.d);
  if (!B.toward.isZero(0) && B.toward.dot(x - B.x) < std::cos(kRimArc) * B.rim) {
    const Vector3 side = B.d.cross(B.toward);
    const double sign = side.dot(x - B.x) < 0 ? -1.0 : 1.0;
    x = B.x + B.rim * (std::cos(kRimArc) * B.toward + sign * std::sin(kRimArc) * side);
  }
  const double core_gap = A.d.dot(x - A.x);
  Inflate(A, B, x - core_gap * A.d, A.d, core_gap, w);
  return true;
}

// (2), (3): out is the vector from the core of A to that of B.
bool CalcDistance(const PlacedElement& A, const PlacedElement& B, const Vector3& x_A,
                  const Vector3& out, const Vector3& normal, ElementWitness* w) {
  const double distance = out.norm(), radii = A.radius + B.radius;
  if (!(distance > 1e-6 * radii + 1e-14 * (A.x.norm() + B.x.norm()))) return false;
  const double side = distance < radii && out.dot(normal) < 0 ? -1.0 : 1.0;
  Inflate(A, B, x_A, side / distance * out, side * distance, w);
  return true;
}

bool CalcLinePoint(const PlacedElement& A, const PlacedElement& B, const Vector3& normal,
                   ElementWitness* w) {
  const Vector3 foot = A.x + A.d.dot(B.x - A.x) * A.d;
  return CalcDistance(A, B, foot, B.x - foot, normal, w);
}

bool CalcLineLine(const PlacedElement& A, const PlacedElement& B, const Vector3& normal,
                  ElementWitness* w) {  // (4)
  const Vector3 cross = A.d.cross(B.d);
  const double sine = cross.norm();
  if (!(sine > kParallel)) return false;
  const Vector3 n = (cross.dot(normal) < 0 ? -1.0 : 1.0) / sine * cross;
  const Vector3 c = B.x - A.x;
  const double s = (c.dot(A.d) - A.d.dot(B.d) * c.dot(B.d)) / (sine * sine);
  Inflate(A, B, A.x + s * A.d, n, n.dot(c), w);
  return true;
}

bool CalcRound(const PlacedElement& A, const PlacedElement& B, const Vector3& normal,
               ElementWitness* w) {  // (6)
  const RoundSupport a{A.x, A.d, A.rim}, b{B.x, B.d, B.rim};
  Vector3 e = Vector3::Zero(), n = normal;
  if (A.kind == ElementKind::kLine) e = A.d;
  if (B.kind == ElementKind::kLine) e = B.d;
  n -= n.dot(e) * e;
  if (!(n.norm() > 0.5)) return false;
  n.normalize();
  if (!FindBestNormal(a, b, e, &n) || n.dot(normal) < 0) return false;
  const Vector3 x_A = CalcRoundPoint(a, n), x_B = CalcRoundPoint(b, -n);
  const double core_gap = n.dot(x_B - x_A);
  Inflate(A, B, A.kind == ElementKind::kRim ? x_A : Vector3(x_B - core_gap * n), n, core_gap, w);
  return true;
}

}  // namespace

bool CalcElementWitness(const PlacedElement& A, const PlacedElement& B, const Vector3& normal,
                        ElementWitness* witness) {
  // Each form is written for one order of its elements; the others are flipped.
  const bool flipped = IsPlane(B) || (B.kind == ElementKind::kLine && IsPoint(A));
  if (flipped && !IsPlane(A)) {
    const bool found = CalcElementWitness(B, A, -normal, witness);
    Flip(witness);
    return found;
  }
  if (IsPlane(A)) {
    if (IsPoint(B)) return CalcFacePoint(A, B, witness);
    return B.kind == ElementKind::kRim && CalcFaceRim(A, B, witness);
  }
  if (A.kind == ElementKind::kRim || B.kind == ElementKind::kRim) {
    return CalcRound(A, B, normal, witness);
  }
  if (A.kind == ElementKind::kLine) {
    if (IsPoint(B)) return CalcLinePoint(A, B, normal, witness);
    return B.kind == ElementKind::kLine && CalcLineLine(A, B, normal, witness);
  }
  return IsPoint(A) && IsPoint(B) && CalcDistance(A, B, A.x, B.x - A.x, normal, witness);
}

}  // namespace saltus
