#include "saltus/collision/witness_update.h"

#include <limits>

#include "saltus/collision/pair.h"

namespace saltus {
namespace {

/// Sine of the tilt up to which a cap may come to lie flat in a step, so that its lowest point runs
/// round the rim; on steeper rims it is well defined.
constexpr double kFlat = 0.01;

PlacedElement PlaceOnMesh(const Mesh& mesh, Element element) {
  PlacedElement placed;
  placed.kind = element.kind;
  if (element.kind == ElementKind::kFace) {
    placed.x = mesh.vertex(element.index, 0);
    placed.d = mesh.normal(element.index);
  } else if (element.kind == ElementKind::kLine) {
    placed.x = mesh.edge_vertex(element.index, 0);
    placed.d = (mesh.edge_vertex(element.index, 1) - placed.x).normalized();
  } else {
    placed.x = mesh.vertex(element.index);
  }
  return placed;
}

// The core of the shape in its own frame, as far as PlaceElement reads it.
Convex MakeLocalCore(const UpdatedShape& s) {
  Convex core;
  if (const auto* cylinder = std::get_if<Cylinder>(s.shape)) {
    core.kind = ConvexKind::kCylinder;
    core.half_size = Vector3(cylinder->radius, cylinder->radius, cylinder->half_length);
    return core;
  }
  core.kind = ConvexKind::kHull;
  core.topology = &s.geometry->topology;
  core.vertices = s.geometry->vertices.data();
  core.normals = s.geometry->normals.data();
  if (const auto* capsule = std::get_if<Capsule>(s.shape)) core.radius = capsule->radius;
  return core;
}

PlacedElement PlaceLocal(const UpdatedShape& s, Element element) {
  if (s.mesh != nullptr) return PlaceOnMesh(*s.mesh, element);
  PlacedElement placed;
  placed.kind = element.kind;
  if (const auto* sphere = std::get_if<Sphere>(s.shape)) {
    placed.radius = sphere->radius;
    return placed;
  }
  if (const auto* half_space = std::get_if<HalfSpace>(s.shape)) {
    placed.x = half_space->offset * half_space->normal;
    placed.d = half_space->normal;
    return placed;
  }
  return PlaceElement(MakeLocalCore(s), element);
}

// Relative to `origin`. Material points and tangent planes go with the shape from the witness:
// `point` on the surface and `outward`, the normal away from the shape.
PlacedElement Place(const UpdatedShape& s, Element element, const Vector3& point,
                    const Vector3& outward, const Vector3& origin) {
  PlacedElement placed;
  if (element.kind == ElementKind::kMaterial || element.kind == ElementKind::kTangent) {
    placed.kind = element.kind;
    const auto* capsule = std::get_if<Capsule>(s.shape);
    if (capsule != nullptr) placed.radius = capsule->radius;  // the point is on the axis
    placed.x = s.from_R.transpose() * (point - placed.radius * outward - s.from_p);
    placed.d = s.from_R.transpose() * outward;
  } else {
    placed = PlaceLocal(s, element);
    const Vector3 down = s.from_R.transpose() * outward;
    if (element.kind == ElementKind::kRim && placed.d.cross(down).norm() < kFlat) {
      const Vector3 local = s.from_R.transpose() * (point - s.from_p);
      placed.toward = s.R * (local - placed.x).normalized();
    }
  }
  placed.x = (s.p - origin) + s.R * placed.x;
  placed.d = s.R * placed.d;
  return placed;
}

bool IsSphere(const UpdatedShape& s) { return std::holds_alternative<Sphere>(*s.shape); }

// (7) of feature.h: a sphere S against the whole solid, which the witness touches at `point`, where
// it has the normal `outward`. The normal of the result points from S to the solid.
ElementWitness CalcSolidWitness(const UpdatedShape& S, const UpdatedShape& solid,
                                const Vector3& point, const Vector3& outward,
                                const Vector3& origin) {
  const double radius = std::get_if<Sphere>(S.shape)->radius;
  const Vector3 c = solid.R.transpose() * (S.p - solid.p);
  SolidFoot foot =
      FindSolidFoot(*solid.shape, solid.geometry, c, std::numeric_limits<double>::infinity());
  const Vector3 side = solid.from_R.transpose() * outward;
  if (foot.height < radius && foot.normal.dot(side) < 0) {  // from the far side
    foot = {side, side.dot(c - solid.from_R.transpose() * (point - solid.from_p))};
  }
  const Vector3 n = solid.R * foot.normal, x = S.p - origin;
  return {x - radius * n, x - foot.height * n, -n, foot.height - radius};
}

// (8) of feature.h.
ElementWitness CalcHeldWitness(const UpdatedShape& A, const UpdatedShape& B, const Vector3& n) {
  const double a = std::get_if<Sphere>(A.shape)->radius, b = std::get_if<Sphere>(B.shape)->radius;
  const Vector3 c = B.p - A.p;
  return {a * n, c - b * n, n, n.dot(c) - a - b};
}

// The frame of a sphere turns without moving its surface, so that it carries no direction.
Vector3 TurnNormal(const UpdatedShape& A, const UpdatedShape& B, const Vector3& n) {
  if (IsSphere(A) && IsSphere(B)) return n;
  const UpdatedShape& s = IsSphere(A) ? B : A;
  return s.R * (s.from_R.transpose() * n);
}

}  // namespace

bool UpdateWitness(const UpdatedShape& A, const UpdatedShape& B, const Witness& reference,
                   Witness* witness) {
  const Element a = FeatureElementA(reference.feature), b = FeatureElementB(reference.feature);
  ElementWitness w;
  if (b.kind == ElementKind::kSolid) {
    w = CalcSolidWitness(A, B, reference.point_B, -reference.normal, A.p);
  } else if (a.kind == ElementKind::kSolid) {
    w = CalcSolidWitness(B, A, reference.point_A, reference.normal, A.p);
    std::swap(w.point_A, w.point_B);
    w.normal = -w.normal;
  } else if (FeatureSlot(reference.feature) == kHeldDirection && IsSphere(A) && IsSphere(B)) {
    w = CalcHeldWitness(A, B, reference.normal);
  } else {
    const PlacedElement x = Place(A, a, reference.point_A, reference.normal, A.p);
    const PlacedElement y = Place(B, b, reference.point_B, -reference.normal, A.p);
    if (!CalcElementWitness(x, y, TurnNormal(A, B, reference.normal), &w)) return false;
  }
  *witness = reference;
  witness->point_A = A.p + w.point_A;
  witness->point_B = A.p + w.point_B;
  witness->normal = w.normal;
  witness->gap = w.gap;
  return true;
}

}  // namespace saltus
