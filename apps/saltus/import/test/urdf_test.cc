// URDF: a file whose numbers are known by hand, and the models of Debian's dart-doc against
// urdfdom's own parser.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <urdf_model/model.h>
#include <urdf_parser/urdf_parser.h>

#include "saltus/base/error.h"

#include "apps/saltus/import/import.h"
#include "apps/saltus/import/test/test_models.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// By its name in the file: characters that scenes do not admit are '_' here.
const JointSpec& FindJoint(const ModelSpec& model, std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  for (const JointSpec& joint : model.joints) {
    if (joint.name == name) return joint;
  }
  throw std::runtime_error("no joint " + name);
}

std::string Inertial(double mass, const std::string& moments, const std::string& place = "0 0 0") {
  return "<inertial><origin xyz='" + place + "'/><mass value='" + std::to_string(mass) +
         "'/><inertia " + moments + " ixy='0' ixz='0' iyz='0'/></inertial>";
}

std::string MakeArm() {
  return "<robot name='arm'><link name='base'>" + Inertial(4, "ixx='1' iyy='1' izz='1'") +
         "</link><link name='upper'>" + Inertial(2, "ixx='.3' iyy='.2' izz='.1'", "0 0 0.5") +
         "<collision><origin xyz='0 0 0.5'/><geometry><cylinder radius='.1' length='1'/></geometry>"
         "</collision></link><link name='tool'>" +
         Inertial(1, "ixx='.01' iyy='.01' izz='.01'") + "</link><link name='slider'>" +
         Inertial(3, "ixx='.02' iyy='.02' izz='.02'") + R"(</link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/>
    <axis xyz="1 0 0"/><limit lower="0.5" upper="1.5" effort="10" velocity="1"/>
    <dynamics damping="0.7" friction="0.2"/>
  </joint>
  <joint name="flange" type="fixed">
    <parent link="upper"/><child link="tool"/><origin xyz="0 0 1"/>
  </joint>
  <joint name="rail" type="prismatic">
    <parent link="upper"/><child link="slider"/><origin xyz="0 0 0.2"/>
    <axis xyz="0 0 1"/><limit lower="-0.1" upper="0.4" effort="1" velocity="1"/>
  </joint>
  <transmission name="gear"/>
</robot>)";
}

TEST(Urdf, AnArmHasTheNumbersOfAHandCalculation) {
  const Import arm = ImportRobot(WriteText("arm.urdf", MakeArm()), {});
  ASSERT_EQ(arm.model.rigid_bodies.size(), 3u);  // The tool is part of the upper arm.
  EXPECT_DOUBLE_EQ(TotalMass(arm.model), 10);
  // The shoulder lies at (1, 0, 0), its axis is e_y after the turn about z by 90°.
  const JointSpec& shoulder = FindJoint(arm.model, "shoulder");
  EXPECT_LT((*shoulder.at - Vector3(1, 0, 0)).norm(), 1e-12);
  EXPECT_LT((*shoulder.axis - Vector3(0, 1, 0)).norm(), 1e-12);
  EXPECT_EQ(shoulder.limits->lower, 0.5);
  EXPECT_EQ(shoulder.limits->upper, 1.5);
  EXPECT_EQ(shoulder.initial_angle, 0.5);  // Zero is outside of the limits.
  EXPECT_EQ(shoulder.friction_torque, 0.2);
  // Upper arm and tool: 3 kg, centre at (2·0.5 + 1·1)/3 = 2/3 along the arm. Straight up the arm
  // points to e_z; turned by 0.5 about e_y it points to (sin 0.5, 0, cos 0.5).
  const RigidBodySpec& upper = arm.model.rigid_bodies[1];
  EXPECT_EQ(upper.name, "upper");
  EXPECT_DOUBLE_EQ(*upper.mass, 3);
  const Vector3 along(std::sin(0.5), 0, std::cos(0.5));
  EXPECT_LT((upper.position - (Vector3(1, 0, 0) + 2.0 / 3 * along)).norm(), 1e-12);
  // Steiner: 2 (2/3 − 1/2)² + 1 (1 − 2/3)² = 1/6 on the two axes across the arm.
  EXPECT_NEAR((*upper.inertia)(0, 0), 0.3 + 0.01 + 1.0 / 6, 1e-12);
  EXPECT_NEAR((*upper.inertia)(1, 1), 0.2 + 0.01 + 1.0 / 6, 1e-12);
  EXPECT_NEAR((*upper.inertia)(2, 2), 0.1 + 0.01, 1e-12);
  const JointSpec& rail = FindJoint(arm.model, "rail");
  EXPECT_LT((*rail.axis - along).norm(), 1e-12);
  EXPECT_LT((*rail.at - (Vector3(1, 0, 0) + 0.2 * along)).norm(), 1e-12);
}

