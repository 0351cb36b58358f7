// MJCF: a file whose numbers are known by hand, and MuJoCo's own models against the masses that
// MuJoCo 2.2.2 computes for them.
#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/scene/scene.h"

#include "apps/saltus/import/import.h"
#include "apps/saltus/import/mesh_file.h"
#include "apps/saltus/import/test/test_models.h"

namespace saltus {
namespace {

using std::numbers::pi;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr char kFigure[] = R"(<mujoco model="figure">
  <option timestep="0.004" gravity="0 0 -5" viscosity="1"/>
  <default>
    <geom density="500" friction="0.9"/>
    <default class="limb">
      <joint damping="0.3" limited="true" range="-30 90"/>
      <geom type="capsule" size="0.1"/>
    </default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 1" pos="0 0 -2" condim="1"/>
    <body name="trunk" pos="0 0 1">
      <freejoint/>
      <geom type="box" size="0.1 0.2 0.3"/>
      <body name="limb one" pos="0 0.2 0" euler="0 0 90" childclass="limb">
        <joint name="first" axis="1 0 0" pos="0 0 0.1" armature="0.01"/>
        <joint name="second" axis="0 1 0" stiffness="7" springref="10"/>
        <geom fromto="0 0 0 0 0 -0.4"/>
        <geom type="sphere" size="0.05" mass="2" pos="0 0 -0.4"/>
      </body>
    </body>
    <body name="cart"><joint name="rail" type="slide" axis="1 0 0"/>
      <inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/></body>
  </worldbody>
  <actuator>
    <motor joint="first" ctrlrange="-1 1"/><position joint="rail" kp="20"/><muscle joint="second"/>
  </actuator>
  <sensor><jointpos joint="first"/></sensor>
</mujoco>)";

TEST(Mjcf, AFigureHasTheNumbersOfAHandCalculation) {
  const Import figure = ImportRobot(WriteText("figure.xml", kFigure), {});
  EXPECT_EQ(figure.model.name, "figure");
  EXPECT_EQ(figure.step, 0.004);
  EXPECT_EQ(figure.model.gravity, Vector3(0, 0, -5));
  // 500 kg/m³ in a box of 8 · 0.006 m³ and in a capsule; 2 kg and 3 kg are given.
  const double capsule = 500 * (pi * 0.01 * 0.4 + 4 * pi / 3 * 0.001);
  EXPECT_NEAR(TotalMass(figure.model), 24 + capsule + 2 + 3, 1e-12);
  // Two joints in one body: a body between them, joints in the axes of the body turned by 90°.
  ASSERT_EQ(figure.model.joints.size(), 3u);
  const JointSpec& first = figure.model.joints[0];
  const JointSpec& second = figure.model.joints[1];
  EXPECT_EQ(first.body_a, "trunk");
  EXPECT_EQ(first.body_b, second.body_a);
  EXPECT_EQ(second.body_b, "limb_one");
  EXPECT_LT((*first.axis - Vector3(0, 1, 0)).norm(), 1e-12);
  EXPECT_LT((*second.axis - Vector3(-1, 0, 0)).norm(), 1e-12);
  EXPECT_LT((*first.at - Vector3(0, 0.2, 1.1)).norm(), 1e-12);
  EXPECT_NEAR(first.limits->lower, -pi / 6, 1e-12);
  EXPECT_NEAR(first.limits->upper, pi / 2, 1e-12);
  // Springs: the limb's own, and the position actuator of the cart.
  bool spring = false, servo = false, motor = false;
  for (const ForceSpec& force : figure.model.forces) {
    if (const auto* torsion = std::get_if<TorsionSpringSpec>(&force)) {
      if (torsion->joint == "second") {
        spring = torsion->stiffness == 7 && torsion->damping == 0.3 &&
                 std::abs(torsion->rest_angle - pi / 18) < 1e-12;
      }
    } else if (const auto* slide = std::get_if<SpringSpec>(&force)) {
      servo = slide->stiffness == 20;
    } else if (const auto* actuator = std::get_if<ActuatorSpec>(&force)) {
      motor = actuator->joint == "first";
    }
  }
  EXPECT_TRUE(spring);
  EXPECT_TRUE(servo);
  EXPECT_TRUE(motor);
  // The plane lies at z = −2, and the ground meets bodies with the larger coefficients.
  const auto& plane = std::get<HalfSpace>(figure.model.ground_shapes.at(0).shape);
  EXPECT_EQ(plane.offset, -2);
  ASSERT_EQ(figure.model.pairs.size(), 1u);
  EXPECT_EQ(figure.model.pairs[0].friction, 0.9);
}

TEST(Mjcf, WhatIsNotReadIsNamed) {
  const Import figure = ImportRobot(WriteText("figure.xml", kFigure), {});
  for (const char* word :
       {"'viscosity' of <option>", "'ctrlrange' of <motor>", "'armature' of <joint>", "<muscle>",
        "<sensor>", "several joints in one link"}) {
    EXPECT_THAT(figure.notes, Contains(HasSubstr(word)));
  }
}

TEST(Mjcf, TheFigureFallsAndKeepsItsJoints) {
  Scene scene;
  scene.model = ImportRobot(WriteText("figure.xml", kFigure), {}).model;
  scene.simulation.step = 0.004;
  scene.simulation.until = 0.2;
  Simulation simulation = MakeSimulation(scene);
  EXPECT_TRUE(simulation.Run().good());
  EXPECT_LT(simulation.audit().max_constraint, 1e-6);
}

TEST(Mjcf, EqualitiesBecomeJoints) {
  const Import ring = ImportRobot(
      WriteText("ring.xml",
                "<mujoco><worldbody><body name='a'><freejoint/><geom size='.1'/></body>"
                "<body name='b' pos='1 0 0'><freejoint/><geom size='.1'/></body></worldbody>"
                "<equality><connect body1='a' body2='b' anchor='0.5 0 0'/><weld body1='a'/>"
                "<joint joint1='x' joint2='y'/></equality></mujoco>"),
      {});
  ASSERT_EQ(ring.model.joints.size(), 2u);
  EXPECT_EQ(ring.model.joints[0].type, JointType::kSpherical);
  EXPECT_LT((*ring.model.joints[0].at - Vector3(0.5, 0, 0)).norm(), 1e-15);
  EXPECT_EQ(ring.model.joints[1].type, JointType::kFixed);
  EXPECT_EQ(ring.model.joints[1].body_a, "ground");
  EXPECT_THAT(ring.notes, Contains(HasSubstr("<equality><joint>")));
}

TEST(Mjcf, BadFilesGiveASentence) {
  for (const char* text :
       {"<mujoco><worldbody>", "<mujoco><include file='circle.xml'/></mujoco>",
        "<mujoco><worldbody><geom type='box' size='1'/></worldbody></mujoco>",
        "<mujoco><worldbody><geom class='none'/></worldbody></mujoco>",
        "<mujoco><worldbody><geom size='one'/></worldbody></mujoco>", "<sdf/>", ""}) {
    EXPECT_THROW(ImportRobot(WriteText("circle.xml", text), {}), InputError) << text;
  }
}

TEST(MeshFile, ACubeHasTheMassOfACube) {
  const std::string path =
      WriteText("cube.obj",
                "v 1 1 1\nv 3 1 1\nv 3 3 1\nv 1 3 1\nv 1 1 3\nv 3 1 3\nv 3 3 3\nv 1 3 3\n"
                "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  const MassProperties mass = CalcMeshMass(ReadMeshFile(path));
  EXPECT_NEAR(mass.mass, 8, 1e-12);
  EXPECT_LT((mass.center - Vector3(2, 2, 2)).norm(), 1e-12);
  EXPECT_LT((mass.inertia - 8.0 / 12 * 8 * Matrix3::Identity()).norm(), 1e-11);
}

// Total masses by mj_getTotalmass of MuJoCo 2.2.2, kg; of the mug with exactmeshinertia="true",
// since MuJoCo counts the inside of the cup otherwise.
const std::vector<std::pair<std::string, double>>& KnownMasses() {
  static const std::vector<std::pair<std::string, double>> masses = {
      {"humanoid/humanoid.xml", 40.84402122162134},
      {"humanoid/22_humanoids.xml", 898.5684668756669},
      {"humanoid100/humanoid100.xml", 542.0239298571831},
      {"humanoid100/humanoid_body.xml", 40.84402122162134},
      {"hammock/humanoid_body.xml", 40.84402122162134},
      {"slider_crank/slider_crank.xml", 0.18661060362323373},
      {"tendon_arm/arm26.xml", 5.66638594952479},
      {"mug/mug.xml", 0.2685333066870119},
  };
  return masses;
}

TEST(Mjcf, TheModelsOfMujocoHaveTheirMassesAndRun) {
  const std::filesystem::path folder = "/usr/share/mujoco/model";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "libmujoco-samples is not installed";
  for (const auto& [name, mass] : KnownMasses()) {
    SCOPED_TRACE(name);
    const Import imported = ImportRobot((folder / name).string(), {});
    EXPECT_NEAR(TotalMass(imported.model), mass, 1e-7 * mass);  // Its meshes are of floats.
    ExpectRuns(imported.model);
  }
}

}  // namespace
}  // namespace saltus
