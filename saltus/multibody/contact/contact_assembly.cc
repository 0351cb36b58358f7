// Checks shapes and named contacts, and makes colliders, surfaces and bonds of them.
#include <algorithm>
#include <cmath>

#include "saltus/multibody/assembly.h"
#include "saltus/multibody/contact/contact_laws.h"

namespace saltus {
namespace {

void AssembleShapes(const std::vector<ShapeSpec>& shapes, const std::string& owner, int body,
                    Assembly* assembly) {
  Model& model = *assembly->model;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const ShapeSpec& shape = shapes[i];
    const std::string item = owner + ".shapes[" + std::to_string(i) + "]";
    CheckShape(item, shape, body != kGround);
    Collider collider;
    collider.shape = shape.shape;
    if (auto* half_space = std::get_if<HalfSpace>(&collider.shape)) {
      half_space->normal.normalize();
    }
    collider.pose_BS = {MakeLocalPoint(*assembly, body, shape.pose.p), shape.pose.R.normalized()};
    collider.mover = body;
    collider.collider_group = shape.group;
    model.world.Add(collider);
    model.contact.collider_body.push_back(body);
    model.contact.collider_material.push_back(
        FindMaterialOrThrow(assembly->spec, item + ".material", shape.material));
  }
}

/// Points of a curve must be finite and apart, so that the spline through them exists.
void CheckSpacing(const std::string& item, const CurveSurface& curve) {
  constexpr double kSmallest = 1e-9, kLargest = 1e9;  // m
  const std::size_t n = curve.points.size();
  for (const Vector3& x : curve.points) {
    CheckFinite(item, x);
    CheckInterval(item + " (largest coordinate)", x.lpNorm<Eigen::Infinity>(), 0, kLargest);
  }
  for (std::size_t i = curve.closed ? 0 : 1; i < n; ++i) {
    const double gap = (curve.points[i] - curve.points[(i + n - 1) % n]).norm();
    CheckInterval(item + " (distance of neighbours)", gap, kSmallest, 2 * kLargest);
  }
}

/// Checks a surface and moves its points to the body frame; returns the body.
int PrepareSurface(const Assembly& assembly, const std::string& item, SurfaceSpec* surface) {
  const bool planar = assembly.model->plane.has_value();
  int body = kGround;
  const auto check_up = [&](const std::string& key, const std::optional<Vector3>& up) {
    if (up) CheckDirection(key + ".up", *up);
    if (!up && !planar) {
      throw InputError(key + ".up", "is missing", "in space give the normal of the curve's plane");
    }
  };
  if (auto* plane = std::get_if<PlaneSurface>(surface)) {
    body = FindBodyOrThrow(assembly, item + ".plane.on", plane->body);
    const Vector3 n = CheckDirection(item + ".plane.normal", plane->normal);
    CheckFinite(item + ".plane.offset", plane->offset);
    if (planar) {
      const Placement A = InitialPlacement(*assembly.model, body);
      if (std::abs((A.R * n).dot(assembly.model->plane_normal)) > 1e-6) {
        throw InputError(item + ".plane.normal", "is " + FormatVector(n),
                         "in a planar model it must lie in the plane");
      }
    }
    if (body != kGround) plane->offset -= n.dot(assembly.frame_shift[body]);
  } else if (auto* line = std::get_if<LineSurface>(surface)) {
    body = FindBodyOrThrow(assembly, item + ".line.on", line->body);
    CheckFinite(item + ".line.from", line->from);
    CheckFinite(item + ".line.to", line->to);
    CheckDirection(item + ".line.to (minus from)", line->to - line->from);
    check_up(item + ".line", line->up);
    line->from = MakeLocalPoint(assembly, body, line->from);
    line->to = MakeLocalPoint(assembly, body, line->to);
  } else if (auto* circle = std::get_if<CircleSurface>(surface)) {
    body = FindBodyOrThrow(assembly, item + ".circle.on", circle->body);
    CheckFinite(item + ".circle.center", circle->center);
    CheckPositive(item + ".circle.radius", circle->radius, "m");
    CheckFinite(item + ".circle.start", circle->start);
    CheckPositive(item + ".circle.sweep", circle->sweep, "rad");
    check_up(item + ".circle", circle->up);
    constexpr double kTurn = 6.283185307179586;
    CheckInterval(item + ".circle.sweep", circle->sweep, 0, kTurn * (1 + 1e-12));
    if (circle->sweep < kTurn && !circle->reference) {
      throw InputError(item + ".circle.reference", "is missing",
                       "an arc needs the direction its angles count from");
    }
    if (circle->reference) CheckDirection(item + ".circle.reference", *circle->reference);
    circle->center = MakeLocalPoint(assembly, body, circle->center);
  } else {
    auto& curve = std::get<CurveSurface>(*surface);
    body = FindBodyOrThrow(assembly, item + ".curve.on", curve.body);
    const std::string key = item + ".curve";
    check_up(key, curve.up);
    if (curve.points.size() < 3) {
      throw InputError(key + ".points", "has " + std::to_string(curve.points.size()) + " points",
                       "at least 3 are needed");
    }
    CheckSpacing(key + ".points", curve);
    for (Vector3& x : curve.points) x = MakeLocalPoint(assembly, body, x);
  }
  return body;
}

/// Checks what Surface needs beyond single numbers: `up` ⟂ tangents, and along the normal of a
/// planar model (given in the axes of the surface's body).
void CheckUp(const std::string& item, const SurfaceSpec& surface, const Vector3& up,
             const std::optional<Vector3>& plane_normal) {
  if (plane_normal && plane_normal->cross(up.normalized()).norm() > 1e-6) {
    throw InputError(item + ".up", "is " + FormatVector(up),
                     "in a planar model it must be along " + FormatVector(*plane_normal));
  }
  const auto check = [&](const Vector3& tangent) {
    if (std::abs(tangent.normalized().dot(up.normalized())) > 1e-6) {
      throw InputError(
          item + ".up", "is " + FormatVector(up),
          "must be perpendicular to the curve's plane, here to " + FormatVector(tangent));
    }
  };
  if (const auto* line = std::get_if<LineSurface>(&surface)) check(line->to - line->from);
  if (const auto* circle = std::get_if<CircleSurface>(&surface)) {
    if (circle->reference) check(*circle->reference);
  }
  if (const auto* curve = std::get_if<CurveSurface>(&surface)) {
    for (std::size_t i = 1; i < curve->points.size(); ++i) {
      check(curve->points[i] - curve->points[i - 1]);
    }
  }
}

std::optional<Vector3> FindUp(const SurfaceSpec& surface,
                              const std::optional<Vector3>& plane_normal) {
  std::optional<Vector3> up;
  if (const auto* line = std::get_if<LineSurface>(&surface)) up = line->up;
  if (const auto* circle = std::get_if<CircleSurface>(&surface)) up = circle->up;
  if (const auto* curve = std::get_if<CurveSurface>(&surface)) up = curve->up;
  if (!up && !std::holds_alternative<PlaneSurface>(surface)) up = plane_normal;
  return up;
}

void AssembleNamed(const ContactSpec& spec, Assembly* assembly) {
  const std::string item = "contacts." + spec.name;
  const int point_body = FindBodyOrThrow(*assembly, item + ".point.on", spec.body);
  CheckFinite(item + ".point.at", spec.at);
  SurfaceSpec surface = spec.surface;
  const int surface_body = PrepareSurface(*assembly, item, &surface);
  if (point_body == surface_body) {
    throw InputError(item, "point and surface are on the same body '" + spec.body + "'",
                     "name two different bodies");
  }
  const ContactLaw law = MakeNamedLaw(item, spec);
  std::optional<Vector3> plane_normal;
  if (assembly->model->plane) {
    plane_normal = InitialPlacement(*assembly->model, surface_body).R.transpose() *
                   assembly->model->plane_normal;
  }
  const std::optional<Vector3> up = FindUp(surface, plane_normal);
  if (up) CheckUp(item, surface, *up, plane_normal);
  assembly->model->contact.named.push_back({spec.name, point_body,
                                            MakeLocalPoint(*assembly, point_body, spec.at),
                                            surface_body, Surface(surface, up), law});
}

/// Makes compliant_world: the colliders whose material has a compliant law with that of another.
void AssembleCompliantWorld(Model* model) {
  ContactTables& tables = model->contact;
  const auto n = static_cast<std::size_t>(tables.num_materials);
  std::vector<char> compliant(n, 0), used(n, 0);
  for (const int m : tables.collider_material) used[static_cast<std::size_t>(m)] = 1;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (used[i] && used[j] && tables.laws[i * n + j].compliance) compliant[i] = 1;
    }
  }
  for (int c = 0; c < model->world.num_colliders(); ++c) {
    if (!compliant[static_cast<std::size_t>(tables.collider_material[c])]) continue;
    model->compliant_world.Add(model->world.collider(c));
    tables.compliant_colliders.push_back(c);
  }
}

}  // namespace

void AssembleContacts(Assembly* assembly) {
  Model& model = *assembly->model;
  // The ground first, so that normals point away from it.
  AssembleShapes(assembly->spec.ground_shapes, "ground", kGround, assembly);
  for (const RigidBodySpec& body : assembly->spec.rigid_bodies) {
    AssembleShapes(body.shapes, "bodies." + body.name, model.FindBody(body.name), assembly);
  }
  for (const PointMassSpec& body : assembly->spec.point_masses) {
    AssembleShapes(body.shapes, "bodies." + body.name, model.FindBody(body.name), assembly);
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Pair& pair = model.joints[j].pair;
    if (!assembly->spec.joints[j].collide) {
      model.world.DisablePair(pair.a, pair.b);
      model.compliant_world.DisablePair(pair.a, pair.b);
    }
  }
  AssembleCompliantWorld(&model);
  std::vector<std::string> names;
  for (const ContactSpec& contact : assembly->spec.contacts) names.push_back(contact.name);
  CheckUniqueNames("contacts", names);
  for (const ContactSpec& contact : assembly->spec.contacts) AssembleNamed(contact, assembly);
  AssembleBonds(&model);
}

}  // namespace saltus
