// MakeConvexHull: gift wrapping with whole coplanar faces.
//
// A face is found from a directed edge of its neighbour: the plane through the edge is turned until
// every point is behind it. All points within a tolerance of that plane belong to the face; their
// strictly convex outline in the plane is its vertex loop. Coplanar points therefore never make
// sliver triangles. The result is accepted if each edge is shared by exactly two faces and Euler's
// formula V − E + F = 2 holds; otherwise the tolerance is raised and the search repeated.
// O(points · edges). @cite ChandKapur1970
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/collision/shape.h"

namespace saltus {
namespace {

using Points = std::vector<Vector3>;
using Loop = std::vector<int>;
using DirectedEdge = std::pair<int, int>;

const Vector3& At(const Points& points, int i) { return points[static_cast<std::size_t>(i)]; }

// Twice the area vector of a polygon (Newell).
Vector3 CalcAreaVector(const Points& points, const Loop& loop) {
  Vector3 sum = Vector3::Zero();
  const Vector3& o = At(points, loop[0]);
  for (std::size_t k = 1; k + 1 < loop.size(); ++k) {
    sum += (At(points, loop[k]) - o).cross(At(points, loop[k + 1]) - o);
  }
  return sum;
}

// Andrew's monotone chain in the plane with normal n; corners flatter than tolerance are dropped.
Loop FindOutline(const Points& points, Loop members, const Vector3& n, double tolerance) {
  const Vector3 ex = n.unitOrthogonal(), ey = n.cross(ex);
  const auto x = [&](int i) { return ex.dot(At(points, i)); };
  const auto y = [&](int i) { return ey.dot(At(points, i)); };
  std::sort(members.begin(), members.end(),
            [&](int i, int j) { return std::pair(x(i), y(i)) < std::pair(x(j), y(j)); });
  const auto is_flat = [&](int a, int b, int c) {
    const double ax = x(b) - x(a), ay = y(b) - y(a), bx = x(c) - x(a), by = y(c) - y(a);
    return ax * by - ay * bx <= tolerance * std::hypot(bx, by);
  };
  Loop outline;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = outline.size();
    for (const int i : members) {
      while (outline.size() >= start + 2 &&
             is_flat(outline[outline.size() - 2], outline.back(), i)) {
        outline.pop_back();
      }
      outline.push_back(i);
    }
    outline.pop_back();
    std::reverse(members.begin(), members.end());
  }
  return outline;
}

// The face on the far side of the edge (u, v) of a face, seen from outside counter-clockwise.
Loop FindFace(const Points& points, DirectedEdge edge, double tolerance) {
  const Vector3& u = At(points, edge.first);
  const Vector3 along = (At(points, edge.second) - u).normalized();
  int best = -1;
  Vector3 normal = Vector3::Zero();
  for (int i = 0; i < static_cast<int>(points.size()); ++i) {
    const Vector3 out = At(points, i) - u;
    const Vector3 across = out - out.dot(along) * along;
    if (across.norm() <= tolerance) continue;
    if (best < 0 || normal.dot(across) > 0.0) {
      best = i;
      normal = along.cross(across).normalized();
    }
  }
  Loop members;
  for (int i = 0; i < static_cast<int>(points.size()); ++i) {
    if (std::abs(normal.dot(At(points, i) - u)) <= tolerance) members.push_back(i);
  }
  return FindOutline(points, std::move(members), normal, tolerance);
}

// A first edge: from the lowest point along the outline of the point set projected on x-y.
DirectedEdge FindFirstEdge(const Points& points, double tolerance) {
  int lowest = 0;
  for (int i = 1; i < static_cast<int>(points.size()); ++i) {
    const Vector3 &p = At(points, i), &q = At(points, lowest);
    if (std::array{p.x(), p.y(), p.z()} < std::array{q.x(), q.y(), q.z()}) lowest = i;
  }
  // Turn the plane x = const about the line through `lowest` parallel to z.
  const Vector3& o = At(points, lowest);
  int best = -1;
  Vector2 normal = Vector2::Zero();
  for (int i = 0; i < static_cast<int>(points.size()); ++i) {
    const Vector2 across = (At(points, i) - o).head<2>();
    if (across.norm() <= tolerance) continue;
    if (best < 0 || normal.dot(across) > tolerance * 1e-3) {
      best = i;
      normal = Vector2(across.y(), -across.x()).normalized();
    }
  }
  if (best < 0) return {-1, -1};
  // The whole side plane, then its outline: any edge of it is an edge of the hull.
  const Vector3 n(normal.x(), normal.y(), 0.0);
  Loop members;
  for (int i = 0; i < static_cast<int>(points.size()); ++i) {
    if (std::abs(n.dot(At(points, i) - o)) <= tolerance) members.push_back(i);
  }
  const Loop outline = FindOutline(points, std::move(members), n, tolerance);
  if (outline.size() < 2) return {-1, -1};
  return {outline[0], outline[1]};
}

// Returns false if the faces do not close with this tolerance.
bool TryWrap(const Points& points, double tolerance, std::vector<Loop>* faces) {
  faces->clear();
  const DirectedEdge first = FindFirstEdge(points, tolerance);
  if (first.first < 0) return false;
  std::map<DirectedEdge, int> owner;  // directed edge -> face
  std::deque<DirectedEdge> wanted{first};
  const std::size_t limit = 2 * points.size() + 4;
  while (!wanted.empty()) {
    const DirectedEdge edge = wanted.front();
    wanted.pop_front();
    if (owner.count(edge) > 0) continue;
    Loop loop = FindFace(points, edge, tolerance);
    if (loop.size() < 3 || faces->size() > limit) return false;
    const int face = static_cast<int>(faces->size());
    for (std::size_t k = 0; k < loop.size(); ++k) {
      const DirectedEdge e{loop[k], loop[(k + 1) % loop.size()]};
      if (!owner.emplace(e, face).second) return false;
      wanted.emplace_back(e.second, e.first);
    }
    if (owner.count(edge) == 0) return false;
    faces->push_back(std::move(loop));
  }
  std::vector<char> used(points.size(), 0);
  for (const auto& [edge, face] : owner) used[static_cast<std::size_t>(edge.first)] = 1;
  const auto num_vertices = std::count(used.begin(), used.end(), char{1});
  const auto num_edges = static_cast<std::ptrdiff_t>(owner.size() / 2);
  return num_vertices - num_edges + static_cast<std::ptrdiff_t>(faces->size()) == 2;
}

Polyhedron MakePolyhedron(const Points& points, const Points& originals,
                          const std::vector<Loop>& loops) {
  Polyhedron poly;
  std::vector<int> number(points.size(), -1);
  for (const Loop& loop : loops) {
    for (const int i : loop) number[static_cast<std::size_t>(i)] = 0;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = static_cast<int>(poly.vertices.size());
    poly.vertices.push_back(originals[i]);
  }
  for (const Loop& loop : loops) {
    poly.face_normals.push_back(CalcAreaVector(points, loop).normalized());
    std::vector<int> face;
    for (std::size_t k = 0; k < loop.size(); ++k) {
      const int a = number[static_cast<std::size_t>(loop[k])];
      const int b = number[static_cast<std::size_t>(loop[(k + 1) % loop.size()])];
      face.push_back(a);
      if (a < b) poly.edges.push_back({a, b});
    }
    poly.faces.push_back(std::move(face));
  }
  return poly;
}

// The thickness of the set: least extent over the directions tried by a greedy tetrahedron.
double CalcTetrahedronHeight(const Points& points) {
  const Vector3& o = points[0];
  Vector3 a = o, b = o;
  double far = 0.0;
  for (const Vector3& p : points) {
    if ((p - o).squaredNorm() > far) far = (p - o).squaredNorm(), a = p;
  }
  if (far == 0.0) return 0.0;
  far = 0.0;
  const Vector3 along = (a - o).normalized();
  for (const Vector3& p : points) {
    const double off = along.cross(p - o).squaredNorm();
    if (off > far) far = off, b = p;
  }
  if (far == 0.0) return 0.0;
  const Vector3 normal = along.cross(b - o).normalized();
  far = 0.0;
  for (const Vector3& p : points) far = std::max(far, std::abs(normal.dot(p - o)));
  return far;
}

}  // namespace

