#include "saltus/output/view_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace saltus {
namespace {

/// A local point of a spec in the frame of the built body: `recenter` moves the origin.
class LocalFrame {
 public:
  LocalFrame(const Model& model, const ModelSpec& spec)
      : model_(model), offset_(model.bodies.size(), Vector3::Zero()) {
    for (const RigidBodySpec& body : spec.rigid_bodies) {
      if (!body.recenter) continue;
      const int index = model.FindBody(body.name);
      const Pose& pose = model.bodies[static_cast<std::size_t>(index)].initial_pose;
      offset_[static_cast<std::size_t>(index)] = pose.R.conjugate() * (pose.p - body.position);
    }
  }
  Vector3 operator()(const std::string& body, const Vector3& point) const {
    const int index = model_.FindBody(body);
    return index < 0 ? point : Vector3(point - offset_[static_cast<std::size_t>(index)]);
  }
  /// A world point at the initial configuration.
  Vector3 FromWorld(const std::string& body, const Vector3& point) const {
    const int index = model_.FindBody(body);
    if (index < 0) return point;
    return model_.bodies[static_cast<std::size_t>(index)].initial_pose.Inverse() * point;
  }

 private:
  const Model& model_;
  std::vector<Vector3> offset_;
};

// --- Shapes --------------------------------------------------------------------------------------

void AddNumbers(const char* key, const std::vector<Vector3>& points, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const Vector3& point : points) {
    for (const double x : point) json->Value(x);
  }
  json->EndArray();
}

/// Meshes are written once, however many shapes share them.
class MeshTable {
 public:
  int Find(const ConvexHull& hull) {
    return Add(hull.polyhedron.get(), [&](JsonWriter* json) {
      AddNumbers("vertices", hull.polyhedron->vertices, json);
      json->Key("triangles").BeginArray();
      for (const std::vector<int>& face : hull.polyhedron->faces) {
        for (std::size_t k = 2; k < face.size(); ++k) {
          json->Value(face[0]).Value(face[k - 1]).Value(face[k]);
        }
      }
      json->EndArray();
    });
  }
  int Find(const TriangleMesh& mesh) {
    return Add(mesh.mesh.get(), [&](JsonWriter* json) {
      AddNumbers("vertices", mesh.mesh->vertices, json);
      json->Key("triangles").BeginArray();
      for (const auto& triangle : mesh.mesh->triangles) {
        for (const int vertex : triangle) json->Value(vertex);
      }
      json->EndArray();
    });
  }
  int Find(const HeightField& shape) {
    return Add(shape.field.get(), [&](JsonWriter* json) {
      const HeightFieldData& field = *shape.field;
      std::vector<Vector3> vertices;
      for (int j = 0; j < field.ny; ++j) {
        for (int i = 0; i < field.nx; ++i) {
          vertices.emplace_back(i * field.dx, j * field.dy,
                                field.heights[static_cast<std::size_t>(i + field.nx * j)]);
        }
      }
      AddNumbers("vertices", vertices, json);
      json->Key("triangles").BeginArray();
      for (int j = 0; j + 1 < field.ny; ++j) {
        for (int i = 0; i + 1 < field.nx; ++i) {
          const int k = i + field.nx * j;
          json->Value(k).Value(k + 1).Value(k + 1 + field.nx);
          json->Value(k).Value(k + 1 + field.nx).Value(k + field.nx);
        }
      }
      json->EndArray();
    });
  }
  const std::string& text() const { return json_.text(); }
  void Finish() { json_.EndArray(); }
  MeshTable() { json_.BeginArray(); }

 private:
  template <typename Write>
  int Add(const void* key, Write write) {
    const auto [entry, added] = index_.emplace(key, static_cast<int>(index_.size()));
    if (added) {
      json_.BeginObject();
      write(&json_);
      json_.EndObject();
    }
    return entry->second;
  }

  JsonWriter json_;
  std::map<const void*, int> index_;
};

