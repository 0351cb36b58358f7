// ModelBuilder: gathers specs, checks all of them, and builds the const Model.
//
//   auto model = ModelBuilder()
//                    .SetGravity({0, 0, -9.81})
//                    .Add(RigidBodySpec{.name = "ball", .mass = 1, …})
//                    .Add(JointSpec{.name = "hinge", .type = JointType::kRevolute, …})
//                    .Build();
//   MultibodySystem system(model);
#pragma once

#include <memory>
#include <utility>

#include "saltus/multibody/model_spec.h"

namespace saltus {

struct Model;

class ModelBuilder {
 public:
  ModelBuilder() = default;
  explicit ModelBuilder(ModelSpec spec) : spec_(std::move(spec)) {}

  ModelBuilder& SetName(std::string name);
  ModelBuilder& SetGravity(const Vector3& gravity);  // m/s²
  ModelBuilder& SetPlanar(const PlaneSpec& plane);

  ModelBuilder& Add(MaterialSpec material);
  ModelBuilder& Add(MaterialPairSpec pair);
  ModelBuilder& Add(RigidBodySpec body);
  ModelBuilder& Add(PointMassSpec body);
  ModelBuilder& Add(JointSpec joint);
  /// Any alternative of ForceSpec: SpringSpec, BushingSpec, …
  ModelBuilder& Add(ForceSpec force);
  ModelBuilder& Add(ContactSpec contact);
  ModelBuilder& AddGroundShape(ShapeSpec shape);

  const ModelSpec& spec() const { return spec_; }

  /// Checks everything and throws InputError (item, value, admissible range, suggestion) at the
  /// first thing that is wrong.
  std::shared_ptr<const Model> Build() const;

 private:
  ModelSpec spec_;
};

}  // namespace saltus
