#include "saltus/collision/curved_axis.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace saltus {
namespace {

// What a direction may be away from the exact one for its features to be found.
constexpr double kNear = 1e-3;

struct Line {
  Vector3 x, e;  // a point relative to the core's p, and the unit direction
};

// Value, gradient and second derivative of a support function where it is smooth.
struct Smooth {
  double value = 0;
  Vector3 gradient = Vector3::Zero();
  Vector3 bend = Vector3::Zero();  // ∇² = bend bendᵀ
};

// (1)–(3); of a polyhedron, the vertex x.
Smooth CalcSmooth(const Convex& core, const Vector3& d, const Vector3& x) {
  Smooth s;
  if (core.is_polyhedron()) {
    s.gradient = x;
    s.value = d.dot(x);
    return s;
  }
  const Vector3 u = core.axis();
  const double along = u.dot(d);
  const Vector3 across = d - along * u;
  const double length = std::max(across.norm(), 1e-300);
  const Vector3 m = across / length;
  const double r = core.half_size.x(), L = core.half_size.z();
  s.value = L * std::abs(along) + r * length;
  s.gradient = std::copysign(L, along) * u + r * m;
  s.bend = std::sqrt(r / length) * u.cross(m);
  return s;
}

// −s(n) with fixed vertices x_A, x_B of polyhedra: penetration along n.
struct Model {
  const Convex &A, &B;
  Vector3 c, x_A, x_B;

  double Value(const Vector3& n, Vector3* gradient, Vector3 (*bend)[2]) const {
    const Smooth a = CalcSmooth(A, n, x_A), b = CalcSmooth(B, -n, x_B);
    *gradient = a.gradient - b.gradient - c;
    (*bend)[0] = a.bend;
    (*bend)[1] = b.bend;
    return a.value + b.value - n.dot(c);
  }
};

// Newton's method on the sphere (e = 0) or on the circle square to e, with steps halved until the
// penetration decreases. n must be square to e.
Vector3 Minimise(const Model& model, const Vector3& e, Vector3 n) {
  constexpr int kMaxIterations = 30;
  constexpr double kMaxStep = 0.1;
  const bool on_circle = e.squaredNorm() > 0;
  Vector3 gradient, bend[2];
  double value = model.Value(n, &gradient, &bend);
  for (int i = 0; i < kMaxIterations; ++i) {
    const Vector3 t1 = on_circle ? Vector3(e.cross(n)) : Vector3(n.unitOrthogonal());
    const Vector3 t2 = on_circle ? Vector3(Vector3::Zero()) : Vector3(n.cross(t1));
    const double g1 = gradient.dot(t1), g2 = gradient.dot(t2);
    // Hessian on the sphere: tangent part of ∇² minus the value, as the function is homogeneous.
    double h11 = -value, h12 = 0, h22 = -value;
    for (const Vector3& b : bend) {
      h11 += b.dot(t1) * b.dot(t1);
      h12 += b.dot(t1) * b.dot(t2);
      h22 += b.dot(t2) * b.dot(t2);
    }
    Vector3 step;
    if (on_circle) {
      step = (h11 > 0 ? -g1 / h11 : -g1 * 1e3) * t1;
    } else {
      const double det = h11 * h22 - h12 * h12;
      const bool convex = h11 > 0 && det > 0;
      step = convex ? Vector3((-h22 * g1 + h12 * g2) / det * t1 + (h12 * g1 - h11 * g2) / det * t2)
                    : Vector3(-1e3 * (g1 * t1 + g2 * t2));
    }
    if (step.norm() > kMaxStep) step *= kMaxStep / step.norm();
    if (!(step.norm() > 0)) return n;
    for (int halving = 0;; ++halving) {
      const Vector3 next = (n + step).normalized();
      Vector3 next_gradient, next_bend[2];
      const double next_value = model.Value(next, &next_gradient, &next_bend);
      const bool small = step.norm() < 1e-8;  // the value no longer tells: trust Newton
      if (next_value < value || (small && halving == 0)) {
        n = next;
        value = next_value;
        gradient = next_gradient;
        std::copy(next_bend, next_bend + 2, bend);
        if (step.norm() < 1e-15) return n;
        break;
      }
      if (halving > 20) return n;
      step *= 0.5;
    }
  }
  return n;
}

// Calls visit(line) for each line that the core shows near the direction d.
template <typename Visit>
void VisitLines(const Convex& core, const Vector3& d, const Visit& visit) {
  if (!core.is_polyhedron()) {
    const Vector3 u = core.axis();
    if (std::abs(d.dot(u)) > kNear) return;
    visit(Line{core.half_size.x() * (d - d.dot(u) * u).normalized(), u});
    return;
  }
  const double height = CalcExtent(core, d) - kNear * core.size;
  for (const Topology::Edge& edge : core.topology->edges) {
    const Vector3 &x = core.vertices[edge.vertex[0]], &y = core.vertices[edge.vertex[1]];
    if (d.dot(x) >= height && d.dot(y) >= height) visit(Line{x, (y - x).normalized()});
  }
}

// Points of two lines nearest to each other, relative to A.p.
void SetLinePoints(const Line& a, const Line& b, const Vector3& c, Axis* axis) {
  const Vector3 w = c + b.x - a.x;
  const double cosine = a.e.dot(b.e), sine2 = a.e.cross(b.e).squaredNorm();
  const double s = (w.dot(a.e) - cosine * w.dot(b.e)) / sine2;
  axis->point_A = a.x + s * a.e;
  axis->point_B = axis->point_A + axis->separation * axis->normal;
}

class Polisher {
 public:
  Polisher(const Convex& A, const Convex& B, Axis* axis)
      : A_(A), B_(B), c_(B.p - A.p), start_(*axis), best_(axis) {
    best_->separation -= CalcBias(A, B);  // exact directions win ties
  }