TEST(Urdf, WhatIsNotReadIsNamed) {
  const Import arm = ImportRobot(WriteText("arm.urdf", MakeArm()), {});
  for (const char* word : {"transmission", "effort", "velocity", "starts at its limit 0.5"}) {
    EXPECT_THAT(arm.notes, Contains(HasSubstr(word)));
  }
}

TEST(Urdf, TheBaseIsHeldFixedOnRequest) {
  const Import fixed = ImportRobot(WriteText("arm.urdf", MakeArm()), {.fixed_base = true});
  EXPECT_EQ(fixed.model.rigid_bodies.size(), 2u);
  EXPECT_EQ(FindJoint(fixed.model, "shoulder").body_a, "ground");
}

TEST(Urdf, BadFilesGiveASentence) {
  EXPECT_THROW(ImportRobot(WriteText("bad.urdf", "<robot name='x'><link/></robot>"), {}),
               InputError);
  EXPECT_THROW(ImportRobot(WriteText("empty.urdf", ""), {}), InputError);
  EXPECT_THROW(ImportRobot(testing::TempDir() + "nowhere.urdf", {}), InputError);
}

TEST(Urdf, ALinkWithoutMassTakesAShareOfItsNeighbour) {
  const std::string place = "<axis xyz='0 0 1'/><origin xyz='1 0 0'/></joint>";
  const Import chain =
      ImportRobot(WriteText("chain.urdf",
                            "<robot name='chain'><link name='world'/><link name='light'/>"
                            "<link name='heavy'>" +
                                Inertial(5, "ixx='1' iyy='1' izz='1'") +
                                "</link><joint name='a' type='continuous'><parent link='world'/>"
                                "<child link='light'/>" +
                                place +
                                "<joint name='b' type='continuous'><parent link='light'/>"
                                "<child link='heavy'/>" +
                                place + "</robot>"),
                  {});
  ASSERT_EQ(chain.model.rigid_bodies.size(), 2u);
  EXPECT_DOUBLE_EQ(TotalMass(chain.model), 5);
  EXPECT_NEAR(*chain.model.rigid_bodies[0].mass, 0.05, 1e-15);
}

/// World placement of a link of urdfdom's model, every joint at zero.
Pose PlaceLink(const urdf::Link& link) {
  if (!link.parent_joint) return {};
  const urdf::Pose& o = link.parent_joint->parent_to_joint_origin_transform;
  const Pose own{{o.position.x, o.position.y, o.position.z},
                 Quaternion(o.rotation.w, o.rotation.x, o.rotation.y, o.rotation.z).normalized()};
  return PlaceLink(*link.getParent()) * own;
}

bool HasNote(const Import& imported, const std::string& word) {
  return std::any_of(imported.notes.begin(), imported.notes.end(),
                     [&](const std::string& note) { return note.find(word) != std::string::npos; });
}