void AddShape(const Shape& shape, MeshTable* meshes, JsonWriter* json) {
  json->Key("type").Value(ShapeName(shape));
  std::visit(
      [&](const auto& s) {
        using S = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<S, HalfSpace>) {
          json->Key("normal").Value(s.normal).Key("offset").Value(s.offset);
        } else if constexpr (std::is_same_v<S, Sphere>) {
          json->Key("radius").Value(s.radius);
        } else if constexpr (std::is_same_v<S, Box>) {
          json->Key("half").Value(s.half_size);
        } else if constexpr (std::is_same_v<S, Capsule> || std::is_same_v<S, Cylinder>) {
          json->Key("radius").Value(s.radius).Key("half_length").Value(s.half_length);
        } else {
          json->Key("mesh").Value(meshes->Find(s));
        }
      },
      shape);
}

void AddShapes(const Model& model, JsonWriter* json) {
  MeshTable meshes;
  json->Key("shapes").BeginArray();
  for (int i = 0; i < model.world.num_colliders(); ++i) {
    const Collider& collider = model.world.collider(i);
    json->BeginObject();
    json->Key("body").Value(model.contact.collider_body[static_cast<std::size_t>(i)]);
    json->Key("p").Value(collider.pose_BS.p).Key("q").Value(collider.pose_BS.R);
    AddShape(collider.shape, &meshes, json);
    json->EndObject();
  }
  json->EndArray();
  meshes.Finish();
  json->Key("meshes").Raw(meshes.text());
}

// --- Joints and force elements -------------------------------------------------------------------

void AddJoints(const Model& model, JsonWriter* json) {
  json->Key("joints").BeginArray();
  for (const Joint& joint : model.joints) {
    const PairFrames& frames = joint.pair.frames;
    json->BeginObject();
    json->Key("name").Value(joint.name).Key("type").Value(JointTypeName(joint.type));
    json->Key("a").Value(joint.pair.a).Key("b").Value(joint.pair.b);
    json->Key("pa").Value(frames.a).Key("pb").Value(frames.b);
    json->Key("qa").Value(Quaternion(frames.F_A)).Key("qb").Value(Quaternion(frames.F_B));
    json->Key("coordinate").Value(CoordinateName(joint.type));
    json->EndObject();
  }
  json->EndArray();
}

void AddElement(const char* kind, const std::string& name, int a, int b, const Vector3& pa,
                const Vector3& pb, JsonWriter* json) {
  json->BeginObject().Key("kind").Value(kind).Key("name").Value(name);
  json->Key("a").Value(a).Key("b").Value(b).Key("pa").Value(pa).Key("pb").Value(pb).EndObject();
}

void AddElements(const Model& model, const ModelSpec& spec, const LocalFrame& local,
                 JsonWriter* json) {
  const auto add_points = [&](const char* kind, const auto& s) {
    AddElement(kind, s.name, model.FindBody(s.body_a), model.FindBody(s.body_b),
               local(s.body_a, s.points[0]), local(s.body_b, s.points[1]), json);
  };
  json->Key("elements").BeginArray();
  for (const ForceSpec& force : spec.forces) {
    if (const auto* spring = std::get_if<SpringSpec>(&force)) {
      add_points("spring", *spring);
    } else if (const auto* damper = std::get_if<DamperSpec>(&force)) {
      add_points("damper", *damper);
    } else if (const auto* bushing = std::get_if<BushingSpec>(&force)) {
      AddElement("bushing", bushing->name, model.FindBody(bushing->body_a),
                 model.FindBody(bushing->body_b), local.FromWorld(bushing->body_a, bushing->at),
                 local.FromWorld(bushing->body_b, bushing->at), json);
    } else if (const auto* torsion = std::get_if<TorsionSpringSpec>(&force)) {
      const int joint = torsion->joint.empty() ? -1 : model.FindJoint(torsion->joint);
      if (joint < 0) continue;  // An axis without a place: there is nothing to draw it at.
      const Pair& pair = model.joints[static_cast<std::size_t>(joint)].pair;
      AddElement("torsion", torsion->name, pair.a, pair.b, pair.frames.a, pair.frames.b, json);
    }
  }
  json->EndArray();
}

