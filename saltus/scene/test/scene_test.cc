#include "saltus/scene/scene.h"

#include <filesystem>
#include <numbers>

#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/multibody/model.h"
#include "saltus/multibody/multibody_system.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;

// The example of the format's description, with one of everything.
const std::string kExample = std::string(SALTUS_SOURCE_DIR) + "/saltus/scene/test/example.yaml";

TEST(Scene, ReadsEverySection) {
  const Scene scene = ReadScene(kExample);
  EXPECT_EQ(scene.model.name, "Ball and lever");
  EXPECT_EQ(scene.model.gravity, Vector3(0, 0, -9.81));
  ASSERT_EQ(scene.model.materials.size(), 3U);
  EXPECT_EQ(scene.model.materials[0].friction, 0.3);
  EXPECT_EQ(scene.model.materials[1].restitution_law, RestitutionLaw::kPoisson);
  EXPECT_EQ(scene.model.materials[2].friction_law, FrictionLaw::kAssociated);
  EXPECT_EQ(scene.model.pairs[1].friction_law, FrictionLaw::kCoulomb);
  EXPECT_EQ(scene.model.materials[1].rolling_friction, 0.002);
  EXPECT_EQ(scene.model.pairs[0].restitution, 0.4);
  EXPECT_EQ(scene.model.pairs[1].compliance->law, ComplianceLaw::kHuntCrossley);
  EXPECT_EQ(scene.model.pairs[1].compliance->restitution, 0.9);
  EXPECT_EQ(scene.model.pairs[2].cohesion->energy, 10);
  EXPECT_EQ(scene.model.pairs[3].cohesion->law, CohesionLaw::kTriangular);
  EXPECT_EQ(scene.model.pairs[3].cohesion->strength, 1e4);
  ASSERT_EQ(scene.model.rigid_bodies.size(), 3U);
  EXPECT_EQ(std::get<Sphere>(scene.model.rigid_bodies[0].shapes[0].shape).radius, 0.1);
  EXPECT_EQ(std::get<Box>(scene.model.rigid_bodies[1].shapes[0].shape).half_size,
            Vector3(0.5, 0.05, 0.05));
  EXPECT_EQ(scene.model.point_masses[0].mass, 0.5);
  const HeightFieldData& field = *std::get<HeightField>(scene.model.ground_shapes[2].shape).field;
  EXPECT_EQ(field.nx, 3);
  EXPECT_EQ(field.ny, 2);
  EXPECT_EQ(field.heights[2 + 3 * 1], 0.2);  // x = 2 dx, y = dy
  ASSERT_EQ(scene.model.joints.size(), 3U);
  EXPECT_EQ(scene.model.joints[0].limits->upper, 1);
  const TimeJet jet = (*scene.model.joints[2].drive_angle)(0.5);
  EXPECT_NEAR(jet.value, 0.1 * std::sin(1.5), 1e-15);
  EXPECT_NEAR(jet.rate, 0.3 * std::cos(1.5), 1e-15);
  ASSERT_EQ(scene.model.forces.size(), 7U);
  EXPECT_EQ(std::get<SpringSpec>(scene.model.forces[0]).rest_length, 1);
  EXPECT_EQ(std::get<BushingSpec>(scene.model.forces[3]).stiffness, Vector3(5, 5, 5));
  EXPECT_EQ(std::get<ForceLoadSpec>(scene.model.forces[4]).force[0].Value(2), 10);
  ASSERT_EQ(scene.model.contacts.size(), 5U);
  EXPECT_EQ(std::get<PlaneSurface>(scene.model.contacts[0].surface).offset, -0.2);
  const auto& options = std::get<MoreauJeanOptions>(scene.integrator.options);
  EXPECT_EQ(options.theta, 0.75);
  EXPECT_EQ(options.solver_options.max_iterations, 500);
  EXPECT_EQ(options.solver_options.effort, Effort::kHigh);
  EXPECT_EQ(scene.simulation.on_failure, FailurePolicy::kHalve);
  EXPECT_EQ(scene.simulation.limits.max_constraint, 1e-6);
  EXPECT_FALSE(scene.simulation.limits.energy_closure.has_value());
  EXPECT_EQ(scene.output.dt, 0.01);
  EXPECT_FALSE(scene.output.contacts);
  EXPECT_EQ(scene.parameters.size(), 2U);
  EXPECT_NE(scene.source.find("# One of everything"), std::string::npos);
}

TEST(Scene, OrientationForms) {
  const auto read = [](const std::string& form) {
    return ReadSceneText(
               "{saltus: 1, bodies: {a: {mass: 1, inertia: [1, 1, 1], orientation: " + form + "}}}",
               "test.yaml")
        .model.rigid_bodies[0]
        .orientation;
  };
  // A quarter turn about z takes x to y, in each form.
  for (const char* form : {"{axis: [0, 0, 2], angle: '${pi/2}'}", "{rpy: [0, 0, '${pi/2}']}",
                           "{quaternion: ['${sqrt(0.5)}', 0, 0, '${sqrt(0.5)}']}"}) {
    EXPECT_LT((read(form) * Vector3::UnitX() - Vector3::UnitY()).norm(), 1e-15) << form;
  }
  // Roll first, then pitch, then yaw, about fixed axes: Rz Ry Rx.
  const Vector3 image = read("{rpy: ['${pi/2}', 0, '${pi/2}']}") * Vector3::UnitY();
  EXPECT_LT((image - Vector3::UnitZ()).norm(), 1e-15);
}

