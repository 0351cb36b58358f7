#include "saltus/collision/gjk.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

struct Simplex {
  MinkowskiVertex v[4];
  double weight[4] = {1, 0, 0, 0};
  int count = 0;

  Vector3 Point() const {
    Vector3 x = weight[0] * v[0].w;
    for (int k = 1; k < count; ++k) x += weight[k] * v[k].w;
    return x;
  }
  void Drop(int k) {
    --count;
    v[k] = v[count];
    weight[k] = weight[count];
  }
};

// Weights (of sum 1, any sign) of the point of the affine hull nearest to the origin. False: the
// vertices are affinely dependent to rounding.
bool CalcAffineWeights(const Simplex& s, double (&weight)[4]) {
  const Vector3 o = -s.v[0].w;
  if (s.count == 1) {
    weight[0] = 1;
    return true;
  }
  const Vector3 e1 = s.v[1].w + o;
  const double l1 = e1.squaredNorm();
  if (s.count == 2) {
    if (!(l1 > 0)) return false;
    weight[1] = e1.dot(o) / l1;
    weight[0] = 1 - weight[1];
    return true;
  }
  const Vector3 e2 = s.v[2].w + o;
  const Vector3 n = e1.cross(e2);
  const double area2 = n.squaredNorm(), l2 = e2.squaredNorm();
  if (!(area2 > 1e-28 * l1 * l2)) return false;
  if (s.count == 3) {
    weight[1] = n.dot(o.cross(e2)) / area2;
    weight[2] = n.dot(e1.cross(o)) / area2;
    weight[0] = 1 - weight[1] - weight[2];
    return true;
  }
  const Vector3 e3 = s.v[3].w + o;
  const double volume = n.dot(e3);
  if (!(volume * volume > 1e-28 * area2 * e3.squaredNorm())) return false;
  weight[1] = o.dot(e2.cross(e3)) / volume;
  weight[2] = o.dot(e3.cross(e1)) / volume;
  weight[3] = o.dot(n) / volume;
  weight[0] = 1 - weight[1] - weight[2] - weight[3];
  return true;
}

// Moves the weights to the nearest point of the simplex and drops the vertices it does not need.
bool Reduce(Simplex* s) {
  for (;;) {
    double target[4];
    if (!CalcAffineWeights(*s, target)) return false;
    int blocking = -1;
    double step = 1;
    for (int k = 0; k < s->count; ++k) {
      if (target[k] > 0) continue;
      const double way = s->weight[k] - target[k];
      const double limit = way > 0 ? s->weight[k] / way : 0.0;
      if (blocking < 0 || limit < step) step = limit, blocking = k;
    }
    for (int k = 0; k < s->count; ++k) s->weight[k] += step * (target[k] - s->weight[k]);
    if (blocking < 0) return true;
    s->Drop(blocking);
  }
}

bool Contains(const Simplex& s, const MinkowskiVertex& v) {
  for (int k = 0; k < s.count; ++k) {
    if (v.id_a >= 0 && v.id_b >= 0) {
      if (s.v[k].id_a == v.id_a && s.v[k].id_b == v.id_b) return true;
    } else if (s.v[k].w == v.w) {
      return true;
    }
  }
  return false;
}

void SetWitness(const Simplex& s, const Vector3& v, GjkResult* result) {
  result->distance = v.norm();
  result->normal = -v / result->distance;
  result->point_A.setZero();
  result->point_B.setZero();
  for (int k = 0; k < s.count; ++k) {
    result->point_A += s.weight[k] * s.v[k].a;
    result->point_B += s.weight[k] * s.v[k].b;
  }
}

}  // namespace

MinkowskiVertex CalcMinkowskiVertex(const Convex& A, const Convex& B, const Vector3& d) {
  const Support a = CalcSupport(A, d), b = CalcSupport(B, -d);
  const Vector3 x_b = (B.p - A.p) + b.x;
  return {a.x - x_b, a.x, x_b, a.id, b.id};
}

GjkResult CalcGjk(const Convex& A, const Convex& B, double max_distance) {
  constexpr double kTolerance = 1e-14;  // ε in (1)
  constexpr int kMaxIterations = 100;
  const double rounding = 1e-16 * (A.size + B.size);
  const double touch = CalcBias(A, B) + 1e-10 * (A.size + B.size);
  GjkResult result;
  Simplex s;
  Vector3 v = A.p - B.p;
  if (v.squaredNorm() == 0) v = Vector3::UnitX();
  s.v[0] = CalcMinkowskiVertex(A, B, -v);
  s.count = 1;
  v = s.v[0].w;
  result.status = GjkResult::Status::kSeparated;
  for (int i = 0; i < kMaxIterations; ++i) {
    const double v2 = v.squaredNorm();
    if (v2 <= touch * touch) {
      result.status = GjkResult::Status::kTouching;
      break;
    }
    const MinkowskiVertex next = CalcMinkowskiVertex(A, B, -v);
    const double vw = v.dot(next.w);
    if (vw > 0 && vw * vw > max_distance * max_distance * v2) return result = {}, result;
    if (v2 - vw <= kTolerance * v2 + rounding * std::sqrt(v2) || Contains(s, next)) break;  // (1)
    const Simplex previous = s;
    s.weight[s.count] = 0;
    s.v[s.count++] = next;
    const bool reduced = Reduce(&s);
    if (reduced && s.count == 4) {  // the origin is inside the tetrahedron
      result.status = GjkResult::Status::kTouching;
      break;
    }
    const Vector3 closer = s.Point();
    if (!reduced || closer.squaredNorm() >= v2) {  // rounding: v is as near as it gets
      s = previous;
      break;
    }
    v = closer;
  }
  if (result.status == GjkResult::Status::kSeparated) SetWitness(s, v, &result);
  if (result.distance > max_distance) result.status = GjkResult::Status::kFar;
  result.count = s.count;
  std::copy(s.v, s.v + s.count, result.simplex);
  return result;
}

}  // namespace saltus
