// Where no face looks along the normal: the elements that are nearest, and edges that are nearly
// parallel.
#include <algorithm>
#include <cmath>

#include "saltus/collision/manifold_faces.h"

namespace saltus {
namespace {

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

// Sine of an angle below which two edges, or an edge and the plane of contact, are nearly parallel.
constexpr double kNearlyParallel = 0.1;

// The edge of direction number `direction` that is farthest along n.
int FindEdge(const Convex& core, int direction, const Vector3& n) {
  int best = -1;
  double largest = 0;
  for (int e = 0; e < static_cast<int>(core.topology->edges.size()); ++e) {
    const Topology::Edge& edge = core.topology->edges[Index(e)];
    if (edge.direction != direction) continue;
    const double h = n.dot(core.vertices[edge.vertex[0]] + core.vertices[edge.vertex[1]]);
    if (best < 0 || h > largest) largest = h, best = e;
  }
  return best;
}

// An edge, the axis of a capsule or the side of a cylinder, between its two ends.
struct Stretch {
  Element line, ends[2];
  Vector3 start, end;  // relative to the core's p
};

// Calls function(stretch) for those within `reach` of the farthest point along d.
template <typename Function>
void VisitStretches(const Convex& core, const Vector3& d, double reach, const Function& function) {
  if (!core.is_polyhedron()) {
    if (std::abs(d.dot(core.axis())) > kNearlyParallel) return;
    const Vector3 half = core.half_size.z() * core.axis();
    const Vector3 out = core.half_size.x() * (d - d.dot(core.axis()) * core.axis()).normalized();
    function(Stretch{{ElementKind::kLine, 0},
                     {{ElementKind::kRim, 0}, {ElementKind::kRim, 1}},
                     out - half,
                     out + half});
    return;
  }
  const double height = CalcExtent(core, d) - reach;
  for (int e = 0; e < static_cast<int>(core.topology->edges.size()); ++e) {
    const Topology::Edge& edge = core.topology->edges[Index(e)];
    const Vector3 &a = core.vertices[edge.vertex[0]], &b = core.vertices[edge.vertex[1]];
    if (std::max(d.dot(a), d.dot(b)) < height) continue;
    if (std::abs(d.dot(b - a)) > kNearlyParallel * (b - a).norm()) continue;
    function(Stretch{{ElementKind::kLine, e},
                     {{ElementKind::kPoint, edge.vertex[0]}, {ElementKind::kPoint, edge.vertex[1]}},
                     a,
                     b});
  }
}

bool IsSharp(const Convex& core, Element e) {
  return core.radius == 0 &&
         (e.kind == ElementKind::kPoint || (e.kind == ElementKind::kLine && core.is_polyhedron()));
}

int TangentIndex(Element e) { return MixIndex(static_cast<int>(e.kind), e.index, 0); }

}  // namespace

// The nearest points of two edges, kept on them; their difference is not along the normal then, and
// false is returned.
bool ManifoldBuilder::FindEdgePoints(Element a, Element b, Vector3* x_A, Vector3* x_B) const {
  const PlacedElement A = PlaceElement(*A_, a), B = PlaceElement(*B_, b);
  const auto length = [](const Convex& core, Element e) {
    const Topology::Edge& edge = core.topology->edges[Index(e.index)];
    return (core.vertices[edge.vertex[1]] - core.vertices[edge.vertex[0]]).norm();
  };
  const Vector3 w = (B_->p - A_->p) + B.x - A.x;
  const double uv = A.d.dot(B.d), uw = A.d.dot(w), vw = B.d.dot(w);
  const double free = (uw - vw * uv) / (1 - uv * uv), free_B = free * uv - vw;
  const double length_A = length(*A_, a), length_B = length(*B_, b);
  double s = std::clamp(free, 0.0, length_A);
  const double t = std::clamp(s * uv - vw, 0.0, length_B);
  s = std::clamp(uw + t * uv, 0.0, length_A);
  *x_A = A.x + s * A.d;
  *x_B = (B_->p - A_->p) + B.x + t * B.d;
  const auto inside = [&](double x, double l) { return x > -tolerance_ && x < l + tolerance_; };
  return inside(free, length_A) && inside(free_B, length_B);
}

// The elements of the axis itself. A sharp edge or vertex against a vertex has no distance that is
// smooth through zero: there a plane square to the normal takes the place of the first of them.
void ManifoldBuilder::AddNearest(const Axis& axis) {
  Element a = axis.element_A, b = axis.element_B;
  if (axis.kind == Axis::Kind::kEdges) {
    a = {ElementKind::kLine, FindEdge(*A_, axis.index_A, n_)};
    b = {ElementKind::kLine, FindEdge(*B_, axis.index_B, -n_)};
  }
  const bool crossing = a.kind == ElementKind::kLine && b.kind == ElementKind::kLine;
  const bool sharp = IsSharp(*A_, a) && IsSharp(*B_, b) && !crossing;
  Vector3 x_A = axis.point_A, x_B = axis.point_B;
  const bool meets = axis.kind != Axis::Kind::kEdges || FindEdgePoints(a, b, &x_A, &x_B);
  if (a.kind != ElementKind::kTangent && !sharp && meets) {
    const std::size_t before = points_.size();
    const double wanted = axis.separation - A_->radius - B_->radius;
    if (Offer(a, b) && points_.size() > before) {
      if (std::abs(points_.back().gap - wanted) <= CalcBias(*A_, *B_)) return;
      points_.pop_back();
    }
  }
  const bool tangent_B = sharp && a.kind == ElementKind::kPoint && b.kind == ElementKind::kLine;
  PlacedElement A{ElementKind::kTangent, x_A, n_, A_->radius};
  PlacedElement B{sharp ? ElementKind::kPoint : ElementKind::kMaterial, x_B, n_, B_->radius};
  Element other = sharp ? b : Element{ElementKind::kMaterial, TangentIndex(b)};
  if (!tangent_B) {
    OfferPlaced(A, B, MakeFeature({ElementKind::kTangent, TangentIndex(a)}, other));
    return;
  }
  A.kind = ElementKind::kPoint;
  B = {ElementKind::kTangent, x_B, -n_, B_->radius};
  OfferPlaced(A, B, MakeFeature(a, {ElementKind::kTangent, TangentIndex(b)}));
}

// The two ends of the common stretch of lines that are nearly parallel.
void ManifoldBuilder::BuildLines(const Axis& axis) {
  if (axis.kind == Axis::Kind::kFaceA || axis.kind == Axis::Kind::kFaceB) return;
  const Vector3 c = B_->p - A_->p;
  const double reach = max_gap_ - (axis.separation - A_->radius - B_->radius);
  const double tiny = 1e-13 * (A_->size + B_->size);
  const std::size_t first = points_.size();
  const auto offer_end = [&](bool of_A, const Stretch& line, Element end, const Vector3& x) {
    const Convex& core = of_A ? *B_ : *A_;  // that of the line
    const Convex& other = of_A ? *A_ : *B_;
    if (!IsSharp(core, line.line) || !IsSharp(other, end)) {
      of_A ? Offer(end, line.line) : Offer(line.line, end);
      return;
    }
    const Vector3 e = (line.end - line.start).normalized();
    PlacedElement plane{ElementKind::kTangent, line.start};
    plane.x += of_A ? c : Vector3::Zero();
    plane.d = (n_ - n_.dot(e) * e).normalized() * (of_A ? -1.0 : 1.0);
    const PlacedElement point{ElementKind::kPoint, x};
    const Element tangent{ElementKind::kTangent, TangentIndex(line.line)};
    of_A ? OfferPlaced(point, plane, MakeFeature(end, tangent))
         : OfferPlaced(plane, point, MakeFeature(tangent, end));
  };
  VisitStretches(*A_, n_, reach, [&](const Stretch& a) {
    VisitStretches(*B_, -n_, reach, [&](const Stretch& b) {
      const Vector3 along = (a.end - a.start).normalized();
      const Vector3 across = (b.end - b.start).normalized();
      if (along.cross(across).norm() > kNearlyParallel) return;
      // Every end of one that is beside the other.
      const double a0 = along.dot(a.start), a1 = along.dot(a.end);
      const double b0 = across.dot(c + b.start), b1 = across.dot(c + b.end);
      for (int k = 0; k < 2; ++k) {
        const Vector3& x_A = k == 0 ? a.start : a.end;
        const Vector3 x_B = c + (k == 0 ? b.start : b.end);
        const double at_B = across.dot(x_A), at_A = along.dot(x_B);
        if (at_B >= b0 - tolerance_ && at_B <= b1 + tolerance_) offer_end(true, b, a.ends[k], x_A);
        if (at_A > a0 + tolerance_ && at_A < a1 - tolerance_) offer_end(false, a, b.ends[k], x_B);
      }
    });
  });
  // The nearest elements add nothing where an end is as near.
  if (first != 1 || points_.size() < 3) return;
  const bool repeated = std::any_of(points_.begin() + 1, points_.end(),
                                    [&](const auto& p) { return p.gap <= points_[0].gap + tiny; });
  if (repeated) points_.erase(points_.begin());
}

}  // namespace saltus
