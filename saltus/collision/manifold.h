// Contact manifolds: from a normal to all elements of two cores that touch along it.
//
// The faces of A and B that look along the normal n are projected along n and intersected. Each
// corner of the intersection is a witness by its own elements (feature.h), with its own normal and
// gap: a vertex over the other's face, or two crossing edges. So all ends of an edge that lies on a
// face are there although one of them is nearest by a hair. Where edges cross at so small an angle
// that their product leaves the normal, the crossing point is a material point of the incident core
// over the reference face. Where no face looks along n there remain the elements that are nearest,
// and the two ends of the common stretch of edges that are nearly parallel.
#pragma once

#include <vector>

#include "saltus/collision/convex.h"
#include "saltus/collision/feature.h"
#include "saltus/collision/separating_axis.h"

namespace saltus {

/// A witness, radii included. Points relative to A.p.
struct ManifoldPoint {
  Vector3 point_A, point_B, normal;
  double gap = 0;
  Feature feature = 0;
};

/// Builds manifolds; keeps its memory.
class ManifoldBuilder {
 public:
  /// kOwn: every corner has its own normal. kAxis: all have that of the axis, as triangles of a
  /// surface need whose inner edges are none.
  enum class Normals { kOwn, kAxis };

  /// Witnesses along `axis` with gap below `max_gap`. May be empty for a face axis, if nothing of
  /// the incident core is over the reference face. At most kMaxPoints.
  const std::vector<ManifoldPoint>& Build(const Convex& A, const Convex& B, const Axis& axis,
                                          double max_gap, Normals normals = Normals::kOwn);

  /// Vertices of B less than `max_gap` above the plane n·x = offset, x relative to B.p. The points
  /// are relative to B.p; A is face 0.
  const std::vector<ManifoldPoint>& BuildOnPlane(const Vector3& n, double offset, const Convex& B,
                                                 double max_gap);

  static constexpr int kMaxPoints = 9;

 private:
  enum class From { kElement, kCut, kCorner };
  struct Vertex {
    Vector3 x;  // relative to the reference core
    int edge;   // to the next vertex: incident edge, or −1 − side of the reference
    From from = From::kElement;
    Element element{};  // of the incident core: the vertex or rim, or the edge that was cut
    int side = -1;      // kCut: side of the reference; kCorner: position of its vertex
    int slot = 0;       // kCut: which of the two cuts of an edge
  };
  struct Faces;  // the reference face and the incident one

  void BuildFaces(const Faces& f);
  bool FindFaces(const Axis& axis, Faces* f) const;
  void BuildLines(const Axis& axis);
  void AddNearest(const Axis& axis);
  bool FindEdgePoints(Element a, Element b, Vector3* x_A, Vector3* x_B) const;

  void AddIncident(Faces* f);
  void Clip(const Faces& f);
  void ClipBySide(const Faces& f, const Vector3& side, double offset, int side_id);
  void ClipByDisc(const Faces& f);
  bool IsOver(const Faces& f, const Vector3& x) const;
  void AddCorner(const Faces& f, const Vertex& v);
  void AddLowestRim(const Faces& f);
  void AddDeepestVertex(const Faces& f);
  void AddOtherFaces(const Faces& f);

  /// Add the witness of two elements. `at`: a point that it must be near, relative to A.p; nothing
  /// to say for elements that have but one place.
  bool Offer(Element a, Element b, const Vector3* at = nullptr);
  bool OfferPlaced(const PlacedElement& a, const PlacedElement& b, Feature feature,
                   const Vector3* at = nullptr);
  bool OfferPair(const Faces& f, Element ref, Element inc, const Vector3* at = nullptr);
  void Reduce();

  const Convex *A_ = nullptr, *B_ = nullptr;
  Vector3 n_ = Vector3::UnitZ();
  double max_gap_ = 0, least_ = 0, tolerance_ = 0;
  Normals normals_ = Normals::kOwn;
  std::vector<Vertex> polygon_, clipped_;
  std::vector<ManifoldPoint> points_, kept_;
};

}  // namespace saltus
