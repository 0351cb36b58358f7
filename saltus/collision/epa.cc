#include "saltus/collision/epa.h"

#include <cmath>
#include <limits>
#include <utility>

namespace saltus {
namespace {

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

// Weights of the projection of the origin on triangle (a, b, c), kept inside it.
Vector3 CalcWeights(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& n,
                    double d) {
  const Vector3 p = d * n;
  Vector3 weight(n.dot((b - p).cross(c - p)), n.dot((c - p).cross(a - p)),
                 n.dot((a - p).cross(b - p)));
  weight = weight.cwiseMax(0.0);
  const double sum = weight.sum();
  return sum > 0 ? Vector3(weight / sum) : Vector3(Vector3::Constant(1.0 / 3.0));
}

}  // namespace

int Epa::AddFace(int a, int b, int c) {
  Face f{{a, b, c}, {-1, -1, -1}, Vector3::Zero(), 0.0, true, 0};
  const Vector3 &x = vertices_[Index(a)].w, &y = vertices_[Index(b)].w, &z = vertices_[Index(c)].w;
  const Vector3 cross = (y - x).cross(z - x);
  const double area = cross.norm();
  const double scale = (y - x).norm() * (z - x).norm();
  if (area > 1e-12 * scale) {
    f.n = cross / area;
    f.d = f.n.dot(x);
  } else {
    f.d = std::numeric_limits<double>::infinity();  // a sliver: never nearest, never visible
  }
  faces_.push_back(f);
  return static_cast<int>(faces_.size()) - 1;
}

// Completes the simplex of GJK to a tetrahedron with volume.
bool Epa::MakeTetrahedron(const Convex& A, const Convex& B, const GjkResult& start) {
  vertices_.assign(start.simplex, start.simplex + start.count);
  const double size = A.size + B.size;
  const auto add = [&](const Vector3& d) {
    vertices_.push_back(CalcMinkowskiVertex(A, B, d));
    return vertices_.back().w;
  };
  if (vertices_.empty()) add(Vector3::UnitX());
  for (int k = 0; k < 6 && vertices_.size() == 1; ++k) {
    const Vector3 w = add((k < 3 ? 1.0 : -1.0) * Vector3::Unit(k % 3));
    if ((w - vertices_[0].w).norm() < 1e-9 * size) vertices_.pop_back();
  }
  if (vertices_.size() < 2) return false;
  const Vector3 along = (vertices_[1].w - vertices_[0].w).normalized();
  const Vector3 ex = along.unitOrthogonal(), ey = along.cross(ex);
  for (int k = 0; k < 6 && vertices_.size() == 2; ++k) {
    const double angle = k * (std::acos(-1.0) / 3.0);
    const Vector3 w = add(std::cos(angle) * ex + std::sin(angle) * ey);
    if (along.cross(w - vertices_[0].w).norm() < 1e-9 * size) vertices_.pop_back();
  }
  if (vertices_.size() < 3) return false;
  const Vector3 o = vertices_[0].w;
  const Vector3 n = (vertices_[1].w - o).cross(vertices_[2].w - o).normalized();
  for (int k = 0; k < 2 && vertices_.size() == 3; ++k) {
    const Vector3 w = add(k == 0 ? n : Vector3(-n));
    if (std::abs(n.dot(w - o)) < 1e-9 * size) vertices_.pop_back();
  }
  if (vertices_.size() < 4) return false;
  if (n.dot(vertices_[3].w - o) > 0) std::swap(vertices_[1], vertices_[2]);
  faces_.clear();
  AddFace(0, 1, 2);
  AddFace(0, 2, 3);
  AddFace(0, 3, 1);
  AddFace(1, 3, 2);
  constexpr int kNeighbors[4][3] = {{2, 3, 1}, {0, 3, 2}, {1, 3, 0}, {2, 1, 0}};
  for (int f = 0; f < 4; ++f) {
    for (int k = 0; k < 3; ++k) faces_[Index(f)].neighbor[k] = kNeighbors[f][k];
  }
  return true;
}

int Epa::FindNearestFace() const {
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    if (faces_[f].alive && faces_[f].d < least) {
      least = faces_[f].d;
      best = static_cast<int>(f);
    }
  }
  return best;
}

