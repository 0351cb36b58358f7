// Half-space against everything: the lowest points of the other shape over the plane.
//
// In world axes the plane is n·(x − p) = offset with p the origin of the half-space's frame. The
// normal of every witness is n itself.
#include <cmath>

#include "saltus/collision/pair.h"

namespace saltus {
namespace {

struct Plane {
  Vector3 n;
  double offset;  // relative to the origin of B

  Plane(const PlacedShape& half_space, const Vector3& origin) {
    const HalfSpace& h = *std::get_if<HalfSpace>(half_space.shape);
    n = half_space.R * h.normal;
    offset = h.offset - n.dot(origin - half_space.p);
  }
};

// x: a point of B relative to its origin, on an inflated core of radius r.
void Add(const Plane& plane, const Vector3& origin, const Vector3& x, double r, int feature,
         WitnessSink* sink) {
  const double height = plane.n.dot(x) - plane.offset;
  sink->Add(origin + (x - height * plane.n), origin + (x - r * plane.n), plane.n, height - r,
            static_cast<std::uint32_t>(feature));
}

}  // namespace

void AddHalfSpaceSphere(const PlacedShape& a, const PlacedShape& b, PairScratch*,
                        WitnessSink* sink) {
  const Plane plane(a, b.p);
  Add(plane, b.p, Vector3::Zero(), b.radius, 0, sink);
}

void AddHalfSpaceCapsule(const PlacedShape& a, const PlacedShape& b, PairScratch*,
                         WitnessSink* sink) {
  const Capsule& capsule = *std::get_if<Capsule>(b.shape);
  const Plane plane(a, b.p);
  const Vector3 half = capsule.half_length * b.R.col(2);
  Add(plane, b.p, -half, capsule.radius, 0, sink);
  if (capsule.half_length > 0) Add(plane, b.p, half, capsule.radius, 1, sink);
}

void AddHalfSpacePolyhedron(const PlacedShape& a, const PlacedShape& b, PairScratch* scratch,
                            WitnessSink* sink) {
  const Plane plane(a, b.p);
  for (const ManifoldPoint& point :
       scratch->manifold.BuildOnPlane(plane.n, plane.offset, b.core, sink->margin())) {
    sink->Add(b.p + point.point_A, b.p + point.point_B, plane.n, point.gap, point.feature);
  }
}

// The lowest point of each rim, and three more around the lower rim. On a cap that lies flat the
// lowest direction is undefined: the shape's own axes are taken.
void AddHalfSpaceCylinder(const PlacedShape& a, const PlacedShape& b, PairScratch*,
                          WitnessSink* sink) {
  const Cylinder& cylinder = *std::get_if<Cylinder>(b.shape);
  const Plane plane(a, b.p);
  const Vector3 axis = b.R.col(2);
  const double cosine = plane.n.dot(axis);
  const int near_cap = cosine > 0 ? 0 : 1;  // 0: at −z of the shape
  const Vector3 near = (near_cap == 0 ? -1.0 : 1.0) * cylinder.half_length * axis;
  const Vector3 slope = cosine * axis - plane.n;
  const Vector3 ex = slope.norm() > 1e-8 ? slope.normalized() : b.R.col(0);
  const Vector3 ey = axis.cross(ex);
  const double r = cylinder.radius;
  Add(plane, b.p, near + r * ex, 0, 4 * near_cap, sink);
  Add(plane, b.p, near + r * ey, 0, 4 * near_cap + 1, sink);
  Add(plane, b.p, near - r * ex, 0, 4 * near_cap + 2, sink);
  Add(plane, b.p, near - r * ey, 0, 4 * near_cap + 3, sink);
  Add(plane, b.p, -near + r * ex, 0, 4 * (1 - near_cap), sink);
}

}  // namespace saltus