/// Mass of the link and of all that follow it in the tree, without those that fixed joints hold to
/// a link that does not move.
double MovingMass(const urdf::Link& link, bool moves) {
  double mass = moves && link.inertial ? link.inertial->mass : 0;
  for (const auto& joint : link.child_joints) {
    const auto child = std::find_if(
        link.child_links.begin(), link.child_links.end(),
        [&](const urdf::LinkSharedPtr& next) { return next->name == joint->child_link_name; });
    mass += MovingMass(**child, moves || joint->type != urdf::Joint::FIXED);
  }
  return mass;
}

/// Joints agree, and so does the mass if the file gives one. Returns the moving mass of the file.
double CompareWithUrdfdom(const std::string& path, const Import& imported) {
  const urdf::ModelInterfaceSharedPtr urdf = urdf::parseURDFFile(path);
  const bool free = !HasNote(imported, "held fixed") && urdf->getRoot()->name != "world";
  const double mass = MovingMass(*urdf->getRoot(), free);
  if (mass > 0) {
    EXPECT_NEAR(TotalMass(imported.model), mass, 1e-9 * mass);
  }
  const bool moved = HasNote(imported, "starts at its limit");  // Then axes stand elsewhere.
  for (const auto& [name, joint] : urdf->joints_) {
    const bool scalar = joint->type == urdf::Joint::REVOLUTE ||
                        joint->type == urdf::Joint::CONTINUOUS ||
                        joint->type == urdf::Joint::PRISMATIC;
    if (!scalar) continue;
    const JointSpec& ours = FindJoint(imported.model, name);
    const Pose pose = PlaceLink(*urdf->links_.at(joint->child_link_name));
    const Vector3 axis(joint->axis.x, joint->axis.y, joint->axis.z);
    if (!moved) {
      EXPECT_LT((*ours.axis - pose.R * axis.normalized()).norm(), 1e-9) << name;
      EXPECT_LT((*ours.at - pose.p).norm(), 1e-9) << name;
    }
    if (joint->type == urdf::Joint::CONTINUOUS || !joint->limits) continue;
    if (ours.limits) {
      EXPECT_EQ(ours.limits->lower, joint->limits->lower) << name;
      EXPECT_EQ(ours.limits->upper, joint->limits->upper) << name;
    } else {
      EXPECT_TRUE(HasNote(imported, "joint '" + name + "' has no limits")) << name;
    }
  }
  return mass;
}

TEST(Urdf, TheModelsOfDartAgreeWithUrdfdomAndRun) {
  const fs::path folder = "/usr/share/doc/dart/data";
  if (!fs::exists(folder)) GTEST_SKIP() << "Debian's dart-doc is not installed";
  std::set<std::string> refused, empty, without_mass, robots;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".urdf") continue;
    const std::string path = entry.path().string(), name = entry.path().filename().string();
    SCOPED_TRACE(path);
    if (!urdf::parseURDFFile(path)) {
      EXPECT_THROW(ImportRobot(path, {}), InputError);
      refused.insert(name);
      continue;
    }
    const Import imported = ImportRobot(path, {});
    const double mass = CompareWithUrdfdom(path, imported);
    if (imported.model.rigid_bodies.empty()) {
      empty.insert(name);
      continue;
    }
    (mass > 0 ? robots : without_mass).insert(name);
    ExpectRuns(imported.model);
  }
  EXPECT_THAT(robots, ElementsAre("KR5 sixx R650.urdf", "atlas_v3_no_head.urdf", "drchubo.urdf",
                                  "issue838.urdf", "wam.urdf"));
  EXPECT_THAT(without_mass, ElementsAre("joint_properties.urdf"));
  // One link that does not move: grounds, and tests of how meshes are found.
  EXPECT_THAT(empty, ElementsAre("ground.urdf", "invalid_mesh.urdf", "missing_mesh.urdf",
                                 "missing_package.urdf", "primitive_geometry.urdf"));
  // A link that is missing, an empty file, a world that places a robot.
  EXPECT_THAT(refused, ElementsAre("atlas_v3.urdf", "invalid.urdf", "testWorld.urdf"));
}

}  // namespace
}  // namespace saltus