// Replaces the faces that see the vertex by a cone over their border. False: the border is not one
// loop (rounding), and the polytope is to be left as it is.
bool Epa::Expand(int face, int vertex, double tolerance, int stamp) {
  const Vector3 w = vertices_[Index(vertex)].w;
  horizon_.clear();
  stack_.assign(1, face);
  faces_[Index(face)].stamp = stamp;
  faces_[Index(face)].alive = false;
  while (!stack_.empty()) {
    const Face f = faces_[Index(stack_.back())];
    stack_.pop_back();
    for (int k = 0; k < 3; ++k) {
      Face& g = faces_[Index(f.neighbor[k])];
      if (g.stamp == stamp && !g.alive) continue;
      if (g.n.dot(w) - g.d > tolerance) {
        g.stamp = stamp;
        g.alive = false;
        stack_.push_back(f.neighbor[k]);
      } else {
        horizon_.push_back({f.v[k], f.v[(k + 1) % 3], f.neighbor[k]});
      }
    }
  }
  const int first = static_cast<int>(faces_.size());
  for (const HorizonEdge& e : horizon_) {
    const int f = AddFace(e.a, e.b, vertex);
    faces_[Index(f)].neighbor[0] = e.face;
    Face& g = faces_[Index(e.face)];
    for (int k = 0; k < 3; ++k) {
      if (g.v[k] == e.b && g.v[(k + 1) % 3] == e.a) g.neighbor[k] = f;
    }
  }
  for (std::size_t i = 0; i < horizon_.size(); ++i) {
    for (std::size_t j = 0; j < horizon_.size(); ++j) {
      if (horizon_[j].a != horizon_[i].b) continue;
      faces_[Index(first) + i].neighbor[1] = first + static_cast<int>(j);
      faces_[Index(first) + j].neighbor[2] = first + static_cast<int>(i);
    }
  }
  for (std::size_t i = 0; i < horizon_.size(); ++i) {
    const Face& f = faces_[Index(first) + i];
    if (f.neighbor[1] < 0 || f.neighbor[2] < 0) return false;
  }
  return true;
}

EpaResult Epa::Solve(const Convex& A, const Convex& B, const GjkResult& start) {
  constexpr int kMaxIterations = 200;
  EpaResult result;
  if (!MakeTetrahedron(A, B, start)) return result;
  const double tolerance = 1e-10 * (A.size + B.size);
  double best = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMaxIterations; ++i) {
    const int nearest = FindNearestFace();
    if (nearest < 0) break;
    const Face f = faces_[Index(nearest)];
    const MinkowskiVertex next = CalcMinkowskiVertex(A, B, f.n);
    const double sigma = f.n.dot(next.w);
    if (-sigma > best) {  // the best upper bound so far is always a valid answer
      best = -sigma;
      const MinkowskiVertex &a = vertices_[Index(f.v[0])], &b = vertices_[Index(f.v[1])],
                            &c = vertices_[Index(f.v[2])];
      const Vector3 weight = CalcWeights(a.w, b.w, c.w, f.n, f.d);
      result.found = true;
      result.normal = f.n;
      result.separation = -sigma;
      result.point_A = weight[0] * a.a + weight[1] * b.a + weight[2] * c.a;
      result.point_B = weight[0] * a.b + weight[1] * b.b + weight[2] * c.b;
    }
    if (sigma - f.d <= tolerance) break;  // (1)
    vertices_.push_back(next);
    if (!Expand(nearest, static_cast<int>(vertices_.size()) - 1, 0.01 * tolerance, i + 1)) break;
  }
  return result;
}

}  // namespace saltus
