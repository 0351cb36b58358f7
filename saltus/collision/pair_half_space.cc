// Half-space against everything: the lowest points of the other shape over the plane.
//
// In world axes the plane is n·(x − p) = offset with p the origin of the half-space's frame. The
// normal of every witness is n itself.
#include <algorithm>
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

constexpr Element kPlane{ElementKind::kFace, 0};

// x: a point of B relative to its origin, on an inflated core of radius r.
void Add(const Plane& plane, const Vector3& origin, const Vector3& x, double r, Element element,
         WitnessSink* sink) {
  const double height = plane.n.dot(x) - plane.offset;
  sink->Add(origin + (x - height * plane.n), origin + (x - r * plane.n), plane.n, height - r,
            MakeFeature(kPlane, element));
}

}  // namespace

void AddHalfSpaceSphere(const PlacedShape& a, const PlacedShape& b, PairScratch*,
                        WitnessSink* sink) {
  const Plane plane(a, b.p);
  Add(plane, b.p, Vector3::Zero(), b.radius, {ElementKind::kPoint, 0}, sink);
}

void AddHalfSpaceCapsule(const PlacedShape& a, const PlacedShape& b, PairScratch*,
                         WitnessSink* sink) {
  const Capsule& capsule = *std::get_if<Capsule>(b.shape);
  const Plane plane(a, b.p);
  const Vector3 half = capsule.half_length * b.R.col(2);
  Add(plane, b.p, -half, capsule.radius, {ElementKind::kPoint, 0}, sink);
  if (capsule.half_length > 0)
    Add(plane, b.p, half, capsule.radius, {ElementKind::kPoint, 1}, sink);
}

void AddHalfSpacePolyhedron(const PlacedShape& a, const PlacedShape& b, PairScratch* scratch,
                            WitnessSink* sink) {
  const Plane plane(a, b.p);
  for (const ManifoldPoint& point :
       scratch->manifold.BuildOnPlane(plane.n, plane.offset, b.core, sink->margin())) {
    sink->Add(b.p + point.point_A, b.p + point.point_B, plane.n, point.gap, point.feature);
  }
}

// The lowest point of each rim, and four fixed points of the lower rim if the cylinder stands. The
// lowest point is left out where they reach as low: on a cap that lies flat it is undefined.
void AddHalfSpaceCylinder(const PlacedShape& a, const PlacedShape& b, PairScratch*,
                          WitnessSink* sink) {
  constexpr double kStands = 0.7;        // cosine of the tilt
  constexpr double kResolution = 1e-10;  // of the size
  const Convex& core = b.core;
  const Plane plane(a, b.p);
  const double cosine = plane.n.dot(core.axis());
  const int near_cap = cosine > 0 ? 0 : 1;
  const Vector3 down = cosine * core.axis() - plane.n;
  const double sine = down.norm(), r = core.half_size.x();
  double lowest = 0;  // of the fixed points along `down`
  if (std::abs(cosine) > kStands) {
    for (int k = 0; k < 8; k += 2) {
      const Element point{ElementKind::kPoint, 8 * near_cap + k};
      const Vector3 x = PlaceElement(core, point).x;
      lowest = std::max(lowest, down.dot(x));
      Add(plane, b.p, x, 0, point, sink);
    }
  }
  for (const int cap : {0, 1}) {
    if (!(sine > 0) || (cap == near_cap && r * sine - lowest < kResolution * core.size)) continue;
    const Element rim{ElementKind::kRim, cap};
    Add(plane, b.p, PlaceElement(core, rim).x + r / sine * down, 0, rim, sink);
  }
}

}  // namespace saltus
