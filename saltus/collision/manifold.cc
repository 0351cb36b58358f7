#include "saltus/collision/manifold.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "saltus/collision/manifold_faces.h"

namespace saltus {
namespace {

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

// How far beside a face a vertex may be to count as on its border, m.
double CalcClipTolerance(const Convex& A, const Convex& B) {
  return 1e-7 * std::min(A.size, B.size) + 1e-14 * (A.size + B.size);
}

// Two witnesses whose normals differ by more than this belong to other sides of a shape.
constexpr double kMinAlignment = 0.95;

}  // namespace

const std::vector<ManifoldPoint>& ManifoldBuilder::Build(const Convex& A, const Convex& B,
                                                         const Axis& axis, double max_gap,
                                                         Normals normals) {
  points_.clear();
  A_ = &A;
  B_ = &B;
  n_ = axis.normal;
  max_gap_ = max_gap;
  normals_ = normals;
  tolerance_ = CalcClipTolerance(A, B);
  least_ = axis.separation - A.radius - B.radius - CalcBias(A, B);
  const bool is_face = axis.kind == Axis::Kind::kFaceA || axis.kind == Axis::Kind::kFaceB;
  if (normals == Normals::kAxis) least_ = -std::numeric_limits<double>::infinity();
  if (!is_face) AddNearest(axis);
  Faces faces;
  if (FindFaces(axis, &faces)) {
    BuildFaces(faces);
  } else {
    BuildLines(axis);
  }
  if (points_.size() > 8) Reduce();
  return points_;
}

const std::vector<ManifoldPoint>& ManifoldBuilder::BuildOnPlane(const Vector3& n, double offset,
                                                                const Convex& B, double max_gap) {
  points_.clear();
  A_ = B_ = &B;
  n_ = n;
  for (int i = 0; i < B.num_vertices(); ++i) {
    const Vector3& x = B.vertices[i];
    const double gap = n.dot(x) - offset;
    if (gap >= max_gap) continue;
    const Feature feature = MakeFeature({ElementKind::kFace, 0}, {ElementKind::kPoint, i});
    points_.push_back({x - gap * n, x, n, gap, feature});
  }
  if (points_.size() > 8) Reduce();
  return points_;
}

// The reference face is that of the axis, or else the one that looks along the normal best.
bool ManifoldBuilder::FindFaces(const Axis& axis, Faces* f) const {
  const auto find = [](const Convex& core, const Vector3& d, int* face) {
    if (!core.is_polyhedron()) {
      *face = d.dot(core.axis()) > 0 ? 1 : 0;
      return std::abs(d.dot(core.axis()));
    }
    *face = FindFace(core, d);
    return *face < 0 ? -1.0 : d.dot(core.normals[*face]);
  };
  int face_A = axis.index_A, face_B = axis.index_B;
  switch (axis.kind) {
    case Axis::Kind::kFaceA:
      f->swapped = false;
      if (!A_->is_polyhedron()) find(*A_, n_, &face_A);
      break;
    case Axis::Kind::kFaceB:
      f->swapped = true;
      if (!B_->is_polyhedron()) find(*B_, -n_, &face_B);
      break;
    default: {
      if (normals_ == Normals::kAxis) return false;
      constexpr double kFlat = 0.9, kTie = 1e-6;
      const double cosine_A = find(*A_, n_, &face_A), cosine_B = find(*B_, -n_, &face_B);
      if (std::max(cosine_A, cosine_B) < kFlat) return false;
      f->swapped = cosine_B > cosine_A + kTie;
    }
  }
  f->ref = f->swapped ? B_ : A_;
  f->inc = f->swapped ? A_ : B_;
  f->face = f->swapped ? face_B : face_A;
  f->n = f->swapped ? Vector3(-n_) : n_;
  f->offset = f->inc->p - f->ref->p;
  return true;
}

void ManifoldBuilder::BuildFaces(const Faces& faces) {
  Faces f = faces;
  AddIncident(&f);
  Clip(f);
  for (const Vertex& v : polygon_) AddCorner(f, v);
  if (!f.inc->is_polyhedron() && f.inc_face >= 0) AddLowestRim(f);
  AddDeepestVertex(f);
  if (normals_ == Normals::kOwn) AddOtherFaces(f);
}

void ManifoldBuilder::Clip(const Faces& f) {
  if (!f.ref->is_polyhedron()) return ClipByDisc(f);
  const Topology& t = *f.ref->topology;
  const int begin = t.face_begin[Index(f.face)], end = t.face_begin[Index(f.face) + 1];
  for (int k = begin; k < end && !polygon_.empty(); ++k) {
    const Vector3& a = f.ref->vertices[t.face_vertices[Index(k)]];
    const Vector3& b = f.ref->vertices[t.face_vertices[Index(k + 1 < end ? k + 1 : begin)]];
    const Vector3 side = (b - a).cross(f.n).normalized();
    ClipBySide(f, side, side.dot(a), k - begin);
  }
}

// Puts the part of the incident core that faces the normal into polygon_: two vertices mean a
// segment.
void ManifoldBuilder::AddIncident(Faces* f) {
  const Convex& inc = *f->inc;
  polygon_.clear();
  const auto add = [&](const Vector3& x, Element element, int edge) {
    polygon_.push_back({f->offset + x, edge, From::kElement, element});
  };
  f->inc_face = -1;
  if (inc.kind == ConvexKind::kCylinder) {
    constexpr double kStands = 0.7;
    const double cosine = f->n.dot(inc.axis());
    const int near_cap = cosine > 0 ? 0 : 1;
    if (std::abs(cosine) < kStands) {  // the line of the side, between the lowest rim points
      const Vector3 down = (cosine * inc.axis() - f->n).normalized();
      for (const int cap : {near_cap, 1 - near_cap}) {
        const Element rim{ElementKind::kRim, cap};
        add(PlaceElement(inc, rim).x + inc.half_size.x() * down, rim, 0);
      }
      return;
    }
    f->inc_face = near_cap;
    for (int k = 0; k < 8; ++k) {
      const Element point{ElementKind::kPoint, 8 * near_cap + k};
      add(PlaceElement(inc, point).x, point, k);
    }
    return;
  }
  f->inc_face = FindFace(inc, -f->n);
  if (f->inc_face < 0) {  // a segment
    add(inc.vertices[0], {ElementKind::kPoint, 0}, 0);
    add(inc.vertices[1], {ElementKind::kPoint, 1}, 0);
    return;
  }
  const Topology& t = *inc.topology;
  for (int k = t.face_begin[Index(f->inc_face)]; k < t.face_begin[Index(f->inc_face) + 1]; ++k) {
    const int vertex = t.face_vertices[Index(k)];
    add(inc.vertices[vertex], {ElementKind::kPoint, vertex}, t.face_edges[Index(k)]);
  }
}

// Sutherland–Hodgman with a thick plane: a vertex within tolerance of it is kept as it is.
void ManifoldBuilder::ClipBySide(const Faces& f, const Vector3& side, double offset, int side_id) {
  clipped_.clear();
  const Topology& t = *f.ref->topology;
  const int num_sides = t.face_begin[Index(f.face) + 1] - t.face_begin[Index(f.face)];
  const std::size_t count = polygon_.size();
  const std::size_t num_edges = count == 2 ? 1 : count;
  for (std::size_t i = 0; i < count; ++i) {
    const Vertex &v = polygon_[i], &w = polygon_[(i + 1) % count];
    const double dv = side.dot(v.x) - offset, dw = side.dot(w.x) - offset;
    if (dv <= tolerance_) clipped_.push_back(v);
    const bool leaves = dv < -tolerance_ && dw > tolerance_;
    const bool enters = dv > tolerance_ && dw < -tolerance_;
    if (i >= num_edges || !(leaves || enters)) {
      // The border runs along the side after the last kept vertex.
      if (dv <= tolerance_ && dw > tolerance_ && count > 2) clipped_.back().edge = -1 - side_id;
      continue;
    }
    Vertex cut{v.x + dv / (dv - dw) * (w.x - v.x), v.edge};
    if (leaves && count > 2) cut.edge = -1 - side_id;
    if (v.edge >= 0) {
      cut.from = From::kCut;
      cut.element = {ElementKind::kLine, v.edge};
      cut.side = side_id;
      cut.slot = leaves ? 1 : 0;
    } else {  // two sides of the reference meet in a corner of it
      const int other = -1 - v.edge;
      cut.from = From::kCorner;
      cut.side = (other + 1) % num_sides == side_id ? side_id : other;
    }
    clipped_.push_back(cut);
  }
  polygon_.swap(clipped_);
}

// Keeps what is inside the disc of the cap, seen along the normal: vertices and crossings of edges.
void ManifoldBuilder::ClipByDisc(const Faces& f) {
  clipped_.clear();
  const Convex& ref = *f.ref;
  const double radius = ref.half_size.x();
  const Vector3 outward = PlaceElement(ref, {ElementKind::kFace, f.face}).d;
  const auto flat = [&](const Vector3& x) -> Vector3 {
    return x - (x.dot(outward) / f.n.dot(outward)) * f.n;  // along n into the plane of the cap
  };
  const Vector3 center = flat(PlaceElement(ref, {ElementKind::kFace, f.face}).x);
  const std::size_t count = polygon_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Vertex &v = polygon_[i], &w = polygon_[(i + 1) % count];
    const Vector3 a = flat(v.x) - center, d = flat(w.x) - flat(v.x);
    const bool inside = a.norm() <= radius + tolerance_;
    const bool next_inside = (a + d).norm() <= radius + tolerance_;
    if (inside) clipped_.push_back(v);
    if ((inside && next_inside) || (count == 2 && i == 1)) continue;
    // |a + t d|² = r²
    const double dd = d.squaredNorm(), ad = a.dot(d);
    const double discriminant = ad * ad - dd * (a.squaredNorm() - radius * radius);
    if (dd == 0 || discriminant <= 0) continue;
    const double root = std::sqrt(discriminant), border = tolerance_ / std::sqrt(dd);
    for (int k = 0; k < 2; ++k) {
      const double at = (-ad + (k == 0 ? -root : root)) / dd;
      if (at <= border || at >= 1 - border || (k == 0 ? inside : next_inside)) continue;
      clipped_.push_back(
          {v.x + at * (w.x - v.x), v.edge, From::kCut, {ElementKind::kLine, v.edge}, 0, k});
    }
  }
  polygon_.swap(clipped_);
}

