// Surfaces of named contacts: for a point, the nearest point of a plane, line, arc or curve.
//
// All are one-sided. In the frame of the body that carries the surface, for a point x:
//   foot c on the surface, unit outward normal n, gap = n·(x − c), and x − c ∥ n.               (1)
// Lines, arcs and curves live in a plane with normal `up` and are extruded along it, so (1) is
// solved for the projection of x and c keeps the depth of x.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "saltus/base/types.h"
#include "saltus/multibody/model_spec.h"

namespace saltus {

/// Foot point, normal and gap of (1), local.
struct SurfaceFoot {
  Vector3 point;
  Vector3 normal;
  double gap = 0;
};

/// A plane curve through points: C², cubic between them, chord-length parameter s.
class PlaneSpline {
 public:
  PlaneSpline() = default;
  /// Natural ends, or periodic if `closed`.
  PlaneSpline(const std::vector<Vector2>& points, bool closed);

  struct Sample {
    Vector2 x, dx, ddx;  // position and its derivatives in s
  };
  Sample Evaluate(double s) const;
  double length() const { return knots_.back(); }
  bool closed() const { return closed_; }
  /// Parameter of the nearest point; may be an end of an open curve.
  double FindNearest(const Vector2& x) const;

 private:
  std::vector<double> knots_;  // ascending from 0
  std::vector<Vector2> points_;
  std::vector<Vector2> curvatures_;  // second derivatives at the knots
  bool closed_ = false;
};

/// A surface ready for queries.
class Surface {
 public:
  /// @param up  normal of a planar model where the spec gives none
  Surface(const SurfaceSpec& spec, const std::optional<Vector3>& up);

  /// The nearest foot of x (local), or nothing beyond the ends of a line, arc or open curve.
  /// Extended, the surface goes on there: lines and curves straight on, arcs round the circle.
  std::optional<SurfaceFoot> FindFoot(const Vector3& x, bool extended = false) const;

 private:
  enum class Kind { kPlane, kLine, kCircle, kCurve };
  std::optional<SurfaceFoot> FindOnCircle(const Vector3& x, bool extended) const;
  std::optional<SurfaceFoot> FindOnCurve(const Vector3& x, bool extended) const;

  Kind kind_ = Kind::kPlane;
  Vector3 origin_ = Vector3::Zero();
  Matrix3 axes_ = Matrix3::Identity();  // columns: tangent or reference, across, up
  Vector3 normal_ = Vector3::UnitZ();   // plane, line
  double length_ = 0;                   // line
  double radius_ = 1, start_ = 0, sweep_ = 0;
  bool hollow_ = false, full_ = true;
  PlaneSpline spline_;
};

}  // namespace saltus
