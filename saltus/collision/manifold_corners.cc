// The corners of a manifold: which elements each of them belongs to.
#include <cmath>
#include <numbers>

#include "saltus/collision/manifold_faces.h"

namespace saltus {
namespace {

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

// Sine of the angle between two edges below which their product says nothing about the normal.
constexpr double kMinCrossing = 0.1;

}  // namespace

bool ManifoldBuilder::OfferPair(const Faces& f, Element ref, Element inc, const Vector3* at) {
  return f.swapped ? Offer(inc, ref, at) : Offer(ref, inc, at);
}

void ManifoldBuilder::AddCorner(const Faces& f, const Vertex& v) {
  const Element face{ElementKind::kFace, f.face};
  if (v.from == From::kElement) {
    OfferPair(f, face, v.element);
    return;
  }
  const bool is_cut = v.from == From::kCut;
  if (normals_ == Normals::kOwn && is_cut) {
    // A chord between the fixed points of a rim is no edge.
    const bool is_edge = f.inc->is_polyhedron() || f.inc_face < 0;
    const Element line = f.inc->is_polyhedron() ? v.element : Element{ElementKind::kLine, 0};
    Element border{ElementKind::kRim, f.face};
    if (f.ref->is_polyhedron()) {
      const Topology& t = *f.ref->topology;
      border = {ElementKind::kLine, t.face_edges[Index(t.face_begin[Index(f.face)] + v.side)]};
    }
    const bool crosses =
        border.kind == ElementKind::kRim ||
        (is_edge &&
         PlaceElement(*f.ref, border).d.cross(PlaceElement(*f.inc, line).d).norm() > kMinCrossing);
    const Vector3 at = v.x + (f.ref->p - A_->p);
    if (is_edge && crosses && OfferPair(f, border, line, &at)) return;
  }
  if (normals_ == Normals::kOwn && !is_cut && f.inc_face >= 0) {
    const Topology& t = *f.ref->topology;
    const int vertex = t.face_vertices[Index(t.face_begin[Index(f.face)] + v.side)];
    if (OfferPair(f, {ElementKind::kPoint, vertex}, {ElementKind::kFace, f.inc_face})) return;
  }
  // A material point of the incident core over the reference face.
  PlacedElement plane = PlaceElement(*f.ref, face), point;
  point.kind = ElementKind::kMaterial;
  point.x = v.x;
  point.radius = f.inc->radius;
  const Element material{ElementKind::kMaterial, is_cut ? MixIndex(v.element.index, v.side, v.slot)
                                                        : MixIndex(-1, v.side, f.inc_face)};
  if (!f.swapped) {
    OfferPlaced(plane, point, MakeFeature(face, material));
    return;
  }
  plane.x += f.ref->p - A_->p;
  point.x += f.ref->p - A_->p;
  OfferPlaced(point, plane, MakeFeature(material, face));
}

// Seen along the normal, with the tolerance of the border.
bool ManifoldBuilder::IsOver(const Faces& f, const Vector3& x) const {
  if (!f.ref->is_polyhedron()) {
    const PlacedElement cap = PlaceElement(*f.ref, {ElementKind::kFace, f.face});
    const Vector3 out = x - cap.x;
    const Vector3 in_plane = out - (out.dot(cap.d) / f.n.dot(cap.d)) * f.n;
    return in_plane.norm() <= f.ref->half_size.x() + tolerance_;
  }
  const Topology& t = *f.ref->topology;
  const int begin = t.face_begin[Index(f.face)], end = t.face_begin[Index(f.face) + 1];
  for (int k = begin; k < end; ++k) {
    const Vector3& a = f.ref->vertices[t.face_vertices[Index(k)]];
    const Vector3& b = f.ref->vertices[t.face_vertices[Index(k + 1 < end ? k + 1 : begin)]];
    const Vector3 side = (b - a).cross(f.n);
    if (side.dot(x - a) > tolerance_ * side.norm()) return false;
  }
  return true;
}

// The fixed points of a rim leave out its lowest point by r sin τ (1 − cos δ), τ the tilt of the
// cap and δ the angle to the next of them.
void ManifoldBuilder::AddLowestRim(const Faces& f) {
  constexpr double kResolution = 1e-10;  // of the size
  const Convex& inc = *f.inc;
  const Vector3 down = f.n.dot(inc.axis()) * inc.axis() - f.n;
  const double sine = down.norm();
  constexpr double kStep = 0.25 * std::numbers::pi;
  const double angle = std::atan2(down.dot(inc.R.col(1)), down.dot(inc.R.col(0)));
  const double delta = angle - kStep * std::round(angle / kStep);
  if (inc.half_size.x() * sine * (1 - std::cos(delta)) < kResolution * inc.size) return;
  const Element rim{ElementKind::kRim, f.inc_face};
  const Vector3 x = PlaceElement(inc, rim).x + inc.half_size.x() / sine * down;
  if (IsOver(f, f.offset + x)) OfferPair(f, {ElementKind::kFace, f.face}, rim);
}

// The face of a hull that is nearest to parallel need not hold the deepest vertex.
void ManifoldBuilder::AddDeepestVertex(const Faces& f) {
  if (f.inc->kind != ConvexKind::kHull) return;
  const Support deepest = CalcSupport(*f.inc, -f.n);
  if (!IsOver(f, f.offset + deepest.x)) return;
  OfferPair(f, {ElementKind::kFace, f.face}, {ElementKind::kPoint, deepest.id});
}

// Vertices of other faces that look along the normal too, as hulls with blunt corners have them.
void ManifoldBuilder::AddOtherFaces(const Faces& f) {
  constexpr double kFlat = 0.98;
  const auto visit = [&](const Convex& core, const Vector3& d, int main, const auto& function) {
    if (main >= 0) function(main);
    if (core.kind != ConvexKind::kHull) return;
    for (int k = 0; k < core.num_faces(); ++k) {
      if (k != main && core.normals[k].dot(d) > kFlat) function(k);
    }
  };
  const auto visit_vertices = [&](const Convex& core, int face, const auto& function) {
    if (!core.is_polyhedron()) return;
    const Topology& t = *core.topology;
    for (int k = t.face_begin[Index(face)]; k < t.face_begin[Index(face) + 1]; ++k) {
      function(t.face_vertices[Index(k)]);
    }
  };
  Faces r = f, i = f;
  i.ref = f.inc;
  i.inc = f.ref;
  i.swapped = !f.swapped;
  i.n = -f.n;
  i.offset = -f.offset;
  const auto offer_vertex = [&](const Faces& over, int vertex) {
    const Vector3 x = over.offset + over.inc->vertices[vertex];
    if (IsOver(over, x)) {
      OfferPair(over, {ElementKind::kFace, over.face}, {ElementKind::kPoint, vertex});
    }
  };
  visit(*f.ref, f.n, f.face, [&](int ref_face) {
    r.face = ref_face;
    if (ref_face != f.face && f.inc->is_polyhedron()) {
      offer_vertex(r, CalcSupport(*f.inc, -f.n).id);
    }
    visit(*f.inc, -f.n, f.inc_face, [&](int inc_face) {
      if (ref_face == f.face && inc_face == f.inc_face) return;
      visit_vertices(*f.inc, inc_face, [&](int vertex) { offer_vertex(r, vertex); });
      i.face = inc_face;
      visit_vertices(*f.ref, ref_face, [&](int vertex) { offer_vertex(i, vertex); });
    });
  });
}

}  // namespace saltus