// Keeps the deepest point and the farthest ones in eight directions across the normal, which turn
// with A.
void ManifoldBuilder::Reduce() {
  const Vector3 cosines = (A_->R.transpose() * n_).cwiseAbs();
  int k = 0;
  cosines.minCoeff(&k);
  const Vector3 ex = (A_->R.col(k) - n_.dot(A_->R.col(k)) * n_).normalized(), ey = n_.cross(ex);
  kept_.clear();
  const auto keep = [&](const ManifoldPoint& p) {
    for (const ManifoldPoint& other : kept_) {
      if (other.feature == p.feature) return;
    }
    kept_.push_back(p);
  };
  keep(*std::min_element(points_.begin(), points_.end(),
                         [](const auto& p, const auto& q) { return p.gap < q.gap; }));
  for (int i = 0; i < 8; ++i) {
    const double angle = 0.25 * std::numbers::pi * i;
    const Vector3 d = std::cos(angle) * ex + std::sin(angle) * ey;
    keep(*std::max_element(points_.begin(), points_.end(), [&](const auto& p, const auto& q) {
      return d.dot(p.point_A) < d.dot(q.point_A);
    }));
  }
  points_.swap(kept_);
}

bool ManifoldBuilder::Offer(Element a, Element b, const Vector3* at) {
  PlacedElement A = PlaceElement(*A_, a), B = PlaceElement(*B_, b);
  B.x += B_->p - A_->p;
  return OfferPlaced(A, B, MakeFeature(a, b), at);
}

// False if the elements have no witness along the normal, so that the caller may take others.
bool ManifoldBuilder::OfferPlaced(const PlacedElement& a, const PlacedElement& b, Feature feature,
                                  const Vector3* at) {
  ElementWitness w;
  if (!CalcElementWitness(a, b, n_, &w) || w.normal.dot(n_) < kMinAlignment) return false;
  if (at != nullptr) {  // its own normal shifts the witness by a part of the gap, not farther
    const Vector3 d = w.point_A - a.radius * w.normal - *at;
    const double reach = 0.5 * std::abs(w.gap + a.radius + b.radius) + tolerance_;
    if ((d - d.dot(n_) * n_).norm() > reach) return false;
  }
  if (!(w.gap < max_gap_) || w.gap < least_) return true;
  for (const ManifoldPoint& p : points_) {
    if (p.feature == feature) return true;
  }
  points_.push_back({w.point_A, w.point_B, w.normal, w.gap, feature});
  return true;
}

}  // namespace saltus
