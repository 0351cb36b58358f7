// Contact manifolds: from a normal to the points where two cores touch.
//
// The normal is that of a face (the reference face): the facing face, edge or rim of the other core
// (the incident one) is clipped by the planes through the edges of the reference face, and each
// corner of what is left is a witness. Otherwise two edges touch in one point, or in the two ends
// of their common stretch if they are parallel.
//
// Features: an incident vertex is named by (reference face, vertex), a cut incident edge by
// (reference face, edge, side), a corner of the reference face by (reference face, incident face,
// side, side). The names do not depend on positions, so they persist.
#pragma once

#include <cstdint>
#include <vector>

#include "saltus/collision/convex.h"
#include "saltus/collision/separating_axis.h"

namespace saltus {

/// A witness of the cores, before their radii are added. Points relative to A.p.
struct ManifoldPoint {
  Vector3 point_A, point_B;
  double gap = 0;
  std::uint32_t feature = 0;
};

/// A well-mixed number of four small ones.
std::uint32_t MakeFeature(int a, int b, int c, int d);

/// Builds manifolds; keeps its memory.
class ManifoldBuilder {
 public:
  /// Points of A and B along `axis` with core gap below `max_gap`. May be empty for a face axis, if
  /// nothing of the incident core is over the reference face. At most kMaxPoints.
  const std::vector<ManifoldPoint>& Build(const Convex& A, const Convex& B, const Axis& axis,
                                          double max_gap);

  /// Vertices of B less than `max_gap` above the plane n·x = offset, x relative to B.p. The points
  /// are relative to B.p.
  const std::vector<ManifoldPoint>& BuildOnPlane(const Vector3& n, double offset, const Convex& B,
                                                 double max_gap);

  static constexpr int kMaxPoints = 9;

 private:
  struct Vertex {
    Vector3 x;
    std::uint32_t feature;
    int edge;  // of the edge to the next vertex: incident edge, or −1 − side of the reference
  };

  void BuildFromFace(const Convex& ref, const Convex& inc, int face, bool swapped, double max_gap);
  void BuildFromCap(const Convex& ref, const Convex& inc, const Vector3& n, bool swapped,
                    double max_gap);
  void BuildFromEdges(const Convex& A, const Convex& B, const Axis& axis, double max_gap);
  void BuildGeneral(const Convex& A, const Convex& B, const Axis& axis, double max_gap);
  bool BuildParallelEdges(const Convex& A, const Convex& B, const Axis& axis, double max_gap);

  int AddIncident(const Convex& inc, const Vector3& offset, const Vector3& n, int ref_id);
  bool KeepDeepest(const Convex& inc, const Vector3& offset, const Vector3& n, int inc_face,
                   int ref_id);
  void ClipByFace(const Convex& ref, int face, double tolerance, int ref_id, int inc_id);
  void ClipBySide(const Vector3& side, double offset, double tolerance, int side_id, int ref_id,
                  int inc_id);
  void ClipByDisc(const Convex& ref, double tolerance, int ref_id);
  void AddPoints(const Convex& ref, const Convex& inc, const Vector3& n, double offset,
                 bool swapped, double max_gap);
  void Reduce(const Vector3& n);

  std::vector<Vertex> polygon_, clipped_;
  std::vector<ManifoldPoint> points_, kept_;
};

}  // namespace saltus
