// Motions that cannot be: drives against contacts, limits and each other; singular positions.
#include "saltus/simulation/conflict.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"

namespace saltus {
namespace {

RigidBodySpec MakeBox(const std::string& name, const Vector3& half_size, const Vector3& position) {
  RigidBodySpec box;
  box.name = name;
  box.position = position;
  box.shapes = {{Box{half_size}, {}, {}, 0}};
  return box;
}

TimeFunction MakeRamp(double speed) {
  return TimeFunction([speed](double t) { return TimeJet{speed * t, speed, 0}; });
}

JointSpec MakeSlide(double speed) {
  JointSpec slide;
  slide.name = "slide";
  slide.type = JointType::kPrismatic;
  slide.body_a = "ground";
  slide.body_b = "ram";
  slide.at = Vector3(0, 0, 0.25);
  slide.axis = Vector3::UnitZ();
  slide.drive_displacement = MakeRamp(speed);
  return slide;
}

ModelBuilder MakePress(double speed) {
  ModelBuilder builder;
  builder.Add(MakeBox("ram", {0.15, 0.15, 0.05}, {0, 0, 0.25}));
  builder.Add(MakeBox("box", {0.1, 0.1, 0.1}, {0, 0, 0.1}));
  builder.AddGroundShape({HalfSpace{}, {}, {}, 0});
  return builder.Add(MakeSlide(speed));
}

Conflict Find(const ModelBuilder& builder) {
  MultibodySystem system(builder.Build());
  return FindConflict(system, system.MakeInitialState(), 1e-4);
}

TEST(Conflict, APressAgainstARigidBox) {
  const Conflict conflict = Find(MakePress(-0.2));
  EXPECT_EQ(conflict.drives, std::vector<std::string>{"slide"});
  EXPECT_EQ(conflict.contacts.size(), 2u);
  const std::string text = DescribeConflict(conflict);
  EXPECT_NE(text.find("drive 'slide' works against contacts "), std::string::npos) << text;
  EXPECT_NE(text.find("box-ram"), std::string::npos) << text;
  EXPECT_NE(text.find("ground"), std::string::npos) << text;
}

TEST(Conflict, APressThatLiftsHasNone) { EXPECT_TRUE(Find(MakePress(0.2)).empty()); }

JointSpec MakeHinge(const std::string& name, double height) {
  JointSpec hinge;
  hinge.name = name;
  hinge.type = JointType::kRevolute;
  hinge.body_a = "ground";
  hinge.body_b = "arm";
  hinge.at = Vector3(0, 0, height);
  hinge.axis = Vector3::UnitZ();
  return hinge;
}

TEST(Conflict, TwoDrivesOfOneMotion) {
  JointSpec first = MakeHinge("h1", 0), second = MakeHinge("h2", 0.5);
  first.drive_angle = MakeRamp(1);
  second.drive_angle = MakeRamp(2);
  const RigidBodySpec arm = MakeBox("arm", {0.1, 0.1, 0.1}, {0.4, 0, 1});
  const Conflict conflict = Find(ModelBuilder().Add(arm).Add(first).Add(second));
  EXPECT_EQ(DescribeConflict(conflict), "drives 'h1' and 'h2' contradict each other");
  second.drive_angle = MakeRamp(1);
  EXPECT_TRUE(Find(ModelBuilder().Add(arm).Add(first).Add(second)).empty());
}

TEST(Conflict, NonnegativeLeastSquares) {
  MatrixX A(2, 3);
  A << 1, 0, 1, 0, 1, 1;
  VectorX x;
  EXPECT_NEAR(SolveNonnegative(A, Vector2(3, 2), &x), 0, 1e-12);
  EXPECT_GE(x.minCoeff(), 0);
  EXPECT_NEAR(SolveNonnegative(A, Vector2(-1, 2), &x), 1, 1e-12);  // only the second row can be met
  EXPECT_NEAR(x[1] + x[2], 2, 1e-12);
  EXPECT_NEAR(SolveNonnegative(A, Vector2(-1, -1), &x), std::sqrt(2.0), 1e-12);
  EXPECT_EQ(x.norm(), 0);
}

TEST(Conflict, NamesReadWell) {
  EXPECT_EQ(JoinNames({"a"}, true), "'a'");
  EXPECT_EQ(JoinNames({"a", "b"}, false), "a and b");
  EXPECT_EQ(JoinNames({"a", "b", "c"}, true), "'a', 'b' and 'c'");
  EXPECT_EQ(JoinNames({"a", "b", "c", "d", "e"}, false), "a, b, c, d and others");
}

}  // namespace
}  // namespace saltus