ConvexHull MakeConvexHull(const std::vector<Vector3>& points) {
  if (points.size() < 4) {
    throw InputError("convex", "has " + std::to_string(points.size()) + " points",
                     "give at least four points that are not in one plane");
  }
  Vector3 low = points[0], high = points[0];
  for (const Vector3& p : points) {
    if (!p.allFinite()) throw InputError("convex", "has a point that is not finite");
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const double size = (high - low).norm();
  if (CalcTetrahedronHeight(points) <= 1e-9 * size) {
    throw InputError("convex", "has all its points in one plane",
                     "give at least four points that are not in one plane");
  }
  // Work about the centre, without repeated points.
  const Vector3 center = 0.5 * (low + high);
  Points originals, unique;
  std::map<std::array<double, 3>, int> seen;
  for (const Vector3& p : points) {
    if (!seen.emplace(std::array{p.x(), p.y(), p.z()}, 0).second) continue;
    originals.push_back(p);
    unique.push_back(p - center);
  }
  std::vector<Loop> faces;
  for (double tolerance = 1e-11 * size; tolerance < 1e-4 * size; tolerance *= 10.0) {
    if (!TryWrap(unique, tolerance, &faces)) continue;
    return {std::make_shared<const Polyhedron>(MakePolyhedron(unique, originals, faces))};
  }
  throw InputError("convex", "has points too close to each other for a closed hull",
                   "remove nearly repeated points");
}

}  // namespace saltus