// --- Surfaces of named contacts ------------------------------------------------------------------

constexpr int kArcPieces = 96;    // of a full circle: a chord misses it by 0.05 % of the radius
constexpr int kCurvePieces = 16;  // between two points of a spline

Vector3 AnyAcross(const Vector3& up) {
  return up.cross(std::abs(up.x()) < 0.9 ? Vector3::UnitX() : Vector3::UnitY()).normalized();
}

std::vector<Vector3> SampleCircle(const CircleSurface& circle, const Vector3& up) {
  const Vector3 seed = circle.reference.value_or(AnyAcross(up));
  const Vector3 first = (seed - up * up.dot(seed)).normalized(), second = up.cross(first);
  const int pieces =
      std::max(2, static_cast<int>(std::ceil(kArcPieces * circle.sweep / (2 * std::numbers::pi))));
  std::vector<Vector3> points;
  for (int k = 0; k <= pieces; ++k) {
    const double angle = circle.start + circle.sweep * k / pieces;
    points.push_back(circle.center +
                     circle.radius * (std::cos(angle) * first + std::sin(angle) * second));
  }
  return points;
}

std::vector<Vector3> SampleCurve(const CurveSurface& curve, const Vector3& up) {
  const Vector3 first = AnyAcross(up), second = up.cross(first);
  const Vector3 depth = up * up.dot(curve.points[0]);
  std::vector<Vector2> flat;
  for (const Vector3& point : curve.points) flat.emplace_back(first.dot(point), second.dot(point));
  const PlaneSpline spline(flat, curve.closed);
  const int pieces = kCurvePieces * static_cast<int>(curve.points.size());
  std::vector<Vector3> points;
  for (int k = 0; k <= pieces; ++k) {
    const Vector2 x = spline.Evaluate(spline.length() * k / pieces).x;
    points.push_back(depth + x[0] * first + x[1] * second);
  }
  return points;
}

void AddSurface(const ContactSpec& contact, const Model& model, const LocalFrame& local,
                JsonWriter* json) {
  json->BeginObject().Key("name").Value(contact.name);
  json->Key("point_body").Value(model.FindBody(contact.body));
  json->Key("at").Value(local(contact.body, contact.at));
  std::visit(
      [&](const auto& surface) {
        using S = std::decay_t<decltype(surface)>;
        json->Key("body").Value(model.FindBody(surface.body));
        if constexpr (std::is_same_v<S, PlaneSurface>) {
          const Vector3 normal = surface.normal.normalized();
          const Vector3 shift = local(surface.body, Vector3::Zero());
          json->Key("normal").Value(normal);
          json->Key("offset").Value(surface.offset + normal.dot(shift));
        } else {
          const Vector3 up = surface.up.value_or(model.plane_normal).normalized();
          std::vector<Vector3> points;
          if constexpr (std::is_same_v<S, LineSurface>) points = {surface.from, surface.to};
          if constexpr (std::is_same_v<S, CircleSurface>) points = SampleCircle(surface, up);
          if constexpr (std::is_same_v<S, CurveSurface>) points = SampleCurve(surface, up);
          for (Vector3& point : points) point = local(surface.body, point);
          json->Key("up").Value(up);
          AddNumbers("line", points, json);
        }
      },
      contact.surface);
  json->EndObject();
}

}  // namespace

void AddModel(const Model& model, const ModelSpec& spec, JsonWriter* json) {
  const LocalFrame local(model, spec);
  json->Key("gravity").Value(model.gravity);
  json->Key("plane_normal");
  model.plane ? json->Value(model.plane_normal) : json->Null();
  json->Key("bodies").BeginArray();
  for (const Body& body : model.bodies) {
    json->BeginObject().Key("name").Value(body.name).Key("mass").Value(body.mass).EndObject();
  }
  json->EndArray();
  AddShapes(model, json);
  AddJoints(model, json);
  AddElements(model, spec, local, json);
  json->Key("surfaces").BeginArray();
  for (const ContactSpec& contact : spec.contacts) AddSurface(contact, model, local, json);
  json->EndArray();
}

}  // namespace saltus
