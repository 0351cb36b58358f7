// Materials, bodies and the ground.
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "saltus/scene/read_laws.h"
#include "saltus/scene/read_model.h"
#include "saltus/scene/read_shape.h"

namespace saltus {
namespace {

/// [J1, J2, J3], [Jxx, Jyy, Jzz, Jxy, Jxz, Jyz] or three rows.
Matrix3 ReadInertia(const Field& field) {
  const std::size_t size = field.value().items.size();
  if (!field.value().is_list() || (size != 3 && size != 6)) {
    field.Fail("expected an inertia tensor, found " + Describe(field.value()),
               "it must be [Jx, Jy, Jz], [Jxx, Jyy, Jzz, Jxy, Jxz, Jyz] or three rows of three");
  }
  Matrix3 inertia = Matrix3::Zero();
  if (size == 6) {
    const std::vector<double> J = field.ReadNumbers(6);
    inertia << J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2];
  } else if (field.value().items[0].is_list()) {
    const std::vector<Vector3> rows = field.ReadPoints(3);
    for (int i = 0; i < 3; ++i) inertia.row(i) = rows[static_cast<std::size_t>(i)].transpose();
  } else {
    inertia.diagonal() = field.ReadVector3();
  }
  return inertia;
}

std::vector<ShapeSpec> ReadShapes(const MapField& map, const ReadContext& context) {
  std::vector<ShapeSpec> shapes;
  const std::optional<Field> list = map.Find("shapes");
  if (!list || list->value().is_null()) return shapes;
  for (const Field& item : list->ReadList(0, list->value().items.max_size())) {
    shapes.push_back(ReadShape(item, context.base_dir, context.limits));
  }
  return shapes;
}

PointMassSpec ReadPointMass(const std::string& name, const MapField& map,
                            const ReadContext& context) {
  for (const char* key : {"mass", "inertia", "orientation", "angular_velocity", "recenter"}) {
    if (map.Has(key)) {
      map.Find(key)->Fail(std::string("a point mass has no '") + key + "'",
                          "remove it, or write 'mass' and 'inertia' instead of 'point_mass'");
    }
  }
  PointMassSpec body;
  body.name = name;
  body.mass = map.Find("point_mass")->ReadNumber(kPositive);
  body.position = map.ReadVector3("position", Vector3::Zero());
  body.velocity = map.ReadVector3("velocity", Vector3::Zero());
  body.shapes = ReadShapes(map, context);
  return body;
}

RigidBodySpec ReadRigidBody(const std::string& name, const MapField& map,
                            const ReadContext& context) {
  RigidBodySpec body;
  body.name = name;
  if (const auto key = map.Find("mass")) body.mass = key->ReadNumber(kPositive);
  if (const auto key = map.Find("inertia")) body.inertia = ReadInertia(*key);
  body.position = map.ReadVector3("position", Vector3::Zero());
  if (const auto key = map.Find("orientation")) body.orientation = ReadOrientation(*key);
  body.velocity = map.ReadVector3("velocity", Vector3::Zero());
  body.angular_velocity = map.ReadVector3("angular_velocity", Vector3::Zero());
  body.shapes = ReadShapes(map, context);
  body.recenter = map.ReadBool("recenter", false);
  if (body.shapes.empty() && !(body.mass && body.inertia)) {
    const bool nothing = !body.mass && !body.inertia;
    map.field().Fail(nothing         ? "the body has neither mass nor shapes"
                     : !body.inertia ? "missing key 'inertia'"
                                     : "missing key 'mass'",
                     "give 'mass' and 'inertia', or 'shapes' whose material has a density, or "
                     "'point_mass' alone");
  }
  return body;
}

}  // namespace

void ReadMaterials(const Field& field, ModelSpec* model) {
  for (const auto& [name, item] : field.ReadItems()) {
    const MapField map(item, "material");
    MaterialSpec material;
    material.name = name;
    material.density = map.ReadNumber("density", material.density, kPositive);
    SetLaw(ReadLawKeys(map), &material);
    model->materials.push_back(std::move(material));
  }
}

void ReadPairs(const Field& field, ModelSpec* model) {
  if (field.value().is_null()) return;
  for (const Field& item : field.ReadList(0, field.value().items.max_size())) {
    const MapField map(item, "pair");
    MaterialPairSpec pair;
    const std::vector<Field> names =
        map.Require("materials", "the names of two materials").ReadList(2, 2);
    pair.materials = {names[0].ReadText(), names[1].ReadText()};
    SetLaw(ReadLawKeys(map), &pair);
    pair.compliance = ReadCompliance(map);
    pair.cohesion = ReadCohesion(map);
    model->pairs.push_back(std::move(pair));
  }
}

void ReadBodies(const Field& field, const ReadContext& context, ModelSpec* model) {
  for (const auto& [name, item] : field.ReadItems()) {
    if (name == kGroundName) {
      item.Fail("'ground' is the fixed world and no body",
                "choose another name, or describe the world under the key 'ground'");
    }
    const MapField map(item, "body");
    if (map.Has("point_mass")) {
      model->point_masses.push_back(ReadPointMass(name, map, context));
    } else {
      model->rigid_bodies.push_back(ReadRigidBody(name, map, context));
    }
  }
}

void ReadGround(const Field& field, const ReadContext& context, ModelSpec* model) {
  if (field.value().is_null()) return;
  model->ground_shapes = ReadShapes(MapField(field, "ground"), context);
}

}  // namespace saltus