  void Run() {
    const Vector3 n = start_.normal;
    VisitLines(A_, n, [&](const Line& a) {
      VisitLines(B_, -n, [&](const Line& b) { OfferCross(a, b); });
      OfferPoint(A_, a, B_, 1.0);
      OfferCircle(a.e, a.x, CalcSupport(B_, -n).x);
    });
    VisitLines(B_, -n, [&](const Line& b) {
      OfferPoint(B_, b, A_, -1.0);
      OfferCircle(b.e, CalcSupport(A_, n).x, b.x);
    });
    OfferSphere();
    if (!found_) *best_ = start_;
    if (!has_points_) SetPoints();
  }

 private:
  bool Offer(const Vector3& direction) {
    const double length = direction.norm();
    if (!(length > 0)) return false;
    Vector3 n = direction / length;
    if (n.dot(start_.normal) < 0) n = -n;
    const double s = CalcSeparation(A_, B_, n);
    if (!(s > best_->separation + (found_ ? 1e-15 * (A_.size + B_.size) : 0.0))) return false;
    best_->normal = n;
    best_->separation = s;
    found_ = true;
    has_points_ = false;
    return true;
  }

  void OfferCross(const Line& a, const Line& b) {  // (4)
    const Vector3 cross = a.e.cross(b.e);
    if (cross.norm() < 1e-6 || !Offer(cross)) return;
    SetLinePoints(a, b, c_, best_);
    has_points_ = true;
  }

  // (5), also for a parallel cylinder: x is its axis. sign: +1 if `core` is A.
  void OfferPoint(const Convex& core, const Line& line, const Convex& other, double sign) {
    if (core.is_polyhedron()) return;
    Vector3 x = sign * c_;
    if (other.is_polyhedron()) {
      x += CalcSupport(other, -sign * start_.normal).x;
    } else if (line.e.cross(other.axis()).norm() > 1e-6) {
      return;
    }
    Offer(sign * (x - x.dot(line.e) * line.e));
  }

  // (6): the line is a kink of its own core, which is replaced by the vertex x there.
  void OfferCircle(const Vector3& e, const Vector3& x_A, const Vector3& x_B) {
    const Vector3 flat = start_.normal - start_.normal.dot(e) * e;
    if (flat.norm() < 0.5) return;
    Offer(Minimise(Model{A_, B_, c_, x_A, x_B}, e, flat.normalized()));
  }

  void OfferSphere() {  // (7)
    const Vector3& n = start_.normal;
    const Model model{A_, B_, c_, CalcSupport(A_, n).x, CalcSupport(B_, -n).x};
    Offer(Minimise(model, Vector3::Zero(), n));
  }

  // A rim point or a single vertex is known; otherwise the iterated points are slid along the
  // normal to the extreme planes.
  void SetPoints() {
    const Vector3& n = best_->normal;
    const double s = best_->separation;
    if (IsPoint(A_, n)) {
      best_->point_A = CalcSupport(A_, n).x;
      best_->point_B = best_->point_A + s * n;
    } else if (IsPoint(B_, -n)) {
      best_->point_B = c_ + CalcSupport(B_, -n).x;
      best_->point_A = best_->point_B - s * n;
    } else {
      const Vector3 middle = 0.5 * (best_->point_A + best_->point_B);
      best_->point_A = middle + (CalcExtent(A_, n) - n.dot(middle)) * n;
      best_->point_B = best_->point_A + s * n;
    }
  }

  // True if a single point of the core is farthest along d.
  static bool IsPoint(const Convex& core, const Vector3& d) {
    constexpr double kFlat = 1e-7;
    if (!core.is_polyhedron()) {
      const double along = std::abs(d.dot(core.axis()));
      return along > kFlat && d.cross(core.axis()).norm() > kFlat;
    }
    const int top = CalcSupport(core, d).id;
    const double height = d.dot(core.vertices[top]) - kFlat * core.size;
    const Topology& t = *core.topology;
    const auto begin = static_cast<std::size_t>(top);
    for (int k = t.neighbor_begin[begin]; k < t.neighbor_begin[begin + 1]; ++k) {
      if (d.dot(core.vertices[t.neighbors[static_cast<std::size_t>(k)]]) >= height) return false;
    }
    return true;
  }

  const Convex &A_, &B_;
  const Vector3 c_;
  const Axis start_;
  Axis* best_;
  bool found_ = false, has_points_ = false;
};

}  // namespace

void PolishAxis(const Convex& A, const Convex& B, Axis* axis) { Polisher(A, B, axis).Run(); }

}  // namespace saltus
