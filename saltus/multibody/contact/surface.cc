#include "saltus/multibody/contact/surface.h"

#include <cmath>
#include <numbers>

#include "saltus/multibody/measures/measure.h"

namespace saltus {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

/// Columns tangent (made ⟂ up), up × tangent, up: right-handed and orthonormal.
Matrix3 MakeAxes(const Vector3& tangent, const Vector3& up) {
  Matrix3 axes;
  axes.col(2) = up.normalized();
  axes.col(0) = (tangent - axes.col(2).dot(tangent) * axes.col(2)).normalized();
  axes.col(1) = axes.col(2).cross(axes.col(0));
  return axes;
}

}  // namespace

Surface::Surface(const SurfaceSpec& spec, const std::optional<Vector3>& up) {
  if (const auto* plane = std::get_if<PlaneSurface>(&spec)) {
    kind_ = Kind::kPlane;
    normal_ = plane->normal.normalized();
    origin_ = plane->offset * normal_;
  } else if (const auto* line = std::get_if<LineSurface>(&spec)) {
    kind_ = Kind::kLine;
    origin_ = line->from;
    axes_ = MakeAxes(line->to - line->from, line->up ? *line->up : *up);
    length_ = axes_.col(0).dot(line->to - line->from);
    normal_ = axes_.col(1);
  } else if (const auto* circle = std::get_if<CircleSurface>(&spec)) {
    kind_ = Kind::kCircle;
    origin_ = circle->center;
    const Vector3 axis = circle->up ? *circle->up : *up;
    axes_ = MakeAxes(circle->reference ? *circle->reference : axis.unitOrthogonal(), axis);
    radius_ = circle->radius;
    hollow_ = circle->hollow;
    start_ = circle->start;
    sweep_ = circle->sweep;
    full_ = sweep_ >= kTurn;
  } else {
    const auto& curve = std::get<CurveSurface>(spec);
    kind_ = Kind::kCurve;
    origin_ = curve.points[0];
    axes_ = MakeAxes(curve.points[1] - curve.points[0], curve.up ? *curve.up : *up);
    std::vector<Vector2> flat;
    for (const Vector3& x : curve.points) {
      flat.push_back((axes_.transpose() * (x - origin_)).head<2>());
    }
    spline_ = PlaneSpline(flat, curve.closed);
  }
}

std::optional<SurfaceFoot> Surface::FindFoot(const Vector3& x, bool extended) const {
  switch (kind_) {
    case Kind::kLine: {
      const double s = axes_.col(0).dot(x - origin_);
      if (!extended && (s < 0 || s > length_)) return std::nullopt;
      [[fallthrough]];
    }
    case Kind::kPlane: {
      const double gap = normal_.dot(x - origin_);
      return SurfaceFoot{x - gap * normal_, normal_, gap};
    }
    case Kind::kCircle:
      return FindOnCircle(x, extended);
    case Kind::kCurve:
      return FindOnCurve(x, extended);
  }
  return std::nullopt;
}

std::optional<SurfaceFoot> Surface::FindOnCircle(const Vector3& x, bool extended) const {
  const Vector2 flat = (axes_.transpose() * (x - origin_)).head<2>();
  const double distance = flat.norm();
  if (distance == 0) return std::nullopt;  // every point of the circle is equally near
  if (!full_ && !extended) {
    const double angle = std::atan2(flat.y(), flat.x());
    if (std::abs(WrapNear(angle - start_ - 0.5 * sweep_, 0)) > 0.5 * sweep_) return std::nullopt;
  }
  const Vector3 radial = axes_.leftCols<2>() * (flat / distance);
  const Vector3 foot = x + (radius_ - distance) * radial;
  if (hollow_) return SurfaceFoot{foot, -radial, radius_ - distance};
  return SurfaceFoot{foot, radial, distance - radius_};
}

std::optional<SurfaceFoot> Surface::FindOnCurve(const Vector3& x, bool extended) const {
  const Vector2 flat = (axes_.transpose() * (x - origin_)).head<2>();
  const double s = spline_.FindNearest(flat);
  const bool is_end = !spline_.closed() && (s <= 0 || s >= spline_.length());
  if (is_end && !extended) return std::nullopt;
  const auto sample = spline_.Evaluate(s);
  // The solid lies to the right of the direction of travel: the normal is to the left.
  const Vector2 normal = Vector2(-sample.dx.y(), sample.dx.x()).normalized();
  const double gap = normal.dot(flat - sample.x);
  const Vector3 n = axes_.leftCols<2>() * normal;
  return SurfaceFoot{x - gap * n, n, gap};
}

}  // namespace saltus
