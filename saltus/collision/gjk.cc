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

  void Keep(int i) {
    v[0] = v[i];
    weight[0] = 1;
    count = 1;
  }
  void Keep(int i, int j, double wi, double wj) {
    const MinkowskiVertex a = v[i], b = v[j];
    v[0] = a, v[1] = b;
    weight[0] = wi, weight[1] = wj;
    count = 2;
  }
  void Keep(int i, int j, int k, const Vector3& w) {
    const MinkowskiVertex a = v[i], b = v[j], c = v[k];
    v[0] = a, v[1] = b, v[2] = c;
    weight[0] = w[0], weight[1] = w[1], weight[2] = w[2];
    count = 3;
  }
  Vector3 Point() const {
    Vector3 x = weight[0] * v[0].w;
    for (int k = 1; k < count; ++k) x += weight[k] * v[k].w;
    return x;
  }
};

struct Nearest {  // on a triangle: barycentric weights, zero for the vertices that do not count
  Vector3 weight;
  double squared_distance;
};

// The point of triangle (a, b, c) nearest to the origin by its Voronoi regions @cite Ericson2005.
Nearest FindNearestOnTriangle(const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 ab = b - a, ac = c - a;
  const auto make = [&](double u, double v, double w) {
    return Nearest{Vector3(u, v, w), (u * a + v * b + w * c).squaredNorm()};
  };
  const double d1 = -ab.dot(a), d2 = -ac.dot(a);
  if (d1 <= 0 && d2 <= 0) return make(1, 0, 0);
  const double d3 = -ab.dot(b), d4 = -ac.dot(b);
  if (d3 >= 0 && d4 <= d3) return make(0, 1, 0);
  const double d5 = -ab.dot(c), d6 = -ac.dot(c);
  if (d6 >= 0 && d5 <= d6) return make(0, 0, 1);
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return make(1 - d1 / (d1 - d3), d1 / (d1 - d3), 0);
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return make(1 - d2 / (d2 - d6), 0, d2 / (d2 - d6));
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return make(0, 1 - t, t);
  }
  const double sum = va + vb + vc;
  return make(va / sum, vb / sum, vc / sum);
}

void KeepWeights(Simplex* s, const int (&index)[3], const Vector3& w) {
  int used[3], n = 0;
  for (int k = 0; k < 3; ++k) {
    if (w[k] > 0) used[n++] = k;
  }
  if (n == 1) s->Keep(index[used[0]]);
  if (n == 2) s->Keep(index[used[0]], index[used[1]], w[used[0]], w[used[1]]);
  if (n == 3) s->Keep(index[0], index[1], index[2], w);
}

void ReduceSegment(Simplex* s) {
  const Vector3 d = s->v[1].w - s->v[0].w;
  const double length2 = d.squaredNorm();
  const double t = length2 > 0 ? -s->v[0].w.dot(d) / length2 : 0.0;
  if (t <= 0) return s->Keep(0);
  if (t >= 1) return s->Keep(1);
  s->Keep(0, 1, 1 - t, t);
}

void ReduceTriangle(Simplex* s) {
  KeepWeights(s, {0, 1, 2}, FindNearestOnTriangle(s->v[0].w, s->v[1].w, s->v[2].w).weight);
}

// Returns true if the tetrahedron contains the origin.
bool ReduceTetrahedron(Simplex* s) {
  constexpr int kFaces[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
  double best = std::numeric_limits<double>::infinity();
  int best_face = -1;
  Vector3 best_weight = Vector3::Zero();
  for (int f = 0; f < 4; ++f) {
    const Vector3 &a = s->v[kFaces[f][0]].w, &b = s->v[kFaces[f][1]].w, &c = s->v[kFaces[f][2]].w;
    const Vector3 n = (b - a).cross(c - a);
    const double inner = n.dot(s->v[kFaces[f][3]].w - a), origin = -n.dot(a);
    if (inner * origin > 0) continue;  // the origin is on the inner side of this face
    const Nearest nearest = FindNearestOnTriangle(a, b, c);
    if (nearest.squared_distance < best) {
      best = nearest.squared_distance;
      best_weight = nearest.weight;
      best_face = f;
    }
  }
  if (best_face < 0) return true;
  const int(&face)[4] = kFaces[best_face];
  KeepWeights(s, {face[0], face[1], face[2]}, best_weight);
  return false;
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
    if (v2 - vw <= kTolerance * v2 || Contains(s, next)) break;  // (1)
    const Simplex previous = s;
    s.v[s.count++] = next;
    bool contains_origin = false;
    if (s.count == 2) {
      ReduceSegment(&s);
    } else if (s.count == 3) {
      ReduceTriangle(&s);
    } else {
      contains_origin = ReduceTetrahedron(&s);
    }
    if (contains_origin) {
      result.status = GjkResult::Status::kTouching;
      break;
    }
    const Vector3 closer = s.Point();
    if (closer.squaredNorm() >= v2) {  // rounding has the last word: v is as near as it gets
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