TEST(Scene, InertiaForms) {
  const auto read = [](const std::string& form) {
    return *ReadSceneText("{saltus: 1, bodies: {a: {mass: 1, inertia: " + form + "}}}", "test.yaml")
                .model.rigid_bodies[0]
                .inertia;
  };
  Matrix3 expected;
  expected << 4, 0.1, 0.2, 0.1, 5, 0.3, 0.2, 0.3, 6;
  EXPECT_EQ(read("[4, 5, 6, 0.1, 0.2, 0.3]"), expected);
  EXPECT_EQ(read("[[4, 0.1, 0.2], [0.1, 5, 0.3], [0.2, 0.3, 6]]"), expected);
  EXPECT_EQ(read("[4, 5, 6]"), Matrix3(Vector3(4, 5, 6).asDiagonal()));
}

TEST(Scene, ActivationForms) {
  const auto read = [](const std::string& form) {
    return std::get<MoreauJeanOptions>(
        ReadSceneText(
            "{saltus: 1, bodies: {a: {point_mass: 1}}, simulation: {activation: " + form + "}}",
            "test.yaml")
            .integrator.options);
  };
  EXPECT_EQ(read("none").gamma, 0);
  EXPECT_EQ(read("half").gamma, 0.5);
  EXPECT_EQ(read("full").gamma, 1);
  EXPECT_EQ(read("0.25").gamma, 0.25);
  EXPECT_EQ(read("0.25").activation, MoreauJeanOptions::Activation::kPredicted);
  EXPECT_EQ(read("linearized").activation, MoreauJeanOptions::Activation::kLinearized);
}

TEST(Scene, OpenLimits) {
  const Scene scene = ReadSceneText(
      "{saltus: 1, bodies: {a: {point_mass: 1}}, joints: {rope: {type: distance, between: [ground, "
      "a], points: [[0, 0, 1], [0, 0, 0]], limits: [~, 2]}}}",
      "test.yaml");
  EXPECT_EQ(scene.model.joints[0].limits->lower, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(scene.model.joints[0].limits->upper, 2);
}

TEST(Scene, BuilderFaultsAreGivenTheirPlace) {
  const Scene scene = ReadSceneText(
      "saltus: 1\nbodies:\n  ball:\n    mass: 1\n    inertia: [1, 1, 5]\n", "test.yaml");
  try {
    BuildModel(scene);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.location().file, "test.yaml");
    EXPECT_EQ(error.location().line, 5) << error.what();
  }
}

TEST(Scene, WriteThenReadGivesTheSameText) {
  const Scene scene = ReadScene(kExample);
  const std::string written = WriteScene(scene);
  const Scene again = ReadSceneText(written, "again.yaml");
  EXPECT_EQ(WriteScene(again), written);
  // And the same mechanism: coordinates, velocities, constraints and forces agree bit by bit.
  MultibodySystem a(BuildModel(scene)), b(BuildModel(again));
  const State state = a.MakeInitialState(), state_again = b.MakeInitialState();
  EXPECT_EQ(state.q, state_again.q);
  EXPECT_EQ(state.v, state_again.v);
  VectorX f, f_again, g, g_again;
  a.CalcForce(1.5, state.q, state.v, &f);
  b.CalcForce(1.5, state.q, state.v, &f_again);
  EXPECT_EQ(f, f_again);
  a.CalcConstraint(1.5, state.q, &g);
  b.CalcConstraint(1.5, state.q, &g_again);
  EXPECT_EQ(g, g_again);
}

TEST(Scene, NormalisedDirectionsStayToTheLastBit) {
  const Scene scene = ReadSceneText(
      "{saltus: 1, bodies: {a: {point_mass: 1, shapes: [{sphere: {radius: 1}, orientation: "
      "{quaternion: [0.7, 0.1, 0.7, 0.1]}}]}}, ground: {shapes: [{half_space: {normal: [5, 0, "
      "1]}}]}}",
      "test.yaml");
  const std::string written = WriteScene(scene);
  EXPECT_EQ(WriteScene(ReadSceneText(written, "again.yaml")), written);
}

TEST(Scene, CallablesCannotBeWritten) {
  Scene scene = ReadSceneText("{saltus: 1, bodies: {a: {point_mass: 1}}}", "test.yaml");
  ForceLoadSpec load;
  load.name = "push";
  load.body = "a";
  load.force[0] = TimeFunction([](double t) { return TimeJet{t, 1, 0}; });
  scene.model.forces.push_back(load);
  EXPECT_THROW(WriteScene(scene), InputError);
}

class ReadyScene : public testing::TestWithParam<std::string> {};

TEST_P(ReadyScene, ReadsBuildsAndWritesBack) {
  const Scene scene = ReadScene(GetParam());
  const auto model = BuildModel(scene);
  EXPECT_FALSE(model->bodies.empty());
  EXPECT_NE(MakeIntegrator(scene), nullptr);
  const std::string written = WriteScene(scene);
  EXPECT_EQ(WriteScene(ReadSceneText(written, "again.yaml")), written);
  // The embedded source gives the same scene without any other file.
  EXPECT_EQ(WriteScene(ReadSceneText(scene.source, "source.yaml")), written);
}

std::vector<std::string> ListReadyScenes() {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(fs::path(SALTUS_SOURCE_DIR) / "scenes")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".yaml" && name != "sphere_pile_8000.yaml") {
      paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

INSTANTIATE_TEST_SUITE_P(All, ReadyScene, testing::ValuesIn(ListReadyScenes()),
                         [](const auto& test) { return fs::path(test.param).stem().string(); });

}  // namespace
}  // namespace saltus
