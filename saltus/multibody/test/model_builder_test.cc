// What Build computes (masses, inertias, laws) and what it refuses.
#include "saltus/multibody/model_builder.h"

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/multibody/test/models.h"

namespace saltus {
namespace {

using ::testing::HasSubstr;

constexpr double kPi = std::numbers::pi;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A ball over a floor, hinged to a lever: everything is right.
ModelSpec MakeGoodSpec() {
  ModelSpec spec;
  spec.materials.push_back({.name = "steel", .density = 7800, .friction = 0.3, .restitution = 0.2});
  spec.rigid_bodies.push_back(MakeBodySpec("ball", {0, 0, 1}));
  spec.rigid_bodies.push_back(MakeBodySpec("lever", {1, 0, 1}));
  spec.rigid_bodies[0].shapes.push_back({.shape = Sphere{0.1}, .material = "steel"});
  spec.point_masses.push_back({.name = "bead", .mass = 0.5});
  spec.ground_shapes.push_back({.shape = HalfSpace{}, .material = "steel"});
  JointSpec hinge{
      .name = "hinge", .type = JointType::kRevolute, .body_a = "ball", .body_b = "lever"};
  hinge.at = Vector3(0.5, 0, 1);
  hinge.axis = Vector3(0, 1, 0);
  spec.joints.push_back(hinge);
  SpringSpec spring{.name = "spring", .body_a = "ball", .body_b = "ground", .stiffness = 1};
  spec.forces.push_back(spring);
  spec.contacts.push_back({.name = "stop", .body = "lever", .surface = PlaneSurface{}});
  return spec;
}

struct BadCase {
  const char* what;
  std::function<void(ModelSpec*)> spoil;
  const char* item;     // InputError::item() must be this
  const char* message;  // … and what() must hold this
};

const std::vector<BadCase>& BadCases() {
  static const std::vector<BadCase> cases = {
      {"negative mass", [](ModelSpec* s) { s->rigid_bodies[0].mass = -1; }, "bodies.ball.mass",
       "is -1; must be > 0 kg"},
      {"nan mass", [](ModelSpec* s) { s->rigid_bodies[0].mass = kNan; }, "bodies.ball.mass", "nan"},
      {"zero point mass", [](ModelSpec* s) { s->point_masses[0].mass = 0; },
       "bodies.bead.point_mass", "must be > 0"},
      {"inertia not positive",
       [](ModelSpec* s) { s->rigid_bodies[0].inertia = Vector3(1, -1, 1).asDiagonal(); },
       "bodies.ball.inertia", "all must be > 0"},
      {"inertia not symmetric", [](ModelSpec* s) { (*s->rigid_bodies[0].inertia)(0, 1) += 0.1; },
       "bodies.ball.inertia", "symmetric"},
      {"inertia of no body",
       [](ModelSpec* s) { s->rigid_bodies[0].inertia = Vector3(1, 1, 3).asDiagonal(); },
       "bodies.ball.inertia", "sum of the others"},
      {"no mass, no shapes", [](ModelSpec* s) { s->rigid_bodies[1].mass.reset(); },
       "bodies.lever.mass", "missing"},
      {"nan position", [](ModelSpec* s) { s->rigid_bodies[0].position.y() = kNan; },
       "bodies.ball.position", "finite"},
      {"zero quaternion",
       [](ModelSpec* s) { s->rigid_bodies[0].orientation = Quaternion(0, 0, 0, 0); },
       "bodies.ball.orientation", "must be finite and > 0"},
      {"repeated name", [](ModelSpec* s) { s->point_masses[0].name = "ball"; }, "bodies.ball",
       "used twice"},
      {"reserved name", [](ModelSpec* s) { s->rigid_bodies[1].name = "ground"; }, "bodies.ground",
       "reserved"},
      {"empty name", [](ModelSpec* s) { s->rigid_bodies[1].name = ""; }, "bodies", "no name"},
      {"nan gravity", [](ModelSpec* s) { s->gravity.x() = kNan; }, "gravity", "finite"},
      {"unknown body", [](ModelSpec* s) { s->joints[0].body_b = "levr"; }, "joints.hinge.between",
       "did you mean 'lever'"},
      {"joint to itself", [](ModelSpec* s) { s->joints[0].body_b = "ball"; },
       "joints.hinge.between", "itself"},
      {"zero axis", [](ModelSpec* s) { s->joints[0].axis = Vector3::Zero(); }, "joints.hinge.axis",
       "nonzero length"},
      {"missing axis", [](ModelSpec* s) { s->joints[0].axis.reset(); }, "joints.hinge.axis",
       "needs an axis"},
      {"missing place", [](ModelSpec* s) { s->joints[0].at.reset(); }, "joints.hinge",
       "place of the joint is missing"},
      {"reversed limits",
       [](ModelSpec* s) {
         s->joints[0].limits = JointLimits{1, -1, 0};
       },
       "joints.hinge.limits", "below the upper"},
      {"starts outside its limits",
       [](ModelSpec* s) {
         s->joints[0].limits = JointLimits{0.5, 1, 0};
       },
       "joints.hinge.limits", "start within"},
      {"limit restitution",
       [](ModelSpec* s) {
         s->joints[0].limits = JointLimits{-1, 1, 2};
       },
       "joints.hinge.limits.restitution", "[0, 1]"},
      {"negative joint friction", [](ModelSpec* s) { s->joints[0].friction = -1; },
       "joints.hinge.friction", "must be >= 0"},
      {"points apart",
       [](ModelSpec* s) {
         s->joints[0].at.reset();
         s->joints[0].points = {{Vector3::Zero(), Vector3::Zero()}};
       },
       "joints.hinge.points", "open the joint by"},
      {"hinge on a point mass", [](ModelSpec* s) { s->joints[0].body_b = "bead"; },
       "joints.hinge.type", "point mass"},
      {"drive that does not exist",
       [](ModelSpec* s) { s->joints[0].drive_displacement = TimeFunction(1.0); },
       "joints.hinge.drive.displacement", "no such coordinate"},
      {"unknown material", [](ModelSpec* s) { s->ground_shapes[0].material = "stel"; },
       "ground.shapes[0].material", "did you mean 'steel'"},
      {"negative density", [](ModelSpec* s) { s->materials[0].density = -1; },
       "materials.steel.density", "must be > 0"},
      {"negative friction", [](ModelSpec* s) { s->materials[0].friction = -0.1; },
       "materials.steel.friction", "must be >= 0"},
      {"restitution above one", [](ModelSpec* s) { s->materials[0].restitution = 1.1; },
       "materials.steel.restitution", "[0, 1]"},
      {"zero radius", [](ModelSpec* s) { s->rigid_bodies[0].shapes[0].shape = Sphere{0}; },
       "bodies.ball.shapes[0].sphere.radius", "must be > 0"},
      {"half-space on a body",
       [](ModelSpec* s) { s->rigid_bodies[0].shapes[0].shape = HalfSpace{}; },
       "bodies.ball.shapes[0]", "cannot move"},
      {"negative stiffness",
       [](ModelSpec* s) { std::get<SpringSpec>(s->forces[0]).stiffness = -1; },
       "forces.spring.stiffness", "must be >= 0"},
      {"force on an unknown body",
       [](ModelSpec* s) { s->forces.push_back(ForceLoadSpec{.name = "push", .body = "bal"}); },
       "forces.push.on", "did you mean 'ball'"},
      {"torque on a point mass",
       [](ModelSpec* s) { s->forces.push_back(TorqueLoadSpec{.name = "twist", .body = "bead"}); },
       "forces.twist.on", "cannot carry a torque"},
      {"actuator without a joint",
       [](ModelSpec* s) { s->forces.push_back(ActuatorSpec{.name = "motor", .joint = "hing"}); },
       "forces.motor.joint", "did you mean 'hinge'"},
      {"zero plane normal",
       [](ModelSpec* s) {
         std::get<PlaneSurface>(s->contacts[0].surface).normal = Vector3::Zero();
       },
       "contacts.stop.plane.normal", "nonzero length"},
      {"contact with itself",
       [](ModelSpec* s) { std::get<PlaneSurface>(s->contacts[0].surface).body = "lever"; },
       "contacts.stop", "same body"},
      {"line without up", [](ModelSpec* s) { s->contacts[0].surface = LineSurface{}; },
       "contacts.stop.line.up", "missing"},
      {"curve of two points",
       [](ModelSpec* s) {
         CurveSurface curve;
         curve.up = Vector3::UnitY();
         curve.points = {Vector3::Zero(), Vector3::UnitX()};
         s->contacts[0].surface = curve;
       },
       "contacts.stop.curve.points", "at least 3"},
      {"curve with a repeated point",
       [](ModelSpec* s) {
         CurveSurface curve;
         curve.up = Vector3::UnitY();
         curve.points = {Vector3::Zero(), Vector3::UnitX(), Vector3::UnitX()};
         s->contacts[0].surface = curve;
       },
       "contacts.stop.curve.points (distance of neighbours)", "must be in"},
      {"up along the line",
       [](ModelSpec* s) { s->contacts[0].surface = LineSurface{.up = Vector3::UnitX()}; },
       "contacts.stop.up", "perpendicular"},
  };
  return cases;
}

TEST(ModelBuilder, AcceptsTheGoodSpec) { EXPECT_NO_THROW(ModelBuilder(MakeGoodSpec()).Build()); }

TEST(ModelBuilder, RefusesBadInputAndNamesIt) {
  for (const BadCase& bad : BadCases()) {
    SCOPED_TRACE(bad.what);
    ModelSpec spec = MakeGoodSpec();
    bad.spoil(&spec);
    try {
      ModelBuilder(spec).Build();
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_EQ(error.item(), bad.item);
      EXPECT_THAT(error.what(), HasSubstr(bad.message));
    }
  }
}

TEST(ModelBuilder, PlanarModelsRefuseWhatLeavesThePlane) {
  ModelSpec spec;
  spec.planar = MakePlane("xz");
  spec.rigid_bodies.push_back(MakePlanarBodySpec("a", Vector3::Zero()));
  spec.rigid_bodies[0].velocity = {1, 0.1, 0};
  EXPECT_THROW(ModelBuilder(spec).Build(), InputError);
  spec.rigid_bodies[0].velocity = {1, 0, 2};
  spec.rigid_bodies[0].angular_velocity = {0.1, 1, 0};
  EXPECT_THROW(ModelBuilder(spec).Build(), InputError);
  spec.rigid_bodies[0].angular_velocity = {0, 1, 0};
  EXPECT_NO_THROW(ModelBuilder(spec).Build());
  JointSpec hinge{.name = "hinge", .type = JointType::kRevolute, .body_a = "ground", .body_b = "a"};
  hinge.at = Vector3::Zero();
  hinge.axis = Vector3::UnitZ();
  spec.joints.push_back(hinge);
  EXPECT_THROW(ModelBuilder(spec).Build(), InputError);
  EXPECT_THROW(MakePlane("xx"), InputError);
}

TEST(ModelBuilder, MassFromShapesWithParallelAxes) {
  // A dumbbell: two balls of density 1000 on the x axis.
  const double r = 0.1, d = 0.5, m = 1000 * 4.0 / 3 * kPi * r * r * r;
  RigidBodySpec body{.name = "dumbbell"};
  body.shapes.push_back({.shape = Sphere{r}, .pose = {Vector3(d, 0, 0)}});
  body.shapes.push_back({.shape = Sphere{r}, .pose = {Vector3(-d, 0, 0)}});
  const auto model = ModelBuilder().Add(body).Build();
  const double ball = 0.4 * m * r * r;
  EXPECT_NEAR(model->bodies[0].mass, 2 * m, 1e-12 * m);
  const Vector3 expected(2 * ball, 2 * (ball + m * d * d), 2 * (ball + m * d * d));
  EXPECT_LE((model->bodies[0].inertia - Matrix3(expected.asDiagonal())).norm(), 1e-12 * m);

  body.mass = 1;  // the inertia follows the given mass
  const auto scaled = ModelBuilder().Add(body).Build();
  EXPECT_LE((scaled->bodies[0].inertia * 2 * m - Matrix3(expected.asDiagonal())).norm(), 1e-12 * m);
}

TEST(ModelBuilder, RecentersShapesOnDemand) {
  RigidBodySpec body{.name = "box", .position = {1, 2, 3}};
  body.orientation = Quaternion(Eigen::AngleAxisd(kPi / 2, Vector3::UnitZ()));
  body.shapes.push_back({.shape = Box{Vector3(1, 1, 1)}, .pose = {Vector3(0.5, 0, 0)}});
  EXPECT_THROW(ModelBuilder().Add(body).Build(), InputError);
  body.recenter = true;
  ForceLoadSpec force{.name = "push", .body = "box", .at = {0.5, 0, 0}};
  const auto model = ModelBuilder().Add(body).Add(force).Build();
  EXPECT_LE((model->bodies[0].initial_pose.p - Vector3(1, 2.5, 3)).norm(), 1e-15);
  EXPECT_LE(model->loads[0].at.norm(), 1e-15);  // local points move with the frame
  EXPECT_LE(model->world.collider(0).pose_BS.p.norm(), 1e-15);
}

TEST(ModelBuilder, MaterialLawsCombineAndPairsOverride) {
  ModelSpec spec;
  spec.materials.push_back(
      {.name = "a", .friction = 0.4, .restitution = 0.1, .restitution_tangential = 0.2});
  spec.materials.push_back({.name = "b", .friction = 0.9, .restitution = 0.3});
  spec.pairs.push_back({.materials = {"b", "a"}, .restitution = 0.7});
  const ContactTables tables = ModelBuilder(spec).Build()->contact;
  const auto law = [&tables](int i, int j) { return tables.laws[i * tables.num_materials + j]; };
  EXPECT_DOUBLE_EQ(law(1, 2).friction, 0.6);
  EXPECT_DOUBLE_EQ(law(1, 2).restitution, 0.7);
  EXPECT_DOUBLE_EQ(law(2, 1).restitution, 0.7);
  EXPECT_DOUBLE_EQ(law(1, 2).restitution_tangential, 0.1);
  EXPECT_DOUBLE_EQ(law(1, 1).friction, 0.4);
  EXPECT_DOUBLE_EQ(law(2, 2).restitution, 0.3);
  EXPECT_DOUBLE_EQ(law(0, 0).friction, 0.5);
}

}  // namespace
}  // namespace saltus
