#include "saltus/collision/curved_axis.h"

#include <cmath>

#include "saltus/collision/best_normal.h"

namespace saltus {
namespace {

// What a direction may be away from the exact one for its features to be found.
constexpr double kNear = 1e-3;

struct Line {
  Vector3 x, e;  // a point relative to the core's p, and the unit direction
  Element element;
};

// The support function of a cylinder, or of one vertex x of a polyhedron.
RoundSupport MakeSupport(const Convex& core, const Vector3& x) {
  if (core.is_polyhedron()) return {x};
  return {Vector3::Zero(), core.axis(), core.half_size.x(), core.half_size.z()};
}

// Calls visit(line) for each line that the core shows near the direction d.
template <typename Visit>
void VisitLines(const Convex& core, const Vector3& d, const Visit& visit) {
  if (!core.is_polyhedron()) {
    const Vector3 u = core.axis();
    if (std::abs(d.dot(u)) > kNear) return;
    visit(Line{core.half_size.x() * (d - d.dot(u) * u).normalized(), u, {ElementKind::kLine, 0}});
    return;
  }
  const double height = CalcExtent(core, d) - kNear * core.size;
  for (std::size_t e = 0; e < core.topology->edges.size(); ++e) {
    const Topology::Edge& edge = core.topology->edges[e];
    const Vector3 &x = core.vertices[edge.vertex[0]], &y = core.vertices[edge.vertex[1]];
    if (d.dot(x) < height || d.dot(y) < height) continue;
    visit(Line{x, (y - x).normalized(), {ElementKind::kLine, static_cast<int>(e)}});
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
      OfferCircle(a, true);
    });
    VisitLines(B_, -n, [&](const Line& b) {
      OfferPoint(B_, b, A_, -1.0);
      OfferCircle(b, false);
    });
    OfferSphere();
    if (!found_) *best_ = start_;
    if (!has_points_) SetPoints();
  }

 private:
  bool Offer(const Vector3& direction, Element a, Element b) {
    const double length = direction.norm();
    if (!(length > 0)) return false;
    Vector3 n = direction / length;
    if (n.dot(start_.normal) < 0) n = -n;
    const double s = CalcSeparation(A_, B_, n);
    if (!(s > best_->separation + (found_ ? 1e-15 * (A_.size + B_.size) : 0.0))) return false;
    best_->normal = n;
    best_->separation = s;
    best_->element_A = a;
    best_->element_B = b;
    found_ = true;
    has_points_ = false;
    return true;
  }

  void OfferCross(const Line& a, const Line& b) {  // (4)
    const Vector3 cross = a.e.cross(b.e);
    if (cross.norm() < 1e-6 || !Offer(cross, a.element, b.element)) return;
    SetLinePoints(a, b, c_, best_);
    has_points_ = true;
  }

  // (5), also for a parallel cylinder: x is its axis. sign: +1 if `core` is A.
  void OfferPoint(const Convex& core, const Line& line, const Convex& other, double sign) {
    if (core.is_polyhedron()) return;
    Vector3 x = sign * c_;
    Element element{ElementKind::kLine, 0};
    if (other.is_polyhedron()) {
      element = FindSupportElement(other, -sign * start_.normal);
      x += CalcSupport(other, -sign * start_.normal).x;
    } else if (line.e.cross(other.axis()).norm() > 1e-6) {
      return;
    }
    const bool is_A = sign > 0;
    Offer(sign * (x - x.dot(line.e) * line.e), is_A ? line.element : element,
          is_A ? element : line.element);
  }

  // (6): the line is a kink of its own core, which is replaced by a point of it there.
  void OfferCircle(const Line& line, bool of_A) {
    Vector3 n = start_.normal - start_.normal.dot(line.e) * line.e;
    if (n.norm() < 0.5) return;
    n.normalize();
    const Vector3& d = start_.normal;
    RoundSupport a = of_A ? RoundSupport{line.x} : MakeSupport(A_, CalcSupport(A_, d).x);
    RoundSupport b = of_A ? MakeSupport(B_, CalcSupport(B_, -d).x) : RoundSupport{line.x};
    b.x += c_;
    FindBestNormal(a, b, line.e, &n);
    Offer(n, of_A ? line.element : FindSupportElement(A_, n),
          of_A ? FindSupportElement(B_, -n) : line.element);
  }

  void OfferSphere() {  // (7)
    Vector3 n = start_.normal;
    const RoundSupport a = MakeSupport(A_, CalcSupport(A_, n).x);
    RoundSupport b = MakeSupport(B_, CalcSupport(B_, -n).x);
    b.x += c_;
    FindBestNormal(a, b, Vector3::Zero(), &n);
    Offer(n, FindSupportElement(A_, n), FindSupportElement(B_, -n));
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
